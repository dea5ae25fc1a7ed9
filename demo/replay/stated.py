"""What is known of sets beforehand: totals that whoever extracted them from the block chain stated and checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stated:
    """A set that is known: what it is, what each block issues beyond its fees, and its totals."""

    name: str
    subsidy: int
    totals: dict[str, int]


# By the beginning of the id of their first transfer, and the number of transfers.
KNOWN = {
    ("4a5e1e4baab89f3a", 446): Stated(
        "Bitcoin main net, heights 0 to 438",
        5_000_000_000,
        {
            "transfers": 446,
            "coinbases": 439,
            "openings": 0,
            "creates": 451,
            "consumes": 7,
            "consumes in the set": 7,
            "fees": 0,
            "owners of creates": 446,
            "most creates in a transfer": 2,
            "most consumes in a transfer": 1,
            "longest chain": 6,
            "value created": 2_212_900_000_000,
            "value consumed": 17_900_000_000,
            "value issued by coinbases": 2_195_000_000_000,
            "unspent": 444,
            "value unspent": 2_195_000_000_000,
        },
    ),
    ("0fc1f998e6fc1fa4", 674): Stated(
        "Bitcoin main net, blocks 277647 and 300025",
        2_500_000_000,
        {
            "transfers": 674,
            "coinbases": 2,
            "openings": 1_909,
            "creates": 1_995,
            "creates of value 0": 0,
            "consumes": 2_159,
            "consumes in the set": 250,
            "transfers that consume what the set created": 151,
            "transfers without a fee": 8,
            "fees": 12_510_700,
            "owners of creates": 1_752,
            "largest create": 97_580_020_148,
            "most creates in a transfer": 142,
            "most consumes in a transfer": 88,
            "longest chain": 22,
            "value of openings": 383_407_665_846,
            "value created": 691_059_887_948,
            "value consumed": 686_059_887_948,
            "value of consumes in the set": 302_652_222_102,
            "value issued by coinbases": 5_012_510_700,
            "unspent": 1_745,
            "value unspent": 388_407_665_846,
        },
    ),
    ("72c9f1eada1aaad1", 4588): Stated(
        "Bitcoin test net, six blocks",
        312_500_000,
        {
            "transfers": 4_588,
            "coinbases": 6,
            "openings": 47_470,
            "creates": 48_329,
            "creates of value 0": 47,
            "consumes": 50_440,
            "consumes in the set": 2_970,
            "transfers that consume what the set created": 773,
            "fees": 187_023_428,
            "owners of creates": 5_821,
            "largest create": 1_533_121_618_210,
            "most creates in a transfer": 13,
            "most consumes in a transfer": 36,
            "longest chain": 9,
            "value of openings": 6_069_887_402_762,
            "value created": 7_457_510_065_932,
            "value consumed": 7_455_635_065_932,
            "value of consumes in the set": 1_385_747_663_170,
            "value issued by coinbases": 2_062_023_428,
            "unspent": 45_359,
            "value unspent": 6_071_762_402_762,
        },
    ),
}


def of(transfers: list[str]) -> Stated | None:
    """What is stated of the set with these transfers, if it is known."""
    return KNOWN.get((transfers[0][:16], len(transfers)))
