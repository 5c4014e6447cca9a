"""Tasks of the clock that do several works, one of which breaks."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.utils import timezone

import billing.tasks
import lookups.tasks
from billing import ledger, outage_refunds
from lookups.models import Heartbeat
from lookups.operations import daily
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


def break_it(monkeypatch: pytest.MonkeyPatch, module: object, name: str, error: Exception) -> None:
    monkeypatch.setattr(module, name, Mock(side_effect=error, __module__="billing", __name__=name))


class TestAWorkThatBreaks:
    def test_keeps_no_hold_of_a_customer_that_is_over(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        now = timezone.now()
        account = customer.account.pk
        ledger.hold(account_id=account, amount=314, idempotency_key="h", reference="x", expires_at=now, now=now)
        break_it(monkeypatch, outage_refunds, "carry_on", RuntimeError("nobody foresaw it"))
        with pytest.raises(RuntimeError):  # so the task has failed, and is told of
            billing.tasks.expire_holds()
        assert customer.balance.held == 0
        assert "billing.carry_on broke" in caplog.text

    def test_keeps_nothing_beyond_its_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        long_ago = timezone.now() - timedelta(days=2)
        Heartbeat.objects.create(role="web", host="gone", pid=1, started_at=long_ago, beat_at=long_ago)
        break_it(monkeypatch, daily, "keep_days", RuntimeError("nobody foresaw it"))
        with pytest.raises(RuntimeError):
            lookups.tasks.prune()
        assert not Heartbeat.objects.filter(host="gone").exists()

    def test_is_the_last_where_the_database_is_away(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each would wait for it, and the task hold its worker for minutes."""
        break_it(monkeypatch, outage_refunds, "carry_on", OperationalError("is away"))
        later = Mock(return_value=0)
        monkeypatch.setattr(ledger, "expire_holds", later)
        with pytest.raises(OperationalError):
            billing.tasks.expire_holds()
        later.assert_not_called()


@pytest.mark.postgres
class TestAMachineWhoseClockIsAhead:
    """Of the database's, which tells the time to all."""

    def test_forgets_no_reply_that_a_customer_may_ask_for_once_more(
        self, on_postgres: None, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = customer.lookup(headers={"idempotency_key": "order-17"})
        with monkeypatch.context() as ahead:
            later = timezone.now() + timedelta(days=2)
            ahead.setattr(timezone, "now", lambda: later)
            lookups.tasks.prune()
        again = customer.lookup(headers={"idempotency_key": "order-17"})
        assert again.json()["lookupId"] == first.json()["lookupId"]
        assert customer.balance.spent == PRICE
