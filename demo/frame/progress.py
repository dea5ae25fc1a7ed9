"""Live progress: one line, redrawn in place in a terminal; elsewhere a plain line now and then."""

from __future__ import annotations

import collections
import os
import shutil
import sys
import time

_REDRAW_SECONDS = 0.1
_PLAIN_SECONDS = 1.0
_RATE_OVER_SECONDS = 5.0
_WIDEST_BAR = 24
_NARROWEST_BAR = 8


class Progress:
    """Shows how far something has come."""

    def __init__(self, label: str, unit: str) -> None:
        self.label = label
        self.unit = unit
        self.terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.every = _REDRAW_SECONDS if self.terminal else _PLAIN_SECONDS
        started = time.monotonic()
        self.shown_at = started if not self.terminal else 0.0
        self.drawn = False
        self.past: collections.deque[tuple[float, int]] = collections.deque([(started, 0)])

    def due(self) -> bool:
        """Whether it is time to show again."""
        return time.monotonic() - self.shown_at >= self.every

    def slow_down(self, cost: float) -> None:
        """Shows less often if it costs this many seconds to know what to show: looking is not to hold up the work."""
        self.every = max(self.every, min(20 * cost, 2.0))

    def show(self, done: int, total: int, extra: str = "") -> None:
        """Shows done of total now."""
        self.shown_at = time.monotonic()
        columns = shutil.get_terminal_size().columns - 1 if self.terminal else 1000
        line = self._line(done, total, extra, columns)
        if self.terminal:
            sys.stdout.write("\r" + line + "\x1b[K")
            self.drawn = True
        else:
            sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def say(self, text: str) -> None:
        """Prints a line of its own without hurting the progress line."""
        self.clear()
        print(text, flush=True)
        self.shown_at = 0.0 if self.terminal else self.shown_at

    def finish(self, done: int, total: int) -> None:
        """Shows the end, and lets it stand."""
        self.show(done, total)
        if self.drawn:
            sys.stdout.write("\n")
            self.drawn = False

    def clear(self) -> None:
        """Takes the progress line away."""
        if self.drawn:
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()
            self.drawn = False

    def _line(self, done: int, total: int, extra: str, columns: int) -> str:
        """The line; what is extra goes first if there is no room, then the width of the bar."""
        share = min(done / total, 1.0) if total else 1.0
        rate = self._rate(done)
        text = f"{share:4.0%}  {done:,}/{total:,} {self.unit}  {rate:,.0f}/s"
        if rate > 0 and done < total:
            text += f"  {duration((total - done) / rate)} left"
        room = columns - len(f"{self.label} [] {text}")
        if extra and room - len(f"  {extra}") >= _NARROWEST_BAR:
            text += f"  {extra}"
            room -= len(f"  {extra}")
        width = max(min(room, _WIDEST_BAR), 0)
        filled = int(share * width)
        return f"{self.label} [{'#' * filled}{'-' * (width - filled)}] {text}"[:columns]

    def _rate(self, done: int) -> float:
        """Per second, over the last few seconds."""
        now = time.monotonic()
        self.past.append((now, done))
        while len(self.past) > 2 and now - self.past[0][0] > _RATE_OVER_SECONDS:
            self.past.popleft()
        since, before = self.past[0]
        return (done - before) / (now - since) if now > since else 0.0


def count(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """A time span as people say it."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
