"""The connection, what is set up, and the reads of the demonstration. Where the server is, PGHOST and its kin tell."""

from __future__ import annotations

from typing import Any, NamedTuple

import psycopg2
from psycopg2.extras import Json

from paying.orders import ASSET, WORLD, Orders

QUEUE = "payments"
KIND = "pay"


def connect(name: str) -> Any:
    """A connection on which every statement is a transaction of its own, unless said otherwise."""
    connection = psycopg2.connect(application_name=f"paying {name}")
    connection.autocommit = True
    return connection


def rows(connection: Any, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchall() if cursor.description else []


def set_up(connection: Any, orders: Orders) -> None:
    """Accounts with money, and a job for each order. A worker that is silent for three seconds is taken for dead."""
    rows(connection, "select awa_ledger.create_asset(%s, 'EUR', 2)", ASSET)
    rows(connection, "select awa_ledger.create_account(a) from unnest(%s::bigint[]) a", orders.accounts)
    rows(connection, "select awa_ledger.set_limits(%s, 0, %s, floor => null)", WORLD, ASSET)
    for buyer, amount in orders.deposits.items():
        leg = {"from": WORLD, "to": buyer, "asset": ASSET, "amount": amount}
        rows(connection, "select awa_ledger.transfer(%s, idempotency_key => %s)", Json([leg]), f"deposit {buyer}")
    rows(connection, "select awa.create_queue(%s, stale_after => '3 s', backoff_base => '100 ms', backoff_cap => '1 s')", QUEUE)
    rows(connection, "select awa.enqueue_many(%s, %s, %s::jsonb[])",
         QUEUE, KIND, [Json(order._asdict()) for order in orders.all])  # fmt: skip


class Look(NamedTuple):
    """What there is at one moment."""

    ended: int  # jobs
    all_values: int  # of all accounts; 0, always
    owned: int  # by all but the outside world
    held: int


def look(connection: Any) -> Look:
    """One statement, so one moment."""
    (row,) = rows(
        connection,
        "select (select count(*) from awa.terminal_jobs where queue = %s), sum(value),"
        " sum(value) filter (where account <> %s), coalesce(sum(value) filter (where reservation is not null), 0)"
        " from awa_ledger.live_postings where asset = %s", QUEUE, WORLD, ASSET)  # fmt: skip
    return Look(*map(int, row))


def held_by(connection: Any, worker: str) -> list[int]:
    """Reservations of what a worker holds for its attempts just now: it writes its name on them."""
    return [row[0] for row in rows(
        connection,
        "select reservation from awa_ledger.open_holds join awa_ledger.holds using (reservation) where purpose = %s",
        worker)]  # fmt: skip


def is_idle(connection: Any, worker: str) -> bool:
    """Whether no statement of the worker is at work, and no transaction open."""
    return not rows(
        connection, "select from pg_stat_activity where application_name = %s and state <> 'idle'", f"paying {worker}")


def is_within(connection: Any, worker: str) -> bool:
    """Whether its session waits for it within a transaction."""
    return bool(rows(
        connection, "select from pg_stat_activity where application_name = %s and state like 'idle in%%'",
        f"paying {worker}"))  # fmt: skip


def is_gone(connection: Any, worker: str) -> bool:
    """Whether its session has ended."""
    return not rows(connection, "select from pg_stat_activity where application_name = %s", f"paying {worker}")
