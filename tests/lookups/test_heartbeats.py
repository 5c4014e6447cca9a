"""What is promised is done: who lives says so, and what nobody would do is refused and costs nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from billing.models import Hold, LedgerEntry
from config import probe
from lookups import tasks
from lookups.lookup import flow
from lookups.models import BulkJob, Heartbeat, Job, Lookup
from lookups.operations import heartbeats, readiness
from tests.lookups.conftest import Customer, anew

ROWS = [{"entity_name": "Acme Corp", "state": "NY"}, {"entity_name": "Zebra Inc", "state": "NY"}]

SILENT_AFTER = heartbeats.SILENT_AFTER


@pytest.fixture
def at_work(at_work: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of each kind has just said that it lives, and is believed as long as in service."""
    monkeypatch.setattr(heartbeats, "SILENT_AFTER", SILENT_AFTER)


def silence(role: str, *, seconds: float = 31) -> None:
    """Its processes have been killed: the last sign of them is so old."""
    Heartbeat.objects.filter(role=role).update(beat_at=timezone.now() - timedelta(seconds=seconds))


def component(name: str) -> dict[str, Any]:
    """What /v1/health says of one kind of process."""
    reply = Client().get("/v1/health")
    assert reply.status_code == 200
    [found] = [one for one in reply.json()["components"] if one["name"] == name]
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.02)


@pytest.fixture
def slow_registry(monkeypatch: pytest.MonkeyPatch, no_workers: None) -> None:
    """New York is known to take longer than anybody waits; messages to workers go nowhere."""
    monkeypatch.setattr("lookups.lookup.checks.estimates.outlasts", lambda *_, **__: True)


@pytest.mark.django_db
class TestAQuestionThatIsAnsweredLater:
    """POST /v1/lookup of a registry that is known to be slow."""

    def test_is_promised_while_a_worker_lives(self, customer: Customer, slow_registry: None) -> None:
        assert customer.lookup().status_code == 202

    @pytest.mark.parametrize("lost", ["killed", "ended"])
    def test_is_refused_when_nobody_would_do_it(self, customer: Customer, slow_registry: None, lost: str) -> None:
        silence("worker") if lost == "killed" else Heartbeat.objects.filter(role="worker").delete()
        reply = customer.lookup()
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "30")
        body = reply.json()
        assert (body["success"], body["code"], body["cost"], body["retryable"]) == (False, "internal_error", 0, True)
        assert not Job.objects.exists()
        assert not Lookup.objects.exists()
        assert not Hold.objects.exists()
        assert customer.balance.held == 0

    def test_can_be_asked_again_under_the_same_idempotency_key(self, customer: Customer, slow_registry: None) -> None:
        silence("worker")
        word = anew()
        assert customer.lookup(headers=word).status_code == 503
        silence("worker", seconds=0)
        assert customer.lookup(headers=word).status_code == 202
        assert Hold.objects.count() == 1

    def test_gives_back_what_an_earlier_try_has_held(
        self, customer: Customer, slow_registry: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its process was lost after the price was held; it is asked again when nobody lives who would do it."""
        monkeypatch.setattr("lookups.lookup.checks.find_wait", lambda *_, **__: None)
        monkeypatch.setattr(flow, "_ask_registry", lose_the_process)
        word = anew()
        with pytest.raises(PowerCut):
            customer.lookup(headers=word)
        assert customer.balance.held == 314
        monkeypatch.setattr("lookups.lookup.checks.find_wait", lambda *_, **__: 40)
        silence("worker")
        assert customer.lookup(headers=word).status_code == 503
        assert (customer.balance.held, customer.balance.spent) == (0, 0)
        assert Lookup.objects.get().verdict == "failed"


class PowerCut(BaseException):
    """The process is gone."""


def lose_the_process(ask: Any, lookup: Lookup, stopwatch: Any, **_: Any) -> None:
    from lookups.lookup import payers, rows

    rows.accept(ask, lookup, now=stopwatch.now, hold_for=payers.HOLD_FOR)
    raise PowerCut


@pytest.mark.django_db
class TestABulkRequest:
    """POST /v1/bulk-lookup."""

    def test_is_refused_when_no_bulk_worker_lives(self, customer: Customer, slow_registry: None) -> None:
        silence("bulk")
        reply = customer.post("/v1/bulk-lookup", {"entities": ROWS})
        assert (reply.status_code, reply.headers["Retry-After"], reply.json()["code"]) == (503, "30", "internal_error")
        assert not BulkJob.objects.exists()
        assert not LedgerEntry.objects.filter(kind="hold").exists()
        assert customer.balance.held == 0

    def test_needs_no_worker_of_single_lookups(self, customer: Customer, slow_registry: None) -> None:
        silence("worker")
        assert customer.post("/v1/bulk-lookup", {"entities": ROWS}).status_code == 202

    def test_that_was_accepted_before_gets_the_same_reply(self, customer: Customer, slow_registry: None) -> None:
        first = customer.post("/v1/bulk-lookup", {"entities": ROWS}, idempotency_key="one")
        silence("bulk")
        again = customer.post("/v1/bulk-lookup", {"entities": ROWS}, idempotency_key="one")
        assert (again.status_code, again.json()["job_id"]) == (202, first.json()["job_id"])


@pytest.mark.django_db
class TestTheHealth:
    """GET /v1/health."""

    def test_names_every_process_that_lives(self, switches: None) -> None:
        body = Client().get("/v1/health").json()
        assert body["status"] == "healthy"
        assert [one["name"] for one in body["components"]] == ["web", "worker", "bulk", "beat"]
        assert {(one["status"], one["processes"]) for one in body["components"]} == {("ok", 1)}
        assert {0 <= one["last_heartbeat_seconds"] < 30 for one in body["components"]} == {True}
        assert body["oldest_due_seconds"] == {"lookups": None, "bulk_rows": None, "messages": None}

    @pytest.mark.parametrize("role", heartbeats.Role.values)
    def test_is_degraded_and_names_the_one_that_was_lost(self, switches: None, role: str) -> None:
        silence(role, seconds=75)
        assert Client().get("/v1/health").json()["status"] == "degraded"
        found = component(role)
        assert (found["status"], found["processes"]) == ("down", 0)
        assert 75 <= found["last_heartbeat_seconds"] < 100
        assert Client().get("/readyz").status_code == 200

    def test_goes_by_the_one_that_lives_where_another_was_killed(self, switches: None) -> None:
        silence("worker", seconds=75)
        Heartbeat.objects.create(role="worker", host="here", pid=2, started_at=Now(), beat_at=Now())
        found = component("worker")
        assert (found["status"], found["processes"]) == ("ok", 1)
        assert found["last_heartbeat_seconds"] < 30

    def test_counts_no_beat_of_a_time_to_come(self, switches: None) -> None:
        """The clock was set back by an hour since: a dead worker must not live until then."""
        silence("worker", seconds=-3600)
        assert component("worker")["status"] == "down"

    def test_knows_nothing_of_a_process_that_has_ended_for_good(self, switches: None) -> None:
        Heartbeat.objects.filter(role="beat").delete()
        assert component("beat") == {"name": "beat", "status": "down", "processes": 0, "last_heartbeat_seconds": None}

    def test_tells_since_when_work_is_due_and_who_leaves_it_lying(
        self, customer: Customer, slow_registry: None
    ) -> None:
        assert customer.lookup().status_code == 202
        assert component("worker")["status"] == "ok"
        Job.objects.update(created_at=timezone.now() - timedelta(seconds=90))
        body = Client().get("/v1/health").json()
        assert body["status"] == "degraded"
        assert 90 <= body["oldest_due_seconds"]["lookups"] < 120
        assert component("worker")["status"] == "stalled"
        assert component("bulk")["status"] == "ok"


@pytest.mark.django_db(transaction=True)
class TestAPulse:
    """The heartbeat of one process."""

    def test_is_seen_while_it_beats_and_gone_when_it_ends(self) -> None:
        pulse = heartbeats.Pulse("bulk", every_seconds=0.05)
        assert not heartbeats.is_at_work("bulk")
        pulse.start()
        wait_until(lambda: heartbeats.is_at_work("bulk"))
        first = Heartbeat.objects.get().beat_at
        wait_until(lambda: Heartbeat.objects.get().beat_at > first)
        pulse.end()
        assert not Heartbeat.objects.exists()

    def test_is_of_its_own_process_alone(self, at_work: None) -> None:
        """Who was killed stays dead beside one that lives, and who lives stays when another ends."""
        silence("worker", seconds=75)
        others = set(Heartbeat.objects.values_list("pk", "beat_at"))
        pulse = heartbeats.Pulse("worker", every_seconds=0.05)
        pulse.start()
        wait_until(lambda: component("worker")["processes"] == 1)
        [own] = Heartbeat.objects.exclude(pk__in=[pk for pk, _ in others])
        wait_until(lambda: Heartbeat.objects.get(pk=own.pk).beat_at > own.beat_at)
        assert set(Heartbeat.objects.exclude(pk=own.pk).values_list("pk", "beat_at")) == others
        pulse.end()
        assert set(Heartbeat.objects.values_list("pk", "beat_at")) == others

    def test_goes_on_when_the_database_comes_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tries: list[int] = []
        real = heartbeats.Pulse._beat

        def beat(self: heartbeats.Pulse) -> None:
            tries.append(1)
            if len(tries) < 3:
                raise DatabaseError("gone")
            real(self)

        monkeypatch.setattr(heartbeats.Pulse, "_beat", beat)
        pulse = heartbeats.Pulse("worker", every_seconds=0.05)
        pulse.start()
        wait_until(lambda: heartbeats.is_at_work("worker"))
        pulse.end()

    def test_is_forgotten_an_hour_after_its_process_was_killed(self, at_work: None) -> None:
        silence("web", seconds=59 * 60)
        silence("beat", seconds=61 * 60)
        tasks.prune()
        assert set(Heartbeat.objects.values_list("role", flat=True)) == {"web", "worker", "bulk"}

    def test_is_not_forgotten_by_a_machine_whose_clock_is_ahead(self, at_work: None) -> None:
        """Until it beat again nobody seemed to be at work, and what is answered later was refused."""
        living = set(Heartbeat.objects.values_list("pk", "beat_at"))
        heartbeats.prune(now=timezone.now() + timedelta(hours=2))
        assert set(Heartbeat.objects.values_list("pk", "beat_at")) == living


class TestLiveness:
    """GET /livez."""

    def test_touches_no_database(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without pytest's leave to use one, any query would fail this test."""
        reply = Client().get("/livez")
        assert (reply.status_code, reply.json()) == (200, {"status": "live"})
        assert reply.headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
class TestReadiness:
    """GET /readyz."""

    def test_is_given_when_all_is_there(self) -> None:
        reply = Client().get("/readyz")
        assert (reply.status_code, reply.json()) == (200, {"status": "ready"})

    def test_names_the_queue(self, settings: Any) -> None:
        settings.REDIS_URL = "redis://127.0.0.1:1/0"
        self.refused("broker")

    def test_names_a_folder_that_cannot_be_written(self, settings: Any, tmp_path: Path) -> None:
        """Redis that refuses to write is a story of the day of failures."""
        settings.REDIS_URL, settings.VAR_DIR = "", tmp_path / "gone"
        self.refused("broker")

    def test_names_the_database(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def gone(*_: Any) -> Any:
            raise DatabaseError("connection refused")

        monkeypatch.setattr(connection, "cursor", gone)
        self.refused("database")

    def test_names_tables_of_another_version(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(readiness, "_migrated", set())
        MigrationRecorder.Migration.objects.filter(app="lookups").latest("name").delete()
        self.refused("migrations")

    def refused(self, reason: str) -> None:
        reply = Client().get("/readyz")
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "10")
        body = reply.json()
        assert (body["success"], body["code"], body["requestId"]) == (
            False,
            "internal_error",
            reply.headers["X-Request-Id"],
        )
        assert list(body["details"]) == [reason]


@pytest.mark.django_db
class TestTheProbeOfAProcess:
    """`python -m config.probe worker`, as a container's health check asks it."""

    def test_believes_a_fresh_beat_of_this_machine_alone(
        self, at_work: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("platform.node", lambda: "here")
        assert probe.main(["beat"]) == 0
        silence("beat", seconds=45)
        assert probe.main(["beat"]) == 1
        assert "last heartbeat 45 s ago" in capsys.readouterr().out
        Heartbeat.objects.create(role="beat", host="here", pid=2, started_at=Now(), beat_at=Now())
        assert probe.main(["beat"]) == 0  # started anew, beside the row of the one that was killed
        monkeypatch.setattr("platform.node", lambda: "elsewhere")
        assert probe.main(["worker"]) == 1
        assert "worker: no heartbeat" in capsys.readouterr().out
