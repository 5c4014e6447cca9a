"""An installation whose live and test keys shared one webhook address and secret: afterwards they are the live ones."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
QUESTION = {
    "state": "NY",
    "name": "Acme",
    "entity_id": None,
    "kind": "business_entity",
    "search_by": "debtor",
    "date_after": None,
    "date_before": None,
}
BEFORE = [("billing", "0005_american_spelling"), ("lookups", "0008_trade_words")]

pytestmark = pytest.mark.django_db(transaction=True)


MOVED = {"kind": "deposit", "amount": 1, "available_change": 1, "available_after": 1, "idempotency_key": "d"}
AFTER = {"held_after": 0, "spent_after": 0, "fingerprint": "f", "created_at": NOW}


def fill(before: Any) -> list[Any]:
    """Two customers: with the secret that everybody begins with, and with one of his own. The first has messages."""
    whose = {"name": "Acme", "created_at": NOW, "webhook_url": "https://a.example.com/hook"}
    customers = [before.get_model("billing", "Account").objects.create(**whose) for _ in range(2)]
    before.get_model("lookups", "WebhookSecret").objects.create(account_id=customers[1].pk, salt="salt", made_at=NOW)
    before.get_model("billing", "LedgerEntry").objects.create(account_id=customers[0].pk, **MOVED, **AFTER)
    before.get_model("billing", "Account").objects.filter(pk=customers[0].pk).update(available=1, deposited=1)
    send_messages(before, customers[0])
    return [customer.pk for customer in customers]


def send_messages(before: Any, account: Any) -> None:
    key, delivery = before.get_model("billing", "ApiKey"), before.get_model("lookups", "Delivery")
    job, bulk = before.get_model("lookups", "Job"), before.get_model("lookups", "BulkJob")
    message = {"account_id": account.pk, "channel": "webhook", "next_at": NOW, "created_at": NOW}
    for mode in ("live", "test"):
        keyed = key.objects.create(account_id=account.pk, mode=mode, secret_hash=mode, created_at=NOW)
        asked = {"account_id": account.pk, "key_id": keyed.pk, "created_at": NOW, "deadline": NOW}
        one = job.objects.create(ask_id=uuid4(), state="NY", question=QUESTION, estimated_seconds=1, **asked)
        many = bulk.objects.create(accepts_stored=False, total=1, questions=1, **asked)
        delivery.objects.create(event="lookup.complete", job_id=one.pk, last_answer=f"{mode} job", **message)
        delivery.objects.create(event="bulk.complete", bulk_id=many.pk, last_answer=f"{mode} bulk", **message)
    delivery.objects.create(event="webhook.test", last_answer="live button", **message)


class TestAnInstallationWithoutModes:
    """Its rows, after the upgrade."""

    def test_keeps_its_address_as_the_live_one_and_tells_nobody_of_tests(self, upgraded: Any) -> None:
        from billing.models import Account

        for account in Account.objects.filter(pk__in=upgraded):
            assert account.webhook_address(livemode=True) == "https://a.example.com/hook"
            assert account.webhook_address(livemode=False) == ""

    @pytest.mark.parametrize(("whose", "salt"), [(0, ""), (1, "salt")])
    def test_keeps_its_secret_as_the_live_one_and_signs_tests_with_another(
        self, upgraded: Any, whose: int, salt: str
    ) -> None:
        from lookups.notifications import webhook_secrets

        account = upgraded[whose]
        live, test = (
            webhook_secrets.list_secrets(account_id=account, livemode=livemode, now=NOW) for livemode in (True, False)
        )
        # As it was made before there were modes: the customer's server still knows it.
        made_of = f"webhook secret:{account}:{salt}".encode()
        digest = hmac.new(webhook_secrets.derived_key().encode(), made_of, hashlib.sha256).digest()
        assert live == ["whsec_" + base64.b64encode(digest).decode()]
        assert len(test) == 1
        assert live != test
        made = webhook_secrets.rotate(account_id=account, livemode=False, now=NOW)
        assert made.previous_valid_until is None

    def test_knows_which_of_its_messages_are_of_tests(self, upgraded: Any) -> None:
        from lookups.models import Delivery

        rows = list(Delivery.objects.values_list("last_answer", "livemode"))
        assert len(rows) == 5
        assert all(livemode is answer.startswith("live") for answer, livemode in rows)

    def test_keeps_its_ledger_as_it_is_and_guarded(self, upgraded: Any) -> None:
        from billing.models import LedgerEntry

        (row,) = LedgerEntry.objects.filter(account=upgraded[0]).values(*MOVED, *AFTER, "request_id")
        assert row == {**MOVED, **AFTER, "request_id": ""}
        for change in (lambda rows: rows.update(amount=2), lambda rows: rows.delete()):
            with pytest.raises(DatabaseError, match="never changed or removed"), transaction.atomic():
                change(LedgerEntry.objects.filter(account=upgraded[0]))
