"""The main process: starts the others, shows how far they are, kills a worker, lets another go, proves the outcome."""

from __future__ import annotations

import argparse
import os
import pwd
import sys
import time
from typing import Any

from checksum import database, independent, names
from checksum.messages import Claimed, Completed, Killed, Left
from checksum.proof import Proof
from checksum.tally import Tally
from checksum.team import Member, Team
from frame.progress import Progress, count
from frame.running import RunFailed, conduct

# If all is enqueued and nobody holds anything, a job that does not come within this time never will.
STALLED_AFTER_SECONDS = 30.0
_LISTED = 100


def main() -> int:
    """Runs the demonstration and returns its exit code."""
    options = _options()
    tally = Tally(options.workers)
    return conduct(lambda: _run(os.fsencode(options.directory), options, tally), lambda: _how_far(tally))


def _how_far(tally: Tally) -> str:
    if not tally.enqueued:
        return "before the first job"
    if tally.finished():
        return "after the last job, before the proof was complete"
    return f"after {tally.completed:,} of {count(len(tally.enqueued), 'job')}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="checksum", description=__doc__, allow_abbrev=False)
    parser.add_argument("directory", help="absolute path of the directory to checksum")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=32)
    options = parser.parse_args()
    root = os.fsencode(options.directory).rstrip(b"/") or b"/"
    try:
        os.scandir(root).close()
    except OSError as error:
        user = pwd.getpwuid(os.geteuid()).pw_name
        print(f"error: {names.to_text(root)}: {error.strerror} (the jobs run as the user {user})", file=sys.stderr)
        raise SystemExit(2) from None
    options.directory = os.fsdecode(root)
    return options


def _run(root: bytes, options: argparse.Namespace, tally: Tally) -> int:
    before = set(independent.find(root))
    setup = database.connect("setup")
    database.create_queue(setup)
    setup.close()

    crew = f"a producer, {count(options.workers, 'worker')}"
    print(f"{count(len(before), 'file')} below {names.to_text(root)}, {crew}", flush=True)
    tally.started = tally.ended = time.monotonic()
    team = Team(root, options.workers, options.batch)
    try:
        team.start()
        connection = database.connect("main")
        _watch(connection, team, tally, len(before))
    finally:
        team.end()

    proof = Proof(root, tally, before)
    holds = proof.run(connection)
    _print_totals(tally, proof)
    unreadable = tally.unreadable_directories + proof.unreadable
    _print_list("could not be read", [f"{name}: {why}" for name, why in unreadable])
    _print_list("changed while the jobs ran", sorted(proof.changed))
    print("Proved." if holds else "FAILED")
    return 0 if holds else 1


def _watch(connection: Any, team: Team, tally: Tally, expected: int) -> None:
    """Follows the run to its end: all jobs completed, all workers gone."""
    progress = Progress("checksums", "files")
    victim = team.workers[0] if len(team.workers) > 1 else None
    leaver = team.workers[-1] if len(team.workers) > 2 else None
    dismissed = False
    while team.at_work():
        for member, message in team.messages(progress.every):
            tally.add(member.name, message)
            if isinstance(message, Left) and (member is leaver or not dismissed):
                progress.say(_farewell(member, message, tally))
            if isinstance(message, Killed):
                progress.say(_obituary(connection, member, tally))
            # Midway, and with work in its hands.
            if member is victim and isinstance(message, Claimed) and 0 < expected <= 4 * tally.completed:
                member.kill()
        if leaver and not leaver.asked_to_leave and 0 < expected <= 2 * tally.completed:
            leaver.ask_to_leave()
        if tally.finished() and not dismissed:
            dismissed = True
            for worker in team.workers:
                worker.ask_to_leave()
        _look_for_stall(tally)
        if progress.due():
            asked = time.monotonic()
            claimed, completed = database.stats(connection)
            progress.slow_down(time.monotonic() - asked)
            total = len(tally.enqueued) if tally.walked else max(expected, len(tally.enqueued))
            in_hand = max(claimed - completed, 0)
            progress.show(completed, total, f"{in_hand:,} in hand, {count(len(team.at_work()), 'worker')}")
    progress.finish(tally.completed, len(tally.enqueued))
    if not tally.finished():
        raise RunFailed(f"all workers left; {count(len(tally.enqueued) - tally.completed, 'job')} not done")


def _farewell(member: Member, left: Left, tally: Tally) -> str:
    why = "was asked to leave midway" if member.asked_to_leave else "was told to leave by someone else"
    done = len(tally.workers[member.name].completed)
    return f"{member.name} {why}: finished the {count(left.finished, 'job')} it held, {done:,} in all; the others go on"


def _obituary(connection: Any, member: Member, tally: Tally) -> str:
    """What it had completed and could not tell is known to the queue alone."""
    worker = tally.workers[member.name]
    tally.add(member.name, Completed(database.completed_of(connection, member.name, worker.held), []))
    held = count(len(worker.held), "job")
    return f"{member.name} was killed: the {held} it held come back when it has been silent for 5 s"


def _look_for_stall(tally: Tally) -> None:
    idle = time.monotonic() - tally.told_at
    if tally.walked and not tally.finished() and not tally.holding() and idle > STALLED_AFTER_SECONDS:
        missing = len(tally.enqueued) - tally.completed
        raise RunFailed(f"{count(missing, 'job')} not done, but for {idle:.0f} s no worker could claim any")


def _print_totals(tally: Tally, proof: Proof) -> None:
    seconds = tally.seconds()
    rate = tally.completed / seconds if seconds > 0 else 0.0
    print(f"\n{count(len(proof.results), 'file')}, {proof.size:,} bytes, {seconds:.2f} s, {rate:,.0f} jobs/s")
    for worker in tally.workers.values():
        done = len(worker.completed)
        share = done / tally.completed if tally.completed else 0.0
        print(f"  {worker.name:<10} {done:>10,} jobs {share:>6.1%}")


def _print_list(title: str, lines: list[str]) -> None:
    if not lines:
        return
    print(f"\n{len(lines):,} {title}:")
    for line in lines[:_LISTED]:
        print(f"  {line}")
    if len(lines) > _LISTED:
        print(f"  and {len(lines) - _LISTED:,} more")
