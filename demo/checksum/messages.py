"""What the producer and the workers tell the main process. It is their own tally, kept beside what the queue says."""

from __future__ import annotations

from typing import NamedTuple


class Enqueued(NamedTuple):
    """The producer enqueued these jobs, and committed."""

    job_ids: list[int]


class Walked(NamedTuple):
    """The producer saw the whole tree. Directories it could not read, with the reason."""

    unreadable: list[tuple[str, str]]


class Claimed(NamedTuple):
    """A worker claimed these jobs, and committed."""

    job_ids: list[int]


class Completed(NamedTuple):
    """A worker completed these jobs now. For the others its receipt was stale."""

    job_ids: list[int]
    stale: list[int]


class Left(NamedTuple):
    """A worker has left: it holds nothing any more. How many jobs it still held, and finished, when told to leave."""

    finished: int


class Killed(NamedTuple):
    """A worker was killed. What it held, as far as it had told."""


class Broken(NamedTuple):
    """A process ends because of an error."""

    reason: str
