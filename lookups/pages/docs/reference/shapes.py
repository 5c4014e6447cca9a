"""Shapes of the OpenAPI document as tables of fields, and its closed lists of words, each with an anchor.

A shape stands on every page that names it; the bodies of errors and the lists of words have a page each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from lookups.api.schema.document import read
from lookups.api.wire import errors as wire_errors
from lookups.api.wire.shape import Shape
from lookups.pages.docs import contents, markdown

Schema = dict[str, Any]

_JOB = "/docs/reference/getJob/"
_OF_JOBS = (
    "JobStatus",
    "JobFailed",
)  # the `data` of two messages; the page of webhooks would be as long again with them
FEW_WORDS = 8  # so many are named beside the field
_REFERENCE = "#/components/schemas/"
_WORD = re.compile(r"^\* `([^`]+)` - (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a shape, or one parameter. `anchor` is unique on its page."""

    name: str
    anchor: str
    kind: SafeString
    required: bool
    deprecated: bool
    about: SafeString


@dataclass(frozen=True, slots=True)
class Table:
    """One shape. `asked`: of a request, so what has to be there is worth a mark; in replies what may be missing is."""

    name: str
    asked: bool
    about: SafeString
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """A closed list of words; `words` is (word, its anchor, what it means: empty where the list explains itself)."""

    name: str
    about: SafeString
    words: tuple[tuple[str, str, SafeString], ...]


def component(name: str) -> Schema:
    """A schema by its name."""
    schema: Schema = read()["components"]["schemas"][name]
    return schema


@lru_cache(maxsize=1)
def error_names() -> tuple[str, ...]:
    """The bodies of errors, which are explained on the page of errors."""
    known = read()["components"]["schemas"]
    shapes = [one for one in vars(wire_errors).values() if isinstance(one, type) and issubclass(one, Shape)]
    return tuple(one.__name__ for one in shapes if one.__module__ == wire_errors.__name__ and one.__name__ in known)


def list_tables(schemas: Iterable[Schema], *, page: str, asked: bool = False) -> list[Table]:
    """The shapes that schemas name, and those that these name, as far as they are explained on this page."""
    waiting = [name for schema in schemas for name in _names(schema)]
    found: dict[str, Table] = {}
    while waiting:
        name = waiting.pop(0)
        if name in found or address_of(name, page=page) != f"#{name}":
            continue
        found[name] = describe_shape(name, page=page, asked=asked)
        waiting = [*_names(component(name)), *waiting]
    return list(found.values())


def address_of(name: str, *, page: str) -> str:
    """Where a component is explained, as seen from a page."""
    if "enum" in component(name):
        home = contents.WORDS.url
    elif name in error_names():
        home = contents.ERRORS.url
    elif page == contents.WEBHOOKS.url and name in _OF_JOBS:
        home = _JOB
    else:
        home = page
    return f"#{name}" if home == page else f"{home}#{name}"


@cache
def describe_shape(name: str, *, page: str, asked: bool) -> Table:
    """One shape as a table."""
    schema = component(name)
    required = set(schema.get("required", ()))
    rows = [
        describe_field(field, inner, anchor=f"{name}-{field}", required=field in required, page=page)
        for field, inner in schema.get("properties", {}).items()
    ]
    return Table(name, asked, markdown.render_inline(schema.get("description", "")), tuple(rows))


def describe_field(name: str, schema: Schema, *, anchor: str, required: bool, page: str) -> Field:
    """One field or parameter."""
    about = [markdown.render_inline(schema.get("description", ""))]
    about += [format_html("{}", bound) for bound in _bounds(schema)]
    about += [format_html("Pattern: <code>{}</code>.", schema["pattern"])] if "pattern" in schema else []
    about += [_few_words(ref) for ref in _names(schema) if 0 < len(component(ref).get("enum", ())) <= FEW_WORDS]
    return Field(
        name=name,
        anchor=anchor,
        kind=describe_kind(schema, page),
        required=required,
        deprecated=bool(schema.get("deprecated")),
        about=format_html_join(" ", "{}", ((part,) for part in about if part)),
    )


def list_words() -> list[Words]:
    """Every closed list of words, by name."""
    return [_words(name, schema) for name, schema in read()["components"]["schemas"].items() if "enum" in schema]


def _words(name: str, schema: Schema) -> Words:
    about = schema.get("description", "")
    meanings = dict(_WORD.findall(about))
    words = [*meanings, *(word for word in map(str, schema["enum"]) if word not in meanings)]
    rest = markdown.render_inline(_WORD.sub("", about).strip())
    explained = ((word, anchor_of(name, word), markdown.render_inline(meanings.get(word, ""))) for word in words)
    return Words(name, rest, tuple(explained))


def anchor_of(*names: str) -> str:
    """An anchor out of names, whatever signs they have."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", "-".join(names))


def _few_words(name: str) -> SafeString:
    words = format_html_join(", ", "<code>{}</code>", ((word,) for word in component(name)["enum"]))
    return format_html("One of {}.", words)


def _names(schema: Any) -> Iterator[str]:
    """The components that a schema names, in order."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(_REFERENCE)
        for inner in schema.values():
            yield from _names(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _names(inner)


def describe_kind(schema: Schema, page: str) -> SafeString:
    """What a value is, in words; a component's name leads to where it is explained."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return format_html('<a href="{}">{}</a>', address_of(name, page=page), name)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return format_html_join(mark_safe(" or "), "{}", ((describe_kind(one, page),) for one in schema[several]))
    kinds = schema.get("type", "anything")
    return format_html_join(
        mark_safe(" or "),
        "{}",
        ((_simple(one, schema, page),) for one in (kinds if isinstance(kinds, list) else [kinds])),
    )


def _simple(kind: str, schema: Schema, page: str) -> SafeString:
    if kind == "array":
        return format_html("list of {}", describe_kind(schema.get("items", {}), page))
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return format_html("object of {}", describe_kind(schema["additionalProperties"], page))
    return format_html("{} ({})", kind, schema["format"]) if "format" in schema and kind != "null" else SafeString(kind)


def _bounds(schema: Schema) -> Iterator[str]:
    """What limits a value, in words."""
    for low, high, unit in (("minLength", "maxLength", " characters"), ("minItems", "maxItems", " items")):
        if low in schema and high in schema:
            same = schema[low] == schema[high]
            yield f"{schema[low]}{unit}." if same else f"{schema[low]} to {schema[high]:,}{unit}."
        elif high in schema:
            yield f"At most {schema[high]:,}{unit}."
        elif low in schema:
            yield f"At least {schema[low]}{unit}."
    if "minimum" in schema and "maximum" in schema:
        yield f"{schema['minimum']} to {schema['maximum']:,}."
    elif "minimum" in schema or "maximum" in schema:
        yield f"At least {schema['minimum']}." if "minimum" in schema else f"At most {schema['maximum']:,}."
    if "enum" in schema:
        yield "One of " + ", ".join(map(str, schema["enum"])) + "."
    if "default" in schema:
        yield f"Default: {str(schema['default']).lower()}."
