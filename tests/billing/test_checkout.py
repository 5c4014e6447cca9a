"""A request that pays for itself: asked, accepted, settled once or let go, on each method and on each bad day."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from billing import challenge, prices, reconciliation, selectors
from billing.challenge import PaymentProblem
from billing.models import Account, LedgerEntry, Payment
from billing.payments import checkout, sweep, transactions
from billing.payments.checkout import Demand, Purchase
from tests.billing import stubs
from tests.billing.conftest import NOW, in_parallel
from tests.billing.test_transactions import TOKEN, US, signed

BODY = b'{"entity_name":"Acme LLC","state":"DE"}'
LOOKUP = Purchase("lookup", prices.LOOKUP, "POST /v1/lookup", BODY, "Business entity or UCC filing lookup")
pytestmark = pytest.mark.django_db(transaction=True)  # settling wants to be outside any transaction


def offers_in(demand: Demand) -> list[dict[str, str]]:
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
def node(settings: Any) -> Iterator[stubs.Node]:
    made = stubs.Node()
    with stubs.serve(made.answer) as url:
        settings.TEMPO_RPC_URL, settings.TEMPO_RECIPIENT, settings.TEMPO_CURRENCY = url, US, TOKEN
        yield made


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
        assert demand.status == 500
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

    def test_is_good_for_one_delivery(self) -> None:
        offer = ask()
        checkout.settle(self.accept(offer=offer), now=NOW)
        assert word_of(lambda: self.accept(offer=offer)) == "invalid-challenge"

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

        def settle(_: int) -> str:
            try:
                checkout.settle(Payment.objects.get(pk=payment.pk), now=NOW)
            except PaymentProblem as problem:
                return problem.word
            return "paid"

        assert in_parallel(settle, 16, threads=8).count("paid") == 1

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
        assert (problem.value.status, problem.value.may_offer) == (500, False)
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


class TestATempoPayment:
    def accept(self, raw: bytes | None = None, *, now: Any = NOW, **changed: Any) -> Payment:
        payload = {"type": "transaction", "signature": "0x" + (raw or signed(**changed)).hex()}
        return checkout.accept(LOOKUP, credential=answer(ask(), payload), now=now)

    def test_is_broadcast_only_when_there_is_something_to_deliver(self, node: stubs.Node) -> None:
        payment = self.accept()
        assert node.broadcasts == []
        receipt = json.loads(challenge.decode(checkout.settle(payment, now=NOW)))
        assert node.broadcasts == [receipt["reference"]]
        assert payment.state == "paid"

    def test_for_nothing_found_is_never_broadcast(self, node: stubs.Node) -> None:
        checkout.abandon(self.accept(), reason="not_found", now=NOW)
        assert node.broadcasts == []

    def test_is_booked_in_and_out(self, node: stubs.Node) -> None:
        checkout.settle(self.accept(), now=NOW)
        account = Account.objects.get(role="pay_per_request")
        assert selectors.get_balance(account.pk) == selectors.Balance(available=0, held=0, spent=314, deposited=314)
        checkout.settle(self.accept(nonce=1), now=NOW)
        assert selectors.get_balance(account.pk).spent == 628
        assert reconciliation.run(now=NOW).mismatches == []

    @pytest.mark.parametrize(
        ("changed", "word"),
        [
            ({"chain_id": 1}, "verification-failed"),
            ({"data": bytes.fromhex("a9059cbb" + "00" * 12 + "11" * 20 + f"{31_400:064x}")}, "verification-failed"),
            ({"data": bytes.fromhex("a9059cbb" + "00" * 12 + US[2:] + f"{31_399:064x}")}, "payment-insufficient"),
            ({"data": bytes.fromhex("a9059cbb" + "00" * 12 + US[2:] + f"{31_401:064x}")}, "verification-failed"),
            ({"valid_before": int(NOW.timestamp()) + 2}, "verification-failed"),
            ({"valid_after": int(NOW.timestamp()) + 2}, "verification-failed"),
            ({"data": b""}, "invalid-payload"),
        ],
    )
    def test_that_does_not_pay_us_the_price_is_refused_before_any_work(
        self, node: stubs.Node, changed: dict[str, Any], word: str
    ) -> None:
        assert word_of(lambda: self.accept(**changed)) == word
        assert not Payment.objects.exists()

    @pytest.mark.parametrize(
        "payload",
        [
            {"type": "hash", "hash": "0x00"},
            {"type": "transaction"},
            {"type": "transaction", "signature": "0xzz"},
            {"type": "transaction", "signature": "76"},
            {"type": "transaction", "signature": "0x" + "7" * 40_001},
        ],
    )
    def test_in_another_form_is_refused(self, node: stubs.Node, payload: dict[str, Any]) -> None:
        action = lambda: checkout.accept(LOOKUP, credential=answer(ask(), payload), now=NOW)  # noqa: E731
        assert word_of(action) in ("invalid-payload", "malformed-credential")

    def test_presented_for_two_challenges_is_accepted_once(self, node: stubs.Node) -> None:
        raw = signed()
        checkout.settle(self.accept(raw), now=NOW)
        assert word_of(lambda: self.accept(raw)) == "invalid-challenge"

    @pytest.mark.parametrize("mood", ["refused", "failed"])
    def test_refused_by_the_chain_may_be_paid_again(self, node: stubs.Node, mood: str) -> None:
        node.mood = mood
        payment = self.accept()
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "verification-failed"
        assert payment.state == "failed"
        assert not LedgerEntry.objects.exists()

    @pytest.mark.parametrize("mood", ["slow", "known", "broken", "silent", "elsewhere"])
    def test_whose_fate_is_open_is_never_asked_for_again(self, node: stubs.Node, mood: str) -> None:
        node.mood = mood
        payment = self.accept()
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        assert payment.state == "unknown"

    def test_the_chain_has_already_counts(self, node: stubs.Node) -> None:
        raw = signed()
        payment = self.accept(raw)
        node.include(transactions.read(raw))
        node.mood = "known"
        checkout.settle(payment, now=NOW)
        assert payment.state == "paid"

    def test_found_later_by_the_sweep_is_booked_then(self, node: stubs.Node) -> None:
        raw = signed(valid_before=int(NOW.timestamp()) + 60)
        payment = self.accept(raw)
        node.mood = "slow"
        word_of(lambda: checkout.settle(payment, now=NOW))
        assert sweep.run(now=NOW) == {"unknown": 1}
        node.mood = "included"
        node.include(transactions.read(raw))
        assert sweep.run(now=NOW) == {"paid": 1}
        assert LedgerEntry.objects.filter(kind="charge", amount=314).count() == 1

    def test_that_never_reached_the_chain_ends_with_its_validity(self, node: stubs.Node) -> None:
        payment = self.accept(valid_before=int(NOW.timestamp()) + 60)
        node.mood = "silent"
        word_of(lambda: checkout.settle(payment, now=NOW))
        assert sweep.run(now=NOW + timedelta(minutes=4)) == {"failed": 1}


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

    def test_of_unknown_outcome_is_found_out_under_the_same_idempotency_key(
        self, account: Account, cards: stubs.CardProvider
    ) -> None:
        payment = self.accept(account, "spt_ok", cards)
        cards.mood = "down"
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        assert sweep.run(now=NOW) == {"unknown": 1}
        cards.mood = ""
        assert sweep.run(now=NOW) == {"paid": 1}
        assert selectors.get_balance(account.pk).available == 3140 + 31_400
        assert len(cards.seen) == 1

    @pytest.mark.parametrize(("mood", "state", "credit"), [("lost", "paid", 31_400), ("down", "failed", 0)])
    def test_of_unknown_outcome_is_searched_and_not_sent_again_once_the_key_is_forgotten(
        self, account: Account, cards: stubs.CardProvider, mood: str, state: str, credit: int
    ) -> None:
        payment = self.accept(account, "spt_ok", cards)
        cards.mood = mood
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        cards.mood, cards.seen = "", {}
        assert sweep.run(now=NOW + timedelta(hours=24)) == {state: 1}
        assert selectors.get_balance(account.pk).available == 3140 + credit
        assert len(cards.intents) == (mood == "lost")


@pytest.mark.usefixtures("pretended")
class TestAForgottenPayment:
    def test_is_let_go_after_a_quarter_of_an_hour(self) -> None:
        credential = answer(ask(), {"token": "sandbox_paid"})
        payment = checkout.accept(LOOKUP, credential=credential, now=NOW)
        assert sweep.run(now=NOW + timedelta(minutes=14)) == {}
        assert sweep.run(now=NOW + timedelta(minutes=16)) == {"abandoned": 1}
        payment.refresh_from_db()
        assert payment.proof is None
