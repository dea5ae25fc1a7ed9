"""A steady load while a session holds a snapshot and a transaction id: what is left behind, and what the speed is then."""
import statistics
import time

from harness import ONE, Target, at, cell

from .working import turn_rings

BATCH, RATE, CLIENTS = 10, 2000, 4   # 2,000 jobs/s in calls of 10
TURNS = 8                            # of each ring under the pin; one leaves some dead rows, however many jobs there were
DEAD = """
SELECT coalesce(sum(pg_stat_get_dead_tuples(c.oid)) FILTER (WHERE c.relispartition AND c.relname ~ '_[0-9]+$'), 0),
       coalesce(sum(pg_stat_get_dead_tuples(c.oid)) FILTER (WHERE NOT (c.relispartition AND c.relname ~ '_[0-9]+$')), 0)
FROM pg_class c WHERE c.relnamespace = 'awa'::regnamespace AND c.relkind IN ('r', 't', 'm')"""
DEAD_IN_TABLE = "SELECT pg_stat_get_dead_tuples('bench.jobs'::regclass) + pg_stat_get_dead_tuples('bench.history'::regclass)"


def speed(place, script):
    """Jobs/s at full speed."""
    return place.pgbench(script, clients=CLIENTS, seconds=3 * place.seconds, one=ONE).per_second * BATCH


def turn(place):
    """Each ring turns, and slots without young history are emptied. Returns how many."""
    place.sql("SET awa_ring.history_retention = '1 s'")
    sealed = "SELECT count(*) FROM awa.ring_status WHERE state = 'sealed'"
    for ring in ('claim', 'queue', 'lease'):
        place.sql(f"CALL awa.rotate('{ring}', NULL)")
    before = place.value(sealed)
    for ring in ('claim', 'queue', 'lease'):
        place.sql(f"CALL awa.prune('{ring}', NULL)")
    place.sql('RESET awa_ring.history_retention')
    return before - place.value(sealed)


def dead_in_pg_class(place):
    place.sql('SELECT pg_stat_force_next_flush()')
    return place.value("SELECT pg_stat_get_dead_tuples('pg_class'::regclass)")


def under_load(place, contestant, script):
    """60 s of load for each second of a usual cell; samples what is dead. Returns the most of what was seen, and the load."""
    seconds = 60 * place.seconds
    began, next_duty, next_turn, next_sample = time.monotonic(), 0, seconds / TURNS, 0
    process = place.start_pgbench(script, clients=CLIENTS, seconds=seconds, rate=RATE // BATCH, one=ONE)
    most, emptied = {}, 0
    while process.poll() is None:
        now = time.monotonic() - began
        if contestant == 'awa_ring' and now >= next_duty:
            place.sql('CALL awa.maintain()')
            next_duty += 1
        if contestant == 'awa_ring' and now >= next_turn:
            emptied += turn(place)
            next_turn += seconds / TURNS
        if now >= next_sample:
            found = place.sql(DEAD)[0] if contestant == 'awa_ring' else (place.value(DEAD_IN_TABLE),)
            for figure, dead in zip(('dead_in_rings', 'dead_elsewhere') if contestant == 'awa_ring' else ('dead',), found):
                most[figure] = max(most.get(figure, 0), int(dead))
            place.record(at(contestant, round(now)), dead_by_time=sum(map(int, found)))
            next_sample += max(2, seconds / 24)
        time.sleep(0.2)
    done = place.finish_pgbench(process)
    return most, emptied, done.per_second * BATCH


@cell('2,000 jobs/s in calls of 10 for a minute or two, 4 clients, while a session holds a snapshot and a transaction id; the rings turn '
      f'{TURNS} times, and what is over is emptied',
      {'kept_speed': 'of clean', 'clean': 'jobs/s at full speed', 'pinned': 'jobs/s at full speed', 'load': 'jobs/s under the pin',
       'dead_in_rings': 'rows', 'dead_elsewhere': 'rows in all other awa tables', 'dead_in_pg_class': 'rows a slot emptied',
       'dead': 'rows in the table', 'dead_by_time': 'rows'},
      usual=False, rounds=3, drawn=('dead_by_time',),
      targets=(Target('dead_in_rings', at_most=0), Target('dead_elsewhere', at_most=100), Target('dead_in_pg_class', at_most=30),
               Target('kept_speed', at_least=0.95)))
def pinned(bench):
    for contestant, name in bench.turns(('awa_ring', 'awa_pass'), ('skip_locked', 'table_pass')):
        place = bench.beside('pinned')
        turn_rings(place)
        place.sql("SELECT awa.create_queue('pinned')")
        script = place.script(name, queue='pinned', batch=BATCH)
        speed(place, script)  # warm
        clean = [speed(place, script)]
        place.sql('VACUUM')  # what was dead before is not counted
        with place.transaction('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'SELECT pg_current_xact_id()'):
            before = dead_in_pg_class(place)
            most, emptied, load = under_load(place, contestant, script)
            if contestant == 'awa_ring':
                if not emptied:
                    raise RuntimeError('no slot was emptied under the pin: nothing was measured')
                most['dead_in_pg_class'] = (dead_in_pg_class(place) - before) / emptied
            slowed = speed(place, script)
        clean.append(speed(place, script))
        mean = statistics.mean(clean)
        place.record(contestant, kept_speed=slowed / mean, clean=mean, pinned=slowed, load=load, **most)
        bench.leave('pinned')
