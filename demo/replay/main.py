"""Replays the transfers of a directory through the ledger's primitives, shows how far it is, proves the outcome."""

from __future__ import annotations

import argparse
import sys
import time

from frame.progress import count
from frame.running import conduct
from replay import stated
from replay.books import BadSet, Books
from replay.ledger import Ledger, connect
from replay.proof import Proof
from replay.replaying import Replay


def main() -> int:
    """Runs the demonstration and returns its exit code."""
    parser = argparse.ArgumentParser(prog="replay", description=__doc__, allow_abbrev=False)
    parser.add_argument("directory", help="where the set is: transfers.csv, creates.csv, consumes.csv, openings.csv")
    directory = parser.parse_args().directory
    return conduct(lambda: _run(directory))


def _run(directory: str) -> int:
    try:
        books = Books(directory)
    except BadSet as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
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
