"""Questions that people ask, with what a right answer needs; one file a kind, and what was written by hand for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "questions"
WAIT = "wait"
Step = Mapping[str, Mapping[str, Any]] | str
"""Of a transcript: a tool with its arguments; `wait`, as long as the service asks for; at last the answer."""


@dataclass(frozen=True, slots=True)
class Needed:
    """A call that a right answer needs. Of each argument: a regular expression, a value, or where it is from."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A planted transcript, and what the judge has to find wrong with it."""

    because: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`calls`: of each, one is needed. `says` and `never` are regular expressions, the latter for a sentence that does
    not say that something is unknown; `facts` stand in the tools' results. `also`: other right answers.

    `none`: it is right to say that something is not there. `pays`: charged answers at most, where that is not the
    number of needed calls which cost. `most`: calls that could cost, whatever came of them. `loses`: the tool whose
    first answer gets lost on its way.
    """

    id: str
    kind: str
    who: str
    asks: str
    right: tuple[Step, ...]
    wrong: tuple[Wrong, ...]
    also: tuple[str, ...] = ()
    calls: tuple[tuple[Needed, ...], ...] = ()
    in_order: bool = False
    unwanted: tuple[Needed, ...] = ()
    pays: int | None = None
    most: int | None = None
    facts: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    none: bool = False
    loses: str = ""


@cache
def load() -> tuple[Question, ...]:
    """All of them, in the order of the files."""
    files = sorted(FOLDER.glob("*.yaml"))
    return tuple(_read(row, path) for path in files for row in yaml.safe_load(path.read_text(encoding="utf-8")))


def list_kinds() -> list[str]:
    """What they are about, in their order."""
    return list(dict.fromkeys(one.kind for one in load()))


def _read(row: dict[str, Any], path: Path) -> Question:
    unknown = set(row) - {field.name for field in fields(Question)}
    if unknown:
        raise ValueError(f"{path.name}: {row.get('id')} has {', '.join(unknown)}")
    right = tuple(row["right"])
    return Question(
        **{
            **{name: tuple(value) if isinstance(value, list) else value for name, value in row.items()},
            "kind": path.stem.partition("_")[2].replace("_", " "),
            "calls": tuple(_read_needed(one) for one in row.get("calls", ())),
            "unwanted": tuple(needed for one in row.get("unwanted", ()) for needed in _read_needed(one)),
            "right": right,
            "wrong": tuple(_read_wrong(one, right) for one in row["wrong"]),
        }
    )


def _read_needed(one: Any) -> tuple[Needed, ...]:
    return tuple(
        Needed(tool, arguments)
        for either in (one if isinstance(one, list) else [one])
        for tool, arguments in either.items()
    )


def _read_wrong(one: dict[str, Any], right: tuple[Step, ...]) -> Wrong:
    """`says`: another answer after the right calls. `does`: other calls; the right answer, where none is given."""
    answer = one.get("says", right[-1])
    return Wrong(one["because"], (*one.get("does", right[:-1]), answer))
