"""Replays the transfers of a directory through the ledger's primitives, shows how far it is, proves the outcome."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from typing import Any, NoReturn

import psycopg2

from checksum.progress import count
from replay import stated
from replay.books import BadSet, Books
from replay.ledger import Ledger, Refused, connect, one_line
from replay.proof import Proof
from replay.replaying import Replay

_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class Stopped(BaseException):
    """The user wants us to stop."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def main() -> int:
    """Runs the demonstration and returns its exit code."""
    parser = argparse.ArgumentParser(prog="replay", description=__doc__, allow_abbrev=False)
    parser.add_argument("directory", help="where the set is: transfers.csv, creates.csv, consumes.csv, openings.csv")
    directory = parser.parse_args().directory
    for number in _SIGNALS:
        signal.signal(number, _stop)
    try:
        return _run(directory)
    except BadSet as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Stopped as stopped:
        _last_words("Stopped. The server and all files of the run go away now.")
        return 128 + stopped.number
    except Refused as refused:
        _last_words(f"FAILED  {refused}")
    except psycopg2.Error as error:
        _last_words(f"FAILED  {type(error).__name__}: {one_line(error)}")
    except BrokenPipeError:
        _last_words("")
    return 1


def _stop(number: int, _frame: Any) -> NoReturn:
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # once is enough: the cleaning is not to be stopped
    raise Stopped(number)


def _last_words(text: str) -> None:
    """Prints a line over the progress line, if anybody still reads."""
    try:
        print(("\r\x1b[K" if sys.stdout.isatty() else "") + text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(directory: str) -> int:
    books = Books(directory)
    known = stated.of(list(books.transfers))
    print(f"{known.name if known else directory}: {count(len(books.transfers), 'transfer')}", flush=True)
    replay = Replay(Ledger(connect()), books)
    started = time.monotonic()
    replay.run()
    seconds = time.monotonic() - started

    proof = Proof(replay, known)
    holds = proof.run()
    print()
    for name, value in proof.totals.items():
        print(f"  {name:<44} {value:>21,}")
    print(f"\n{count(replay.done, 'transfer')}, two commits each, and all openings in {seconds:.2f} s")
    print("Proved." if holds else "FAILED")
    return 0 if holds else 1
