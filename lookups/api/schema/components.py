"""The bridge from the shapes of the wire to the document: what an operation names becomes a component of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from msgspec import UNSET

from lookups.api.wire.shape import REFERENCE, Shape
from lookups.api.wire.words import TABLES

_used: set[type[Any]] = set()


def refer(shape: type[Any]) -> dict[str, str]:
    """A reference to a shape or a list of words, which makes it a component."""
    _used.add(shape)
    return {"$ref": REFERENCE.format(name=shape.__name__)}


def list_of(shape: type[Shape]) -> dict[str, Any]:
    """An array of a shape."""
    return {"type": "array", "items": refer(shape)}


def build() -> dict[str, Any]:
    """Every component that an operation names, and those that they name."""
    known = {shape.__name__: shape for shape in _every(Shape)}
    wanted = set(_used)
    while True:
        _, found = msgspec.json.schema_components(sorted(wanted, key=lambda one: one.__name__), ref_template=REFERENCE)
        missing = {name for schema in found.values() for name in _names(schema)} - set(found)
        if not missing:
            return {name: _tidy(name, schema, known.get(name)) for name, schema in sorted(found.items())}
        wanted |= {known[name] for name in missing}


class WordField(OpenApiSerializerFieldExtension):
    """A closed list of words in a request: the component that replies use as well."""

    target_class = "lookups.api.requests.fields.Word"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, str]:
        """The reference."""
        return refer(self.target.words)


def _every(shape: type[Any]) -> Iterator[type[Any]]:
    yield shape
    for one in shape.__subclasses__():
        yield from _every(one)


def _names(schema: Any) -> Iterator[str]:
    """The components a schema refers to."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for inner in schema.values():
            yield from _names(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _names(inner)


def _tidy(name: str, schema: dict[str, Any], shape: type[Any] | None) -> dict[str, Any]:
    """As the document has it: what is always written is required, words are text, and tables explain their words."""
    schema = _simplify(schema)
    if "description" in schema:  # a docstring, whose indent Python leaves in it up to 3.12
        schema["description"] = inspect.cleandoc(schema["description"])
    if "enum" in schema:
        explained = "\n".join(f"* `{word}` - {text}" for word, text in TABLES.get(name, {}).items())
        schema = {"type": "string", **schema} | ({"description": explained} if explained else {})
    if shape is not None:
        fields = msgspec.structs.fields(shape)
        schema["required"] = [field.encode_name for field in fields if field.default is not UNSET]
    return schema


def _simplify(schema: Any) -> Any:
    """Without defaults, which are no business of a reply, and with null beside a simple type in one list."""
    if isinstance(schema, list):
        return [_simplify(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _simplify(value) for name, value in schema.items() if name != "default"}
    options = plain.get("anyOf", [])
    simple = [one for one in options if one != {"type": "null"}]
    if len(options) == 2 and len(simple) == 1 and "type" in simple[0]:
        del plain["anyOf"]
        return {**plain, **simple[0], "type": [simple[0]["type"], "null"]}
    return plain
