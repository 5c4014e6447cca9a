"""An installation whose live and test keys shared one webhook address and secret: afterwards they are the live ones."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import DatabaseError

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


def open_account(before: Any) -> Any:
    whose = {"name": "Acme", "created_at": NOW, "webhook_url": "https://a.example.com/hook"}
    return before.get_model("billing", "Account").objects.create(**whose)


class TestAnInstallationWithoutModes:
    """Its rows, after the upgrade."""

    def test_keeps_its_address_as_the_live_one_and_tells_nobody_of_tests(self, before: Any) -> None:
        account = open_account(before)
        call_command("migrate", verbosity=0)
        from billing.models import Account

        now = Account.objects.get(pk=account.pk)
        assert now.webhook_address(livemode=True) == "https://a.example.com/hook"
        assert now.webhook_address(livemode=False) == ""

    @pytest.mark.parametrize("salts", [[], ["salt"]])
    def test_keeps_its_secret_as_the_live_one_and_signs_tests_with_another(self, before: Any, salts: list[str]) -> None:
        account = open_account(before)
        for salt in salts:
            before.get_model("lookups", "WebhookSecret").objects.create(account_id=account.pk, salt=salt, made_at=NOW)
        call_command("migrate", verbosity=0)
        from lookups.notifications import webhook_secrets

        live, test = (
            webhook_secrets.list_secrets(account_id=account.pk, livemode=livemode, now=NOW)
            for livemode in (True, False)
        )
        # As it was made before there were modes: the customer's server still knows it.
        made_of = f"webhook secret:{account.pk}:{''.join(salts)}".encode()
        digest = hmac.new(webhook_secrets.derived_key().encode(), made_of, hashlib.sha256).digest()
        assert live == ["whsec_" + base64.b64encode(digest).decode()]
        assert len(test) == 1
        assert live != test
        made = webhook_secrets.rotate(account_id=account.pk, livemode=False, now=NOW)
        assert made.previous_valid_until is None

    def test_knows_which_of_its_messages_are_of_tests(self, before: Any) -> None:
        account, key = open_account(before), before.get_model("billing", "ApiKey")
        job, bulk = before.get_model("lookups", "Job"), before.get_model("lookups", "BulkJob")
        delivery = before.get_model("lookups", "Delivery")
        message = {"account_id": account.pk, "channel": "webhook", "next_at": NOW, "created_at": NOW}
        for mode in ("live", "test"):
            keyed = key.objects.create(account_id=account.pk, mode=mode, secret_hash=mode, created_at=NOW)
            asked = {"account_id": account.pk, "key_id": keyed.pk, "created_at": NOW, "deadline": NOW}
            one = job.objects.create(ask_id=uuid4(), state="NY", question=QUESTION, estimated_seconds=1, **asked)
            many = bulk.objects.create(accepts_stored=False, total=1, questions=1, **asked)
            delivery.objects.create(event="lookup.complete", job_id=one.pk, last_answer=f"{mode} job", **message)
            delivery.objects.create(event="bulk.complete", bulk_id=many.pk, last_answer=f"{mode} bulk", **message)
        delivery.objects.create(event="webhook.test", last_answer="live button", **message)
        call_command("migrate", verbosity=0)
        from lookups.models import Delivery

        rows = list(Delivery.objects.values_list("last_answer", "livemode"))
        assert len(rows) == 5
        assert all(livemode is answer.startswith("live") for answer, livemode in rows)

    def test_keeps_its_ledger_as_it_is_and_guarded(self, before: Any) -> None:
        account = open_account(before)
        moved = {"kind": "deposit", "amount": 1, "available_change": 1, "available_after": 1, "idempotency_key": "d"}
        after = {"held_after": 0, "spent_after": 0, "fingerprint": "f", "created_at": NOW}
        kept = before.get_model("billing", "LedgerEntry").objects.create(account_id=account.pk, **moved, **after)
        call_command("migrate", verbosity=0)
        from billing.models import LedgerEntry

        (row,) = LedgerEntry.objects.filter(pk=kept.pk).values(*moved, *after, "request_id")
        assert row == {**moved, **after, "request_id": ""}
        for change in (lambda rows: rows.update(amount=2), lambda rows: rows.delete()):
            with pytest.raises(DatabaseError, match="never changed or removed"):
                change(LedgerEntry.objects.filter(pk=kept.pk))
