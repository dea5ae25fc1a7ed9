"""The processes: starts the producer and the workers, hears what they tell, notices when one dies."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import time
import traceback
from functools import partial
from typing import Any, Callable, Iterator

from checksum import database
from checksum.messages import Broken, Killed, Left, Walked
from checksum.producer import produce
from checksum.worker import Worker
from frame.running import SIGNALS, RunFailed, one_line

# How long processes that were told to end may take before they are killed: the server is thrown away anyway.
GRACE_SECONDS = 1.0

# A database that is really used calls maintain() once a second, from a worker or any scheduler.
KEEP_EVERY_SECONDS = 0.2

_context: Any = multiprocessing.get_context("fork")

Tell = Callable[[Any], None]
Task = Callable[[Tell], None]


class Member:
    """One process and the pipe it tells through."""

    def __init__(self, name: str, task: Task) -> None:
        self.name = name
        self.asked_to_leave = False
        self.killed = False
        self.said_last_word = False
        self.inbox, outbox = _context.Pipe(duplex=False)
        self.process = _context.Process(target=_live, args=(task, outbox), name=name, daemon=True)
        self.process.start()
        outbox.close()

    def ask_to_leave(self) -> None:
        """Tells a worker to finish what it holds and go, as any service manager does: with SIGTERM."""
        self.asked_to_leave = True
        if self.process.is_alive():
            self.process.terminate()


    def kill(self) -> None:
        """Ends it at once and without a word, as a power cut would."""
        self.killed = True
        self.process.kill()


class Team:
    """The producer, the one who keeps the house, and the workers."""

    def __init__(self, root: bytes, workers: int, batch: int) -> None:
        self.tasks: dict[str, Task] = {"producer": partial(_produce, root), "keeper": _keep}
        for number in range(1, workers + 1):
            self.tasks[f"worker {number}"] = partial(_work, f"worker {number}", batch)
        self.members: list[Member] = []

    def start(self) -> None:
        """Starts all processes. No connection may be open: a child would share it."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until a child has handlers of its own
        try:
            for name, task in self.tasks.items():
                self.members.append(Member(name, task))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @property
    def workers(self) -> list[Member]:
        """All but the producer and the keeper."""
        return self.members[2:]

    def messages(self, seconds: float) -> Iterator[tuple[Member, Any]]:
        """What the members tell; waits for at most this long. Raises RunFailed if one ended that should not have."""
        inboxes = {member.inbox: member for member in self.members if not member.inbox.closed}
        if not inboxes:
            time.sleep(seconds)
            return
        for inbox in multiprocessing.connection.wait(list(inboxes), seconds):
            member = inboxes[inbox]
            try:
                message = inbox.recv()
            except (EOFError, OSError):
                inbox.close()
                if member.killed:
                    member.said_last_word = True
                    yield member, Killed()
                elif not member.said_last_word:
                    _let_signals_arrive()
                    raise RunFailed(f"{member.name} ended unexpectedly{_cause(member)}")
                continue
            if isinstance(message, Broken):
                _let_signals_arrive()
                raise RunFailed(f"{member.name}: {message.reason}")
            if isinstance(message, (Left, Walked)):
                member.said_last_word = True
                if isinstance(message, Left) and not member.asked_to_leave:
                    _let_signals_arrive()
            yield member, message

    def at_work(self) -> list[Member]:
        """The workers that have not left."""
        return [worker for worker in self.workers if not worker.said_last_word]

    def end(self) -> None:
        """Ends all processes, by force if they do not go by themselves."""
        until = time.monotonic() + GRACE_SECONDS
        for member in self.members:
            if member.process.is_alive():
                member.process.terminate()
        for member in self.members:
            member.process.join(max(0.0, until - time.monotonic()))
            if member.process.is_alive():
                member.process.kill()
                member.process.join()


def _produce(root: bytes, tell: Tell) -> None:
    _on_sigterm(signal.SIG_DFL)
    produce(database.connect("producer"), root, tell)


def _keep(_tell: Tell) -> None:
    _on_sigterm(signal.SIG_DFL)
    connection = database.connect("keeper")
    while True:
        database.keep_house(connection)
        time.sleep(KEEP_EVERY_SECONDS)


def _work(name: str, batch: int, tell: Tell) -> None:
    worker = Worker(batch, tell)
    _on_sigterm(worker.leave)
    worker.run(database.connect(name))


def _on_sigterm(handler: Any) -> None:
    signal.signal(signal.SIGTERM, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _live(task: Task, outbox: Any) -> None:
    """The life of a member. Ctrl-C in a terminal may reach every process: only the main one answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        task(outbox.send)
    except Exception as error:  # told, not shown: the main process decides what is worth a line
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(where.filename)}:{where.lineno}"
        try:
            outbox.send(Broken(f"{type(error).__name__}: {one_line(error)} ({place})"))
        except OSError:
            pass
        os._exit(1)


def _let_signals_arrive() -> None:
    """A signal to the whole group ends the members too. It is then the reason, and raises here."""
    time.sleep(0.2)


def _cause(member: Member) -> str:
    member.process.join(1)
    code = member.process.exitcode
    if code is None:
        return ""
    if code < 0:
        return f": killed by {signal.Signals(-code).name}"
    return f" with exit code {code}"
