"""The frame of a main process: it ends cleanly when the user stops it, and says in one line what went wrong."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, Callable, NoReturn

import psycopg2

SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class RunFailed(Exception):
    """The run cannot go on. The text is for the user."""


class Stopped(BaseException):
    """The user wants us to stop."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def conduct(body: Callable[[], int], how_far: Callable[[], str] = str) -> int:
    """Runs the body and returns its exit code: 1 if it failed, 128 and the signal's number if it was stopped.

    how_far says for the last line how far it had come.
    """
    for number in SIGNALS:
        signal.signal(number, _stop)
    try:
        return body()
    except Stopped as stopped:
        _last_words(f"Stopped {how_far()}".rstrip() + ". The server and all files of the run go away now.")
        return 128 + stopped.number
    except RunFailed as failure:
        _last_words(f"FAILED  {failure}")
    except psycopg2.Error as error:
        _last_words(f"FAILED  {type(error).__name__}: {one_line(error)}")
    except BrokenPipeError:
        _last_words("")
    return 1


def one_line(error: BaseException) -> str:
    """An error in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _stop(number: int, _frame: Any) -> NoReturn:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # once is enough: the cleaning is not to be stopped
    raise Stopped(number)


def _last_words(text: str) -> None:
    """Prints a line over the progress line, if anybody still reads."""
    try:
        print(("\r\x1b[K" if sys.stdout.isatty() else "") + text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
