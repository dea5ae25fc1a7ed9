"""What the ledger's tables say: the totals by name, the chains, what is unspent."""

from __future__ import annotations

from replay.ledger import FEES, OUTSIDE, Ledger

_TOTALS = """
with created as (
    select p.*, t.kind, t.height from awa_ledger.postings p join bitcoin_transactions t using (transfer_id)
    where p.account not in (%(outside)s, %(fees)s)
), consumed as (
    select s.spent_by, c.* from awa_ledger.spends s join created c using (transfer_id, idx)
), fees as (
    select p.transfer_id, p.value from awa_ledger.postings p where p.account = %(fees)s
), ours as (
    select * from bitcoin_transactions where kind <> 'opening'
), live as (
    select * from awa_ledger.live_postings where account not in (%(outside)s, %(fees)s)
)
select
    (select count(*) from ours) as "transfers",
    (select count(*) from ours where kind = 'coinbase') as "coinbases",
    (select count(*) from created where kind = 'opening') as "openings",
    (select coalesce(sum(value), 0) from created where kind = 'opening') as "value of openings",
    (select count(*) from created where kind <> 'opening') as "creates",
    (select count(*) from created where kind <> 'opening' and value = 0) as "creates of value 0",
    (select coalesce(sum(value), 0) from created where kind <> 'opening') as "value created",
    (select coalesce(sum(value), 0) from created where kind = 'coinbase') as "value issued by coinbases",
    (select max(value) from created where kind <> 'opening') as "largest create",
    (select count(distinct account) from created where kind <> 'opening') as "owners of creates",
    (select max(n) from (select count(*) as n from created where kind <> 'opening' group by transfer_id) c)
        as "most creates in a transfer",
    (select count(*) from consumed) as "consumes",
    (select coalesce(sum(value), 0) from consumed) as "value consumed",
    (select count(*) from consumed where kind <> 'opening') as "consumes in the set",
    (select coalesce(sum(value), 0) from consumed where kind <> 'opening') as "value of consumes in the set",
    (select count(distinct spent_by) from consumed where kind <> 'opening')
        as "transfers that consume what the set created",
    (select coalesce(max(n), 0) from (select count(*) as n from consumed group by spent_by) c)
        as "most consumes in a transfer",
    (select coalesce(sum(value), 0) from fees) as "fees",
    (select count(*) from ours where kind = 'payment' and not exists (
        select from fees where fees.transfer_id = ours.transfer_id)) as "transfers without a fee",
    (select count(*) from live) as "unspent",
    (select coalesce(sum(value), 0) from live) as "value unspent"
"""


def totals(ledger: Ledger) -> dict[str, int]:
    """The totals of the set."""
    ledger.cursor.execute(_TOTALS, {"outside": OUTSIDE, "fees": FEES})
    names = [column.name for column in ledger.cursor.description]
    return {**dict(zip(names, map(int, ledger.cursor.fetchone()))), "longest chain": _longest_chain(ledger)}


def _longest_chain(ledger: Ledger) -> int:
    """Of transfers each of which consumes what one before it created. Ids rise in the order of replay."""
    length = {number: 1 for number, in ledger.rows(
        "select transfer_id from bitcoin_transactions where kind <> 'opening'")}  # fmt: skip
    for spender, source in ledger.rows("select distinct spent_by, transfer_id from awa_ledger.spends order by 1"):
        if source in length:
            length[spender] = max(length[spender], length[source] + 1)
    return max(length.values())


def subsidies(ledger: Ledger) -> dict[int, int]:
    """Of each block: what its coinbase issued beyond the fees that the block collected."""
    return {height: int(value) for height, value in ledger.rows(
        "select t.height, sum(p.value) filter (where t.kind = 'coinbase' and p.account not in (%s, %s))"
        "     - coalesce(sum(p.value) filter (where p.account = %s), 0) "
        "from bitcoin_transactions t join awa_ledger.postings p using (transfer_id) "
        "where t.height is not null group by t.height", OUTSIDE, FEES, FEES)}  # fmt: skip


def unspent(ledger: Ledger) -> dict[tuple[int, int], tuple[int, int]]:
    """Owner and value of every live posting but those of the two accounts that are nobody's."""
    return {(transfer, idx): (account, value) for transfer, idx, account, value in ledger.rows(
        "select transfer_id, idx, account, value from awa_ledger.live_postings where account not in (%s, %s)",
        OUTSIDE, FEES)}  # fmt: skip


def balances(ledger: Ledger) -> dict[int, int]:
    """What awa_ledger.balance() says of every account, the two that are nobody's too; those of nothing left out."""
    return dict(ledger.rows(
        "select account, balance from awa_ledger.account_heads, awa_ledger.balance(account, 0, 1) balance "
        "where balance <> 0"))  # fmt: skip
