"""How long it takes to write a found company: by msgspec, by pydantic and by serializers of the REST framework.

    DJANGO_SETTINGS_MODULE=config.settings.test python -m tests.bench.wire_writing [--number 10000]

Each fills the same shape from the same values and makes the bytes of it; CPU time of one process, the best of five
rounds. The models of the other two are made from our shapes, so that they have the same fields and nesting.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import django

django.setup()

import msgspec  # noqa: E402
import pydantic  # noqa: E402
from rest_framework import serializers  # noqa: E402
from rest_framework.renderers import JSONRenderer  # noqa: E402

from lookups.api.schema.examples import lookups as examples  # noqa: E402
from lookups.api.wire.lookups import EntityReply  # noqa: E402
from lookups.api.wire.shape import Shape, _kinds, encode, fill  # noqa: E402

ROUNDS = 5


def to_model(shape: type[Shape]) -> Any:
    """The pydantic model with the fields of a shape."""
    fields: dict[str, Any] = {}
    for name, hint in get_type_hints(shape).items():
        kind, is_list = _item(hint)
        inner: Any = to_model(kind) if isinstance(kind, type) and issubclass(kind, Shape) else kind
        fields[name] = ((list[inner] if is_list else inner) | None, None)
    return pydantic.create_model(shape.__name__, **fields)


def to_serializer(shape: type[Shape]) -> Any:
    """The serializer with the fields of a shape."""
    simple = {bool: serializers.BooleanField, int: serializers.IntegerField, float: serializers.FloatField}
    fields: dict[str, Any] = {}
    for name, hint in get_type_hints(shape).items():
        kind, is_list = _item(hint)
        if isinstance(kind, type) and issubclass(kind, Shape):
            fields[name] = to_serializer(kind)(many=is_list, required=False)
        elif is_list:
            fields[name] = serializers.ListField(child=serializers.CharField())
        elif get_origin(kind) is dict:
            fields[name] = serializers.DictField(child=serializers.CharField())
        else:
            fields[name] = simple.get(kind, serializers.CharField)(required=False)
    return type(shape.__name__, (serializers.Serializer,), fields)


def _item(hint: Any) -> tuple[Any, bool]:
    kind = _kinds(get_args(hint)[0] if get_origin(hint) is Annotated else hint)[0]
    return (get_args(kind)[0], True) if get_origin(kind) is list else (kind, False)


def measure(write: Callable[[Mapping[str, Any]], bytes], values: Mapping[str, Any], number: int) -> float:
    """Microseconds of CPU for one reply."""
    took = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(number):
            write(values)
        took.append(time.process_time() - begun)
    return min(took) / number * 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=10_000)
    number = parser.parse_args().number
    values: dict[str, Any] = examples.FOUND.value
    model, serializer, renderer = to_model(EntityReply), to_serializer(EntityReply), JSONRenderer()
    ways: dict[str, Callable[[Mapping[str, Any]], bytes]] = {
        "msgspec, filled by our own `fill`": lambda given: encode(fill(EntityReply, given)),
        "msgspec, converted with validation": lambda given: encode(msgspec.convert(given, EntityReply)),
        "pydantic v2, validated": lambda given: model.model_validate(given).model_dump_json().encode(),
        "REST framework serializer": lambda given: bytes(renderer.render(serializer(given).data)),
    }
    for name, write in ways.items():
        print(f"{name:<40} {measure(write, values, number):8.1f} us  {len(write(values)):>6} bytes")  # noqa: T201


if __name__ == "__main__":
    main()
