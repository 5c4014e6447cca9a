"""What people typed into the search box of the first page goes after a week; of each lookup a bare row stays.

The chain of evidence holds the hash of its manifest, and an entry of it is never removed.
"""

from __future__ import annotations

from datetime import datetime

from billing import accounts
from lookups.demo.asking import KEPT_FOR
from lookups.models import Lookup
from lookups.privacy import erasure

SLICE = 500


def prune(*, now: datetime) -> int:
    """Forget the questions whose time is over; returns how many."""
    forgotten = 0
    ended = Lookup.objects.filter(account__role=accounts.DEMO, created_at__lt=now - KEPT_FOR, verdict__isnull=False)
    old = ended.exclude(asked=erasure.ERASED, question={})
    while numbers := list(old.order_by().values_list("pk", flat=True)[:SLICE]):
        erasure.forget_lookups(Lookup.objects.filter(pk__in=numbers))
        forgotten += len(numbers)
    return forgotten
