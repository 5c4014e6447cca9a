"""What the document shows as a request is taken by the service, and answered as the document says."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import keys
from scrapers.sandbox.changing import CHANGING
from scrapers.sandbox.magic import MAGIC
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_bulk, end_jobs
from tests.lookups.watches.looks import look, look_again

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_workers")]
Judge = Callable[[Any, str, str], None]
FORBIDDEN_TO_TEST_KEYS = {"/v1/account/topup", "/v1/account/settings"}


def shown(document: dict[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """Every request example: method, path, type and body."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                for example in content["examples"].values():
                    yield method, path, kind, example["value"]


def send(tester: Customer, method: str, path: str, kind: str = "application/json", **how: Any) -> Any:
    """With the key of the sandbox."""
    client = Client(raise_request_exception=False)
    return getattr(client, method)(path, headers={"x-api-key": tester.secret}, content_type=kind, **how)


def a_key(tester: Customer) -> str:
    """Another key of the same account and mode."""
    return keys.issue(account=tester.account, name="k", mode="test", now=timezone.now())[0].public_id


def a_watch(tester: Customer) -> str:
    """Another watch of the same account and mode, of a company that changes at each look."""
    asked = {"state": "DE", "entity_name": CHANGING["changes"], "ref": uuid.uuid4().hex, "tell_unchanged": True}
    watch_id: str = tester.post("/v1/watches", asked).json()["watch"]["id"]
    return watch_id


class TestAnExampleOfAnAmbiguousName:
    """As the reference and the page of errors show it."""

    def test_has_companies_to_choose_from_that_fit_equally_well(self, document: dict[str, Any]) -> None:
        """Both had one number, of which nobody can choose one, and only one of them fitted."""
        replies = document["paths"]["/v1/lookup"]["post"]["responses"]["404"]["content"]["application/json"]["examples"]
        [shown_] = [one["value"] for one in replies.values() if one["value"]["code"] == "ambiguous_name"]
        assert len({one["entityId"] for one in shown_["suggestions"]}) == len(shown_["suggestions"]) > 1
        assert {one["score"] for one in shown_["suggestions"]} == {1.0}


class TestAnExampleOfARequest:
    """Sent to the running service with a key of the sandbox."""

    def test_is_taken_and_answered_as_described(self, tester: Customer, document: dict[str, Any], judge: Judge) -> None:
        sent = 0
        for method, path, kind, body in shown(document):
            address = path.format(keyId=a_key(tester), watchId=a_watch(tester))
            reply = send(tester, method, address, kind, data=body)
            judge(reply, method, path)
            wanted = (403,) if path in FORBIDDEN_TO_TEST_KEYS else (200, 201, 202)
            assert reply.status_code in wanted, (path, reply.content)
            sent += 1
        assert sent >= 8


class TestAnOperationWithoutABody:
    """Asked for what was made just before."""

    def test_is_answered_as_described(self, tester: Customer, document: dict[str, Any], judge: Judge) -> None:
        job = tester.lookup(MAGIC["later"], "DE").json()["jobId"]
        bulk = tester.post("/v1/bulk-lookup", {"entities": [{"entity_name": MAGIC["found"], "state": "DE"}]}).json()
        found = tester.lookup(MAGIC["found"], "DE").json()
        named = {"jobId": job, "job_id": bulk["job_id"], "lookupId": found["lookupId"], "keyId": a_key(tester)}
        named |= {"state": "DE", "entityId": found["data"]["entityId"]}
        a_watch(tester)
        for finish in (lambda: None, lambda: (end_jobs(), end_bulk(), look(), look_again())):
            finish()
            for path, operations in document["paths"].items():
                for method in set(operations) & {"get", "delete"}:
                    if "{watchId}" in path:
                        named["watchId"] = a_watch(tester)  # the one before may have been deleted
                    address = re.sub(r"\{(\w+)\}", lambda name: named[name[1]], path)
                    reply = send(tester, method, address)
                    assert reply.status_code == 200, (method, address, reply.content)
                    judge(reply, method, path)
        assert len(tester.get("/v1/events").json()["events"]) > 3

    def test_of_a_watch_is_answered_as_described(self, tester: Customer, judge: Judge) -> None:
        watch_id, path = a_watch(tester), "/v1/watches/{watchId}/checks"
        judge(send(tester, "post", path.format(watchId=watch_id)), "post", path)
        look()
        judge(send(tester, "get", path.format(watchId=watch_id)), "get", path)
        tester.patch(f"/v1/watches/{watch_id}", {"status": "paused"})
        refused = send(tester, "post", path.format(watchId=watch_id))
        assert refused.status_code == 409
        judge(refused, "post", path)

    def test_answers_a_failed_job_as_described(self, tester: Customer, judge: Judge) -> None:
        from lookups.jobs import lifecycle, runner

        address = tester.lookup(MAGIC["later"], "DE").json()["statusUrl"]
        runner.sweep(now=timezone.now() + lifecycle.MAX_WAIT)
        reply = tester.get(address)
        assert reply.status_code == 500
        judge(reply, "get", "/v1/lookup/status/{jobId}")
