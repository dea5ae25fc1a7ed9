"""The witnesses: `find` and `sha256sum`, which know nothing of the jobs."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import IO, Iterator

_FIND = 'find -H "$1" -type f -print0'
_SHA256SUM = _FIND + " | xargs -0 -r sha256sum -z --"


def find(root: bytes) -> Iterator[bytes]:
    """The paths of all regular files below root."""
    return _records(_FIND, root)


def sha256sum(root: bytes) -> Iterator[tuple[bytes, str]]:
    """Path and digest of every file below root that can be read."""
    for record in _records(_SHA256SUM, root):
        # 64 hexadecimal digits, a blank, a mark for the mode, the name as it is.
        yield record[66:], record[:64].decode("ascii")


def _records(script: str, root: bytes) -> Iterator[bytes]:
    """The output of a shell script, cut at each NUL. What it says about unreadable files is left out: we list them."""
    process = subprocess.Popen(
        [b"/bin/sh", b"-c", script.encode(), b"sh", root],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "AWA_WORK": os.environ.get("AWA_WORK", "")},
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield from _split(process.stdout)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait()


def _split(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while portion := stream.read1(1 << 16):  # type: ignore[attr-defined]
        *whole, rest = (rest + portion).split(b"\0")
        yield from whole
