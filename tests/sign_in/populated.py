"""An installation with at least one row of everything that the admin shows."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db import models
from django.utils import timezone

from billing import accounts, keys, ledger
from billing.accounting import receipts
from billing.models import Account, MonthClose, Payment, SignInLink, TopUp, WaitingGrant
from lookups.models import Delivery, Job, Lookup, Suppression, Watch
from scrapers.evidence import bodies
from scrapers.models import Reading, ScrapeAttempt
from scrapers.transport.exchanges import Exchange, to_kept
from tests.admin_lists import list_admins

GIVEN: dict[type[models.Field], Any] = {  # type: ignore[type-arg]
    models.UUIDField: uuid.uuid4,
    models.JSONField: dict,
    models.DateTimeField: timezone.now,
    models.DateField: lambda: timezone.now().date().replace(day=1),
    models.BooleanField: bool,
    models.BinaryField: bytes,
}


def populate() -> None:
    """Books by the ledger's own verbs; of all else the plainest row that the tables take."""
    now = timezone.now()
    account = accounts.open_account(name="Acme", email="ops@acme.test", now=now)
    Account.objects.filter(pk=account.pk).update(webhook_url="https://acme.test/hook")
    key, _ = keys.issue(account=account, name="server", now=now)
    paid = ledger.deposit(account_id=account.pk, amount=1000, idempotency_key="d", source="card", now=now)
    receipts.issue(paid, now=now)
    ledger.charge(account_id=account.pk, amount=10, idempotency_key="c", reference="", now=now)
    _hold(account, now)
    attempt = _make(ScrapeAttempt, state="NY", kind="entity", outcome="blocked")
    bodies.keep([b"a page"], until=now + timedelta(days=7))
    seen = to_kept(Exchange("GET", "https://x.test/", 0.0, 200, {}, b"a page"), (), at="")
    _make(Reading, attempt=attempt, state="NY", outcome="blocked", exchanges=[seen.record])
    _make(WaitingGrant, account=account, amount=5, kind="grant", asked_by="dana", token="t")
    lookup = _make(Lookup, account=account, key=key, state="NY", kind="entity", asked="Acme", request_id="r")
    _make(Job, account=account, key=key, lookup=lookup, state="NY", ask_id=lookup.ask_id, deadline=now)
    _make(Delivery, account=account, event="webhook.test", channel="webhook", next_at=now, body="{}", livemode=True)
    totals = {"cash": [1000, 0], "revenue": [0, 10], "credit_refunds": [0, 0]}
    _make(MonthClose, totals=totals)
    _make(Suppression, kind="company", state="NY", entity_id="1")
    _make(Watch, account=account, key=key, state="NY", entity_id="1", every="day")
    Group.objects.get_or_create(name="desk")
    for model in list_admins():
        if not model._default_manager.exists():  # type: ignore[attr-defined]
            _make(model)


def populate_ended() -> None:
    """More of what has buttons, in each of its states: what is over, too."""
    now, account = timezone.now(), Account.objects.get(name="Acme")
    for _ in "ab":
        key, _secret = keys.issue(account=account, name="ended", now=now)
        keys.rotate(key=key, grace=timedelta(hours=1), now=now)
    keys.revoke(key=key, now=now)
    closed = accounts.open_account(name="Closed", email="", now=now)
    keys.issue(account=closed, name="of a closed account", now=now)
    Account.objects.filter(pk=closed.pk).update(is_active=False)
    keys.get_workspace_key(account=account, livemode=True, now=now)
    _make(Suppression, kind="company", state="NY", entity_id="2", lifted_at=now)
    _make(SignInLink, sealed="", used_at=now, expires_at=now)
    for number, (state, gone) in enumerate([(one, 0) for one in TopUp.State.values] + [("paid", 5000)]):
        name = f"pi_{number}"
        _make(TopUp, account=account, amount=5000, state=state, payment_intent=name, session_id=name, taken_back=gone)
    for number, state in enumerate(Payment.State.values):
        for purpose in Payment.Purpose.values:
            for whose, delivered in ((account, now), (None, None)):
                _make(
                    Payment,
                    account=whose,
                    amount=314,
                    state=state,
                    purpose=purpose,
                    delivered_at=delivered,
                    ended_at=now,
                    proof=None,
                    challenge_id=uuid.uuid4().hex,
                    reference=f"0x{number}{purpose}{delivered is None}",
                )


def _hold(account: Account, now: datetime) -> None:
    ledger.hold(
        account_id=account.pk,
        amount=10,
        idempotency_key="h",
        reference="",
        expires_at=now + timedelta(hours=1),
        now=now,
    )


def _make(model: type[models.Model], **given: Any) -> Any:
    """One row, with whatever its columns need."""
    for field in model._meta.concrete_fields:
        if field.name in given or (field.primary_key and field.has_default()) or isinstance(field, models.AutoField):
            continue
        if field.has_default() or field.null:
            continue
        given[field.name] = _value(field)
    row = model(**given)
    row.save(force_insert=True)
    return row


def _value(field: Any) -> Any:
    if field.is_relation:
        found = field.related_model._default_manager.first()
        return found or _make(field.related_model)
    if field.choices:
        return field.choices[0][0]
    for kind, make in GIVEN.items():
        if isinstance(field, kind):
            return make()
    return "NY" if isinstance(field, models.CharField) and field.max_length == 2 else _word(field)


def _word(field: Any) -> Any:
    return uuid.uuid4().hex[: field.max_length or 12] if isinstance(field, models.CharField | models.TextField) else 1
