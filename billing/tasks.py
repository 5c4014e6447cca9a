"""What billing does by the clock: thin doors to the functions that do it."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from django.utils import timezone

from billing import (
    anchors,
    finance,
    ledger,
    limits,
    low_balance,
    outage_refunds,
    owing,
    reconciliation,
    reversals,
    topups,
)
from billing.payments import sweep


@shared_task
def expire_holds(**_: Any) -> int:
    """Give back the holds whose time is over, and go on with the refunds of outages that are under way."""
    now = timezone.now()
    outage_refunds.carry_on(now=now)
    return ledger.expire_holds(now=now)


@shared_task
def sweep_payments(**_: Any) -> dict[str, int]:
    """End the payments whose request never came back; take back what was heard of too early; mail who has little."""
    now = timezone.now()
    reversals.settle_late(now=now)
    ended = sweep.run(now=now)
    owing.tell(now=now)  # last: where the mail server hangs, each of these mails takes a minute
    low_balance.tell(now=now)
    return ended


@shared_task
def anchor_ledger(**_: Any) -> None:
    """Note the heads of the ledger's chains, in the database and in the log."""
    anchors.make(now=timezone.now())


@shared_task
def reconcile(**_: Any) -> None:
    """Compare what was written since the last time; alert when something differs."""
    reconciliation.run(now=timezone.now(), whole=False)


@shared_task
def reconcile_whole(**_: Any) -> None:
    """Compare all that was ever written. Also adds up the days that are over, and forgets what is old."""
    now = timezone.now()
    reconciliation.run(now=now)
    finance.keep_days(now=now)
    limits.prune(now=now)
    topups.expire_old(now=now)
