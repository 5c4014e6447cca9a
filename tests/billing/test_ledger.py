"""What each verb does to an account's money, told one story a test."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from billing import ledger, selectors
from billing.models import Account, Hold, LedgerEntry
from billing.selectors import Balance
from tests.billing.conftest import LATER, NOW

FREE = 3140


def balance(account: Account) -> Balance:
    return selectors.get_balance(account.pk)


class TestANewAccount:
    def test_starts_with_ten_free_lookups_as_its_first_entry(self, account: Account) -> None:
        assert balance(account) == Balance(available=FREE, held=0, spent=0, deposited=FREE)
        assert account.available == FREE
        assert [entry.kind for entry in account.entries.all()] == ["free_grant"]

    def test_of_our_own_gets_nothing_and_owes_nothing(self, internal: Account) -> None:
        assert balance(internal) == Balance(0, 0, 0, 0)


class TestAHold:
    def test_moves_credit_from_available_to_held(self, account: Account, hold: Callable[..., Hold]) -> None:
        hold(314)
        assert balance(account) == Balance(available=FREE - 314, held=314, spent=0, deposited=FREE)

    def test_of_more_than_is_available_is_refused_and_says_by_how_much(
        self, account: Account, hold: Callable[..., Hold]
    ) -> None:
        with pytest.raises(ledger.InsufficientFunds) as refusal:
            hold(FREE + 1)
        assert (refusal.value.available, refusal.value.needed) == (FREE, FREE + 1)
        assert balance(account).available == FREE

    def test_of_the_last_unit_is_allowed(self, account: Account, hold: Callable[..., Hold]) -> None:
        hold(FREE)
        assert balance(account).available == 0

    def test_asked_for_twice_under_one_key_is_one_hold(self, account: Account, hold: Callable[..., Hold]) -> None:
        assert hold(314, idempotency_key="x").pk == hold(314, idempotency_key="x").pk
        assert balance(account).held == 314

    def test_repeated_after_the_credit_is_gone_still_gets_its_first_answer(
        self, account: Account, hold: Callable[..., Hold]
    ) -> None:
        first = hold(FREE, idempotency_key="x")
        assert hold(FREE, idempotency_key="x").pk == first.pk

    def test_under_the_key_of_another_request_is_a_conflict(self, hold: Callable[..., Hold]) -> None:
        hold(314, idempotency_key="x")
        with pytest.raises(ledger.IdempotencyConflict):
            hold(628, idempotency_key="x")
        with pytest.raises(ledger.IdempotencyConflict):
            hold(314, idempotency_key="x", reference="another lookup")

    def test_without_an_idempotency_key_is_refused(self, hold: Callable[..., Hold]) -> None:
        with pytest.raises(ValueError, match="idempotency key"):
            hold(314, idempotency_key="")

    @pytest.mark.parametrize("amount", [-1, 3.14, True])
    def test_of_a_strange_amount_is_refused(self, hold: Callable[..., Hold], amount: Any) -> None:
        with pytest.raises(ValueError, match="amount"):
            hold(amount)

    def test_takes_three_statements_on_postgresql_and_five_within_this_process(
        self, account: Account, hold: Callable[..., Hold], django_assert_max_num_queries: Any
    ) -> None:
        around = 2  # the savepoint of the test's own transaction
        with django_assert_max_num_queries(around + (3 if connection.vendor == "postgresql" else 5)):
            made = hold(314)
        with django_assert_max_num_queries(around + (3 if connection.vendor == "postgresql" else 5)):
            ledger.capture(hold_id=made.pk, now=NOW)
        assert made.pk == account.entries.get(kind="capture").hold_id


class TestACapture:
    def test_moves_credit_from_held_to_spent(self, account: Account, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        ledger.capture(hold_id=made.pk, now=NOW)
        made.refresh_from_db()
        assert (made.state, made.remaining) == ("captured", 0)
        assert balance(account) == Balance(available=FREE - 314, held=0, spent=314, deposited=FREE)

    def test_repeated_returns_the_first_entry(self, account: Account, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        first = ledger.capture(hold_id=made.pk, now=NOW)
        assert ledger.capture(hold_id=made.pk, now=LATER).pk == first.pk
        assert balance(account).spent == 314

    def test_of_a_released_hold_is_refused(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        ledger.release(hold_id=made.pk, now=NOW, reason="not_found")
        with pytest.raises(ledger.HoldEnded) as refusal:
            ledger.capture(hold_id=made.pk, now=NOW)
        assert refusal.value.state == "released"

    def test_is_undone_with_the_transaction_that_stores_the_record(
        self, account: Account, hold: Callable[..., Hold]
    ) -> None:
        made = hold(314)
        with transaction.atomic():
            ledger.capture(hold_id=made.pk, now=NOW)
            transaction.set_rollback(True)  # the record could not be stored
        assert balance(account) == Balance(available=FREE - 314, held=314, spent=0, deposited=FREE)

    def test_in_parts_settles_a_bulk_job_item_by_item(self, account: Account, hold: Callable[..., Hold]) -> None:
        made = hold(3 * 314)
        ledger.capture(hold_id=made.pk, amount=314, idempotency_key="item-0", now=NOW)
        ledger.capture(hold_id=made.pk, amount=314, idempotency_key="item-0", now=NOW)
        ledger.release(hold_id=made.pk, amount=314, idempotency_key="item-1", reason="not_found", now=NOW)
        assert balance(account) == Balance(available=FREE - 628, held=314, spent=314, deposited=FREE)
        ledger.release(hold_id=made.pk, reason="cancelled", now=NOW)
        made.refresh_from_db()
        assert (made.state, made.remaining) == ("captured", 0)
        assert balance(account) == Balance(available=FREE - 314, held=0, spent=314, deposited=FREE)

    def test_of_more_than_remains_is_refused(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        with pytest.raises(ledger.HoldEnded):
            ledger.capture(hold_id=made.pk, amount=315, idempotency_key="item-0", now=NOW)

    def test_of_a_part_needs_a_key_of_its_own(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        with pytest.raises(ValueError, match="key of its own"):
            ledger.capture(hold_id=made.pk, amount=100, now=NOW)


class TestARelease:
    def test_gives_the_credit_back(self, account: Account, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        entry = ledger.release(hold_id=made.pk, now=NOW, reason="not_found")
        assert entry.reason == "not_found"
        assert balance(account) == Balance(available=FREE, held=0, spent=0, deposited=FREE)

    def test_repeated_changes_nothing(self, account: Account, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        first = ledger.release(hold_id=made.pk, now=NOW, reason="not_found")
        assert ledger.release(hold_id=made.pk, now=NOW, reason="source_unavailable").pk == first.pk
        assert balance(account).available == FREE

    def test_of_a_captured_hold_is_refused(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        ledger.capture(hold_id=made.pk, now=NOW)
        with pytest.raises(ledger.HoldEnded):
            ledger.release(hold_id=made.pk, now=NOW, reason="not_found")


class TestAnExpiredHold:
    def test_is_given_back_by_the_sweep(self, account: Account, hold: Callable[..., Hold]) -> None:
        made, kept = hold(314), hold(314, expires_at=LATER + timedelta(hours=1))
        assert ledger.expire_holds(now=LATER) == 1
        made.refresh_from_db()
        kept.refresh_from_db()
        assert (made.state, kept.state) == ("expired", "open")
        assert balance(account) == Balance(available=FREE - 314, held=314, spent=0, deposited=FREE)

    def test_cannot_be_captured_any_more(self, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        ledger.expire_holds(now=LATER)
        with pytest.raises(ledger.HoldEnded) as refusal:
            ledger.capture(hold_id=made.pk, now=LATER)
        assert refusal.value.state == "expired"

    def test_whose_sweep_has_not_run_can_still_be_captured(self, account: Account, hold: Callable[..., Hold]) -> None:
        made = hold(314)
        ledger.capture(hold_id=made.pk, now=LATER + timedelta(hours=1))
        assert balance(account).spent == 314

    def test_is_swept_once(self, hold: Callable[..., Hold]) -> None:
        hold(314)
        assert [ledger.expire_holds(now=LATER), ledger.expire_holds(now=LATER)] == [1, 0]


class TestACharge:
    def test_spends_at_once(self, account: Account) -> None:
        ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="cached", now=NOW)
        assert balance(account) == Balance(available=FREE - 314, held=0, spent=314, deposited=FREE)

    def test_beyond_the_credit_is_refused(self, account: Account) -> None:
        with pytest.raises(ledger.InsufficientFunds):
            ledger.charge(account_id=account.pk, amount=FREE + 1, idempotency_key="c", reference="", now=NOW)


class TestADeposit:
    def test_adds_credit_and_names_its_source(self, account: Account) -> None:
        entry = ledger.deposit(account_id=account.pk, amount=31_400, idempotency_key="d", source="card", now=NOW)
        assert (entry.kind, entry.source, entry.available_after) == ("deposit", "card", FREE + 31_400)

    def test_of_nothing_is_refused(self, account: Account) -> None:
        with pytest.raises(ValueError, match="nothing"):
            ledger.deposit(account_id=account.pk, amount=0, idempotency_key="d", source="card", now=NOW)

    def test_to_an_account_that_does_not_exist_says_so(self, db: None) -> None:
        with pytest.raises(Account.DoesNotExist):
            ledger.deposit(account_id=999_999, amount=1, idempotency_key="d", source="card", now=NOW)


class TestARefund:
    def spent(self, account: Account) -> LedgerEntry:
        return ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="lookup", now=NOW)

    def test_makes_spent_credit_available_again(self, account: Account) -> None:
        entry = ledger.refund(entry_id=self.spent(account).pk, idempotency_key="r", reason="wrong_answer", now=NOW)
        assert (entry.amount, entry.reference) == (314, "lookup")
        assert balance(account) == Balance(available=FREE, held=0, spent=0, deposited=FREE)

    def test_never_gives_back_more_than_was_charged(self, account: Account) -> None:
        charged = self.spent(account)
        ledger.refund(entry_id=charged.pk, amount=300, idempotency_key="r1", reason="goodwill", now=NOW)
        with pytest.raises(ledger.RefundTooLarge) as refusal:
            ledger.refund(entry_id=charged.pk, amount=15, idempotency_key="r2", reason="goodwill", now=NOW)
        assert refusal.value.refundable == 14

    def test_of_a_deposit_is_refused(self, account: Account) -> None:
        with pytest.raises(ValueError, match="capture or a charge"):
            ledger.refund(entry_id=account.entries.get().pk, idempotency_key="r", reason="goodwill", now=NOW)


class TestAnAdjustment:
    def adjust(self, account: Account, amount: int, **named: str) -> LedgerEntry:
        named = {"idempotency_key": "a", "operator": "Dana", "reason": "correction", **named}
        return ledger.adjust(account_id=account.pk, amount=amount, now=NOW, **named)

    def test_downwards_takes_credit_away_and_names_who_did_it(self, account: Account) -> None:
        entry = self.adjust(account, -140)
        assert (entry.operator, entry.reason, entry.amount) == ("Dana", "correction", -140)
        assert balance(account) == Balance(available=3000, held=0, spent=0, deposited=3000)

    def test_below_zero_is_refused(self, account: Account) -> None:
        with pytest.raises(ledger.InsufficientFunds):
            self.adjust(account, -FREE - 1)

    def test_by_nobody_or_for_no_reason_is_refused(self, account: Account) -> None:
        with pytest.raises(ValueError, match="operator"):
            self.adjust(account, 1, operator="")
        with pytest.raises(ValueError, match="reason"):
            self.adjust(account, 1, reason="")


class TestAnInternalAccount:
    def test_is_never_charged_and_still_leaves_a_trace(self, internal: Account) -> None:
        made = ledger.hold(
            account_id=internal.pk, amount=314, idempotency_key="h", reference="", expires_at=LATER, now=NOW
        )
        ledger.capture(hold_id=made.pk, now=NOW)
        ledger.charge(account_id=internal.pk, amount=314, idempotency_key="c", reference="", now=NOW)
        assert balance(internal) == Balance(0, 0, 0, 0)
        assert [(entry.kind, entry.amount) for entry in internal.entries.order_by("id")] == [
            ("hold", 0),
            ("capture", 0),
            ("charge", 0),
        ]


class TestTheDatabase:
    def entry(self, account: Account) -> LedgerEntry:
        return account.entries.get()

    def test_refuses_to_change_an_entry(self, account: Account) -> None:
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            LedgerEntry.objects.filter(account=account).update(amount=1)

    def test_refuses_to_remove_an_entry(self, account: Account) -> None:
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            self.entry(account).delete()

    @pytest.mark.postgres
    @pytest.mark.usefixtures("on_postgres")
    def test_refuses_to_empty_the_ledger(self, account: Account) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # PostgreSQL truncates nothing with checks outstanding
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("TRUNCATE billing_ledgerentry CASCADE")

    @pytest.mark.parametrize("column", ["held", "spent"])
    def test_refuses_a_negative_sum(self, account: Account, column: str) -> None:
        with pytest.raises(DatabaseError), transaction.atomic():
            Account.objects.filter(pk=account.pk).update(**{column: -1, "deposited": -1})

    @pytest.mark.parametrize(("kind", "place"), [("hold", "held"), ("charge", "spent")])
    def test_refuses_to_sell_to_whoever_owes(self, account: Account, kind: str, place: str) -> None:
        sums = {"available_after": -1, "held_after": 0, "spent_after": 0, f"{place}_after": FREE + 1}
        moved = {"amount": FREE + 1, "available_change": -FREE - 1, f"{place}_change": FREE + 1}
        with pytest.raises(DatabaseError, match="entry_buys_nothing_on_debt"), transaction.atomic():
            LedgerEntry.objects.create(
                account=account, kind=kind, created_at=NOW, idempotency_key="x", fingerprint="x", **moved, **sums
            )

    def test_refuses_sums_that_do_not_agree(self, account: Account) -> None:
        with pytest.raises(DatabaseError, match="account_sums_agree"), transaction.atomic():
            Account.objects.filter(pk=account.pk).update(available=FREE + 1)

    def test_refuses_an_entry_that_moves_money_in_another_way_than_its_kind(self, account: Account) -> None:
        with pytest.raises(DatabaseError, match="entry_moves_as_its_kind"), transaction.atomic():
            LedgerEntry.objects.create(
                account=account,
                kind="capture",
                amount=314,
                available_change=314,
                available_after=1,
                held_after=0,
                spent_after=0,
                created_at=NOW,
                idempotency_key="x",
                fingerprint="x",
            )
