"""Operations and webhooks of the OpenAPI document, as the reference shows them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from http import HTTPStatus
from typing import Any

from django.utils.safestring import SafeString

from lookups.api.schema.document import read
from lookups.pages.docs import contents, highlighting, markdown
from lookups.pages.docs.reference import samples, shapes
from lookups.pages.docs.reference.shapes import Field, Table

TRIED = {"path": "Path", "query": "Query", "header": "Headers"}
JSON = samples.JSON


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as lists name it."""

    name: str
    method: str
    path: str
    tag: str
    summary: str
    spec: dict[str, Any] = field(compare=False)

    @property
    def url(self) -> str:
        """Its page."""
        return f"/docs/reference/{self.name}/"

    @property
    def twin(self) -> str:
        """Its page as Markdown."""
        return f"/docs/reference/{self.name}.md"

    @property
    def swagger(self) -> str:
        """Where it can be tried."""
        return f"/docs/swagger/#/{self.tag}/{self.name}"


@dataclass(frozen=True, slots=True)
class Sample:
    """One example in one language: `text` as it is copied, `block` as it is shown."""

    language: str
    called: str
    text: str
    block: SafeString


@dataclass(frozen=True, slots=True)
class Asking:
    """One example of a request, in every language."""

    title: str
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An example of a reply."""

    title: str
    text: str
    block: SafeString


@dataclass(frozen=True, slots=True)
class Reply:
    """What one status means here. An error has its codes, whose examples stand on the page of errors."""

    status: str
    phrase: str
    about: SafeString
    media_types: tuple[str, ...]
    kinds: tuple[SafeString, ...]
    examples: tuple[Shown, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """All about one operation."""

    operation: Operation
    about: SafeString
    keyless: bool
    optional_key: bool
    parameters: tuple[tuple[str, tuple[Field, ...]], ...]
    body: tuple[tuple[str, SafeString], ...]
    askings: tuple[Asking, ...]
    replies: tuple[Reply, ...]
    errors: tuple[Reply, ...]
    headers: tuple[Field, ...]
    asked_tables: tuple[Table, ...]
    tables: tuple[Table, ...]


@lru_cache(maxsize=1)
def by_name() -> dict[str, Operation]:
    """Every operation by its operationId, in the document's order of tags."""
    found = [
        Operation(spec["operationId"], method.upper(), path, spec["tags"][0], spec["summary"], spec)
        for path, operations in read()["paths"].items()
        for method, spec in operations.items()
    ]
    tags = [tag["name"] for tag in read()["tags"]]
    found.sort(key=lambda one: tags.index(one.tag))
    return {one.name: one for one in found}


@lru_cache(maxsize=1)
def by_tag() -> list[tuple[str, str, list[Operation]]]:
    """(tag, what it is about, its operations)."""
    found = []
    for tag in read()["tags"]:
        operations = [one for one in by_name().values() if one.tag == tag["name"]]
        if operations:
            found.append((tag["name"], tag["description"], operations))
    return found


@cache
def describe(operation: Operation) -> Page:
    """The page of an operation."""
    spec, url = operation.spec, operation.url
    bodies = spec.get("requestBody", {}).get("content", {})
    replies = tuple(_reply(status, reply, url) for status, reply in spec["responses"].items())
    answered = [reply for status, reply in spec["responses"].items() if status < "400"]
    return Page(
        operation=operation,
        about=markdown.render_inline(spec["description"]),
        keyless=not spec["security"],
        optional_key={} in spec["security"],
        parameters=tuple(_parameters(spec, url)),
        body=tuple((media_type, shapes.describe_kind(one["schema"], url)) for media_type, one in bodies.items()),
        askings=tuple(_askings(operation, bodies)),
        replies=tuple(one for one in replies if one.status < "400"),
        errors=tuple(one for one in replies if one.status >= "400"),
        headers=_headers(answered, url),
        asked_tables=list_asked_tables(operation),
        tables=list_tables(operation),
    )


def list_messages() -> list[tuple[str, dict[str, Any]]]:
    """Every webhook message: its type, and its operation in the document."""
    return [(name, spec["post"]) for name, spec in read()["webhooks"].items()]


@cache
def list_asked_tables(operation: Operation) -> tuple[Table, ...]:
    """The shapes of what is sent."""
    sent = [one["schema"] for one in operation.spec.get("requestBody", {}).get("content", {}).values()]
    return tuple(shapes.list_tables(sent, page=operation.url, asked=True))


@cache
def list_tables(operation: Operation) -> tuple[Table, ...]:
    """The shapes of what comes back; the bodies of errors leave themselves out (`shapes.address_of`)."""
    replies = operation.spec["responses"].values()
    back = [one["schema"] for reply in replies for one in reply.get("content", {}).values()]
    sent = {table.name for table in list_asked_tables(operation)}
    return tuple(table for table in shapes.list_tables(back, page=operation.url) if table.name not in sent)


@dataclass(frozen=True, slots=True)
class Message:
    """One webhook message."""

    name: str
    anchor: str
    summary: str
    about: SafeString
    headers: tuple[Field, ...]
    kind: SafeString
    example: Shown


@lru_cache(maxsize=1)
def describe_messages() -> list[Message]:
    """Every webhook message, as its page shows it."""
    url = contents.WEBHOOKS.url
    found = []
    for name, spec in list_messages():
        body = spec["requestBody"]["content"][JSON]
        value = next(iter(body["examples"].values()))["value"]
        found.append(
            Message(
                name=name,
                anchor=shapes.anchor_of(name),
                summary=spec["summary"],
                about=markdown.render_inline(spec["description"]),
                headers=next((fields for _, fields in _parameters(spec, url)), ()),
                kind=shapes.describe_kind(body["schema"], url),
                example=show_json(value, name=f"message-{shapes.anchor_of(name)}", title=name),
            )
        )
    return found


@lru_cache(maxsize=1)
def list_message_tables() -> list[Table]:
    """The shapes of all messages."""
    bodies = [spec["requestBody"]["content"][JSON]["schema"] for _, spec in list_messages()]
    return shapes.list_tables(bodies, page=contents.WEBHOOKS.url)


def show_json(value: Any, *, name: str, title: str) -> Shown:
    """An example as it is shown."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    language = "" if isinstance(value, str) else "json"
    return Shown(title, text, markdown.show_code(text, language, name=name, label=title))


def _parameters(spec: dict[str, Any], url: str) -> Iterator[tuple[str, tuple[Field, ...]]]:
    for where, title in TRIED.items():
        fields = [
            shapes.describe_field(
                one["name"],
                one["schema"] | {word: one[word] for word in ("description", "deprecated") if word in one},
                anchor=f"{where}-{one['name']}",
                required=bool(one.get("required")),
                page=url,
            )
            for one in spec.get("parameters", ())
            if one["in"] == where
        ]
        if fields:
            yield title, tuple(fields)


def _askings(operation: Operation, bodies: dict[str, Any]) -> Iterator[Asking]:
    wanted = [
        (example["summary"], example["value"], media_type)
        for media_type, one in bodies.items()
        for example in one.get("examples", {}).values()
    ]
    for number, (title, body, media_type) in enumerate(wanted or [("Example", None, JSON)]):
        asked = samples.ask(operation.path, operation.method, operation.spec, body=body, media_type=media_type)
        written = [
            Sample(
                language,
                highlighting.NAMES[language],
                text,
                markdown.show_code(text, language, name=f"{language}-{number}", label=f"{title}, {language}"),
            )
            for language, text in samples.write(asked).items()
        ]
        yield Asking(title, tuple(written))


def _reply(status: str, reply: dict[str, Any], url: str) -> Reply:
    content = reply.get("content", {})
    examples = [example for one in content.values() for example in one.get("examples", {}).values()]
    kinds = {shapes.describe_kind(one["schema"], url): None for one in content.values()}
    return Reply(
        status=status,
        phrase=HTTPStatus(int(status)).phrase,
        about=markdown.render_inline(reply["description"]),
        media_types=tuple(content),
        kinds=tuple(kinds),
        examples=tuple(
            show_json(one["value"], name=f"reply-{status}-{number}", title=one.get("summary", "Example"))
            for number, one in enumerate(examples)
            if status < "400"
        ),
        codes=tuple(dict.fromkeys(_codes(examples))),
    )


def _codes(examples: list[dict[str, Any]]) -> Iterator[str]:
    """The error codes among examples."""
    for one in examples:
        if isinstance(one["value"], dict) and "code" in one["value"]:
            yield one["value"]["code"]


def _headers(replies: list[dict[str, Any]], url: str) -> tuple[Field, ...]:
    """The headers of replies, once each."""
    found = {name: header for reply in replies for name, header in reply.get("headers", {}).items()}
    return tuple(
        shapes.describe_field(
            name,
            header["schema"] | {"description": header.get("description", "")},
            anchor=f"header-{name}",
            required=False,
            page=url,
        )
        for name, header in found.items()
    )
