"""Top-ups to the cent: what the provider is asked, what is kept, and what comes back when money is taken back."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from billing import ledger, reversals, topups
from billing.models import Account, ProviderEvent, Reversal, TopUp
from tests.billing import stubs
from tests.billing.conftest import LATER, NOW
from tests.billing.test_topups import PAGES, available, cards, event, paid, receive, topup

__all__ = ["cards", "topup"]  # fixtures
FREE, PAID = 3140, 31_400
COMPLETED, SUCCEEDED = "checkout.session.completed", "checkout.session.async_payment_succeeded"
REFUNDED, DISPUTED, CLOSED = "charge.refunded", "charge.dispute.created", "charge.dispute.closed"


def now_is(topup: TopUp) -> TopUp:
    return TopUp.objects.get(pk=topup.pk)


def refunded(cents: Any, **changed: Any) -> dict[str, Any]:
    return {"payment_intent": "pi_1", "amount_refunded": cents, **changed}


def dispute(cents: Any, **changed: Any) -> dict[str, Any]:
    return {"id": "dp_1", "payment_intent": "pi_1", "amount": cents, "status": "needs_response", **changed}


def spend(account: Account, amount: int) -> None:
    ledger.charge(account_id=account.pk, amount=amount, idempotency_key=f"spent {amount}", reference="", now=NOW)


class TestTheProvider:
    def test_is_asked_for_exactly_this(self, account: Account, cards: stubs.CardProvider) -> None:
        made, _ = topups.start(account=account, amount=PAID, now=NOW, **PAGES)
        assert cards.forms[0] == {
            "mode": "payment",
            "success_url": PAGES["success_url"],
            "cancel_url": PAGES["cancel_url"],
            "client_reference_id": f"acct_{account.pk}",
            "metadata[account_id]": str(account.pk),
            "metadata[topup_id]": str(made.pk),
            "line_items[0][quantity]": "1",
            "line_items[0][price_data][currency]": "usd",
            "line_items[0][price_data][unit_amount]": "314",
            "line_items[0][price_data][product_data][name]": "Prepaid balance",
            "customer_email": "ops@acme.test",
        }
        assert set(cards.seen) == {f"topup_{made.pk}_{int(NOW.timestamp())}"}

    def test_is_given_no_address_of_an_account_without_one(self, account: Account, cards: stubs.CardProvider) -> None:
        account.email = ""
        topups.start(account=account, amount=PAID, now=NOW, **PAGES)
        assert "customer_email" not in cards.forms[0]

    def test_that_is_down_fails_this_top_up_and_no_other(
        self, account: Account, topup: TopUp, cards: stubs.CardProvider
    ) -> None:
        cards.mood = "down"
        with pytest.raises(topups.ProviderUnavailable, match="nothing was charged"):
            topups.start(account=account, amount=PAID, now=NOW, **PAGES)
        assert [kept.state for kept in TopUp.objects.order_by("id")] == ["created", "failed"]

    def test_is_on_offer_with_a_key(self, cards: stubs.CardProvider) -> None:
        assert topups.are_cards_configured() is True

    @pytest.mark.parametrize(("amount", "cents"), [(5000, 50), (5100, 51), (100_000_000, 1_000_000)])
    def test_takes_from_half_a_dollar_to_ten_thousand(self, amount: int, cents: int) -> None:
        assert topups.to_cents(amount) == cents

    @pytest.mark.parametrize("amount", [4900, 5001, 5099, 100_000_100])
    def test_takes_nothing_outside_that_or_between_cents(self, amount: int) -> None:
        with pytest.raises(topups.AmountOutOfRange, match=r"between 0\.50 and 10,000 USD"):
            topups.to_cents(amount)


class TestATopUp:
    def test_keeps_who_wants_how_much_and_on_which_page(self, account: Account, cards: stubs.CardProvider) -> None:
        made, _ = topups.start(account=account, amount=PAID, now=LATER, **PAGES)
        kept = now_is(made)
        assert (kept.account, kept.amount, kept.created_at, kept.session_id) == (account, PAID, LATER, "cs_test_1")
        assert (kept.state, kept.payment_intent, kept.paid_at) == ("created", None, None)

    def test_that_was_paid_keeps_when_and_by_which_payment(self, account: Account, topup: TopUp) -> None:
        receive(event(COMPLETED, **paid(topup)))
        kept = now_is(topup)
        assert (kept.state, kept.paid_at, kept.payment_intent) == ("paid", NOW, "pi_1")
        [entry] = account.entries.filter(kind="deposit")
        assert (entry.idempotency_key, entry.created_at, entry.amount) == (f"topup:{topup.pk}", NOW, PAID)

    def test_paid_without_a_payments_name_is_known_by_its_session(self, account: Account, topup: TopUp) -> None:
        assert receive(event(COMPLETED, **paid(topup, payment_intent=None))) == "credited"
        [entry] = account.entries.filter(kind="deposit")
        assert (entry.reference, now_is(topup).payment_intent) == (topup.session_id, None)

    def test_keeps_the_first_payments_name(self, topup: TopUp) -> None:
        receive(event(COMPLETED, 1, **paid(topup, payment_status="unpaid")))
        receive(event(SUCCEEDED, 2, **paid(topup, payment_intent="pi_2")))
        assert now_is(topup).payment_intent == "pi_1"

    def test_not_paid_yet_is_still_open_and_knows_its_payment(self, topup: TopUp) -> None:
        receive(event(COMPLETED, 1, **paid(topup, payment_status="unpaid")))
        kept = now_is(topup)
        assert (kept.state, kept.payment_intent, kept.paid_at) == ("created", "pi_1", None)

    @pytest.mark.parametrize(
        ("known", "session"), [("", {"id": None}), ("", {"id": ""}), ("7", {"id": 7}), ("", {"id": {"$ne": 1}})]
    )
    def test_is_not_found_by_what_is_no_name(self, topup: TopUp, known: str, session: dict[str, Any]) -> None:
        TopUp.objects.update(session_id=known)
        assert receive(event(COMPLETED, **{**paid(topup), **session})) == "unknown session"

    @pytest.mark.parametrize(
        ("kind", "state"),
        [("checkout.session.expired", "expired"), ("checkout.session.async_payment_failed", "failed")],
    )
    def test_that_came_to_nothing_says_how(self, topup: TopUp, kind: str, state: str) -> None:
        assert receive(event(kind, id=topup.session_id)) == state
        assert now_is(topup).state == state

    def test_that_came_to_nothing_and_nobody_started_is_ignored(self, topup: TopUp) -> None:
        assert receive(event("checkout.session.expired", id="cs_other")) == "ignored"
        assert now_is(topup).state == "created"

    def test_that_is_paid_stays_so(self, topup: TopUp) -> None:
        receive(event(COMPLETED, 1, **paid(topup)))
        assert receive(event("checkout.session.async_payment_failed", 2, id=topup.session_id)) == "ignored"
        assert now_is(topup).state == "paid"

    def test_is_closed_after_three_days_unless_somebody_paid(self, account: Account, topup: TopUp) -> None:
        assert topups.expire_old(now=NOW + timedelta(days=3)) == 0
        assert topups.expire_old(now=NOW + timedelta(days=3, seconds=1)) == 1
        assert now_is(topup).state == "expired"
        receive(event(COMPLETED, 1, **paid(topup)))
        assert topups.expire_old(now=NOW + timedelta(days=30)) == 0
        assert now_is(topup).state == "paid"


class TestAMessage:
    def test_that_was_handled_is_kept_by_its_name(self, topup: TopUp) -> None:
        receive(event(COMPLETED, 5, **paid(topup)))
        seen = ProviderEvent.objects.get()
        assert (seen.event_id, seen.kind, seen.outcome, seen.received_at) == ("evt_5", COMPLETED, "credited", NOW)

    def test_that_comes_before_its_top_up_is_kept_as_what_it_says(self, topup: TopUp) -> None:
        assert receive(event(REFUNDED, 5, **refunded(100))) == "waits for its top-up"
        known = Reversal.objects.get()
        assert (known.payment_reference, known.kind, known.name) == ("pi_1", "card_refund", "pi_1")
        assert (known.amount, known.gone, known.is_settled, known.heard_at) == (10_000, 10_000, False, NOW)
        receive(event(COMPLETED, 6, **paid(topup)))
        known.refresh_from_db()
        assert known.is_settled

    def test_of_a_kind_with_a_very_long_name_is_kept_all_the_same(self, topup: TopUp) -> None:
        assert receive(event("x" * 300)) == "ignored"
        assert ProviderEvent.objects.get().kind == "x" * 100

    def test_about_a_payment_with_a_very_long_name_waits_all_the_same(self, topup: TopUp) -> None:
        receive(event(REFUNDED, **refunded(100, payment_intent="p" * 300)))
        assert Reversal.objects.get().payment_reference == "p" * 255

    @pytest.mark.parametrize("age", [0, 250])
    def test_of_the_last_five_minutes_is_taken(self, topup: TopUp, age: int) -> None:
        assert receive(event("customer.created"), age=age) == "ignored"

    def test_of_longer_ago_is_refused(self, topup: TopUp) -> None:
        with pytest.raises(topups.BadSignature, match="not signed by the card provider"):
            receive(event("customer.created"), age=310)

    @pytest.mark.parametrize(
        "content",
        [
            {"id": 1, "type": "x", "data": {"object": {}}},
            {"id": "evt", "type": 1, "data": {"object": {}}},
            {"id": "evt", "type": "x", "data": {"object": []}},
        ],
    )
    def test_of_another_shape_is_none_of_the_providers(self, topup: TopUp, content: dict[str, Any]) -> None:
        with pytest.raises(topups.BadSignature, match="not one of the card provider's"):
            receive(json.dumps(content).encode())

    def test_that_cannot_be_handled_is_not_taken_for_a_repetition(self, topup: TopUp) -> None:
        """Its sender is answered with an error and sends it again."""
        from django.db import IntegrityError

        receive(event("customer.created", 7))
        TopUp.objects.create(account=topup.account, amount=100, created_at=NOW, payment_intent="pi_1")
        with pytest.raises(IntegrityError):
            receive(event(COMPLETED, **paid(topup)))
        assert ProviderEvent.objects.get().event_id == "evt_7"


class TestMoneyTakenBack:
    @pytest.fixture
    def credited(self, topup: TopUp) -> TopUp:
        receive(event(COMPLETED, 100, **paid(topup)))
        return topup

    def test_of_a_single_cent_is_taken_with_its_reason(self, account: Account, credited: TopUp) -> None:
        assert receive(event(REFUNDED, 1, **refunded(1))) == "taken back"
        assert (available(account), now_is(credited).taken_back) == (FREE + PAID - 100, 100)
        [entry] = account.entries.filter(kind="reversal")
        assert (entry.amount, entry.reason, entry.source, entry.reference) == (-100, "card_refund", "card", "pi_1")
        assert (entry.idempotency_key, entry.created_at) == (f"reversal:topup:{credited.pk}:1", NOW)

    @pytest.mark.parametrize("cents", [0, -1, None, "100", 1.5, True])
    def test_of_no_amount_is_ignored(self, account: Account, credited: TopUp, cents: Any) -> None:
        assert receive(event(REFUNDED, 1, **refunded(cents))) == "ignored"
        assert receive(event(DISPUTED, 2, **dispute(cents))) == "ignored"
        assert available(account) == FREE + PAID

    @pytest.mark.parametrize("intent", [None, 7, ""])
    def test_of_no_payment_is_ignored(self, account: Account, credited: TopUp, intent: Any) -> None:
        assert receive(event(REFUNDED, 1, **refunded(100, payment_intent=intent))) == "ignored"
        assert receive(event(CLOSED, 2, **dispute(100, payment_intent=intent, status="won"))) == "ignored"

    def test_is_never_more_than_was_paid(self, account: Account, credited: TopUp) -> None:
        receive(event(REFUNDED, 1, **refunded(1000)))
        assert (available(account), now_is(credited).taken_back) == (FREE, PAID)
        assert receive(event(REFUNDED, 2, **refunded(1000))) == "changes nothing"
        assert available(account) == FREE

    def test_by_disputes_and_refunds_adds_up(self, account: Account, credited: TopUp) -> None:
        receive(event(DISPUTED, 1, **dispute(100)))
        receive(event(DISPUTED, 2, **dispute(100, id="dp_2")))
        assert available(account) == FREE + PAID - 20_000
        receive(event(REFUNDED, 3, **refunded(1)))
        assert available(account) == FREE + PAID - 20_100
        assert {entry.reason for entry in account.entries.filter(kind="reversal")} == {"dispute", "card_refund"}

    def test_before_the_credit_is_taken_from_it(self, account: Account, topup: TopUp) -> None:
        receive(event(COMPLETED, 1, **paid(topup, payment_status="unpaid")))
        assert receive(event(REFUNDED, 2, **refunded(100))) == "waits for its top-up"
        assert (available(account), now_is(topup).taken_back) == (FREE, 0)
        assert receive(event(SUCCEEDED, 3, **paid(topup))) == "credited"
        assert (available(account), now_is(topup).taken_back) == (FREE + PAID - 10_000, 10_000)
        [entry] = account.entries.filter(kind="reversal")
        assert entry.reason == "card_refund"

    def test_that_is_all_spent_is_taken_all_the_same(self, account: Account, credited: TopUp) -> None:
        spend(account, FREE + PAID)
        receive(event(DISPUTED, 1, **dispute(100)))
        receive(event(DISPUTED, 2, **dispute(100, id="dp_2")))
        assert (available(account), now_is(credited).taken_back) == (-20_000, 20_000)

    def test_that_is_there_to_the_unit_leaves_no_debt(
        self, account: Account, credited: TopUp, caplog: pytest.LogCaptureFixture
    ) -> None:
        spend(account, FREE)
        receive(event(DISPUTED, 1, **dispute(314)))
        assert available(account) == 0
        assert "owes" not in caplog.text

    def test_that_is_not_there_to_the_unit_is_in_the_log(
        self, account: Account, credited: TopUp, caplog: pytest.LogCaptureFixture
    ) -> None:
        spend(account, FREE + 1)
        receive(event(DISPUTED, 1, **dispute(314)))
        assert f"account {account.pk} owes 1 units" in caplog.text

    def test_of_one_payment_is_not_taken_from_another(self, account: Account, credited: TopUp) -> None:
        other = {"payment_intent": "pi_2"}
        assert receive(event(REFUNDED, 1, **refunded(100, **other))) == "waits for its top-up"
        assert receive(event(CLOSED, 2, **dispute(100, status="won", **other))) == "waits for its top-up"
        assert reversals.settle_late(now=NOW) == 0
        assert available(account) == FREE + PAID

    def test_of_many_strangers_costs_the_sweep_one_question(
        self, account: Account, credited: TopUp, django_assert_num_queries: Any
    ) -> None:
        for number in range(20):
            receive(event(REFUNDED, number, **refunded(100, payment_intent=f"pi_x{number}")))
        with django_assert_num_queries(1):
            assert reversals.settle_late(now=NOW) == 0

    def test_in_several_messages_that_waited_is_caught_up_with(self, account: Account, credited: TopUp) -> None:
        TopUp.objects.update(payment_intent=None)
        receive(event(REFUNDED, 1, **refunded(100)))
        receive(event(DISPUTED, 2, **dispute(100)))
        receive(event(CLOSED, 3, **dispute(100, id="dp_9", payment_intent="pi_9", status="won")))
        TopUp.objects.update(payment_intent="pi_1")
        assert reversals.settle_late(now=LATER) == 1
        assert now_is(credited).taken_back == 20_000
        moments = {entry.created_at for entry in account.entries.filter(kind="reversal")}
        assert (available(account), moments) == (FREE + PAID - 20_000, {LATER})
        assert Reversal.objects.get(is_settled=False).name == "dp_9"


class TestADisputeThatWasWon:
    @pytest.fixture
    def disputed(self, topup: TopUp) -> TopUp:
        receive(event(COMPLETED, 100, **paid(topup)))
        return topup

    def won(self, number: int, cents: int = 314, **changed: Any) -> str:
        return receive(event(CLOSED, number, **dispute(cents, **{"status": "won", **changed})))

    def test_gives_back_what_was_taken_with_its_name(self, account: Account, disputed: TopUp) -> None:
        receive(event(DISPUTED, 1, **dispute(314)))
        assert self.won(2) == "given back"
        back = account.entries.filter(kind="reversal").first()
        assert back is not None
        assert (back.amount, back.reason, back.reference, back.note) == (PAID, "dispute_won", "pi_1", "dp_1")
        assert (available(account), now_is(disputed).taken_back) == (FREE + PAID, 0)

    def test_of_a_single_cent_gives_back_that_cent(self, account: Account, disputed: TopUp) -> None:
        receive(event(DISPUTED, 1, **dispute(1)))
        self.won(2, 1)
        assert available(account) == FREE + PAID

    def test_without_a_name_is_given_back_too(self, account: Account, disputed: TopUp) -> None:
        receive(event(DISPUTED, 1, **dispute(314, id=None)))
        assert self.won(2, id=None) == "given back"
        assert available(account) == FREE + PAID

    def test_without_a_name_is_not_that_of_another_payment(self, account: Account, disputed: TopUp) -> None:
        more = {"created_at": NOW, "paid_at": NOW, "state": TopUp.State.PAID}
        other = TopUp.objects.create(account=account, amount=PAID, payment_intent="pi_2", **more)
        receive(event(DISPUTED, 1, **dispute(314, id=None)))
        receive(event(DISPUTED, 2, **dispute(314, id=None, payment_intent="pi_2")))
        assert (now_is(disputed).taken_back, now_is(other).taken_back) == (PAID, PAID)

    def test_in_very_many_words_is_noted_in_a_hundred_letters(self, disputed: TopUp) -> None:
        assert len(receive(event("charge.dispute.updated", 1, **dispute(314, status="x" * 300)))) == 100

    def test_with_a_very_long_name_is_given_back_too(self, account: Account, disputed: TopUp) -> None:
        receive(event(DISPUTED, 1, **dispute(314, id="d" * 300)))
        self.won(2, id="d" * 300)
        assert available(account) == FREE + PAID

    def test_of_what_had_been_spent_pays_what_is_owed(self, account: Account, disputed: TopUp) -> None:
        spend(account, 34_000)
        receive(event(DISPUTED, 1, **dispute(314)))
        assert available(account) == 540 - PAID
        self.won(2)
        assert available(account) == 540

    def test_of_one_of_two_leaves_the_other_taken(self, account: Account, disputed: TopUp) -> None:
        receive(event(DISPUTED, 1, **dispute(100)))
        receive(event(DISPUTED, 2, **dispute(200, id="dp_2")))
        assert self.won(3, 100) == "given back"
        assert (available(account), now_is(disputed).taken_back) == (FREE + PAID - 20_000, 20_000)

    def test_stays_won_whatever_comes_late(self, account: Account, disputed: TopUp) -> None:
        self.won(1)
        assert receive(event(DISPUTED, 2, **dispute(314))) == "changes nothing"
        assert available(account) == FREE + PAID
