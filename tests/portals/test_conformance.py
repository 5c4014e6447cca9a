"""The golden pages have the shape of the real ones, so that the simulator cannot drift into a fantasy.

Every page of a case that claims `recorded-shape` is held against the recorded answers of the same registry: no key,
element id, label or column that no recording shows, unless the state's `beyond_recording.json` names it and says where
it is known from. So everything that rests on a description instead of evidence stands in one list a state. Cases that
show a changed page, or a label nobody knows, are made up on purpose and left out.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from tests.scrapers.golden import FOLDER, Case, list_cases

CLAIMS = [
    case
    for case in list_cases()
    if case.content["provenance"] == "recorded-shape"
    and case.expected["outcome"] in ("found", "not_found")
    and not case.content.get("unread_labels")
]
_NUMBER = re.compile(r"\d+")


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """Every key path of a JSON value; keys that are record numbers count as one."""
    if isinstance(value, dict):
        for name, item in value.items():
            step = f"{prefix}.{_NUMBER.sub('#', name) if name.isdigit() else name}"
            yield step
            yield from paths(item, step)
        if {"LABEL", "VALUE"} <= value.keys():
            yield f"label {value['LABEL']}"
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, prefix + "[]")


def marks(text: str) -> Iterator[str]:
    """What identifies the parts of an HTML page: element ids, column heads and labels."""
    tree = html.fromstring(text)
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        if element.get("id"):
            yield f"id {_NUMBER.sub('#', element.get('id'))}"
        if element.tag in ("th", "label", "dt"):
            yield f"{element.tag} {' '.join(element.text_content().split()).rstrip(': ')}"


def shape(body: str) -> set[str]:
    """What a page is made of."""
    if body.lstrip()[:1] in "[{":
        return set(paths(json.loads(body)))
    return set(marks(body)) if body.strip() else set()


def recorded_shape(folder: Path) -> set[str]:
    """What the recorded answers of one registry are made of, together."""
    found: set[str] = set()
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8", errors="replace")
        if file.suffix == ".csv":
            found |= {f"[].{name}" for name in next(csv.reader(text.splitlines()))}
        elif file.suffix in (".json", ".html"):
            found |= shape(text)
    return found


def beyond_recording(state: str) -> set[str]:
    """The parts of a state's pages that no recording shows, named with where they are known from."""
    path = FOLDER / state / "beyond_recording.json"
    if not path.is_file():
        return set()
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["known_from"]
    return set(content["parts"])


@pytest.mark.parametrize("case", CLAIMS, ids=str)
class TestAGoldenPage:
    """A page said to have the shape of a recorded one."""

    def test_shows_nothing_that_the_registry_never_showed(self, case: Case, recordings: Path) -> None:
        folder = recordings / case.state
        assert folder.is_dir(), f"{case.state} has no recorded answer: the provenance must be `documented`"
        known = recorded_shape(folder) | beyond_recording(case.state)
        for step in case.content["steps"]:
            if step.get("status", 200) == 200 and step.get("body"):
                strange = shape((case.folder / step["body"]).read_text(encoding="utf-8")) - known
                assert not strange, f"{step['body']}: {sorted(strange)}"


@pytest.mark.parametrize("state", sorted({case.state for case in CLAIMS}))
class TestTheListOfPartsBeyondTheRecording:
    """A state's beyond_recording.json."""

    def test_names_nothing_that_no_page_shows(self, state: str, recordings: Path) -> None:
        shown: set[str] = set()
        for case in CLAIMS:
            if case.state == state:
                for step in case.content["steps"]:
                    if step.get("status", 200) == 200 and step.get("body"):
                        shown |= shape((case.folder / step["body"]).read_text(encoding="utf-8"))
        assert beyond_recording(state) - shown == set()


class TestTheRule:
    """It notices a fantasy."""

    def test_notices_a_key_that_no_recording_has(self) -> None:
        assert shape('[{"a": 1, "b": {"c": 2}}]') - shape('[{"a": 5}]') == {"[].b", "[].b.c"}

    def test_notices_an_element_that_no_recording_has(self) -> None:
        assert "id grid_#" in shape("<table id='grid_7'><tr><th>Name</th></tr></table>")
