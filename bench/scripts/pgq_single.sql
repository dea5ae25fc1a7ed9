SELECT pgq.insert_event('single', 'bench', :one);
