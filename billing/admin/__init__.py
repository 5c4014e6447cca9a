"""What staff see and do: accounts, keys, entries; money moves only through the ledger, with a name and a reason."""

from billing.admin import accounts, audit, books, entries, grants, keys, members, outage_refunds, payments, reconciling

__all__ = [
    "accounts",
    "audit",
    "books",
    "entries",
    "grants",
    "keys",
    "members",
    "outage_refunds",
    "payments",
    "reconciling",
]
