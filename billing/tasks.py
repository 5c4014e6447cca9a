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
from jurisdictions import turns


@shared_task
def expire_holds(**_: Any) -> int:
    """Give back the holds whose time is over, and go on with the refunds of outages that are under way."""
    _, expired = turns.do_each(outage_refunds.carry_on, ledger.expire_holds, now=timezone.now())
    return int(expired)


@shared_task
def sweep_payments(**_: Any) -> dict[str, int]:
    """End the payments whose request never came back; take back what was heard of too early; mail who has little."""
    works = (reversals.settle_late, sweep.run)
    mails = (owing.tell, low_balance.tell)  # last: where the mail server hangs, each of these mails takes a minute
    _, ended, *_mailed = turns.do_each(*works, *mails, now=timezone.now())
    return dict(ended)


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
    works = (reconciliation.run, finance.keep_days, limits.prune, topups.expire_old)
    turns.do_each(*works, now=timezone.now())
