"""Top-ups by card: credited exactly once, by signed messages, in whatever order and however often they come."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
import stripe
from django.core.mail import EmailMessage
from django.utils import timezone

from billing import ledger, reconciliation, reversals, selectors, topups
from billing import owing as owing_accounts
from billing.accounting import chart
from billing.models import Account, LedgerEntry, Payment, ProviderEvent, Reversal, TopUp
from billing.payments import booking
from billing.payments.stripe import CardsNotConfigured
from tests.billing import stubs
from tests.billing.conftest import LATER, NOW, in_parallel, set_once_somebody_waits

SECRET = "whsec_test_secret"
PAGES = {"success_url": "https://us.example/ok", "cancel_url": "https://us.example/no"}


@pytest.fixture
def cards(settings: Any) -> Iterator[stubs.CardProvider]:
    made = stubs.CardProvider()
    with stubs.serve(made.answer) as url:
        settings.STRIPE_SECRET_KEY, settings.STRIPE_WEBHOOK_SECRET = "sk_test_x", SECRET
        settings.STRIPE_API_BASE = url
        yield made


@pytest.fixture
def topup(account: Account, cards: stubs.CardProvider) -> TopUp:
    return topups.start(account=account, amount=31_400, now=NOW, **PAGES)[0]


def event(kind: str, number: int = 1, **content: Any) -> bytes:
    return json.dumps({"id": f"evt_{number}", "object": "event", "type": kind, "data": {"object": content}}).encode()


def paid(topup: TopUp, **changed: Any) -> dict[str, Any]:
    return {
        "id": topup.session_id,
        "payment_status": "paid",
        "amount_total": 314,
        "currency": "usd",
        "payment_intent": "pi_1",
        **changed,
    }


def receive(payload: bytes, *, secret: str = SECRET, age: int = 0) -> str:
    moment = int(timezone.now().timestamp()) - age
    signature = stripe.WebhookSignature.generate_signature_header(payload.decode(), secret, timestamp=moment)
    return topups.receive(payload=payload, signature=signature, now=NOW)


def available(account: Account) -> int:
    return selectors.get_balance(account.pk).available


class TestStartingATopUp:
    def test_leads_to_the_providers_page_with_our_amount(self, account: Account, cards: stubs.CardProvider) -> None:
        topup, url = topups.start(account=account, amount=31_400, now=NOW, **PAGES)
        form = cards.forms[0]
        assert url == "https://pay.example.test/1"
        assert form["line_items[0][price_data][unit_amount]"] == "314"
        assert (form["mode"], form["metadata[topup_id]"]) == ("payment", str(topup.pk))
        assert topup.session_id == "cs_test_1"
        assert available(account) == 3140

    @pytest.mark.parametrize("amount", [0, 4900, 31_401, 100_000_100])
    def test_of_too_little_too_much_or_parts_of_a_cent_is_refused(
        self, account: Account, cards: stubs.CardProvider, amount: int
    ) -> None:
        with pytest.raises(topups.AmountOutOfRange):
            topups.start(account=account, amount=amount, now=NOW, **PAGES)

    def test_without_a_provider_says_so(self, account: Account) -> None:
        assert not topups.are_cards_configured()
        with pytest.raises(CardsNotConfigured):
            topups.start(account=account, amount=31_400, now=NOW, **PAGES)
        with pytest.raises(CardsNotConfigured):
            topups.receive(payload=b"{}", signature="", now=NOW)

    def test_while_the_provider_is_down_charges_nothing(self, account: Account, cards: stubs.CardProvider) -> None:
        cards.mood = "down"
        with pytest.raises(topups.ProviderUnavailable):
            topups.start(account=account, amount=31_400, now=NOW, **PAGES)
        assert TopUp.objects.get().state == "failed"


class TestAPaidTopUp:
    def test_is_credited(self, account: Account, topup: TopUp) -> None:
        assert receive(event("checkout.session.completed", **paid(topup))) == "credited"
        entry = account.entries.first()
        assert entry is not None
        assert (entry.kind, entry.source, entry.amount, entry.reference) == ("deposit", "card", 31_400, "pi_1")

    def test_is_credited_once_however_often_it_is_told(self, account: Account, topup: TopUp) -> None:
        told = [receive(event("checkout.session.completed", **paid(topup))) for _ in range(3)]
        assert told == ["credited", "repeated", "repeated"]
        assert receive(event("checkout.session.completed", 2, **paid(topup))) == "credited before"
        assert receive(event("checkout.session.async_payment_succeeded", 3, **paid(topup))) == "credited before"
        assert available(account) == 3140 + 31_400

    @pytest.mark.django_db(transaction=True)
    def test_is_credited_once_when_told_by_many_at_once(self, account: Account, topup: TopUp) -> None:
        payloads = [event("checkout.session.completed", number % 3, **paid(topup)) for number in range(12)]
        told = in_parallel(lambda number: receive(payloads[number]), 12, threads=6)
        assert told.count("credited") == 1
        assert available(account) == 3140 + 31_400

    def test_by_a_delayed_method_is_credited_when_the_money_is_there(self, account: Account, topup: TopUp) -> None:
        waiting = paid(topup, payment_status="unpaid")
        assert receive(event("checkout.session.completed", 1, **waiting)) == "not paid yet"
        assert available(account) == 3140
        assert receive(event("checkout.session.async_payment_succeeded", 2, **paid(topup))) == "credited"
        assert available(account) == 3140 + 31_400

    @pytest.mark.parametrize("changed", [{"amount_total": 315}, {"amount_total": None}, {"currency": "eur"}])
    def test_with_another_amount_is_credited_to_nobody_and_shown(
        self, account: Account, topup: TopUp, changed: dict[str, Any]
    ) -> None:
        assert receive(event("checkout.session.completed", **paid(topup, **changed))) == "amount differs"
        topup.refresh_from_db()
        assert (topup.state, available(account)) == ("mismatch", 3140)

    def test_that_nobody_started_is_credited_to_nobody(self, account: Account, topup: TopUp) -> None:
        stranger = paid(topup, id="cs_other", client_reference_id=f"acct_{account.pk}")
        assert receive(event("checkout.session.completed", **stranger)) == "unknown session"
        assert available(account) == 3140

    def test_after_its_page_had_ended_still_counts(self, account: Account, topup: TopUp) -> None:
        assert receive(event("checkout.session.expired", 1, id=topup.session_id)) == "expired"
        assert receive(event("checkout.session.completed", 2, **paid(topup))) == "credited"
        assert receive(event("checkout.session.expired", 3, id=topup.session_id)) == "ignored"


class TestMoneyTakenBack:
    REFUND = {"payment_intent": "pi_1", "amount_refunded": 100}
    DISPUTE = {"id": "dp_1", "payment_intent": "pi_1", "amount": 314, "status": "needs_response"}

    @pytest.fixture
    def credited(self, topup: TopUp) -> TopUp:
        receive(event("checkout.session.completed", 100, **paid(topup)))
        return topup

    def test_by_a_refund_is_a_negative_entry(self, account: Account, credited: TopUp) -> None:
        assert receive(event("charge.refunded", **self.REFUND)) == "taken back"
        entry = account.entries.first()
        assert entry is not None
        assert (entry.kind, entry.amount, entry.reason, entry.source) == ("reversal", -10_000, "card_refund", "card")

    def test_in_steps_counts_each_cent_once(self, account: Account, credited: TopUp) -> None:
        receive(event("charge.refunded", 1, **self.REFUND))
        receive(event("charge.refunded", 2, **{**self.REFUND, "amount_refunded": 314}))
        receive(event("charge.refunded", 3, **self.REFUND))  # the first one again, late and under another id
        assert available(account) == 3140

    def test_by_a_dispute_goes_at_once_and_comes_back_when_won(self, account: Account, credited: TopUp) -> None:
        receive(event("charge.dispute.created", 1, **self.DISPUTE))
        assert available(account) == 3140
        receive(event("charge.dispute.closed", 2, **{**self.DISPUTE, "status": "won"}))
        assert available(account) == 3140 + 31_400

    def test_by_a_dispute_that_was_won_before_we_heard_of_it_comes_back_too(
        self, account: Account, credited: TopUp
    ) -> None:
        receive(event("charge.dispute.closed", 1, **{**self.DISPUTE, "status": "won"}))
        assert available(account) == 3140 + 31_400
        receive(event("charge.dispute.created", 2, **self.DISPUTE))
        assert available(account) == 3140 + 31_400

    def test_by_a_lost_dispute_stays_away(self, account: Account, credited: TopUp) -> None:
        receive(event("charge.dispute.created", 1, **self.DISPUTE))
        assert receive(event("charge.dispute.closed", 2, **{**self.DISPUTE, "status": "lost"})) == "changes nothing"
        assert available(account) == 3140

    def test_of_a_payment_we_do_not_know_changes_nothing_and_is_counted(
        self, account: Account, credited: TopUp
    ) -> None:
        receive(event("charge.refunded", payment_intent="pi_x", amount_refunded=1))
        assert available(account) == 3140 + 31_400
        assert reversals.settle_late(now=NOW) == 0
        gauge = selectors.list_gauges(now=NOW + timedelta(minutes=61))["reversals_unmatched"]
        assert (gauge[1], selectors.list_gauges(now=NOW)["reversals_unmatched"][1]) == (1, 0)

    def test_told_at_the_same_moment_as_the_credit_is_caught_up_with(self, account: Account, credited: TopUp) -> None:
        TopUp.objects.update(payment_intent=None)
        receive(event("charge.refunded", **self.REFUND))
        TopUp.objects.update(payment_intent="pi_1")
        assert [reversals.settle_late(now=NOW), reversals.settle_late(now=NOW)] == [1, 0]
        assert available(account) == 3140 + 21_400


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("on_postgres")
class TestMoneyTakenBackWhileItIsCredited:
    """The message of a refund is noted between what the credit counts and its commit: nobody's rows wait for it."""

    FAILED = {"id": "re_1", "payment_intent": "pi_1", "amount": 100}

    def credit(self, topup: TopUp, meanwhile: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
        count = reversals.sum_gone

        def count_and_be_overtaken(*about: Any) -> int:
            monkeypatch.setattr(reversals, "sum_gone", count)
            assert in_parallel(lambda _: receive(meanwhile), 1, threads=1) == ["waits for its top-up"]
            return count(*about)

        monkeypatch.setattr(reversals, "sum_gone", count_and_be_overtaken)
        return receive(event("checkout.session.completed", 100, **paid(topup)))

    def test_is_gone_in_the_end(self, account: Account, topup: TopUp, monkeypatch: pytest.MonkeyPatch) -> None:
        refund = event("charge.refunded", 1, payment_intent="pi_1", amount_refunded=100)
        assert self.credit(topup, refund, monkeypatch) == "credited"
        assert available(account) == 3140 + 31_400
        assert reversals.settle_late(now=NOW) == 1
        assert available(account) == 3140 + 21_400

    def test_is_back_in_the_end_when_the_refund_has_failed(
        self, account: Account, topup: TopUp, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert receive(event("refund.created", 1, **self.FAILED, status="pending")) == "waits for its top-up"
        failed = event("refund.failed", 2, **self.FAILED, status="failed")
        assert self.credit(topup, failed, monkeypatch) == "credited"
        assert available(account) == 3140 + 21_400
        assert reversals.settle_late(now=NOW) == 1
        assert available(account) == 3140 + 31_400

    def test_is_gone_and_back_when_the_next_message_comes_as_it_is_settled(
        self, account: Account, topup: TopUp, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        failed = event("refund.failed", 2, **self.FAILED, status="failed")
        assert receive(event("refund.created", 1, **self.FAILED, status="pending")) == "waits for its top-up"
        TopUp.objects.update(state="paid", payment_intent="pi_1")
        count = reversals.sum_gone
        coming: list[Future[list[str]]] = []
        with ThreadPoolExecutor(1) as beside:

            def count_while_the_next_waits(*about: Any) -> int:
                monkeypatch.setattr(reversals, "sum_gone", count)
                coming.append(beside.submit(in_parallel, lambda _: receive(failed), 1, threads=1))
                seen = in_parallel(lambda _: set_once_somebody_waits(threading.Event()), 1, threads=1)
                assert seen == ["seen"]  # asked outside of this transaction, which would see its first look for ever
                return count(*about)

            monkeypatch.setattr(reversals, "sum_gone", count_while_the_next_waits)
            assert reversals.settle_late(now=NOW) == 1
            assert coming[0].result(60) == ["given back"]

    def test_is_gone_once_where_two_messages_come_around_the_credit(
        self, account: Account, topup: TopUp, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first is noted before the credit and the second after it: neither waits for what the other has."""
        first, second = (event("charge.refunded", one, payment_intent="pi_1", amount_refunded=100) for one in (1, 2))
        note = reversals._note
        coming: list[Future[list[str]]] = []
        with ThreadPoolExecutor(1) as beside:

            def note_while_the_second_waits(*about: Any) -> None:
                monkeypatch.setattr(reversals, "_note", note)
                note(*about)
                in_parallel(lambda _: TopUp.objects.update(state="paid", payment_intent="pi_1"), 1, threads=1)
                coming.append(beside.submit(in_parallel, lambda _: receive(second), 1, threads=1))
                assert in_parallel(lambda _: set_once_somebody_waits(threading.Event()), 1, threads=1) == ["seen"]

            monkeypatch.setattr(reversals, "_note", note_while_the_second_waits)
            assert receive(first) == "waits for its top-up"
            assert coming[0].result(60) == ["taken back"]


class TestARefundThatFailed:
    """We asked for it, the provider said it was on its way, and days later that it could not deliver it."""

    REFUND = {"id": "re_1", "payment_intent": "pi_1", "amount": 100}

    @pytest.fixture
    def refunded(self, topup: TopUp) -> TopUp:
        receive(event("checkout.session.completed", 100, **paid(topup)))
        topups.refund(TopUp.objects.get(), amount=10_000, token="t")
        receive(event("refund.created", 101, **self.REFUND, status="pending"))
        receive(event("charge.refunded", 102, payment_intent="pi_1", amount_refunded=100))
        receive(event("refund.updated", 103, **self.REFUND, status="succeeded"))
        return topup

    @pytest.mark.parametrize(
        ("kind", "status"),
        [
            ("refund.failed", "failed"),
            ("refund.failed", "pending"),
            ("refund.updated", "failed"),
            ("refund.updated", "canceled"),
            ("charge.refund.updated", "failed"),
        ],
    )
    def test_gives_the_credit_back_once_and_says_why(
        self, account: Account, refunded: TopUp, kind: str, status: str
    ) -> None:
        assert available(account) == 3140 + 21_400
        assert receive(event(kind, 1, **self.REFUND, status=status)) == "given back"
        assert receive(event("refund.failed", 2, **self.REFUND, status="failed")) == "changes nothing"
        assert receive(event("refund.updated", 3, **self.REFUND, status="succeeded")) == "changes nothing"  # late
        entry = account.entries.first()
        assert entry is not None
        assert (entry.kind, entry.amount, entry.reason, entry.note) == ("reversal", 10_000, "refund_failed", "re_1")
        refunded.refresh_from_db()
        assert (available(account), refunded.taken_back) == (3140 + 31_400, 0)

    def test_leaves_nothing_in_the_books(self, account: Account, refunded: TopUp) -> None:
        books = chart.total(chart.list_entries())
        assert books[chart.BookAccount.PAYER_REFUNDS].credit == 10_000
        receive(event("refund.failed", **self.REFUND, status="failed"))
        books = chart.total(chart.list_entries())
        assert books[chart.BookAccount.PAYER_REFUNDS] == chart.Totals(10_000, 10_000)
        assert books[chart.BookAccount.CHARGEBACKS] == chart.Totals(0, 0)

    def test_is_asked_for_up_to_what_is_left(self, refunded: TopUp, cards: stubs.CardProvider) -> None:
        refunded.refresh_from_db()
        with pytest.raises(topups.RefundRefused):
            topups.refund(refunded, amount=21_500, token="more")
        topups.refund(refunded, amount=21_400, token="rest")
        assert cards.refunds[-1]["amount"] == "214"

    @pytest.mark.parametrize("amount", [0, 150])
    def test_is_no_refund_of_nothing_and_of_no_half_cent(
        self, refunded: TopUp, cards: stubs.CardProvider, amount: int
    ) -> None:
        refunded.refresh_from_db()
        asked = len(cards.refunds)
        with pytest.raises(topups.RefundRefused):
            topups.refund(refunded, amount=amount, token="odd")
        assert len(cards.refunds) == asked

    def test_is_none_of_a_top_up_that_nobody_has_paid(self, topup: TopUp, cards: stubs.CardProvider) -> None:
        with pytest.raises(topups.RefundRefused, match="what is left"):
            topups.refund(topup, amount=10_000, token="t")
        assert cards.refunds == []

    def test_is_heard_of_when_it_is_made(self, account: Account, topup: TopUp) -> None:
        receive(event("checkout.session.completed", 100, **paid(topup)))
        assert receive(event("refund.created", 1, **self.REFUND, status="pending")) == "taken back"
        assert available(account) == 3140 + 21_400

    def test_may_be_asked_for_again(self, refunded: TopUp, cards: stubs.CardProvider) -> None:
        receive(event("refund.failed", **self.REFUND, status="failed"))
        refunded.refresh_from_db()
        topups.refund(refunded, amount=31_400, token="all")
        assert cards.refunds[-1]["amount"] == "314"

    @pytest.mark.parametrize(
        "changed",
        [
            {"status": "requires_action"},
            {"id": None},
            {"id": ""},
            {"id": 1},
            {"amount": "100"},
            {"payment_intent": None},
            {"payment_intent": ""},
        ],
    )
    def test_or_moves_nothing_or_names_nothing_changes_nothing(
        self, account: Account, topup: TopUp, changed: dict[str, Any]
    ) -> None:
        receive(event("checkout.session.completed", 100, **paid(topup)))
        said = receive(event("refund.created", **{**self.REFUND, "status": "pending", **changed}))
        assert said == ("moves no money: requires_action" if "status" in changed else "ignored")
        assert (available(account), Reversal.objects.count()) == (3140 + 31_400, 0)


class TestAnInquiry:
    """A bank asks, and no money moves."""

    INQUIRY = {"id": "dp_1", "payment_intent": "pi_1", "amount": 314}

    @pytest.mark.parametrize("status", ["warning_needs_response", "warning_under_review", "warning_closed", "new word"])
    def test_takes_nothing(self, account: Account, topup: TopUp, status: str) -> None:
        receive(event("checkout.session.completed", 100, **paid(topup)))
        for number, kind in enumerate(("charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed")):
            said = receive(event(kind, number, **self.INQUIRY, status=status))
            assert said == f"moves no money: {status}"
        assert available(account) == 3140 + 31_400

    def test_whose_money_is_withdrawn_all_the_same_takes_it(self, account: Account, topup: TopUp) -> None:
        receive(event("checkout.session.completed", 100, **paid(topup)))
        withdrawn = event("charge.dispute.funds_withdrawn", 1, **self.INQUIRY, status="warning_needs_response")
        assert receive(withdrawn) == "taken back"
        assert available(account) == 3140

    @pytest.mark.parametrize("backwards", [False, True])
    def test_that_becomes_a_dispute_takes_it_then(self, account: Account, topup: TopUp, backwards: bool) -> None:
        receive(event("checkout.session.completed", 100, **paid(topup)))
        messages = [
            event("charge.dispute.created", 1, **self.INQUIRY, status="warning_needs_response"),
            event("charge.dispute.funds_withdrawn", 2, **self.INQUIRY, status="needs_response"),
        ]
        for message in reversed(messages) if backwards else messages:
            receive(message)
        assert available(account) == 3140
        receive(event("charge.dispute.funds_reinstated", 3, **self.INQUIRY, status="under_review"))
        assert available(account) == 3140 + 31_400


class TestNamesOfTheProvider:
    """Longer than we keep, they are cut, and name the same thing the next time."""

    LONG = "x" * 300

    def assert_kept_cut(self, outcome: str) -> None:
        heard = Reversal.objects.get()
        assert outcome == "waits for its top-up"
        assert (heard.payment_reference, heard.name) == (self.LONG[:255], self.LONG[:255])

    def test_of_a_refund(self, topup: TopUp) -> None:
        about = {"id": self.LONG, "payment_intent": self.LONG, "amount": 100, "status": "pending"}
        self.assert_kept_cut(receive(event("refund.created", 1, **about)))

    def test_of_a_dispute(self, topup: TopUp) -> None:
        about = {"id": self.LONG, "payment_intent": self.LONG, "amount": 100, "status": "lost"}
        self.assert_kept_cut(receive(event("charge.dispute.closed", 1, **about)))


class TestAPageThatWasPaid:
    def test_and_names_no_payment_keeps_none(self, account: Account, topup: TopUp) -> None:
        told = event("checkout.session.completed", 1, **paid(topup, payment_intent={"id": "pi_1"}))
        assert receive(told) == "credited"
        topup.refresh_from_db()
        assert (topup.payment_intent, available(account)) == (None, 3140 + 31_400)


class TestAnAccountThatOwes:
    """What it had spent was taken back."""

    @pytest.fixture
    def owing(self, account: Account, topup: TopUp) -> Account:
        """It paid in 3.14, has 0.314 for free, has 3.40 on hold and loses 3.14."""
        receive(event("checkout.session.completed", 100, **paid(topup)))
        self.hold = ledger.hold(
            account_id=account.pk, amount=34_000, idempotency_key="h", reference="", expires_at=LATER, now=NOW
        )
        assert receive(event("charge.refunded", 1, payment_intent="pi_1", amount_refunded=314)) == "taken back"
        account.refresh_from_db()
        return account

    def test_owes_what_was_not_there(self, owing: Account) -> None:
        assert (owing.available, owing.owed, owing.spendable, owing.held) == (540 - 31_400, 30_860, 0, 34_000)
        assert reconciliation.run(now=NOW).mismatches == []

    def test_pays_with_what_is_released(self, owing: Account) -> None:
        ledger.release(hold_id=self.hold.pk, now=NOW, reason="cancelled")
        assert available(owing) == 3140

    def test_pays_with_what_comes_in(self, owing: Account) -> None:
        ledger.deposit(account_id=owing.pk, amount=30_000, idempotency_key="d", source="card", now=NOW)
        assert selectors.get_balance(owing.pk).owed == 860
        ledger.adjust(account_id=owing.pk, amount=1000, idempotency_key="a", operator="ann", reason="goodwill", now=NOW)
        assert (selectors.get_balance(owing.pk).owed, available(owing)) == (0, 140)

    @pytest.mark.parametrize("amount", [0, 1, 314])
    def test_buys_nothing_meanwhile(self, owing: Account, amount: int) -> None:
        with pytest.raises(ledger.InsufficientFunds) as refusal:
            ledger.charge(account_id=owing.pk, amount=amount, idempotency_key="c", reference="", now=NOW)
        assert (refusal.value.available, refusal.value.needed) == (0, amount)
        with pytest.raises(ledger.InsufficientFunds):
            ledger.hold(
                account_id=owing.pk, amount=amount, idempotency_key="k", reference="", expires_at=LATER, now=NOW
            )

    def test_gets_what_it_had_accepted_before(self, owing: Account) -> None:
        ledger.capture(hold_id=self.hold.pk, now=NOW)
        assert (selectors.get_balance(owing.pk).spent, selectors.get_balance(owing.pk).owed) == (34_000, 30_860)
        assert reconciliation.run(now=NOW).mismatches == []

    def test_is_counted(self, owing: Account) -> None:
        gauges = selectors.list_gauges(now=NOW)
        assert (gauges["accounts_owing"][1], gauges["owed_units"][1]) == (1, 30_860)

    def test_cannot_be_corrected_further_down(self, owing: Account) -> None:
        with pytest.raises(ledger.InsufficientFunds) as refusal:
            ledger.adjust(account_id=owing.pk, amount=-1, idempotency_key="a", operator="a", reason="r", now=NOW)
        assert refusal.value.available == 0

    def test_gets_one_mail(self, owing: Account, settings: Any, mailoutbox: list[Any]) -> None:
        assert owing_accounts.tell(now=NOW) == 0  # no mail server
        settings.MAIL_CONFIGURED = True
        assert [owing_accounts.tell(now=NOW), owing_accounts.tell(now=LATER)] == [1, 0]
        [mail] = mailoutbox
        assert (mail.to, "3.0860 USD" in mail.body) == (["ops@acme.test"], True)

    def test_gets_its_own_mail_beside_others_and_none_without_an_address(
        self, owing: Account, settings: Any, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.MAIL_CONFIGURED = True
        why = {"source": "card", "reason": "dispute", "reference": "pi_2"}
        for email in ("b@quay.test", ""):
            other = Account.objects.create(name="Other", email=email, created_at=NOW)
            ledger.reverse(account_id=other.pk, amount=-100, idempotency_key="r", now=NOW, **why)
        monkeypatch.setattr(owing_accounts, "AT_ONCE", 1)
        assert [owing_accounts.tell(now=NOW) for _ in range(3)] == [1, 1, 0]
        assert sorted((mail.to, "0.0100 USD" in mail.body) for mail in mailoutbox) == [
            (["b@quay.test"], True),
            (["ops@acme.test"], False),
        ]

    def test_gets_another_mail_when_it_owes_again(self, owing: Account, settings: Any, mailoutbox: list[Any]) -> None:
        settings.MAIL_CONFIGURED = True
        owing_accounts.tell(now=NOW)
        ledger.deposit(account_id=owing.pk, amount=30_860, idempotency_key="d", source="card", now=NOW)
        assert owing_accounts.tell(now=NOW) == 0
        ledger.reverse(
            account_id=owing.pk, amount=-1, idempotency_key="r", source="card", reason="dispute", reference="", now=NOW
        )
        assert (owing_accounts.tell(now=LATER), len(mailoutbox)) == (1, 2)

    def test_gets_its_mail_later_when_the_mail_server_is_away(
        self, owing: Account, settings: Any, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.MAIL_CONFIGURED = True
        with monkeypatch.context() as away:
            away.setattr(EmailMessage, "send", Mock(side_effect=ConnectionRefusedError))
            assert owing_accounts.tell(now=NOW) == 0
        assert owing_accounts.tell(now=LATER) == 1


class TestATopUpByChallenge:
    """Paid with a token in the request itself."""

    @pytest.fixture
    def by_token(self, account: Account) -> Payment:
        made = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="stripe", purpose="topup", amount=31_400, account=account,
            created_at=NOW,
        )  # fmt: skip
        booking.complete(made, reference="pi_9", now=NOW)
        return made

    @pytest.mark.parametrize("kind", ["charge.refunded", "charge.dispute.created"])
    def test_is_taken_back_like_any_other(self, account: Account, by_token: Payment, cards: Any, kind: str) -> None:
        about = {"id": "dp_9", "payment_intent": "pi_9", "amount": 314, "amount_refunded": 314, "status": "lost"}
        assert receive(event(kind, **about)) == "taken back"
        assert available(account) == 3140
        by_token.refresh_from_db()
        assert by_token.taken_back == 31_400

    def test_taken_back_before_we_knew_it_was_paid_is_taken_back(self, account: Account, cards: Any) -> None:
        receive(event("charge.refunded", payment_intent="pi_9", amount_refunded=314))
        made = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="stripe", purpose="topup", amount=31_400, account=account,
            created_at=NOW,
        )  # fmt: skip
        booking.complete(made, reference="pi_9", now=NOW)
        assert available(account) == 3140

    def test_that_a_chain_has_undone_is_entered_by_staff_once(self, account: Account) -> None:
        made = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="tempo", purpose="topup", amount=31_400, account=account,
            created_at=NOW,
        )  # fmt: skip
        booking.complete(made, reference="0xabc", now=NOW)
        told = [reversals.enter(made, amount=31_400, note="block 7 undone", now=NOW) for _ in range(2)]
        assert (told, available(account)) == (["taken back", "changes nothing"], 3140)


class TestMessagesInAnyOrder:
    @pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
    def test_leave_the_same_balance(self, account: Account, topup: TopUp, order: tuple[int, ...]) -> None:
        waiting = paid(topup, payment_status="unpaid")
        messages = [
            event("checkout.session.completed", 0, **waiting),
            event("checkout.session.async_payment_succeeded", 1, **paid(topup)),
            event("charge.refunded", 2, payment_intent="pi_1", amount_refunded=100),
            event("checkout.session.expired", 3, id=topup.session_id),
        ]
        for number in order:
            receive(messages[number])
            receive(messages[number])
        assert available(account) == 3140 + 31_400 - 10_000
        assert reconciliation.run(now=NOW).mismatches == []


class TestAMessage:
    def refused(self, payload: bytes, signature: str) -> None:
        with pytest.raises(topups.BadSignature):
            topups.receive(payload=payload, signature=signature, now=NOW)

    def test_not_signed_by_the_provider_is_refused(self, account: Account, topup: TopUp) -> None:
        payload = event("checkout.session.completed", **paid(topup))
        moment = int(timezone.now().timestamp())
        good = stripe.WebhookSignature.generate_signature_header(payload.decode(), SECRET, timestamp=moment)
        self.refused(payload + b" ", good)
        self.refused(payload, "")
        self.refused(payload, "t=1,v1=00")
        with pytest.raises(topups.BadSignature):
            receive(payload, secret="whsec_other")
        with pytest.raises(topups.BadSignature):
            receive(payload, age=4000)
        assert (available(account), ProviderEvent.objects.count()) == (3140, 0)

    @pytest.mark.parametrize(
        "payload", [b"[]", b"{}", b"not json", b'{"id":1,"type":"x","data":{"object":{}}}', b"\xff"]
    )
    def test_of_another_shape_is_refused(self, cards: stubs.CardProvider, db: None, payload: bytes) -> None:
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            return self.refused(payload, "t=1,v1=00")
        moment = int(timezone.now().timestamp())
        signature = stripe.WebhookSignature.generate_signature_header(text, SECRET, timestamp=moment)
        return self.refused(payload, signature)

    def test_of_a_kind_we_do_not_need_is_noted_and_ignored(self, topup: TopUp) -> None:
        assert receive(event("customer.created", id="cus_1")) == "ignored"
        assert ProviderEvent.objects.get().outcome == "ignored"

    def test_signed_as_documented_has_the_documented_signature(self) -> None:
        payload = (
            '{"id":"evt_1","object":"event","api_version":"2026-07-29.dahlia","type":"checkout.session.completed","data":'
            '{"object":{"id":"cs_test_1","object":"checkout.session","mode":"payment","payment_status":"paid",'
            '"amount_total":314,"currency":"usd","client_reference_id":"acct_42","metadata":{"account_id":"42",'
            '"topup_id":"t1"},"payment_intent":"pi_1"}}}'
        )
        header = stripe.WebhookSignature.generate_signature_header(payload, SECRET, timestamp=1795176000)
        assert header.endswith("v1=1865ee9bb11faeec3c81e6f06a748ab2459ca0458860de57f12c2a7af618684d")


class TestOldTopUps:
    def test_nobody_paid_are_closed(self, topup: TopUp) -> None:
        assert topups.expire_old(now=NOW + timedelta(days=2)) == 0
        assert topups.expire_old(now=NOW + timedelta(days=4)) == 1
        assert not LedgerEntry.objects.filter(kind="deposit").exists()

    def test_that_a_bank_is_still_paying_stay_open(self, topup: TopUp) -> None:
        """A bank takes up to two weeks: its payer read that nothing was credited, and paid once more."""
        receive(event("checkout.session.completed", 1, **paid(topup, payment_status="unpaid")))
        assert topups.expire_old(now=NOW + timedelta(days=10)) == 0
        assert receive(event("checkout.session.async_payment_failed", 2, id=topup.session_id)) == "failed"
