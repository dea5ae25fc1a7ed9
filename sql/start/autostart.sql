-- Nobody has to run anything beside the database. The worker begins when CREATE EXTENSION has committed. A restore, which tells
-- itself by its settings, is yet to load what the worker would look at: there after_restore() starts it.
DO $$ BEGIN
    IF coalesce(current_setting('awa_ring.autostart', true)::boolean, true) AND current_setting('row_security')::boolean THEN
        PERFORM awa.start_worker();
    END IF;
END $$;
