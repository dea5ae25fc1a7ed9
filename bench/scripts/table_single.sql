INSERT INTO bench.jobs (queue, kind, args) VALUES ('single', 'bench', :one::jsonb) RETURNING id;
