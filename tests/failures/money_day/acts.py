"""What staff and the clock do with money, each by the function that the service has for it."""

from __future__ import annotations

import contextlib
import io
from datetime import timedelta
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from billing import accounts, grants, keys, ledger, reconciliation, reversals, selectors, topups
from billing.models import Account, LedgerEntry, TopUp, WaitingGrant
from billing.payments import sweep

SOON, LATER = timedelta(minutes=20), timedelta(hours=2)


def open_account(name: str) -> dict[str, int]:
    """A new account, with its free lookups."""
    account = accounts.open_account(name=name, now=timezone.now())
    return {"account": account.pk, "credit": account.available}


def issue(account: int) -> str:
    """A new key's secret."""
    return keys.issue(account=Account.objects.get(pk=account), name="client", now=timezone.now())[1]


def rotate(secret: str) -> str:
    """The secret of a key's successor."""
    key = keys.verify(secret=secret, now=timezone.now())
    return keys.rotate(key=key, grace=timedelta(minutes=1), now=timezone.now())[1]


def grant(account: int, amount: int, token: str, reason: str, approved: bool) -> int:
    """Give credit alone where that may be, else with a second person, who may say no; returns what was given."""
    how = {"account_id": account, "kind": "grant", "amount": amount, "token": token, "operator": "dana"}
    given = grants.give(**how, reason=reason, note="INV 7" if reason == "invoice" else "", now=timezone.now())
    if isinstance(given, WaitingGrant):
        decide = grants.approve if approved else grants.reject
        decide(grant_id=given.pk, operator="sam", now=timezone.now())
        return amount if approved else 0
    return amount


def refund_card(payment: str, cents: int, token: str) -> None:
    """Have the provider give back a part of a top-up."""
    topups.refund(TopUp.objects.get(payment_intent=payment, state="paid"), amount=cents * 100, token=token)


def refund_lookup(account: int, token: str) -> int:
    """Give the account's last charge back, if it has one that was not given back."""
    again = LedgerEntry.objects.filter(account_id=account, idempotency_key=token).first()
    if again is not None:
        return again.amount
    charges = LedgerEntry.objects.filter(account_id=account, kind__in=["capture", "charge"], amount__gt=0)
    charged = charges.filter(refunded_by=None).order_by("-pk").first()
    if charged is None:
        raise ValueError("nothing was charged")
    entry = ledger.refund(
        entry_id=charged.pk, idempotency_key=token, reason="goodwill", operator="dana", now=timezone.now()
    )
    return entry.amount


def end_what_was_lost() -> None:
    """What the clock does twenty minutes later with payments whose request never came back."""
    later = timezone.now() + SOON
    reversals.settle_late(now=later)
    sweep.run(now=later, limit=10_000)


def verify(log: str) -> list[str]:
    """`manage.py verify_ledger`, beside the anchors that were logged."""
    said = io.StringIO()
    with contextlib.suppress(SystemExit):  # that there are differences
        call_command("verify_ledger", "--anchors", log, stdout=said)
    *differences, _ = said.getvalue().splitlines()
    return differences


def reconcile() -> list[list[Any]]:
    """All three sides, as they stand when nobody has any time left to tell us."""
    done = reconciliation.run(now=timezone.now() + LATER)
    if not done.provider_until or not done.chain_until:
        return [["not compared", "provider", str(done.provider_until)], ["", "chain", str(done.chain_until)]]
    found = [[row.name, row.subject, row.numbers] for row in selectors.list_differences()]
    return found + [["sums", str(mismatch["account"]), mismatch] for mismatch in done.mismatches]
