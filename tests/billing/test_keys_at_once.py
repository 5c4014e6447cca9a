"""Two who change a customer's keys in the same moment: one wins, and the other is told so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from billing import customer_keys, keys, ledger, locks, reconciliation
from billing.models import Account, ApiKey, AuditEvent
from tests.billing.conftest import NOW, in_parallel, set_once_somebody_waits
from tests.billing.tampering import list_differences
from tests.billing.test_admin import staff, url

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgres"),
]


LATER = NOW + timedelta(milliseconds=5)


def revoke_while_it_waits(work: Callable[[], object], *, by: ApiKey, key: ApiKey) -> str:
    """Revoke a key at `LATER` while `work`, whose clock says earlier, waits for that; returns "ended" or "done"."""
    is_revoked, may_go = threading.Event(), threading.Event()

    def revoke() -> str:
        with transaction.atomic():
            customer_keys.revoke(by=by, key=key, now=LATER)
            is_revoked.set()
            assert may_go.wait(60)
        return "revoked"

    def wait() -> str:
        assert is_revoked.wait(60)
        try:
            work()
        except (customer_keys.KeyEnded, keys.InvalidKey):
            return "ended"
        return "done"

    stories = [revoke, wait, lambda: set_once_somebody_waits(may_go)]
    revoked, outcome, seen = in_parallel(lambda number: stories[number](), 3, threads=3)
    assert (revoked, seen) == ("revoked", "seen")
    return str(outcome)


class TestTwoRotationsOfOneKey:
    @pytest.mark.parametrize("asked_by", ["itself", "another"])
    def test_make_one_successor(self, account: Account, key: ApiKey, asked_by: str) -> None:
        by = key if asked_by == "itself" else keys.issue(account=account, name="office", now=NOW)[0]

        def rotate(_: int) -> str:
            try:
                made = customer_keys.rotate(by=by, key=key, overlap=timedelta(hours=1), now=NOW)
            except customer_keys.KeyEnded:
                return "ended"
            return made[0].prefix

        outcomes = in_parallel(rotate, 8)
        assert outcomes.count("ended") == 7
        assert ApiKey.objects.get(replaces=key).prefix in outcomes
        assert AuditEvent.objects.filter(kind="key_rotated").count() == 1
        assert list_differences() == []


class TestARotationBesideARevocation:
    @pytest.mark.parametrize("asked_by", ["itself", "another"])
    def test_leaves_a_revoked_key_revoked(self, account: Account, key: ApiKey, asked_by: str) -> None:
        """Its clock was read before it waited for the revocation: the key worked on, and had a successor."""
        by = key if asked_by == "itself" else keys.issue(account=account, name="office", now=NOW)[0]
        owner = keys.get_workspace_key(account=account, livemode=True, now=NOW)

        def rotate() -> object:
            return customer_keys.rotate(by=by, key=key, overlap=timedelta(days=7), now=NOW)

        assert revoke_while_it_waits(rotate, by=owner, key=key) == "ended"
        assert ApiKey.objects.get(pk=key.pk).revoked_at == LATER
        assert not ApiKey.objects.filter(replaces=key).exists()


class TestABudgetSetBesideACharge:
    def test_counts_what_is_being_charged(self, account: Account, key: ApiKey) -> None:
        is_charged, may_go = threading.Event(), threading.Event()

        def charge() -> str:
            named = {"account_id": account.pk, "amount": 314, "idempotency_key": "c", "reference": "", "key": key}
            with transaction.atomic():
                ledger.charge(**named, now=NOW)
                is_charged.set()
                assert may_go.wait(60)
            return "charged"

        def set_budget() -> str:
            assert is_charged.wait(60)
            keys.set_budget(key=key, monthly_budget=700, now=NOW)
            return "set"

        stories = [charge, set_budget, lambda: set_once_somebody_waits(may_go)]
        assert in_parallel(lambda number: stories[number](), 3, threads=3) == ["charged", "set", "seen"]
        assert ApiKey.objects.get(pk=key.pk).budget_used == 314

    def test_by_staff_with_a_new_name_fails_neither_of_them(self, account: Account, key: ApiKey) -> None:
        """The page had the key and waited for the account, and the charge the other way round."""
        keys.set_budget(key=key, monthly_budget=500, now=NOW)
        dana, is_begun, may_go = staff("dana", "view_apikey", "change_apikey"), threading.Event(), threading.Event()

        def charge() -> str:
            named = {"account_id": account.pk, "amount": 314, "idempotency_key": "c", "reference": "", "key": key}
            with transaction.atomic():
                locks.lock_account(account.pk)
                is_begun.set()
                assert may_go.wait(60)
                ledger.charge(**named, now=timezone.now())
            return "charged"

        def change() -> str:
            assert is_begun.wait(60)
            sent = dana.post(url("apikey_change", key.pk), {"name": "renamed", "monthly_budget": "0.07"})
            return str(sent.status_code)

        stories = [charge, change, lambda: set_once_somebody_waits(may_go)]
        assert in_parallel(lambda number: stories[number](), 3, threads=3) == ["charged", "302", "seen"]
        key.refresh_from_db()
        assert (key.name, key.monthly_budget, key.budget_used) == ("renamed", 700, 314)


class TestTwoKeysThatRevokeEachOther:
    def test_leave_one_that_can_make_others(self, account: Account) -> None:
        for _ in range(10):
            pair = [keys.issue(account=account, name="server", now=NOW)[0] for _ in range(2)]

            def end_the_other(number: int, pair: list[ApiKey] = pair) -> str:
                try:
                    customer_keys.revoke(by=pair[number], key=pair[1 - number], now=NOW)
                except (customer_keys.LastKey, keys.InvalidKey) as refused:
                    return type(refused).__name__
                return "revoked"

            assert in_parallel(end_the_other, 2, threads=2).count("revoked") == 1
            (left,) = ApiKey.objects.working(NOW)
            ApiKey.objects.filter(pk=left.pk).update(revoked_at=NOW)

    def test_do_not_both_succeed_by_clocks_that_differ(self, account: Account, key: ApiKey) -> None:
        """The second one's clock said that it worked still: whoever had stolen it ended the key that ended it."""
        owner, stolen = (keys.issue(account=account, name=name, now=NOW)[0] for name in ("owner", "stolen"))

        def revoke_the_owners() -> None:
            customer_keys.revoke(by=stolen, key=owner, now=NOW)

        assert revoke_while_it_waits(revoke_the_owners, by=owner, key=stolen) == "ended"
        assert ApiKey.objects.get(pk=owner.pk).revoked_at is None


class TestManyWhoMakeKeys:
    def test_stay_within_the_bound(self, account: Account, key: ApiKey, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(customer_keys, "MOST_KEYS", 5)

        def make(number: int) -> bool:
            try:
                customer_keys.create(by=key, name=str(number), now=NOW)
            except customer_keys.TooManyKeys:
                return False
            return True

        assert sum(in_parallel(make, 24)) == 4
        assert ApiKey.objects.count() == 5
        assert reconciliation.run(now=NOW).mismatches == []
