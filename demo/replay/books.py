"""A set of transfers as it lies in a directory: CSV files, plain or compressed with gzip."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass, field
from typing import Iterator

_COLUMNS = {
    "transfers": ["txid", "block_height", "position"],
    "creates": ["txid", "idx", "owner", "value"],
    "consumes": ["txid", "prev_txid", "prev_idx"],
    "openings": ["txid", "idx", "owner", "value"],
}


class BadSet(Exception):
    """The directory does not hold a set of transfers. The text is for the user."""


@dataclass
class Output:
    """A posting that a transfer creates."""

    idx: int
    owner: str
    value: int


@dataclass
class Transfer:
    """What is consumed, (txid, idx), and what is created. A coinbase consumes nothing: it issues what it creates."""

    txid: str
    height: int
    coinbase: bool
    consumes: list[tuple[str, int]] = field(default_factory=list)
    creates: list[Output] = field(default_factory=list)


class Books:
    """The whole set, in the order of replay. Openings are outputs from before the set: their places have gaps."""

    def __init__(self, directory: str) -> None:
        self.transfers: dict[str, Transfer] = {}
        self.openings: dict[str, list[Output]] = {}
        for where, (txid, height, position) in _rows(directory, "transfers"):
            if txid in self.transfers:
                raise BadSet(f"{where}: transfer {txid} comes twice")
            self.transfers[txid] = Transfer(txid, _number(where, height), _number(where, position) == 0)
        for where, (txid, idx, owner, value) in _rows(directory, "creates"):
            self._transfer(where, txid).creates.append(Output(_number(where, idx), owner, _number(where, value)))
        for where, (txid, prev_txid, prev_idx) in _rows(directory, "consumes"):
            self._transfer(where, txid).consumes.append((prev_txid, _number(where, prev_idx)))
        if _find(directory, "openings"):
            for where, (txid, idx, owner, value) in _rows(directory, "openings"):
                if txid in self.transfers:
                    raise BadSet(f"{where}: {txid} is a transfer of the set")
                self.openings.setdefault(txid, []).append(Output(_number(where, idx), owner, _number(where, value)))
        if not self.transfers:
            raise BadSet(f"{directory}: there is no transfer")

    def owners(self) -> list[str]:
        """All owners, each once."""
        return list({output.owner: None for outputs in self._outputs() for output in outputs})

    def _outputs(self) -> Iterator[list[Output]]:
        yield from self.openings.values()
        for transfer in self.transfers.values():
            yield transfer.creates

    def _transfer(self, where: str, txid: str) -> Transfer:
        if txid not in self.transfers:
            raise BadSet(f"{where}: there is no transfer {txid}")
        return self.transfers[txid]


def _find(directory: str, name: str) -> str | None:
    for ending in (".csv", ".csv.gz"):
        path = os.path.join(directory, name + ending)
        if os.path.exists(path):
            return path
    return None


def _rows(directory: str, name: str) -> Iterator[tuple[str, list[str]]]:
    path = _find(directory, name)
    if path is None:
        raise BadSet(f"{directory}: there is no {name}.csv and no {name}.csv.gz")
    wanted = _COLUMNS[name]
    try:
        with gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="") as file:
            reader = csv.reader(file)
            if next(reader, None) != wanted:
                raise BadSet(f"{path}: the first line is not {','.join(wanted)}")
            for row in reader:
                where = f"{path}, line {reader.line_num}"
                if len(row) != len(wanted):
                    raise BadSet(f"{where}: {len(row)} columns, not {len(wanted)}")
                yield where, row
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise BadSet(f"{path}: {error}") from None


def _number(where: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadSet(f"{where}: '{text}' is not a number") from None
