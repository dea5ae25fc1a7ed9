-- Nobody has to run anything beside the database. The worker begins when CREATE EXTENSION has committed.
DO $$ BEGIN
    IF coalesce(current_setting('awa_ring.autostart', true)::boolean, true) THEN
        PERFORM awa.start_worker();
    END IF;
END $$;
