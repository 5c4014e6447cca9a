"""The nightly comparison finds what does not add up, says so, and touches nothing."""

from __future__ import annotations

import logging

import pytest
from django.db import connection

from billing import append_only, ledger, reconciliation, selectors, tasks
from billing.models import Account, Hold
from tests.billing.conftest import LATER, NOW


class TestReconciling:
    def test_a_ledger_in_order_adds_up(self, account: Account, hold: object, internal: Account) -> None:
        made = [hold(314), hold(314), hold(628)]  # type: ignore[operator]
        ledger.capture(hold_id=made[0].pk, now=NOW)
        ledger.release(hold_id=made[1].pk, now=NOW, reason="not_found")
        ledger.hold(account_id=internal.pk, amount=314, idempotency_key="i", reference="", expires_at=LATER, now=NOW)
        result = reconciliation.run(now=NOW)
        assert (result.accounts, result.mismatches) == (2, [])
        # What was charged here was charged by no lookup, which is all that is found
        assert [one.name for one in selectors.list_differences()] == ["charge_without_lookup"]

    def test_a_sum_changed_behind_the_ledgers_back_is_told_and_left_alone(
        self, account: Account, caplog: pytest.LogCaptureFixture
    ) -> None:
        Account.objects.filter(pk=account.pk).update(available=9999, deposited=9999)
        with caplog.at_level(logging.ERROR):
            reconciliation.run(now=NOW)
        alert = selectors.find_alert()
        assert alert is not None
        assert alert.mismatches == [
            {
                "account": account.pk,
                "name": "Acme",
                "differences": {"available": {"account": 9999, "entries": 3140, "last_entry": 3140}},
            }
        ]
        assert f"account {account.pk}" in caplog.text
        assert selectors.get_balance(account.pk).available == 9999

    def test_a_hold_that_the_account_knows_nothing_of_is_told(self, account: Account) -> None:
        Hold.objects.create(account=account, amount=5, remaining=5, created_at=NOW, expires_at=LATER)
        [mismatch] = reconciliation.run(now=NOW).mismatches
        assert mismatch["differences"] == {"open_holds": {"account": 0, "holds": 5}}

    def test_an_entry_changed_by_someone_with_power_over_the_triggers_is_told(self, account: Account) -> None:
        append_only.unprotect(connection)
        account.entries.update(amount=1, available_change=1)
        append_only.protect(connection)
        [mismatch] = reconciliation.run(now=NOW).mismatches
        assert mismatch["differences"]["available"] == {"account": 3140, "entries": 1, "last_entry": 3140}

    def test_runs_by_the_clock_through_its_task(self, account: Account) -> None:
        tasks.reconcile()
        assert tasks.expire_holds() == 0
        assert selectors.find_alert() is None
