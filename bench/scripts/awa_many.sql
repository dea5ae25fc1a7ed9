SELECT awa.enqueue_many('many', 'bench', :many::jsonb[]);
