"""Keys: shown once, known by their hash, and refused the moment they should be."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from billing import budgets, keys, ledger, selectors
from billing.models import Account, ApiKey
from tests.billing.conftest import LATER, NOW


def issue(account: Account, **named: Any) -> tuple[ApiKey, str]:
    return keys.issue(account=account, **{"name": "server", "now": NOW, **named})


def refusal_of(secret: str, now: Any = NOW) -> str:
    with pytest.raises(keys.InvalidKey) as refusal:
        keys.verify(secret=secret, now=now)
    return refusal.value.reason


class TestAKey:
    def test_opens_its_account(self, account: Account) -> None:
        key, secret = issue(account)
        assert keys.verify(secret=secret, now=NOW).pk == key.pk
        assert keys.verify(secret=secret, now=NOW).account == account

    @pytest.mark.parametrize(("mode", "marker"), [("live", "osd_"), ("test", "osd_test_")])
    def test_shows_its_mode_and_fits_the_pattern_for_leaked_keys(
        self, account: Account, mode: str, marker: str
    ) -> None:
        key, secret = issue(account, mode=mode)
        assert key.is_test is (mode == "test")
        assert re.fullmatch(marker + "[a-z2-7]{32}", secret)
        assert re.search(keys.LEAKED_KEY_PATTERN, f"KEY={secret}\n")
        assert key.prefix == secret[: len(marker) + 6]

    def test_is_stored_without_its_secret(self, account: Account) -> None:
        key, secret = issue(account)
        row = ApiKey.objects.filter(pk=key.pk).values().get()
        assert not [name for name, value in row.items() if secret in str(value)]

    def test_of_a_mode_or_scope_nobody_knows_is_not_made(self, account: Account) -> None:
        with pytest.raises(ValueError, match="production"):
            issue(account, mode="production")
        with pytest.raises(ValueError, match="everything"):
            issue(account, scopes=["lookup", "everything"])

    def test_without_scopes_allows_all_and_with_them_only_those(self, account: Account) -> None:
        assert issue(account)[0].allows("bulk")
        narrow = issue(account, scopes=["lookup"])[0]
        assert (narrow.allows("lookup"), narrow.allows("bulk")) == (True, False)


class TestVerifying:
    @pytest.mark.parametrize(
        "secret", ["", "osd_", "osd_" + "a" * 32, "sk_live_x", "osd_" + "x" * 5000, "osd_\x00", "osd_\ud800", "osd_é"]
    )
    def test_refuses_what_nobody_was_given(self, db: None, secret: str) -> None:
        assert refusal_of(secret) == "unknown"

    def test_refuses_a_revoked_key_from_that_moment(self, account: Account) -> None:
        key, secret = issue(account)
        keys.revoke(key=key, now=NOW)
        assert refusal_of(secret) == "revoked"

    def test_refuses_an_expired_key(self, account: Account) -> None:
        _, secret = issue(account, expires_at=LATER)
        keys.verify(secret=secret, now=LATER - timedelta(seconds=1))
        assert refusal_of(secret, LATER) == "expired"

    def test_refuses_the_keys_of_a_closed_account_in_a_way_that_can_be_told_apart(self, account: Account) -> None:
        _, secret = issue(account)
        Account.objects.filter(pk=account.pk).update(is_active=False)
        with pytest.raises(keys.AccountClosed):
            keys.verify(secret=secret, now=NOW)

    def test_takes_one_query(self, account: Account, django_assert_num_queries: Any) -> None:
        _, secret = issue(account)
        keys.verify(secret=secret, now=NOW)
        with django_assert_num_queries(1):
            keys.verify(secret=secret, now=NOW + timedelta(seconds=59)).account  # noqa: B018

    def test_writes_the_last_use_at_most_once_a_minute(self, account: Account) -> None:
        key, secret = issue(account)
        for seconds in (0, 30, 59):
            keys.verify(secret=secret, now=NOW + timedelta(seconds=seconds))
        key.refresh_from_db()
        assert key.last_used_at == NOW
        keys.verify(secret=secret, now=NOW + timedelta(seconds=60))
        key.refresh_from_db()
        assert key.last_used_at == NOW + timedelta(seconds=60)


class TestRotating:
    def test_lets_both_keys_work_for_the_grace_time(self, account: Account) -> None:
        old, old_secret = issue(account)
        new, new_secret = keys.rotate(key=old, grace=timedelta(hours=1), now=NOW)
        assert keys.verify(secret=old_secret, now=LATER - timedelta(seconds=1)) == old
        assert keys.verify(secret=new_secret, now=LATER) == new
        assert refusal_of(old_secret, LATER) == "revoked"

    def test_keeps_scopes_limits_and_mode(self, account: Account) -> None:
        old, _ = issue(account, scopes=["lookup"], mode="test")
        old.rate_limit_per_minute, old.concurrent_lookups = 7, 3
        old.save()
        new, _ = keys.rotate(key=old, grace=timedelta(0), now=NOW)
        new.refresh_from_db()
        assert (new.scopes, new.mode, new.rate_limit_per_minute, new.concurrent_lookups) == (["lookup"], "test", 7, 3)

    def test_a_key_twice_or_a_dead_one_is_refused(self, account: Account) -> None:
        old, _ = issue(account)
        keys.rotate(key=old, grace=timedelta(hours=1), now=NOW)
        with pytest.raises(keys.InvalidKey):
            keys.rotate(key=old, grace=timedelta(hours=1), now=NOW)
        dead, _ = issue(account)
        keys.revoke(key=dead, now=NOW)
        with pytest.raises(keys.InvalidKey):
            keys.rotate(key=dead, grace=timedelta(hours=1), now=NOW)

    def test_and_then_revoking_ends_the_grace_time(self, account: Account) -> None:
        old, secret = issue(account)
        keys.rotate(key=old, grace=timedelta(hours=1), now=NOW)
        keys.revoke(key=old, now=NOW)
        assert refusal_of(secret) == "revoked"


class TestAMonthlyBudget:
    def charge(self, account: Account, name: str, *, key: ApiKey | None = None, now: Any = NOW) -> None:
        ledger.charge(account_id=account.pk, amount=314, idempotency_key=name, reference="", now=now, key=key)

    def test_of_a_key_stops_that_key_and_no_other(self, account: Account) -> None:
        key, other = issue(account)[0], issue(account)[0]
        keys.set_budget(key=key, monthly_budget=700, now=NOW)
        self.charge(account, "1", key=key)
        self.charge(account, "2", key=key)
        with pytest.raises(ledger.BudgetExceeded) as refusal:
            self.charge(account, "3", key=key)
        assert refusal.value.available == 72
        self.charge(account, "4", key=other)

    def test_counts_what_the_key_used_before_it_was_set(self, account: Account) -> None:
        key = issue(account)[0]
        self.charge(account, "1", key=key)
        keys.set_budget(key=key, monthly_budget=400, now=NOW)
        with pytest.raises(ledger.BudgetExceeded):
            self.charge(account, "2", key=key)

    def test_counts_for_nothing_what_a_hold_of_the_month_before_gives_back(self, account: Account) -> None:
        key, next_month = issue(account)[0], NOW + timedelta(days=10)
        named = {"account_id": account.pk, "amount": 900, "reference": "", "expires_at": next_month}
        held = ledger.hold(idempotency_key="h", key=key, now=NOW, **named)
        self.charge(account, "1", key=key, now=next_month)
        ledger.release(hold_id=held.pk, now=next_month, reason="not_found")
        keys.set_budget(key=key, monthly_budget=400, now=next_month)
        with pytest.raises(ledger.BudgetExceeded):
            self.charge(account, "2", key=key, now=next_month)

    def test_starts_anew_each_month(self, account: Account) -> None:
        key = issue(account)[0]
        keys.set_budget(key=key, monthly_budget=314, now=NOW)
        self.charge(account, "1", key=key)
        self.charge(account, "2", key=key, now=NOW + timedelta(days=10))

    def test_never_goes_back_to_a_month_that_is_over(self, account: Account) -> None:
        """The machine's clock is a day ahead at the end of a month, and is set back: the month has one budget still."""
        key, last_day = issue(account)[0], NOW.replace(day=30)
        for one in (account, key):
            type(one).objects.filter(pk=one.pk).update(monthly_budget=700)
        key.refresh_from_db()
        self.charge(account, "1", key=key, now=last_day)
        self.charge(account, "2", key=key, now=last_day + timedelta(days=1))
        held = {"account_id": account.pk, "amount": 314, "reference": "", "expires_at": LATER, "now": last_day}
        for number in range(3):  # what is given back counts for nothing, as always
            hold = ledger.hold(idempotency_key=f"h{number}", key=key, **held)
            ledger.release(hold_id=hold.pk, now=last_day, reason="not_found")
        self.charge(account, "3", key=key, now=last_day)
        for asked_with in (key, None):
            with pytest.raises(ledger.BudgetExceeded):
                self.charge(account, "4", key=asked_with, now=last_day)

    def test_gets_back_what_was_held_for_nothing(self, account: Account) -> None:
        key = issue(account)[0]
        keys.set_budget(key=key, monthly_budget=314, now=NOW)
        for number in range(3):
            held = ledger.hold(
                account_id=account.pk,
                amount=314,
                idempotency_key=f"h{number}",
                reference="",
                expires_at=LATER,
                now=NOW,
                key=key,
            )
            ledger.release(hold_id=held.pk, now=NOW, reason="not_found")

    def test_is_one_for_a_key_and_its_successor_while_both_work(self, account: Account) -> None:
        old = issue(account)[0]
        keys.set_budget(key=old, monthly_budget=700, now=NOW)
        new, _ = keys.rotate(key=old, grace=timedelta(hours=24), now=NOW)
        self.charge(account, "1", key=new)
        self.charge(account, "2", key=old)
        for number, key in enumerate((old, new)):
            with pytest.raises(ledger.BudgetExceeded) as refusal:
                self.charge(account, f"more {number}", key=key)
            assert refusal.value.available == 72

    def test_is_one_over_any_number_of_rotations(self, account: Account) -> None:
        chain = [issue(account)[0]]
        keys.set_budget(key=chain[0], monthly_budget=3 * 314, now=NOW)
        for number in range(3):
            self.charge(account, str(number), key=chain[-1])
            chain.append(keys.rotate(key=chain[-1], grace=timedelta(hours=24), now=NOW)[0])
        for number, key in enumerate(chain):
            with pytest.raises(ledger.BudgetExceeded):
                self.charge(account, f"more {number}", key=key)
        other = issue(account)[0]
        keys.set_budget(key=other, monthly_budget=400, now=NOW)
        self.charge(account, "other", key=other)
        assert {ApiKey.objects.get(pk=key.pk).budget_used for key in chain} == {3 * 314}

    def test_begins_anew_for_all_of_them_in_another_month(self, account: Account) -> None:
        old = issue(account)[0]
        keys.set_budget(key=old, monthly_budget=700, now=NOW)
        self.charge(account, "1", key=old)
        new, _ = keys.rotate(key=old, grace=timedelta(hours=24), now=NOW)
        later = NOW + timedelta(days=40)
        named = {"account_id": account.pk, "amount": 600, "idempotency_key": "2", "reference": ""}
        ledger.charge(**named, key=new, now=later)
        counted = ApiKey.objects.filter(pk__in=(old.pk, new.pk)).values_list("budget_month", "budget_used")
        assert set(counted) == {(budgets.month_of(later), 600)}

    def test_is_that_of_the_keys_before_it_and_after_it_alone(self, account: Account) -> None:
        chain, alone = [issue(account)[0]], issue(account)[0]
        for _ in range(2):
            chain.append(keys.rotate(key=chain[-1], grace=timedelta(hours=24), now=NOW)[0])
        numbers = [key.pk for key in chain]
        assert [sorted(budgets.list_same(number)) for number in numbers] == [numbers] * 3
        assert budgets.list_same(alone.pk) == [alone.pk]

    def test_gets_back_for_both_keys_what_one_held_for_nothing(self, account: Account) -> None:
        old = issue(account)[0]
        keys.set_budget(key=old, monthly_budget=314, now=NOW)
        new, _ = keys.rotate(key=old, grace=timedelta(hours=24), now=NOW)
        named = {"account_id": account.pk, "amount": 314, "reference": "", "expires_at": LATER, "now": NOW}
        held = ledger.hold(idempotency_key="h", key=old, **named)
        with pytest.raises(ledger.BudgetExceeded):
            self.charge(account, "1", key=new)
        ledger.release(hold_id=held.pk, now=NOW, reason="not_found")
        self.charge(account, "2", key=new)

    def test_set_on_one_of_them_is_set_on_both_and_counts_what_both_used(self, account: Account) -> None:
        old = issue(account)[0]
        self.charge(account, "1", key=old)
        new, _ = keys.rotate(key=old, grace=timedelta(hours=24), now=NOW)
        self.charge(account, "2", key=new)
        keys.set_budget(key=new, monthly_budget=700, now=NOW)
        old.refresh_from_db()
        assert (old.monthly_budget, old.budget_used) == (700, 628)
        with pytest.raises(ledger.BudgetExceeded):
            self.charge(account, "3", key=old)

    def test_of_the_account_holds_for_all_its_keys(self, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(monthly_budget=400)
        self.charge(account, "1", key=issue(account)[0])
        with pytest.raises(ledger.BudgetExceeded) as refusal:
            self.charge(account, "2")
        assert refusal.value.available == 86
        assert selectors.get_balance(account.pk).spent == 314
