"""The independent witness: what the set comes to, reckoned from the files alone."""

from __future__ import annotations

from collections import defaultdict

from replay.books import Books, Output

Key = tuple[str, int]


class Model:
    """Who owns what in the end, and the totals, by the names that `ledger.totals` has for them."""

    def __init__(self, books: Books) -> None:
        self.unspent: dict[Key, Output] = {}
        self.totals: dict[str, int] = defaultdict(int)
        self.fees_of_block: dict[int, int] = defaultdict(int)
        self.issued_by_block: dict[int, int] = defaultdict(int)
        self._books = books
        self._depth: dict[str, int] = {}
        for txid, outputs in books.openings.items():
            self.totals["openings"] += len(outputs)
            self.totals["value of openings"] += self._create(txid, outputs)
        for txid in books.transfers:
            self._replay(txid)
        self.totals["longest chain"] = max(self._depth.values())
        self.totals["owners of creates"] = len({o.owner for t in books.transfers.values() for o in t.creates})
        self.totals["unspent"] = len(self.unspent)
        self.totals["value unspent"] = sum(output.value for output in self.unspent.values())

    def balances(self) -> dict[str, int]:
        """What each owner has in the end; owners of nothing left out."""
        balances: dict[str, int] = defaultdict(int)
        for output in self.unspent.values():
            balances[output.owner] += output.value
        return {owner: value for owner, value in balances.items() if value}

    def _create(self, txid: str, outputs: list[Output]) -> int:
        self.unspent.update({(txid, output.idx): output for output in outputs})
        return sum(output.value for output in outputs)

    def _replay(self, txid: str) -> None:
        transfer, totals = self._books.transfers[txid], self.totals
        consumed, depth = 0, 0
        for key in transfer.consumes:
            # A posting that is not there is the ledger's to refuse: it says so before this is looked at.
            value = self.unspent.pop(key).value if key in self.unspent else 0
            consumed += value
            if key[0] in self._books.transfers:
                totals["consumes in the set"] += 1
                totals["value of consumes in the set"] += value
                depth = max(depth, self._depth.get(key[0], 0))
        created = self._create(txid, transfer.creates)
        fee = 0 if transfer.coinbase else consumed - created
        self._depth[txid] = depth + 1
        self.fees_of_block[transfer.height] += fee
        totals["transfers"] += 1
        totals["transfers that consume what the set created"] += depth > 0
        totals["creates"] += len(transfer.creates)
        totals["creates of value 0"] += sum(output.value == 0 for output in transfer.creates)
        totals["consumes"] += len(transfer.consumes)
        totals["value created"] += created
        totals["value consumed"] += consumed
        totals["fees"] += fee
        totals["most consumes in a transfer"] = max(totals["most consumes in a transfer"], len(transfer.consumes))
        totals["most creates in a transfer"] = max(totals["most creates in a transfer"], len(transfer.creates))
        totals["largest create"] = max([totals["largest create"], *(output.value for output in transfer.creates)])
        if transfer.coinbase:
            totals["coinbases"] += 1
            totals["value issued by coinbases"] += created
            self.issued_by_block[transfer.height] += created
        else:
            totals["transfers without a fee"] += fee == 0
