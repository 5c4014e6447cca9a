"""Forged, missing and doubled entries of each kind are planted with the triggers off, and found by their names."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from billing import grants, ledger, reconciliation, reversals, selectors, topups
from billing.accounting import closing
from billing.models import Account, Difference, LedgerEntry, Payment, Reversal, TopUp
from billing.payments import booking
from tests.billing import stubs, tampering
from tests.billing.conftest import NOW
from tests.billing.test_topups import PAGES, cards, event, paid, receive

__all__ = ["cards"]  # a fixture
Name = Difference.Name


@pytest.fixture
def topup(account: Account, cards: stubs.CardProvider, settings: Any) -> TopUp:
    """A top-up of 3.14 USD, paid and credited; afterwards there is no card provider to compare with."""
    made = topups.start(account=account, amount=31_400, now=NOW, **PAGES)[0]
    receive(event("checkout.session.completed", **paid(made)))
    settings.STRIPE_SECRET_KEY = ""
    made.refresh_from_db()
    return made


def pay(word: str = "tempo", *, purpose: str = "lookup", account: Account | None = None) -> Payment:
    """A payment that came with a request, settled and booked."""
    number = Payment.objects.count()
    made = Payment.objects.create(
        challenge_id=f"c{number}",
        proof_hash=f"p{number}",
        method=word,
        purpose=purpose,
        amount=314,
        account=account,
        state="settling",
        created_at=NOW,
    )
    booking.complete(made, reference=f"ref_{number}", now=NOW)
    return made


def find(*, whole: bool = True, now: Any = NOW) -> set[str]:
    """The names of what a comparison finds."""
    reconciliation.run(now=now, whole=whole)
    return set(selectors.list_differences().values_list("name", flat=True))


def entry(key: str) -> LedgerEntry:
    return LedgerEntry.objects.get(idempotency_key=key)


def put(account: Account, key: str, source: str = "card", amount: int = 31_400, **more: Any) -> LedgerEntry:
    """A deposit as somebody writes it who knows the code."""
    named = {"account_id": account.pk, "amount": amount, "idempotency_key": key, "source": source, "now": NOW, **more}
    return ledger.deposit(**named)


class TestWhatCameIn:
    def test_in_order_differs_in_nothing(self, account: Account, topup: TopUp, internal: Account) -> None:
        pay()
        pay("stripe", purpose="topup", account=account)
        grants.give(
            account_id=account.pk,
            kind="grant",
            amount=500,
            token="t",
            operator="dana",
            reason="trial",
            note="",
            now=NOW,
        )
        reversals.enter(topup, amount=100, note="by letter", now=NOW)
        refund = reversals.Heard("pi_1", Reversal.Kind.REFUND, "pi_1", 200)
        reversals.hear(refund, now=NOW)
        tampering.change(entry("free-grant"), created_at=NOW - timedelta(days=40))
        closing.close(NOW.date().replace(month=10), operator="dana", now=NOW)
        assert find() == set()

    def test_a_top_up_whose_entry_is_missing(self, topup: TopUp) -> None:
        tampering.remove(entry(f"topup:{topup.pk}"))
        assert find() == {Name.TOPUP_NOT_BOOKED, Name.ACCOUNT_SUMS}

    def test_a_forged_card_deposit(self, account: Account) -> None:
        put(account, "topup:4711", reference="pi_9")
        assert find() == {Name.DEPOSIT_WITHOUT_PAYMENT}

    @pytest.mark.parametrize("source", ["tempo", "stripe", "sandbox", "", "moon"])
    def test_a_forged_deposit_of_any_other_source(self, account: Account, source: str) -> None:
        put(account, "payment:4711", source, reference="0x9")
        assert find() == {Name.DEPOSIT_WITHOUT_PAYMENT}

    def test_a_deposit_for_a_top_up_that_nobody_has_paid(self, account: Account) -> None:
        unpaid = TopUp.objects.create(account=account, amount=31_400, created_at=NOW, session_id="cs_1")
        put(account, f"topup:{unpaid.pk}", reference="cs_1")
        assert find() == {Name.DEPOSIT_WITHOUT_PAYMENT}

    @pytest.mark.parametrize("key", ["topup:{}:again", "anything", "topup:99999"])
    def test_a_top_up_credited_twice(self, account: Account, topup: TopUp, key: str) -> None:
        put(account, key.format(topup.pk), reference="pi_1")
        assert find() == {Name.DEPOSIT_TWICE}

    def test_a_top_up_credited_to_another_account_as_well(self, internal: Account, topup: TopUp) -> None:
        put(internal, f"topup:{topup.pk}")
        assert find() == {Name.DEPOSIT_TWICE}

    def test_a_top_up_credited_with_another_amount(self, account: Account, topup: TopUp) -> None:
        tampering.change(entry(f"topup:{topup.pk}"), amount=99_999, available_change=99_999)
        assert find() == {Name.DEPOSIT_DIFFERS, Name.ACCOUNT_SUMS}

    def test_a_card_deposit_passed_off_as_a_gift_is_gone_from_where_it_was_paid(self, topup: TopUp) -> None:
        tampering.change(entry(f"topup:{topup.pk}"), source="staff")
        assert find() == {Name.GRANT_WITHOUT_OPERATOR}

    def test_a_gift_and_a_correction_that_nobody_answers_for(self, account: Account) -> None:
        put(account, "gift", "staff", operator="")
        fixed = ledger.adjust(
            account_id=account.pk, amount=5, idempotency_key="a", operator="dana", reason="correction", now=NOW
        )
        tampering.change(fixed, operator="")
        assert find() == {Name.GRANT_WITHOUT_OPERATOR}
        assert selectors.list_differences().count() == 2

    def test_free_lookups_given_twice(self, account: Account) -> None:
        put(account, "free-grant-2", "free_grant", 3140)
        assert find() == {Name.FREE_GRANT_TWICE}


class TestWhatCameWithARequest:
    def test_a_payment_whose_entry_is_missing(self, db: None) -> None:
        tampering.remove(entry(f"payment:{pay().pk}"))
        assert find() == {Name.PAYMENT_NOT_BOOKED, Name.ACCOUNT_SUMS}

    def test_a_payment_marked_as_paid_by_hand(self, db: None) -> None:
        made = pay()
        Payment.objects.create(
            challenge_id="x",
            proof_hash="x",
            method="tempo",
            purpose="lookup",
            amount=314,
            state="paid",
            created_at=NOW,
            ended_at=NOW,
            reference="0x5",
        )
        assert find() == {Name.PAYMENT_NOT_BOOKED}
        assert made.state == "paid"

    def test_a_delivery_whose_sale_is_not_booked(self, db: None) -> None:
        made = pay()
        Payment.objects.filter(pk=made.pk).update(delivered_at=NOW)
        assert Name.PAYMENT_NOT_CHARGED in find()

    def test_a_sale_of_another_amount(self, db: None) -> None:
        made = pay()
        booking.deliver(made, now=NOW)
        tampering.change(entry(f"payment:{made.pk}:lookup"), amount=1, available_change=-1, spent_change=1)
        assert Name.PAYMENT_NOT_CHARGED in find()

    def test_a_delivery_without_an_answer_and_a_sale_without_a_delivery(self, db: None) -> None:
        first, second = pay(), pay()
        booking.deliver(first, now=NOW)
        booking.deliver(second, now=NOW)
        Payment.objects.filter(pk=second.pk).update(delivered_at=None)
        assert find() == {Name.PAYMENT_WITHOUT_LOOKUP, Name.CHARGE_WITHOUT_LOOKUP}

    def test_a_payment_credited_twice(self, account: Account) -> None:
        made = pay()
        put(account, f"payment:{made.pk}", "tempo", 314, reference=made.reference)
        assert find() == {Name.DEPOSIT_TWICE}


class TestWhatWentBack:
    def take(self, topup: TopUp, amount: int = 100) -> LedgerEntry:
        reversals.hear(reversals.Heard("pi_1", Reversal.Kind.REFUND, "pi_1", amount), now=NOW)
        return entry(f"reversal:topup:{topup.pk}:1")

    def test_a_reversal_that_is_missing(self, topup: TopUp) -> None:
        tampering.remove(self.take(topup))
        assert find() == {Name.REVERSAL_DIFFERS, Name.ACCOUNT_SUMS}

    def test_a_reversal_of_another_amount(self, topup: TopUp) -> None:
        tampering.change(self.take(topup), amount=-1, available_change=-1)
        assert find() == {Name.REVERSAL_DIFFERS, Name.ACCOUNT_SUMS}

    @pytest.mark.parametrize("has_one", [True, False])
    def test_a_reversal_that_is_doubled_or_forged(self, account: Account, topup: TopUp, has_one: bool) -> None:
        if has_one:
            self.take(topup)
        ledger.reverse(
            account_id=account.pk,
            amount=-100,
            idempotency_key=f"reversal:topup:{topup.pk}:7",
            source="card",
            reason="card_refund",
            reference="pi_1",
            now=NOW,
        )
        assert find() == {Name.REVERSAL_DIFFERS}

    @pytest.mark.parametrize("key", ["reversal:topup:4711:1", "reversal:payment:1:1", "anything"])
    def test_a_reversal_of_nothing(self, account: Account, key: str) -> None:
        ledger.reverse(
            account_id=account.pk, amount=-5, idempotency_key=key, source="card", reason="x", reference="", now=NOW
        )
        assert find() == {Name.REVERSAL_WITHOUT_PAYMENT}

    def test_a_fact_or_a_row_changed_by_hand(self, topup: TopUp) -> None:
        self.take(topup)
        Reversal.objects.update(amount=999)
        assert find() == {Name.REVERSAL_DIFFERS}
        Reversal.objects.update(amount=100)
        assert find() == set()
        TopUp.objects.update(taken_back=0)
        assert find() == {Name.REVERSAL_DIFFERS}

    def test_a_refund_heard_of_before_its_payment_is_none(self, account: Account) -> None:
        reversals.hear(reversals.Heard("pi_7", Reversal.Kind.REFUND, "pi_7", 100), now=NOW)
        assert find() == set()

    def test_credit_given_back_for_no_charge_or_too_much(self, account: Account) -> None:
        charged = ledger.charge(account_id=account.pk, amount=314, idempotency_key="c", reference="", now=NOW)
        back = ledger.refund(entry_id=charged.pk, idempotency_key="r", reason="goodwill", now=NOW)
        assert Name.REFUND_WITHOUT_CHARGE not in find()
        tampering.change(back, amount=315, available_change=315, spent_change=-315)
        assert Name.REFUND_WITHOUT_CHARGE in find()
        tampering.change(back, amount=314, available_change=314, spent_change=-314, refunds=None)
        assert Name.REFUND_WITHOUT_CHARGE in find()


class TestADifference:
    """From the first time it is found until it is not any more."""

    def test_is_one_row_while_it_lasts_and_another_when_it_comes_again(self, account: Account) -> None:
        forged = put(account, "topup:4711")
        find()
        find(now=NOW + timedelta(hours=1))
        row = Difference.objects.get()
        assert (row.first_seen_at, row.last_seen_at, row.gone_at) == (NOW, NOW + timedelta(hours=1), None)
        assert row.numbers == {"ledger": 31_400, "paid": 0, "account": account.pk}
        tampering.change(forged, source="staff", operator="dana")
        find(now=NOW + timedelta(hours=2))
        row.refresh_from_db()
        assert row.gone_at == NOW + timedelta(hours=2)
        tampering.change(forged, source="card", operator="")
        assert find(now=NOW + timedelta(hours=3)) == {Name.DEPOSIT_WITHOUT_PAYMENT}
        assert Difference.objects.count() == 2

    def test_has_its_own_numbers_as_they_are_now_and_opens_no_other_again(self, account: Account) -> None:
        first, second, third = (put(account, f"topup:{number}", amount=number) for number in (4711, 4712, 4713))
        find()
        tampering.change(third, source="staff", operator="dana")
        tampering.change(first, amount=9)
        find(now=NOW + timedelta(hours=1))
        find(now=NOW + timedelta(hours=2))
        rows = {row.subject: row for row in Difference.objects.filter(name=Name.DEPOSIT_WITHOUT_PAYMENT)}
        numbers = [rows[f"entry {one.pk} (card, )"].numbers["ledger"] for one in (first, second, third)]
        assert numbers == [9, 4712, 4713]
        gone = [rows[f"entry {one.pk} (card, )"].gone_at for one in (first, second, third)]
        assert gone == [None, None, NOW + timedelta(hours=1)]

    def test_of_long_ago_is_found_by_a_whole_reading_and_kept_by_the_hourly_one(self, account: Account) -> None:
        find()
        put(account, "topup:4711")
        later = NOW + timedelta(days=2)
        assert find(now=NOW + timedelta(hours=1), whole=False) == {Name.DEPOSIT_WITHOUT_PAYMENT}
        assert find(now=later, whole=False) == {Name.DEPOSIT_WITHOUT_PAYMENT}
        assert find(now=later + timedelta(days=1), whole=False) == {Name.DEPOSIT_WITHOUT_PAYMENT}
        tampering.change(entry("topup:4711"), source="staff", operator="dana")
        assert find(now=later + timedelta(days=2), whole=False) == {Name.DEPOSIT_WITHOUT_PAYMENT}
        assert find(now=later + timedelta(days=2)) == set()

    def test_of_a_closed_month_is_found(self, account: Account) -> None:
        tampering.change(entry("free-grant"), created_at=NOW - timedelta(days=40))
        closing.close(NOW.date().replace(month=10), operator="dana", now=NOW)
        assert find() == set()
        put(account, "late", "staff", operator="dana", now=NOW)
        tampering.change(entry("late"), created_at=NOW - timedelta(days=40))
        assert find() == {Name.MONTH_CHANGED}

    def test_of_a_month_that_has_just_ended_is_found_by_the_hourly_reading(self, account: Account) -> None:
        october = NOW.date().replace(month=10)
        ended, hour = closing.bounds(october)[1], timedelta(hours=1)
        tampering.change(entry("free-grant"), created_at=ended - hour)
        closing.close(october, operator="dana", now=ended + hour)
        assert find(now=ended + hour) == set()
        put(account, "late", "staff", operator="dana", now=NOW)
        tampering.change(entry("late"), created_at=ended - hour)
        assert find(now=ended + 2 * hour, whole=False) == {Name.MONTH_CHANGED}

    def test_of_an_old_month_is_kept_by_the_hourly_reading(self, account: Account) -> None:
        tampering.change(entry("free-grant"), created_at=NOW - timedelta(days=40))
        closing.close(NOW.date().replace(month=10), operator="dana", now=NOW)
        find()
        tampering.change(entry("free-grant"), created_at=NOW)
        hour, day = timedelta(hours=1), timedelta(days=1)
        assert find(now=NOW + hour, whole=False) == set()  # the month is not read again
        assert find(now=NOW + day) == {Name.MONTH_CHANGED}
        assert find(now=NOW + day + hour, whole=False) == {Name.MONTH_CHANGED}

    def test_is_printed_and_ends_the_command_with_1(self, account: Account, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("reconcile")
        assert capsys.readouterr().out == "1 accounts compared, 0 differences are open.\n"
        put(account, "topup:4711", reference="pi_9")
        with pytest.raises(SystemExit) as ended:
            call_command("reconcile")
        assert ended.value.code == 1
        assert re.search(r"deposit_without_payment: entry \d+ \(card, pi_9\)", capsys.readouterr().out)

    @pytest.mark.parametrize("name", Name.values)
    def test_has_a_line_in_the_runbook(self, name: str) -> None:
        assert f"\n| `{name}` | " in (settings.BASE_DIR / "docs" / "runbook.md").read_text()
