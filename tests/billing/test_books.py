"""The books: they balance, a month is closed once and compared ever after, and every payment has a receipt."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Sum
from django.test import Client
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from billing import accounts, ledger, reversals
from billing.accounting import chart, closing, receipts
from billing.accounting.chart import BookAccount
from billing.admin import books
from billing.ledger_errors import LedgerError
from billing.models import Account, AuditEvent, LedgerEntry, MonthClose, Payment, Receipt
from billing.payments import booking
from tests.billing.conftest import in_parallel
from tests.billing.test_admin import staff, url
from tests.workspace.people import read_form

OCTOBER = datetime(2026, 10, 1, tzinfo=UTC)
SEPTEMBER, NOVEMBER = date(2026, 9, 1), datetime(2026, 11, 1, tzinfo=UTC)
DOLLAR = 10_000


class Business:
    """One customer's month, told step by step."""

    def __init__(self) -> None:
        self.now = OCTOBER
        self.account = accounts.open_account(name="Harbor KYB", email="books@harbor.example", now=self.now)
        self._number = 0

    def step(self, verb: Callable[..., Any], **named: Any) -> Any:
        """Do it a day later than what was before it."""
        self.now += timedelta(days=1)
        self._number += 1
        return verb(idempotency_key=f"step {self._number}", now=self.now, **named)

    def play(self) -> None:
        """A free start of 10 lookups, 100 dollars by card, 50 by invoice, 5 as a gift; 1,000 lookups, 10 given back;
        20 refunded to the card, 30 disputed, of which 30 come back; 2 corrected away."""
        me = {"account_id": self.account.pk}
        self.card = self.step(ledger.deposit, amount=100 * DOLLAR, source="card", reference="pi_1", **me)
        self.invoiced = self.step(
            ledger.deposit, amount=50 * DOLLAR, source="staff", reason="invoice", operator="dana", note="PO 77", **me
        )
        self.gift = self.step(
            ledger.deposit, amount=5 * DOLLAR, source="staff", reason="goodwill", operator="dana", **me
        )
        held = self.step(
            ledger.hold, amount=500 * 314, reference="a bulk", expires_at=self.now + timedelta(days=9), **me
        )
        self.step(ledger.capture, hold_id=held.pk, amount=400 * 314)
        self.step(ledger.release, hold_id=held.pk, amount=100 * 314, reason="not_found")
        for _ in range(6):
            spent = self.step(ledger.charge, amount=100 * 314, reference="=evil()", **me)
        self.step(ledger.refund, entry_id=spent.pk, amount=10 * 314, reason="wrong_answer", operator="dana")
        back = {"source": "card", "reference": "pi_1", **me}
        self.step(ledger.reverse, amount=-20 * DOLLAR, reason="card_refund", **back)
        self.step(ledger.reverse, amount=-30 * DOLLAR, reason="dispute", **back)
        self.step(ledger.reverse, amount=30 * DOLLAR, reason="dispute_won", **back)
        self.step(ledger.adjust, amount=-2 * DOLLAR, operator="dana", reason="correction", **me)


@pytest.fixture
def business(db: None) -> Business:
    made = Business()
    made.play()
    return made


class TestAMonth:
    """Of a made-up business."""

    def test_comes_to_what_happened_line_by_line(self, business: Business) -> None:
        closed = closing.close(OCTOBER.date(), operator="dana", now=NOVEMBER + timedelta(hours=1))
        assert {name: (debit, credit) for name, (debit, credit) in closed.totals.items()} == {
            "cash": (100 * DOLLAR, 0),
            "payer_refunds": (0, 20 * DOLLAR),
            "chargebacks": (30 * DOLLAR, 30 * DOLLAR),
            "receivable": (50 * DOLLAR, 0),
            "gifts": (10 * 314 + 5 * DOLLAR, 0),
            "corrections": (0, 2 * DOLLAR),
            "customer_balances": (1000 * 314 + 52 * DOLLAR, 185 * DOLLAR + 20 * 314),
            "revenue": (0, 1000 * 314),
            "credit_refunds": (10 * 314, 0),
        }
        business.account.refresh_from_db()
        owed = closed.totals["customer_balances"]
        assert owed[1] - owed[0] == business.account.available + business.account.held
        assert (closed.entries, closed.operator, str(closed)) == (18, "dana", "2026-10")

    def test_as_a_journal_balances_and_is_safe_to_open(self, business: Business) -> None:
        rows = list(csv.DictReader(StringIO("".join(closing.write_journal(OCTOBER.date())))))
        assert len(rows) == 18 - 2  # a hold and a release move nothing
        assert rows[1] | {"time": "", "entry": ""} == {
            "time": "",
            "entry": "",
            "customer": str(business.account.pk),
            "kind": "deposit",
            "debit": "cash",
            "credit": "customer_balances",
            "amount_usd": "100.0000",
            "reference": "pi_1",
            "source": "card",
            "reason": "",
            "operator": "",
        }
        assert {row["reference"] for row in rows if row["kind"] == "charge"} == {"'=evil()"}

    def test_is_closed_once(self, business: Business) -> None:
        first = closing.close(OCTOBER.date(), operator="dana", now=NOVEMBER + timedelta(hours=1))
        again = closing.close(date(2026, 10, 31), operator="sam", now=NOVEMBER + timedelta(days=9))
        assert (again.pk, again.operator) == (first.pk, "dana")

    def test_is_not_closed_before_it_has_ended(self, business: Business) -> None:
        with pytest.raises(closing.NotYet, match="2026-11-01 01:00"):
            closing.close(OCTOBER.date(), operator="dana", now=NOVEMBER + timedelta(minutes=59))

    def test_is_not_closed_before_the_one_before_it(self, business: Business) -> None:
        with pytest.raises(closing.NotYet, match="2026-10 has entries"):
            closing.close(NOVEMBER.date(), operator="dana", now=NOVEMBER + timedelta(days=60))
        closing.close(OCTOBER.date(), operator="dana", now=NOVEMBER + timedelta(days=60))
        assert closing.close(NOVEMBER.date(), operator="dana", now=NOVEMBER + timedelta(days=60)).entries == 0

    def test_is_not_closed_while_the_one_before_it_is_open_though_an_earlier_one_is_closed(
        self, business: Business
    ) -> None:
        closing.close(OCTOBER.date(), operator="dana", now=NOVEMBER + timedelta(days=90))
        accounts.open_account(name="November", now=NOVEMBER)
        with pytest.raises(closing.NotYet, match="2026-11 has entries"):
            closing.close(date(2026, 12, 1), operator="dana", now=NOVEMBER + timedelta(days=90))

    def test_ends_where_the_next_one_begins(self, business: Business) -> None:
        accounts.open_account(name="September", now=OCTOBER - timedelta(microseconds=1))
        accounts.open_account(name="November", now=NOVEMBER)
        months = [SEPTEMBER, OCTOBER.date(), NOVEMBER.date()]
        closed = [closing.close(month, operator="dana", now=NOVEMBER + timedelta(days=60)) for month in months]
        assert [one.entries for one in closed] == [1, 18, 1]
        assert closing.list_changed() == []
        journals = [list(csv.DictReader(StringIO("".join(closing.write_journal(month))))) for month in months]
        assert [len(rows) for rows in journals] == [1, 16, 1]
        assert {row["customer"] for row in journals[1]} == {str(business.account.pk)}

    def test_is_theirs_who_closed_it_at_the_same_moment(
        self, business: Business, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        moment = NOVEMBER + timedelta(hours=1)
        real = chart.list_entries

        def meanwhile(**named: Any) -> Any:
            MonthClose.objects.get_or_create(
                month=OCTOBER.date(), defaults={"entries": 18, "totals": {}, "operator": "sam", "closed_at": moment}
            )
            return real(**named)

        monkeypatch.setattr(chart, "list_entries", meanwhile)
        closed = closing.close(OCTOBER.date(), operator="dana", now=moment)
        assert (str(closed), closed.operator) == ("2026-10", "sam")

    def test_that_has_changed_since_is_found(self, business: Business) -> None:
        closing.close(OCTOBER.date(), operator="dana", now=NOVEMBER + timedelta(hours=1))
        assert closing.list_changed() == []
        late = accounts.open_account(name="Late", now=NOVEMBER - timedelta(seconds=1))  # by a clock set back
        assert late.available
        assert [str(closed) for closed in closing.list_changed()] == ["2026-10"]

    def test_is_closed_by_the_command_and_read_line_by_line(
        self, business: Business, capsys: pytest.CaptureFixture[str]
    ) -> None:
        call_command("close_month", "2026-10")
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("2026-10: 18 entries, closed ")
        assert [line.split() for line in lines[1:3]] == [
            ["cash", "debit", "100.0000", "credit", "0.0000"],
            ["payer_refunds", "debit", "0.0000", "credit", "20.0000"],
        ]
        call_command("close_month", "2026-10", "--journal")
        assert len(capsys.readouterr().out.splitlines()) == 17

    @pytest.mark.parametrize("month", ["2026-13", "soon", "2999-01", "9999-12"])
    def test_that_cannot_be_closed_says_why(self, business: Business, month: str) -> None:
        with pytest.raises(CommandError):
            call_command("close_month", month)

    @pytest.mark.parametrize("month", ["2026-09", "0001-01"])
    def test_before_the_books_begin_is_not_closed(self, business: Business, month: str) -> None:
        with pytest.raises(CommandError, match=f"no entry until the end of {month}: there is nothing to close"):
            call_command("close_month", month)
        assert not MonthClose.objects.exists()

    def test_before_the_books_begin_is_not_closed_as_the_last_one_either(
        self, db: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In the first month of an installation, by the command without a month or by the admin's button."""
        monkeypatch.setattr(closing, "AFTER", timedelta())  # in a month's first hour the last one is not closed at all
        accounts.open_account(name="New", now=timezone.now())
        with pytest.raises(CommandError, match="there is nothing to close"):
            call_command("close_month")
        page = staff("dana", "move_money", "view_monthclose").post(url("monthclose_close_last"), follow=True)
        assert "there is nothing to close" in page.content.decode()
        assert not MonthClose.objects.exists()

    def test_is_closed_and_fetched_in_the_admin(self, business: Business) -> None:
        dana = staff("dana", "move_money", "view_monthclose", "view_ledgerentry")
        closing.close(OCTOBER.date(), operator="dana", now=NOVEMBER + timedelta(hours=1))
        page = dana.get(url("monthclose_changelist")).content.decode()
        assert ("100.0000" in page, "31.0860" in page) == (True, True)
        journal = dana.get(url("monthclose_journal", MonthClose.objects.get().pk))
        assert b"".join(journal.streaming_content).count(b"\n") == 17  # type: ignore[attr-defined]
        assert "Close " in dana.get(url("monthclose_close_last")).content.decode()
        assert dana.post(url("monthclose_close_last")).status_code == 302
        eve = staff("eve", "view_monthclose", "move_money")  # who comes later has not closed it
        assert eve.post(url("monthclose_close_last")).status_code == 302
        assert not AuditEvent.objects.filter(detail="Change: Closed.", actor="eve").exists()
        sam = staff("sam", "view_monthclose")
        assert sam.post(url("monthclose_close_last")).status_code == 403
        assert sam.get(url("monthclose_journal", MonthClose.objects.all()[0].pk)).status_code == 403

    def test_is_not_the_next_one_where_that_ended_before_the_question_was_answered(
        self, business: Business, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """October is asked about late in November, and answered in December."""
        dana, address = staff("dana", "move_money", "view_monthclose"), url("monthclose_close_last")
        closing.close(OCTOBER.date(), operator="eve", now=NOVEMBER + timedelta(hours=1))
        clock = SimpleNamespace(now=lambda: NOVEMBER + timedelta(days=29))
        monkeypatch.setattr(books, "timezone", clock)
        form = read_form(dana.get(address))
        clock.now = lambda: NOVEMBER + timedelta(days=31)
        page = dana.post(address, form)
        assert "A month has ended since you were asked about 2026-10" in page.content.decode()
        assert "Close November 2026?" in page.content.decode()
        assert MonthClose.objects.count() == 1
        assert dana.post(address, read_form(page)).status_code == 302
        assert MonthClose.objects.count() == 2


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["card", "staff", "charge", "hold", "refund", "adjust", "reverse"]),
        st.integers(1, 5000),
        st.booleans(),
    ),
    max_size=12,
)


class TestTheChart(TestCase):
    """Whatever happens."""

    @settings(max_examples=40)
    @given(steps=STEPS)
    def test_balances_and_says_what_customers_have(self, steps: list[Any]) -> None:
        account = accounts.open_account(name="Any", now=OCTOBER)
        me, spent = {"account_id": account.pk, "now": OCTOBER}, None
        for number, (what, amount, flag) in enumerate(steps):
            name = {"idempotency_key": f"{number}"}
            try:
                if what in ("card", "staff"):
                    ledger.deposit(amount=amount, source=what, reason="invoice" if flag else "", **name, **me)
                elif what == "charge":
                    spent = ledger.charge(amount=amount, reference="", **name, **me)
                elif what == "hold":
                    held = ledger.hold(amount=amount, reference="", expires_at=NOVEMBER, **name, **me)
                    if flag:
                        ledger.capture(hold_id=held.pk, now=OCTOBER)
                elif what == "refund" and spent is not None:
                    ledger.refund(entry_id=spent.pk, reason="goodwill", now=OCTOBER, **name)
                elif what == "adjust":
                    ledger.adjust(amount=amount if flag else -amount, operator="d", reason="r", **name, **me)
                elif what == "reverse":
                    reason = "dispute" if flag else "card_refund"
                    ledger.reverse(amount=-amount, source="card", reason=reason, reference="", **name, **me)
            except LedgerError:
                continue
        own = LedgerEntry.objects.filter(account=account)
        totals = chart.total(own)
        assert sum(one.debit for one in totals.values()) == sum(one.credit for one in totals.values())
        assert totals == chart.add_up(posting for _, posting in chart.list_journal(own.order_by("id")))
        account.refresh_from_db()
        assert -totals[BookAccount.CUSTOMER_BALANCES].balance == account.available + account.held
        assert -totals[BookAccount.REVENUE].balance - totals[BookAccount.CREDIT_REFUNDS].balance == account.spent

    def test_knows_every_kind_of_entry(self) -> None:
        moved = {kind: chart.post(kind, "card", "", 1) for kind in LedgerEntry.Kind}
        assert {kind for kind, posting in moved.items() if posting is None} == {"hold", "release"}


class TestAReceipt:
    """Of what was paid in."""

    def test_has_the_next_number_of_its_kind_and_keeps_it(self, business: Business) -> None:
        now = business.now
        names = [str(receipts.issue(entry, now=now)) for entry in (business.card, business.invoiced, business.card)]
        assert names == ["R-000001", "I-000001", "R-000001"]

    @pytest.mark.parametrize("of", ["gift", "charge"])
    def test_is_of_nothing_that_nobody_paid(self, business: Business, of: str) -> None:
        entry = business.gift if of == "gift" else LedgerEntry.objects.filter(kind="charge")[0]
        with pytest.raises(receipts.NoReceipt):
            receipts.issue(entry, now=business.now)
        assert not Receipt.objects.exists()

    def test_is_a_page_to_print(self, business: Business) -> None:
        Account.objects.update(name="<b>Harbor</b>")
        dana = staff("dana", "view_ledgerentry")
        address = url("ledgerentry_receipt", business.invoiced.pk)
        assert "Number the receipt" in dana.get(address).content.decode()
        assert not Receipt.objects.exists()
        page = dana.post(address).content.decode()
        assert dana.get(address).content.decode() == page
        for words in ("Invoice I-000001", "50.0000 USD", "PO 77", "&lt;b&gt;Harbor", "http"):
            assert words in page
        said = dana.get(url("ledgerentry_receipt", business.gift.pk), follow=True).content.decode()
        assert "Only what was paid in" in said

    @pytest.mark.parametrize("purpose", ["lookup", "topup"])
    def test_of_what_a_program_paid_says_what_went_back_to_it_since(self, account: Account, purpose: str) -> None:
        """A lookup by request that was not delivered, or a top-up."""
        paid = Payment.objects.create(
            account=account if purpose == "topup" else None,
            challenge_id="c",
            proof_hash="p",
            method="tempo",
            purpose=purpose,
            amount=10_000,
            created_at=OCTOBER,
        )
        booking.complete(paid, reference="0xabc", now=OCTOBER)
        entry = LedgerEntry.objects.get(source="tempo")
        receipts.issue(entry, now=OCTOBER)
        dana = staff("dana", "view_ledgerentry")
        assert "iven back" not in dana.get(url("ledgerentry_receipt", entry.pk)).content.decode()
        reversals.enter(paid, amount=4_000, note="sent back by hand", now=OCTOBER)
        assert "0.4000 USD, by a refund or a dispute" in dana.get(url("ledgerentry_receipt", entry.pk)).content.decode()

    def test_is_led_to_from_the_entry_of_what_was_paid_and_from_no_other(self, business: Business) -> None:
        dana = staff("dana", "view_ledgerentry")
        for entry in (business.card, business.invoiced, business.gift):
            page = dana.get(url("ledgerentry_change", entry.pk)).content.decode()
            assert (url("ledgerentry_receipt", entry.pk) in page) == (entry != business.gift)

    def test_is_for_staff_who_may_read_the_ledger(self, business: Business) -> None:
        assert staff("sam", "view_account").get(url("ledgerentry_receipt", business.card.pk)).status_code == 403
        assert Client().get(url("ledgerentry_receipt", business.card.pk)).status_code == 302

    @pytest.mark.django_db(transaction=True)
    def test_has_a_number_of_its_own_when_many_are_asked_for_at_once(self, account: Account) -> None:
        now = OCTOBER
        paid = [
            ledger.deposit(account_id=account.pk, amount=1, idempotency_key=f"{n}", source="card", now=now)
            for n in range(6)
        ]
        in_parallel(lambda number: receipts.issue(paid[number], now=now), len(paid))
        assert sorted(Receipt.objects.values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_gifts_are_no_deposits(business: Business) -> None:
    """100,001,170 was shown as paid in where 106.65 was real."""
    from billing import finance

    days = finance.list_days(until=date(2026, 10, 31), days=31)
    sums = {
        name: sum(getattr(day, name) for day in days) for name in ("paid_in", "gone", "invoiced", "gifts", "revenue")
    }
    assert sums == {
        "paid_in": 100 * DOLLAR,
        "gone": 20 * DOLLAR,
        "invoiced": 50 * DOLLAR,
        "gifts": 10 * 314 + 5 * DOLLAR,
        "revenue": 990 * 314,
    }
    spent = LedgerEntry.objects.aggregate(total=Sum("spent_change"))["total"]
    assert sums["revenue"] == spent
