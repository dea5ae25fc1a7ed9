"""The main process: starts the workers, shows how far they are, kills one with money in its hands, proves the outcome."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import time
from typing import Any

from frame.progress import Progress, count
from frame.running import RunFailed, conduct
from paying import database
from paying.database import Look
from paying.orders import Orders
from paying.proof import Proof
from paying.worker import live

_GRACE_SECONDS = 5.0
# Nothing ends for so long: then nothing will.
_STALLED_AFTER_SECONDS = 60.0

_context: Any = multiprocessing.get_context("fork")


def main() -> int:
    """Runs the demonstration and returns its exit code."""
    parser = argparse.ArgumentParser(prog="paying", description=__doc__, allow_abbrev=False)
    parser.add_argument("--orders", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=4)
    options = parser.parse_args()
    return conduct(lambda: _run(Orders(options.orders), options.workers))


def _run(orders: Orders, workers: int) -> int:
    setup = database.connect("setup")
    database.set_up(setup, orders)
    setup.close()
    print(f"{count(len(orders.all), 'order')}, {count(workers, 'worker')}", flush=True)
    started = time.monotonic()
    run = Run(orders, workers)
    try:
        run.start()
        run.watch()
    finally:
        run.end()
    seconds = time.monotonic() - started
    proof = Proof(run.connection, orders, run.looks, run.lost, run.victim)
    holds = proof.run()
    print(f"\n{count(len(orders.paid), 'payment')} in {seconds:.1f} s, the wait for the rescue included")
    print("Proved." if holds else "FAILED")
    return 0 if holds else 1


class Run:
    """The workers, and what is seen of their work."""

    def __init__(self, orders: Orders, workers: int) -> None:
        self.orders = orders
        self.names = [f"worker {n}" for n in range(1, workers + 1)]
        self.victim = self.names[0]
        self.processes: dict[str, Any] = {}
        self.connection: Any = None
        self.looks: list[Look] = []
        self.lost: list[int] = []
        self.killed = False

    def start(self) -> None:
        """Starts all workers. No connection may be open: a child would share it."""
        for name in self.names:
            self.processes[name] = _context.Process(target=live, args=(name,), name=name, daemon=True)
            self.processes[name].start()
        self.connection = database.connect("main")

    def watch(self) -> None:
        """Follows the run until every job has ended."""
        progress = Progress("payments", "orders")
        total = len(self.orders.all)
        moved_at = time.monotonic()
        while True:
            database.rows(self.connection, "call awa.maintain()")  # for where there is no background worker
            look = database.look(self.connection)
            if not self.looks or look.ended > self.looks[-1].ended:
                moved_at = time.monotonic()
            self.looks.append(look)
            if look.ended == total:
                break
            if not self.killed and 4 * look.ended >= total:
                self._kill(progress)
            for name, process in self.processes.items():
                if not process.is_alive() and not (self.killed and name == self.victim):
                    raise RunFailed(f"{name} ended unexpectedly, with exit code {process.exitcode}")
            if time.monotonic() - moved_at > _STALLED_AFTER_SECONDS:
                raise RunFailed(f"nothing has ended for {_STALLED_AFTER_SECONDS:.0f} s")
            if progress.due():
                progress.show(look.ended, total, f"{look.held / 100:,.2f} held")
            time.sleep(0.02)
        progress.finish(total, total)

    def _kill(self, progress: Progress) -> None:
        """Kills the victim between two statements, when it holds money and has not spent it."""
        process = self.processes[self.victim]
        os.kill(process.pid, signal.SIGSTOP)
        while not database.is_idle(self.connection, self.victim):
            time.sleep(0.005)
            if database.is_within(self.connection, self.victim):  # stopped within a transaction: let it go on a little
                os.kill(process.pid, signal.SIGCONT)
                time.sleep(0.003)
                os.kill(process.pid, signal.SIGSTOP)
        # Its last statement may be on its way: it will have at least one of two left.
        if len(database.held_by(self.connection, self.victim)) < 2:
            os.kill(process.pid, signal.SIGCONT)  # the next look will do
            return
        process.kill()
        process.join()
        self.killed = True
        while not database.is_gone(self.connection, self.victim):
            time.sleep(0.01)
        self.lost = database.held_by(self.connection, self.victim)
        progress.say(f"{self.victim} was killed with {count(len(self.lost), 'hold')} in its hands")

    def end(self) -> None:
        """Ends all workers, by force if they do not go by themselves."""
        until = time.monotonic() + _GRACE_SECONDS
        for process in self.processes.values():
            if process.is_alive():
                process.terminate()
        for process in self.processes.values():
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
