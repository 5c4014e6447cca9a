"""What an operator finds in the log: what broke here, which request it was, and nothing that buries either."""

from __future__ import annotations

import io
import json
import logging
import logging.config
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from config.logging import logging_config
from lookups.models import BulkJob
from scrapers.states.new_york import NewYork
from tests.lookups.conftest import Customer
from tests.lookups.messages import deliver, end_bulk, end_jobs, listen_at
from tests.lookups.registry_server import Register
from tests.lookups.webhook_receiver import receiving, says

pytestmark = pytest.mark.django_db


def errors(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [record for record in caplog.records if record.name == "django.request"]


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Every line of the log so far, as `LOG_FORMAT=json` writes it for collectors."""
    config = logging_config(level="INFO", style="json")
    made = logging.config.DictConfigurator(config)
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(made.configure_formatter(config["formatters"]["json"]))
    for name in config["handlers"]["stderr"]["filters"]:
        handler.addFilter(made.configure_filter(config["filters"][name]))
    root = logging.getLogger()
    root.addHandler(handler)
    yield lambda: [json.loads(line) for line in handler.stream.getvalue().splitlines()]
    root.removeHandler(handler)


class TestTheLog:
    """Of requests."""

    def test_is_silent_about_a_registry_that_is_down(
        self, customer: Customer, register: Register, caplog: pytest.LogCaptureFixture
    ) -> None:
        register.status = 403
        assert customer.lookup().status_code == 503
        assert errors(caplog) == []

    def test_tells_of_a_crash_with_its_place(
        self, customer: Customer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.api.views.lookup.perform", lambda **_: 1 / 0)
        reply = customer.lookup()
        assert (reply.status_code, reply.json()["code"]) == (500, "internal_error")
        [told] = errors(caplog)
        assert told.exc_info[0] is ZeroDivisionError

    def test_has_one_line_and_no_traceback_of_a_wrong_host_name(
        self, settings: Any, lines: Callable[[], list[dict[str, Any]]]
    ) -> None:
        settings.ALLOWED_HOSTS = ["lookup.test"]
        reply = Client(raise_request_exception=False).get("/v1/health", headers={"host": "evil.test"})
        assert reply.status_code == 400
        [told] = [line for line in lines() if line["name"].startswith("django.security")]
        assert "evil.test" in told["message"]
        assert "exc_info" not in told
        assert "Traceback" not in json.dumps(lines())

    def test_reads_for_people_with_the_request_behind_each_line(self) -> None:
        config = logging_config(level="INFO", style="text")
        formatter = logging.config.DictConfigurator(config).configure_formatter(config["formatters"]["text"])
        record = logging.makeLogRecord({"name": "access", "levelname": "INFO", "msg": "GET livez"})
        assert formatter.format(record).endswith("INFO    access: GET livez")
        record.behind = " [abc]"
        assert formatter.format(record).endswith("INFO    access: GET livez [abc]")


class TestARequestsId:
    """From the API through queue and portal to the webhook."""

    @pytest.fixture(autouse=True)
    def plays_the_workers(self, register: Register, settings: Any, no_workers: None) -> None:
        settings.WEBHOOKS_TO_LOOPBACK = True

    def test_is_in_every_line_of_a_lookup_that_is_answered_at_once(
        self, customer: Customer, lines: Callable[[], list[dict[str, Any]]]
    ) -> None:
        reply = customer.lookup(headers={"x-request-id": "order-17"})
        assert reply.headers["X-Request-Id"] == "order-17"
        assert [(line["name"], line["request_id"]) for line in lines()] == [
            ("scrapers.gateway", "order-17"),
            ("access", "order-17"),
        ]

    def test_goes_with_a_job_to_the_worker_and_to_the_webhook(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch, lines: Callable[[], list[dict[str, Any]]]
    ) -> None:
        monkeypatch.setattr(NewYork, "slow", True)
        with receiving(says(204)) as server:
            listen_at(customer, server)
            assert customer.lookup(headers={"x-request-id": "order-18"}).status_code == 202
            end_jobs()
            assert deliver() == 1
        assert server.requests[0].headers["x-request-id"] == "order-18"
        named = {line["name"] for line in lines() if line.get("request_id") == "order-18"}
        assert named == {"access", "scrapers.gateway", "lookups.notifications.sending"}

    def test_goes_with_every_row_of_a_bulk_request(
        self, customer: Customer, lines: Callable[[], list[dict[str, Any]]]
    ) -> None:
        rows = [{"entity_name": name, "state": "NY"} for name in ("Acme Corp", "Zebra Inc")]
        with receiving(says(204)) as server:
            listen_at(customer, server)
            assert customer.post("/v1/bulk-lookup", {"entities": rows}, x_request_id="order-19").status_code == 202
            end_bulk()
            assert BulkJob.objects.get().ended_at is not None
            assert deliver() == 1
        assert server.requests[0].headers["x-request-id"] == "order-19"
        told = [line["name"] for line in lines() if line.get("request_id") == "order-19"]
        assert sorted(told) == ["access", *["lookups.notifications.sending"], *["scrapers.gateway"] * 2]

    @pytest.mark.parametrize("sent", ["", "a b", "x" * 65, 'a"; drop', "ä", "a\tb"])
    def test_is_made_here_where_the_one_that_was_sent_is_not_well_formed(self, sent: str) -> None:
        made = Client().get("/livez", headers={"x-request-id": sent}).headers["X-Request-Id"]
        assert made != sent
        assert len(made) == 32

    def test_ends_with_its_request(self, customer: Customer, lines: Callable[[], list[dict[str, Any]]]) -> None:
        customer.lookup(headers={"x-request-id": "order-20"})
        logging.getLogger("lookups").info("Somebody else's work.")
        assert "request_id" not in lines()[-1]
