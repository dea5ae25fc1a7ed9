"""What must be true of a run: the model that the stress driver compares with the extension.

It is made of *effects*: what the calls of committed transactions returned. Transactions commit in an order that no client
knows, so the model is compared when nothing moves (at the end of a round), and its laws ask nothing of that order.
It knows of the extension only what public functions and views say.

A new verb is a new effect, or an outcome in THEN. An effect is a small class with apply(model); one that contradicts
what is known calls model.wrong.
"""
import collections
import dataclasses
import json

# Where a job may be, once an attempt of it came to this end, until it is claimed again.
THEN = {
    'completed': ('completed',),
}
TERMINAL = ('completed', 'cancelled')


def parts_of(receipt):
    """(receipt number, job, run lease) of a handle."""
    _, _, number, job, lease, _ = receipt.split(':')
    return int(number), int(job), int(lease)


def digest(args):
    return hash(json.dumps(args, sort_keys=True))


class Attempt:
    __slots__ = ('receipt', 'outcome', 'result')

    def __init__(self, receipt):
        self.receipt, self.outcome, self.result = receipt, None, None


class Job:
    __slots__ = ('id', 'queue', 'kind', 'priority', 'args', 'waits', 'transaction', 'attempts', 'removed')

    def __init__(self, job_id):
        self.id, self.queue, self.attempts, self.removed, self.transaction = job_id, None, {}, None, None

    def last(self):
        return self.attempts[max(self.attempts)] if self.attempts else None


@dataclasses.dataclass
class Enqueued:
    job: int
    queue: str
    kind: str
    priority: int
    args: object
    waits: tuple = ('available',)  # states it may be in until it is claimed

    def apply(self, model, transaction):
        job = model.job(self.job)
        if job.queue is not None or self.job in model.past:
            model.wrong('job ids given out twice', self.job)
        job.queue, job.kind, job.priority, job.args = self.queue, self.kind, self.priority, digest(self.args)
        job.waits, job.transaction = self.waits, transaction
        model.enqueued += 1


@dataclasses.dataclass
class Claimed:
    receipt: str
    queue: str
    kind: str
    args: object
    attempt: int
    lane: tuple = None   # where the call told it: the order on a lane is a promise
    place: tuple = None  # (least receipt number of the call on that lane, place in the call)

    def apply(self, model, _):
        _, job_id, lease = parts_of(self.receipt)
        job = model.job(job_id)
        if lease in job.attempts or job_id in model.past:
            model.wrong('claimed twice', job_id, self.receipt)
            return
        job.attempts[lease] = Attempt(self.receipt)
        model.claims.append((job, self))
        if self.lane is not None and lease == 1:
            model.lanes[self.lane].append((self.place, job))
        model.claimed += 1


@dataclasses.dataclass
class Ended:
    receipt: str
    outcome: str
    result: object = None

    def apply(self, model, _):
        _, job_id, lease = parts_of(self.receipt)
        attempt = model.job(job_id).attempts.setdefault(lease, Attempt(self.receipt))
        if attempt.receipt != self.receipt:
            model.wrong('ended by a receipt that is not that of the claim', job_id, f'{self.receipt}, not {attempt.receipt}')
        if attempt.outcome is not None or job_id in model.past:
            model.wrong('ended twice', job_id, f'{attempt.outcome} and {self.outcome}')
        attempt.outcome, attempt.result = self.outcome, self.result
        model.ended += 1


@dataclasses.dataclass
class EndedSome:
    """So many of these receipts were ended; the call does not say which. Others may have been faster with the rest."""
    receipts: list
    count: int
    outcome: str

    def apply(self, model, _):
        model.some.append(self)


@dataclasses.dataclass
class Removed:
    """A waiting job was taken away."""
    job: int
    how: str

    def apply(self, model, _):
        job = model.job(self.job)
        if job.removed:
            model.wrong('removed twice', self.job)
        job.removed = self.how
        model.removed += 1


@dataclasses.dataclass
class Purged:
    """So many waiting jobs of a queue were cancelled; which, the views tell."""
    queue: str
    count: int

    def apply(self, model, _):
        model.purged[self.queue] += self.count


class Model:
    def __init__(self):
        self.jobs = {}          # jobs that exist, or of which somebody said so
        self.past = set()       # jobs that are over, and no more to be seen
        self.some = []          # EndedSome that were not resolved yet
        self.claims = []        # since the last comparison: what a claim said must be what was enqueued
        self.lanes = collections.defaultdict(list)
        self.begun_before = {}  # of a lane: when the youngest transaction began whose job was claimed earlier
        self.purged = collections.Counter()
        self.cancelled = collections.Counter()
        self.gone = collections.Counter()  # (queue, outcome): jobs that are no more to be seen, which rollups must count
        self.violations = []    # (what, jobs, detail)
        self.enqueued = self.claimed = self.ended = self.removed = 0

    def job(self, job_id):
        if job_id not in self.jobs:
            self.jobs[job_id] = Job(job_id)
        return self.jobs[job_id]

    def wrong(self, what, job=None, detail=''):
        self.violations.append((what, [] if job is None else [job], str(detail)))

    def commit(self, effects, transaction):
        for effect in effects:
            effect.apply(self, transaction)

    def waiting(self):
        return self.enqueued - self.claimed - self.removed - sum(self.purged.values())

    def resolve_some(self):
        for some in self.some:
            candidates = []
            for receipt in some.receipts:
                attempt = self.job(parts_of(receipt)[1]).attempts.get(parts_of(receipt)[2])
                if attempt is None or attempt.outcome is None:
                    candidates.append(receipt)
            if len(candidates) != some.count:
                self.violations.append((f'{some.count} receipts of a call were ended, and {len(candidates)} were open',
                                        [parts_of(r)[1] for r in some.receipts], ''))
            for receipt in candidates[:some.count]:
                Ended(receipt, some.outcome).apply(self, None)
        self.some.clear()

    def states_of(self, job):
        """The states the job may be seen in; None: in none."""
        if job.removed:
            return ('cancelled',) if job.removed == 'cancelled' else None
        last = job.last()
        if last is None:
            return job.waits + ('cancelled',) if self.purged[job.queue] else job.waits
        return ('running',) if last.outcome is None else THEN[last.outcome]

    def open_receipts(self):
        return {attempt.receipt for job in self.jobs.values() for attempt in job.attempts.values() if attempt.outcome is None}

    def unfinished(self):
        return [job for job in self.jobs.values() if not job.removed and (job.last() is None or job.last().outcome is None
                                                                          or THEN[job.last().outcome][0] not in TERMINAL)]

    def compare(self, seen, keeps_history):
        """seen: job -> row of the view jobs with `result`. keeps_history: nothing was pruned since the last comparison."""
        self.resolve_some()
        self.compare_claims()
        self.compare_order()
        for job_id in list(self.jobs):
            job = self.jobs[job_id]
            if job.queue is None:
                self.wrong('claimed or ended, and never enqueued and committed', job_id)
                continue
            for lease in sorted(job.attempts)[:-1]:
                if job.attempts[lease].outcome is None or THEN[job.attempts[lease].outcome][0] in TERMINAL:
                    self.wrong('claimed again though the attempt before did not give it back', job_id, f'lease {lease}')
            if job.attempts and sorted(job.attempts) != list(range(1, len(job.attempts) + 1)):
                self.wrong('run leases do not rise by one', job_id, sorted(job.attempts))
            if job.removed and job.attempts:
                self.wrong('removed while it waited, and claimed', job_id, job.removed)
            if job_id in seen:
                self.compare_job(job, seen[job_id])
            else:
                self.compare_absent(job, keeps_history)
        for job_id in seen.keys() - self.jobs.keys():
            self.wrong('seen again after it was pruned' if job_id in self.past else 'seen, and never enqueued and committed', job_id,
                       seen[job_id])
        for queue in self.purged:
            if self.purged[queue] != self.cancelled[queue]:
                self.wrong(f'queue {queue}: {self.purged[queue]} jobs were purged, {self.cancelled[queue]} are cancelled or not there')

    def compare_job(self, job, row):
        allowed = self.states_of(job)
        if allowed is None or row['state'] not in allowed:
            self.wrong(f"seen {row['state']}, must be {' or '.join(allowed or ('absent',))}", job.id)
            return
        if row['state'] == 'cancelled' and job.removed is None:
            job.removed = 'cancelled'
            self.cancelled[job.queue] += 1
        last = job.last()
        expected = (job.queue, job.kind, job.priority, job.args, max(job.attempts, default=0), len(job.attempts),
                    last.result if last else None)
        shown = (row['queue'], row['kind'], row['priority'], digest(row['args']), row['run_lease'], row['attempt'], row['result'])
        if expected != shown:
            self.wrong('seen otherwise than it is', job.id,
                       f'(queue, kind, priority, args, run_lease, attempt, result) {shown}, must be {expected}')

    def compare_absent(self, job, keeps_history):
        """Only what is over may be missing, and only when history is pruned."""
        last = job.last()
        if job.removed == 'deleted':
            end = 'deleted'
        elif last is None:
            # Purged and pruned before it was seen: if not, the count of purged jobs or the rollups tell.
            end = 'cancelled'
            if job.removed is None:
                if keeps_history or not self.purged[job.queue]:
                    self.wrong('lost while it waited', job.id)
                self.cancelled[job.queue] += 1
        elif last.outcome is None:
            self.wrong('lost while it ran', job.id)
            end = 'running'
        else:
            end = THEN[last.outcome][0]
        if end != 'deleted' and keeps_history:
            self.wrong('its history is gone, and nothing was pruned', job.id, end)
        self.gone[job.queue, end] += 1
        self.past.add(job.id)
        del self.jobs[job.id]

    def compare_claims(self):
        for job, claim in self.claims:
            if job.queue is None:
                continue  # compare() says so
            expected, said = (job.queue, job.kind, job.args), (claim.queue, claim.kind, digest(claim.args))
            if expected != said or claim.attempt != parts_of(claim.receipt)[2]:
                self.wrong('claimed otherwise than it was enqueued', job.id, f'{said}, attempt {claim.attempt}; enqueued {expected}')
        self.claims.clear()

    def compare_order(self):
        """On a lane: jobs of one transaction in order, and what was committed before another transaction began comes first."""
        for lane, claims in self.lanes.items():
            claims.sort(key=lambda claim: claim[0])
            begun, newest = self.begun_before.get(lane, 0.0), {}
            for _, job in claims:
                if job.transaction is None:
                    continue
                if job.transaction.committed is not None and job.transaction.committed < begun:
                    self.wrong('claimed after a job whose transaction began when its own had committed', job.id, lane)
                if newest.get(job.transaction, 0) > job.id:
                    self.wrong('out of order: jobs of one transaction on one lane', job.id, f'{lane}, after {newest[job.transaction]}')
                newest[job.transaction] = job.id
                begun = max(begun, job.transaction.began)
            # Claims that are decided later may have lower numbers than the last ones here.
            for _, job in claims[:-500]:
                if job.transaction is not None:
                    self.begun_before[lane] = max(self.begun_before.get(lane, 0.0), job.transaction.began)
            del claims[:-500]
