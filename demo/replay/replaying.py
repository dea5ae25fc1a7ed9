"""The replay: each transfer reserves its inputs, then consumes them and creates its outputs in one transaction."""

from __future__ import annotations

from frame.progress import Progress
from replay.books import Books, Output, Transfer
from replay.ledger import FEES, OTHER_SIDE, OUTSIDE, Ledger, Refused, Row

_POSTINGS_A_CALL = 5000


class Replay:
    """Remembers what it asked for: to ask again, and see that nothing changes."""

    def __init__(self, ledger: Ledger, books: Books) -> None:
        self.books = books
        self.done = 0
        self.ledger = ledger
        self._ids = ledger.ids()
        self.accounts: dict[str, int] = {}
        self.transfer_of: dict[str, int] = {}
        self._created: list[list[Row]] = []
        self._consumed: list[list[str]] = []

    def run(self) -> None:
        """All of it."""
        self.accounts = self.ledger.open_books(self.books.owners())
        self._load_openings()
        progress = Progress("transfers", "transfers")
        for transfer in self.books.transfers.values():
            self._carry_out(transfer)
            self.done += 1
            if progress.due():
                progress.show(self.done, len(self.books.transfers))
        progress.finish(self.done, len(self.books.transfers))

    def again(self) -> int:
        """Asks for everything once more. Returns how many postings that changed."""
        changed = 0
        for start in range(0, len(self._created), 200):
            rows = [row for created in self._created[start : start + 200] for row in created]
            changed += self.ledger.insert(rows)
        for start in range(0, len(self._consumed), 200):
            ids = [each for consumed in self._consumed[start : start + 200] for each in consumed]
            changed += self.ledger.reserve(ids, next(self._ids))[0]
        return changed

    def _load_openings(self) -> None:
        waiting: list[tuple[str, list[Row]]] = []
        for txid, outputs in self.books.openings.items():
            transfer = next(self._ids)
            waiting.append((txid, self._rows(transfer, outputs, OUTSIDE, -sum(output.value for output in outputs))))
            if sum(len(rows) for _, rows in waiting) >= _POSTINGS_A_CALL:
                self._load(waiting)
                waiting = []
        self._load(waiting)

    def _load(self, waiting: list[tuple[str, list[Row]]]) -> None:
        if not waiting:
            return
        rows = [row for _, rows in waiting for row in rows]
        inserted = self.ledger.insert(rows)
        if inserted != len(rows):
            raise Refused(f"{inserted} of {len(rows)} openings were created")
        self.ledger.note((txid, rows[0][0], "opening", None) for txid, rows in waiting)
        self.transfer_of.update({txid: rows[0][0] for txid, rows in waiting})
        self._created += [rows for _, rows in waiting]

    def _carry_out(self, transfer: Transfer) -> None:
        number, reservation = next(self._ids), next(self._ids)
        inputs = [self._posting(transfer, txid, idx) for txid, idx in transfer.consumes]
        created = sum(output.value for output in transfer.creates)
        if transfer.coinbase:
            rows = self._rows(number, transfer.creates, OUTSIDE, -created)
        else:
            reserved, value = self.ledger.reserve(inputs, reservation)
            if reserved != len(inputs):
                raise Refused(f"{transfer.txid}: {reserved} of its {len(inputs)} inputs could be reserved")
            if value < created:
                raise Refused(f"{transfer.txid}: it consumes {value:,} and creates {created:,}")
            rows = self._rows(number, transfer.creates, FEES, value - created)
        kind = "coinbase" if transfer.coinbase else "payment"
        counts = self.ledger.carry_out(transfer.txid, kind, transfer.height, number, reservation, inputs, rows)
        if counts != (len(inputs), len(rows)):
            raise Refused(f"{transfer.txid}: {counts} of {(len(inputs), len(rows))} postings were spent and created")
        self.transfer_of[transfer.txid] = number
        self._created.append(rows)
        self._consumed.append(inputs)

    def _posting(self, transfer: Transfer, txid: str, idx: int) -> str:
        if txid not in self.transfer_of:
            raise Refused(f"{transfer.txid}: it consumes {txid}:{idx}, which is not there")
        return f"{self.transfer_of[txid]}:{idx}"

    def _rows(self, number: int, outputs: list[Output], other: int, difference: int) -> list[Row]:
        """The postings of a transfer, and what makes it balanced."""
        rows = [(number, output.idx, self.accounts[output.owner], output.value) for output in outputs]
        return rows + ([(number, OTHER_SIDE, other, difference)] if difference else [])
