"""What leaves the house to Sentry and to a collector of traces: where something broke and how long it took, no more."""

from __future__ import annotations

import gzip
import http.server
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.journeys.checkout import ROOT, clean_environment
from tests.serving import in_background

pytestmark = pytest.mark.slow
SECRETS = ("Acme Secret", "acme-query", "osd_live", "hidden-value", "hidden-local", "body-name")
# One request breaks down with all that must not be told around it; a second one is answered.
PROGRAM = """
import os, sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
import django
django.setup()
from django.test import Client
from lookups.api.views import service

def breaks_down():
    local = "hidden-local"
    raise ValueError("hidden-value of Acme Secret")

client = Client(raise_request_exception=False, SERVER_NAME="localhost")
headers = {"x-api-key": "osd_live", "x-request-id": "order-17"}
assert client.get("/livez?q=acme-query", headers=headers).status_code == 200
service.readiness.list_reasons = breaks_down
reply = client.get("/readyz?q=acme-query", headers=headers)
assert reply.status_code == 500, reply.status_code
if "sentry_sdk" in sys.modules:
    sys.modules["sentry_sdk"].flush(timeout=300)  # at the end it waits for two seconds, which a busy machine may take
print([name for name in ("sentry_sdk", "opentelemetry.exporter") if name in sys.modules])
"""


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes whatever is posted."""

    posted: list[tuple[str, bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        plain = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        self.posted.append((self.path, plain))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[str]:
    """A server on loopback that plays both."""
    Collector.posted = []
    with in_background(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)) as server:
        yield f"127.0.0.1:{server.server_port}"


def live(folder: Path, **variables: str) -> list[str]:
    """Run the program to its end with these variables; returns which libraries it had loaded by then."""
    environment = clean_environment({"VAR_DIR": str(folder)} | variables)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    loaded: list[str] = json.loads(done.stdout.replace("'", '"'))
    return loaded


def events() -> list[dict[str, Any]]:
    """What Sentry was sent: the event of each envelope."""
    return [json.loads(body.split(b"\n")[2]) for path, body in Collector.posted if path.endswith("/envelope/")]


class TestReporting:
    """Of errors and of traces."""

    def test_is_off_and_loads_nothing_without_its_variables(self, tmp_path: Path, collector: str) -> None:
        assert live(tmp_path) == []
        assert Collector.posted == []

    def test_of_an_error_tells_where_it_broke_and_nothing_of_the_request(self, tmp_path: Path, collector: str) -> None:
        assert live(tmp_path, SENTRY_DSN=f"http://public@{collector}/1") == ["sentry_sdk"]
        [event] = events()
        [error] = event["exception"]["values"]
        assert error["type"] == "ValueError"
        assert error["stacktrace"]["frames"][-1]["function"] == "breaks_down"
        assert event["tags"] == {"request_id": "order-17"}
        assert {"request", "user", "extra", "breadcrumbs", "modules", "server_name"} & set(event) == set()
        self.assert_nothing_private()

    def test_of_traces_tells_route_time_and_status_under_one_trace_a_request(
        self, tmp_path: Path, collector: str
    ) -> None:
        assert live(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{collector}") == ["opentelemetry.exporter"]
        assert {path for path, _ in Collector.posted} == {"/v1/traces"}
        spans = [
            span
            for _, body in Collector.posted
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        told = [{one.key: one.value.string_value or one.value.int_value for one in span.attributes} for span in spans]
        assert told == [
            {"request_id": "order-17", "method": "GET", "route": "livez", "status": 200},
            {"request_id": "order-17", "method": "GET", "route": "readyz", "status": 500},
        ]
        assert len({span.trace_id for span in spans}) == 1
        self.assert_nothing_private()

    def assert_nothing_private(self) -> None:
        assert Collector.posted
        for _, body in Collector.posted:
            assert [secret for secret in SECRETS if secret.encode() in body] == []


class TestAVariable:
    """Whose library the image has only where it was built with it."""

    @pytest.mark.parametrize(
        ("variable", "library"),
        [("SENTRY_DSN", "sentry_sdk"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "opentelemetry.sdk.trace")],
    )
    def test_without_its_library_stops_the_start_with_what_to_install(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch, variable: str, library: str
    ) -> None:
        from django.core.exceptions import ImproperlyConfigured

        from config import reporting

        setattr(settings, variable, "http://public@127.0.0.1:1/1")
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(ImproperlyConfigured, match=f"{variable} .*reporting.txt"):
            reporting.start()

    @pytest.mark.filterwarnings("ignore:The send_default_pii option:DeprecationWarning")
    def test_that_is_no_address_stops_the_start(self, settings: Any) -> None:
        from django.core.exceptions import ImproperlyConfigured

        from config import reporting

        settings.SENTRY_DSN = "errors.example.com"
        with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN is no address to report to: "):
            reporting.start()
