"""The same request in three languages, made from an example of the OpenAPI document."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lookups.api.schema.document import read
from lookups.pages.docs.guides import HOST, KEY

JSON = "application/json"
LINE = 84


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. `body` is what JSON holds, or text of another media type; None: it has none."""

    method: str
    url: str
    keyed: bool
    body: Any = None
    media_type: str = JSON

    @property
    def headers(self) -> dict[str, str]:
        """What is sent with it."""
        headers = {"x-api-key": KEY} if self.keyed else {}
        return headers if self.body is None else headers | {"content-type": self.media_type}

    @property
    def text(self) -> str:
        """The body as it is sent."""
        return self.body if isinstance(self.body, str) else json.dumps(self.body, ensure_ascii=False)


def ask(path: str, method: str, operation: dict[str, Any], *, body: Any = None, media_type: str = JSON) -> Asked:
    """The request of an operation, with values for its path that the document's own examples have."""
    for one in operation.get("parameters", ()):
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", find_value(operation, one))
    return Asked(method.upper(), HOST + path, bool(operation["security"]), body, media_type)


def find_value(operation: dict[str, Any], parameter: dict[str, Any]) -> str:
    """A parameter's value in the examples of its operation, else in those of any other."""
    return _find_value(operation, parameter) or _find_value(read()["paths"], parameter)


def write(asked: Asked) -> dict[str, str]:
    """The request in each language, by the word behind a fence of it."""
    return {"sh": _curl(asked), "python": _python(asked), "js": _javascript(asked)}


def _curl(asked: Asked) -> str:
    first = f"curl -sS {'' if asked.method == 'GET' else f'-X {asked.method} '}{shlex.quote(asked.url)}"
    parts = [first, *(f"-H {shlex.quote(f'{name}: {value}')}" for name, value in asked.headers.items())]
    if asked.body is not None:
        parts.append(f"--data-binary {shlex.quote(asked.text)}")
    return " \\\n  ".join(parts)


def _python(asked: Asked) -> str:
    with_json = asked.body is not None and asked.media_type == JSON
    headers = {name: value for name, value in asked.headers.items() if not (with_json and name == "content-type")}
    lines = [f"    {json.dumps(asked.url)},"]
    if headers:
        lines.append(f"    headers={json.dumps(headers)},")
    if with_json:
        lines.append(f"    json={_literal(asked.body, 4)},")
    elif asked.body is not None:
        lines.append(f"    data={json.dumps(asked.text, ensure_ascii=False)}.encode(),")
    called = "\n".join([f"reply = requests.{asked.method.lower()}(", *lines, ")"])
    return f"import requests\n\n{called}\nprint(reply.status_code, reply.text)"


def _literal(value: Any, indent: int) -> str:
    """A value as Python writes it: on one line where that is short."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value:
        return repr(value)
    if isinstance(value, dict):
        parts, (left, right) = [f"{json.dumps(name)}: {_literal(one, indent + 4)}" for name, one in value.items()], "{}"
    else:
        parts, (left, right) = [_literal(one, indent + 4) for one in value], "[]"
    line = f"{left}{', '.join(parts)}{right}"
    if len(line) <= LINE - indent and "\n" not in line:
        return line
    inner = "".join(f"{' ' * (indent + 4)}{part},\n" for part in parts)
    return f"{left}\n{inner}{' ' * indent}{right}"


def _javascript(asked: Asked) -> str:
    lines = [] if asked.method == "GET" else [f"  method: {json.dumps(asked.method)},"]
    if asked.headers:
        lines.append(f"  headers: {json.dumps(asked.headers)},")
    if asked.body is not None:
        value = json.dumps(asked.body, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        lines.append(f"  body: {value if isinstance(asked.body, str) else f'JSON.stringify({value})'},")
    options = "\n".join([", {", *lines, "}"]) if lines else ""
    return (
        f"const reply = await fetch({json.dumps(asked.url)}{options});\nconsole.log(reply.status, await reply.text());"
    )


def _find_value(part: Any, parameter: dict[str, Any]) -> str:
    """The first text by a parameter's name (or `id`) in the examples of a part, of the form that the parameter has."""
    form = re.compile(parameter["schema"].get("pattern", ""))
    names = (parameter["name"], "id")
    return next((value for name in names for value in _values(part, name) if form.search(value)), "")


def _values(part: Any, name: str) -> Iterator[str]:
    """Texts by this name in examples, wherever they stand."""
    if isinstance(part, dict):
        if isinstance(part.get(name), str):
            yield part[name]
        for inner in part.values():
            yield from _values(inner, name)
    elif isinstance(part, list):
        for inner in part:
            yield from _values(inner, name)
