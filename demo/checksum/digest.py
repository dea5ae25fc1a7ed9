"""The work itself: the SHA-256 digest of one file."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import Any, Callable

_PORTION = 1 << 20


def digest(path: bytes, meanwhile: Callable[[], None]) -> dict[str, Any]:
    """The result of one job: the digest and size of the file, or the reason why it cannot be read.

    Calls meanwhile now and then: a file may be large.
    """
    try:
        # The file may have been replaced since the walk: by a link, or by a pipe whose opening would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return {"error": "not a regular file any more"}
            return _digest_of(file, meanwhile)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return {"error": "not a regular file any more"}
        return {"error": error.strerror or str(error)}


def _digest_of(file: Any, meanwhile: Callable[[], None]) -> dict[str, Any]:
    sha256 = hashlib.sha256()
    size = 0
    portion = memoryview(bytearray(_PORTION))
    while count := file.readinto(portion):
        sha256.update(portion[:count])
        size += count
        meanwhile()
    return {"sha256": sha256.hexdigest(), "bytes": size}
