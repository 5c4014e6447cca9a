"""What anybody may ask: which states there are, and whether the service is well."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from jurisdictions import services
from lookups import selectors
from lookups.models import Lookup
from scrapers.models import ScrapeAttempt
from scrapers.operations import metrics
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db
REQUIRED = {"AL", "CA", "NY", "TX", "DC", "PR", "VI", "AS"}


def states() -> dict[str, dict[str, Any]]:
    """The rows by code."""
    return {row["state"]: row for row in Client().get("/v1/states").json()}


class TestTheListOfStates:
    """GET /v1/states."""

    def test_is_a_bare_array_of_every_jurisdiction(self, switches: None) -> None:
        body = Client().get("/v1/states").json()
        assert isinstance(body, list)
        assert len(body) >= 54
        assert {row["state"] for row in body} >= REQUIRED
        assert [row["state"] for row in body] == sorted(row["state"] for row in body)

    def test_joins_the_facts_with_the_switch(self, switches: None) -> None:
        row = states()["NY"]
        assert (row["available"], row["status"], row["officers"], row["uccAvailable"]) == (True, "active", True, False)
        services.disable(code="NY", reason="The register moves this week.")
        row = states()["NY"]
        assert (row["available"], row["status"], row["reason"]) == (False, "inactive", "The register moves this week.")

    def test_says_why_for_every_one_that_cannot_be_asked(self, switches: None) -> None:
        assert all(row["reason"] for row in states().values() if not row["available"])

    def test_measures_the_last_day(self, switches: None) -> None:
        now = timezone.now()
        for number in range(20):
            ScrapeAttempt.objects.create(
                state="NY",
                kind="business_entity",
                question="x",
                outcome="found" if number else "down",
                duration_ms=100 * number,
                version="1",
                started_at=now - timedelta(hours=1),
            )
        ScrapeAttempt.objects.create(
            state="NY",
            kind="business_entity",
            question="x",
            outcome="down",
            duration_ms=1,
            version="1",
            started_at=now - timedelta(hours=25),
        )
        row = states()["NY"]
        assert (row["p50Ms"], row["p95Ms"], row["successRate24h"]) == (1000, 1900, 0.95)
        assert states()["CO"]["p50Ms"] is None

    def test_measures_a_state_that_few_ask_beside_one_that_many_do(
        self, switches: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = timezone.now()
        monkeypatch.setattr(metrics, "AT_MOST", 40)
        facts = {"kind": "business_entity", "question": "x", "outcome": "found", "version": "1"}
        asked = [("NY", minutes, 100) for minutes in range(40)] + [("AK", 60, 700), ("AK", 120, 700), ("CO", 1500, 9)]
        ScrapeAttempt.objects.bulk_create(
            ScrapeAttempt(state=state, duration_ms=ms, started_at=now - timedelta(minutes=minutes), **facts)
            for state, minutes, ms in asked
        )
        rows = states()
        assert [rows[state]["p50Ms"] for state in ("NY", "AK", "CO")] == [100, 700, None]

    def test_says_what_came_of_asking_for_known_names_last(self, switches: None) -> None:
        assert states()["NY"]["lastContact"] is None
        contact = {
            "at": "2026-12-01T09:20:00+00:00",
            "result": "differs",
            "seconds": 4.2,
            "questions": [{"kind": "active", "result": "read"}, {"kind": "absent", "result": "differs"}],
            "findings": ["for operators"],
        }
        services.note_contact(code="NY", contact=contact, is_live=True, trouble="", now=timezone.now())
        row = states()["NY"]
        assert row["lastContact"] == {
            "at": "2026-12-01T09:20:00.000Z",
            "result": "differs",
            "seconds": 4.2,
            "questions": contact["questions"],
        }
        assert (row["verification"], row["status"]) == ("live", "active")
        page = Client().get("/states/").content.decode()
        assert 'read, differs, <span class="day">2026-12-01</span>' in page
        assert "none yet" in page

    def test_need_not_be_sent_again_when_nothing_changed(self, switches: None) -> None:
        first = Client().get("/v1/states")
        assert first["Cache-Control"] == "public, max-age=60"
        for tag in (first["ETag"], f"W/{first['ETag']}", f'"x", {first["ETag"]}', "*"):
            again = Client().get("/v1/states", headers={"if-none-match": tag})
            assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
            assert "Content-Type" not in again
        services.disable(code="NY", reason="x")
        assert Client().get("/v1/states", headers={"if-none-match": first["ETag"]}).status_code == 200

    def test_costs_three_queries(self, switches: None, django_assert_max_num_queries: Any) -> None:
        with django_assert_max_num_queries(3):
            Client().get("/v1/states")


class TestTheHealth:
    """GET /v1/health."""

    def test_counts_todays_lookups_and_stored_answers(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        customer.lookup(source="cache")
        customer.lookup("Nobody Knows This")
        body = Client().get("/v1/health").json()
        assert body["status"] == "healthy"
        assert body["checks"] == {
            "redis": "ok",
            "postgres": "ok",
            "degraded_scrapers": 0,
            "lookups_today": 3,
            "cache_hit_rate_pct": 50.0,
        }
        Lookup.objects.update(created_at=timezone.now() - timedelta(days=1))
        assert Client().get("/v1/health").json()["checks"]["lookups_today"] == 0

    def test_counts_no_lookup_of_the_sandbox(self, tester: Customer) -> None:
        assert tester.lookup("Blue Heron Logistics LLC", "DE").status_code == 200
        assert Client().get("/v1/health").json()["checks"]["lookups_today"] == 0

    def test_is_degraded_while_a_registry_is(self, switches: None) -> None:
        services.degrade(code="NY", reason="Slow")
        reply = Client().get("/v1/health")
        assert (reply.status_code, reply.json()["status"]) == (200, "degraded")
        assert reply.json()["checks"]["degraded_scrapers"] == 1

    def test_is_degraded_while_the_queue_is_away(self, switches: None, settings: Any) -> None:
        settings.REDIS_URL = "redis://127.0.0.1:1/0"
        reply = Client().get("/v1/health")
        assert (reply.status_code, reply.json()["status"], reply.json()["checks"]["redis"]) == (
            200,
            "degraded",
            "error",
        )

    def test_is_a_503_only_when_nothing_can_be_served(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        def gone() -> int:
            raise DatabaseError("connection refused")

        monkeypatch.setattr(selectors, "count_degraded", gone)
        assert_error(Client().get("/v1/health"), 503, "internal_error")


class TestTheHotPath:
    """What a stored answer costs the database."""

    def test_takes_few_queries(self, customer: Customer, register: Register) -> None:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        customer.lookup()
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert customer.lookup(source="cache").json()["source"] == "cache"
        work = [
            query["sql"]
            for query in caught.captured_queries
            if query["sql"].split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
        ]
        assert len(work) <= 7, work
        assert not any("django_session" in sql or "auth_user" in sql for sql in work)

    def test_runs_no_middleware_that_only_people_need(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        def never(*_: Any, **__: Any) -> None:
            raise AssertionError("ran for the API")

        for name in (
            "sessions.middleware.SessionMiddleware.process_request",
            "auth.middleware.AuthenticationMiddleware.process_request",
            "messages.middleware.MessageMiddleware.process_request",
        ):
            monkeypatch.setattr(f"django.contrib.{name}", never)
        monkeypatch.setattr("django.middleware.csrf.CsrfViewMiddleware.process_request", never)
        assert tester.get("/v1/account/balance").status_code == 200
        with pytest.raises(AssertionError):
            Client().get("/admin/")
