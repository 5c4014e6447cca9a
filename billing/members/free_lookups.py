"""Free lookups for somebody new: once for a mailbox, however its address is spelled, and a few a day for a network."""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from django.conf import settings

from billing import limits, prices
from billing.members import addresses
from billing.models import FreeGrant

DAY = 24 * 3600


class Refusal(Enum):
    """Why there are no free lookups; the value is what the person reads."""

    HAD = "This address has had its free lookups before."
    NETWORK = "Too many accounts with free lookups were opened from your network today."
    HOST = "Addresses of this host get no free lookups."


def claim(*, email: str, network: str, now: datetime) -> Refusal | None:
    """Note, in the caller's transaction, that the mailbox has them now; or say why it does not get them."""
    if not prices.free_grant():
        return None
    if addresses.is_disposable(email):
        return Refusal.HOST
    hashes = addresses.hashes_of(email)
    if FreeGrant.objects.filter(address_hash__in=hashes).exists():
        return Refusal.HAD
    rate = limits.count(subject=f"free:{network}", limit=settings.FREE_GRANTS_PER_DAY, now=now, seconds=DAY)
    if not rate.allowed:
        return Refusal.NETWORK
    _, is_new = FreeGrant.objects.get_or_create(address_hash=hashes[0], defaults={"given_at": now})
    return None if is_new else Refusal.HAD
