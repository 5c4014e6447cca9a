"""What every shape is made of: fields with a description each, always written in the order they are declared in."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Annotated, Any, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, UnsetType

REFERENCE = "#/components/schemas/{name}"
CALLED_BY = frozenset({"name", "entityName", "fileNumber"})  # what of a list's items tells them apart in one cell


@dataclass_transform(kw_only_default=True)
class _ByName(msgspec.StructMeta):
    """Fields are given by name, so that a required one may follow an optional one, as it does on the wire."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        return super().__new__(mcls, name, bases, namespace, **{"kw_only": True, **config})


class Shape(Struct, metaclass=_ByName):
    """A JSON object. A field that may be missing is `UnsetType` and defaults to UNSET; all others are always there."""


Filled = TypeVar("Filled", bound=Shape)


def about(description: str, **more: Any) -> Meta:
    """What a field means; `more` are further words of its schema, such as `format`."""
    return Meta(description=description, extra_json_schema=more or None)


LOOKUP_ID = about("Names this lookup: `GET /v1/lookups/{lookupId}` tells it again.")
VERDICT = about("What came of the question; null while it is open.")
LIVEMODE = about("False for a test key: nothing of it is real, and nothing live is shown or changed.")


def either(description: str, *names: str) -> Meta:
    """One of several shapes, told apart by what is in them; "null" among the names allows it."""
    options = [{"type": "null"} if name == "null" else {"$ref": REFERENCE.format(name=name)} for name in names]
    return Meta(description=description, extra_json_schema={"anyOf": options})


Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]


def fill(shape: type[Filled], values: Mapping[str, Any], **more: Any) -> Filled:
    """The shape with what `values` and `more` have for its fields, also for the shapes in it.

    What is kept in a database may be older than the shape: what it lacks is null, what it has beyond it is left out.
    """
    given = {**values, **more} if more else values
    filled = {}
    for name, encoded, default, read in _plan(shape):
        value = given.get(encoded, default)
        filled[name] = read(value) if read is not None and value is not None else value
    return shape(**filled)


def encode(value: Any) -> bytes:
    """The JSON of a shape, or of anything made of shapes.

    Tables within a shape have their names in order, so that the same is written of a row that was read again:
    PostgreSQL keeps no order of names.
    """
    return msgspec.json.encode(value, enc_hook=_as_text, order="deterministic")


def to_plain(value: Any) -> Any:
    """The same as dictionaries and lists."""
    return msgspec.to_builtins(value, enc_hook=_as_text, order="deterministic")


def _as_text(value: Any) -> str:
    """Text of a class of its own, such as the messages of a form."""
    if isinstance(value, str):
        return str.__str__(value)
    raise NotImplementedError(f"No JSON is known for {type(value).__name__}.")


def list_columns(shape: type[Shape], before: str = "") -> list[str]:
    """The paths of all that fits one cell, in a shape and the shapes in it: `status`, `normalized.match.score`.

    What is flat comes first. A list fits when it is of text, or of what has a name or a number to be called by.
    """
    flat, lists, deeper = [], [], []
    hints = get_type_hints(shape)
    for field in msgspec.structs.fields(shape):
        path, kinds = f"{before}{field.encode_name}", _kinds(hints[field.name])
        inner = _shape_in(hints[field.name])
        if inner is not None:
            deeper += list_columns(inner, f"{path}.")
        elif get_origin(kinds[0]) is list:
            item = _shape_in(get_args(kinds[0])[0])
            lists += [path] if item is None or not CALLED_BY.isdisjoint(item.__struct_fields__) else []
        elif get_origin(kinds[0]) is not dict:
            flat.append(path)
    return [*flat, *lists, *deeper]


Step = tuple[str, str, Any, Callable[[Any], Any] | None]


@lru_cache(maxsize=256)
def _plan(shape: type[Shape]) -> tuple[Step, ...]:
    """What `fill` does with each field: its name, its name on the wire, its default, and how a shape in it is read."""
    hints = get_type_hints(shape)
    return tuple(
        (
            field.name,
            field.encode_name,
            None if field.default is msgspec.NODEFAULT else field.default,
            _reader(hints[field.name]),
        )
        for field in msgspec.structs.fields(shape)
    )


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    inner = _shape_in(hint)
    if inner is not None:
        return partial(_fill_one, inner)
    for kind in _kinds(hint):
        item = _shape_in(get_args(kind)[0]) if get_origin(kind) is list else None
        if item is not None:
            return partial(_fill_each, item)
    return None


def _fill_one(shape: type[Shape], value: Any) -> Any:
    return fill(shape, value) if isinstance(value, Mapping) else value


def _fill_each(shape: type[Shape], values: Any) -> Any:
    return [_fill_one(shape, value) for value in values] if isinstance(values, list) else values


def _shape_in(hint: Any) -> type[Shape] | None:
    return next((kind for kind in _kinds(hint) if isinstance(kind, type) and issubclass(kind, Shape)), None)


def _kinds(hint: Any) -> list[Any]:
    """The types that a hint allows, without null and without absence."""
    if get_origin(hint) is Annotated:
        return _kinds(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return [kind for one in get_args(hint) if one not in (type(None), UnsetType) for kind in _kinds(one)]
    return [hint]
