"""What one look brought, as it is compared: the facts that can change, and which of them the source showed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from lookups.watches.taxonomy import Category

SHOWN = frozenset({"provided", "empty"})  # of fieldAvailability: all others say nothing of the company
WITHHELD = "withheld"
LIENS = "liens"
Facts = dict[str, Any]


class Part(NamedTuple):
    """One thing that a source shows or does not: the fields it stands in, and the changes it belongs to."""

    category: Category
    data: tuple[str, ...] = ()
    normalized: tuple[str, ...] = ()


def _address(prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{part}" for part in ("Address", "City", "State", "Zip"))


PARTS: dict[str, Part] = {
    "status": Part(Category.STATUS, ("status",), ("statusClass", "statusReason", "standing")),
    "entityName": Part(Category.NAME, ("entityName",)),
    "formerNames": Part(Category.NAME, (), ("formerNames",)),
    "assumedNames": Part(Category.NAME, (), ("assumedNames",)),
    "entityType": Part(Category.NAME, ("entityType",)),
    "formationDate": Part(Category.NAME, ("formationDate",)),
    "jurisdiction": Part(Category.NAME, ("jurisdiction",)),
    "feiEinNumber": Part(Category.NAME, ("feiEinNumber",)),
    "registeredAgentName": Part(Category.AGENT, ("registeredAgentName",)),
    "serviceOfProcess": Part(Category.AGENT, (), ("serviceOfProcess",)),
    "registeredAgentAddress": Part(Category.AGENT, _address("registeredAgent")),
    "officers": Part(Category.OFFICER, ("officers",)),
    "principalAddress": Part(Category.ADDRESS, _address("principal")),
    "mailingAddress": Part(Category.ADDRESS, _address("mailing")),
    "filings": Part(Category.FILING, (), ("filings",)),
    LIENS: Part(Category.LIEN, ("filings",)),
}
"""What is compared. What is not among them is derived from these, or says where the record was found."""
PART_OF = {
    f"{side}.{name}": key
    for key, part in PARTS.items()
    if key != LIENS
    for side, names in (("data", part.data), ("normalized", part.normalized))
    for name in names
}
_NOT_OF_LIENS = ("sosUrl", "debtorName", "securedParty")  # an address, and the same parties once more in one line


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One look at a company, or at the liens on its name.

    `at`: the moment its facts are from; a copy that is read twice is of one moment. `shown`: the parts that the source
    showed, also where they are empty; `withheld` those that are left out at a person's request. `lookup` is its number.
    """

    kind: str
    verdict: Literal["found", "absent", "unclear"]
    at: datetime
    lookup: int
    reader: str = ""
    facts: Facts = field(default_factory=dict)
    shown: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()


def of_record(
    data: Mapping[str, Any], normalized: Mapping[str, Any], *, never: frozenset[str]
) -> tuple[Facts, frozenset[str], frozenset[str]]:
    """The facts of a record, the parts that were shown, and those that are withheld.

    `never`: parts of which `fieldAvailability` does not speak and that this source has not got.
    """
    why: Mapping[str, str] = normalized.get("fieldAvailability") or {}
    availability = {
        key: WITHHELD if WITHHELD in map(why.get, part.data) else why.get(part.data[0] if part.data else key)
        for key, part in PARTS.items()
    }
    if availability["filings"] == WITHHELD:
        availability["filings"] = "provided"  # of some the title alone is left out
    shown = {key for key, word in availability.items() if word in SHOWN or (word is None and key not in never)}
    facts = {
        "data": {name: data[name] for name in _names("data") if name in data},
        "normalized": {name: normalized[name] for name in _names("normalized") if name in normalized},
    }
    withheld = frozenset(key for key, word in availability.items() if word == WITHHELD)
    return facts, frozenset(shown - {LIENS}), withheld


def of_liens(filings: list[dict[str, Any]]) -> Facts:
    """The facts of a list of liens."""
    kept = [{name: value for name, value in one.items() if name not in _NOT_OF_LIENS} for one in filings]
    return {"data": {"filings": kept}}


def pick(facts: Facts, parts: frozenset[str] | set[str]) -> Facts:
    """Of these facts, those of the given parts."""
    names = {
        "data": {name for key in parts for name in PARTS[key].data},
        "normalized": {name for key in parts for name in PARTS[key].normalized},
    }
    return {side: {name: value for name, value in facts[side].items() if name in names[side]} for side in facts}


def merge(older: Facts, newer: Facts) -> Facts:
    """Both together, as far as they do not speak of the same."""
    return {side: {**older.get(side, {}), **newer.get(side, {})} for side in {**older, **newer}}


def _names(side: Literal["data", "normalized"]) -> list[str]:
    return [name for key, part in PARTS.items() if key != LIENS for name in getattr(part, side)]
