"""Builds the OpenAPI document from the code; the committed copy beside it is frozen by a test."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from lookups.api.schema import bulk, components, offers, webhooks
from lookups.bulk.input import MOST_ROWS

TAGS = {
    "Lookup": "One company, or the liens on it, from its state's own registry.",
    "Bulk": "Up to a thousand companies in one request.",
    "Names": "Whether a name is free in a state.",
    "Watches": "Companies that are checked at intervals, and what was seen of them.",
    "Account": "The balance, what was spent, preferences.",
    "Keys": "The account's API keys: list, create, rotate, revoke.",
    "Service": "What can be asked, and whether the service is well. No key needed.",
    "Webhooks": "What is sent to your server when something has ended.",
}
KEY: list[dict[str, list[str]]] = [{"ApiKeyAuth": []}, {"BearerAuth": []}]
LICENSE = {"name": "Apache 2.0", "identifier": "Apache-2.0"}
CONTACT = {"name": "The operator of this installation"}
LINKS = {
    ("/v1/lookup", "post", "202"): {
        "getJob": {
            "operationId": "getJob",
            "parameters": {"jobId": "$response.body#/jobId"},
            "description": "Its progress, and the answer once there is one.",
        }
    },
    ("/v1/bulk-lookup", "post", "202"): {
        name: {
            "operationId": name,
            "parameters": {"job_id": "$response.body#/job_id"},
            "description": about,
        }
        for name, about in (("getBulkJob", "Its progress, and its results."), ("cancelBulkJob", "End it."))
    },
}
COMMITTED = Path(__file__).resolve().parent.parent / "openapi.yaml"


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """The two headers a key may come in."""

    target_class = "lookups.api.authentication.ApiKeyAuthentication"
    name = ["ApiKeyAuth", "BearerAuth"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        """Both schemes."""
        return [
            {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "`x-api-key: osd_…`"},
            {"type": "http", "scheme": "bearer", "description": "`Authorization: Bearer osd_…`"},
        ]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[str]]]:
        """Either of them will do."""
        return KEY


@lru_cache(maxsize=1)
def read() -> dict[str, Any]:
    """The document, built once in a process; nobody changes what this returns."""
    return build()


def build() -> dict[str, Any]:
    """The document as a dictionary, ready for JSON."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    document = {
        "openapi": made["openapi"],
        "info": made["info"] | {"contact": CONTACT, "license": LICENSE},
        "servers": made["servers"],
        "security": KEY,
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": made["paths"],
        "webhooks": webhooks.build(),
        "components": made["components"],
        "x-service-info": offers.SERVICE,
    }
    document["components"]["schemas"] = dict(sorted((made["components"]["schemas"] | components.build()).items()))
    rows = document["components"]["schemas"]["BulkRequest"]["properties"]["entities"]
    rows |= {"minItems": 1, "maxItems": MOST_ROWS}  # the view judges each row by itself, so no field knows it
    row = document["components"]["schemas"]["BulkEntity"]
    row["properties"] |= {"states": bulk.STATES}  # spread out before a row is judged
    del row["required"]
    document["paths"]["/v1/bulk-lookup"]["post"]["requestBody"]["required"] = True  # not told of a body of two types
    lookup = document["paths"]["/v1/lookup"]["post"]
    lookup["security"] = [*KEY, {}]
    lookup["x-payment-info"] = offers.without_methods()
    for operations in document["paths"].values():
        for operation in operations.values():
            operation.setdefault("security", [])
            operation["responses"] = dict(sorted(operation["responses"].items()))
    for (path, method, status), links in LINKS.items():
        document["paths"][path][method]["responses"][status]["links"] = links
    return document


def to_yaml(document: dict[str, Any]) -> str:
    """The document as it is committed: in the order of the code, long lines kept whole."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # five times as fast where it is there
    """Writes what occurs twice out twice: an alias is hard on a reader."""

    def ignore_aliases(self, data: Any) -> bool:
        """Always."""
        return True
