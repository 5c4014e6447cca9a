"""The OpenAPI document: generated from the code, committed, frozen, served, and readable without another host."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import CommandError, call_command
from django.test import Client
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from lookups.api.schema import document as built
from lookups.api.wire.words import CODES
from lookups.mcp import tools
from lookups.pages.docs.reference import collection

OUTSIDE = re.compile(r"""(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}""", re.IGNORECASE)


class TestTheDocument:
    """One description of the contract."""

    def test_is_committed_as_the_code_makes_it(self) -> None:
        call_command("openapi", "--check")

    def test_that_was_changed_by_hand_is_noticed(self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        copy = tmp_path / "openapi.yaml"
        copy.write_text(built.COMMITTED.read_text(encoding="utf-8").replace("1.3.0", "1.3.1"), encoding="utf-8")
        monkeypatch.setattr(built, "COMMITTED", copy)
        with pytest.raises(CommandError, match="differs"):
            call_command("openapi", "--check")

    def test_is_written_as_it_is_committed(self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        files = {tmp_path / file.COMMITTED.name: file for file in (built, collection)}
        committed = [file.COMMITTED.read_text(encoding="utf-8") for file in files.values()]
        for copy, file in files.items():
            monkeypatch.setattr(file, "COMMITTED", copy)
        call_command("openapi", "--write", verbosity=0)
        assert [copy.read_text(encoding="utf-8") for copy in files] == committed

    def test_is_served_as_committed(self, document: dict[str, Any]) -> None:
        committed = json.loads(json.dumps(tools.document()))  # by the quicker loader
        committed["info"]["contact"]["email"] = settings.CONTACT  # who is asked is each installation's own
        assert document == committed

    def test_may_be_kept_for_five_minutes(self) -> None:
        reply = Client().get("/openapi.json")
        assert reply["Content-Type"] == "application/json"
        assert "max-age=300" in reply["Cache-Control"]

    def test_is_openapi_3_1_0_of_interface_1_3_0(self, document: dict[str, Any]) -> None:
        assert document["openapi"] == "3.1.0"
        assert document["info"]["version"] == "1.3.0"

    def test_names_the_key_as_existing_clients_know_it(self, document: dict[str, Any]) -> None:
        schemes = document["components"]["securitySchemes"]
        assert schemes["ApiKeyAuth"]["in"] == "header"
        assert schemes["ApiKeyAuth"]["name"] == "x-api-key"
        assert schemes["ApiKeyAuth"]["type"] == "apiKey"
        assert (schemes["BearerAuth"]["type"], schemes["BearerAuth"]["scheme"]) == ("http", "bearer")
        assert document["security"] == [{"ApiKeyAuth": []}, {"BearerAuth": []}]
        assert document["paths"]["/v1/lookup"]["post"]["security"] == [{"ApiKeyAuth": []}, {"BearerAuth": []}, {}]
        for path in ("/v1/states", "/v1/health"):
            assert document["paths"][path]["get"]["security"] == []

    def test_describes_every_error_of_a_lookup(self, document: dict[str, Any]) -> None:
        told = set(document["paths"]["/v1/lookup"]["post"]["responses"])
        assert told >= {"200", "400", "401", "402", "403", "404", "409", "413", "415", "429", "500", "503"}

    def test_gives_examples_that_fit_its_own_shapes(self, document: dict[str, Any]) -> None:
        registry = Registry().with_resource("urn:openapi", Resource(document, DRAFT202012))
        seen = 0
        for operations in document["paths"].values():
            for operation in operations.values():
                bodies = [operation["requestBody"]] if "requestBody" in operation else []
                for body in [*bodies, *operation["responses"].values()]:
                    for content in body.get("content", {}).values():
                        schema = json.loads(json.dumps(content["schema"]).replace('"#/', '"urn:openapi#/'))
                        for example in content.get("examples", {}).values():
                            jsonschema.Draft202012Validator(schema, registry=registry).validate(example["value"])
                            seen += 1
        assert seen >= 15

    @pytest.mark.django_db
    def test_names_no_endpoint_that_is_not_there(self, document: dict[str, Any]) -> None:
        client = Client()
        for path, operations in document["paths"].items():
            if "{" not in path:
                for method in operations:
                    reply = getattr(client, method)(path, content_type="application/json") if method != "get" else None
                    assert reply is None or reply.status_code != 404, path


@pytest.mark.django_db
class TestTheFormToTryIt:
    """/docs/swagger/."""

    def test_has_no_outside_host(self) -> None:
        reply = Client().get("/docs/swagger/")
        assert reply.status_code == 200
        assert OUTSIDE.findall(reply.content.decode()) == []
        policy = reply["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "connect-src 'self'" in policy

    def test_finds_all_its_parts_here(self) -> None:
        html = Client().get("/docs/swagger/").content.decode()
        parts = re.findall(r'(?:src|href)="(/static/[^"]+)"', html)
        assert len(parts) >= 4
        for part in parts:
            assert finders.find(part.removeprefix("/static/")), part

    def test_asks_no_validator(self) -> None:
        path = finders.find("lookups/swagger.js")
        assert isinstance(path, str)
        with open(path, encoding="utf-8") as script:
            assert "validatorUrl: null" in script.read()

    def test_is_one_click_away(self) -> None:
        assert 'href="/docs/swagger/"' in Client().get("/docs/").content.decode()


class TestTheCodes:
    """Of errors, as the document tells them."""

    def test_tells_a_name_that_several_have_from_one_that_nobody_has(self, document: dict[str, Any]) -> None:
        assert "no such company" not in CODES["ambiguous_name"]
        assert "`entity_id`" in CODES["ambiguous_name"]
        not_found = document["paths"]["/v1/lookup"]["post"]["responses"]["404"]
        assert "or several that fit equally well" in not_found["description"]
        shown = not_found["content"]["application/json"]["examples"].values()
        assert {one["value"]["code"] for one in shown} == {"entity_not_found", "ambiguous_name"}
