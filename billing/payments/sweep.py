"""Ends the payments whose request never came back: a worker that died, a node that did not answer."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from billing.models import Payment
from billing.payments import checkout

# Longer than the longest lookup that a request waits for
FORGOTTEN = timedelta(minutes=15)
STUCK = timedelta(minutes=2)
State = Payment.State


def run(*, now: datetime, limit: int = 200) -> dict[str, int]:
    """End what is open for too long; return how many payments ended (or stayed) in which state."""
    outcomes: dict[str, int] = {}
    for payment in Payment.objects.filter(state=State.ACCEPTED, created_at__lte=now - FORGOTTEN)[:limit]:
        checkout.abandon(payment, reason="the request never ended", now=now)
        outcomes[payment.state] = outcomes.get(payment.state, 0) + 1
    stuck = Q(state=State.SETTLING, settling_at__lte=now - STUCK) | Q(state=State.UNKNOWN)
    for payment in Payment.objects.filter(stuck).order_by("?")[:limit]:  # those that stay unknown keep nobody's place
        state = checkout.reconcile(payment, now=now)
        outcomes[state] = outcomes.get(state, 0) + 1
    return outcomes
