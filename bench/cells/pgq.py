"""PgQ as a contestant: its queues, batches of an exact size, and its maintenance as its own daemon would do it."""
from harness import HERE, ONE

CONSUMER = 'bench'


def create(bench, queue):
    """The queue, unless it is there; the extension as well, before the first. Whether it is new."""
    if not bench.kept.setdefault('pgq', False):
        bench.sql((HERE / 'pgq.sql').read_text())
        bench.kept['pgq'] = True
    if not bench.value('SELECT pgq.create_queue(%s)', queue):
        return False
    # Maintenance turns the tables whenever nobody reads the next one, and not after hours only; every call of the ticker that finds
    # an event ticks.
    bench.sql("SELECT pgq.set_queue_config(%s, 'rotation_period', '0 seconds'), pgq.set_queue_config(%s, 'ticker_max_lag', '0 seconds')",
              queue, queue)
    return True


def keep_house(bench):
    """What PgQ names as to be done: it turns tables, in two transactions. It leaves those that are updated in place to autovacuum, which
    would come once a minute: see vacuum."""
    for function, argument in bench.sql('SELECT func_name, func_arg FROM pgq.maint_operations()'):
        bench.sql(f'SELECT {function}({"%s" if argument else ""})', *([argument] if argument else []))
    vacuum(bench)


def vacuum(bench):
    for table in ('queue', 'subscription', 'tick'):
        bench.sql(f'VACUUM (ANALYZE) pgq.{table}')


def waiting(bench, queue):
    """How many batches its consumer has before it."""
    return bench.value("""
        SELECT count(*) FROM pgq.subscription JOIN pgq.queue ON queue_id = sub_queue JOIN pgq.tick ON tick_queue = queue_id
        WHERE queue_name = %s AND tick_id > sub_last_tick""", queue)


def fill(bench, queue, batch, count):
    """At least so many events wait, in batches of exactly `batch`; the queue is as after maintenance."""
    if create(bench, queue):
        bench.sql('SELECT pgq.register_consumer(%s, %s)', queue, CONSUMER)
    keep_house(bench)
    bench.sql('SET synchronous_commit = off')
    bench.sql('CALL bench.fill_pgq(%s, %s, %s, %s)', queue, batch, count // batch + 1 - waiting(bench, queue), ONE)
    bench.sql('RESET synchronous_commit')
    vacuum(bench)
    bench.kept['pgq', queue] = waiting(bench, queue)


def check(bench, queue, finished):
    """As many batches were finished as there were cycles, and some are left."""
    left = waiting(bench, queue)
    if left <= 0 or bench.kept['pgq', queue] - left != finished:
        raise RuntimeError(f'PgQ: {bench.kept["pgq", queue]} batches waited in {queue}, {finished} were finished, {left} are left')
