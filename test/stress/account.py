"""The account of what producers and claimers did, and what it and the extension must agree on.

It is kept in schema `tally`, by the same transactions that it is about, so it commits and rolls back with them; it knows of
the extension only what the public functions returned.
"""
import anew
import psycopg2

QUEUES = {
    'plain': {},
    'sharded': {'enqueue_shards': 4},
    'aging': {'enqueue_shards': 16, 'aging': '1 s'},
    'deadline': {'deadline': '1 h'},
}

SETUP = """
CREATE TABLE tally.enqueued (job_id bigint, queue text, xid xid8 DEFAULT pg_current_xact_id());
CREATE TABLE tally.claimed (job_id bigint, receipt text, lane text, n bigserial);
CREATE TABLE tally.completed (receipt text);
"""
CLAIM = """
WITH c AS MATERIALIZED (SELECT job_id, receipt::text AS receipt FROM awa.claim(%s, %s)),
     t AS (INSERT INTO tally.claimed SELECT job_id, receipt FROM c)
SELECT receipt FROM c"""
COMPLETE_EACH = """
WITH e AS MATERIALIZED (SELECT receipt::text AS receipt, completed FROM awa.complete_each(%s::text[])),
     t AS (INSERT INTO tally.completed SELECT receipt FROM e WHERE completed)
SELECT receipt, completed FROM e"""


def connect(dsn=''):
    connection = psycopg2.connect(dsn)
    connection.autocommit = True
    return connection, connection.cursor()


def set_up(cursor):
    anew.install(cursor)
    cursor.execute(SETUP)
    for queue, settings in QUEUES.items():
        names = ''.join(f', {name} => %s' for name in settings)
        cursor.execute(f'SELECT awa.create_queue(%s{names})', [queue, *settings.values()])


def drain(cursor):
    """Claims what is left, completes what is open. Returns how many it claimed."""
    drained = 0
    while True:
        cursor.execute(CLAIM, [list(QUEUES), 5000])
        if not cursor.rowcount:
            break
        drained += cursor.rowcount
    cursor.execute('SELECT receipt FROM tally.claimed EXCEPT SELECT receipt FROM tally.completed')
    receipts = [row[0] for row in cursor.fetchall()]
    for i in range(0, len(receipts), 5000):
        cursor.execute(COMPLETE_EACH, [receipts[i:i + 5000]])
    return drained


def checks(cursor, drained):
    """Yields (holds, what, detail) for everything the account and the extension must agree on."""
    def number(sql, *parameters):
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0]

    def none(what, sql, *parameters):
        n = number(sql, *parameters)
        return n == 0, f'{what} = {n}', ''

    yield none('claimed twice', """SELECT count(*) FROM (SELECT FROM tally.claimed GROUP BY job_id HAVING count(*) > 1) x""")
    yield none('claimed, but never enqueued and committed',
               'SELECT count(*) FROM (SELECT job_id FROM tally.claimed EXCEPT SELECT job_id FROM tally.enqueued) x')
    yield none('job ids given out twice', 'SELECT count(*) - count(DISTINCT job_id) FROM tally.enqueued')
    yield none('completions accepted twice',
               'SELECT count(*) FROM (SELECT FROM tally.completed GROUP BY receipt HAVING count(*) > 1) x')
    yield none('completions of something never claimed',
               'SELECT count(*) FROM (SELECT receipt FROM tally.completed EXCEPT SELECT receipt FROM tally.claimed) x')
    # In the order of the rows that claims returned: a lane is one claim's until its transaction ends. Receipts do not rise like that
    # where a lane goes to and fro between slots.
    yield none('out of order: jobs of one transaction on one lane', """
        SELECT count(*) FROM (
            SELECT job_id, lag(job_id) OVER (PARTITION BY c.lane, e.xid ORDER BY c.n) AS before
            FROM tally.claimed c JOIN tally.enqueued e USING (job_id) WHERE c.lane IS NOT NULL) x
        WHERE before > job_id""")
    if drained:
        yield none('lost', 'SELECT count(*) FROM (SELECT job_id FROM tally.enqueued EXCEPT SELECT job_id FROM tally.claimed) x')
        yield none('claimed and not completed',
                   'SELECT count(*) FROM (SELECT receipt FROM tally.claimed EXCEPT SELECT receipt FROM tally.completed) x')
    # The view is read once: it reads everything.
    cursor.execute('DROP TABLE IF EXISTS pg_temp.seen; CREATE TEMP TABLE seen AS SELECT job_id FROM awa.jobs; ANALYZE seen')
    yield none('enqueued, and not in jobs', 'SELECT count(*) FROM (SELECT job_id FROM tally.enqueued EXCEPT SELECT job_id FROM seen) x')
    yield none('in jobs, and never enqueued', 'SELECT count(*) FROM (SELECT job_id FROM seen EXCEPT SELECT job_id FROM tally.enqueued) x')
    yield none('in jobs more than once', 'SELECT count(*) - count(DISTINCT job_id) FROM seen')
    yield none('completed here, and not in terminal_jobs', """
        SELECT count(*) FROM (SELECT job_id FROM tally.claimed JOIN tally.completed USING (receipt)
                              EXCEPT SELECT job_id FROM awa.terminal_jobs WHERE state = 'completed') x""")
    cursor.execute("""
        SELECT e.queue, e.enqueued, e.enqueued - e.claimed AS waiting, e.claimed - e.completed AS running, e.completed,
               c.available, c.running, c.completed
        FROM (SELECT queue, count(*) AS enqueued, count(c.receipt) AS claimed, count(d.receipt) AS completed
              FROM tally.enqueued e LEFT JOIN tally.claimed c USING (job_id) LEFT JOIN tally.completed d USING (receipt)
              GROUP BY queue) e, awa.queue_counts(e.queue) c""")
    rows = cursor.fetchall()
    yield (all(row[2:5] == row[5:8] for row in rows), 'queue_counts agree with the account',
           f'(queue, enqueued, waiting, running, completed, and as queue_counts says) {rows}')
    cursor.execute('SELECT * FROM awa.check()')
    violations = cursor.fetchall()
    yield not violations, f'check() finds {len(violations)} violations', violations[:20]
