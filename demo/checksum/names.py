"""File names as text.

A file name is any bytes but NUL and the slash; the args of a job are JSON, which is Unicode. Names therefore travel
with everything but printable ASCII percent-encoded: one name has one text and one text one name. The text is also what
is shown, as it holds nothing that could upset a terminal.
"""

from __future__ import annotations

import urllib.parse

_KEPT = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


def to_text(path: bytes) -> str:
    """The text of a path."""
    return urllib.parse.quote_from_bytes(path, safe=_KEPT)


def to_path(text: str) -> bytes:
    """The path of a text."""
    return urllib.parse.unquote_to_bytes(text)
