"""A worker that moves money. This is the part to copy.

1. Hold what the job will cost, for the attempt: `receipt` binds the hold to it, and a key that names the order makes
   sure that a call that is sent twice holds once. It is committed before the outside world is asked.
2. Ask whoever has to be asked, with no transaction open.
3. Post the hold and complete the attempt, strictly, in one transaction: both happen, or none.
4. If it is not to be, fail the job. What was held is free in the same commit; there is nothing to undo.

A worker that dies in between leaves nothing behind: its attempts are rescued, and what they held is free with that. What
a worker does too late, when another has its job already, is refused: the hold is over, the receipt is stale.
"""

from __future__ import annotations

import signal
import time
from typing import Any

import psycopg2
from psycopg2.extras import Json

from paying.database import QUEUE, connect, rows
from paying.orders import ASSET, FEES, Order

BATCH = 8
ANSWER_SECONDS = 0.004  # of the shop
PAUSE_SECONDS = 0.05

# The hold is over, the attempt is over, its receipt is stale, a deadlock: somebody else does it now, or will.
NOT_OURS = {"AW106", "AW107", "AW001", "40P01"}


def live(name: str) -> None:
    """The life of a worker process: until it is told to leave."""
    leaving = False

    def leave(*_signal: Any) -> None:
        nonlocal leaving
        leaving = True

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, leave)
    worker = Worker(name)
    while not leaving:
        if not worker.turn():
            time.sleep(PAUSE_SECONDS)


class Worker:
    """Claims orders, holds, asks, pays."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connection = connect(name)

    def turn(self) -> bool:
        """One batch. Returns whether there was any."""
        claimed = rows(self.connection, "select receipt, args from awa.claim(%s, %s)", [QUEUE], BATCH)
        jobs = [(receipt, Order(**args)) for receipt, args in claimed]
        holds = [self.hold(receipt, order) for receipt, order in jobs]
        for (receipt, order), reservation in zip(jobs, holds):
            if reservation is None:
                continue
            time.sleep(ANSWER_SECONDS)
            if order.sold_out:
                rows(self.connection, "select awa.fail(%s, 'sold out', terminal => true)", receipt)
            else:
                self.pay(receipt, order, reservation)
        return bool(jobs)

    def hold(self, receipt: str, order: Order) -> int | None:
        """Sets the money aside, for this attempt and no longer. None: the attempt is over already."""
        try:
            ((reservation,),) = rows(
                self.connection,
                "select awa_ledger.hold(%s, 0, %s, %s, expires_in => '1 hour', purpose => %s, receipt => %s,"
                " idempotency_key => %s)",
                order.buyer, ASSET, order.total, self.name, receipt, f"order {order.number}")  # fmt: skip
            return int(reservation)
        except psycopg2.Error as error:
            if error.pgcode not in NOT_OURS:
                raise
            return None

    def pay(self, receipt: str, order: Order, reservation: int) -> None:
        """Spends what is held and completes the attempt, or does neither."""
        legs = [{"from": order.buyer, "to": order.shop, "asset": ASSET, "amount": order.price},
                {"from": order.buyer, "to": FEES, "asset": ASSET, "amount": order.fee}]  # fmt: skip
        self.connection.autocommit = False
        try:
            rows(self.connection, "select awa_ledger.post(%s, %s, metadata => %s)",
                 reservation, Json(legs), Json({"order": order.number}))  # fmt: skip
            rows(self.connection, "select awa.complete(%s::awa.receipt[], strict => true)", [receipt])
            self.connection.commit()
        except psycopg2.Error as error:
            self.connection.rollback()
            if error.pgcode not in NOT_OURS:
                raise
        finally:
            self.connection.autocommit = True
