"""Buying credit: by API, by an agent's challenge, from the plain page, and what the card provider tells us."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import stripe
from django.test import Client
from django.utils import timezone

from billing import keys, selectors
from billing.models import LedgerEntry, Payment, ProviderEvent, TopUp
from tests.billing import stubs
from tests.lookups.conftest import Customer
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "whsec_test"


@pytest.fixture(name="cards")
def cards_of_a_provider(settings: Any) -> Iterator[stubs.CardProvider]:
    """A card provider on a loopback socket."""
    provider = stubs.CardProvider()
    with stubs.serve(provider.answer) as url:
        settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = "sk_test_pretended", url
        settings.STRIPE_WEBHOOK_SECRET, settings.STRIPE_NETWORK_ID = SECRET, "profile_test_1"
        yield provider


def notified(event_id: str, session: str, *, cents: int = 314, secret: str = SECRET, **changed: Any) -> Any:
    """A signed message of the provider: a card page was paid."""
    paid = {
        "id": session,
        "object": "checkout.session",
        "payment_status": "paid",
        "amount_total": cents,
        "currency": "usd",
        "payment_intent": "pi_1",
        **changed,
    }
    body = json.dumps(
        {"id": event_id, "object": "event", "type": "checkout.session.completed", "data": {"object": paid}}
    )
    signature = stripe.WebhookSignature.generate_signature_header(body, secret)  # type: ignore[no-untyped-call]
    return tell(body.encode(), signature)


def tell(body: bytes, signature: str) -> Any:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    return client.post(
        "/webhooks/stripe", body, content_type="application/json", headers={"stripe-signature": signature}
    )


class TestATopUpByApi:
    """POST /v1/account/topup."""

    def test_names_the_card_page_and_credits_when_it_is_paid(self, customer: Customer, cards: Any) -> None:
        reply = customer.post("/v1/account/topup", {"amount": 3.14})
        assert reply.status_code == 200, reply.content
        body = reply.json()
        assert body["checkoutUrl"].startswith("https://pay.example.test/")
        assert (body["status"], body["amountStored"], body["lookups"]) == ("created", 31_400, 100)
        assert (body["balanceStored"], body["lookupsRemaining"]) == (3140, 10)
        form = cards.forms[0]
        assert form["line_items[0][price_data][unit_amount]"] == "314"
        assert form["success_url"].endswith("/topup/done/")
        session = TopUp.objects.get().session_id
        assert session
        assert notified("evt_1", session).json() == {"outcome": "credited"}
        assert customer.get("/v1/account/balance").json()["balanceStored"] == 3140 + 31_400

    @pytest.mark.parametrize("amount", [0.49, 0, -1, 10_000.01, 3.141, "a lot", None, True, [1], 1e400, 0.314])
    def test_of_an_amount_that_is_not_sold_is_a_400(self, customer: Customer, cards: Any, amount: Any) -> None:
        raw = json.dumps({"amount": amount}).replace("Infinity", "1e400")
        assert_error(customer.post("/v1/account/topup", raw), 400, "invalid_request")
        assert cards.forms == []

    def test_without_cards_says_so(self, customer: Customer) -> None:
        reply = customer.post("/v1/account/topup", {"amount": 3.14})
        assert_error(reply, 503, "payment_unavailable")
        assert "granted by its staff" in reply.json()["error"]
        assert not reply.json()["retryable"]
        challenge = customer.post("/v1/account/topup", {"amount": 3.14, "payBy": "challenge"})
        assert_error(challenge, 503, "payment_unavailable")

    def test_may_be_tried_again_when_the_provider_is_away(self, customer: Customer, cards: Any) -> None:
        cards.mood = "down"
        reply = customer.post("/v1/account/topup", {"amount": 3.14})
        assert_error(reply, 503, "payment_unavailable")
        assert (reply.json()["retryable"], reply["Retry-After"]) == (True, "30")

    def test_needs_a_live_key_with_the_right_to_its_account(
        self, customer: Customer, tester: Customer, cards: Any
    ) -> None:
        assert_error(tester.post("/v1/account/topup", {"amount": 3.14}), 403, "forbidden")
        reply = Client().post("/v1/account/topup", {"amount": 3.14}, content_type="application/json")
        assert_error(reply, 401, "unauthorized")
        type(customer.key).objects.update(scopes=["lookup"])
        assert_error(customer.post("/v1/account/topup", {"amount": 3.14}), 403, "forbidden")
        assert cards.forms == []


class TestATopUpByChallenge:
    """An agent with a payment token."""

    BODY = {"amount": 3.14, "payBy": "challenge"}

    def credential(self, reply: Any, token: str) -> str:
        offered = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', reply["WWW-Authenticate"]))
        offered.pop("description", None)
        content = json.dumps({"challenge": offered, "payload": {"spt": token}})
        return "Payment " + base64.urlsafe_b64encode(content.encode()).rstrip(b"=").decode()

    def pay(self, customer: Customer, token: str) -> Any:
        asked = customer.post("/v1/account/topup", self.BODY)
        assert asked.status_code == 402, asked.content
        assert 'method="stripe"' in asked["WWW-Authenticate"]
        assert asked.json()["detail"].startswith("3.1400 USD")
        return customer.post("/v1/account/topup", self.BODY, authorization=self.credential(asked, token))

    def test_credits_the_keys_account_and_gives_a_receipt(self, customer: Customer, cards: Any) -> None:
        reply = self.pay(customer, "spt_ok")
        assert reply.status_code == 200, reply.content
        assert reply["Payment-Receipt"]
        assert (reply.json()["status"], reply.json()["balanceStored"]) == ("paid", 3140 + 31_400)
        assert cards.forms[0]["amount"] == "314"
        newest = customer.get("/v1/account/usage").json()["entries"][0]
        assert (newest["kind"], newest["requestId"]) == ("deposit", reply["X-Request-Id"])

    def test_is_not_credited_twice_for_one_payment(self, customer: Customer, cards: Any) -> None:
        asked = customer.post("/v1/account/topup", self.BODY)
        proof = self.credential(asked, "spt_ok")
        replies = [customer.post("/v1/account/topup", self.BODY, authorization=proof) for _ in range(2)]
        assert [reply.status_code for reply in replies] == [200, 200]
        assert replies[0]["Payment-Receipt"] == replies[1]["Payment-Receipt"]
        assert (customer.balance.available, len(cards.intents)) == (3140 + 31_400, 1)

    def test_begun_anew_under_its_idempotency_key_charges_the_card_once(self, customer: Customer, cards: Any) -> None:
        """The first reply was lost, and the agent has begun from the beginning, with a new token."""
        word = {"idempotency_key": "order-17"}
        replies = []
        for token in ("spt_ok", "spt_ok_again"):
            asked = customer.post("/v1/account/topup", self.BODY, **word)
            proof = self.credential(asked, token)
            replies.append(customer.post("/v1/account/topup", self.BODY, authorization=proof, **word))
        assert [reply.status_code for reply in replies] == [200, 200]
        assert replies[0]["Payment-Receipt"] == replies[1]["Payment-Receipt"]
        assert (customer.balance.available, len(cards.intents)) == (3140 + 31_400, 1)
        larger = {**self.BODY, "amount": 31.40}
        proof = self.credential(customer.post("/v1/account/topup", larger, **word), "spt_ok_larger")
        assert customer.post("/v1/account/topup", larger, authorization=proof, **word).status_code == 409
        assert len(cards.intents) == 1

    def test_for_another_amount_is_refused(self, customer: Customer, cards: Any) -> None:
        proof = self.credential(customer.post("/v1/account/topup", self.BODY), "spt_ok")
        reply = customer.post("/v1/account/topup", {**self.BODY, "amount": 314}, authorization=proof)
        assert reply.status_code == 402
        assert reply.json()["type"].endswith("invalid-challenge")
        assert cards.forms == []

    def test_that_is_declined_credits_nothing(self, customer: Customer, cards: Any) -> None:
        reply = self.pay(customer, "spt_declined")
        assert (reply.status_code, "Payment-Receipt" in reply) == (402, False)
        assert customer.balance.available == 3140

    def test_of_unknown_outcome_invites_no_second_payment(self, customer: Customer, cards: Any) -> None:
        asked = customer.post("/v1/account/topup", self.BODY)
        cards.mood = "down"
        reply = customer.post("/v1/account/topup", self.BODY, authorization=self.credential(asked, "spt_ok"))
        assert (reply.status_code, "WWW-Authenticate" in reply) == (503, False)
        assert Payment.objects.get().state == "unknown"


class TestTheProvidersMessage:
    """POST /webhooks/stripe."""

    @pytest.fixture
    def session(self, customer: Customer, cards: Any) -> str:
        """A card page that was started."""
        customer.post("/v1/account/topup", {"amount": 3.14})
        return str(TopUp.objects.get().session_id)

    def test_is_taken_once(self, session: str, customer: Customer) -> None:
        replies = [notified("evt_1", session), notified("evt_1", session), notified("evt_2", session)]
        assert [(reply.status_code, reply.json()["outcome"]) for reply in replies] == [
            (200, "credited"),
            (200, "repeated"),
            (200, "credited before"),
        ]
        assert LedgerEntry.objects.filter(kind="deposit").count() == 1

    def test_of_many_at_once_credits_once(self, session: str, customer: Customer, at_once: Any) -> None:
        replies = at_once(*[lambda number=number: notified(f"evt_{number}", session) for number in range(6)])
        assert {reply.status_code for reply in replies} == {200}
        assert customer.balance.available == 3140 + 31_400

    @pytest.mark.parametrize("signature", ["", "t=1,v1=00", "nonsense", "t=x"])
    def test_that_is_not_signed_is_a_400(self, session: str, signature: str) -> None:
        assert tell(b'{"id": "evt_1"}', signature).status_code == 400
        assert tell(b"\xff\xfe", signature).status_code == 400
        assert notified("evt_1", session, secret="whsec_other").status_code == 400
        assert ProviderEvent.objects.count() == 0

    def test_of_another_amount_credits_nobody(self, session: str, customer: Customer) -> None:
        assert notified("evt_1", session, cents=999_999).json() == {"outcome": "amount differs"}
        assert customer.balance.available == 3140

    def test_is_a_404_where_cards_are_not_configured(self, db: None) -> None:
        assert tell(b"{}", "").status_code == 404

    def test_is_never_read_from_a_get(self, db: None) -> None:
        assert Client().get("/webhooks/stripe").status_code == 405


class TestThePageForPeople:
    """/pricing/."""

    def test_tells_prices_and_that_there_are_no_cards(self, db: None) -> None:
        reply = Client().get("/pricing/")
        html = reply.content.decode()
        assert (reply.status_code, "<form" in html) == (200, False)
        assert "0.0314 USD" in html
        assert "Cards are not configured on this installation" in html

    def test_leads_to_the_balance_where_there_are(self, cards: Any) -> None:
        assert 'href="/app/balance/"' in Client().get("/pricing/").content.decode()

    def test_takes_no_key(self, customer: Customer, cards: Any) -> None:
        reply = Client().post("/pricing/", {"key": customer.secret, "amount": "3.14"})
        assert (reply.status_code, reply["Allow"], TopUp.objects.count()) == (405, "GET, HEAD", 0)

    @pytest.mark.parametrize(("path", "text"), [("done", "card provider confirms"), ("cancelled", "Nothing was paid")])
    def test_has_places_to_come_back_to(self, db: None, path: str, text: str) -> None:
        assert text in Client().get(f"/topup/{path}/").content.decode()


class TestStaffsGrant:
    """Without cards."""

    def test_still_works(self, customer: Customer) -> None:
        from billing import ledger

        ledger.deposit(
            account_id=customer.account.pk,
            amount=31_400,
            idempotency_key="grant",
            source="staff",
            operator="dana",
            reason="goodwill",
            now=timezone.now(),
        )
        assert selectors.get_balance(customer.account.pk).available == 3140 + 31_400
        assert keys.verify(secret=customer.secret, now=timezone.now()).account.available == 3140 + 31_400
