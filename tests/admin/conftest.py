"""A service with a day behind it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone

from billing import accounts, keys, ledger
from billing.models import Account, ApiKey
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup
from scrapers.evidence import bodies
from scrapers.models import Reading, ScrapeAttempt
from scrapers.transport.exchanges import Exchange, to_kept

PRICE = 314


@pytest.fixture
def owner(switches: None) -> Client:
    """Signed in, with the owner's role."""
    return sign_in("owner")


def sign_in(role: str) -> Client:
    user = get_user_model().objects.create_user(f"{role}-person", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def acme(switches: None) -> Account:
    account = accounts.open_account(name="Acme Brokers", email="ops@acme.test", now=timezone.now())
    keys.issue(account=account, name="server", now=timezone.now())
    return account


def ask(account: Account, asked: str, verdict: str, **more: Any) -> Lookup:
    """One lookup with its money, as it stands once it has ended."""
    now = timezone.now()
    key = ApiKey.objects.filter(account=account).first()
    cost = PRICE if verdict == "found" and not more.get("sandbox") else 0
    row = Lookup.objects.create(
        account=account, key=key, state="NY", kind="business_entity", asked=asked, verdict=verdict, price=PRICE,
        cost=cost, created_at=more.pop("created_at", now), ended_at=now,
        question=Question(state="NY", name=asked).to_json(), **more,
    )  # fmt: skip
    if cost:
        word = f"lookup:{row.ask_id}:charge"
        ledger.charge(account_id=account.pk, amount=cost, idempotency_key=word, reference=f"NY {asked}", now=now)
    return row


@pytest.fixture
def failed_job(acme: Account) -> Job:
    """A live job that New York turned away a minute ago, with its attempt and the page that did."""
    now = timezone.now()
    attempt = fail("NY", "blocked", detail="Request unsuccessful. Incapsula incident")
    lookup = ask(acme, "Bluebird Freight", "unavailable", reason="blocked", attempt_id=attempt.pk)
    key = ApiKey.objects.get(account=acme)
    return Job.objects.create(
        account=acme, key=key, lookup=lookup, ask_id=lookup.ask_id, state="NY", status="failed", attempts=1,
        estimated_seconds=5, created_at=now, ended_at=now, deadline=now + timedelta(minutes=15),
    )  # fmt: skip


def fail(state: str, outcome: str, *, detail: str = "") -> ScrapeAttempt:
    """An attempt without an answer, whose last page is kept."""
    now = timezone.now()
    attempt = ScrapeAttempt.objects.create(
        state=state, kind="business_entity", question="Bluebird Freight", outcome=outcome, detail=detail,
        duration_ms=40, version="1.0", started_at=now, stages=[],
    )  # fmt: skip
    page = b"<html>Go away <script>alert(1)</script></html>"
    bodies.keep([page], until=now + timedelta(days=7))
    record = to_kept(Exchange("GET", "https://x.test/", 0.0, 403, {}, page), (), at="").record
    Reading.objects.create(
        attempt=attempt, state=state, kind="business_entity", outcome=outcome, question={}, reader_version="1.0",
        reader_built_at="", reader_revision="r", read_at=now, exchanges=[record], sha256="0" * 64,
        keep_until=now + timedelta(days=7),
    )  # fmt: skip
    return attempt


@pytest.fixture
def as_role(switches: None) -> Callable[[str], Client]:
    return sign_in
