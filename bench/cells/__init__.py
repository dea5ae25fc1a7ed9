"""The cells, by what they are about. Importing this declares them all, in the order of the report."""
from . import working, producing, node, scaling, pinned, latency, limits, ledger  # noqa: F401
from .working import turn_rings   # noqa: F401
