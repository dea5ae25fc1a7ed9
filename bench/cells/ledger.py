"""The ledger: transfers beside a plain INSERT and beside balances that are updated in place; hot accounts; many at once."""
import contextlib
import json
import random
import threading
import time

from harness import HERE, Target, cell

RATE = {'transfers_per_second': '1/s', 'latency': 'ms a transaction', 'wal_per_transfer': 'bytes'}
ABOUT = '{"order": 104729}'
PAYER_HOT, PAYEE_HOT = 2001, 2002
# pgbench expressions: one of the thousand spread accounts, and another one than :payer.
SPREAD, OTHER = 'random(1, 1000)', '1 + (:payer + random(0, 998)) % 1000'
PINNED_FOR = 30    # times the seconds of a usual contestant
BETWEEN_LOOKS = 0.05  # s; how soon the duty comes back to an account that is paid to much
IDS = 500
TRANSFERS_A_CALL = 100
SCRIPTS = {'awa_ring': 'ledger_transfer', 'plain_insert': 'plain_payment', 'balances': 'balances_transfer'}


def prepare(bench):
    """Assets, accounts, and what we are measured beside: once for all cells here."""
    if bench.kept.setdefault('ledger', False):
        return
    bench.kept['ledger'] = True
    bench.sql((HERE / 'ledger.sql').read_text())


def requests(bench):
    return bench.value('SELECT count(request_key) FROM awa_ledger.transfers')


def pay(bench, contestant, kind, clients, payer=SPREAD, payee=OTHER, seconds=None):
    """Measures one of SCRIPTS as the contestant. Each of ours must have moved something: an answer of before is quick."""
    before = requests(bench)
    script = bench.script(SCRIPTS[kind], payer=payer, payee=payee)
    done = bench.pgbench(script, clients=clients, seconds=seconds, one=ABOUT)
    new = requests(bench) - before
    if kind == 'awa_ring' and new != done.transactions:
        raise RuntimeError(f'{new} new requests after {done.transactions} transfers: the figures would be wrong')
    bench.record(contestant, transfers_per_second=done.per_second, latency=done.latency,
                 wal_per_transfer=done.wal / done.transactions)


def check_sums(bench):
    """Nothing came, nothing went."""
    total = bench.value('SELECT sum(value) FROM awa_ledger.live_postings WHERE asset = 1')
    if total != 0:
        raise RuntimeError(f'all that is live comes to {total}')


@contextlib.contextmanager
def duty(bench, *accounts):
    """What the worker does for accounts that are paid to much, in a session beside, as none runs here."""
    over = threading.Event()

    def consolidate():
        session = bench.session('duty')
        with session.cursor() as cursor:
            while not over.wait(BETWEEN_LOOKS):
                for account in accounts:
                    cursor.execute('SELECT awa_ledger.consolidate(%s, 0, 1) WHERE (SELECT count(*) FROM awa_ledger.live_postings '
                                   'WHERE account = %s) > 64', (account, account))
        session.close()

    thread = threading.Thread(target=consolidate)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def spread(bench, clients):
    for contestant in bench.turns(*SCRIPTS):
        pay(bench, contestant, contestant, clients)
    check_sums(bench)


TRANSFER = (Target('transfers_per_second', 'plain_insert', at_least=0.6), Target('wal_per_transfer', at_most=1700))


@cell('transfer, two legs, with a key, between 1,000 accounts, 1 client; beside an INSERT of one row with that key, and two balances '
      'updated with an entry', RATE, prepare=prepare, targets=TRANSFER)
def ledger_transfer_1(bench):
    spread(bench, 1)


@cell('the same, 8 clients', RATE, prepare=prepare, targets=TRANSFER)
def ledger_transfer_8(bench):
    spread(bench, 8)


def hot(bench, payer, payee, account):
    """The same work with a hot account and without; and what it is to balances."""
    for contestant in bench.turns('awa_ring', 'spread', 'balances', 'balances_spread'):
        kind = 'balances' if contestant.startswith('balances') else 'awa_ring'
        is_spread = contestant.endswith('spread')
        with duty(bench, account):
            pay(bench, contestant, kind, 8, *((SPREAD, OTHER) if is_spread else (payer, payee)))
    check_sums(bench)


HOT = (Target('transfers_per_second', 'spread', at_least=0.6),)


@cell('transfer, 8 clients that all pay from one account, beside 1,000 accounts', RATE, prepare=prepare, targets=HOT)
def ledger_hot_payers(bench):
    hot(bench, PAYER_HOT, SPREAD, PAYER_HOT)


@cell('transfer, 8 clients that all pay to one account, beside 1,000 accounts', RATE, prepare=prepare, targets=HOT)
def ledger_hot_receivers(bench):
    hot(bench, SPREAD, PAYEE_HOT, PAYEE_HOT)


@cell('transfer, 8 clients that all pay from one account for a minute, clean and under a snapshot and a transaction id that are held',
      {**RATE, 'live_postings': 'of the account, at the end', 'dead_rows': 'of the table that payers look at, at the end'},
      prepare=prepare, usual=False, rounds=1, targets=(Target('transfers_per_second', 'clean', at_least=0.9),))
def ledger_pinned(bench):
    for kind, clean, table in (('awa_ring', 'clean', 'awa_ledger.live_postings'), ('balances', 'balances_clean', 'bench.balances')):
        for contestant in (clean, kind):
            bench.sql(f'VACUUM (ANALYZE) {table}')
            with contextlib.ExitStack() as held:
                if contestant == kind:
                    held.enter_context(bench.transaction('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'SELECT pg_current_xact_id()'))
                held.enter_context(duty(bench, PAYER_HOT))
                pay(bench, contestant, kind, 8, PAYER_HOT, SPREAD, seconds=PINNED_FOR * bench.seconds)
                live = bench.value('SELECT count(*) FROM awa_ledger.live_postings WHERE account = %s', PAYER_HOT) if kind == 'awa_ring' else 1
                dead = bench.value('SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = %s::regclass', table)
            bench.record(contestant, live_postings=live, dead_rows=dead)
    check_sums(bench)
    # What all the others were paid would slow the cells that come after.
    while bench.value('SELECT awa_ledger.consolidate_crowded(10000, 1000)') > 0:
        pass
    bench.sql('VACUUM (ANALYZE) awa_ledger.live_postings')


def to_reserve(bench):
    """Some thousand postings of 50 transfers, in both tables."""
    if 'to_reserve' in bench.kept:
        return bench.kept['to_reserve']
    account = 3001
    bench.sql("SELECT awa_ledger.create_account(%s, flags => '{keep_postings}')", account)
    for _ in range(50):
        bench.sql('SELECT awa_ledger.insert_postings(array_fill(t, ARRAY[201]), array_agg(i), array_agg(CASE WHEN i > 0 THEN %s ELSE 0 END), '
                  'array_fill(0::bigint, ARRAY[201]), array_fill(1, ARRAY[201]), array_agg(CASE WHEN i > 0 THEN 1 ELSE -200 END::bigint)) '
                  'FROM awa_ledger.new_ids() t, generate_series(0, 200) i GROUP BY t', account)
    bench.sql('INSERT INTO bench.or_chain SELECT transfer_id, idx, asset, account, subaccount, value FROM awa_ledger.live_postings '
              'WHERE account = %s ORDER BY transfer_id, idx', account)
    bench.sql('VACUUM (ANALYZE) bench.or_chain, awa_ledger.live_postings, awa_ledger.postings')
    bench.kept['to_reserve'] = bench.sql('SELECT transfer_id, idx FROM bench.or_chain')
    return bench.kept['to_reserve']


@cell(f'reserve of {IDS} ids, a call that commits; beside UPDATE … WHERE (transfer_id = … AND idx = …) OR … of as many rows',
      {'call': 'ms', 'with_commit': 'ms'}, prepare=prepare, targets=(Target('call', 'or_chain', at_most=0.15),))
def reserve_500(bench):
    postings = to_reserve(bench)
    chosen = random.Random(bench.round)
    session = bench.session('reserving')
    session.autocommit = False
    with session.cursor() as cursor:
        times = {'awa_ring': [], 'or_chain': []}
        for _ in range(10 * bench.seconds):
            ids = chosen.sample(postings, IDS)
            reservation = bench.value('SELECT awa_ledger.new_ids()')
            named = '{' + ','.join(f'{transfer}:{idx}' for transfer, idx in ids) + '}'
            chain = ' OR '.join(f'(transfer_id = {transfer} AND idx = {idx})' for transfer, idx in ids)
            for contestant in bench.turns('awa_ring', 'or_chain'):
                began = time.perf_counter()
                if contestant == 'awa_ring':
                    cursor.execute('SELECT awa_ledger.reserve(%s, %s)', (named, reservation))
                    done = cursor.fetchone()[0]
                else:
                    cursor.execute(f'UPDATE bench.or_chain SET reservation = {reservation} WHERE reservation IS NULL AND ({chain})')
                    done = cursor.rowcount
                called = time.perf_counter()
                session.commit()
                times[contestant].append((called - began, time.perf_counter() - began))
                if done != IDS:
                    raise RuntimeError(f'{contestant} reserved {done} of {IDS}')
            bench.sql('SELECT awa_ledger.release(%s, %s)', named, reservation)
            bench.sql('UPDATE bench.or_chain SET reservation = NULL WHERE reservation IS NOT NULL')
    session.close()
    for contestant, taken in times.items():
        middle = len(taken) // 2
        bench.record(contestant, call=sorted(call for call, _ in taken)[middle] * 1000,
                     with_commit=sorted(whole for _, whole in taken)[middle] * 1000)
    bench.sql('VACUUM bench.or_chain, awa_ledger.live_postings')


def some_transfers(chosen):
    """As transfer_many takes them, with keys of their own."""
    transfers = []
    for _ in range(TRANSFERS_A_CALL):
        payer, payee = chosen.sample(range(1, 1001), 2)
        transfers.append({'movements': [{'from': payer, 'to': payee, 'asset': 1, 'amount': chosen.randint(1, 100)}],
                          'idempotency_key': f'{chosen.getrandbits(63)}', 'metadata': json.loads(ABOUT)})
    return transfers


@cell(f'transfer_many of {TRANSFERS_A_CALL} transfers, beside as many calls of transfer that commit one by one, and in one transaction',
      RATE, prepare=prepare)
def ledger_many_100(bench):
    chosen = random.Random()
    session = bench.session('paying')
    single = 'EXECUTE one (%s, %s, %s)'
    with session.cursor() as cursor:
        cursor.execute('PREPARE many (jsonb) AS SELECT transfer_id, sqlstate FROM awa_ledger.transfer_many($1)')
        cursor.execute('PREPARE one (jsonb, text, jsonb) AS SELECT transfer_id FROM awa_ledger.transfer($1, $2, metadata => $3)')
        for contestant in bench.turns('awa_ring', 'single_calls', 'one_transaction'):
            done, spent = 0, 0.0
            wal = bench.value('SELECT pg_current_wal_insert_lsn()')
            while spent < bench.seconds:
                transfers = some_transfers(chosen)
                if contestant == 'awa_ring':
                    calls = [('EXECUTE many (%s)', (json.dumps(transfers),))]
                else:
                    calls = [(single, (json.dumps(one['movements']), one['idempotency_key'], json.dumps(one['metadata']))) for one in transfers]
                if contestant == 'one_transaction':
                    calls = [('BEGIN', None), *calls, ('COMMIT', None)]
                began = time.perf_counter()
                for call, parameters in calls:
                    cursor.execute(call, parameters)
                    answer = cursor.fetchall() if cursor.description else []
                spent += time.perf_counter() - began
                done += TRANSFERS_A_CALL
                if contestant == 'awa_ring' and [row for row in answer if row[1]]:
                    raise RuntimeError(f'transfer_many refused some: {answer}')
            wal = bench.value('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)', wal)
            latency = spent / done * 1000 * (1 if contestant == 'single_calls' else TRANSFERS_A_CALL)
            bench.record(contestant, transfers_per_second=done / spent, latency=latency, wal_per_transfer=float(wal) / done)
    session.close()
    check_sums(bench)
