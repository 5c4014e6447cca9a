"""A program for tables, as OpenRefine asks: forms with JSON in them, from a page on another host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.test import Client
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[4] / "shared/referees/reconciliation-0.2"


def judge(answer: Any, schema: str) -> None:
    """By the specification's own schema, where it is there."""
    if not SCHEMAS.is_dir():
        pytest.skip(f"no schemas at {SCHEMAS}")
    read = {path.name: json.loads(path.read_text()) for path in SCHEMAS.glob("*.json")}
    resources = [Resource.opaque(one) for one in read.values()]
    near = "https://reconciliation-api.github.io/specs/0.2/schemas/type.json"
    swagger = "http://swagger.io/v2/schema.json"
    registry: Registry[Any] = Registry().with_resources(
        [(one.get("$id", name), resource) for (name, one), resource in zip(read.items(), resources, strict=True)]
        + [(near, Resource.opaque(read["type.json"])), (swagger, Resource.opaque({}))]
    )
    jsonschema.Draft7Validator(read[f"{schema}.json"], registry=registry).validate(answer)


class Program:
    """With a key of its own in the address."""

    def __init__(self, secret: str) -> None:
        self.client, self.root = Client(HTTP_ORIGIN="http://127.0.0.1:3333"), f"/reconcile/{secret}"

    def read(self, path: str = "/", **query: str) -> Any:
        reply = self.client.get(self.root + path, query)
        assert reply.status_code == 200, reply.content
        assert reply["Access-Control-Allow-Origin"] == "*"
        return reply.json()

    def reconcile(self, **queries: Any) -> dict[str, Any]:
        """Candidates by row."""
        judge(queries, "reconciliation-query-batch")
        reply = self.client.post(f"{self.root}/", {"queries": json.dumps(queries)})
        assert reply.status_code == 200, reply.content
        found: dict[str, Any] = reply.json()
        judge(found, "reconciliation-result-batch")
        assert found.keys() == queries.keys()
        return {name: one["result"] for name, one in found.items()}

    def extend(self, ids: list[str], *columns: str) -> dict[str, Any]:
        """Values by company and column."""
        asked = {"ids": ids, "properties": [{"id": column} for column in columns]}
        judge(asked, "data-extension-query")
        reply = self.client.post(f"{self.root}/", {"extend": json.dumps(asked)})
        assert reply.status_code == 200, reply.content
        found: dict[str, Any] = reply.json()
        judge(found, "data-extension-response")
        rows: dict[str, Any] = found["rows"]
        return rows
