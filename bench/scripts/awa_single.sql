SELECT awa.enqueue('single', 'bench', :one::jsonb);
