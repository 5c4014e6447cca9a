"""A request that pays for itself: asked, accepted, settled once or let go, on each method and on each bad day."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from billing import challenge, ledger, prices, selectors
from billing.challenge import PaymentProblem
from billing.models import Account, LedgerEntry, Payment
from billing.payments import booking, checkout, sweep
from billing.payments.checkout import Purchase
from billing.payments.stripe import Stripe
from tests.billing import stubs
from tests.billing.conftest import NOW, in_parallel

BODY = b'{"entity_name":"Acme LLC","state":"DE"}'
LOOKUP = Purchase("lookup", prices.LOOKUP, "POST /v1/lookup", BODY, "Business entity or UCC filing lookup")
pytestmark = pytest.mark.django_db(transaction=True)  # settling wants to be outside any transaction


def offers_in(demand: Any) -> list[dict[str, str]]:
    """Read `WWW-Authenticate` as a client does."""
    offers = demand.headers["WWW-Authenticate"].split("Payment ")[1:]
    return [dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', offer)) for offer in offers]


def answer(offer: dict[str, str], payload: dict[str, Any]) -> str:
    """Write the credential a client would send for an offer."""
    echo = {name: value for name, value in offer.items() if name != "description"}
    text = json.dumps({"challenge": echo, "payload": payload})
    return "Payment " + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def ask(purchase: Purchase = LOOKUP) -> dict[str, str]:
    return offers_in(checkout.demand(purchase, now=NOW))[0]


def word_of(action: Any) -> str:
    with pytest.raises(PaymentProblem) as problem:
        action()
    return problem.value.word


@pytest.fixture
def pretended(settings: Any) -> None:
    settings.SANDBOX_PAYMENTS = True


@pytest.fixture
def cards(settings: Any) -> Iterator[stubs.CardProvider]:
    made = stubs.CardProvider()
    with stubs.serve(made.answer) as url:
        settings.STRIPE_SECRET_KEY, settings.STRIPE_NETWORK_ID = "sk_test_x", "profile_test_123"
        settings.STRIPE_API_BASE = url
        yield made


class TestWithoutAnyMethod:
    def test_nothing_can_be_paid(self) -> None:
        assert not checkout.is_open("lookup", secure=True)
        assert checkout.list_offers("lookup", 314) == []


@pytest.mark.usefixtures("pretended")
class TestADemand:
    def test_says_the_price_and_carries_a_challenge_nobody_stored(self) -> None:
        demand = checkout.demand(LOOKUP, now=NOW)
        [offer] = offers_in(demand)
        assert (demand.status, demand.headers["Cache-Control"]) == (402, "no-store")
        assert demand.body["type"] == "https://paymentauth.org/problems/payment-required"
        assert demand.body["challengeId"] == offer["id"]
        assert "0.0314 USD" in demand.body["detail"]
        assert (offer["method"], offer["intent"], offer["realm"]) == ("sandbox", "charge", "127.0.0.1:8000")
        assert (offer["expires"], offer["digest"]) == ("2026-11-21T12:05:00Z", challenge.digest_of(BODY))
        assert offer["description"] == "Business entity or UCC filing lookup"
        assert not Payment.objects.exists()

    def test_of_the_same_request_in_the_same_second_is_another_one(self) -> None:
        assert ask()["id"] != ask()["id"]

    def test_is_not_made_over_plain_http_in_production(self, settings: Any) -> None:
        settings.PAYMENT_REQUIRES_TLS = True
        assert not checkout.is_open("lookup", secure=False)
        assert checkout.is_open("lookup", secure=True)

    def test_after_money_may_have_moved_offers_nothing(self) -> None:
        demand = checkout.demand(LOOKUP, now=NOW, problem=PaymentProblem("internal-payment-error", "Not known yet."))
        assert (demand.status, demand.headers["Retry-After"]) == (503, "30")
        assert "WWW-Authenticate" not in demand.headers
        assert "challengeId" not in demand.body

    def test_names_its_configured_realm(self, settings: Any) -> None:
        settings.PAYMENT_REALM = "api.example.com"
        assert ask()["realm"] == "api.example.com"

    def test_is_listed_for_the_openapi_document(self) -> None:
        [offer] = checkout.list_offers("lookup", prices.LOOKUP, description="0.0314 USD per lookup")
        assert offer == {
            "intent": "charge",
            "method": "sandbox",
            "amount": "31400",
            "currency": "usd6",
            "description": "0.0314 USD per lookup",
        }


class TestFindingACredential:
    def test_reads_either_header_and_no_other_scheme(self) -> None:
        assert checkout.find_credential({"Authorization": "Payment abc"}) == "Payment abc"
        assert checkout.find_credential({"Payment-Authorization": "payment abc"}) == "payment abc"
        assert checkout.find_credential({"Authorization": "Bearer osd_x"}) is None
        assert checkout.find_credential({}) is None

    def test_refuses_two(self) -> None:
        headers = {"Authorization": "Payment a", "Payment-Authorization": "Payment b"}
        assert word_of(lambda: checkout.find_credential(headers)) == "bad-request"


@pytest.mark.usefixtures("pretended")
class TestAPretendedPayment:
    def accept(self, token: str = "sandbox_paid", offer: dict[str, str] | None = None, **changed: Any) -> Payment:
        credential = answer(offer or ask(), {"token": token})
        return checkout.accept(changed.pop("purchase", LOOKUP), credential=credential, now=changed.pop("now", NOW))

    def test_is_settled_with_a_receipt_and_books_nothing(self) -> None:
        payment = self.accept()
        receipt = json.loads(challenge.decode(checkout.settle(payment, now=NOW)))
        assert (receipt["status"], receipt["method"]) == ("success", "sandbox")
        assert receipt["reference"] == payment.reference
        assert (payment.state, payment.is_sandbox, payment.proof) == ("paid", True, None)
        assert not LedgerEntry.objects.exists()

    def test_that_comes_again_is_the_same_payment_with_the_same_receipt(self, settings: Any) -> None:
        offer = ask()
        payment = self.accept(offer=offer)
        receipt = checkout.settle(payment, now=NOW)
        settings.SANDBOX_PAYMENTS, settings.PAYMENT_SECRET = False, "another"
        again = self.accept(offer=offer, now=NOW + timedelta(hours=23))  # its challenge has expired long since
        assert (again, again.state) == (payment, "paid")
        assert checkout.settle(again, now=NOW + timedelta(hours=23)) == receipt

    def test_is_good_for_one_delivery(self) -> None:
        offer = ask()
        checkout.settle(self.accept(offer=offer), now=NOW)
        assert word_of(lambda: self.accept("sandbox_paid_by_another", offer)) == "invalid-challenge"
        other_body = Purchase("lookup", 314, "POST /v1/lookup", BODY + b" ")
        assert word_of(lambda: self.accept(offer=offer, purchase=other_body)) == "invalid-challenge"

    def test_in_use_is_not_asked_for_again(self) -> None:
        offer = ask()
        self.accept(offer=offer)
        assert word_of(lambda: self.accept(offer=offer)) == "payment-in-progress"

    def test_used_by_many_at_once_is_accepted_once(self) -> None:
        offer = ask()

        def use(_: int) -> str:
            try:
                return self.accept(offer=offer).state
            except PaymentProblem as problem:
                return problem.word

        outcomes = in_parallel(use, 16, threads=8)
        assert sorted(set(outcomes)) == ["accepted", "payment-in-progress"]
        assert outcomes.count("accepted") == 1

    def test_settled_by_many_at_once_is_settled_once(self) -> None:
        payment = self.accept()

        def settle(number: int) -> str:
            try:
                return checkout.settle(Payment.objects.get(pk=payment.pk), now=NOW + timedelta(seconds=number))
            except PaymentProblem as problem:
                return problem.word

        outcomes = set(in_parallel(settle, 16, threads=8)) - {"internal-payment-error"}
        assert len(outcomes) == 1  # one receipt, of the one moment when it was settled

    def test_for_a_lookup_that_found_nothing_is_let_go(self) -> None:
        payment = self.accept()
        checkout.abandon(payment, reason="not_found", now=NOW)
        assert (payment.state, payment.proof, payment.detail) == ("abandoned", None, "not_found")
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "invalid-challenge"

    def test_declined_may_be_tried_again_with_a_fresh_challenge(self) -> None:
        payment = self.accept("sandbox_declined")
        with pytest.raises(PaymentProblem) as problem:
            checkout.settle(payment, now=NOW)
        assert (problem.value.word, problem.value.may_offer) == ("verification-failed", True)
        assert payment.state == "failed"

    def test_of_unknown_outcome_is_never_asked_for_again(self) -> None:
        offer = ask()
        payment = self.accept("sandbox_unknown", offer)
        with pytest.raises(PaymentProblem) as problem:
            checkout.settle(payment, now=NOW)
        assert (problem.value.status, problem.value.may_offer) == (503, False)
        assert payment.state == "unknown"
        assert word_of(lambda: self.accept("sandbox_unknown", offer)) == "internal-payment-error"

    @pytest.mark.parametrize(
        ("changed", "word"),
        [
            ({"purchase": Purchase("lookup", 315, "POST /v1/lookup", BODY)}, "invalid-challenge"),
            ({"purchase": Purchase("lookup", 314, "POST /v1/lookup", BODY + b" ")}, "invalid-challenge"),
            ({"purchase": Purchase("lookup", 314, "POST /v1/other", BODY)}, "invalid-challenge"),
            ({"now": NOW + timedelta(minutes=5)}, "payment-expired"),
            ({"token": "cash"}, "invalid-payload"),
        ],
    )
    def test_for_something_else_is_refused(self, changed: dict[str, Any], word: str) -> None:
        assert word_of(lambda: self.accept(**changed)) == word
        assert not Payment.objects.exists()

    def test_by_a_method_not_offered_is_a_400(self) -> None:
        offer = ask() | {"method": "lightning"}
        assert word_of(lambda: self.accept(offer=offer)) == "method-unsupported"

    def test_survives_the_rotation_of_the_secret(self, settings: Any) -> None:
        settings.PAYMENT_SECRET = "old"
        offer = ask()
        settings.PAYMENT_SECRET, settings.PAYMENT_SECRET_PREVIOUS = "new", "old"
        assert self.accept(offer=offer).state == "accepted"


class TestACardToken:
    TOPUP = Purchase("topup", 31_400, "POST /v1/account/topup", b'{"amount":"3.14"}', "Prepaid balance")

    def accept(self, account: Account, token: str, cards: stubs.CardProvider) -> Payment:
        credential = answer(ask(self.TOPUP), {"spt": token})
        return checkout.accept(self.TOPUP, credential=credential, now=NOW, account=account)

    def test_tops_up_the_balance_once(self, account: Account, cards: stubs.CardProvider) -> None:
        payment = self.accept(account, "spt_ok", cards)
        receipt = json.loads(challenge.decode(checkout.settle(payment, now=NOW)))
        assert receipt["reference"] == "pi_1"
        assert selectors.get_balance(account.pk).available == 3140 + 31_400
        form = cards.forms[0]
        assert (form["amount"], form["currency"], form["shared_payment_granted_token"]) == ("314", "usd", "spt_ok")

    def test_is_never_offered_for_a_single_lookup(self, cards: stubs.CardProvider) -> None:
        assert not checkout.is_open("lookup", secure=True)

    @pytest.mark.parametrize(
        ("token", "word"), [("spt_declined", "verification-failed"), ("spt_action", "payment-action-required")]
    )
    def test_that_is_refused_credits_nothing(
        self, account: Account, cards: stubs.CardProvider, token: str, word: str
    ) -> None:
        payment = self.accept(account, token, cards)
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == word
        assert selectors.get_balance(account.pk).available == 3140

    @pytest.mark.parametrize("mood", ["lost", "down", "locked"])
    def test_of_unknown_outcome_is_looked_for_and_never_sent_again(
        self, account: Account, cards: stubs.CardProvider, mood: str
    ) -> None:
        """Money moved or not is what the provider's own list says; before it must be complete it says nothing."""
        payment = self.accept(account, "spt_ok", cards)
        cards.mood = mood
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        made, cards.mood, cards.seen = len(cards.intents), "", {}
        assert sweep.run(now=NOW + timedelta(minutes=2)) == {"paid" if made else "unknown": 1}
        sweep.run(now=NOW + timedelta(minutes=16))
        payment.refresh_from_db()
        assert (payment.state, made) == (("paid", 1) if mood == "lost" else ("failed", 0))
        assert selectors.get_balance(account.pk).available == 3140 + made * 31_400
        assert len(cards.intents) == made

    def test_whose_request_was_refused_a_connection_never_becomes_an_intent(
        self, account: Account, cards: stubs.CardProvider, settings: Any
    ) -> None:
        """Connection refused, the client told "unknown", paid again elsewhere: 20 hours later nothing is created."""
        payment = self.accept(account, "spt_ok", cards)
        there, settings.STRIPE_API_BASE = settings.STRIPE_API_BASE, "http://127.0.0.1:9"
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        settings.STRIPE_API_BASE = there
        assert sweep.run(now=NOW + timedelta(hours=20)) == {"failed": 1}
        assert (cards.intents, cards.seen) == ([], {})
        assert selectors.get_balance(account.pk).available == 3140

    def test_that_was_given_up_while_the_provider_still_took_it_is_credited_all_the_same(
        self, account: Account, cards: stubs.CardProvider, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The machine's clock goes a day forward in that second: the sweep takes what is not there yet for missed."""
        payment, take = self.accept(account, "spt_ok", cards), Stripe.settle

        def swept_meanwhile(*of: Any, **named: Any) -> str:
            assert sweep.run(now=NOW + timedelta(days=1)) == {"failed": 1}
            return take(*of, **named)

        monkeypatch.setattr(Stripe, "settle", swept_meanwhile)
        receipt = json.loads(challenge.decode(checkout.settle(payment, now=NOW)))
        assert (receipt["reference"], payment.state) == ("pi_1", "paid")
        assert selectors.get_balance(account.pk).available == 3140 + 31_400

    def test_whose_answer_was_lost_stays_open_while_the_provider_does_not_take_our_key(
        self, account: Account, cards: stubs.CardProvider, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Money moved, the answer was lost, and the key was rolled before the sweep: that proves nothing."""
        payment = self.accept(account, "spt_ok", cards)
        cards.mood = "lost"
        word_of(lambda: checkout.settle(payment, now=NOW))
        cards.mood = "locked"
        assert sweep.run(now=NOW + timedelta(hours=20)) == {"unknown": 1}
        assert "does not take our key" in caplog.text
        payment.refresh_from_db()
        assert payment.proof == {"spt": "spt_ok"}
        cards.mood = ""
        assert sweep.run(now=NOW + timedelta(hours=21)) == {"paid": 1}
        assert selectors.get_balance(account.pk).available == 3140 + 31_400


class TestAPaymentThatHasEnded:
    """Whatever is found of it later, by a clock or a second process."""

    def make(self, account: Account | None, **more: Any) -> Payment:
        how: dict[str, Any] = {"method": "tempo", "purpose": "topup", "amount": 31_400, "state": "settling"} | more
        name = f"c{Payment.objects.count()}"
        return Payment.objects.create(account=account, challenge_id=name, proof_hash=name, created_at=NOW, **how)

    def test_keeps_its_reference_and_its_moment_and_is_booked_once(self, account: Account) -> None:
        payment = self.make(account)
        for reference, now in (("0xa", NOW), ("0xb", NOW + timedelta(hours=1))):
            booking.complete(payment, reference=reference, now=now)
        assert (payment.state, payment.reference, payment.ended_at) == ("paid", "0xa", NOW)
        assert LedgerEntry.objects.filter(kind="deposit", account=account).count() == 1

    def test_is_never_paid_once_it_was_let_go_before_any_money_was_asked_for(self, account: Account) -> None:
        payment = self.make(account, state="abandoned", ended_at=NOW)
        booking.complete(payment, reference="0xa", now=NOW)
        assert (payment.state, payment.reference) == ("abandoned", "")
        assert not LedgerEntry.objects.filter(kind="deposit", account=account).exists()

    def test_is_neither_failed_nor_doubted_afterwards(self, account: Account) -> None:
        payment, other = self.make(account), self.make(account, state="accepted")
        booking.complete(payment, reference="0xa", now=NOW)
        booking.doubt(payment, detail="a reply was lost")
        assert payment.state == "paid"
        booking.doubt(self.make(account), detail="a reply was lost")
        other.refresh_from_db()
        assert other.state == "accepted"
        booking.end(payment, state="failed", detail="given up", now=NOW)
        assert (payment.state, payment.detail) == ("paid", "")

    def test_is_not_let_go_while_its_money_is_moving(self, account: Account) -> None:
        payment = self.make(account)
        checkout.abandon(payment, reason="not_found", now=NOW)
        assert (payment.state, payment.ended_at) == ("settling", None)

    def test_stays_open_where_it_could_not_be_booked(self, account: Account) -> None:
        payment = self.make(account)
        of_another = {"idempotency_key": f"payment:{payment.pk}", "source": "card", "now": NOW}
        ledger.deposit(account_id=account.pk, amount=1, **of_another)
        with pytest.raises(ledger.IdempotencyConflict):
            booking.complete(payment, reference="0xa", now=NOW)
        payment.refresh_from_db()
        assert (payment.state, payment.reference) == ("settling", "")

    def test_is_delivered_once_also_after_it_was_taken_back(self) -> None:
        payment, other = (self.make(None, purpose="lookup") for _ in range(2))
        for one in (payment, other):
            booking.complete(one, reference=f"0x{one.pk}", now=NOW)
        for later in (timedelta(), timedelta(hours=1)):
            booking.deliver(payment, now=NOW + later)
        assert list(Payment.objects.order_by("pk").values_list("delivered_at", flat=True)) == [NOW, None]
        Payment.objects.update(taken_back=payment.amount)
        booking.deliver(payment, now=NOW)
        assert LedgerEntry.objects.filter(kind="charge").count() == 1
        with pytest.raises(ledger.InsufficientFunds):
            booking.deliver(other, now=NOW)

    @pytest.mark.parametrize("how", [{"state": "settling"}, {"is_sandbox": True}], ids=["not paid yet", "pretended"])
    def test_is_sold_out_of_no_other_payments_money(self, how: dict[str, Any]) -> None:
        booking.complete(self.make(None, purpose="lookup"), reference="0xa", now=NOW)
        payment = self.make(None, purpose="lookup", **how)
        if payment.is_sandbox:
            booking.complete(payment, reference="0xb", now=NOW)
        booking.deliver(payment, now=NOW)
        payment.refresh_from_db()
        assert (payment.delivered_at == NOW) == payment.is_sandbox
        assert not LedgerEntry.objects.filter(kind="charge").exists()


@pytest.mark.usefixtures("pretended")
class TestAForgottenPayment:
    def test_is_let_go_after_a_quarter_of_an_hour(self) -> None:
        credential = answer(ask(), {"token": "sandbox_paid"})
        payment = checkout.accept(LOOKUP, credential=credential, now=NOW)
        assert sweep.run(now=NOW + timedelta(minutes=14)) == {}
        assert sweep.run(now=NOW + timedelta(minutes=16)) == {"abandoned": 1}
        payment.refresh_from_db()
        assert payment.proof is None

    def test_is_looked_for_once_its_money_can_no_longer_be_on_its_way(self, account: Account) -> None:
        moving: dict[str, Any] = {"method": "tempo", "purpose": "topup", "amount": 1, "state": "settling"}
        Payment.objects.create(
            account=account, challenge_id="c", proof_hash="p", created_at=NOW, settling_at=NOW, **moving
        )
        assert sweep.run(now=NOW + timedelta(minutes=1)) == {}
        assert sweep.run(now=NOW + timedelta(minutes=2)) == {"settling": 1}
