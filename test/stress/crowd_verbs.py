"""The verbs of a crowd (crowd.py), each with what it tells the account."""
import crowd

QUEUES = ('one', 'two', 'three')
MASKS = ('{scheduled,available,running,waiting_external,retryable}', '{scheduled,available,retryable}', '{available,running}', '{scheduled}', '{available}')
MOST_WAITING = 3000
JOB_OF = "split_part(%s, ':', 4)::bigint"


class Manager(crowd.Worker):
    """Enqueues with keys, times and deadlines of all kinds, claims, ends attempts, and manages the jobs of others."""

    queues = QUEUES

    def enqueue(self):
        if self.value('SELECT coalesce(sum(available_estimate + scheduled + retryable), 0) FROM awa.queue_stats') > MOST_WAITING:
            return
        rng = self.rng
        self.value("SELECT tally.put(%s, 'k', clock_timestamp() + %s::interval, %s, %s, %s, %s)", rng.choice(self.queues),
                   rng.choice((None, None, '20 ms', '200 ms', '2 s', '-1 s')), rng.choice((None, None, '1 h', '0', '1 ms')),
                   rng.choice((None, None, f'key {rng.randint(1, 20)}')), rng.choice(MASKS), rng.choice(('raise', 'ignore', 'replace')))

    def enqueue_many(self):
        n = self.rng.choice((1, 3, 20))
        keys = [self.rng.choice((None, f'key {self.rng.randint(1, 40)}')) for _ in range(n)]
        self.rows("INSERT INTO tally.jobs (job_id) SELECT unnest(awa.enqueue_many(%s, 'm', array_fill('1'::jsonb, ARRAY[%s]), unique_keys => %s, on_conflict => %s))",
                  self.rng.choice(self.queues), n, keys, self.rng.choice(('ignore', 'replace')))

    def claim(self):
        self.held += [row[0] for row in self.rows(crowd.CLAIM.format('awa.claim(%s, %s)'), self.rng.sample(self.queues, 2), self.rng.choice((1, 5, 50)))]

    def over(self, receipt, by):
        self.rows(crowd.OVER, receipt, receipt, by)

    def ended(self, receipt, by):
        self.rows(f'INSERT INTO tally.ended VALUES ({JOB_OF}, %s)', receipt, by)

    def one_held(self):
        """A receipt to end: mostly one of its own, sometimes one that another session has, or had."""
        if self.held and self.rng.random() < 0.85:
            return self.held.pop(self.rng.randrange(len(self.held)))
        found = self.one_of('receipt', 'tally.attempts')
        return found and found[0]

    def answer(self, receipt, answer, by):
        """What an answer means: whether the attempt was ended by it, and the job with it."""
        if answer in (False, None, 'stale'):
            return
        by = by or answer
        self.over(receipt, by)
        if by in ('completed', 'failed', 'cancelled', 'dead_letter'):
            self.ended(receipt, by)

    def end(self, sql, by, *parameters):
        receipt = self.one_held()
        if receipt:
            self.answer(receipt, self.value(sql, receipt, *parameters), by)

    def complete(self):
        self.end('SELECT awa.complete_one(%s, %s)', 'completed', self.rng.choice((None, '1')))

    def complete_many(self):
        count = self.rng.choice((2, 20, 100))
        some, self.held = self.held[:count], self.held[count:]
        for receipt, completed in self.rows('SELECT receipt::text, completed FROM awa.complete_each(%s::text[])', some):
            self.answer(receipt, completed, 'completed')

    def fail(self):
        self.end('SELECT awa.fail(%s, %s, %s, %s)', None, 'broken', self.rng.choice((None, '30 ms', '1 s')), self.rng.random() < 0.2)

    def snooze(self):
        self.end('SELECT awa.snooze(%s, %s)', 'snoozed', self.rng.choice(('10 ms', '1 s')))

    def release(self):
        self.end('SELECT awa.release(%s)', 'released')

    def a_job(self):
        found = self.one_of('job_id', 'tally.jobs')
        return found[0] if found else 0

    def cancel(self):
        job = self.a_job()
        if self.value("SELECT awa.cancel(%s, 'away')", job):
            self.rows("INSERT INTO tally.ended VALUES (%s, 'cancel')", job)

    def cancel_many(self):
        jobs = [self.a_job() for _ in range(5)]
        if self.value('SELECT awa.cancel_many(%s)', jobs):
            # Which of them: those that are cancelled now and were not entered as ended since they began.
            self.rows("""INSERT INTO tally.ended SELECT j.job_id, 'cancel' FROM unnest(%s::bigint[]) j(job_id)
                         CROSS JOIN LATERAL awa.load_job(j.job_id) l WHERE l.state = 'cancelled' AND l.finalized_at >= now()
                         AND NOT EXISTS (SELECT FROM tally.ended e WHERE e.job_id = j.job_id) GROUP BY 1""", jobs)

    def delete(self):
        # Whether it had ended before is known only to the extension: the account takes it as gone.
        job = self.a_job()
        if self.value('SELECT awa.delete_job(%s)', job):
            self.rows("INSERT INTO tally.ended VALUES (%s, 'deleted')", job)

    def retry(self):
        job = self.a_job()
        if self.value('SELECT awa.retry(%s)', job):
            self.rows('INSERT INTO tally.retried VALUES (%s)', job)

    def set_priority(self):
        self.value('SELECT awa.set_priority(%s, %s)', self.a_job(), self.rng.randint(1, 4))

    def move(self):
        self.value('SELECT awa.move(%s, %s)', self.a_job(), self.rng.choice(self.queues))

    def promote(self):
        self.value('SELECT awa.promote_due()')

    verbs = (enqueue,) * 8 + (enqueue_many,) * 2 + (claim,) * 4 + (complete,) * 4 + (complete_many,) * 2 + (fail, fail, snooze, release,
             cancel, cancel, cancel_many, delete, retry, retry, set_priority, set_priority, move, move, promote)


class Ender(Manager):
    """All of it, and every other way in which an attempt goes on or ends; dead letters; a queue that comes and goes."""

    queues = (*QUEUES, 'passing')
    # The queue that comes and goes is not there, or has jobs.
    allowed = (*crowd.ALLOWED, '42704', '55006')

    def is_to_be_expected(self, error):
        return error.pgcode not in ('42704', '55006') or 'passing' in str(error) or 'was dropped' in str(error)

    def fail_many(self):
        count = self.rng.choice((2, 20))
        some, self.held = self.held[:count], self.held[count:]
        rows = self.rows('SELECT receipt::text, state FROM awa.fail_many(%s::text[], %s, %s::interval[], %s)', some, ['broken'] * len(some),
                         [self.rng.choice((None, '0', '50 ms')) for _ in some], [self.rng.random() < 0.2 for _ in some])
        for receipt, state in rows:
            self.answer(receipt, state, None)

    def heartbeat(self):
        """What it says of an attempt is so for the rest of the transaction."""
        some = self.rng.sample(self.held, min(len(self.held), self.rng.choice((1, 5, 30))))
        strange = self.one_of('receipt', 'tally.attempts')
        if strange and self.rng.random() < 0.5:
            some.append(strange[0])
        some = list(dict.fromkeys(some))
        states = dict(self.rows('SELECT receipt::text, state FROM awa.heartbeat(%s::text[], %s::jsonb[])', some, [self.rng.choice((None, '"p"')) for _ in some]))
        for receipt, state in states.items():
            is_over = self.rows("SELECT by FROM tally.over WHERE job_id = " + JOB_OF + " AND run_lease = split_part(%s, ':', 5)::bigint", receipt, receipt)
            if state in ('open', 'waiting') and is_over:
                self.wrong(f'heartbeat says {state} of an attempt that is over', receipt, is_over)
        return states

    def beat_and_release(self):
        states = self.heartbeat()
        going = [receipt for receipt, state in states.items() if state in ('open', 'waiting')]
        over = [receipt for receipt, state in states.items() if state in ('stale', 'cancelled')]
        released = self.value('SELECT awa.release_many(%s::text[])', going + over)
        if released != len(going):
            self.wrong('heartbeat and release_many disagree', released, states)
        for receipt in going:
            self.answer(receipt, True, 'released')
        self.held = [receipt for receipt in self.held if receipt not in states]

    def beat_and_complete(self):
        states = self.heartbeat()
        for receipt, state in states.items():
            if state == 'busy':
                continue
            completed = self.value('SELECT awa.complete_one(%s)', receipt)
            if completed != (state in ('open', 'waiting')):
                self.wrong('heartbeat and complete_one disagree', receipt, state, completed)
            self.answer(receipt, completed, 'completed')
        self.held = [receipt for receipt in self.held if states.get(receipt, 'busy') == 'busy']

    def wait_external(self):
        receipt = self.one_held()
        if not receipt:
            return
        token = self.value('SELECT awa.wait_external(%s, %s)', receipt, self.rng.choice(('1 h', '1 h', '300 ms')))
        if token:
            self.rows('INSERT INTO tally.tokens (token, receipt) VALUES (%s, %s)', token, receipt)
            if self.rng.random() < 0.5:
                self.held.append(receipt)

    def by_token(self, sql, by, *parameters):
        found = self.one_of('token, receipt', 'tally.tokens')
        if found:
            self.answer(found[1], self.value(sql, found[0], *parameters), by)

    def complete_external(self):
        self.by_token('SELECT awa.complete_external(%s, %s)', 'completed', self.rng.choice((None, '{"r": 1}')))

    def resume_external(self):
        self.by_token("SELECT awa.complete_external(%s, '1', resume => true)", 'resumed')

    def fail_external(self):
        self.by_token("SELECT awa.fail_external(%s, 'no', %s)", None, self.rng.random() < 0.3)

    def retry_external(self):
        found = self.one_of('token, receipt', 'tally.tokens')
        if found:
            answer = self.value('SELECT awa.retry_external(%s)', found[0])
            self.answer(found[1], answer, 'retried' if answer == 'available' else None)

    def extend_external(self):
        found = self.one_of('token, receipt', 'tally.tokens')
        if found:
            self.value("SELECT awa.extend_external(%s, '100 ms')", found[0])

    def complete_and_claim(self):
        """What it completed the receipts tell: they are held from then on."""
        some, self.held = self.held[:10], self.held[10:]
        states = dict(self.rows('SELECT receipt::text, state FROM awa.heartbeat(%s::text[])', some))
        some = [receipt for receipt, state in states.items() if state != 'busy']
        claimed = self.rows(crowd.CLAIM.format('awa.complete_and_claim(%s::text[], %s, %s)'), some, self.rng.sample(self.queues, 2), self.rng.choice((1, 10)))
        for receipt in some:
            self.answer(receipt, states[receipt] in ('open', 'waiting'), 'completed')
        self.held += [row[0] for row in claimed]

    def retry_letter(self):
        found = self.rows('SELECT job_id FROM awa.list_dead_letters(max_rows => 50)')
        if not found:
            return
        job = self.rng.choice(found)[0]
        if self.value('SELECT awa.retry_dead_letter(%s, clock_timestamp() + %s::interval, %s)', job, self.rng.choice((None, '50 ms')),
                      self.rng.choice((None, 'one', 'passing'))):
            self.rows('INSERT INTO tally.retried VALUES (%s)', job)

    def letters(self, verb, account, queue, kind):
        """The verb answers how many. Which, those say that were locked before; if there were more by then it is undone."""
        self.rows('SAVEPOINT letters')
        jobs = [row[0] for row in self.rows("""
            SELECT d.job_id FROM awa.dlq_entries d JOIN awa.queues q USING (queue_id)
            WHERE q.queue = %s AND q.dropped_at IS NULL AND d.kind = coalesce(%s, d.kind) ORDER BY 1 FOR UPDATE OF d""", queue, kind)]
        count = self.value(f'SELECT awa.{verb}(%s, %s)', queue, kind)
        if count != len(jobs):
            if count < len(jobs):
                self.wrong(f'{verb} left some', count, jobs)
            self.rows('ROLLBACK TO letters')
            return
        for job in jobs:
            self.rows(account, job)

    def retry_letters(self):
        self.letters('retry_dead_letters', 'INSERT INTO tally.retried VALUES (%s)', 'three', self.rng.choice((None, 'k', 'm')))

    def purge_letters(self):
        self.letters('purge_dead_letters', "INSERT INTO tally.ended VALUES (%s, 'deleted')", self.rng.choice(('three', 'three', 'passing')), self.rng.choice((None, 'k', 'm')))

    def passing_comes(self):
        self.value("SELECT awa.create_queue('passing', max_attempts => 4, dead_letter => true, enqueue_shards => 2)")

    def passing_goes(self):
        self.value("SELECT awa.drop_queue('passing', force => %s)", self.rng.random() < 0.8)

    def purge_queue(self):
        self.value('SELECT awa.purge_queue(%s)', self.rng.choice(self.queues))

    def pause(self):
        self.value("SELECT awa.pause_queue('two')")

    def resume(self):
        self.value("SELECT awa.resume_queue('two')")

    def rescue(self):
        self.value(f"SELECT awa.rescue_{self.rng.choice(('stale', 'deadlines', 'callbacks'))}()")

    verbs = Manager.verbs * 2 + (Manager.claim,) * 4 + (fail_many, fail_many, heartbeat, heartbeat, beat_and_release, beat_and_complete, complete_and_claim, complete_and_claim,
             wait_external, wait_external, wait_external, wait_external, complete_external, resume_external, fail_external, retry_external, extend_external,
             retry_letter, retry_letter, retry_letters, purge_letters, passing_comes, passing_comes, passing_goes, passing_goes, purge_queue, pause, resume, resume, rescue)
