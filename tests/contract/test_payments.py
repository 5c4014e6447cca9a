"""What paying clients discover in the documents, and replies about top-ups, held against the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.lookups.conftest import Customer
from tests.lookups.test_top_up import cards_of_a_provider  # noqa: F401  (used by pytest)

Judge = Callable[[Any, str, str], None]


def offers() -> list[dict[str, Any]]:
    """What the served document offers for a lookup now."""
    document = Client().get("/openapi.json").json()
    return list(document["paths"]["/v1/lookup"]["post"]["x-payment-info"]["offers"])


class TestTheDocument:
    """/openapi.json and /llms.txt."""

    def test_says_what_a_lookup_costs_where_no_method_is_configured(self) -> None:
        assert offers() == [
            {"intent": "charge", "amount": None, "currency": "usd", "description": "0.0314 USD per lookup"}
        ]

    def test_offers_what_is_configured(self, settings: Any) -> None:
        settings.SANDBOX_PAYMENTS = True
        settings.TEMPO_RECIPIENT, settings.TEMPO_RPC_URL = "0x" + "11" * 20, "http://127.0.0.1:9"
        found = [(offer["method"], offer["amount"], offer["description"]) for offer in offers()]
        assert found == [
            ("tempo", "31400", "0.0314 USD per lookup"),
            ("sandbox", "31400", "0.0314 USD per lookup"),
        ]
        settings.SANDBOX_PAYMENTS = False
        assert [offer["method"] for offer in offers()] == ["tempo"]

    def test_leads_to_what_explains_the_service(self) -> None:
        info = Client().get("/openapi.json").json()["x-service-info"]
        assert info["categories"] == ["data"]
        for path in info["docs"].values():
            assert path == "/" or Client().get(path).status_code == 200, path

    def test_has_a_short_form_for_agents(self, settings: Any) -> None:
        reply = Client().get("/llms.txt")
        text = reply.content.decode()
        assert reply["Content-Type"].startswith("text/plain")
        assert "0.0314 USD per lookup" in text
        assert "Payment challenge" not in text
        settings.SANDBOX_PAYMENTS = True
        assert "Payment challenge" in Client().get("/llms.txt").content.decode()


@pytest.mark.django_db(transaction=True)
class TestATopUp:
    """POST /v1/account/topup."""

    PATH = "/v1/account/topup"

    def test_fits_however_it_ends(self, customer: Customer, tester: Customer, cards: Any, judge: Judge) -> None:
        from tests.lookups.test_top_up import TestATopUpByChallenge as Agent

        for who, body, status in (
            (customer, {"amount": 3.14}, 200),
            (customer, {"amount": "3.14", "payBy": "page"}, 200),
            (customer, {"amount": 3.14, "payBy": "challenge"}, 402),
            (customer, {"amount": 0.1}, 400),
            (customer, {"amount": 3.14, "payBy": "cheque"}, 400),
            (tester, {"amount": 3.14}, 403),
        ):
            reply = who.post(self.PATH, body)
            assert reply.status_code == status, reply.content
            judge(reply, "post", self.PATH)
        judge(Agent().pay(customer, "spt_ok"), "post", self.PATH)
        judge(Agent().pay(customer, "spt_declined"), "post", self.PATH)
        judge(customer.post(self.PATH, {"amount": 3.14}, authorization="Payment a, Payment b"), "post", self.PATH)
        cards.mood = "down"
        judge(customer.post(self.PATH, {"amount": 3.14}), "post", self.PATH)

    def test_fits_where_there_are_no_cards(self, customer: Customer, judge: Judge) -> None:
        judge(customer.post(self.PATH, {"amount": 3.14}), "post", self.PATH)
