"""What a customer may set about the account; everything about its money stays with the ledger."""

from __future__ import annotations

from typing import Any

from billing.models import Account

CHANGEABLE = frozenset({"max_cache_age_days", "cache_first_default", "monthly_budget", "webhook_url"})


def change(*, account_id: int, **changes: Any) -> Account:
    """Write the given preferences; return the account. `monthly_budget` is in 1/10,000 USD, None: no limit."""
    if unknown := set(changes) - CHANGEABLE:
        raise TypeError(f"Not a preference: {', '.join(sorted(unknown))}")
    if changes:
        # Only these columns: the ledger may be writing the sums of the same row right now.
        Account.objects.filter(pk=account_id).update(**changes)
    return Account.objects.get(pk=account_id)
