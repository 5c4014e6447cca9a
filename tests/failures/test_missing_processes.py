"""kill -9 a process and leave it dead: the service says who is missing, and promises nothing that nobody would do."""

from __future__ import annotations

from typing import Any

import pytest

from tests import plain_http
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import STATES, Customer
from tests.failures.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("away")]
BOUND = 60.0  # seconds: 30 of silence, and a machine that is busy


def health(storm: Service) -> dict[str, Any]:
    """What the service says of itself."""
    reply = plain_http.get(f"{storm.url}/v1/health", timeout=20)
    assert reply.status_code == 200
    return dict(reply.json())


def list_missing(storm: Service) -> list[str]:
    """Whom it misses."""
    return [one["name"] for one in health(storm)["components"] if one["status"] == "down"]


def status(storm: Service, path: str) -> int:
    """How a path is answered."""
    return plain_http.get(storm.url + path, timeout=20).status_code


class TestAMissingWorker:
    """Of single jobs."""

    def test_is_named_and_its_work_is_refused_until_it_is_back(
        self, storm: Service, customer: Customer, settled: Audit
    ) -> None:
        assert list_missing(storm) == []
        storm.prove_slow(*STATES)
        storm.worker.kill()
        wait_until(lambda: list_missing(storm) == ["worker"], what="the worker is missed", seconds=BOUND)
        assert health(storm)["status"] == "degraded"
        assert (status(storm, "/livez"), status(storm, "/readyz")) == (200, 200)

        refused = customer.ask(customer.questions(6))
        assert {(call.status, call.body["code"], call.body["cost"]) for call in refused} == {(503, "internal_error", 0)}
        assert (storm.open_jobs(customer), storm.hold_of(customer), storm.spent_by(customer)) == (0, 0, 0)

        storm.start("worker")
        assert list_missing(storm) == []
        customer.insist(refused)
        assert {call.status for call in refused} == {202}
        assert settled(customer).found == 5

    def test_of_bulk_jobs_is_named_as_well(self, storm: Service, customer: Customer, settled: Audit) -> None:
        storm.bulk.kill()
        wait_until(lambda: list_missing(storm) == ["bulk"], what="the bulk worker is missed", seconds=BOUND)
        wanted = customer.questions(4, missing=0)
        with pytest.raises(AssertionError, match="nothing was charged"):
            customer.ask_bulk(wanted)
        assert (storm.open_jobs(customer), storm.hold_of(customer)) == (0, 0)
        storm.start("bulk")
        customer.ask_bulk(wanted)
        assert settled(customer).found == 4


class TestAMissingClock:
    """beat."""

    def test_is_named(self, storm: Service) -> None:
        storm.processes["beat"].kill()
        wait_until(lambda: list_missing(storm) == ["beat"], what="the clock is missed", seconds=BOUND)
        assert (health(storm)["status"], status(storm, "/readyz")) == ("degraded", 200)
        storm.start("beat")
        assert list_missing(storm) == []


class TestAProcessThatEndsInOrder:
    """SIGTERM."""

    def test_is_missed_at_once(self, storm: Service) -> None:
        """It has taken its heartbeat away: nobody counts on it for another 30 seconds."""
        beat = storm.processes["beat"]
        assert beat.running is not None
        what = "no clock that was killed in a story before is counted on any more"
        wait_until(lambda: storm.count_beats("beat") == 1, what=what)
        beat.running.terminate()
        beat.running.wait(30)
        assert list_missing(storm) == ["beat"]
        storm.start("beat")
