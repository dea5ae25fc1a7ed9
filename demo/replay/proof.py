"""The proof at the end: the ledger's tables, what is stated of the set, and a model of the files must agree."""

from __future__ import annotations

from typing import Iterable

from replay import measured
from replay.ledger import FEES, OUTSIDE
from replay.model import Model
from replay.replaying import Replay
from replay.stated import Stated

_EXAMPLES = 5


class Proof:
    """Checks one statement after the other and prints each with its verdict."""

    def __init__(self, replay: Replay, stated: Stated | None) -> None:
        self.holds = True
        self.totals: dict[str, int] = {}
        self._replay = replay
        self._ledger = replay.ledger
        self._stated = stated
        self._model = Model(replay.books)

    def run(self) -> bool:
        """Checks everything. Returns whether all holds."""
        self.totals = measured.totals(self._ledger)
        if self._stated:
            self._agree(f"the {len(self._stated.totals)} totals stated of the set", self._stated.totals)
        self._agree("the totals of a model of the files", {name: self._model.totals[name] for name in self.totals})
        self._coinbases()
        self._unspent("every unspent posting is the model's, with its owner and value")
        self._balances()
        self._verdict("asking for everything again changes nothing", self._changed(self._replay.again()))
        self._rebuilt()
        self._verdict("awa_ledger.verify() finds nothing", [
            " ".join(map(str, row)) for row in self._ledger.rows("select * from awa_ledger.verify()")])  # fmt: skip
        return self.holds

    def _verdict(self, statement: str, faults: Iterable[str]) -> None:
        faults = list(faults)
        print(f"{'FAILED' if faults else 'ok':<8}{statement}", flush=True)
        for fault in faults[:_EXAMPLES]:
            print(f"          {fault}")
        if len(faults) > _EXAMPLES:
            print(f"          and {len(faults) - _EXAMPLES:,} more")
        self.holds = self.holds and not faults

    def _agree(self, what: str, wanted: dict[str, int]) -> None:
        self._verdict(f"the ledger has {what}", [
            f"{name}: {self.totals[name]:,}, not {value:,}"
            for name, value in wanted.items() if self.totals[name] != value])  # fmt: skip

    def _coinbases(self) -> None:
        subsidies = measured.subsidies(self._ledger)
        wanted = self._stated.subsidy if self._stated else None
        if wanted is None:
            model = {h: v - self._model.fees_of_block[h] for h, v in self._model.issued_by_block.items()}
            self._verdict("each block issues what the model says", [
                f"block {height}: {value:,}" for height, value in subsidies.items() if value != model.get(height)
            ])  # fmt: skip
            return
        self._verdict(f"each block issues {wanted:,} and its fees", [
            f"block {height}: {value:,} and its fees" for height, value in subsidies.items() if value != wanted
        ])  # fmt: skip

    def _unspent(self, statement: str) -> None:
        number, accounts = self._replay.transfer_of, self._replay.accounts
        wanted = {
            (number[txid], idx): (accounts[output.owner], output.value)
            for (txid, idx), output in self._model.unspent.items()
        }
        live = measured.unspent(self._ledger)
        self._verdict(statement, [
            f"posting {key[0]}:{key[1]}: {live.get(key)}, not {wanted.get(key)}"
            for key in sorted(wanted.keys() | live.keys()) if live.get(key) != wanted.get(key)])  # fmt: skip

    def _balances(self) -> None:
        totals = self._model.totals
        wanted = {self._replay.accounts[owner]: value for owner, value in self._model.balances().items()}
        nobodys = {FEES: totals["fees"], OUTSIDE: -(totals["value of openings"] + totals["value issued by coinbases"])}
        wanted.update({account: value for account, value in nobodys.items() if value})
        found = measured.balances(self._ledger)
        faults = [f"account {account}: {found.get(account, 0):,}, not {wanted.get(account, 0):,}"
                  for account in sorted(wanted.keys() | found.keys())
                  if found.get(account) != wanted.get(account)]  # fmt: skip
        if sum(found.values()):
            faults.append(f"all of them together: {sum(found.values()):,}")
        self._verdict(f"all balances are right, {len(found):,} of them not 0, and come to 0 together", faults)

    @staticmethod
    def _changed(count: int) -> list[str]:
        return [f"{count:,} postings were changed"] if count else []

    def _rebuilt(self) -> None:
        """The hot tables are disposable: emptied, they come back from the truth as they were."""
        self._ledger.cursor.execute(
            "truncate awa_ledger.live_postings, awa_ledger.account_heads, awa_ledger.open_holds"
        )
        self._ledger.rows("select * from awa_ledger.rebuild_live()")
        self._unspent("the hot tables, emptied, are made again from the truth")
