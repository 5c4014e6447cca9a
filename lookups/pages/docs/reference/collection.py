"""The requests of the OpenAPI document, ready to be sent, in the form that programs for trying interfaces import.

The form is Postman's (2.1): one file, which Bruno, Insomnia and others import as well. Bruno's own is a folder that
nothing else reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lookups.api.schema.document import read
from lookups.pages.docs import contents
from lookups.pages.docs.guides import HOST
from lookups.pages.docs.reference import operations, samples
from lookups.pages.docs.reference.operations import Operation

FORM = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
COMMITTED = contents.ROOT / "docs" / "sos-lookup.postman_collection.json"
ABOUT = """Every operation of the interface with its examples. Set `key` to an API key: one that begins with `osd_test_`
asks the sandbox and costs nothing, whatever is sent. What a reply names (a lookup, a job, a watch, a key that was made)
is what the next requests are about. Filters are there, switched off."""
NAMED_BY = {
    "lookupId": ("lookupId",),
    "jobId": ("jobId",),
    "job_id": ("job_id",),
    "keyId": ("key", "id"),
    "watchId": ("watch", "id"),
    "entityId": ("data", "entityId"),
    "state": (),
}
"""Where a reply has what an address needs, by its name there; empty: nowhere."""


def write() -> str:
    """The file."""
    return json.dumps(build(), ensure_ascii=False, indent=1) + "\n"


def build() -> dict[str, Any]:
    """The collection: a folder for each tag."""
    return {
        "info": {"name": read()["info"]["title"], "description": " ".join(ABOUT.split()), "schema": FORM},
        "auth": {
            "type": "apikey",
            "apikey": [
                {"key": name, "value": value, "type": "string"}
                for name, value in (("key", "x-api-key"), ("value", "{{key}}"), ("in", "header"))
            ],
        },
        "event": [{"listen": "test", "script": {"type": "text/javascript", "exec": _write_script()}}],
        "variable": [
            {"key": name, "value": value} for name, value in {"host": HOST, "key": "", **_find_values()}.items()
        ],
        "item": [
            {
                "name": tag,
                "description": about,
                "item": [request for one in _sort(members) for request in _list_requests(one)],
            }
            for tag, about, members in operations.by_tag()
        ],
    }


def _sort(members: list[Operation]) -> list[Operation]:
    """What names a thing before what is about it, and what ends it last: so they can be sent one after the other."""
    return sorted(members, key=lambda one: (one.method == "DELETE", "{" in one.path))


def _find_values() -> dict[str, str]:
    """A value for each name in an address, until a reply brings another."""
    asked = [(one.spec, wanted) for one in operations.by_name().values() for wanted in _list_parameters(one, "path")]
    return {wanted["name"]: samples.find_value(spec, wanted) for spec, wanted in reversed(asked)}


def _write_script() -> list[str]:
    found = [f"  {name}: body?.{'?.'.join(path)}," for name, path in NAMED_BY.items() if path]
    return [
        'const isJson = (pm.response.headers.get("Content-Type") || "").includes("json");',
        "const body = isJson ? pm.response.json() : {};",
        "const found = {",
        *found,
        "};",
        "for (const name in found) if (found[name]) pm.collectionVariables.set(name, found[name]);",
    ]


def _list_requests(operation: Operation) -> Iterator[dict[str, Any]]:
    bodies = [
        (example["summary"], example["value"], media_type)
        for media_type, one in operation.spec.get("requestBody", {}).get("content", {}).items()
        for example in one.get("examples", {}).values()
    ]
    for title, body, media_type in bodies or [("", None, "")]:
        name = f"{operation.summary}: {title}" if len(bodies) > 1 else operation.summary
        yield {"name": name, "request": _write_request(operation, body, media_type)}


def _write_request(operation: Operation, body: Any, media_type: str) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": operation.method,
        "description": operation.spec["description"],
        "header": [],
        "url": _write_address(operation),
    }
    if not operation.spec["security"]:
        request["auth"] = {"type": "noauth"}
    if body is not None:
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, indent=2)
        request["header"] = [{"key": "Content-Type", "value": media_type}]
        request["body"] = {"mode": "raw", "raw": text}
    return request


def _write_address(operation: Operation) -> dict[str, Any]:
    path = operation.path.replace("{", "{{").replace("}", "}}")
    query = [
        {"key": one["name"], "value": "", "description": one.get("description", ""), "disabled": True}
        for one in _list_parameters(operation, "query")
    ]
    address = {"raw": f"{{{{host}}}}{path}", "host": ["{{host}}"], "path": path.strip("/").split("/")}
    return {**address, "query": query} if query else address


def _list_parameters(operation: Operation, where: str) -> list[dict[str, Any]]:
    return [one for one in operation.spec.get("parameters", ()) if one["in"] == where]
