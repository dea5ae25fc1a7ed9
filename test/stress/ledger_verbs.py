"""What a session of test/stress/ledger does: one verb, at random, and what it must have changed, as far as the model knows.

A verb notes changes of balances as (account, asset) -> amount for each transfer it made; they count when its transaction commits.
"""
import collections
import json

WORLD = 0
ASSETS = (1, 2)
ORDINARY = range(1, 25)    # with limits that change, frozen and thawed
BUSY = (1, 2)              # many choose them
PRIMITIVE = range(31, 37)  # the primitives know nothing of limits: these have none
PASSING = range(1000, 1_000_000)  # opened and closed


def legs_of(rng, most=3):
    def account():
        return rng.choice(BUSY) if rng.random() < 0.3 else rng.choice(ORDINARY)
    legs, asset = [], rng.choice(ASSETS)
    for _ in range(rng.choice((1, 1, 1, 2, most))):
        payer, receiver = (WORLD, account()) if rng.random() < 0.25 else (account(), WORLD if rng.random() < 0.15 else account())
        if payer != receiver:
            legs.append({'from': payer, 'to': receiver, 'asset': asset if rng.random() < 0.8 else rng.choice(ASSETS), 'amount': 1 + int(1000 * rng.random() ** 4)})
    return legs or [{'from': WORLD, 'to': account(), 'asset': asset, 'amount': 5}]


def deltas_of(legs):
    deltas = collections.Counter()
    for leg in legs:
        deltas[leg['from'], leg['asset']] -= leg['amount']
        deltas[leg['to'], leg['asset']] += leg['amount']
    return deltas


def transfer(s):
    legs = legs_of(s.rng)
    key = None
    if s.rng.random() < 0.3:
        key = f'{s.name} {s.drawn()}'
    elif s.rng.random() < 0.2 and s.shared_keys:
        # a request of another session, as it was, or with another body
        key, legs = s.rng.choice(s.shared_keys[-50:])
        if s.rng.random() < 0.2:
            legs = legs + [{'from': WORLD, 'to': 3, 'asset': 1, 'amount': 1}]
    s.calls += 1
    transfer_id, replayed = s.row('SELECT * FROM awa_ledger.transfer(%s, %s)', json.dumps(legs), key)
    s.made(transfer_id, deltas_of(legs), replayed, key)
    if key:
        s.shared_keys.append((key, legs))


def transfer_many(s):
    items = []
    for number in range(s.rng.randint(1, 5)):
        item = {'movements': legs_of(s.rng, 2)}
        if s.rng.random() < 0.3:
            item['group'] = s.rng.choice(('a', 'b'))
        if s.rng.random() < 0.3:
            item['idempotency_key'] = f'{s.name} {s.drawn()} {number}'
        items.append(item)
    s.calls += len(items)
    for item, transfer_id, replayed, state, message in s.rows('SELECT item, transfer_id, replayed, sqlstate, message FROM awa_ledger.transfer_many(%s)', json.dumps(items)):
        if state is None:
            s.made(transfer_id, deltas_of(items[item - 1]['movements']), replayed, items[item - 1].get('idempotency_key'))
        else:
            s.refused(state, message)


def by_ids(s):
    """Postings by their ids: some of an account's go to others, with one of value 0 now and then."""
    account = s.rng.choice(ORDINARY)
    rows = s.rows("SELECT id::text, asset, value FROM awa_ledger.postings_of(%s, filter => 'active', max_rows => 30)", account)
    chosen = [row for row in rows if row[2] > 0]
    chosen = s.rng.sample(chosen, min(len(chosen), s.rng.randint(1, 3)))
    creates, deltas = [], collections.Counter()
    for _, asset, value in chosen:
        part = s.rng.randint(0, value)
        for receiver, amount in ((s.rng.choice(ORDINARY), part), (account, value - part)):
            creates.append({'account': receiver, 'asset': asset, 'value': amount})
            deltas[receiver, asset] += amount
        deltas[account, asset] -= value
    s.calls += 1
    transfer_id, _ = s.row('SELECT * FROM awa_ledger.transfer(%s)', json.dumps({'consumes': [row[0] for row in chosen], 'creates': creates or [{'account': account, 'asset': 1, 'value': 0}]}))
    s.made(transfer_id, deltas)


def reverse(s):
    original = s.model.some_transfer(s.rng)
    if original is None:
        return
    s.calls += 1
    transfer_id, _ = s.row('SELECT * FROM awa_ledger.reverse(%s)', original)
    s.made(transfer_id, collections.Counter({wallet: -amount for wallet, amount in s.model.transfers[original].items()}), reverses=original)


def set_limits(s):
    account, asset = s.rng.choice(ORDINARY), s.rng.choice(ASSETS)
    floor = s.rng.choice((0, 0, 0, -100, -1000, 50, None))
    ceiling = None if s.rng.random() < 0.7 else s.rng.choice((1000, 100_000))
    s.row('SELECT awa_ledger.set_limits(%s, 0, %s, %s, %s)', account, asset, floor, ceiling)


def freeze(s):
    account = s.rng.choice(s.frozen) if s.frozen and s.rng.random() < 0.8 else s.rng.choice(ORDINARY)
    verb = 'unfreeze' if account in s.frozen else 'freeze'
    s.row(f'SELECT awa_ledger.{verb}_account(%s)', account)
    s.frozen = [row[0] for row in s.rows('SELECT account FROM awa_ledger.account_heads WHERE frozen')]


def open_and_close(s):
    """An account that lives for a moment, beside others that pay to it: it closes when nothing is left."""
    account = s.rng.choice(PASSING) if s.rng.random() < 0.3 or not s.passing else s.rng.choice(s.passing[-5:])
    s.row('SELECT awa_ledger.create_account(%s)', account) if s.rng.random() < 0.3 or account not in s.passing else None
    s.passing.append(account)
    leg = {'from': WORLD, 'to': account, 'asset': 1, 'amount': 10}
    if s.rng.random() < 0.5:
        leg['from'], leg['to'] = account, WORLD
    if s.rng.random() < 0.6:
        s.calls += 1
        transfer_id, _ = s.row('SELECT * FROM awa_ledger.transfer(%s)', json.dumps([leg]))
        s.made(transfer_id, deltas_of([leg]))
    else:
        s.row('SELECT awa_ledger.close_account(%s)', account)
        s.closed(account)


def consolidate(s):
    if s.rng.random() < 0.5:
        s.row('SELECT awa_ledger.consolidate(%s, 0, %s, %s)', s.rng.choice((*ORDINARY, WORLD)), s.rng.choice(ASSETS), s.rng.choice((2, 10, 1000)))
    else:
        s.row('SELECT awa_ledger.consolidate_crowded(%s, 100)', s.rng.randint(1, 5))


def primitives(s):
    """Reserve, and release or consume what was got; or deactivate; by what the counts and states say."""
    account = s.rng.choice(PRIMITIVE)
    ids = [row[0] for row in s.rows("SELECT id::text FROM awa_ledger.postings_of(%s, filter => 'active', max_rows => 20)", account)]
    ids = s.rng.sample(ids, min(len(ids), 4))
    reservation, spent_by = (row[0] for row in s.rows('SELECT * FROM awa_ledger.new_ids(2)'))
    deltas, values = collections.Counter(), []
    if not ids or s.rng.random() < 0.2:
        receivers, value = [s.rng.choice(PRIMITIVE) for _ in range(3)], s.rng.randint(1, 100)
        s.row("SELECT awa_ledger.insert_postings(array_fill(%s::bigint, '{4}'), '{0,1,2,3}', %s::bigint[], '{0,0,0,0}', '{1,1,1,1}', %s::bigint[])",
              spent_by, [WORLD, *receivers], [-3 * value, value, value, value])
        deltas[WORLD, 1] -= 3 * value
        for receiver in receivers:
            deltas[receiver, 1] += value
        s.made(spent_by, deltas)
        return
    got = s.row('SELECT awa_ledger.reserve(%s::awa_ledger.posting_id[], %s)', ids, reservation)[0]
    held = [row for row in s.rows('SELECT id::text, asset, value, reservation FROM awa_ledger.posting_states(%s::awa_ledger.posting_id[])', ids) if row[3] == reservation]
    if len(held) != got:
        s.wrong('reserve counts what it reserved', got, held)
    if s.rng.random() < 0.4 or not held:
        back = s.row('SELECT awa_ledger.release(%s::awa_ledger.posting_id[], %s)', ids, reservation)[0]
        if back != got:
            s.wrong('release counts what was held', back, got)
        return
    if s.rng.random() < 0.5:
        receiver = s.rng.choice(PRIMITIVE)
        spent = s.row('SELECT awa_ledger.consume(%s::awa_ledger.posting_id[], %s, %s)', ids, reservation, spent_by)[0]
        if spent != got:
            s.wrong('consume counts what was held', spent, got)
        sums = collections.Counter()
        for _, asset, value, _ in held:
            sums[asset] += value
            deltas[account, asset] -= value
        for idx, (asset, value) in enumerate(sums.items()):
            values.append((idx, asset, value))
            deltas[receiver, asset] += value
        s.row("SELECT awa_ledger.insert_postings(array_fill(%s::bigint, ARRAY[%s]), %s, array_fill(%s::bigint, ARRAY[%s]), array_fill(0::bigint, ARRAY[%s]), %s, %s::bigint[])",
              spent_by, len(values), [v[0] for v in values], receiver, len(values), len(values), [v[1] for v in values], [v[2] for v in values])
        s.made(spent_by, deltas)


VERBS = {transfer: 10, transfer_many: 3, by_ids: 2, reverse: 2, set_limits: 0.6, freeze: 1, open_and_close: 1, consolidate: 0.7, primitives: 2}
