"""The extension anew in a database of tests: whatever an earlier run left there goes, also a run that came to no end."""

# Seconds: who holds something longer than that does not let go of it.
PATIENCE = 60
PREPARED = 'SELECT gid FROM pg_prepared_xacts WHERE database = current_database()'


def install(cursor):
    """Creates the extension and, beside it, the empty schema `tally` for what a test writes down. Needs autocommit.

    An extension without that schema was not made here: psycopg2.errors.DuplicateObject.
    """
    def run(sql):
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []

    run(f"SET client_min_messages = warning; SET lock_timeout = '{PATIENCE}s'")
    if run("SELECT 1 WHERE to_regnamespace('tally') IS NOT NULL"):
        for (gid,) in run(PREPARED):  # they hold locks
            run("ROLLBACK PREPARED '{}'".format(gid.replace("'", "''")))
        run('DROP SCHEMA tally CASCADE; DROP EXTENSION IF EXISTS awa_ring CASCADE')
    run('CREATE EXTENSION awa_ring; CREATE SCHEMA tally')
    run('RESET lock_timeout')
