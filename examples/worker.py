#!/usr/bin/env python3
"""A small worker for awa_ring, with psycopg2.

    examples/worker.py QUEUE [QUEUE…]        the server is the one that PGHOST, PGDATABASE, … name

It claims jobs in batches, does each in a transaction that also completes it, and leaves on SIGTERM or SIGINT when all
that it claimed is done. A lost connection is made again; the receipts outlive it. Put your own handlers into HANDLERS.
"""

import collections
import contextlib
import json
import logging
import select
import signal
import sys
import time

import psycopg2

BATCH = 10  # jobs claimed at a time: a worker that is told to leave finishes as many
IDLE_SECONDS = 1.0  # longest pause between two looks at empty queues
Job = collections.namedtuple("Job", "receipt job_id kind args")


def greet(cursor, args):
    """A handler: does one job. What it writes with `cursor` is committed together with the completion."""
    cursor.execute("SELECT pg_sleep(%s)", (args.get("seconds", 0),))
    return {"greeted": args["name"]}


HANDLERS = {"greet": greet}


class Worker:
    def __init__(self, queues):
        self.queues = queues
        self.held = collections.deque()  # claimed, not completed yet
        self.leaving = False

    def leave(self, *_):
        """Signal handler: stops claiming."""
        self.leaving = True

    def run(self):
        while not self.leaving or self.held:
            try:
                self.serve()
            except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
                if self.leaving:
                    break
                logging.warning("lost the server, trying again: %s", error)
                time.sleep(IDLE_SECONDS)
        for job in self.held:
            logging.error("job %s stays claimed, receipt %s", job.job_id, job.receipt)

    def serve(self):
        """Works until there is nothing left to do here, or the connection breaks."""
        connection = psycopg2.connect("", application_name="worker.py")
        try:
            connection.autocommit = True
            self.listen(connection)
            while True:
                while self.held:
                    self.work(connection, self.held[0])
                    self.held.popleft()
                if self.leaving:
                    return
                self.claim(connection)
                if not self.held:
                    self.wait(connection)
        finally:
            connection.close()

    def listen(self, connection):
        """Asks to be woken for queues whose setting `notify` is on; the others are looked at once in IDLE_SECONDS."""
        with connection.cursor() as cursor:
            for queue in self.queues:
                cursor.execute("SELECT format('LISTEN %%I', awa.channel(%s))", (queue,))
                cursor.execute(cursor.fetchone()[0])

    def claim(self, connection):
        """A transaction of its own, committed before the work begins: autocommit is on."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT receipt, job_id, kind, args FROM awa.claim(%s, %s)", (self.queues, BATCH))
            self.held.extend(Job(*row) for row in cursor)

    def wait(self, connection):
        select.select([connection], [], [], IDLE_SECONDS)
        connection.poll()
        connection.notifies.clear()

    def work(self, connection, job):
        try:
            with transaction(connection) as cursor:
                result = HANDLERS[job.kind](cursor, job.args)
                cursor.execute("SELECT awa.complete_one(%s, %s)", (job.receipt, json.dumps(result)))
                if not cursor.fetchone()[0]:
                    # The attempt is over already: what was written for it here is rolled back.
                    raise RuntimeError("the receipt is stale")
            logging.info("job %s %s: %s", job.job_id, job.kind, result)
        except Exception as error:
            if connection.closed:
                raise psycopg2.OperationalError("connection lost") from error  # the job is done again on a new one
            # This version of awa_ring has no awa.fail yet. A job that is not completed would stay claimed, so a failure
            # is kept as a result, which the application can look for in awa.terminal_jobs.
            logging.error("job %s failed: %r", job.job_id, error)
            with connection.cursor() as cursor:
                failure = json.dumps({"error": repr(error)})
                cursor.execute("SELECT awa.complete_one(%s, %s)", (job.receipt, failure))


@contextlib.contextmanager
def transaction(connection):
    """A transaction on a connection that is in autocommit mode otherwise."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        try:
            yield cursor
            cursor.execute("COMMIT")
        except BaseException:
            if not connection.closed:
                cursor.execute("ROLLBACK")
            raise


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    worker = Worker(sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, worker.leave)
    worker.run()
    logging.info("left")


if __name__ == "__main__":
    main()
