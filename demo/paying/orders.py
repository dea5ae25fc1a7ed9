"""The orders, and what must have come of them: the witness of the proof. It knows nothing of the database."""

from __future__ import annotations

import random
from typing import NamedTuple

WORLD, FEES = 0, 1
ASSET = 1
_FIRST_BUYER, _BUYERS = 1000, 40
_FIRST_SHOP, _SHOPS = 2000, 8
_DEAREST = 5_000
_SEED = 20_260_101
_SOLD_OUT_EACH = 20


class Order(NamedTuple):
    """A buyer wants something of a shop. A fee is paid as well."""

    number: int
    buyer: int
    shop: int
    price: int
    fee: int

    @property
    def total(self) -> int:
        """What the buyer pays."""
        return self.price + self.fee

    @property
    def sold_out(self) -> bool:
        """Whether the shop will turn out not to have it."""
        return self.number % _SOLD_OUT_EACH == 0


class Orders:
    """All orders of a run, the same each time, and the balances that they lead to."""

    def __init__(self, number: int) -> None:
        dice = random.Random(_SEED)
        self.all = [self._order(dice, n) for n in range(1, number + 1)]
        self.accounts = [
            WORLD, FEES, *range(_FIRST_BUYER, _FIRST_BUYER + _BUYERS), *range(_FIRST_SHOP, _FIRST_SHOP + _SHOPS)]  # fmt: skip
        # Enough for everything that a buyer orders: who is first does not matter then.
        self.deposits = dict.fromkeys(range(_FIRST_BUYER, _FIRST_BUYER + _BUYERS), 1)
        for order in self.all:
            self.deposits[order.buyer] += order.total

    @staticmethod
    def _order(dice: random.Random, number: int) -> Order:
        price = dice.randint(1, _DEAREST)
        buyer, shop = dice.randrange(_BUYERS), dice.randrange(_SHOPS)
        return Order(number, _FIRST_BUYER + buyer, _FIRST_SHOP + shop, price, 1 + price // 100)

    @property
    def paid(self) -> list[Order]:
        """Those that are to be paid."""
        return [order for order in self.all if not order.sold_out]

    @property
    def deposited(self) -> int:
        """What all accounts but the outside world's come to, always."""
        return sum(self.deposits.values())

    def balances(self) -> dict[int, int]:
        """What each account must have at the end."""
        balances = dict.fromkeys(self.accounts, 0)
        balances.update(self.deposits)
        balances[WORLD] = -self.deposited
        for order in self.paid:
            balances[order.buyer] -= order.total
            balances[order.shop] += order.price
            balances[FEES] += order.fee
        return balances
