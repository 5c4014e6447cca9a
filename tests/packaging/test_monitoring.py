"""The alerts and the dashboard speak of what the service tells, and each alert says what to do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import resolve

from lookups.operations import measures
from scrapers.failures import Failure

ROOT = Path(__file__).resolve().parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
DASHBOARD = ROOT / "deploy" / "grafana" / "sos-lookup.json"
OURS = re.compile(r"\bsos_lookup_[a-z0-9_]+")
SELECTED = re.compile(r"\b(sos_lookup_[a-z0-9_]+)\s*\{([^}]*)\}")
LABELS_OF_REQUESTS = {
    "http_requests_total": {"method", "route", "status"},
    "http_request_seconds_bucket": {"route", "le"},
}


def rules() -> list[dict[str, Any]]:
    """Every alert."""
    groups = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    """Every panel of the dashboard that shows something."""
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def expressions() -> list[str]:
    """Everything that is asked of Prometheus."""
    return [rule["expr"] for rule in rules()] + [target["expr"] for panel in panels() for target in panel["targets"]]


def series(page: str) -> set[str]:
    """The name of every series that a page of metrics can have."""
    endings = {"histogram": ("_bucket", "_count", "_sum")}
    typed = re.findall(r"^# TYPE (\S+) (\S+)$", page, re.MULTILINE)
    return {name + ending for name, kind in typed for ending in endings.get(kind, ("",))}


@pytest.fixture
def told(settings: Any, switches: None) -> set[str]:
    """What the service's own page has."""
    settings.METRICS_TOKEN = "letmein"
    reply = Client().get("/metrics", headers={"authorization": "Bearer letmein"})
    return series(reply.content.decode())


@pytest.mark.django_db
class TestWhatIsWatched:
    """deploy/."""

    def test_is_measured_by_the_service(self, told: set[str]) -> None:
        asked = {name for expression in expressions() for name in OURS.findall(expression)}
        assert len(asked) > 30
        assert asked - told == set()

    def test_is_everything_that_the_service_tells(self, told: set[str]) -> None:
        """A number that nobody looks at is not worth its query."""
        asked = {name for expression in expressions() for name in OURS.findall(expression)}
        assert {name for name in told - asked if not name.endswith("_created")} == set()

    def test_is_chosen_by_labels_that_there_are(self, switches: None) -> None:
        from django.utils import timezone

        known = {gauge.name: set(gauge.labels) for gauge in measures.read(now=timezone.now())} | LABELS_OF_REQUESTS
        chosen = [found for expression in expressions() for found in SELECTED.findall(expression)]
        assert chosen
        for name, selector in chosen:
            labels = set(re.findall(r"([a-z_]+)\s*(?:=~|!~|!=|=)", selector))
            assert labels <= known[name.removeprefix("sos_lookup_")], name


class TestAnAlert:
    """deploy/prometheus/alerts.yml."""

    @pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
    def test_is_explained_in_the_runbook(self, rule: dict[str, Any]) -> None:
        assert re.search(
            rf"^\| `{rule['alert']}` \| .+ \| .+ \|$", (ROOT / "docs/runbook.md").read_text(), re.MULTILINE
        )
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"]

    def test_is_tried_going_off_and_staying_quiet(self) -> None:
        tests = yaml.safe_load((PROMETHEUS / "alerts_test.yml").read_text())["tests"]
        tried = [(one["alertname"], bool(one["exp_alerts"])) for test in tests for one in test["alert_rule_test"]]
        for rule in rules():
            assert {off for name, off in tried if name == rule["alert"]} == {True, False}, rule["alert"]

    def test_of_slow_answers_leaves_out_every_door_that_waits_for_registries_and_no_other(self) -> None:
        [rule] = [rule["expr"] for rule in rules() if rule["alert"] == "SlowAnswers"]
        [left_out] = re.findall(r'route!~"([^"]+)"', rule)
        mark = "0" * 32
        asks = [
            "/v1/lookup",
            "/v1/name-availability",
            "/mcp",
            "/reconcile/osd_x/",
            "/reconcile/osd_x",
            "/try/",
            "/app/",
        ]
        asks += [f"/app/lookups/lk_{mark}/again/", f"/app/bulk/bulk_{mark}/rows/3/"]
        reads = [
            "/",
            "/v1/states",
            "/v1/lookups",
            f"/v1/lookups/lk_{mark}",
            f"/v1/lookup/status/job_{mark}",
            "/v1/watches",
        ]
        reads += ["/v1/account/balance", "/docs/", "/app/balance/", f"/app/lookups/lk_{mark}/", "/app/bulk/", "/admin/"]
        for address in asks + reads:
            assert bool(re.fullmatch(left_out, resolve(address).route)) is (address in asks), address

    def test_of_registries_does_not_mean_those_that_an_operator_switched_off(self) -> None:
        [rule] = [rule["expr"] for rule in rules() if rule["alert"] == "RegistriesUnavailable"]
        asked = [selector for _, selector in re.findall(r"(sos_lookup_lookups_recent)(\{[^}]*\})?", rule)]
        assert len(asked) == 3
        assert all(f'reason!="{Failure.DISABLED.value}"' in selector for selector in asked)

    @pytest.mark.parametrize("what", ["ledger_reconciliation", "provider_comparison", "chain_comparison"])
    def test_tells_of_books_that_were_never_compared_at_all(self, what: str) -> None:
        """-1 before the first time is never more than three hours."""
        [rule] = [rule["expr"] for rule in rules() if rule["alert"] == "ReconciliationLate"]
        name = f"sos_lookup_{what}_age_seconds"
        assert f"min({name} offset 3h) == -1 and min({name}) == -1" in rule

    @pytest.mark.parametrize(
        "arguments",
        [
            ("check", "rules", "alerts.yml"),
            ("test", "rules", "alerts_test.yml"),
            ("check", "config", "--syntax-only", "prometheus.yml"),
        ],
        ids=" ".join,
    )
    def test_is_understood_by_prometheus_itself(self, arguments: tuple[str, ...]) -> None:
        program = shutil.which("promtool")
        if program is None:
            pytest.skip("promtool is not on this machine (Debian's package prometheus has it)")
        version = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=300).stdout
        if "config" in arguments and [int(one) for one in re.findall(r"\d+", version)[:2]] < [2, 55]:
            pytest.skip("this promtool does not know http_headers, which Prometheus has since 2.55")
        done = subprocess.run([program, *arguments], cwd=PROMETHEUS, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr


class TestTheScrapeConfiguration:
    """deploy/prometheus/prometheus.yml."""

    @pytest.mark.django_db
    def test_reads_every_web_server_of_the_compose_file_as_production_answers(self, settings: Any) -> None:
        [job] = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())["scrape_configs"]
        services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
        servers = {f"{name}:8000" for name, one in services.items() if "web" in one.get("command", ())}
        [targets] = [set(one["targets"]) for one in job["static_configs"]]
        assert targets == servers != set()
        settings.METRICS_TOKEN, settings.ALLOWED_HOSTS = "letmein", ["sos.example.com", "web", "web2"]
        settings.SECURE_SSL_REDIRECT = True
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        told = {name: one["values"][0] for name, one in job.get("http_headers", {}).items()}
        for host in targets:
            reply = Client().get("/metrics", headers={"host": host, "authorization": "Bearer letmein", **told})
            assert reply.status_code == 200
        assert job.get("scheme", "http") == "http"  # what a web server speaks


class TestTheDashboard:
    """deploy/grafana/sos-lookup.json."""

    def test_has_panels_that_ask_the_chosen_prometheus(self) -> None:
        board = json.loads(DASHBOARD.read_text())
        assert [one["name"] for one in board["templating"]["list"]] == ["datasource"]
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids)) > 20
        for panel in panels():
            assert panel["title"]
            assert panel["description"]
            assert panel["datasource"]["uid"] == "${datasource}"
            assert panel["targets"]

    def test_lays_no_panel_over_another(self) -> None:
        taken: set[tuple[int, int]] = set()
        for panel in json.loads(DASHBOARD.read_text())["panels"]:
            place = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert place["x"] + place["w"] <= 24
            assert not cells & taken, panel["title"]
            taken |= cells
