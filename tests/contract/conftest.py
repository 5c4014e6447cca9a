"""The served document, and a judge that holds real replies against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
from django.test import Client
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.contract import node
from tests.lookups.conftest import customer, register, tester  # noqa: F401  (used by pytest)

ADDRESS = "urn:openapi"


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """What /openapi.json serves."""
    reply = Client().get("/openapi.json")
    assert reply.status_code == 200
    return dict(reply.json())


@pytest.fixture(scope="session")
def programs() -> None:
    """Skip where the programs from npm are not here: nobody has to have node."""
    missing = node.find_missing()
    if missing:
        pytest.skip(missing)


@pytest.fixture(scope="session")
def judge(document: dict[str, Any]) -> Callable[[Any, str, str], None]:
    """Call with a reply, its method and its path template: raises when the document does not describe it."""
    registry = Registry().with_resource(ADDRESS, Resource(document, DRAFT202012))
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER

    def check(reply: Any, method: str, path: str) -> None:
        described = document["paths"][path][method]["responses"].get(str(reply.status_code))
        assert described, f"{method} {path} answers {reply.status_code}, which the document does not know"
        kind = reply["Content-Type"].split(";")[0]
        assert kind in described["content"], f"{reply.status_code} comes as {kind}"
        pointer = "/".join(
            step.replace("~", "~0").replace("/", "~1")
            for step in ("paths", path, method, "responses", str(reply.status_code), "content", kind, "schema")
        )
        if kind not in ("application/json", "application/problem+json"):
            return  # a file: tests of its own look into it
        schema = {"$ref": f"{ADDRESS}#/{pointer}"}
        jsonschema.Draft202012Validator(schema, registry=registry, format_checker=checker).validate(reply.json())
        unknown = list(undocumented(reply.json(), described["content"][kind]["schema"], document))
        assert unknown == [], f"not in the document: {unknown}"

    return check


def undocumented(value: Any, schema: dict[str, Any], document: dict[str, Any], at: str = "") -> Iterator[str]:
    """Names in a reply that its schema does not list; schemas that leave their names open are left alone."""
    options = [resolved(one, document) for one in schema.get("anyOf", schema.get("oneOf", [schema]))]
    if isinstance(value, dict):
        fitting = [one for one in options if _fits(value, one, document)] or options
        properties = resolved(fitting[0], document).get("properties")
        if properties is None:
            return
        for name, inner in value.items():
            if name not in properties:
                yield f"{at}/{name}"
            else:
                yield from undocumented(inner, resolved(properties[name], document), document, f"{at}/{name}")
    elif isinstance(value, list):
        items = resolved(resolved(options[0], document).get("items", {}), document)
        for inner in value:
            yield from undocumented(inner, items, document, f"{at}[]")


def resolved(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The schema behind a reference, also where words were put beside it."""
    for one in [schema, *schema.get("allOf", [])]:
        if "$ref" in one:
            found: dict[str, Any] = document
            for step in one["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            return resolved(found, document)
    return schema


def _fits(value: dict[str, Any], schema: dict[str, Any], document: dict[str, Any]) -> bool:
    described = resolved(schema, document)
    data = resolved(described.get("properties", {}).get("data", {}), document)
    return set(described.get("required", [])) <= set(value) and set(data.get("required", [])) <= set(
        value.get("data", {}) or {}
    )
