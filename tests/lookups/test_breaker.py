"""What a customer meets while a registry is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from lookups.models import Lookup
from scrapers.models import Breaker, ScrapeAttempt
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


def states(customer: Customer) -> dict[str, Any]:
    return {row["state"]: row for row in customer.get("/v1/states").json()}


class TestARegistryThatIsDown:
    """Is asked five times, not six."""

    @pytest.fixture(autouse=True)
    def _down(self, register: Register, customer: Customer) -> None:
        register.status = 500
        for number in range(5):
            assert customer.lookup(f"Acme {number} Corp").status_code == 503

    def test_answers_503_at_once_without_being_asked(self, register: Register, customer: Customer) -> None:
        asked = register.asked
        reply = customer.lookup()
        assert reply.status_code == 503
        assert reply.json()["reason"] == "down"
        assert 1 <= int(reply["Retry-After"]) <= 60
        assert register.asked == asked
        assert ScrapeAttempt.objects.count() == 5
        assert Lookup.objects.count() == 6

    def test_costs_nothing_and_holds_nothing(self, customer: Customer) -> None:
        customer.lookup()
        assert (customer.balance.available, customer.balance.held) == (3140, 0)

    def test_is_reported_as_degraded_with_the_reason(self, customer: Customer) -> None:
        row = states(customer)["NY"]
        assert (row["status"], row["reason"]) == ("degraded", "The registry's site does not answer.")
        assert row["successRate24h"] == 0.0

    def test_is_well_again_after_one_good_answer(self, register: Register, customer: Customer) -> None:
        register.status = 200
        Breaker.objects.update(open_until=Breaker.objects.get().changed_at)
        assert customer.lookup().status_code == 200
        assert states(customer)["NY"]["status"] == "active"
        assert customer.lookup("Zebra Inc").status_code == 200


class TestTheGlobalSwitch:
    """ASK_PORTALS off: nobody is asked."""

    def test_ends_lookups_as_503_unbilled(self, register: Register, customer: Customer, settings: Any) -> None:
        settings.ASK_PORTALS = False
        reply = customer.lookup()
        assert (reply.status_code, reply.json()["reason"]) == (503, "disabled")
        assert (register.asked, customer.balance.available) == (0, 3140)

    def test_is_reported_for_every_state(self, customer: Customer, settings: Any) -> None:
        settings.ASK_PORTALS = False
        row = states(customer)["NY"]
        assert (row["status"], row["available"]) == ("inactive", False)
        assert row["reason"] == "Every search is switched off for the time being."

    def test_leaves_the_sandbox_open(self, tester: Customer, settings: Any) -> None:
        settings.ASK_PORTALS = False
        assert tester.lookup("Magic Found LLC", "DE").status_code == 200
