"""The connection, and the reads that the demonstration makes. Where the server is, PGHOST and its kin tell."""

from __future__ import annotations

import time
from typing import Any, Iterator

import psycopg2
import psycopg2.extras

QUEUE = "checksum"
KIND = "sha256"


def connect(name: str) -> Any:
    """A connection on which every statement is a transaction of its own."""
    connection = psycopg2.connect(application_name=f"checksum {name}")
    connection.autocommit = True
    return connection


def create_queue(connection: Any) -> None:
    """Makes the queue.

    A worker that says nothing for five seconds is taken for dead, and its jobs go to others. The default is 90 seconds;
    nobody wants to wait that long here.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "select awa.create_queue(%s, stale_after => '5 s', backoff_base => '100 ms', backoff_cap => '1 s')", (QUEUE,)
        )


def keep_house(connection: Any) -> None:
    """One round of maintenance: here it is what finds the jobs of dead workers and makes them available again."""
    with connection.cursor() as cursor:
        cursor.execute("call awa.maintain()")


def completed_of(connection: Any, name: str, job_ids: list[int]) -> list[int]:
    """Which of these jobs are completed, once the session of that name has ended: its last statement may outlive it."""
    with connection.cursor() as cursor:
        for _ in range(100):
            cursor.execute("select 1 from pg_stat_activity where application_name = %s", (f"checksum {name}",))
            if cursor.fetchone() is None:
                break
            time.sleep(0.05)
        cursor.execute(
            "select job_id from unnest(%s::bigint[]) as held (job_id), awa.load_job(held.job_id) as job (id)"
            " where job.state = 'completed'",
            (job_ids,),
        )
        return [job_id for (job_id,) in cursor]


def stats(connection: Any) -> tuple[int, int]:
    """How many jobs were claimed and how many completed so far: the cheap read, made for dashboards."""
    with connection.cursor() as cursor:
        cursor.execute("select claimed_total, completed_total from awa.queue_stats where queue = %s", (QUEUE,))
        row = cursor.fetchone() or (0, 0)
        return int(row[0] or 0), int(row[1] or 0)


def counts(connection: Any) -> dict[str, int]:
    """How many jobs are in each state: exact."""
    with connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        cursor.execute("select * from awa.queue_counts(%s)", (QUEUE,))
        row = cursor.fetchone() or {}
        return {state: int(count) for state, count in row.items() if state != "queue"}


def terminal_jobs(connection: Any) -> Iterator[tuple[int, str, str, Any]]:
    """Id, state, file name and result of every job that is over, read in portions."""
    connection.autocommit = False  # a cursor on the server lives in a transaction
    try:
        with connection.cursor("terminal_jobs") as cursor:
            cursor.itersize = 5000
            cursor.execute(
                "select job_id, state, args ->> 'path', result from awa.terminal_jobs where queue = %s", (QUEUE,)
            )
            yield from cursor
        connection.commit()
    finally:
        connection.rollback()
        connection.autocommit = True


def unfinished_jobs(connection: Any) -> list[tuple[int, str]]:
    """Id and state of jobs that are not over."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select job_id, state from awa.jobs where queue = %s and finalized_at is null limit 20", (QUEUE,)
        )
        return cursor.fetchall()


def violations(connection: Any) -> list[str]:
    """What awa.check() finds wrong with the queue's own tables."""
    with connection.cursor() as cursor:
        cursor.execute("select * from awa.check()")
        return [" ".join(str(value) for value in row) for row in cursor]
