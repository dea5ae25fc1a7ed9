"""What the processes told, added up. The proof compares it with what the queue says."""

from __future__ import annotations

import time
from typing import Any

from checksum.messages import Claimed, Completed, Enqueued, Killed, Left, Walked


class WorkerTally:
    """The jobs of one worker, in the order it told of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.claimed: list[int] = []
        self.completed: list[int] = []
        self.stale: list[int] = []
        self.killed = False

    @property
    def held(self) -> list[int]:
        """Jobs claimed and not done, of which it told."""
        over = set(self.completed).union(self.stale)
        return [job_id for job_id in self.claimed if job_id not in over]

    @property
    def holding(self) -> int:
        """How many jobs it has in hand; the dead have none."""
        return 0 if self.killed else len(self.claimed) - len(self.completed) - len(self.stale)


class Tally:
    """The whole run."""

    def __init__(self, workers: int) -> None:
        self.started = time.monotonic()
        self.started_wall_clock = time.time()
        self.ended = self.started
        self.enqueued: list[int] = []
        self.walked = False
        self.unreadable_directories: list[tuple[str, str]] = []
        self.completed = 0
        self.told_at = self.started
        self.workers = {f"worker {number}": WorkerTally(f"worker {number}") for number in range(1, workers + 1)}

    def add(self, name: str, message: Any) -> None:
        """Adds one message of the process of that name."""
        self.told_at = time.monotonic()
        if isinstance(message, Enqueued):
            self.enqueued += message.job_ids
        elif isinstance(message, Walked):
            self.walked = True
            self.unreadable_directories = message.unreadable
        elif isinstance(message, Claimed):
            self.workers[name].claimed += message.job_ids
        elif isinstance(message, Completed):
            self.workers[name].completed += message.job_ids
            self.workers[name].stale += message.stale
            self.completed += len(message.job_ids)
            self.ended = self.told_at
        elif isinstance(message, Killed):
            self.workers[name].killed = True
        elif not isinstance(message, Left):
            raise TypeError(f"unknown message {message!r}")

    def finished(self) -> bool:
        """Whether all jobs there will ever be are completed."""
        return self.walked and self.completed >= len(self.enqueued)

    def holding(self) -> int:
        """Jobs in the hands of workers."""
        return sum(worker.holding for worker in self.workers.values())

    def seconds(self) -> float:
        """From the start of the processes to the last completion."""
        return self.ended - self.started
