"""Registries that hang, drip, hang up or send half a page, and a DNS that says nothing or nothing of use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.failures import bounds, name_server
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import SYNC_BUDGET_SECONDS, Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("away")]
FAULTS = {"NY": "hang", "CO": "drip", "PA": "reset", "OR": "cut-off"}  # whose state is nobody else's


def assert_answered(storm: Service, customer: Customer, states: list[str]) -> list[str]:
    """Who asks now is answered in time: that he should come again, or that he has a job; returns the statuses."""
    calls = customer.ask(customer.questions(2 * len(states), states=states, missing=0))
    bounds.assert_put_off(calls, within=SYNC_BUDGET_SECONDS, statuses=(503, 202))
    assert {call.body["code"] for call in calls if call.status == 503} <= {"source_unavailable"}
    assert storm.spent_by(customer) == 0
    return [str(call.status) for call in calls]


def assert_serving(storm: Service) -> None:
    """What others are in trouble with is no fault of the service."""
    signs = bounds.read_signs(storm.url)
    assert (signs.ready, signs.health_status) == (200, 200)


def mend(storm: Service, customer: Customer, settled: Audit) -> None:
    """The registries are as they were; what was promised is answered and paid for once, by whoever takes it up."""
    storm.restart_web()
    storm.lose_workers_places()
    customer.insist([call for call in customer.calls if call.status != 202])
    settled(customer, most_asked=2)
    assert storm.dead() == []


class TestARegistry:
    """Each of the four in trouble of its own."""

    def test_in_trouble_keeps_no_caller_waiting_and_costs_nothing(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        for state, fault in FAULTS.items():
            storm.registries.fault = fault
            assert_answered(storm, customer, [state])
        assert_serving(storm)
        storm.registries.fault = None
        mend(storm, customer, settled)


class TestTheDns:
    """Who has the registries' addresses."""

    def test_in_trouble_keeps_no_caller_waiting_and_costs_nothing(
        self, storm: Service, customer: Customer, settled: Audit, tmp_path: Path
    ) -> None:
        """It hangs, and then nobody is there."""
        with name_server.running(tmp_path) as names:
            storm.restart_web(inside=names.inside, PORTALS_URL="http://registries.example.test")
            assert set(assert_answered(storm, customer, ["NY", "CO"])) == {"202"}
            assert_serving(storm)
        assert_answered(storm, customer, ["PA", "OR"])
        assert_serving(storm)
        mend(storm, customer, settled)
