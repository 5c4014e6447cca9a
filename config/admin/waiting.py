"""What waits for a person, each with its rows; what waits for nobody is not told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from billing import owing, selectors
from billing.members import links
from billing.models import OutageRefund, Reversal, TopUp, WaitingGrant
from lookups.models import Delivery, RemovalRequest

LATELY = timedelta(days=1)
DISPUTED = timedelta(days=30)  # in which a dispute is answered
Rows = Callable[[datetime], QuerySet[Any]]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Some rows that somebody has to see to."""

    number: int
    words: str
    url: str
    is_bad: bool


def _disputes(now: datetime) -> QuerySet[Any]:
    disputes = Reversal.objects.filter(kind=Reversal.Kind.DISPUTE, reinstated=False)
    return disputes.filter(heard_at__gt=now - DISPUTED)


def _given_up(now: datetime) -> QuerySet[Any]:
    failed = Delivery.objects.filter(status=Delivery.Status.GIVEN_UP, livemode=True)
    return failed.filter(created_at__gt=now - LATELY)


# The right that shows it, its words (one, several), its rows, the list with its filter, and whether it is late already.
# A span of time in a filter is one before now.
KINDS: tuple[tuple[str, str, str, Rows, str, dict[str, Any], bool], ...] = (
    (
        "billing.view_waitinggrant",
        "grant to confirm",
        "grants to confirm",
        lambda now: WaitingGrant.objects.waiting(),
        "billing_waitinggrant",
        {"state__exact": "waiting"},
        False,
    ),
    (
        "billing.view_outagerefund",
        "refund of an outage to confirm",
        "refunds of outages to confirm",
        lambda now: OutageRefund.objects.waiting(),
        "billing_outagerefund",
        {"state__exact": "waiting"},
        False,
    ),
    (
        "billing.view_reversal",
        "dispute of the last 30 days",
        "disputes of the last 30 days",
        _disputes,
        "billing_reversal",
        {"kind__exact": "dispute", "reinstated__exact": 0, "heard_at__gt": DISPUTED},
        True,
    ),
    (
        "lookups.view_removalrequest",
        "request for removal overdue",
        "requests for removal overdue",
        lambda now: RemovalRequest.objects.overdue(now),
        "lookups_removalrequest",
        {"deadline": "overdue"},
        True,
    ),
    (
        "lookups.view_removalrequest",
        "request for removal to answer",
        "requests for removal to answer",
        lambda now: RemovalRequest.objects.open(),
        "lookups_removalrequest",
        {"deadline": "open"},
        False,
    ),
    (
        "billing.view_signinlink",
        "sign-in link to hand on",
        "sign-in links to hand on",
        lambda now: links.list_unmailed(now=now),
        "billing_signinlink",
        {},
        False,
    ),
    (
        "billing.view_payment",
        "payment of unknown outcome",
        "payments of unknown outcome",
        selectors.list_unknown_payments,
        "billing_payment",
        {"state__exact": "unknown"},
        True,
    ),
    (
        "billing.view_payment",
        "payment paid and not delivered",
        "payments paid and not delivered",
        selectors.list_undelivered_payments,
        "billing_payment",
        {"delivery": "owed"},
        True,
    ),
    (
        "billing.view_topup",
        "top-up paid with another amount",
        "top-ups paid with another amount",
        lambda now: TopUp.objects.filter(state=TopUp.State.MISMATCH),
        "billing_topup",
        {"state__exact": "mismatch"},
        True,
    ),
    (
        "billing.view_account",
        "account owes",
        "accounts owe",
        lambda now: owing.list_owing(),
        "billing_account",
        {"owes": "yes"},
        True,
    ),
    (
        "billing.view_hold",
        "hold that should have ended",
        "holds that should have ended",
        selectors.list_overdue_holds,
        "billing_hold",
        {"ending": "overdue"},
        True,
    ),
    (
        "billing.view_hold",
        "hold ends within ten minutes",
        "holds end within ten minutes",
        selectors.list_ending_holds,
        "billing_hold",
        {"ending": "soon"},
        False,
    ),
    (
        "lookups.view_delivery",
        "message given up in the last day",
        "messages given up in the last day",
        _given_up,
        "lookups_delivery",
        {"status__exact": "given_up", "created_at__gt": LATELY},
        True,
    ),
)


def list_waiting(request: HttpRequest, *, now: datetime) -> list[Waiting]:
    """What waits, of what this person may see; the late ones first."""
    found = []
    for right, one, several, rows, table, narrowed, is_bad in KINDS:
        number = rows(now).count() if request.user.has_perm(right) else 0
        if number:
            spans = {name: (now - one).isoformat() for name, one in narrowed.items() if isinstance(one, timedelta)}
            url = reverse(f"admin:{table}_changelist", query=narrowed | spans)
            found.append(Waiting(number, one if number == 1 else several, url, is_bad))
    return sorted(found, key=lambda waiting: not waiting.is_bad)
