"""Variations of answers in JSON: keys, rows, kinds of values, dates. Rows of open data leave empty columns out, so a
column that is not there is no variation of them, but another fact."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from tests.variations.values import DATE

_ISO = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(T[\d:.]+Z?)?$")
Change = Callable[[Any], Any]


def each_object(change: Change) -> Change:
    """Apply a change to every object, from within."""

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return change({name: walk(item) for name, item in value.items()})
        return value

    return walk


def each_value(change: Change) -> Change:
    """Apply a change to every value that has no parts."""

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return {name: walk(item) for name, item in value.items()}
        return change(value)

    return walk


def _one_more(found: dict[str, Any]) -> dict[str, Any]:
    if found and all(name.isdigit() for name in found):
        return found  # rows by their numbers: one more would be a row
    return {**found, "REMARKS_NEW": "See file"}


def _reordered(found: dict[str, Any]) -> dict[str, Any]:
    if found and all(name.isdigit() for name in found):
        return found  # the order of rows says which one fits best
    return dict(reversed(found.items()))


def _upper_label(found: dict[str, Any]) -> dict[str, Any]:
    label = found.get("LABEL")
    return {**found, "LABEL": label.upper()} if isinstance(label, str) else found


def _empty_row(value: Any) -> Any:
    if isinstance(value, list):
        rows = [_empty_row(item) for item in value]
        return [*rows, {}] if rows and all(isinstance(row, dict) for row in rows) else rows
    if isinstance(value, dict):
        return {name: _empty_row(item) for name, item in value.items()}
    return value


def _single(value: Any) -> Any:
    if isinstance(value, list):
        rows = [_single(item) for item in value]
        return rows[0] if len(rows) == 1 and isinstance(rows[0], dict) else rows
    if isinstance(value, dict):
        return {name: _single(item) for name, item in value.items()}
    return value


def _american(value: Any) -> Any:
    found = _ISO.match(value) if isinstance(value, str) else None
    return f"{found[2]}/{found[3]}/{found[1]}" if found else value


def _iso(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    found = _ISO.match(value)
    if found and found[4]:
        return value[:10]
    return DATE.sub(lambda us: date(int(us[3]), int(us[1]), int(us[2])).isoformat(), value)


CHANGES: dict[str, Change] = {
    "key: one more in every object": each_object(_one_more),
    "keys: in another order": each_object(_reordered),
    "upper case labels": each_object(_upper_label),
    "row: an empty one more": _empty_row,
    "row: the only one without its list": _single,
    "wrapper: around the answer": lambda value: {"result": value},
    "value: null for empty text": each_value(lambda value: None if value == "" else value),
    "value: empty text for null": each_value(lambda value: "" if value is None else value),
    "value: blanks around it": each_value(lambda value: f" {value}  " if isinstance(value, str) and value else value),
    "value: numbers as text": each_value(lambda value: str(value) if type(value) is int else value),
    "date form: 03/04/2015": each_value(_american),
    "date form: 2015-03-04": each_value(_iso),
}


def vary_answer(body: bytes, *, open_data: bool) -> Iterator[tuple[str, bytes]]:
    """Every variation of an answer that differs from it, by name."""
    value = json.loads(body)
    inner = isinstance(value, dict) and set(value) == {"d"} and isinstance(value["d"], str)
    if inner:  # JSON within JSON, as some services wrap it
        value = json.loads(value["d"])
    plain = json.dumps(value)
    changes = CHANGES if open_data else CHANGES | {f"key renamed: {name}": _renamed(name) for name in _keys(value)}
    for name, change in changes.items():
        varied = json.dumps(change(value))
        if varied != plain:
            yield name, (json.dumps({"d": varied}) if inner else varied).encode()


def _renamed(key: str) -> Change:
    def change(found: dict[str, Any]) -> dict[str, Any]:
        return {(f"{name}_NEW" if name == key else name): item for name, item in found.items()}

    return each_object(change)


def _keys(value: Any) -> list[str]:
    found: dict[str, None] = {}

    def note(one: dict[str, Any]) -> dict[str, Any]:
        found.update((name, None) for name, item in one.items() if not name.isdigit() and item not in (None, "", []))
        return one

    each_object(note)(value)
    return list(found)
