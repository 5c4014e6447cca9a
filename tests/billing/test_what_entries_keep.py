"""What the ledger writes down of each movement, to the last word and unit: statements and auditors read it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from billing import accounts, keys, ledger, locks, selectors
from billing.models import Account, ApiKey, Hold, LedgerEntry
from billing.selectors import Balance
from tests.billing.conftest import LATER, NOW
from tests.billing.tampering import list_differences

FREE = 3140
UNSEEN = ("id", "fingerprint", "hash", "previous_hash")


def kept(entry: LedgerEntry) -> dict[str, Any]:
    """An entry's row as the database has it, without its number and what the machinery adds."""
    row = LedgerEntry.objects.filter(pk=entry.pk).values().get()
    return {name: value for name, value in row.items() if value not in (None, "") and name not in UNSEEN}


def sums(account: Account) -> Balance:
    return selectors.get_balance(account.pk)


class TestADeposit:
    def deposit(self, account: Account, **changed: Any) -> LedgerEntry:
        named = {
            "amount": 100,
            "idempotency_key": "d",
            "source": "staff",
            "reference": "invoice 7",
            "operator": "Dana",
            "reason": "goodwill",
            "note": "they waited",
            **changed,
        }
        return ledger.deposit(account_id=account.pk, now=NOW, **named)

    def test_of_a_single_cent_is_kept_with_all_that_was_said(self, account: Account) -> None:
        assert kept(self.deposit(account)) == {
            "account_id": account.pk,
            "kind": "deposit",
            "amount": 100,
            "available_change": 100,
            "held_change": 0,
            "spent_change": 0,
            "available_after": FREE + 100,
            "held_after": 0,
            "spent_after": 0,
            "created_at": NOW,
            "idempotency_key": "d",
            "source": "staff",
            "reference": "invoice 7",
            "operator": "Dana",
            "reason": "goodwill",
            "note": "they waited",
        }
        assert sums(account) == Balance(available=FREE + 100, held=0, spent=0, deposited=FREE + 100)

    def test_says_which_request_it_is_of_and_a_repetition_by_another_is_the_same(self, account: Account) -> None:
        first = self.deposit(account, request_id="r-1")
        assert kept(first)["request_id"] == "r-1"
        assert self.deposit(account, request_id="r-2").pk == first.pk
        assert kept(first)["request_id"] == "r-1"

    def test_of_a_single_unit_is_money_too(self, account: Account) -> None:
        entry = self.deposit(account, amount=1)
        assert (entry.available_after, entry._state.adding) == (FREE + 1, False)  # it knows that it is written

    def test_about_which_nothing_else_was_said_says_nothing_else(self, account: Account) -> None:
        entry = ledger.deposit(account_id=account.pk, amount=100, idempotency_key="d", source="card", now=NOW)
        assert {"reference", "operator", "reason", "note"} & set(kept(entry)) == set()

    def test_of_the_free_lookups_is_distinct_from_paid_ones(self, account: Account) -> None:
        [grant] = account.entries.all()
        assert (grant.kind, grant.source, grant.idempotency_key) == ("free_grant", "free_grant", "free-grant")

    def test_asked_twice_is_the_first_entry_again(self, account: Account) -> None:
        first = self.deposit(account)
        assert self.deposit(account).pk == first.pk
        assert sums(account).available == FREE + 100

    @pytest.mark.parametrize("other", [{"amount": 101}, {"source": "card"}, {"reference": "invoice 8"}])
    def test_of_anything_else_under_its_key_is_a_conflict(self, account: Account, other: dict[str, Any]) -> None:
        self.deposit(account)
        with pytest.raises(ledger.IdempotencyConflict):
            self.deposit(account, **other)

    def test_of_free_lookups_under_the_key_of_a_paid_one_is_a_conflict(self, account: Account) -> None:
        self.deposit(account)
        with pytest.raises(ledger.IdempotencyConflict):
            self.deposit(account, source="free_grant")

    def test_to_two_accounts_may_have_the_same_key(self, account: Account) -> None:
        other = accounts.open_account(name="Zebra", now=NOW)
        assert self.deposit(account).account_id == account.pk
        assert self.deposit(other).account_id == other.pk


class TestAHold:
    def test_keeps_who_asked_for_what_and_until_when(
        self, account: Account, key: ApiKey, hold: Callable[..., Hold]
    ) -> None:
        made = Hold.objects.filter(pk=hold(314, key=key, idempotency_key="h").pk).values().get()
        assert made.pop("id")
        assert made == {
            "account_id": account.pk,
            "key_id": key.pk,
            "amount": 314,
            "remaining": 314,
            "is_free": False,
            "state": "open",
            "reference": "lookup",
            "created_at": NOW,
            "expires_at": LATER,
            "ended_at": None,
        }
        [entry] = account.entries.filter(kind="hold")
        assert kept(entry) == {
            "account_id": account.pk,
            "kind": "hold",
            "amount": 314,
            "available_change": -314,
            "held_change": 314,
            "spent_change": 0,
            "available_after": FREE - 314,
            "held_after": 314,
            "spent_after": 0,
            "created_at": NOW,
            "idempotency_key": "h",
            "reference": "lookup",
            "hold_id": entry.hold_id,
            "key_id": key.pk,
        }
        assert entry.hold_id is not None

    def test_of_our_own_account_is_marked_free(self, internal: Account) -> None:
        made = ledger.hold(
            account_id=internal.pk, amount=314, idempotency_key="h", reference="", expires_at=LATER, now=NOW
        )
        made.refresh_from_db()
        assert (made.is_free, made.amount, made.remaining) == (True, 314, 314)

    def test_returned_is_the_hold_that_was_written(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        assert (made, made._state.adding) == (Hold.objects.get(), False)
        made.reference = "changed by its caller"
        made.save()  # as an update: the object knows that it is in the database
        assert Hold.objects.get().reference == "changed by its caller"


class TestACapture:
    def test_keeps_the_hold_its_key_and_its_reference(
        self, account: Account, key: ApiKey, hold: Callable[..., Hold]
    ) -> None:
        made = hold(314, key=key)
        entry = ledger.capture(hold_id=made.pk, now=LATER)
        assert kept(entry) == {
            "account_id": account.pk,
            "kind": "capture",
            "amount": 314,
            "available_change": 0,
            "held_change": -314,
            "spent_change": 314,
            "available_after": FREE - 314,
            "held_after": 0,
            "spent_after": 314,
            "created_at": LATER,
            "idempotency_key": f"hold:{made.pk}:capture",
            "reference": "lookup",
            "hold_id": made.pk,
            "key_id": key.pk,
        }
        assert entry.hold == made
        made.refresh_from_db()
        assert (made.state, made.remaining, made.ended_at) == ("captured", 0, LATER)

    def test_and_a_release_under_one_lock_follow_each_other(self, hold: Callable[..., Hold]) -> None:
        made = hold(628)
        with transaction.atomic():
            locked = locks.lock_hold(made.pk)
            part = {"amount": 314, "idempotency_key": "row-1", "reference": "row 1"}
            taken = ledger.capture(hold_id=made.pk, locked=locked, now=NOW, **part)
            back = ledger.release(hold_id=made.pk, locked=locked, now=NOW, reason="costs_less")
        assert LedgerEntry.objects.get(pk=back.pk).previous_hash == LedgerEntry.objects.get(pk=taken.pk).hash
        assert list_differences() == []

    def test_of_a_part_keeps_the_reference_of_that_part(self, hold: Callable[..., Hold]) -> None:
        made = hold(628)
        part = ledger.capture(hold_id=made.pk, amount=314, idempotency_key="row-1", reference="row 1", now=NOW)
        assert (kept(part)["amount"], kept(part)["idempotency_key"], kept(part)["reference"]) == (314, "row-1", "row 1")
        made.refresh_from_db()
        assert (made.state, made.remaining, made.ended_at) == ("open", 314, None)

    def test_of_a_part_asked_twice_is_the_first_entry_also_when_all_is_gone(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        first = ledger.capture(hold_id=made.pk, amount=314, idempotency_key="row-1", now=NOW)
        assert ledger.capture(hold_id=made.pk, amount=314, idempotency_key="row-1", now=NOW).pk == first.pk

    def test_of_another_part_under_its_key_is_a_conflict(self, hold: Callable[..., Hold]) -> None:
        made, other = hold(628), hold(628)
        ledger.capture(hold_id=made.pk, amount=314, idempotency_key="row-1", now=NOW)
        with pytest.raises(ledger.IdempotencyConflict):
            ledger.capture(hold_id=made.pk, amount=315, idempotency_key="row-1", now=NOW)
        with pytest.raises(ledger.IdempotencyConflict):
            ledger.capture(hold_id=other.pk, amount=314, idempotency_key="row-1", now=NOW)
        with pytest.raises(ledger.IdempotencyConflict):
            ledger.release(hold_id=made.pk, amount=314, idempotency_key="row-1", reason="not_found", now=NOW)

    @pytest.mark.parametrize("taken", ["hold:7:capture", "hold:7:release"])
    def test_of_a_part_never_takes_the_key_of_a_whole(self, hold: Callable[..., Hold], taken: str) -> None:
        with pytest.raises(ValueError, match="key of its own"):
            ledger.capture(hold_id=hold(314).pk, amount=1, idempotency_key=taken, now=NOW)

    def test_refused_says_what_became_of_the_hold_and_what_remains(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        with pytest.raises(ledger.HoldEnded, match="open with 314 units") as refusal:
            ledger.capture(hold_id=made.pk, amount=315, idempotency_key="row-1", now=NOW)
        assert (refusal.value.state, refusal.value.remaining) == ("open", 314)
        ledger.release(hold_id=made.pk, reason="not_found", now=NOW)
        with pytest.raises(ledger.HoldEnded, match="released with 0 units"):
            ledger.capture(hold_id=made.pk, amount=0, idempotency_key="row-2", now=NOW)

    def test_is_that_of_its_own_account(self, account: Account, hold: Callable[..., Hold]) -> None:
        other = accounts.open_account(name="Zebra", now=NOW)
        taken, given_back = hold(314, account_id=other.pk), hold(100, account_id=other.pk)
        assert ledger.capture(hold_id=taken.pk, now=NOW).account == other
        assert ledger.release(hold_id=given_back.pk, reason="not_found", now=NOW).account == other
        assert sums(account) == Balance(available=FREE, held=0, spent=0, deposited=FREE)
        assert sums(other) == Balance(available=FREE - 314, held=0, spent=314, deposited=FREE)

    def test_of_a_hold_nobody_made_says_so(self, db: None) -> None:
        with pytest.raises(Hold.DoesNotExist):
            ledger.capture(hold_id=999_999, now=NOW)

    def test_of_our_own_account_costs_nothing_and_ends_the_hold(self, internal: Account) -> None:
        made = ledger.hold(
            account_id=internal.pk, amount=314, idempotency_key="h", reference="", expires_at=LATER, now=NOW
        )
        given_back = ledger.release(hold_id=made.pk, amount=100, idempotency_key="part", reason="not_found", now=NOW)
        taken = ledger.capture(hold_id=made.pk, now=NOW)
        made.refresh_from_db()
        assert (given_back.amount, taken.amount, made.state, made.remaining) == (0, 0, "captured", 0)


class TestARelease:
    def test_keeps_the_hold_its_key_and_the_reason(
        self, account: Account, key: ApiKey, hold: Callable[..., Hold]
    ) -> None:
        made = hold(314, key=key)
        entry = ledger.release(hold_id=made.pk, now=LATER, reason="not_found")
        assert kept(entry) == {
            "account_id": account.pk,
            "kind": "release",
            "amount": 314,
            "available_change": 314,
            "held_change": -314,
            "spent_change": 0,
            "available_after": FREE,
            "held_after": 0,
            "spent_after": 0,
            "created_at": LATER,
            "idempotency_key": f"hold:{made.pk}:release",
            "reference": "lookup",
            "reason": "not_found",
            "hold_id": made.pk,
            "key_id": key.pk,
        }
        made.refresh_from_db()
        assert (made.state, made.remaining, made.ended_at) == ("released", 0, LATER)

    def test_of_a_part_leaves_the_rest_open(self, account: Account, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        entry = ledger.release(hold_id=made.pk, amount=14, idempotency_key="row-1", reason="not_found", now=NOW)
        assert (entry.amount, entry.idempotency_key) == (14, "row-1")
        assert (
            ledger.release(hold_id=made.pk, amount=14, idempotency_key="row-1", reason="not_found", now=NOW).pk
            == entry.pk
        )
        assert sums(account) == Balance(available=FREE - 300, held=300, spent=0, deposited=FREE)

    @pytest.mark.parametrize(("reason", "state"), [("expired", "expired"), ("cancelled", "released")])
    def test_of_part_after_part_ends_as_its_last_reason_says(
        self, hold: Callable[..., Hold], reason: str, state: str
    ) -> None:
        made = hold(314)
        ledger.release(hold_id=made.pk, amount=300, idempotency_key="row-1", reason="not_found", now=NOW)
        ledger.release(hold_id=made.pk, reason=reason, now=NOW)
        made.refresh_from_db()
        assert made.state == state


class TestACharge:
    def test_is_kept_with_its_key_and_asked_twice_is_the_first_entry(self, account: Account, key: ApiKey) -> None:
        def charge(**changed: Any) -> LedgerEntry:
            named = {"amount": 314, "idempotency_key": "c", "reference": "stored", **changed}
            return ledger.charge(account_id=account.pk, now=NOW, key=key, **named)

        first = charge()
        assert kept(first) == {
            "account_id": account.pk,
            "kind": "charge",
            "amount": 314,
            "available_change": -314,
            "held_change": 0,
            "spent_change": 314,
            "available_after": FREE - 314,
            "held_after": 0,
            "spent_after": 314,
            "created_at": NOW,
            "idempotency_key": "c",
            "reference": "stored",
            "key_id": key.pk,
        }
        assert charge().pk == first.pk
        for other in ({"amount": 315}, {"reference": "another"}):
            with pytest.raises(ledger.IdempotencyConflict):
                charge(**other)
        with pytest.raises(ledger.IdempotencyConflict):
            ledger.hold(
                account_id=account.pk, amount=314, idempotency_key="c", reference="stored", expires_at=LATER, now=NOW
            )

    def test_of_the_last_unit_is_allowed_and_of_one_more_is_not(self, account: Account) -> None:
        with pytest.raises(ledger.InsufficientFunds, match="3141 units are needed and 3140") as refusal:
            ledger.charge(account_id=account.pk, amount=FREE + 1, idempotency_key="c", reference="", now=NOW)
        assert (refusal.value.available, refusal.value.needed) == (FREE, FREE + 1)
        ledger.charge(account_id=account.pk, amount=FREE, idempotency_key="c", reference="", now=NOW)
        assert sums(account) == Balance(available=0, held=0, spent=FREE, deposited=FREE)


class TestARefund:
    @pytest.fixture
    def spent(self, account: Account) -> LedgerEntry:
        return ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="lookup", now=NOW)

    def refund(self, spent: LedgerEntry, **changed: Any) -> LedgerEntry:
        return ledger.refund(entry_id=spent.pk, **{"idempotency_key": "r", "reason": "goodwill", "now": NOW, **changed})

    def test_is_kept_with_what_it_refunds_and_who_did_it(self, account: Account, spent: LedgerEntry) -> None:
        assert kept(self.refund(spent, amount=14, operator="Dana", note="late", now=LATER)) == {
            "account_id": account.pk,
            "kind": "refund",
            "amount": 14,
            "available_change": 14,
            "held_change": 0,
            "spent_change": -14,
            "available_after": FREE - 300,
            "held_after": 0,
            "spent_after": 300,
            "created_at": LATER,
            "idempotency_key": "r",
            "reference": "lookup",
            "reason": "goodwill",
            "operator": "Dana",
            "note": "late",
            "refunds_id": spent.pk,
        }
        assert ledger.get_refundable(spent) == 300

    def test_by_nobody_in_particular_names_nobody(self, spent: LedgerEntry) -> None:
        assert {"operator", "note"} & set(kept(self.refund(spent))) == set()

    def test_asked_for_twice_is_the_first_entry_also_when_nothing_is_left(
        self, account: Account, spent: LedgerEntry
    ) -> None:
        first = self.refund(spent)
        assert self.refund(spent).pk == first.pk
        assert sums(account).available == FREE

    def test_of_another_amount_or_entry_under_its_key_is_a_conflict(self, account: Account, spent: LedgerEntry) -> None:
        self.refund(spent, amount=14)
        other = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c2", reference="lookup", now=NOW)
        with pytest.raises(ledger.IdempotencyConflict):
            self.refund(spent, amount=15)
        with pytest.raises(ledger.IdempotencyConflict):
            self.refund(other, amount=14)

    def test_of_nothing_or_of_what_was_given_back_is_refused(self, spent: LedgerEntry) -> None:
        with pytest.raises(ledger.RefundTooLarge):
            self.refund(spent, amount=0)
        self.refund(spent, amount=314)
        with pytest.raises(ledger.RefundTooLarge, match="Only 0 units") as refusal:
            self.refund(spent, idempotency_key="again")
        assert refusal.value.refundable == 0

    def test_of_a_capture_goes_back_to_its_account(self, account: Account, hold: Callable[..., Hold]) -> None:
        taken = ledger.capture(hold_id=hold(314).pk, now=NOW)
        assert self.refund(taken).amount == 314
        assert sums(account) == Balance(available=FREE, held=0, spent=0, deposited=FREE)

    def test_of_a_release_is_refused_by_its_name(self, hold: Callable[..., Hold]) -> None:
        freed = ledger.release(hold_id=hold(314).pk, reason="not_found", now=NOW)
        with pytest.raises(ValueError, match="not a release"):
            self.refund(freed)


class TestAnAdjustment:
    def adjust(self, account: Account, amount: int, **changed: Any) -> LedgerEntry:
        named = {"idempotency_key": "a", "operator": "Dana", "reason": "correction", **changed}
        return ledger.adjust(account_id=account.pk, amount=amount, now=NOW, **named)

    def test_is_kept_with_who_why_and_about_what(self, account: Account) -> None:
        assert kept(self.adjust(account, -140, note="see mail", reference="case 9")) == {
            "account_id": account.pk,
            "kind": "adjust",
            "amount": -140,
            "available_change": -140,
            "held_change": 0,
            "spent_change": 0,
            "available_after": 3000,
            "held_after": 0,
            "spent_after": 0,
            "created_at": NOW,
            "idempotency_key": "a",
            "operator": "Dana",
            "reason": "correction",
            "note": "see mail",
            "reference": "case 9",
        }

    def test_without_a_note_has_none(self, account: Account) -> None:
        assert {"note", "reference"} & set(kept(self.adjust(account, 1))) == set()

    def test_by_one_unit_up_is_allowed_and_by_none_is_not(self, account: Account) -> None:
        assert self.adjust(account, 1).available_after == FREE + 1
        with pytest.raises(ValueError, match="needs an amount"):
            self.adjust(account, 0, idempotency_key="b")

    def test_down_to_nothing_is_allowed_and_one_further_says_what_is_there(self, account: Account) -> None:
        with pytest.raises(ledger.InsufficientFunds) as refusal:
            self.adjust(account, -FREE - 1)
        assert (refusal.value.available, refusal.value.needed) == (FREE, FREE + 1)
        assert self.adjust(account, -FREE).available_after == 0

    def test_asked_twice_is_the_first_entry_also_when_the_credit_is_gone(self, account: Account) -> None:
        first = self.adjust(account, -FREE)
        assert self.adjust(account, -FREE).pk == first.pk

    @pytest.mark.parametrize("other", [{"amount": -2}, {"reason": "other"}, {"reference": "case 10"}])
    def test_of_anything_else_under_its_key_is_a_conflict(self, account: Account, other: dict[str, Any]) -> None:
        self.adjust(account, -1)
        with pytest.raises(ledger.IdempotencyConflict):
            self.adjust(account, **{"amount": -1, **other})


class TestAReversal:
    def reverse(self, account: Account, **changed: Any) -> LedgerEntry:
        named = {"amount": -100, "idempotency_key": "v", "source": "card", "reason": "refunded", "reference": "pi_1"}
        return ledger.reverse(account_id=account.pk, now=NOW, **{**named, **changed})

    def test_is_kept_with_what_was_said_and_nothing_else(self, account: Account) -> None:
        assert kept(self.reverse(account)) == {
            "account_id": account.pk,
            "kind": "reversal",
            "amount": -100,
            "available_change": -100,
            "held_change": 0,
            "spent_change": 0,
            "available_after": FREE - 100,
            "held_after": 0,
            "spent_after": 0,
            "created_at": NOW,
            "idempotency_key": "v",
            "source": "card",
            "reason": "refunded",
            "reference": "pi_1",
        }
        said = kept(self.reverse(account, idempotency_key="v2", operator="Dana", note="by letter"))
        assert (said["operator"], said["note"]) == ("Dana", "by letter")

    def test_asked_twice_is_the_first_entry_again(self, account: Account) -> None:
        first = self.reverse(account)
        assert self.reverse(account) == first
        assert sums(account).available == FREE - 100

    def test_of_a_single_unit_is_allowed_and_of_none_is_not(self, account: Account) -> None:
        assert self.reverse(account, amount=1).available_after == FREE + 1
        with pytest.raises(ValueError, match="nothing"):
            self.reverse(account, amount=0, idempotency_key="v2")
        assert sums(account).available == FREE + 1


class TestTheSweepOfExpiredHolds:
    def test_gives_back_the_oldest_first_and_no_more_than_it_may(self, hold: Callable[..., Hold]) -> None:
        late, early = hold(1, expires_at=LATER), hold(1, expires_at=LATER - timedelta(minutes=1))
        assert ledger.expire_holds(now=LATER, limit=1) == 1
        late.refresh_from_db()
        early.refresh_from_db()
        assert (late.state, early.state, early.ended_at) == ("open", "expired", LATER)

    def test_counts_each_and_says_why(self, account: Account, hold: Callable[..., Hold]) -> None:
        hold(1)
        hold(1)
        assert ledger.expire_holds(now=LATER) == 2
        assert [entry.reason for entry in account.entries.filter(kind="release")] == ["expired", "expired"]
        assert sums(account).held == 0

    def test_leaves_what_was_settled_alone(self, account: Account, hold: Callable[..., Hold]) -> None:
        ledger.capture(hold_id=hold(314).pk, now=NOW)
        assert ledger.expire_holds(now=LATER) == 0
        assert sums(account).spent == 314

    def test_is_never_part_of_a_larger_transaction(self, hold: Callable[..., Hold]) -> None:
        hold(1)
        with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
            ledger.expire_holds(now=LATER)


class TestAMonthlyBudget:
    """To the unit, of the account and of its keys, whichever is reached first."""

    def charge(self, account: Account, amount: int, name: str, **named: Any) -> LedgerEntry:
        named = {"now": NOW, "reference": "", **named}
        return ledger.charge(account_id=account.pk, amount=amount, idempotency_key=name, **named)

    def left(self, account: Account, amount: int, **named: Any) -> int:
        with pytest.raises(ledger.BudgetExceeded) as refusal:
            self.charge(account, amount, "refused", **named)
        assert refusal.value.needed == amount
        return refusal.value.available

    def test_of_an_account_is_spent_to_the_last_unit(self, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(monthly_budget=400)
        self.charge(account, 399, "1")
        assert self.left(account, 2) == 1
        self.charge(account, 1, "2")
        assert self.left(account, 1) == 0

    def test_of_an_account_that_was_lowered_below_what_is_used_leaves_nothing(self, account: Account) -> None:
        Account.objects.filter(pk=account.pk).update(monthly_budget=400)
        self.charge(account, 399, "1")
        Account.objects.filter(pk=account.pk).update(monthly_budget=300)
        assert self.left(account, 1) == 0

    def test_of_an_account_gets_back_what_was_held_for_nothing(
        self, account: Account, hold: Callable[..., Hold]
    ) -> None:
        Account.objects.filter(pk=account.pk).update(monthly_budget=400)
        self.charge(account, 100, "1")
        ledger.release(hold_id=hold(300).pk, reason="not_found", now=NOW)
        assert self.left(account, 301) == 300
        self.charge(account, 300, "2")

    def test_of_an_account_is_that_of_the_month_and_not_of_the_one_before(
        self, account: Account, hold: Callable[..., Hold]
    ) -> None:
        Account.objects.filter(pk=account.pk).update(monthly_budget=400)
        held, december = hold(300), NOW + timedelta(days=10)
        self.charge(account, 400, "1", now=december)
        ledger.release(hold_id=held.pk, reason="not_found", now=december)  # November's, and December is used up
        assert self.left(account, 1, now=december) == 0

    def test_of_a_key_is_spent_to_the_last_unit(self, account: Account, key: ApiKey) -> None:
        keys.set_budget(key=key, monthly_budget=400, now=NOW)
        key.refresh_from_db()
        self.charge(account, 399, "1", key=key)
        assert self.left(account, 2, key=key) == 1
        self.charge(account, 1, "2", key=key)
        assert self.left(account, 1, key=key) == 0

    def test_of_a_key_that_has_none_is_only_that_of_its_account(self, account: Account, key: ApiKey) -> None:
        Account.objects.filter(pk=account.pk).update(monthly_budget=400)
        self.charge(account, 400, "1", key=key)
        assert self.left(account, 1, key=key) == 0
        key.refresh_from_db()
        assert (key.budget_used, key.budget_month) == (0, None)

    def test_of_a_key_is_lifted_between_reading_the_key_and_charging_it(self, account: Account, key: ApiKey) -> None:
        keys.set_budget(key=key, monthly_budget=1, now=NOW)
        read_before = ApiKey.objects.get(pk=key.pk)
        keys.set_budget(key=key, monthly_budget=None, now=NOW)
        self.charge(account, 314, "1", key=read_before)
        assert sums(account).spent == 314

    def test_of_a_key_lowered_below_what_is_used_leaves_nothing(self, account: Account, key: ApiKey) -> None:
        self.charge(account, 314, "1", key=key)
        keys.set_budget(key=key, monthly_budget=300, now=NOW)
        assert self.left(account, 1, key=key) == 0

    def test_of_a_key_gets_back_what_was_held_for_nothing_and_no_other_key_does(
        self, account: Account, key: ApiKey, hold: Callable[..., Hold]
    ) -> None:
        other = keys.issue(account=account, name="other", now=NOW)[0]
        for one in (key, other):
            keys.set_budget(key=one, monthly_budget=400, now=NOW)
            self.charge(account, 300, f"spent by {one.pk}", key=one)
        ledger.release(hold_id=hold(100, key=key).pk, reason="not_found", now=NOW)
        assert self.left(account, 101, key=key) == 100
        assert self.left(account, 101, key=other) == 100
        key.refresh_from_db()
        assert key.budget_used == 300

    def test_of_a_key_does_not_get_back_what_an_earlier_month_held(
        self, account: Account, key: ApiKey, hold: Callable[..., Hold]
    ) -> None:
        keys.set_budget(key=key, monthly_budget=400, now=NOW)
        held, december = hold(300, key=key), NOW + timedelta(days=10)
        self.charge(account, 400, "1", key=key, now=december)
        ledger.release(hold_id=held.pk, reason="not_found", now=december)
        assert self.left(account, 1, key=key, now=december) == 0

    def test_of_a_key_that_gets_back_more_than_was_counted_is_unused_and_no_better(
        self, account: Account, key: ApiKey, hold: Callable[..., Hold]
    ) -> None:
        keys.set_budget(key=key, monthly_budget=400, now=NOW)
        held = hold(300, key=key)
        ApiKey.objects.filter(pk=key.pk).update(budget_used=299)
        ledger.release(hold_id=held.pk, reason="not_found", now=NOW)
        key.refresh_from_db()
        assert key.budget_used == 0

    def test_of_an_account_that_gets_back_more_than_was_counted_is_unused_and_no_better(
        self, account: Account, hold: Callable[..., Hold]
    ) -> None:
        held = hold(300)
        Account.objects.filter(pk=account.pk).update(budget_used=299)
        ledger.release(hold_id=held.pk, reason="not_found", now=NOW)
        account.refresh_from_db()
        assert account.budget_used == 0

    def test_of_an_account_counts_what_a_key_with_its_own_spends(self, account: Account, key: ApiKey) -> None:
        Account.objects.filter(pk=account.pk).update(monthly_budget=400)
        keys.set_budget(key=key, monthly_budget=1000, now=NOW)
        key.refresh_from_db()
        self.charge(account, 300, "1", key=key)
        assert self.left(account, 101, key=key) == 100
        assert self.left(account, 101) == 100

    def test_that_the_key_breaks_leaves_the_accounts_untouched(self, account: Account, key: ApiKey) -> None:
        keys.set_budget(key=key, monthly_budget=100, now=NOW)
        assert self.left(account, 101, key=key) == 100
        account.refresh_from_db()
        assert account.budget_used == 0

    def test_set_in_the_middle_of_a_month_counts_that_month_and_that_key_only(
        self, account: Account, key: ApiKey, hold: Callable[..., Hold]
    ) -> None:
        first = (NOW + timedelta(days=32)).replace(day=1, hour=0)
        self.charge(account, 1, "the month before", key=key, now=first - timedelta(seconds=1))
        self.charge(account, 10, "the first moment", key=key, now=first)
        self.charge(account, 100, "of no key", now=first)
        held = hold(300, key=key, now=first)
        ledger.capture(hold_id=hold(20, key=key, now=first).pk, now=first)
        ledger.release(hold_id=held.pk, reason="not_found", now=first)
        keys.set_budget(key=key, monthly_budget=1000, now=first)
        key.refresh_from_db()
        assert (key.budget_used, key.budget_month, key.monthly_budget) == (30, first.date(), 1000)

    def test_of_a_key_never_used_starts_at_nothing(self, account: Account, key: ApiKey) -> None:
        keys.set_budget(key=key, monthly_budget=0, now=NOW)
        key.refresh_from_db()
        assert (key.budget_used, key.monthly_budget) == (0, 0)
        assert self.left(account, 1, key=key) == 0

    def test_of_a_key_that_is_lifted_counts_no_more(self, account: Account, key: ApiKey) -> None:
        self.charge(account, 314, "1", key=key)
        keys.set_budget(key=key, monthly_budget=400, now=NOW)
        keys.set_budget(key=key, monthly_budget=None, now=NOW)
        key.refresh_from_db()
        assert (key.monthly_budget, key.budget_month, key.budget_used) == (None, None, 0)

    @pytest.mark.parametrize("amount", [-1, 0.5, True])
    def test_of_a_strange_amount_is_refused(self, key: ApiKey, amount: Any) -> None:
        with pytest.raises(ValueError, match="amount"):
            keys.set_budget(key=key, monthly_budget=amount, now=NOW)
