"""A client that openapi-python-client makes of the document, as a stranger would: a package in a folder of its own."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "generated_client_of_the_document"
CONFIG = {
    "post_hooks": [],  # no formatting: nobody reads it
    "content_type_overrides": {  # it knows neither, and would leave them out
        "text/csv": "application/octet-stream",
        "application/wacz": "application/octet-stream",
    },
}


def make(document: dict[str, Any], folder: Path) -> Path:
    """Write the client into the folder; a warning of the generator is an error."""
    described, config, target = folder / "openapi.json", folder / "config.json", folder / PACKAGE
    described.write_text(json.dumps(document), encoding="utf-8")
    config.write_text(json.dumps(CONFIG), encoding="utf-8")
    where = ["--path", str(described), "--output-path", str(target), "--config", str(config)]
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning", *where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def list_modules() -> list[ModuleType]:
    """Every module of the client, imported."""
    package = importlib.import_module(PACKAGE)
    found = pkgutil.walk_packages(package.__path__, PACKAGE + ".")
    return [importlib.import_module(one.name) for one in found]


def list_operations() -> list[ModuleType]:
    """Those of its modules that call an operation of the document each."""
    return [one for one in list_modules() if hasattr(one, "sync_detailed")]


def list_classes(module: str, kind: type = object) -> dict[str, type]:
    """The classes in one of its modules that are of a kind, by name."""
    there = vars(importlib.import_module(f"{PACKAGE}.{module}"))
    return {name: one for name, one in there.items() if isinstance(one, type) and issubclass(one, kind)}


def list_numbered(names: set[str]) -> set[str]:
    """Names such as FooType1 beside Foo: one thing that became several classes."""
    return {name for name in names if name.rstrip("0123456789").removesuffix("Type") in names - {name}}


def list_untyped(value: Any, at: str = "") -> Iterator[str]:
    """What of a parsed reply has no type: names that no model has, and objects that no model fits."""
    if isinstance(value, dict):
        yield at
    elif isinstance(value, list):
        for one in value:
            yield from list_untyped(one, f"{at}[]")
    elif hasattr(value, "__attrs_attrs__"):
        names = [one.name for one in value.__attrs_attrs__ if one.name != "additional_properties"]
        if names:  # a model without any is a table with names of its own
            yield from (f"{at}.{name}" for name in value.additional_properties)
        for name in names:
            yield from list_untyped(getattr(value, name), f"{at}.{name}")


class Caller:
    """Calls operations by their names, with a key or without; a status that is not described raises."""

    def __init__(self, url: str, secret: str | None) -> None:
        client = importlib.import_module(f"{PACKAGE}.client")
        more = {"raise_on_unexpected_status": True, "timeout": 30}
        self.client = (
            client.AuthenticatedClient(url, token=secret, prefix="", auth_header_name="x-api-key", **more)
            if secret
            else client.Client(url, **more)
        )

    def __call__(self, operation: str, *args: Any, **given: Any) -> tuple[int, Any]:
        """The status, and the reply as the client parses it."""
        if isinstance(given.get("body"), dict):
            given["body"] = self._body(operation, given["body"])
        module = next(one for one in list_operations() if one.__name__.endswith(f".{operation}"))
        reply = module.sync_detailed(*args, client=self.client, **given)
        assert reply.parsed is not None, reply.content
        assert list(list_untyped(reply.parsed)) == [], reply.content
        return int(reply.status_code), reply.parsed

    def close(self) -> None:
        """Let go of its connection."""
        self.client.get_httpx_client().close()

    @staticmethod
    def _body(operation: str, values: dict[str, Any]) -> Any:
        shape = {
            "lookup": "LookupRequest",
            "bulk_lookup": "BulkRequest",
            "check_name": "NameRequest",
            "change_settings": "SettingsRequest",
            "top_up": "TopUpRequest",
            "create_key": "KeyRequest",
            "rotate_key": "RotationRequest",
        }[operation]
        return list_classes("models")[shape].from_dict(values)  # type: ignore[attr-defined]


def words(kind: type) -> set[str]:
    """The words of one of its lists."""
    return {str(one.value) for one in kind} if issubclass(kind, Enum) else set()
