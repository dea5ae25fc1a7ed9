INSERT INTO bench.plain_inserted (kind, args) SELECT 'bench', unnest(:many::jsonb[]);
