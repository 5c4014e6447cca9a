"""What a monitoring system reads."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import reconciliation
from billing.models import Account, Payment, TopUp
from lookups.models import Delivery
from tests.lookups.conftest import Customer
from tests.lookups.messages import write_messages

pytestmark = pytest.mark.django_db


def read(token: str = "letmein") -> dict[str, int]:
    reply = Client().get("/metrics", headers={"authorization": f"Bearer {token}"})
    assert reply.status_code == 200
    lines = [line for line in reply.content.decode().splitlines() if not line.startswith("#")]
    return {name: int(value) for name, value in (line.split(" ") for line in lines)}


class TestTheMetrics:
    """GET /metrics."""

    def test_are_closed_without_a_token(self, settings: Any) -> None:
        assert Client().get("/metrics").status_code == 404
        assert Client().get("/metrics", headers={"authorization": "Bearer "}).status_code == 404
        settings.METRICS_TOKEN = "letmein"
        for sent in ("", "Bearer", "Bearer x", "letmein", "Bearer ü"):
            assert Client().get("/metrics", headers={"authorization": sent}).status_code == 404

    def test_are_all_quiet_when_all_is_well(self, settings: Any, customer: Customer) -> None:
        settings.METRICS_TOKEN = "letmein"
        assert read()["sos_lookup_ledger_reconciliation_age_seconds"] == -1
        reconciliation.run(now=timezone.now())
        numbers = read()
        assert 0 <= numbers.pop("sos_lookup_ledger_reconciliation_age_seconds") < 60
        assert set(numbers.values()) == {0}

    def test_tell_a_ledger_that_does_not_add_up_and_money_of_unknown_fate(
        self, settings: Any, customer: Customer
    ) -> None:
        settings.METRICS_TOKEN = "letmein"
        now = timezone.now()
        Account.objects.filter(pk=customer.account.pk).update(available=1, deposited=1)
        reconciliation.run(now=now)
        Payment.objects.create(
            challenge_id="c",
            proof_hash="p",
            method="tempo",
            purpose="lookup",
            amount=314,
            state="unknown",
            created_at=now,
        )
        TopUp.objects.create(account=customer.account, amount=31_400, created_at=now, state="mismatch")
        numbers = read()
        for name in ("ledger_mismatches", "payments_unknown", "topups_mismatched"):
            assert numbers[f"sos_lookup_{name}"] == 1

    def test_tell_what_customers_have_not_been_sent_yet(self, settings: Any, customer: Customer) -> None:
        settings.METRICS_TOKEN = "letmein"
        for row, age in zip(write_messages(customer, 3), (10, 500, 9_000), strict=True):
            Delivery.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(seconds=age))
        Delivery.objects.filter(created_at__lt=timezone.now() - timedelta(hours=1)).update(
            status="given_up", next_at=None
        )
        numbers = read()
        assert numbers["sos_lookup_deliveries_pending"] == 2
        assert 500 <= numbers["sos_lookup_deliveries_oldest_pending_seconds"] < 600
