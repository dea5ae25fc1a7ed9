"""The proof at the end: what the queue says, what the workers told and what find and sha256sum see must agree.

Files may change while the jobs run; a directory in use cannot be held still. What find saw only before or only after
the run, and files that were changed since its start, are therefore counted and listed, but held against nobody.
"""

from __future__ import annotations

import collections
import os
from typing import Any, Iterable

from checksum import database, independent, names
from checksum.tally import Tally
from frame.progress import Progress, count

_EXAMPLES = 5

# The clock that stamps files ticks more coarsely than the one of the program.
_CLOCK_SLACK_SECONDS = 0.1


class Proof:
    """Collects the evidence, then checks one statement after the other and prints each with its verdict."""

    def __init__(self, root: bytes, tally: Tally, before: set[bytes]) -> None:
        self.root = root
        self.tally = tally
        self.before = before
        self.holds = True
        self.states: collections.Counter[str] = collections.Counter()
        self.job_ids: list[int] = []
        self.results: dict[str, dict[str, Any]] = {}
        self.twice: list[str] = []
        self.changed: list[str] = []

    @property
    def unreadable(self) -> list[tuple[str, str]]:
        """Files whose job ended with a reason instead of a digest."""
        return sorted((name, result["error"]) for name, result in self.results.items() if "error" in result)

    @property
    def size(self) -> int:
        """Bytes of all files that were read."""
        return sum(result.get("bytes", 0) for result in self.results.values())

    def run(self, connection: Any) -> bool:
        """Checks everything. Returns whether all holds."""
        self._read_jobs(connection)
        after = set(independent.find(self.root))
        digests = self._sha256sum(len(after))
        self._files(after)
        self._completions()
        self._counts(database.counts(connection), database.unfinished_jobs(connection))
        self._workers()
        self._digests(digests, after)
        self._verdict("awa.check() finds nothing", database.violations(connection))
        return self.holds

    def _read_jobs(self, connection: Any) -> None:
        for job_id, state, name, result in database.terminal_jobs(connection):
            self.job_ids.append(job_id)
            self.states[state] += 1
            if name in self.results:
                self.twice.append(name)
            self.results[name] = result if isinstance(result, dict) else {}

    def _sha256sum(self, total: int) -> dict[str, str]:
        digests = {}
        progress = Progress("sha256sum", "files")
        for path, digest in independent.sha256sum(self.root):
            digests[names.to_text(path)] = digest
            if progress.due():
                progress.show(len(digests), total)
        progress.clear()
        return digests

    def _verdict(self, statement: str, faults: Iterable[str]) -> None:
        faults = list(faults)
        print(f"{'FAILED' if faults else 'ok':<8}{statement}", flush=True)
        for fault in faults[:_EXAMPLES]:
            print(f"          {fault}")
        if len(faults) > _EXAMPLES:
            print(f"          and {len(faults) - _EXAMPLES:,} more")
        self.holds = self.holds and not faults

    def _files(self, after: set[bytes]) -> None:
        seen_before = {names.to_text(path) for path in self.before}
        seen_after = {names.to_text(path) for path in after}
        self.changed += [f"{name}: appeared" for name in seen_after - seen_before]
        self.changed += [f"{name}: vanished" for name in seen_before - seen_after]
        done = set(self.results)
        faults = [f"no job: {name}" for name in sorted((seen_before & seen_after) - done)]
        faults += [f"no such file: {name}" for name in sorted(done - (seen_before | seen_after))]
        faults += [f"more than one job: {name}" for name in self.twice]
        found = f"{count(len(seen_after), 'file')} by find, {count(len(done), 'job')}"
        self._verdict(f"every file has one job, every job a file: {found}", faults)

    def _completions(self) -> None:
        ids = collections.Counter(self.job_ids)
        otherwise = [(state, number) for state, number in self.states.items() if state != "completed"]
        faults = [f"{count(number, 'job')} ended as {state}" for state, number in otherwise]
        faults += [f"job {job_id}: {number} completions" for job_id, number in ids.items() if number > 1]
        enqueued = set(self.tally.enqueued)
        faults += [f"job {job_id}: no completion" for job_id in sorted(enqueued - set(ids))]
        faults += [f"job {job_id}: completed, but never enqueued" for job_id in sorted(set(ids) - enqueued)]
        speechless = [name for name, result in self.results.items() if not _answers(result)]
        faults += [f"{name}: neither digest nor reason" for name in sorted(speechless)]
        self._verdict(f"every job enqueued has one completion: {len(ids):,}", faults)

    def _counts(self, counts: dict[str, int], unfinished: list[tuple[int, str]]) -> None:
        enqueued = len(self.tally.enqueued)
        faults = []
        if counts.get("completed") != enqueued:
            faults.append(f"queue_counts says {counts.get('completed')} completed")
        if len(self.job_ids) != enqueued:
            faults.append(f"terminal_jobs has {len(self.job_ids):,} rows")
        counts.pop("completed", None)
        faults += [f"queue_counts says {number} {state}" for state, number in counts.items() if number]
        faults += [f"job {job_id} is {state}" for job_id, state in unfinished]
        self._verdict(f"counts agree: {enqueued:,} enqueued, as many completed, nothing left", faults)

    def _workers(self) -> None:
        """A job that a worker lost, because it was killed or was silent for too long, is done by another: by one."""
        workers = list(self.tally.workers.values())
        done = collections.Counter(job_id for worker in workers for job_id in worker.completed)
        claims = collections.Counter(job_id for worker in workers for job_id in worker.claimed)
        lost = collections.Counter(job_id for worker in workers for job_id in worker.held + worker.stale)
        faults = [f"job {job_id}: completed by {number} workers" for job_id, number in done.items() if number > 1]
        faults += [f"job {job_id}: {number} had it, {lost[job_id]} lost it" for job_id, number in claims.items()
                   if number != 1 + lost[job_id]]
        for worker in workers:
            if not worker.killed:
                faults += [f"job {job_id}: {worker.name} did not end it" for job_id in worker.held]
        faults += [f"job {job_id}: in no worker's tally" for job_id in sorted(set(self.job_ids) - set(done))]
        again = f", {len(lost):,} of them after another worker had lost it" if lost else ""
        self._verdict(f"each job was done by one worker: {len(done):,} in their tallies{again}", faults)

    def _digests(self, digests: dict[str, str], after: set[bytes]) -> None:
        equal = neither = 0
        faults = []
        for name, result in self.results.items():
            ours, theirs = result.get("sha256"), digests.get(name)
            if ours is not None and ours == theirs:
                equal += 1
            elif ours is None and theirs is None:
                neither += 1
            elif self._changed_meanwhile(name, after):
                self.changed.append(f"{name}: written")
            else:
                faults.append(f"{name}: {ours or result.get('error')}, sha256sum: {theirs or 'cannot read it'}")
        statement = f"digests equal those of sha256sum: {equal:,}"
        self._verdict(statement + (f", and {neither:,} that it cannot read either" if neither else ""), faults)

    def _changed_meanwhile(self, name: str, after: set[bytes]) -> bool:
        path = names.to_path(name)
        if path not in after or path not in self.before:
            return True
        try:
            return os.lstat(path).st_ctime >= self.tally.started_wall_clock - _CLOCK_SLACK_SECONDS
        except OSError:
            return True


def _answers(result: dict[str, Any]) -> bool:
    return "error" in result or ("sha256" in result and "bytes" in result)
