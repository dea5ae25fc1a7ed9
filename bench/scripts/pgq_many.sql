SELECT array_agg(pgq.insert_event('many', 'bench', one)) FROM unnest(:many::text[]) AS one;
