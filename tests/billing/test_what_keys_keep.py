"""What is kept of a key when it is made, replaced, used and revoked, to the last field and second."""

from __future__ import annotations

import hashlib
import uuid
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

import pytest

from billing import accounts, keys, ledger
from billing.models import Account, ApiKey, AuditEvent
from tests.billing.conftest import LATER, NOW

SECOND = timedelta(seconds=1)


def issue(account: Account, **named: Any) -> tuple[ApiKey, str]:
    return keys.issue(account=account, **{"name": "server", "now": NOW, **named})


def row(key: ApiKey) -> ApiKey:
    return ApiKey.objects.get(pk=key.pk)


def refusal(secret: str, now: Any = NOW) -> keys.InvalidKey:
    with pytest.raises(keys.InvalidKey) as refused:
        keys.verify(secret=secret, now=now)
    return refused.value


class TestANewKey:
    def test_keeps_what_it_was_made_with(self, account: Account) -> None:
        made, secret = issue(account, name="bulk runner", scopes=["names", "bulk", "bulk"], expires_at=LATER)
        kept = row(made)
        assert (kept.account, kept.name, kept.mode, kept.scopes) == (account, "bulk runner", "live", ["bulk", "names"])
        assert (kept.created_at, kept.expires_at, kept.revoked_at, kept.last_used_at) == (NOW, LATER, None, None)
        assert kept.secret_hash == hashlib.sha256(secret.encode()).hexdigest()
        assert kept.prefix == secret[:10]

    def test_may_be_given_each_scope_there_is(self, account: Account) -> None:
        for scope in ("lookup", "bulk", "names", "watches", "account", "keys", "reconcile"):
            assert row(issue(account, scopes=[scope])[0]).scopes == [scope]

    def test_keeps_limits_of_its_own_and_the_name_it_is_given(self, account: Account) -> None:
        named = uuid.uuid4()
        kept = row(issue(account, rate_limit_per_minute=7, concurrent_lookups=3, named=named)[0])
        assert (kept.rate_limit_per_minute, kept.concurrent_lookups, kept.uuid) == (7, 3, named)
        assert len({row(issue(account)[0]).uuid for _ in range(2)} | {named}) == 3

    def test_is_in_the_audit_log_under_its_beginning(self, account: Account) -> None:
        made, _ = issue(account)
        detail = AuditEvent.objects.get(kind="key_issued").detail
        assert detail == f"{made.prefix}… of account {account.pk}."

    def test_has_160_random_bits(self, account: Account) -> None:
        secrets = {issue(account)[1] for _ in range(5)}
        assert len(secrets) == 5
        assert {len(secret) for secret in secrets} == {len("osd_") + 32}

    def test_leaked_is_recognized_whole_and_nothing_else_is(self) -> None:
        import re

        leaked = re.compile(keys.LEAKED_KEY_PATTERN)
        assert leaked.search("'osd_test_" + "a2" * 16 + "'")
        assert not leaked.search("osd_" + "a" * 31)
        assert not leaked.search("osd_" + "a" * 33)


class TestARefusal:
    def test_says_why_to_us(self, account: Account) -> None:
        refused = refusal("osd_" + "a" * 32)
        assert (refused.reason, str(refused)) == ("unknown", "The API key is not valid (unknown).")

    def test_of_a_closed_accounts_key_says_so(self, account: Account) -> None:
        secret = issue(account)[1]
        Account.objects.filter(pk=account.pk).update(is_active=False)
        assert refusal(secret).reason == "account_closed"

    def test_of_a_key_from_another_network_says_so(self, account: Account) -> None:
        secret = issue(account, allowed_networks=["192.0.2.0/24"])[1]
        for address in (None, ip_address("198.51.100.7")):
            with pytest.raises(keys.WrongNetwork) as refused:
                keys.verify(secret=secret, now=NOW, address=address)
            assert refused.value.reason == "network"
        assert keys.verify(secret=secret, now=NOW, address=ip_address("192.0.2.7")).account == account

    def test_of_one_secret_is_not_saved_by_a_key_with_another(self, account: Account) -> None:
        issue(account)
        assert refusal("osd_" + "b" * 32).reason == "unknown"

    def test_of_what_is_no_key_asks_the_database_nothing(self, db: None, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(0):
            refusal("sk_live_" + "a" * 32)
            refusal("osd_" + "a" * 197)

    def test_of_a_key_as_long_as_one_may_be_is_looked_for(self, db: None, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(1):
            refusal("osd_" + "a" * 196)

    @pytest.mark.parametrize("apart", [-SECOND, SECOND], ids=["before it expired", "after"])
    def test_of_a_key_revoked_and_expired_says_revoked(self, account: Account, apart: timedelta) -> None:
        made, secret = issue(account, expires_at=LATER)
        keys.revoke(key=made, now=LATER + apart)
        assert refusal(secret, LATER + SECOND).reason == "revoked"

    def test_of_a_key_that_expires_before_its_grace_time_is_over_says_expired(self, account: Account) -> None:
        made, secret = issue(account, expires_at=LATER)
        keys.rotate(key=made, grace=timedelta(days=1), now=NOW)
        assert refusal(secret, LATER).reason == "expired"


class TestTheLastUse:
    def test_is_known_on_the_key_that_was_verified(self, account: Account) -> None:
        secret = issue(account)[1]
        assert keys.verify(secret=secret, now=NOW).last_used_at == NOW

    def test_of_one_key_is_not_that_of_another(self, account: Account) -> None:
        _, secret = issue(account)
        other, _ = issue(account)
        keys.verify(secret=secret, now=NOW)
        assert row(other).last_used_at is None

    def test_is_noted_once_when_requests_read_the_key_together(self, account: Account) -> None:
        made, secret = issue(account)
        keys.verify(secret=secret, now=NOW - timedelta(hours=1))
        read_before = row(made)
        keys.verify(secret=secret, now=NOW)
        keys._note_use(read_before, NOW + SECOND)
        assert row(made).last_used_at == NOW
        assert read_before.last_used_at == NOW - timedelta(hours=1)

    def test_is_noted_again_after_a_whole_minute(self, account: Account) -> None:
        made, secret = issue(account)
        keys.verify(secret=secret, now=NOW)
        keys.verify(secret=secret, now=NOW + timedelta(seconds=59, microseconds=999_999))
        assert row(made).last_used_at == NOW
        keys.verify(secret=secret, now=NOW + timedelta(minutes=1))
        assert row(made).last_used_at == NOW + timedelta(minutes=1)


class TestRevoking:
    def test_is_known_on_the_key_at_once(self, account: Account) -> None:
        made, _ = issue(account)
        keys.revoke(key=made, now=NOW)
        assert (made.revoked_at, row(made).revoked_at) == (NOW, NOW)

    def test_again_keeps_the_first_moment(self, account: Account) -> None:
        made, _ = issue(account)
        keys.revoke(key=made, now=NOW)
        keys.revoke(key=made, now=LATER)
        assert (made.revoked_at, row(made).revoked_at) == (NOW, NOW)

    def test_leaves_other_keys_alone(self, account: Account) -> None:
        made, other = issue(account)[0], issue(account)[0]
        keys.revoke(key=made, now=NOW)
        assert row(other).revoked_at is None


class TestASuccessor:
    def test_has_the_names_rights_limits_and_counts_of_the_old_key(self, account: Account) -> None:
        old, _ = issue(account, name="runner", scopes=["bulk"], mode="test", expires_at=LATER)
        old.rate_limit_per_minute, old.concurrent_lookups = 7, 3
        old.save()
        keys.set_budget(key=old, monthly_budget=400, now=NOW)
        ApiKey.objects.filter(pk=old.pk).update(budget_used=300)
        new = row(keys.rotate(key=old, grace=timedelta(0), now=NOW)[0])
        assert (new.account, new.name, new.scopes, new.mode) == (account, "runner", ["bulk"], "test")
        assert (new.created_at, new.expires_at, new.revoked_at, new.replaces) == (NOW, LATER, None, old)
        assert (new.rate_limit_per_minute, new.concurrent_lookups) == (7, 3)
        assert (new.monthly_budget, new.budget_month, new.budget_used) == (400, NOW.date().replace(day=1), 300)

    def test_has_the_name_it_is_given_and_is_of_the_same_account(self, account: Account) -> None:
        accounts.open_account(name="Other", now=NOW)
        old, named = issue(account)[0], uuid.uuid4()
        new = row(keys.rotate(key=old, grace=timedelta(0), now=NOW, named=named)[0])
        assert (new.uuid, new.account) == (named, account)
        again = row(keys.rotate(key=new, grace=timedelta(0), now=NOW - SECOND)[0])
        assert again.uuid not in (named, old.uuid)

    def test_cannot_spend_what_the_old_key_spent(self, account: Account) -> None:
        old, _ = issue(account)
        keys.set_budget(key=old, monthly_budget=400, now=NOW)
        ledger.charge(account_id=account.pk, amount=300, idempotency_key="1", reference="", now=NOW, key=old)
        new, _ = keys.rotate(key=old, grace=timedelta(0), now=NOW)
        with pytest.raises(ledger.BudgetExceeded):
            ledger.charge(account_id=account.pk, amount=101, idempotency_key="2", reference="", now=NOW, key=new)

    def test_ends_the_old_key_after_the_grace_time_and_no_other(self, account: Account) -> None:
        old, other = issue(account)[0], issue(account)[0]
        keys.rotate(key=old, grace=timedelta(hours=1), now=NOW)
        assert (old.revoked_at, row(old).revoked_at, row(other).revoked_at) == (LATER, LATER, None)

    def test_of_a_key_that_has_one_or_is_dead_is_refused_as_revoked(self, account: Account) -> None:
        replaced, dead = issue(account)[0], issue(account)[0]
        keys.rotate(key=replaced, grace=timedelta(hours=1), now=NOW)
        keys.revoke(key=dead, now=NOW)
        for one in (replaced, dead):
            with pytest.raises(keys.InvalidKey) as refused:
                keys.rotate(key=one, grace=timedelta(hours=1), now=NOW)
            assert refused.value.reason == "revoked"
        assert ApiKey.objects.count() == 3

    def test_of_another_key_does_not_stand_in_the_way(self, account: Account) -> None:
        one, other = issue(account)[0], issue(account)[0]
        keys.rotate(key=one, grace=timedelta(0), now=NOW)
        assert keys.rotate(key=other, grace=timedelta(0), now=NOW)[0].replaces == other


class TestABudget:
    def test_is_set_on_that_key_among_others_of_other_accounts(self, account: Account) -> None:
        accounts.open_account(name="Zebra", now=NOW)
        one, other = issue(account)[0], issue(account)[0]
        keys.set_budget(key=one, monthly_budget=400, now=NOW)
        assert (row(one).monthly_budget, row(other).monthly_budget) == (400, None)

    def test_is_all_that_setting_it_writes(self, account: Account) -> None:
        key, _ = issue(account)
        read_before = row(key)
        keys.revoke(key=key, now=NOW)
        keys.set_budget(key=read_before, monthly_budget=400, now=NOW)
        assert (row(key).monthly_budget, row(key).revoked_at) == (400, NOW)


class TestTheKeyOfTheWorkspace:
    def workspace_key(self, account: Account, *, livemode: bool = True, now: Any = NOW) -> ApiKey:
        return keys.get_workspace_key(account=account, livemode=livemode, now=now)

    def test_is_made_once_for_each_mode_of_an_account(self, account: Account) -> None:
        other = accounts.open_account(name="Other", now=NOW)
        live, test = self.workspace_key(account), self.workspace_key(account, livemode=False)
        assert self.workspace_key(account, now=LATER) == live
        assert (row(live).mode, row(test).mode) == ("live", "test")
        assert row(live).account == account
        assert self.workspace_key(other) not in (live, test)
        assert row(self.workspace_key(other)).account == other

    def test_keeps_what_it_is_known_by_and_has_the_account_at_hand(
        self, account: Account, django_assert_num_queries: Any
    ) -> None:
        kept = row(self.workspace_key(account))
        assert (kept.name, kept.prefix, kept.created_at) == ("Workspace", "Workspace", NOW)
        assert (kept.is_workspace, len(kept.secret_hash)) == (True, 64)
        with django_assert_num_queries(1):
            assert self.workspace_key(account).account is account

    def test_is_not_replaced(self, account: Account) -> None:
        key = self.workspace_key(account)
        with pytest.raises(keys.InvalidKey):
            keys.rotate(key=key, grace=timedelta(hours=1), now=NOW)
        assert (row(key).revoked_at, ApiKey.objects.count()) == (None, 1)

    def test_has_a_hash_that_no_other_has(self, account: Account) -> None:
        hashes = {row(self.workspace_key(account, livemode=mode)).secret_hash for mode in (True, False)}
        assert len(hashes) == 2
        assert hashlib.sha256(b"").hexdigest() not in hashes
