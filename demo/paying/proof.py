"""The proof at the end: the ledger, the queue, and the orders themselves must agree."""

from __future__ import annotations

import collections
from typing import Any, Iterable

from paying.database import QUEUE, Look, rows
from paying.orders import ASSET, Orders

_EXAMPLES = 5


class Proof:
    """Checks one statement after the other and prints each with its verdict."""

    def __init__(self, connection: Any, orders: Orders, looks: list[Look], lost: list[int], victim: str) -> None:
        self.holds = True
        self._connection = connection
        self._orders = orders
        self._looks = looks
        self._lost = lost
        self._victim = victim

    def run(self) -> bool:
        """Checks everything. Returns whether all holds."""
        self._payments()
        self._balances()
        self._totals()
        self._lost_holds()
        self._jobs()
        self._verdict("nothing is held any more", [
            f"hold {row[0]}: {row[1]} of account {row[2]}" for row in self._rows(
                "select reservation, amount, account from awa_ledger.open_holds join awa_ledger.holds using (reservation)")])  # fmt: skip
        for check in ("awa_ledger.verify()", "awa.check()"):
            self._verdict(f"{check} finds nothing", [" ".join(map(str, row)) for row in self._rows(f"select * from {check}")])
        return self.holds

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return rows(self._connection, sql, *values)

    def _verdict(self, statement: str, faults: Iterable[str]) -> None:
        faults = list(faults)
        print(f"{'FAILED' if faults else 'ok':<8}{statement}", flush=True)
        for fault in faults[:_EXAMPLES]:
            print(f"          {fault}")
        if len(faults) > _EXAMPLES:
            print(f"          and {len(faults) - _EXAMPLES:,} more")
        self.holds = self.holds and not faults

    def _payments(self) -> None:
        paid = collections.Counter(
            number for (number,) in self._rows("select (metadata ->> 'order')::int from awa_ledger.transfers where metadata ? 'order'"))
        wanted = {order.number for order in self._orders.paid}
        faults = [f"order {n}: paid {paid[n]} times" for n in sorted(wanted) if paid[n] != 1]
        faults += [f"order {n}: paid, though it was sold out" for n in sorted(set(paid) - wanted)]
        self._verdict(f"each of the {len(wanted):,} orders was paid once", faults)

    def _balances(self) -> None:
        wanted = self._orders.balances()
        got = dict(self._rows("select a, awa_ledger.balance(a, 0, %s) from unnest(%s::bigint[]) a", ASSET, list(wanted)))
        self._verdict(f"all {len(wanted)} accounts have what the orders come to", [
            f"account {a}: {got[a]:,}, not {value:,}" for a, value in wanted.items() if got[a] != value])  # fmt: skip

    def _totals(self) -> None:
        owned = self._orders.deposited
        self._verdict(f"the totals were the same, {owned:,} and 0, all {len(self._looks):,} times that they were looked at", [
            f"after {look.ended:,} jobs: {look.owned:,} and {look.all_values:,}"
            for look in self._looks if (look.owned, look.all_values) != (owned, 0)])  # fmt: skip

    def _lost_holds(self) -> None:
        """What the killed worker held was free when its attempts were rescued; the same orders were paid by others."""
        found = self._rows(
            "select h.reservation, o.outcome, o.with_job, n.purpose, x.outcome"
            " from awa_ledger.holds h join awa_ledger.hold_outcomes o using (reservation)"
            " join awa_ledger.hold_requests r on r.reservation = h.reservation"
            " left join awa_ledger.hold_requests s on s.key = r.key and s.use = r.use + 1"
            " left join awa_ledger.holds n on n.reservation = s.reservation"
            " left join awa_ledger.hold_outcomes x on x.reservation = n.reservation"
            " where h.reservation = any (%s)", self._lost)  # fmt: skip
        faults = [f"{len(self._lost)} holds, {len(found)} with an end"] if len(found) != len(self._lost) else []
        for reservation, outcome, with_job, who, then in found:
            if (outcome, with_job) != ("voided", True):
                faults.append(f"hold {reservation}: {outcome}, {with_job}")
            if who in (None, self._victim) or then not in ("posted", "voided"):
                faults.append(f"hold {reservation}: the order was then held by {who}: {then}")
        self._verdict(f"the {len(self._lost)} holds of the killed worker ended with its attempts, and others held anew", faults)

    def _jobs(self) -> None:
        (counts,) = self._rows("select to_jsonb(c) - 'queue' from awa.queue_counts(%s) c", QUEUE)
        wanted = {"completed": len(self._orders.paid), "failed": len(self._orders.all) - len(self._orders.paid)}
        self._verdict(f"every job has its end: {wanted['completed']:,} completed, {wanted['failed']:,} failed, nothing left", [
            f"{number} {state}" for state, number in counts[0].items() if number != wanted.get(state, 0)])  # fmt: skip
