"""Replays real transfers through the primitives of awa_ring's ledger, and proves the totals."""
