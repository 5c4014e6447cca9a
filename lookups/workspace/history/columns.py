"""The columns of the history: what stands in each, on the page and in a file, and which of them somebody has hidden."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from billing import money
from jurisdictions.codes import PLACES
from lookups.lookup.storage import wire_time
from lookups.models import Lookup
from lookups.pages.dossier.record.words import clip
from lookups.workspace.ask.answers import LONGEST_NAME, TAGS, write_cost, write_who
from lookups.workspace.history.filters import KINDS

COOKIE = "history_hidden"
KEPT_SECONDS = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Column:
    """One of them; `in_file` is what a file has, which is plainer than what is read on the page."""

    name: str
    label: str
    in_page: Callable[[Lookup], str]
    in_file: Callable[[Lookup], Any]
    is_number: bool = False


def _answer(lookup: Lookup) -> str:
    return lookup.verdict or "open"


def _found(lookup: Lookup) -> str:
    return clip(lookup.version.data["entityName"], LONGEST_NAME) or "" if lookup.version is not None else ""


def _origin(lookup: Lookup) -> str:
    return str(lookup.get_origin_display())


COLUMNS = (
    Column("when", "When (UTC)", lambda one: f"{one.created_at:%Y-%m-%d %H:%M}", lambda one: wire_time(one.created_at)),
    Column("state", "State", lambda one: PLACES[one.state].name, lambda one: one.state),
    Column("kind", "Kind", lambda one: KINDS.get(one.kind, one.kind), lambda one: one.kind),
    Column("answer", "Answer", lambda one: TAGS[one.outcome][0], _answer),
    Column("found", "What was found", _found, _found),
    Column("ref", "Reference", lambda one: one.ref or "", lambda one: one.ref),
    Column("who", "Who", write_who, write_who),
    Column("origin", "By way of", _origin, _origin),
    Column("cost", "Cost", write_cost, lambda one: money.to_json_number(one.charged), is_number=True),
)
"""Besides the question itself, which is always there."""
HIDDEN_AT_FIRST = ("found", "origin")


def read_hidden(cookies: Mapping[str, str]) -> frozenset[str]:
    """Which columns are hidden, as the browser remembers it."""
    known = {one.name for one in COLUMNS}
    kept = cookies.get(COOKIE)
    return frozenset(HIDDEN_AT_FIRST if kept is None else known & set(kept.split(".")))


def list_shown(hidden: frozenset[str]) -> list[Column]:
    """The columns that are shown, in their order."""
    return [one for one in COLUMNS if one.name not in hidden]


def write_line(lookup: Lookup, shown: list[Column]) -> dict[str, Any]:
    """One line of a file."""
    return {
        "asked": lookup.asked,
        **{one.name: one.in_file(lookup) for one in shown},
        "lookupId": lookup.public_id,
    }
