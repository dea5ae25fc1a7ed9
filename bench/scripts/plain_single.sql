INSERT INTO bench.plain_single (kind, args) VALUES ('bench', :one::jsonb) RETURNING job_id;
