"""What each jurisdiction can answer, as people look for it: on the map of the first page and on the page of states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jurisdictions.codes import PLACES
from lookups import selectors
from scrapers import discovery
from scrapers.portal import Capabilities

NOTHING = Capabilities(search=False, by_id=False, status=False)
SIDE, GAP = 32, 4  # of a square of the map
# Where people look for each on the map, as newspapers draw it: a square for each, Alaska and the territories apart.
SQUARES = (
    "AK . . . . . . . . . ME",
    ". . . . . . . . . VT NH",
    "WA ID MT ND MN IL WI MI NY RI MA",
    "OR NV WY SD IA IN OH PA NJ CT .",
    "CA UT CO NE MO KY WV VA MD DE .",
    ". AZ NM KS AR TN NC SC DC . .",
    ". . . OK LA MS AL GA . . .",
    "HI . . TX . . . . FL . .",
    "AS GU MP . . . . . . PR VI",
)


class Reach(StrEnum):
    """Whether a registry answers here."""

    ANSWERS = "answers"
    WAITS = "waits"
    CLOSED = "closed"

    @property
    def word(self) -> str:
        """As people read it."""
        return _WORDS[self]


_WORDS = {
    Reach.ANSWERS: "Answers now",
    Reach.WAITS: "Needs the operator",
    Reach.CLOSED: "Cannot be asked",
}
_KINDS = {Reach.ANSWERS: "good", Reach.WAITS: "warn", Reach.CLOSED: "neutral"}
_SURE = {
    "live": "confirmed live",
    "recorded": "read from recorded answers",
    "documented": "by description",
}


@dataclass(frozen=True, slots=True)
class State:
    """One jurisdiction: its row as `/v1/states` has it, with what its records show."""

    row: dict[str, Any]
    can: Capabilities
    reach: Reach
    index_url: str = ""  # of the companies read there, where they are listed

    @property
    def code(self) -> str:
        """Two letters."""
        return str(self.row["state"])

    @property
    def name(self) -> str:
        """The jurisdiction's name."""
        return str(self.row["name"])

    @property
    def anchor(self) -> str:
        """Where it stands on the page of states."""
        return self.code.lower()

    @property
    def word(self) -> str:
        """Whether it answers, in words."""
        is_ill = self.reach is Reach.ANSWERS and self.row["status"] == "degraded"
        return "Answers, with trouble" if is_ill else self.reach.word

    @property
    def kind(self) -> str:
        """The sort of its status tag."""
        return "warn" if self.row["status"] == "degraded" else _KINDS[self.reach]

    @property
    def sure(self) -> str:
        """How its reader was checked."""
        return _SURE.get(self.row["verification"], "")

    @property
    def reason(self) -> str:
        """Why it does not answer, or not well; empty where there is nothing to say."""
        return self.row["reason"] or ""

    @property
    def answers(self) -> list[tuple[str, bool]]:
        """What its records show, and whether they do."""
        return [(label, has(self)) for label, has in _PARTS.values()]


# What people look for in a record, by its word in the address: how it is called, and who has it.
_PARTS: dict[str, tuple[str, Callable[[State], bool]]] = {
    "officers": ("Officers", lambda state: state.can.officers),
    "former-names": ("Former names", lambda state: state.can.former_names),
    "filings": ("Filings", lambda state: state.can.filings),
    "liens": ("UCC liens", lambda state: state.can.ucc),
}


@dataclass(frozen=True, slots=True)
class Filter:
    """One way to look at the list: its word in the address, its label, and how many it shows."""

    word: str
    label: str
    count: int
    is_on: bool


@dataclass(frozen=True, slots=True)
class Square:
    """A state's place on the map, in the drawing's own measure."""

    state: State
    x: int
    y: int


def list_states() -> list[State]:
    """Every jurisdiction by its name."""
    states = [_read(row) for row in selectors.list_states()]
    return sorted(states, key=lambda state: state.name)


def draw(states: list[State]) -> list[Square]:
    """The squares of the map, in reading order."""
    known = {state.code: state for state in states}
    step = SIDE + GAP
    return [
        Square(known[code], x * step, y * step)
        for y, line in enumerate(SQUARES)
        for x, code in enumerate(line.split())
        if code in known
    ]


def count(states: list[State]) -> list[tuple[Reach, int]]:
    """How many there are of each reach."""
    return [(reach, sum(state.reach is reach for state in states)) for reach in Reach]


def list_filters(states: list[State], chosen: str) -> list[Filter]:
    """The ways to look at the list; `chosen` is the word of the one that is looked at."""
    words = {"": "All", **{reach.value: reach.word for reach in Reach}, **{key: one[0] for key, one in _PARTS.items()}}
    return [Filter(word, label, len(choose(states, word)), word == chosen) for word, label in words.items()]


def list_parts(states: list[State]) -> list[Filter]:
    """What records show, each with how many of those that answer show it."""
    return [one for one in list_filters(states, "") if one.word in _PARTS]


def choose(states: list[State], word: str) -> list[State]:
    """Those that a filter shows: of a reach, or with a part of a record among those that answer; else all."""
    if word in _WORDS:
        return [state for state in states if state.reach == word]
    if word in _PARTS:
        has = _PARTS[word][1]
        return [state for state in states if state.reach is Reach.ANSWERS and has(state)]
    return states


def _read(row: dict[str, Any]) -> State:
    portal = discovery.find_portal(row["state"])
    is_readable = portal is not None and portal.verification != "unsupported"
    reach = Reach.ANSWERS if row["available"] else Reach.WAITS if is_readable else Reach.CLOSED
    can = portal.capabilities if portal is not None and is_readable else NOTHING
    return State(row, can, reach)


def width() -> int:
    """Of the drawing."""
    return len(SQUARES[0].split()) * (SIDE + GAP) - GAP


def height() -> int:
    """Of the drawing."""
    return len(SQUARES) * (SIDE + GAP) - GAP


assert {code for line in SQUARES for code in line.split() if code != "."} == PLACES.keys()
