"""Registries that hang, drip, hang up or send half a page, and a DNS that says nothing or nothing of use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.failures import bounds, name_server
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import SYNC_BUDGET_SECONDS, Service
from tests.portals.simulator import running as simulator_running

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("away")]
FAULTS = {"NY": "hang", "CO": "drip", "PA": "reset", "OR": "cut-off"}  # whose state is nobody else's


def assert_answered(storm: Service, customer: Customer, states: list[str]) -> list[str]:
    """Who asks now is answered in time: that he should come again, or that he has a job; returns the statuses."""
    calls = customer.ask(customer.questions(2 * len(states), states=states, missing=0))
    bounds.assert_put_off(calls, within=SYNC_BUDGET_SECONDS, statuses=(503, 202))
    assert {call.body["code"] for call in calls if call.status == 503} <= {"source_unavailable"}
    assert storm.spent_by(customer) == 0
    return [str(call.status) for call in calls]


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
        with simulator_running() as simulator:
            storm.restart_web(PORTALS_URL=simulator.url)
            for state, fault in FAULTS.items():
                simulator.fault = fault
                assert_answered(storm, customer, [state])
            signs = bounds.read_signs(storm.url)
            assert (signs.ready, signs.health_status) == (200, 200)
        mend(storm, customer, settled)


class TestTheDns:
    """Who has the registries' addresses."""

    @pytest.mark.parametrize("hangs", [True, False], ids=["hangs", "is not there"])
    def test_in_trouble_keeps_no_caller_waiting_and_costs_nothing(
        self, hangs: bool, storm: Service, customer: Customer, settled: Audit, tmp_path: Path
    ) -> None:
        with name_server.running(tmp_path, is_there=hangs) as names:
            storm.restart_web(inside=names.inside, PORTALS_URL="http://registries.example.test")
            statuses = assert_answered(storm, customer, ["NY", "CO"])
            assert not hangs or set(statuses) == {"202"}
            signs = bounds.read_signs(storm.url)
            assert (signs.ready, signs.health_status) == (200, 200)
        mend(storm, customer, settled)
