"""A client that others wrote pays the running service over a real socket, and gets a registry's answer for it."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.utils import timezone
from mpp import Receipt
from mpp.client import Mpp
from mpp.methods.stripe import client as card

from billing import prices
from billing.models import LedgerEntry, Payment
from billing.payments import checkout
from lookups.models import Lookup
from tests import plain_http
from tests.billing.stubs import Node
from tests.billing.test_independent_client import chain_node, pretending  # noqa: F401  (chain_node is used by pytest)
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_pay_per_request import credential
from tests.lookups.test_pay_per_request import pretended_payments as pretended  # noqa: F401  (used by pytest)
from tests.lookups.test_top_up import cards_of_a_provider  # noqa: F401  (used by pytest)

pytestmark = pytest.mark.django_db(transaction=True)
ACME = {"entity_name": "Acme Corp", "state": "NY"}
HERON = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}
JSON = {"Content-Type": "application/json"}


def pay(url: str, method: Any, question: dict[str, Any]) -> httpx.Response:
    """Let the client ask, pay and ask again."""

    async def run() -> httpx.Response:
        async with Mpp(methods=[method]) as client:
            answer: httpx.Response = await client.fetch(
                url + "/v1/lookup", method="POST", content=json.dumps(question).encode(), headers=JSON
            )
            return answer

    return asyncio.run(run())


def post(url: str, question: dict[str, Any], **headers: str) -> httpx.Response:
    """One plain request."""
    return plain_http.post(
        url + "/v1/lookup", content=json.dumps(question).encode(), headers={**JSON, **headers}, timeout=60
    )


class Answered:
    """A reply of httpx, as the helper that answers challenges reads it."""

    def __init__(self, reply: httpx.Response) -> None:
        self.reply = reply

    def __getitem__(self, name: str) -> str:
        return self.reply.headers[name]


def proof_for(url: str, question: dict[str, Any], token: str = "sandbox_paid") -> str:
    """A credential that answers a fresh challenge of the running service."""
    asked = post(url, question)
    assert asked.status_code == 402, asked.text
    return credential(Answered(asked), token)


def problem(reply: httpx.Response) -> str:
    """The last word of a problem's type."""
    return str(reply.json()["type"]).rpartition("/")[2]


class TestASignedTransaction:
    """Method tempo, against a pretended node, about a company in New York's register."""

    def test_buys_the_registrys_answer(self, live_server: Any, node: Any, switches: None, register: Register) -> None:
        chain, method = node
        reply = pay(live_server.url, method, ACME)
        assert reply.status_code == 200, reply.text
        receipt = Receipt.from_payment_receipt(reply.headers["payment-receipt"])
        assert (receipt.status, receipt.method, [receipt.reference]) == ("success", "tempo", chain.broadcasts)
        assert reply.headers["cache-control"] == "private"
        body = reply.json()
        assert (body["data"]["entityName"], body["cost"], body["walletBalance"]) == ("ACME CORP.", 0.0314, None)
        booked = LedgerEntry.objects.order_by("id").values_list("kind", "amount")
        assert list(booked) == [("deposit", PRICE), ("charge", PRICE)]
        row = Lookup.objects.get()
        assert (row.sandbox, row.payment and row.payment.state) == (False, "paid")

    def test_is_never_sent_on_for_nothing(
        self, live_server: Any, node: Any, switches: None, register: Register
    ) -> None:
        chain, method = node
        reply = pay(live_server.url, method, {**ACME, "entity_name": "Nobody Knows This"})
        assert (reply.status_code, chain.broadcasts) == (404, [])
        register.status = 500
        reply = pay(live_server.url, method, ACME)
        assert (reply.status_code, chain.broadcasts) == (503, [])
        assert "payment-receipt" not in reply.headers
        assert set(Payment.objects.values_list("state", flat=True)) == {"abandoned"}
        assert not LedgerEntry.objects.exists()

    @pytest.mark.parametrize("mood", ["slow", "known", "silent"])
    def test_of_open_outcome_is_never_asked_for_again(
        self,
        live_server: Any,
        node: Any,
        switches: None,
        register: Register,
        mood: str,
    ) -> None:
        chain, method = node
        chain.mood = mood
        reply = pay(live_server.url, method, ACME)
        assert (reply.status_code, problem(reply)) == (503, "internal-payment-error")
        assert "www-authenticate" not in reply.headers
        assert "data" not in reply.json()
        assert len(chain.broadcasts) == 1

    def test_that_is_refused_delivers_nothing(
        self,
        live_server: Any,
        node: tuple[Node, Any],
        switches: None,
        register: Register,
    ) -> None:
        chain, method = node
        chain.mood = "refused"
        reply = pay(live_server.url, method, ACME)
        assert (reply.status_code, problem(reply)) == (402, "verification-failed")
        assert "data" not in reply.json()
        assert not LedgerEntry.objects.exists()


@pytest.mark.usefixtures("pretended")
class TestAPretendedToken:
    """Method sandbox: the fictional registry answers."""

    def test_buys_a_fictional_answer(self, live_server: Any) -> None:
        reply = pay(live_server.url, pretending("sandbox_paid"), HERON)
        assert reply.status_code == 200, reply.text
        assert Receipt.from_payment_receipt(reply.headers["payment-receipt"]).method == "sandbox"
        assert reply.json()["data"]["entityName"] == "BLUE HERON LOGISTICS LLC"
        assert not LedgerEntry.objects.exists()

    def test_is_good_for_one_answer_however_often_it_is_asked_for(self, live_server: Any) -> None:
        proof = proof_for(live_server.url, HERON)
        first, again = (post(live_server.url, HERON, authorization=proof) for _ in range(2))
        assert (first.status_code, again.status_code, again.json()) == (200, 200, first.json())
        assert again.headers["payment-receipt"] == first.headers["payment-receipt"]
        assert Lookup.objects.count() == 1

    def test_is_good_for_the_body_it_was_made_for(self, live_server: Any) -> None:
        proof = proof_for(live_server.url, HERON)
        reply = post(live_server.url, {**HERON, "state": "NY"}, authorization=proof)
        assert (reply.status_code, problem(reply)) == (402, "invalid-challenge")
        assert Payment.objects.count() == 0

    def test_is_good_for_five_minutes(self, live_server: Any) -> None:
        body = json.dumps(HERON).encode()
        purchase = checkout.Purchase("lookup", prices.LOOKUP, "POST /v1/lookup", body, "Business entity")
        for minutes, expected in ((6, (402, "payment-expired")), (4, (200, ""))):
            earlier = checkout.demand(purchase, now=timezone.now() - timedelta(minutes=minutes))
            reply = post(live_server.url, HERON, authorization=credential(earlier.headers))
            assert (reply.status_code, problem(reply) if expected[1] else "") == expected

    def test_that_is_declined_can_be_followed_by_a_good_one(self, live_server: Any) -> None:
        reply = pay(live_server.url, pretending("sandbox_declined"), HERON)
        assert (reply.status_code, problem(reply)) == (402, "verification-failed")
        assert pay(live_server.url, pretending("sandbox_paid"), HERON).status_code == 200

    def test_of_open_outcome_is_never_asked_for_again(self, live_server: Any) -> None:
        proof = proof_for(live_server.url, HERON, "sandbox_unknown")
        for _ in range(2):
            reply = post(live_server.url, HERON, authorization=proof)
            assert (reply.status_code, problem(reply)) == (503, "internal-payment-error")
            assert "www-authenticate" not in reply.headers

    def test_used_by_many_at_once_is_delivered_once(
        self, live_server: Any, on_postgres: None, at_once: Callable[..., list[Any]]
    ) -> None:
        proof = proof_for(live_server.url, HERON)
        replies = at_once(*[lambda: post(live_server.url, HERON, authorization=proof) for _ in range(12)])
        delivered = [reply for reply in replies if reply.status_code == 200]
        assert len({reply.content for reply in delivered}) == 1
        for reply in replies:
            if reply not in delivered:
                in_use = {(503, "internal-payment-error"), (409, "payment-in-progress")}
                assert (reply.status_code, problem(reply)) in in_use
                assert "payment-receipt" not in reply.headers
                assert "data" not in reply.json()
        assert (Payment.objects.count(), Lookup.objects.count()) == (1, 1)

    def test_is_in_no_log(self, live_server: Any, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
        caplog.set_level(logging.DEBUG)
        for logger in ("httpx", "httpcore"):  # the client's own diary is not ours
            logging.getLogger(logger).setLevel(logging.WARNING)
        proof = proof_for(live_server.url, HERON)
        paid = post(live_server.url, HERON, authorization=proof)
        post(live_server.url, HERON, authorization=proof)
        post(live_server.url, {}, authorization=proof)
        doubtful = proof_for(live_server.url, HERON, "sandbox_unknown")
        post(live_server.url, HERON, authorization=doubtful)
        written = caplog.text + "".join(capfd.readouterr())
        assert "outcome unknown" in written
        for secret in (proof, doubtful, paid.headers["payment-receipt"]):
            assert secret.removeprefix("Payment ")[:40] not in written
        for token in ("sandbox_paid", "sandbox_unknown"):
            assert base64.b64encode(token.encode()).decode().rstrip("=") not in written
            assert token not in written


class TestACardToken:
    """Method stripe: an agent with a key tops its balance up."""

    def top_up(self, url: str, customer: Customer, token: str) -> httpx.Response:
        async def grant(parameters: Any) -> str:
            assert (parameters.amount, parameters.currency) == ("314", "usd")
            return token

        async def run() -> httpx.Response:
            async with Mpp(methods=[card.charge(create_token=grant, payment_method="pm_card_visa")]) as client:
                answer: httpx.Response = await client.fetch(
                    url + "/v1/account/topup",
                    method="POST",
                    content=b'{"amount": 3.14, "payBy": "challenge"}',
                    headers={**JSON, "x-api-key": customer.secret},
                )
                return answer

        return asyncio.run(run())

    def test_grows_the_balance_once(self, live_server: Any, customer: Customer, cards: Any) -> None:
        reply = self.top_up(live_server.url, customer, "spt_ok")
        assert reply.status_code == 200, reply.text
        receipt = Receipt.from_payment_receipt(reply.headers["payment-receipt"])
        assert (receipt.method, receipt.reference) == ("stripe", "pi_1")
        assert customer.balance.available == 10 * PRICE + 31_400

    def test_is_in_no_log(
        self, live_server: Any, customer: Customer, cards: Any, caplog: pytest.LogCaptureFixture, capfd: Any
    ) -> None:
        caplog.set_level(logging.DEBUG)
        for token in ("spt_confidential", "spt_confidential_declined"):
            self.top_up(live_server.url, customer, token)
        assert cards.forms[0]["shared_payment_granted_token"] == "spt_confidential"
        written = caplog.text + "".join(capfd.readouterr())
        assert "spt_confidential" not in written
        assert customer.secret not in written

    def test_that_is_declined_grows_nothing(self, live_server: Any, customer: Customer, cards: Any) -> None:
        reply = self.top_up(live_server.url, customer, "spt_declined")
        assert (reply.status_code, problem(reply)) == (402, "verification-failed")
        assert customer.balance.available == 10 * PRICE


@pytest.mark.usefixtures("pretended")
class TestAKey:
    """Who has one is not asked to pay by the request."""

    def test_is_charged_as_before(
        self, live_server: Any, customer: Customer, tester: Customer, register: Register
    ) -> None:
        live = post(live_server.url, ACME, **{"x-api-key": customer.secret})
        test = post(live_server.url, HERON, **{"x-api-key": tester.secret})
        assert (live.status_code, live.json()["cost"], live.json()["lookupsRemaining"]) == (200, 0.0314, 9)
        assert (test.status_code, test.json()["cost"]) == (200, 0)
        assert "payment-receipt" not in live.headers
        assert (Payment.objects.count(), customer.balance.spent, tester.balance.spent) == (0, PRICE, 0)

    def test_without_credit_is_shown_where_to_top_up(self, live_server: Any, customer: Customer) -> None:
        from tests.lookups.test_lookup import _spend_all

        _spend_all(customer)
        reply = post(live_server.url, ACME, **{"x-api-key": customer.secret})
        assert (reply.status_code, reply.json()["code"]) == (402, "insufficient_balance")
        assert reply.json()["topUpUrl"].endswith("/pricing/")


@pytest.mark.usefixtures("pretended")
class TestAnAddress:
    """Visitors without a key are counted by where they come from."""

    def test_is_answered_429_after_its_minute_is_spent(self, live_server: Any, settings: Any, tester: Customer) -> None:
        settings.KEYLESS_PER_MINUTE, settings.TRUSTED_PROXIES = 3, 1
        visitor = {"x-forwarded-for": f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"}
        replies = [post(live_server.url, HERON, **visitor) for _ in range(8)]
        refused = [reply for reply in replies if reply.status_code == 429]
        assert [reply.status_code for reply in replies[:3]] == [402] * 3
        assert len(refused) >= 2  # the minute may turn once in between
        assert int(refused[0].headers["retry-after"]) >= 1
        assert "www-authenticate" not in refused[0].headers
        assert post(live_server.url, HERON, **{"x-api-key": tester.secret}, **visitor).status_code == 200

    def test_keeps_its_payment_when_it_comes_too_often(self, live_server: Any, settings: Any) -> None:
        proof = proof_for(live_server.url, HERON)
        settings.KEYLESS_PER_MINUTE = 0
        assert post(live_server.url, HERON, authorization=proof).status_code == 429
        settings.KEYLESS_PER_MINUTE = 100_000
        assert post(live_server.url, HERON, authorization=proof).status_code == 200

    @pytest.mark.parametrize(
        ("proxies", "told", "expected"),
        [
            (0, "203.0.113.9", "127.0.0.1"),
            (1, "203.0.113.9", "203.0.113.9"),
            (1, "6.6.6.6, 203.0.113.9", "203.0.113.9"),
            (2, "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
            (2, "203.0.113.9", "127.0.0.1"),
            (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            (1, "::ffff:203.0.113.9", "203.0.113.9"),
            (1, "203.0.113.9:5678", "203.0.113.9"),
            (1, "[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"),
            (1, "[::1]:80", "::/64"),
            (1, "[2001:db8:1:2:3:4:5:6]", "2001:db8:1:2::/64"),
            (1, "fe80::1%eth0", "fe80::/64"),
        ],
    )
    def test_is_believed_from_our_own_proxies_only(
        self, rf: Any, settings: Any, proxies: int, told: str, expected: str
    ) -> None:
        from lookups import client_address

        settings.TRUSTED_PROXIES = proxies
        request = rf.post("/v1/lookup", REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR=told)
        assert client_address.address_of(request) == expected

    @pytest.mark.parametrize("told", ["<script>", "unknown", "1.2.3.4.5", "[::1", "x" * 5000, "", "\ud800"])
    def test_that_is_none_is_one_of_its_own(self, rf: Any, settings: Any, told: str) -> None:
        """Nobody uses up everybody's turn by sending what cannot be read."""
        from lookups import client_address

        settings.TRUSTED_PROXIES = 1
        request = rf.post("/v1/lookup", REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR=told)
        address = client_address.address_of(request)
        assert address.startswith("other-")
        assert len(address) < 40
        request.META["HTTP_X_FORWARDED_FOR"] = told + "!"
        assert client_address.address_of(request) != address
