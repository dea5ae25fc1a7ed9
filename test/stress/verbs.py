"""The operations of the stress driver: one small class for each thing that a client may do.

An operation is added by a class with `run(transaction, rng)`. It makes calls through transaction.call(sql, parameters,
effects, undo); effects(rows) are the effects (model.py) that follow if the transaction commits, undo() puts back what
was borrowed if it does not. Whatever it draws, it draws from `rng`.

  weight       how often, among the operations of its roles
  roles        which sessions do it: producer, worker, admin, maintenance
  alone        'may' be a statement by itself (one call, then), 'only' so, or 'never'
  cold         goes through ordinary SQL: may fail to serialize from REPEATABLE READ on
  may_fail_with  SQLSTATEs that it may raise
"""
import json

from model import Claimed, Ended, EndedSome, Enqueued, Purged, Removed, parts_of

# Queues that are there from the beginning to the end, and names that come and go.
QUEUES = {
    'plain': {},
    'sharded': {'enqueue_shards': 4},
    'aging': {'enqueue_shards': 16, 'aging': '1 s'},
    'deadline': {'deadline': '1 h'},
    'loud': {'notify': True},
    'purged': {},
}
PASSING = ('here today', 'gone tomorrow', 'Ünïcode "quoted"')


class Operation:
    weight, roles, alone, cold = 1, (), 'may', False
    may_fail_with = ()

    def run(self, transaction, rng):
        raise NotImplementedError


def some_queue(rng):
    return rng.choice(PASSING) if rng.random() < 0.03 else rng.choice(list(QUEUES))


def note_queue(transaction, queue):
    if queue == 'loud' or queue in PASSING:
        transaction.touched_notify = True


# Producing

class Produce(Operation):
    roles, weight = ('producer',), 10
    # A queue that is not there, or is being dropped; a lane of it that somebody holds to drop it.
    may_fail_with = ('42704', '55P03', '40P01')


class Enqueue(Produce):
    weight = 20

    def run(self, transaction, rng):
        queue, priority, args = some_queue(rng), rng.randint(1, 4), {'n': rng.randint(1, 999)}
        key = rng.choice((None, None, f'key{rng.randint(1, 9)}'))
        note_queue(transaction, queue)
        transaction.call(
            'SELECT awa.enqueue(%s, %s, %s, priority => %s, ordering_key => %s, tags => %s) AS job',
            [queue, 'one', json.dumps(args), priority, key, ['t'] * rng.randint(0, 2)],
            lambda rows: [Enqueued(rows[0]['job'], queue, 'one', priority, args)])


class EnqueueMany(Produce):
    def run(self, transaction, rng):
        queue, priority = some_queue(rng), rng.randint(1, 4)
        args = list(range(rng.choice((0, 1, 2, 10, 33, 64, 65, 150))))
        note_queue(transaction, queue)
        transaction.call(
            'SELECT awa.enqueue_many(%s, %s, %s::jsonb[], priority => %s) AS jobs',
            [queue, 'many', [json.dumps(each) for each in args], priority],
            lambda rows: [Enqueued(job, queue, 'many', priority, each) for job, each in zip(rows[0]['jobs'], args, strict=True)])


class EnqueueJobs(Produce):
    def run(self, transaction, rng):
        jobs = [{'queue': some_queue(rng), 'kind': 'mixed', 'priority': rng.randint(1, 4), 'args': {'x': 'y' * rng.choice((0, 9, 3000))}}
                for _ in range(rng.randint(1, 15))]
        for job in jobs:
            note_queue(transaction, job['queue'])
        transaction.call(
            'SELECT awa.enqueue_jobs(%s) AS jobs', [json.dumps(jobs)],
            lambda rows: [Enqueued(job_id, job['queue'], job['kind'], job['priority'], job['args'])
                          for job_id, job in zip(rows[0]['jobs'], jobs, strict=True)])


# Working

class Work(Operation):
    roles, weight = ('worker',), 10
    may_fail_with = ('55P03', '40P01')


def claimed(rows):
    """Effects of the rows of claim."""
    first, effects = {}, []
    for place, row in enumerate(rows):
        lane = (row['queue'], row['priority']) if row['queue'] in ('plain', 'deadline', 'loud', 'purged') else None
        first.setdefault(lane, parts_of(row['receipt'])[0])
        first[lane] = min(first[lane], parts_of(row['receipt'])[0])
        effects.append(Claimed(row['receipt'], row['queue'], row['kind'], row['args'], row['attempt'], lane, place))
    for effect in effects:
        effect.place = (first[effect.lane], effect.place)
    return effects


def some_queues(rng):
    return rng.sample(list(QUEUES), rng.randint(1, len(QUEUES))) + (rng.sample(PASSING, 1) if rng.random() < 0.03 else [])


class Claim(Work):
    weight = 14
    may_fail_with = Work.may_fail_with + ('42704',)

    def run(self, transaction, rng):
        transaction.call('SELECT * FROM awa.claim(%s, %s)', [some_queues(rng), rng.choice((1, 3, 16, 17, 50, 100, 400))], claimed)


class ClaimRuntime(Work):
    def run(self, transaction, rng):
        def effects(rows):
            lanes = [(row['queue'], row['lane_priority'], row['enqueue_shard']) for row in rows]
            first = {lane: min(row['receipt_id'] for row, of in zip(rows, lanes) if of == lane) for lane in set(lanes)}
            return [Claimed(row['receipt'], row['queue'], row['kind'], row['args'], row['attempt'],
                            lane if lane[0] in ('sharded', 'aging') else lane[:2], (first[lane], place))
                    for place, (row, lane) in enumerate(zip(rows, lanes))]
        transaction.call('SELECT * FROM awa.claim_ready_runtime(%s, %s)',
                         [rng.choice(list(QUEUES)), rng.choice((1, 3, 16, 17, 50, 100, 400))], effects)


class ClaimPassing(Work):
    weight, may_fail_with = 5, Work.may_fail_with + ('42704',)

    def run(self, transaction, rng):
        transaction.call('SELECT * FROM awa.claim(%s, %s)', [rng.sample(PASSING, 1), 100], claimed)


class CompleteEach(Work):
    """Own receipts, some of them twice, some of others who are at it as well, some that are long over."""
    weight = 16

    def run(self, transaction, rng):
        world = transaction.world
        receipts = world.borrow(rng, rng.choice((1, 2, 16, 17, 40, 70, 300, 1000)))
        own = set(receipts)
        if rng.random() < 0.4:
            receipts = receipts + world.contested(rng, rng.choice((1, 5, 17, 60)))
        receipts = receipts + receipts[:rng.randint(0, 3)]
        if not receipts:
            return
        rng.shuffle(receipts)
        results = [json.dumps(n) if rng.random() < 0.2 else None for n in range(len(receipts))] if rng.random() < 0.3 else None
        transaction.call(
            'SELECT receipt, completed, place FROM awa.complete_each(%s::text[], %s::jsonb[]) WITH ORDINALITY AS c(receipt, completed, place)',
            [receipts, results],
            lambda rows: [Ended(row['receipt'], 'completed', json.loads(results[row['place'] - 1]) if results and results[row['place'] - 1] else None)
                          for row in rows if row['completed']],
            lambda: world.give_back(own))


class Complete(Work):
    """Counts, not receipts. The receipts are borrowed, but others may complete them as well."""
    weight = 12

    def run(self, transaction, rng):
        world = transaction.world
        receipts = world.borrow(rng, rng.choice((1, 2, 16, 17, 40, 70, 300)))
        transaction.call('SELECT awa.complete(%s::text[]) AS n', [receipts + receipts[:1]],
                         lambda rows: [EndedSome(receipts, rows[0]['n'], 'completed')], lambda: world.give_back(receipts))


class CompleteStrictly(Work):
    may_fail_with = Work.may_fail_with + ('AW001',)

    def run(self, transaction, rng):
        world = transaction.world
        receipts = world.borrow(rng, rng.choice((1, 2, 16, 17, 40)))
        if not receipts:
            return
        transaction.call('SELECT awa.complete(%s::text[], strict => true) AS n', [receipts],
                         lambda rows: [EndedSome(receipts, len(receipts), 'completed')], lambda: world.give_back(receipts))


class CompleteOne(Work):
    def run(self, transaction, rng):
        world = transaction.world
        for receipt in world.borrow(rng, 1):
            result = rng.choice((None, {'r': rng.randint(1, 99)}))
            transaction.call('SELECT awa.complete_one(%s::text, %s) AS done', [receipt, result and json.dumps(result)],
                             lambda rows: [Ended(receipt, 'completed', result)] if rows[0]['done'] else [],
                             lambda: world.give_back([receipt]))


class CompleteAndClaim(Work):
    weight, may_fail_with = 12, Claim.may_fail_with

    def run(self, transaction, rng):
        world = transaction.world
        receipts = world.borrow(rng, rng.choice((1, 10, 17, 100)))
        # One row, whatever it claimed: else nothing would tell that it completed.
        transaction.call(
            "SELECT coalesce(jsonb_agg(c), '[]') AS claims FROM awa.complete_and_claim(%s::text[], %s, %s, strict => true) c",
            [receipts, some_queues(rng), rng.choice((1, 10, 100))],
            lambda rows: [EndedSome(receipts, len(receipts), 'completed')] + claimed(rows[0]['claims']),
            lambda: world.give_back(receipts))
    may_fail_with = may_fail_with + ('AW001',)


def forged(rng, receipt):
    """A handle that differs in one field."""
    fields = receipt.split(':')
    at = rng.randrange(len(fields))
    fields[at] = str((int(fields[at]) + 1) % 8 if at == 0 else int(fields[at]) ^ (1 << rng.randrange(8)))
    return ':'.join(fields)


class CompleteForged(Work):
    weight = 2

    def run(self, transaction, rng):
        known = transaction.world.contested(rng, 40)
        false = list({forged(rng, receipt) for receipt in known} - set(known))
        rows = transaction.call('SELECT awa.complete(%s::text[]) AS n', [false])
        # A forged handle could be a true one only with the fence of another batch.
        if rows[0]['n']:
            transaction.world.report('forged receipts were completed', f"{rows[0]['n']} of {false}")


class LookAtReceipts(Work):
    """What we know to be over is never open again."""
    weight = 4

    def run(self, transaction, rng):
        over = transaction.world.over(rng, 30)
        rows = transaction.call('SELECT receipt, state, outcome FROM awa.receipt_states(%s::text[])', [over])
        for row in rows:
            if row['state'] not in ('closed', 'unknown'):
                transaction.world.report('a receipt that was ended is not closed', row)


# Managing

class Cold(Operation):
    roles, cold = ('admin',), True
    may_fail_with = ('42704', '55P03', '40P01')


# delete_job takes running jobs as well, which the model does not know yet: test/stress/managing and outcomes have it.


class PurgeQueue(Cold):
    weight = 2

    def run(self, transaction, rng):
        queue = rng.choice(('purged', 'purged', rng.choice(PASSING)))
        transaction.call('SELECT awa.purge_queue(%s) AS n', [queue], lambda rows: [Purged(queue, rows[0]['n'])])


class PauseQueue(Cold):
    """While our pause is not committed nobody can end it: the queue hands out nothing."""
    weight, alone = 2, 'never'

    def run(self, transaction, rng):
        queue = rng.choice(list(QUEUES))
        paused = transaction.call('SELECT awa.pause_queue(%s) AS now', [queue])[0]['now']
        if paused and transaction.call('SELECT * FROM awa.claim(%s, %s)', [[queue], 5], claimed):
            transaction.world.report('a queue that is paused handed out jobs', f'{transaction.name} {queue}')


class ResumeQueue(Cold):
    weight = 6

    def run(self, transaction, rng):
        queue = rng.choice(list(QUEUES))
        transaction.touched_notify = True
        transaction.call('SELECT awa.resume_queue(%s) AS now', [queue])


class CreateQueue(Cold):
    weight = 4

    def run(self, transaction, rng):
        transaction.call('SELECT awa.create_queue(%s, enqueue_shards => %s, notify => %s) AS new',
                         [rng.choice(PASSING), rng.randint(1, 3), rng.random() < 0.2])


class AlterQueue(Cold):
    weight = 3

    def run(self, transaction, rng):
        if rng.random() < 0.5:
            transaction.call('SELECT awa.alter_queue(%s, enqueue_shards => %s) AS changed', ['sharded', rng.randint(1, 8)])
        else:
            transaction.call('SELECT awa.alter_queue(%s, max_attempts => %s, deadline => %s::interval) AS changed',
                             [rng.choice(list(QUEUES)), rng.randint(2, 50), rng.choice((None, '1 h', '0'))])


class DropQueue(Cold):
    weight, may_fail_with = 2, Cold.may_fail_with + ('55006',)

    def run(self, transaction, rng):
        transaction.call('SELECT awa.drop_queue(%s) AS dropped', [rng.choice(PASSING)])


class ResetFrontiers(Cold):
    weight = 1

    def run(self, transaction, rng):
        transaction.call('SELECT awa.reset_frontiers() AS n', [])


class Look(Operation):
    """Reads, beside all that: they must not fail, and a job is in one state."""
    roles, weight = ('admin',), 3
    may_fail_with = ()

    def run(self, transaction, rng):
        for job in transaction.world.recent_jobs(rng, 1):
            rows = transaction.call('SELECT job_id, state FROM awa.load_job(%s)', [job])
            if len(rows) > 1:
                transaction.world.report('load_job returned more than one row', rows)


class CountQueue(Look):
    def run(self, transaction, rng):
        transaction.call('SELECT * FROM awa.queue_counts(%s)', [rng.choice(list(QUEUES))])


# Maintenance: procedures, which cannot be part of a statement that records them.

class Maintain(Operation):
    roles, alone, call = ('maintenance',), 'only', ''

    def run(self, transaction, rng):
        ring = rng.choice(('queue', 'claim', 'lease'))
        outcome = transaction.session.execute(f'CALL awa.{self.call}(%s)', [ring])[0][0]
        transaction.world.log.write(transaction.name, self.call, f'{ring}: {outcome}')
        transaction.world.count[f'{self.call}({ring}) {outcome}'] += 1


class Rotate(Maintain):
    weight, call = 2, 'rotate'


class Prune(Maintain):
    weight, call = 3, 'prune'


def all_operations():
    """Every class that has a role and is no base of others."""
    def below(base):
        for each in base.__subclasses__():
            yield from below(each)
            if each.run is not Operation.run and each is not Maintain:
                yield each
    found = {each.__name__: each() for each in below(Operation)}
    return found


def operations_of(role):
    return {each: each.weight for name, each in sorted(all_operations().items()) if role in each.roles}
