"""All that is asked of the ledger. A connection leads where libpq's variables say: PGHOST and its kin."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Sequence

import psycopg2
import psycopg2.extras

from frame.running import RunFailed

ASSET = 1
# Owns what the set does not explain: openings and what coinbases issue come from here, so its balance is negative.
OUTSIDE = 1
# Gets what a transfer consumes and does not create.
FEES = 2
_FIRST_OWNER = 3
# The place of a transfer's posting to one of these two, out of the way of its own.
OTHER_SIDE = 2147483647
# Of the program's own tables: transfers are noted in the transaction that makes them.
_TABLE = """
create table bitcoin_transactions (
    txid text primary key, transfer_id bigint not null unique, kind text not null, height int
)"""

# transfer, place, account, value
Row = tuple[int, int, int, int]


class Refused(RunFailed):
    """The ledger changed less than it was asked to. The text is for the user."""


def connect() -> Any:
    """A connection on which every statement is a transaction of its own."""
    connection = psycopg2.connect(application_name="replay")
    connection.autocommit = True
    return connection


class Ledger:
    """The primitives, as this program uses them."""

    def __init__(self, connection: Any) -> None:
        self.cursor = connection.cursor()

    def ask(self, sql: str, *parameters: Any) -> Any:
        """The first row."""
        self.cursor.execute(sql, parameters)
        return self.cursor.fetchone()

    def rows(self, sql: str, *parameters: Any) -> list[Any]:
        """All rows."""
        self.cursor.execute(sql, parameters)
        return self.cursor.fetchall()

    def open_books(self, owners: Sequence[str]) -> dict[str, int]:
        """Creates the asset and an account for each owner. Returns their numbers."""
        self.cursor.execute(_TABLE)
        self.ask("select awa_ledger.create_asset(%s, 'BTC', 8)", ASSET)
        names = ["outside", "fees", *owners]
        for start in range(0, len(names), 1000):
            codes = names[start : start + 1000]
            self.rows(
                "select awa_ledger.create_account(%s + n, code => code, flags => '{keep_postings}') from unnest(%s) with ordinality u(code, n)",
                start, codes,
            )  # fmt: skip
        return {owner: number for number, owner in enumerate(owners, _FIRST_OWNER)}

    def ids(self) -> Iterator[int]:
        """Ids for transfers and reservations, drawn by the thousand."""
        while True:
            yield from [row[0] for row in self.rows("select awa_ledger.new_ids(1000)")]

    def insert(self, rows: Sequence[Row]) -> int:
        """Creates postings, of one transfer or of many. Returns how many are new."""
        return int(self.ask("select " + _INSERT, *_arrays(rows))[0])

    def note(self, noted: Iterable[tuple[str, int, str, int | None]]) -> None:
        """Remembers which transfers are which: txid, transfer, kind, height."""
        psycopg2.extras.execute_values(self.cursor, "insert into bitcoin_transactions values %s", list(noted))

    def reserve(self, ids: list[str], reservation: int) -> tuple[int, int]:
        """Reserves postings. Returns how many, and what all of them are worth."""
        reserved, value = self.ask(
            "select awa_ledger.reserve(%s::text[], %s), coalesce(sum(value), 0) "
            "from awa_ledger.posting_states(%s::text[])", ids, reservation, ids,
        )  # fmt: skip
        return int(reserved), int(value)

    def carry_out(
        self, txid: str, kind: str, height: int, transfer: int, reservation: int, ids: list[str], rows: Sequence[Row]
    ) -> tuple[int, int]:
        """One transfer, one statement, one transaction: spends, creates, notes. Returns both counts."""
        spent, created = self.ask(
            "with noted as (insert into bitcoin_transactions values (%s, %s, %s, %s)) "
            "select awa_ledger.consume(%s::text[], %s, %s), " + _INSERT,
            txid, transfer, kind, height, ids, reservation, transfer, *_arrays(rows),
        )  # fmt: skip
        return int(spent), int(created)


_INSERT = (
    "awa_ledger.insert_postings(%s::bigint[], %s::int[], %s::bigint[], %s::bigint[], %s::int[], %s::bigint[])"
)


def _arrays(rows: Sequence[Row]) -> list[list[int]]:
    """The parallel arrays of insert_postings."""
    transfers, places, accounts, values = (list(column) for column in zip(*rows)) if rows else ([], [], [], [])
    return [transfers, places, accounts, [0] * len(rows), [ASSET] * len(rows), values]
