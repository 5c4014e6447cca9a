"""How a company looks to a spreadsheet: its id, its type, the candidates for a row, and the values of a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jurisdictions.codes import PLACES, find_code
from lookups.lookup.questions import Question
from lookups.models import Lookup
from lookups.privacy import suppression
from lookups.verdicts import Verdict
from scrapers.normalize.hidden import find_hidden

COMPANY = {"id": "US", "name": "Company (its state in a column)"}
NEAR, EQUAL = 30.0, 50.0  # scores of a name that comes near, and of one among several that fit equally well
MIDNIGHT = "T00:00:00Z"
LONGEST_ID = 120  # a company's row keeps no longer one
Values = list[dict[str, Any]]
Record = tuple[dict[str, Any], dict[str, Any]]
"""As the registry writes it, and normalized."""

TYPES = [COMPANY, *({"id": code, "name": f"Company in {place.name}"} for code, place in PLACES.items())]


def write_id(state: str, entity_id: str) -> str:
    """How a spreadsheet names a company."""
    return f"{state}:{entity_id}"


def read_id(text: str) -> Question | None:
    """The question for the company of that id; None for what is none.

    No identifier holds a character that cannot be seen, or is so long: none is given out like this, and PostgreSQL
    stores no NUL.
    """
    state, _, number = text.partition(":")
    is_one = state in PLACES and number.strip() and len(number) <= LONGEST_ID and not find_hidden(number)
    return Question(state=state, entity_id=number) if is_one else None


def read_state(properties: dict[str, str], kind: str) -> str | None:
    """The row's state: of a column, else of the type that was chosen. None too where the column says what is no state:
    whom the row means is not to be found in another one."""
    named = properties.get("state", "").strip()
    return find_code(named or (kind if kind != COMPANY["id"] else ""))


def list_candidates(lookup: Lookup, limit: int) -> list[dict[str, Any]]:
    """What may be meant by the row; nothing where nothing is known yet, or will be."""
    if lookup.outcome is Verdict.FOUND and lookup.version is not None:
        score = float((lookup.match or {}).get("score") or 0)
        record = lookup.version.data
        return [_candidate(lookup.state, str(record["entityId"]), str(record["entityName"]), 100 * score, score >= 1)]
    near = [one for one in lookup.candidates if one.get("entityId")][:limit]
    best = near[0].get("score") if near and lookup.outcome is Verdict.AMBIGUOUS else None
    scores = [EQUAL if best is not None and one.get("score") == best else NEAR for one in near]
    return [
        _candidate(lookup.state, str(one["entityId"]), str(one["entityName"]), score, False)
        for one, score in zip(near, scores, strict=True)
    ]


def _candidate(state: str, number: str, name: str, score: float, is_sure: bool) -> dict[str, Any]:
    return {
        "id": write_id(state, number),
        "name": name,
        "score": round(score, 1),
        "match": is_sure,
        "type": [{"id": state, "name": f"Company in {PLACES[state].name}"}],
    }


def _text(*path: str) -> Callable[[Record], Values]:
    return lambda record: [{"str": str(value)} for value in [record[0].get(path[0])] if value]


def _day(name: str) -> Callable[[Record], Values]:
    return lambda record: [{"date": f"{value}{MIDNIGHT}"} for value in [record[1].get(name)] if value]


def _normalized(name: str) -> Callable[[Record], Values]:
    return lambda record: [{"str": str(value)} for value in [record[1].get(name)] if value]


def _list(name: str) -> Callable[[Record], Values]:
    return lambda record: [{"str": str(value)} for value in record[1].get(name) or []]


def _address(prefix: str) -> Callable[[Record], Values]:
    def read(record: Record) -> Values:
        data = record[0]
        place = " ".join(filter(None, (data.get(f"{prefix}State"), data.get(f"{prefix}Zip"))))
        line = ", ".join(filter(None, (data.get(f"{prefix}Address"), data.get(f"{prefix}City"), place)))
        return [{"str": line}] if line else []

    return read


def _officers(record: Record) -> Values:
    people = record[0].get("officers") or []
    return [{"str": " · ".join(filter(None, (one.get("name"), one.get("title"))))} for one in people]


# id of the column → what people call it, and its values
PROPERTIES: dict[str, tuple[str, Callable[[Record], Values]]] = {
    "status": ("Status, as the state writes it", _text("status")),
    "statusClass": ("Active or inactive", _normalized("statusClass")),
    "entityType": ("Legal form", _text("entityType")),
    "entityId": ("The state's identifier", _text("entityId")),
    "formationDate": ("Formed on", _day("formationDate")),
    "jurisdiction": ("Jurisdiction of formation", _text("jurisdiction")),
    "registeredAgentName": ("Registered agent", _text("registeredAgentName")),
    "registeredAgentAddress": ("Address of the registered agent", _address("registeredAgent")),
    "principalAddress": ("Principal address", _address("principal")),
    "mailingAddress": ("Mailing address", _address("mailing")),
    "officers": ("Officers", _officers),
    "formerNames": ("Former names", _list("formerNames")),
    "assumedNames": ("Assumed names", _list("assumedNames")),
}
ASKED_WITH = {"state": "State (name or two letters)", "entityId": "The state's identifier"}
"""Columns of the project that a row may be asked with."""


def list_values(lookup: Lookup, names: list[str]) -> dict[str, Values]:
    """The values of each column that was asked for: every one of them, an empty list where nothing is known."""
    record: Record = ({}, {})
    if lookup.outcome is Verdict.FOUND and lookup.version is not None:
        record = suppression.withhold(lookup.version.data, lookup.version.normalized or {}, state=lookup.state)[:2]
    return {name: PROPERTIES[name][1](record) if name in PROPERTIES else [] for name in names}
