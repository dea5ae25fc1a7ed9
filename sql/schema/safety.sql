-- What has to be true before anything is made. From here to the end of the script names without a schema mean those of
-- pg_catalog, whatever a schema awa that was there before may hold; CREATE EXTENSION puts the path back.
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

-- Whoever owns the schema, or may create in it, could put functions of his own in the way of ours. A superuser need
-- not, and a restore leaves the schema to its former owner: a superuser's is as good as one's own.
DO $$
DECLARE
    space oid := (SELECT oid FROM pg_namespace WHERE nspname = 'awa');
    other text;
    held  bigint;
BEGIN
    SELECT r.rolname INTO other
    FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
    WHERE n.oid = space AND r.rolname <> current_user AND NOT r.rolsuper;
    IF FOUND THEN
        RAISE EXCEPTION 'schema awa belongs to role %', quote_ident(other) USING ERRCODE = '42501',
            DETAIL = 'It could put objects in the way of those of awa_ring and so work with the rights of their owner.',
            HINT = format('DROP SCHEMA awa, or ALTER SCHEMA awa OWNER TO %I; then try again.', current_user);
    END IF;
    SELECT coalesce(quote_ident(r.rolname), 'PUBLIC') INTO other
    FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
    WHERE n.oid = space AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner AND r.rolsuper IS NOT TRUE;
    IF FOUND THEN
        RAISE EXCEPTION '% may create objects in schema awa', other USING ERRCODE = '42501',
            DETAIL = 'It could put objects in the way of those of awa_ring and so work with the rights of their owner.',
            HINT = format('REVOKE CREATE ON SCHEMA awa FROM %s; then try again.', other);
    END IF;
    -- Extensions that name the schema theirs, as this one does by now, and default privileges are nothing in it.
    SELECT count(*), (array_agg(pg_describe_object(d.classid, d.objid, 0) ORDER BY d.classid, d.objid))[1]
    INTO held, other
    FROM pg_depend d
    WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = space AND d.classid NOT IN
        ('pg_extension'::regclass, 'pg_default_acl'::regclass, 'pg_publication_namespace'::regclass);
    IF held > 0 THEN
        RAISE EXCEPTION 'schema awa is not empty' USING ERRCODE = '55000',
            DETAIL = 'It holds ' || other || coalesce(' and ' || nullif(held - 1, 0) || ' more', '') || '.',
            HINT = 'awa_ring needs the schema for itself: move what is in it elsewhere, or drop it; then try again.';
    END IF;
END $$;
