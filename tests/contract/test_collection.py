"""The collection of ready requests: made from the document, without a secret, and every request of it is answered."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from lookups import tasks
from lookups.pages.docs.reference import collection
from tests.lookups.conftest import Customer

OF_SHAPE = {400, 404, 405, 406, 413, 415, 422}


class Program:
    """Sends a collection's requests one after the other, and puts what replies name into its variables."""

    def __init__(self, key: str) -> None:
        self.file = json.loads(collection.COMMITTED.read_text(encoding="utf-8"))
        self.variables = {one["key"]: one["value"] for one in self.file["variable"]} | {"host": "", "key": key}
        script = "\n".join(self.file["event"][0]["script"]["exec"])
        self.named_by = {name: path.split("?.") for name, path in re.findall(r"^  (\w+): body\?\.(.+),$", script, re.M)}

    def list_requests(self) -> list[tuple[str, dict[str, Any]]]:
        folders = self.file["item"]
        return [(f"{folder['name']}: {one['name']}", one["request"]) for folder in folders for one in folder["item"]]

    def fill(self, text: str) -> str:
        return re.sub(r"\{\{(\w+)\}\}", lambda found: str(self.variables[found[1]]), text)

    def send(self, request: dict[str, Any]) -> Any:
        headers = {one["key"]: one["value"] for one in request["header"]}
        if request.get("auth", self.file["auth"])["type"] == "apikey":
            auth = {one["key"]: self.fill(one["value"]) for one in self.file["auth"]["apikey"]}
            assert auth["in"] == "header"
            headers[auth["key"]] = auth["value"]
        body = self.fill(request.get("body", {}).get("raw", ""))
        kind = headers.pop("Content-Type", "application/octet-stream")
        path = self.fill(request["url"]["raw"])
        reply = Client().generic(request["method"], path, body, content_type=kind, headers=headers)
        if reply["Content-Type"] == "application/json" and reply.content:
            self.keep(reply.json())
        return reply

    def keep(self, body: dict[str, Any]) -> None:
        for name, path in self.named_by.items():
            found: Any = body
            for step in path:
                found = found.get(step) if isinstance(found, dict) else None
            if found:
                self.variables[name] = found


@pytest.fixture
def program(tester: Customer, monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Program:
    """Of somebody with a test key, a lookup that was answered later, and an address for webhooks."""
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
    tester.patch("/v1/account/settings", {"webhookUrl": "https://hooks.example.com/"})
    made = Program(tester.secret)
    made.keep(tester.lookup("Magic Later LLC", "CA").json())
    tasks.run_job(job_id=made.variables["jobId"].removeprefix("job_"))
    return made


class TestTheCollection:
    """docs/sos-lookup.postman_collection.json."""

    def test_has_every_operation_of_the_document(self, document: dict[str, Any]) -> None:
        asked = {
            (request["method"], request["url"]["raw"].replace("{{host}}", "").replace("{{", "{").replace("}}", "}"))
            for _, request in Program("").list_requests()
        }
        assert asked == {(method.upper(), path) for path, one in document["paths"].items() for method in one}

    def test_that_was_changed_by_hand_is_noticed(self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        copy = tmp_path / "requests.json"
        copy.write_text(collection.COMMITTED.read_text(encoding="utf-8").replace("DELETE", "GET"), encoding="utf-8")
        monkeypatch.setattr(collection, "COMMITTED", copy)
        with pytest.raises(CommandError, match=r"requests\.json differs"):
            call_command("openapi", "--check")

    @pytest.mark.django_db
    def test_asks_nothing_that_the_service_cannot_read(self, program: Program) -> None:
        requests = program.list_requests()
        replies = [(name, program.send(request)) for name, request in requests]
        wrong = {*OF_SHAPE, *range(500, 600)}
        refused = {name: reply.content for name, reply in replies if reply.status_code in wrong}
        assert refused == {}
        assert sum(reply.status_code < 300 for _, reply in replies) > len(requests) - 5

    def test_has_no_secret(self) -> None:
        assert Program("").file["variable"][1] == {"key": "key", "value": ""}
        assert re.findall(r"osd_[a-z2-7]{8}|osd_test_[a-z2-7]{8}|whsec_", collection.COMMITTED.read_text()) == []

    def test_is_had_from_the_site_with_its_own_address(self) -> None:
        reply = Client().get("/docs/sos-lookup.postman_collection.json")
        variables = {one["key"]: one["value"] for one in reply.json()["variable"]}
        assert variables["host"] == settings.PUBLIC_URL
        assert reply["Content-Type"] == "application/json"
