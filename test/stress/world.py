"""What the sessions of a stress run share: the model, what there is to work on, the counts, what went wrong."""
import collections
import threading

from model import Claimed, Ended, EndedSome, Enqueued, Model, parts_of

SETUP = """
-- What the calls of a transaction returned, written by that transaction.
CREATE TABLE tally.results (
    ordinal bigint GENERATED ALWAYS AS IDENTITY, transaction text NOT NULL, step int NOT NULL, result jsonb
) WITH (autovacuum_enabled = false);
CREATE INDEX ON tally.results (transaction);
"""
MOST_WAITING = 150  # producers pause above it


class World:
    def __init__(self, dsn, log, plant=None):
        self.dsn, self.log, self.plant = dsn, log, plant
        self.model, self.lock = Model(), threading.RLock()
        self.count = collections.Counter()  # for show; increments may get lost
        self.reports = []                   # (what, detail): what must not happen, seen by sessions
        self.open = []                      # receipts to be completed by whoever borrows them
        self.borrowed = collections.OrderedDict()
        self.done = collections.deque(maxlen=3000)
        self.jobs = collections.deque(maxlen=300)
        self.can_prepare = self.cold_serializable = False
        self.stop = threading.Event()

    def report(self, what, detail=''):
        self.log.write('', 'VIOLATION', f'{what}: {detail}')
        with self.lock:
            self.reports.append((what, str(detail)))

    def take_over(self, effects, transaction):
        """Effects of a committed transaction. The caller holds the lock."""
        self.model.commit(effects, transaction)
        for effect in effects:
            if isinstance(effect, Claimed):
                self.open.append(effect.receipt)
            elif isinstance(effect, Enqueued):
                self.jobs.append(effect.job)
            elif isinstance(effect, (Ended, EndedSome)):
                for receipt in [effect.receipt] if isinstance(effect, Ended) else effect.receipts:
                    self.borrowed.pop(receipt, None)
                    self.done.append(receipt)
            self.count[type(effect).__name__] += 1

    def borrow(self, rng, most):
        """Receipts of committed claims that nobody else is asked to complete."""
        with self.lock:
            if rng.random() < 0.3:
                rng.shuffle(self.open)
            taken, self.open[:] = self.open[:most], self.open[most:]
            self.borrowed.update(dict.fromkeys(taken))
            return taken

    def give_back(self, receipts):
        with self.lock:
            for receipt in receipts:
                if self.borrowed.pop(receipt, self) is None:
                    self.open.append(receipt)

    def contested(self, rng, most):
        """Receipts that others are completing now, will complete, or have completed."""
        with self.lock:
            newest = list(self.borrowed)[-most:]
            others = rng.sample(newest, min(len(newest), most))
            others += rng.sample(self.open, min(len(self.open), most // 3))
            return others + rng.sample(list(self.done), min(len(self.done), most // 3))

    def over(self, rng, most):
        with self.lock:
            ended = [receipt for receipt in rng.sample(list(self.done), min(len(self.done), most)) if self.is_over(receipt)]
        return ended

    def is_over(self, receipt):
        _, job_id, lease = parts_of(receipt)
        if job_id in self.model.past:
            return True
        job = self.model.jobs.get(job_id)
        return job is not None and lease in job.attempts and job.attempts[lease].outcome is not None

    def recent_jobs(self, rng, most):
        with self.lock:
            return rng.sample(list(self.jobs), min(len(self.jobs), most))
