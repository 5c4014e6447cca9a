"""The one price book: what a lookup costs, and how prices and balances are shown."""

from __future__ import annotations

from django.conf import settings

from billing import money
from billing.money import Amount

LOOKUP: Amount = money.from_dollars(settings.PRICE_PER_LOOKUP)
"""Units of 1/10,000 USD for one lookup of any kind: an entity, a UCC search, a name check."""

STORED: Amount = money.from_dollars(settings.PRICE_PER_STORED_LOOKUP)
"""Units of 1/10,000 USD for a stored answer that was asked for as such."""

UNCHANGED: Amount = money.from_dollars(settings.PRICE_PER_UNCHANGED_CHECK)
"""Units of 1/10,000 USD for a watch's check that found nothing of what it is made for changed."""

CHECK_FROM_COPY: Amount = money.from_dollars(settings.PRICE_PER_CHECK_FROM_COPY)
"""Units of 1/10,000 USD for a watch's check that a loaded copy of bulk data answered."""


def free_grant() -> Amount:
    """Return the units a new account starts with: `FREE_LOOKUPS` lookups."""
    return money.units(settings.FREE_LOOKUPS * LOOKUP)


def lookups_covered(amount: int) -> int:
    """Return how many whole lookups `amount` units pay for."""
    return max(0, amount) // LOOKUP if LOOKUP else 0


def display(amount: int) -> str:
    """Return a balance as people read it: 31,400 units are "$3.14"; a debt would read "-$3.14"."""
    text = money.to_rounded_string(abs(amount))
    return f"-${text}" if amount < 0 else f"${text}"
