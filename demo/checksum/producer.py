"""The producer: walks the tree and enqueues one job for each regular file."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Iterator

from psycopg2.extras import Json

from checksum import names
from checksum.database import KIND, QUEUE
from checksum.messages import Enqueued, Walked

# One call for many jobs is far cheaper than many calls. The workers are not to wait for a full batch, though.
BATCH = 500
FLUSH_AFTER_SECONDS = 0.1


def produce(connection: Any, root: bytes, tell: Callable[[Any], None]) -> None:
    """Enqueues all files below root."""
    unreadable: list[tuple[str, str]] = []
    batch: list[bytes] = []
    flushed = time.monotonic()
    for path in walk(root, unreadable):
        batch.append(path)
        if len(batch) >= BATCH or time.monotonic() - flushed > FLUSH_AFTER_SECONDS:
            tell(Enqueued(enqueue(connection, batch)))
            batch, flushed = [], time.monotonic()
    tell(Enqueued(enqueue(connection, batch)))
    tell(Walked(unreadable))


def enqueue(connection: Any, paths: list[bytes]) -> list[int]:
    """Enqueues one job a path, all or none, and returns the ids.

    The jobs exist when the transaction commits. An application enqueues in the transaction of the change that makes the
    job necessary, so that either both happen or none.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "select awa.enqueue_many(%s, %s, %s::jsonb[])",
            (QUEUE, KIND, [Json({"path": names.to_text(path)}) for path in paths]),
        )
        return cursor.fetchone()[0]


def walk(root: bytes, unreadable: list[tuple[str, str]]) -> Iterator[bytes]:
    """All regular files below root; symbolic links are not followed. Adds directories it cannot read to unreadable."""
    pending = [root]
    while pending:
        directory = pending.pop()
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.path
        except OSError as error:
            unreadable.append((names.to_text(directory), error.strerror or str(error)))
