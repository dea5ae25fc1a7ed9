"""A worker. This is the part to copy: `run` is its loop, `leave` the handler of SIGTERM.

The four rules of a worker:

1. Claim in a short transaction of its own and commit it before the work begins. The claim counts when it commits; until
   then its lane is locked to other claims. Here the connection is in autocommit mode: one statement, one transaction.
2. Keep the receipt. It stands for this one attempt, and all that ends the attempt takes it. If the worker dies, or is
   too late, the attempt is rescued and the job goes to another worker with a new receipt; the old receipt is then
   stale, and what it says has no effect. So a stale receipt is no error: someone else does the job, or has done it.
3. Say that you live. Receipts that are held for longer than a moment are beaten, a few times in the queue's
   `stale_after`; the answer tells which attempts are over meanwhile.
4. To leave, stop claiming and finish what is held. Then nothing has to be rescued.
"""

from __future__ import annotations

import time
from typing import Any, Callable, NamedTuple

from psycopg2.extras import Json

from checksum import names
from checksum.database import QUEUE
from checksum.digest import digest
from checksum.messages import Claimed, Completed, Left

# An empty queue is asked again after a pause that doubles: quick when work comes and goes, quiet when there is none.
# A queue with the setting `notify` can wake its workers instead: LISTEN on the channel that awa.channel(queue) names.
SHORTEST_PAUSE_SECONDS = 0.01
LONGEST_PAUSE_SECONDS = 0.2

# A batch of large files takes long. What is finished is completed now and then, not only at the end of the batch.
COMPLETE_AFTER_SECONDS = 0.5

# A few times in the queue's stale_after.
BEAT_AFTER_SECONDS = 1.0


class Job(NamedTuple):
    """One claimed attempt. The receipt is opaque: text that is handed back."""

    receipt: str
    job_id: int
    args: dict[str, Any]


class Worker:
    """Claims, works and completes until it is told to leave."""

    def __init__(self, batch: int, tell: Callable[[Any], None]) -> None:
        self.connection: Any = None
        self.batch = batch
        self.tell = tell  # keeps the tally of this demonstration; a worker of an application needs none
        self.leaving = False
        self.finished_before_leaving = 0
        self.held: dict[str, Job] = {}  # by receipt: claimed, not completed yet
        self.beaten_at = 0.0

    def leave(self, *_signal: Any) -> None:
        """Lets the loop end after the work at hand. Safe in a signal handler: it only takes a note."""
        self.leaving = True

    def run(self, connection: Any) -> None:
        """The loop of a worker. The connection is in autocommit mode."""
        self.connection = connection
        pause = SHORTEST_PAUSE_SECONDS
        while not self.leaving:
            jobs = self.claim()
            if jobs:
                self.work(jobs)
                pause = SHORTEST_PAUSE_SECONDS
            else:
                # No row says: nothing to do now. It does not say: nothing any more.
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        self.tell(Left(self.finished_before_leaving))

    def claim(self) -> list[Job]:
        """Claims up to a batch of jobs. They are this worker's once the statement has returned, and so committed."""
        with self.connection.cursor() as cursor:
            cursor.execute("select receipt, job_id, args from awa.claim(%s, %s)", ([QUEUE], self.batch))
            jobs = [Job(*row) for row in cursor]
        self.held, self.beaten_at = {job.receipt: job for job in jobs}, time.monotonic()
        if jobs:
            self.tell(Claimed([job.job_id for job in jobs]))
        return jobs

    def work(self, jobs: list[Job]) -> None:
        """Does the jobs, with no transaction open, and completes them in portions.

        A job that cannot be done has to end as well, else it is rescued and tried again. Here a file that cannot be
        read is an answer like another. What may succeed later would be handed back for another attempt.
        """
        finished: list[tuple[Job, dict[str, Any]]] = []
        completed_at = time.monotonic()
        for job in jobs:
            if job.receipt not in self.held:
                continue  # somebody else has it
            finished.append((job, digest(names.to_path(job.args["path"]), self.beat)))
            self.beat()
            if time.monotonic() - completed_at > COMPLETE_AFTER_SECONDS:
                self.complete(finished)
                finished, completed_at = [], time.monotonic()
        self.complete(finished)

    def beat(self) -> None:
        """Says that all that is held is being worked on, unless that was said a moment ago."""
        if time.monotonic() - self.beaten_at < BEAT_AFTER_SECONDS:
            return
        with self.connection.cursor() as cursor:
            cursor.execute("select receipt, state from awa.heartbeat(%s)", (list(self.held),))
            over = [receipt for receipt, state in cursor if state == "stale"]
        self.beaten_at = time.monotonic()
        self.tell(Completed([], [self.held.pop(receipt).job_id for receipt in over]))

    def complete(self, finished: list[tuple[Job, dict[str, Any]]]) -> None:
        """Completes jobs with their results. The answer has one row a receipt, in order.

        Should the connection break here, the call may be made again on a new one: a receipt completes its attempt once.
        """
        finished = [(job, result) for job, result in finished if job.receipt in self.held]
        if not finished:
            return
        with self.connection.cursor() as cursor:
            cursor.execute(
                "select completed from awa.complete_each(%s, %s::jsonb[])",
                ([job.receipt for job, _ in finished], [Json(result) for _, result in finished]),
            )
            answers = [completed for (completed,) in cursor]
        for job, _ in finished:
            del self.held[job.receipt]
        if self.leaving:
            self.finished_before_leaving += len(finished)
        done = [job.job_id for (job, _), completed in zip(finished, answers) if completed]
        stale = [job.job_id for (job, _), completed in zip(finished, answers) if not completed]
        self.tell(Completed(done, stale))
