"""What a monitoring system reads."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from billing import reconciliation
from billing.models import Account, Payment, TopUp
from jurisdictions.models import Jurisdiction
from lookups.models import Delivery, Heartbeat, Job, Lookup
from scrapers.models import Breaker, BulkCopy, ScrapeAttempt
from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace
from tests.journeys.checkout import ROOT, clean_environment
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import write_messages
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db
SHOULD_BE_ZERO = (
    *("ledger_mismatches", "provider_comparison_age_seconds", "chain_comparison_age_seconds", "payments_unknown"),
    *("payments_unknown_long", "payments_undelivered", "topups_mismatched", "accounts_owing", "owed_units"),
    *("reversals_unmatched", "holds_overdue", "deliveries_pending", "deliveries_oldest_pending_seconds"),
    *("lookups_open", "breakers_open"),
)
Series = dict[tuple[str, ...], float]


@pytest.fixture(autouse=True)
def token(settings: Any) -> None:
    """The monitoring system's."""
    settings.METRICS_TOKEN = "letmein"


def page() -> str:
    reply = Client().get("/metrics", headers={"authorization": "Bearer letmein"})
    assert (reply.status_code, reply.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return reply.content.decode()


def read() -> dict[str, Series]:
    """The values of every name as the page has them now, each by its labels, in the order of the labels' names."""
    found: dict[str, Series] = defaultdict(dict)
    for family in text_string_to_metric_families(page()):
        for sample in family.samples:
            found[sample.name.removeprefix("sos_lookup_")][tuple(sample.labels.values())] = sample.value
    return found


def number(name: str) -> float:
    """The value of a name that has no labels."""
    return read()[name][()]


class TestTheMetrics:
    """GET /metrics."""

    def test_are_closed_without_a_token(self, settings: Any) -> None:
        for sent in ("", "Bearer", "Bearer x", "letmein", "Bearer ü"):
            assert Client().get("/metrics", headers={"authorization": sent}).status_code == 404
        settings.METRICS_TOKEN = ""
        assert Client().get("/metrics").status_code == 404
        assert Client().get("/metrics", headers={"authorization": "Bearer "}).status_code == 404

    def test_are_all_quiet_when_all_is_well(self, customer: Customer) -> None:
        assert number("ledger_reconciliation_age_seconds") == -1
        reconciliation.run(now=timezone.now())
        assert 0 <= number("ledger_reconciliation_age_seconds") < 60
        found = read()
        assert {name: found[name][()] for name in SHOULD_BE_ZERO} == dict.fromkeys(SHOULD_BE_ZERO, 0)

    def test_tell_a_ledger_that_does_not_add_up_and_money_of_unknown_fate(self, customer: Customer) -> None:
        now = timezone.now()
        Account.objects.filter(pk=customer.account.pk).update(available=1, deposited=1)
        reconciliation.run(now=now)
        Payment.objects.create(
            challenge_id="c",
            proof_hash="p",
            method="tempo",
            purpose="lookup",
            amount=314,
            state="unknown",
            created_at=now,
        )
        TopUp.objects.create(account=customer.account, amount=31_400, created_at=now, state="mismatch")
        found = read()
        for name in ("ledger_mismatches", "payments_unknown", "topups_mismatched"):
            assert found[name][()] == 1

    def test_tell_what_customers_have_not_been_sent_yet(self, customer: Customer) -> None:
        for row, age in zip(write_messages(customer, 3), (10, 500, 9_000), strict=True):
            since = timezone.now() - timedelta(seconds=age)
            Delivery.objects.filter(pk=row.pk).update(created_at=since, next_at=since)
        Delivery.objects.filter(created_at__lt=timezone.now() - timedelta(hours=1)).update(
            status="given_up", next_at=None
        )
        found = read()
        assert found["deliveries_pending"][()] == 2
        assert 500 <= found["deliveries_oldest_pending_seconds"][()] < 600
        assert found["deliveries_due"] == {("webhook",): 2, ("email",): 0}
        assert 500 <= found["deliveries_oldest_due_seconds"]["webhook",] < 600
        assert found["deliveries_day"]["webhook", "given_up"] == 1

    def test_count_what_came_of_live_lookups(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        customer.lookup("Zebra Inc")
        customer.lookup("Nobody Knows This")
        open_customer(mode="test").lookup("Blue Heron Logistics LLC", "DE")
        register.status = 403
        customer.lookup("Something Else")
        found = read()
        assert found["lookups_recent"] == {("", "found"): 2, ("", "not_found"): 1, ("blocked", "unavailable"): 1}
        assert found["portal_attempts_recent"]["found", "NY"] == 2
        assert found["portal_attempts_recent"]["blocked", "NY"] == 1
        Lookup.objects.update(ended_at=timezone.now() - timedelta(minutes=6))
        ScrapeAttempt.objects.update(started_at=timezone.now() - timedelta(minutes=6))
        found = read()
        assert found["lookups_recent"] == {}
        assert found["portal_attempts_recent"] == {}

    def test_tell_how_long_a_portals_pace_has_kept_lookups_waiting(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is asked once in a second at most: the second question, of several requests, had to wait for its turn."""
        monkeypatch.setattr(NewYork, "pace", Pace(seconds=1.0))
        customer.lookup()
        customer.lookup("Zebra Inc")
        waited = ScrapeAttempt.objects.order_by("pk").values_list("waited_ms", flat=True)
        assert waited[1] > 500
        assert read()["pace_wait_seconds_recent"]["NY",] == pytest.approx(sum(waited) / 1000)

    def test_tell_what_money_moved_and_where_it_is(self, customer: Customer, register: Register) -> None:
        customer.lookup()
        found = read()
        assert found["money_moved_units_recent"] == {("free_grant",): 3140, ("hold",): 314, ("capture",): 314}
        assert found["balances_units"] == {("available",): 3140 - 314, ("held",): 0}

    def test_tell_who_works_and_what_lies(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch, no_workers: None
    ) -> None:
        monkeypatch.setattr("lookups.lookup.checks.estimates.outlasts", lambda *_, **__: True)
        assert customer.lookup().status_code == 202
        Job.objects.update(created_at=timezone.now() - timedelta(seconds=90))
        Heartbeat.objects.filter(role="beat").update(beat_at=timezone.now() - timedelta(hours=2))
        found = read()
        assert found["jobs"]["single", "due"] == 1
        assert 90 <= found["jobs_oldest_due_seconds"]["single",] < 120
        assert found["jobs_oldest_due_seconds"]["bulk",] == 0
        assert found["processes"] == {("web",): 1, ("worker",): 1, ("bulk",): 1, ("beat",): 0}
        assert 7200 <= found["heartbeat_age_seconds"]["beat",] < 7230
        assert found["stalled"] == {("worker",): 1, ("bulk",): 0}

    def test_tell_a_broker_that_is_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = read()
        assert found["broker_up"][()] == 1
        assert set(found["broker_messages"]) == {("interactive",), ("bulk",), ("upkeep",)}
        monkeypatch.setattr("lookups.operations.measures.broker.list_depths", lambda: None)
        assert number("broker_up") == 0

    def test_tell_which_portals_are_left_alone(self, db: None) -> None:
        now = timezone.now()
        rows = (("NY", now + timedelta(minutes=1), 1), ("DE", now - timedelta(minutes=1), 1), ("CO", None, 4))
        for state, until, slowness in rows:
            Breaker.objects.create(state=state, open_until=until, slowness=slowness, reason="down", changed_at=now)
        found = read()
        assert found["breakers_open"][()] == 1
        assert found["breaker_open"] == {("NY",): 1}
        assert found["breaker_slowness"] == {("CO",): 4}

    def test_tell_how_old_the_copies_are_that_answer(self, switches: None) -> None:
        now = timezone.now()
        assert Jurisdiction.objects.get(code="CT").enabled
        assert not Jurisdiction.objects.get(code="VA").enabled
        rows = (("CT", "current", 50), ("CT", "refused", 1), ("GLEIF", "current", 2), ("VA", "current", 90))
        for state, status, days in rows:
            BulkCopy.objects.create(state=state, status=status, as_of=now - timedelta(days=days), started_at=now)
        ages = {state: age // 86400 for (state,), age in read()["copy_age_seconds"].items()}
        assert ages == {"CT": 50, "GLEIF": 2}


class TestTheRequestsCounted:
    """By endpoint, and never by what is in the address."""

    def test_are_known_by_the_pattern_of_their_address(self, tester: Customer) -> None:
        before = read()["http_requests_total"]
        assert tester.lookup("Blue Heron Logistics LLC", "DE").status_code == 200
        tester.get("/v1/lookup/status/job_" + "0" * 32)
        tester.get("/v1/lookup/status/job_" + "1" * 32)
        after = read()["http_requests_total"]
        grown = {labels: value - before.get(labels, 0) for labels, value in after.items()}
        assert grown["POST", "v1/lookup", "200"] == 1
        assert grown["GET", "v1/lookup/status/<str:jobId>", "404"] == 2
        assert read()["http_request_seconds_count"]["v1/lookup/status/<str:jobId>",] >= 2

    def test_have_no_label_that_a_stranger_can_choose(self) -> None:
        client = Client(raise_request_exception=False)
        before = len(read()["http_requests_total"])
        for number in range(30):
            client.get(f"/nowhere-{number}")
            client.get(f"/v1/nowhere-{number}")
            client.generic(f"VERB{number}", "/v1/health")
        assert len(read()["http_requests_total"]) <= before + 4
        assert "nowhere-" not in page()

    @pytest.mark.slow
    @pytest.mark.once
    def test_of_several_processes_are_added_up(self, tmp_path: Path) -> None:
        """Two processes of one web server answer three requests; a third one tells."""
        variables = clean_environment({"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "VAR_DIR": str(tmp_path / "var")})
        program = (
            "import os, sys; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'config.settings.dev')\n"
            "import django; django.setup()\n"
            "from django.test import Client\n"
            "for _ in range(int(sys.argv[1])): Client(SERVER_NAME='localhost').get('/livez')\n"
            "from lookups.operations import metrics\n"
            "from prometheus_client import generate_latest\n"
            "print(generate_latest(metrics._counted()).decode())"
        )
        said = ""
        for times in ("2", "1", "0"):
            command = [sys.executable, "-W", "ignore", "-c", program, times]
            done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            said = done.stdout
        assert 'sos_lookup_http_requests_total{method="GET",route="livez",status="200"} 3.0' in said


class TestTheAccessLog:
    """One line a request."""

    def test_says_who_asked_which_endpoint_and_what_came_of_it(
        self, tester: Customer, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("INFO", logger="access")
        sent = {"x-request-id": "order-17"}
        reply = tester.post("/v1/lookup?fresh=true", {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}, **sent)
        assert reply.status_code == 200
        [record] = [one for one in caplog.records if one.name == "access"]
        told = {name: getattr(record, name) for name in ("method", "route", "status", "account", "bytes")}
        assert told == {
            "method": "POST",
            "route": "v1/lookup",
            "status": 200,
            "account": tester.account.pk,
            "bytes": str(len(reply.content)),
        }
        assert record.ms >= 0
        line = record.getMessage()
        assert re.fullmatch(r"POST v1/lookup 200, \d+ ms, account \d+, \d+ bytes", line)

    def test_has_no_body_no_query_no_key_and_no_address(
        self, tester: Customer, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("INFO")
        tester.post("/v1/lookup?fresh=true&name=secretname", {"entity_name": "Blue Heron Logistics LLC", "state": "DE"})
        Client().get(f"/v1/lookups/lk_privatepart?key={tester.secret}")
        for record in caplog.records:
            everything = json.dumps({name: str(value) for name, value in vars(record).items()})
            for secret in ("secretname", "Blue Heron", tester.secret, "privatepart"):
                assert secret not in everything, record.getMessage()
