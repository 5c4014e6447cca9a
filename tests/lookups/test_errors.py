"""What an error says of itself: its own code, where that is explained, and when to come back."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lookups.api import errors, replies
from lookups.api.wire.words import CODES
from lookups.lookup import rows
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Ended, TooManyAtOnce, Unavailable
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from scrapers.failures import Failure, list_unanswered
from scrapers.sandbox.magic import MAGIC
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.test_lookup import _spend_all
from tests.lookups.test_pay_per_request import credential, post

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def pretended_payments(settings: Any) -> None:
    """An installation that pretends payments."""
    settings.SANDBOX_PAYMENTS = True


class TestWhenToComeBack:
    """`retryable` and Retry-After."""

    @pytest.mark.parametrize("failure", list_unanswered())
    @pytest.mark.parametrize("asked", [None, 0.2, 300.0])
    def test_agree_for_every_failure(self, customer: Customer, failure: Failure, asked: float | None) -> None:
        outcome = Unavailable("DE", failure, retryable=failure.facts.retryable, retry_after=asked)
        asked_now = Ask(Question(state="DE", name="Acme"), KeyPayer(customer.key))
        lookup = rows.end(rows.draft(asked_now, now=NOW), outcome, stopwatch=Stopwatch(NOW))
        reply = replies.to_response(Ended(lookup), account=None)
        assert reply.data.retryable == reply.has_header("Retry-After") == failure.facts.retryable
        if reply.has_header("Retry-After"):
            assert int(reply["Retry-After"]) >= 1

    def test_agree_where_the_caller_is_too_fast(self) -> None:
        with pytest.raises(errors.ApiError) as raised:
            replies.to_response(TooManyAtOnce(3), account=None)
        reply = raised.value.response("r")
        assert (reply.data.retryable, reply["Retry-After"]) == (True, "1")

    def test_cannot_be_made_to_disagree(self) -> None:
        wrong = errors.ApiError(503, "source_unavailable", "x", retryable=False, retry_after=30)
        assert not wrong.response("r").has_header("Retry-After")

    def test_are_silent_of_a_page_that_changed(self, tester: Customer) -> None:
        reply = tester.lookup(MAGIC["page_changed"], "DE")
        assert assert_error(reply, 503, "source_unavailable")["retryable"] is False
        assert "Retry-After" not in reply


class TestAnAmbiguousName:
    """Several companies of just this name."""

    def test_has_a_code_of_its_own_and_the_old_status_and_text(self, tester: Customer) -> None:
        body = assert_error(tester.lookup(MAGIC["ambiguous"], "DE"), 404, "ambiguous_name", "Entity not found")
        assert body["ambiguous"] is True
        assert all(one["entityId"] for one in body["suggestions"])


class TestABudget:
    """A month's limit, which credit does not lift."""

    @pytest.mark.parametrize("path", ["/v1/lookup", "/v1/name-availability", "/v1/bulk-lookup"])
    def test_that_is_spent_reads_otherwise_than_an_empty_balance(
        self, customer: Customer, register: Register, pretended_payments: None, path: str
    ) -> None:
        customer.patch("/v1/account/settings", {"monthlyBudget": 0.01})
        question = {"entity_name": "Acme Corp", "state": "NY"}
        reply = customer.post(path, {"entities": [question]} if "bulk" in path else question)
        body = reply.json()
        assert (reply.status_code, body["code"], body["balanceStored"]) == (402, "budget_exceeded", 10 * PRICE)
        assert "budget is spent" in body["detail"]
        assert (body["topUpUrl"], body["lookupsRemaining"]) == (None, 0)
        assert "WWW-Authenticate" not in reply  # nobody is invited to go around a limit that somebody set


class TestABalanceThatDoesNotDo:
    """402 with a key."""

    def test_comes_with_a_challenge_where_a_request_can_pay_for_itself(
        self, customer: Customer, register: Register, pretended_payments: None
    ) -> None:
        _spend_all(customer)
        reply = customer.lookup()
        body = reply.json()
        assert (reply.status_code, body["code"]) == (402, "insufficient_balance")
        assert reply["WWW-Authenticate"].startswith("Payment ")
        assert body["challengeId"] in reply["WWW-Authenticate"]
        assert body["topUpUrl"].endswith("/pricing/")

    def test_is_paid_by_the_request_without_the_key(
        self, customer: Customer, register: Register, pretended_payments: None
    ) -> None:
        _spend_all(customer)
        question = {"entity_name": MAGIC["found"], "state": "NY"}
        proof = credential(customer.post("/v1/lookup", question))
        assert customer.post("/v1/lookup", question, authorization=proof).status_code == 400
        paid = post(question, authorization=proof)
        assert (paid.status_code, paid.json()["cost"], bool(paid["Payment-Receipt"])) == (200, 0.0314, True)
        assert paid.json()["data"]["entityId"].startswith("SB-")  # what the sandbox method buys is never a live record

    def test_has_none_where_nothing_can(self, customer: Customer, register: Register) -> None:
        _spend_all(customer)
        reply = customer.lookup()
        assert (reply.json()["challengeId"], reply.has_header("WWW-Authenticate")) == (None, False)


class TestWhereItIsExplained:
    """`docUrl`."""

    def test_leads_to_an_anchor_that_is_there(self, settings: Any) -> None:
        page = Client().get("/docs/errors/")
        assert page.status_code == 200
        for code in CODES:
            body = errors.ApiError(400, code, "x").body("r")
            address, _, anchor = body.docUrl.removeprefix(settings.PUBLIC_URL).partition("#")  # type: ignore[attr-defined]
            assert (address, f'id="{anchor}"' in page.content.decode()) == ("/docs/errors/", True)


class TestTheMode:
    """`livemode` of what is no lookup."""

    @pytest.mark.parametrize("path", ["/v1/lookup/status/x", "/v1/lookups/x", "/v1/lookups?limit=0"])
    def test_is_shown_to_whoever_has_a_key(self, customer: Customer, tester: Customer, path: str) -> None:
        assert [who.get(path).json().get("livemode") for who in (customer, tester)] == [True, False]

    def test_is_told_with_a_demand_too(self, customer: Customer, register: Register) -> None:
        _spend_all(customer)
        reply = customer.lookup()
        assert (reply.status_code, reply.json()["livemode"]) == (402, True)

    def test_is_nobodys_without_a_key(self) -> None:
        assert "livemode" not in Client().get("/v1/lookups").json()
