"""A lookup without a key: it says what it costs, and answers who pays."""

from __future__ import annotations

import base64
import json
import re
from contextlib import nullcontext
from typing import Any

import pytest
from django.test import Client

from billing import money, prices
from billing.models import LedgerEntry, Payment
from jurisdictions import services
from lookups.lookup import handover
from lookups.models import Entity, Lookup
from scrapers.sandbox.magic import DEMO_QUESTION, MAGIC
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db


@pytest.fixture
def pretended_payments(settings: Any, switches: None) -> None:
    """An installation that pretends payments."""
    settings.SANDBOX_PAYMENTS = True


def post(body: Any, **headers: str) -> Any:
    """A lookup without a key."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Client(raise_request_exception=False).post(
        "/v1/lookup", raw, content_type="application/json", headers=headers
    )


def credential(reply: Any, token: str = "sandbox_paid") -> str:
    """What a client makes of the challenge."""
    offered = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', reply["WWW-Authenticate"]))
    offered.pop("description", None)
    return write({"challenge": offered, "payload": {"token": token}})


def write(content: dict[str, Any]) -> str:
    """A credential that says this."""
    return "Payment " + base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def read(value: str) -> dict[str, Any]:
    """What a credential says."""
    token = value.removeprefix("Payment ")
    content: dict[str, Any] = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    return content


def assert_malformed(reply: Any) -> None:
    """Told to be no credential; nothing was claimed."""
    assert (reply.status_code, reply["Content-Type"]) == (402, "application/problem+json")
    assert reply.json()["type"].endswith("/malformed-credential")
    assert not Payment.objects.exists()


def pay(body: dict[str, Any], token: str = "sandbox_paid", **headers: str) -> Any:
    """Ask, and come back with the money."""
    return post(body, authorization=credential(post(body), token), **headers)


class TestWithoutAKey:
    """No key and no payment."""

    def test_is_a_401_where_nothing_can_be_paid(self, switches: None) -> None:
        assert_error(post(DEMO_QUESTION), 401, "unauthorized", "Missing or invalid API key")

    def test_is_a_402_with_a_challenge_where_something_can(self, pretended_payments: None) -> None:
        reply = post(DEMO_QUESTION)
        assert reply.status_code == 402
        assert reply["Content-Type"] == "application/problem+json"
        assert reply["Cache-Control"] == "no-store"
        assert reply["WWW-Authenticate"].startswith("Payment ")
        assert 'description="Business entity or UCC filing lookup"' in reply["WWW-Authenticate"]
        told = reply.json()
        assert set(told) == {"type", "title", "status", "detail", "challengeId"}
        assert (told["status"], told["challengeId"] in reply["WWW-Authenticate"]) == (402, True)
        assert "0.0314" in told["detail"]

    def test_is_a_401_for_a_wrong_key_even_so(self, pretended_payments: None) -> None:
        for headers in (
            {"x-api-key": "osd_wrong"},
            {"authorization": "Bearer osd_wrong"},
            {"authorization": "Basic eA=="},
        ):
            assert_error(post(DEMO_QUESTION, **headers), 401, "unauthorized")

    def test_with_an_unfit_idempotency_key_is_a_400_before_any_challenge(self, pretended_payments: None) -> None:
        assert_error(post(DEMO_QUESTION, idempotency_key="x" * 256), 400, "invalid_request")

    @pytest.mark.parametrize(
        "body", [b"", b"{broken", {}, {"entity_name": "x", "state": "DE"}, {**DEMO_QUESTION, "search_type": "liens"}]
    )
    def test_is_a_400_before_any_challenge_when_it_does_not_fit(self, pretended_payments: None, body: Any) -> None:
        reply = post(body)
        assert assert_error(reply, 400, "invalid_request")["details"]
        assert "WWW-Authenticate" not in reply

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ({"entity_name": "Acme Corp", "state": "AS"}, "unsupported_state"),
            ({"entity_name": "Acme Corp", "state": "NY", "searchType": "ucc"}, "unsupported_state"),
            ({"entity_id": "no number", "state": "NY"}, "invalid_request"),
        ],
        ids=["no registry", "no liens", "no identifier"],
    )
    def test_is_a_400_before_any_challenge_when_no_registry_takes_it(
        self, switches: None, settings: Any, body: Any, code: str
    ) -> None:
        """No wallet signs a payment for what could never be answered."""
        settings.TEMPO_RECIPIENT, settings.TEMPO_RPC_URL = "0x" + "7" * 40, "http://127.0.0.1:9"
        assert post({"entity_name": "Acme Corp", "state": "NY"}).status_code == 402
        reply = post(body)
        assert assert_error(reply, 400, code)["details"]
        assert "WWW-Authenticate" not in reply

    def test_is_a_503_before_any_challenge_where_its_state_is_switched_off(self, switches: None, settings: Any) -> None:
        settings.TEMPO_RECIPIENT, settings.TEMPO_RPC_URL = "0x" + "7" * 40, "http://127.0.0.1:9"
        services.disable(code="NY", reason="Its portal is being rebuilt.")
        reply = post({"entity_name": "Acme Corp", "state": "NY"})
        body = assert_error(reply, 503, "source_unavailable")
        told = (body["reason"], body["state"], body["note"], body["retryable"])
        assert told == ("disabled", "NY", "Its portal is being rebuilt.", False)
        assert "WWW-Authenticate" not in reply
        stored = post({"entity_name": "Acme Corp", "state": "NY", "source": "cache"})
        assert stored.status_code == 402, "what was read before may do"

    def test_is_a_413_for_too_much(self, pretended_payments: None) -> None:
        assert_error(post(b"x" * 70_000), 413, "payload_too_large")

    def test_is_a_401_over_plain_http_where_only_tls_is_safe(self, pretended_payments: None, settings: Any) -> None:
        settings.PAYMENT_REQUIRES_TLS = True
        assert_error(post(DEMO_QUESTION), 401, "unauthorized")
        raw = json.dumps(DEMO_QUESTION)
        assert Client().post("/v1/lookup", raw, content_type="application/json", secure=True).status_code == 402

    def test_is_still_a_401_elsewhere(self, pretended_payments: None) -> None:
        assert_error(Client().get("/v1/account/balance"), 401, "unauthorized")


class TestAPaidLookup:
    """The client comes back with a credential."""

    def test_is_answered_with_a_receipt(self, pretended_payments: None) -> None:
        reply = pay(DEMO_QUESTION)
        assert reply.status_code == 200, reply.content
        assert reply["Payment-Receipt"]
        assert reply["Cache-Control"] == "private"
        body = reply.json()
        assert body["data"]["entityName"] == "BLUE HERON LOGISTICS LLC"
        assert (body["cost"], body["walletBalance"], body["lookupsRemaining"]) == (0.0314, None, None)
        row = Lookup.objects.get()
        assert row.payment is not None
        assert (row.account, row.payment.state, row.sandbox) == (None, "paid", True)
        assert Entity.objects.get().sandbox
        assert LedgerEntry.objects.count() == 0

    def test_survives_the_rotation_of_the_secret_in_between(self, pretended_payments: None, settings: Any) -> None:
        settings.PAYMENT_SECRET = "first-" + "x" * 32
        proofs = [credential(post(DEMO_QUESTION)) for _ in range(2)]
        settings.PAYMENT_SECRET, settings.PAYMENT_SECRET_PREVIOUS = "second-" + "x" * 32, settings.PAYMENT_SECRET
        assert post(DEMO_QUESTION, authorization=proofs[0]).status_code == 200
        settings.PAYMENT_SECRET_PREVIOUS = ""
        assert post(DEMO_QUESTION, authorization=proofs[1]).json()["type"].endswith("invalid-challenge")

    def test_that_finds_nothing_is_free(self, pretended_payments: None) -> None:
        reply = pay({"entity_name": "Nobody Knows This", "state": "DE"})
        assert_error(reply, 404, "entity_not_found", "Entity not found")
        assert "Payment-Receipt" not in reply
        assert Payment.objects.get().state == "abandoned"

    @pytest.mark.parametrize("name", ["portal_down", "blocked", "page_changed"])
    def test_that_nobody_answers_is_free(self, pretended_payments: None, name: Any) -> None:
        assert pay({"entity_name": MAGIC[name], "state": "DE"}).status_code == 503
        assert Payment.objects.get().state == "abandoned"

    def test_with_a_bad_body_is_a_400_before_the_payment_is_looked_at(self, pretended_payments: None) -> None:
        proof = credential(post(DEMO_QUESTION))
        assert_error(post({"entity_name": "x"}, authorization=proof), 400, "invalid_request")
        assert Payment.objects.count() == 0

    def test_is_given_again_for_the_same_credential(self, pretended_payments: None) -> None:
        proof = credential(post(DEMO_QUESTION))
        first, again = (post(DEMO_QUESTION, authorization=proof) for _ in range(2))
        assert (first.status_code, again.status_code, again.json()) == (200, 200, first.json())
        assert again["Payment-Receipt"] == first["Payment-Receipt"]
        assert Lookup.objects.count() == 1

    def test_cannot_be_paid_with_a_challenge_for_another_body(self, pretended_payments: None) -> None:
        proof = credential(post(DEMO_QUESTION))
        assert post({**DEMO_QUESTION, "state": "NY"}, authorization=proof).status_code == 402
        assert Lookup.objects.count() == 0

    @pytest.mark.parametrize(
        ("token", "status", "state"), [("sandbox_declined", 402, "failed"), ("sandbox_unknown", 503, "unknown")]
    )
    def test_whose_payment_fails_in_the_end_is_not_delivered(
        self, pretended_payments: None, token: str, status: int, state: str
    ) -> None:
        reply = pay(DEMO_QUESTION, token)
        assert reply.status_code == status
        assert reply["Content-Type"] == "application/problem+json"
        assert "data" not in reply.json()
        assert ("WWW-Authenticate" in reply) == (status == 402)
        assert Payment.objects.get().state == state
        assert not Entity.objects.exists()

    def test_that_finds_every_place_taken_is_paid_by_the_same_credential_a_moment_later(
        self, pretended_payments: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As the 429 says: nobody was asked for anything, and the payment has not moved."""
        paid = credential(post(DEMO_QUESTION))
        with monkeypatch.context() as busy:
            busy.setattr(handover, "seat", lambda: nullcontext(False))
            assert_error(post(DEMO_QUESTION, authorization=paid), 429, "rate_limited")
        assert not Payment.objects.exists()
        assert post(DEMO_QUESTION, authorization=paid).status_code == 200
        assert Payment.objects.get().state == "paid"

    def test_that_crashes_leaves_the_money_where_it_is(
        self, pretended_payments: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        proof = credential(post(DEMO_QUESTION))
        monkeypatch.setattr("lookups.lookup.flow.gateway.fetch", lambda *a, **k: 1 / 0)
        assert post(DEMO_QUESTION, authorization=proof).status_code == 500
        assert Payment.objects.get().state == "abandoned"

    @pytest.mark.parametrize(
        "value", ["Payment", "Payment x", "Payment !!!", "Payment a, Payment b", "Payment " + "x" * 7000]
    )
    def test_with_nonsense_for_a_credential_is_reported_so(self, pretended_payments: None, value: str) -> None:
        reply = post(DEMO_QUESTION, authorization=value)
        assert reply.status_code in (400, 402)
        assert reply["Content-Type"] == "application/problem+json"
        assert reply["X-Request-Id"]

    @pytest.mark.parametrize("sign", ["\0", "\ud800"], ids=["NUL", "half a character"])
    @pytest.mark.parametrize("place", ["id", "source", "token"])
    def test_with_a_credential_that_cannot_be_stored_is_reported_so(
        self, pretended_payments: None, sign: str, place: str
    ) -> None:
        content = read(credential(post(DEMO_QUESTION)))
        inside = {"id": content["challenge"], "source": content, "token": content["payload"]}[place]
        inside[place] = f"{inside.get(place, '')}{sign}"
        assert_malformed(post(DEMO_QUESTION, authorization=write(content)))

    def test_with_a_deep_credential_is_reported_so(self, pretended_payments: None) -> None:
        content = read(credential(post(DEMO_QUESTION)))
        content["payload"]["deep"] = json.loads("[" * 200 + "]" * 200)
        assert_malformed(post(DEMO_QUESTION, authorization=write(content)))  # near 900 the hash spent the stack

    def test_may_be_asked_again_from_what_is_stored(self, pretended_payments: None) -> None:
        pay(DEMO_QUESTION)
        assert pay({**DEMO_QUESTION, "source": "cache"}).json()["source"] == "cache"

    @pytest.mark.parametrize("price", [100, 9 * 314])
    def test_pays_what_the_reply_says_where_stored_answers_have_another_price(
        self, pretended_payments: None, monkeypatch: pytest.MonkeyPatch, price: int
    ) -> None:
        """A challenge names one price, which is a live answer's: no other one can be moved for it."""
        monkeypatch.setattr(prices, "STORED", price)
        pay(DEMO_QUESTION)
        reply = pay({**DEMO_QUESTION, "source": "cache"})
        assert (reply.status_code, reply.json()["source"]) == (200, "live")
        told, payment = reply.json()["cost"], Payment.objects.latest("pk")
        assert (payment.state, payment.amount) == ("paid", prices.LOOKUP)
        assert told == money.to_json_number(payment.amount)
