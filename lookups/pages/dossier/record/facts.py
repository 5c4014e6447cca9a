"""The lines of a dossier: what the registry says of a company, each with its value, or with why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jurisdictions.codes import Place
from lookups.pages.dossier.record.words import WHY_EMPTY, Some, clip, day, some, weight
from lookups.privacy.suppression import WITHHELD, Record

# Bytes: a page has 100 kB, and 400 people as registries write them must fit
_PEOPLE_ROOM = 34_000
_MARKUP, _ADDRESS_MARKUP = 55, 25
_NAMES_ROOM = 4_000
_MOST_IDENTIFIERS = 6
_ON_PAPER = 6  # so many lookups/static/lookups/dossier.css prints
_KINDS = {"sosFileNumber": "Secretary of State's file number", "alei": "Legal entity identifier (ALEI)"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: a label and its text, or why there is none; `is_code` is set of what is compared sign by sign."""

    label: str
    value: str | None
    why_empty: str = ""
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who runs the company."""

    name: str
    title: str | None
    address: str | None


def list_facts(record: Record, place: Place, *, with_federal_number: bool) -> list[Fact]:
    """The lines of a record."""
    lines = _Lines(record)
    facts = [
        Fact("Identifier", clip(record.data["entityId"]), is_code=True),
        lines.of("Type", "entityType"),
        lines.of("Formed", "formationDate", day(record.normalized.get("formationDate"))),
        lines.of("Formed in", "jurisdiction", _home(record, place)),
        *lines.standing(),
        lines.of("Registered agent", "registeredAgentName"),
        lines.of("Agent's address", "registeredAgentAddress", lines.address("registeredAgent")),
        *lines.receiver(),
        lines.of("Principal office", "principalAddress", lines.address("principal")),
        lines.of("Mailing address", "mailingAddress", lines.address("mailing")),
        *lines.identifiers(),
    ]
    if with_federal_number:
        facts.append(lines.of("Federal number", "feiEinNumber", is_code=True))
    return facts


def list_people(record: Record) -> Some[Person]:
    """Everybody who runs the company, as far as a page holds them."""
    people = [
        Person(clip(one["name"], 200) or "", clip(one.get("title"), 200), clip(one.get("address"), 200))
        for one in record.data.get("officers") or []
    ]
    return some(people, size=_size, room=_PEOPLE_ROOM, on_paper=_ON_PAPER)


def _size(person: Person) -> int:
    markup = _MARKUP + (_ADDRESS_MARKUP if person.address else 0)
    return markup + weight(person.name, person.title, person.address)


def why_no_people(record: Record) -> str:
    """What is shown instead of a list, or beside one that somebody was left out of."""
    return WHY_EMPTY.get(_availability(record).get("officers") or "empty", "")


def list_names(record: Record, field: str) -> Some[str]:
    """Former or assumed names."""
    names = (clip(name, 200) or "" for name in record.normalized.get(field) or [])
    return some(names, size=weight, room=_NAMES_ROOM)


def is_withheld(record: Record, field: str) -> bool:
    """Whether something of a field was left out at somebody's request."""
    return _availability(record).get(field) == WITHHELD


def one_line(data: dict[str, Any], prefix: str) -> str | None:
    """An address of the record in one line."""
    place = " ".join(part for part in (data.get(f"{prefix}State"), data.get(f"{prefix}Zip")) if part)
    parts = (data.get(f"{prefix}Address"), data.get(f"{prefix}City"), place)
    return clip(", ".join(part for part in parts if part))


class _Lines:
    """Makes the lines of one record."""

    def __init__(self, record: Record) -> None:
        self.data, self.normalized, self.why = record.data, record.normalized, _availability(record)

    def of(self, label: str, field: str, value: str | None = None, *, is_code: bool = False) -> Fact:
        shown = value or (None if field.endswith("Address") else clip(self.data.get(field)))
        return Fact(label, shown, WHY_EMPTY.get(self.why.get(field) or "empty", ""), is_code=is_code)

    def address(self, prefix: str) -> str | None:
        return one_line(self.data, prefix)

    def standing(self) -> list[Fact]:
        own = clip(self.normalized.get("standing"))
        return [Fact("Standing", f"“{own}”")] if own else []

    def receiver(self) -> list[Fact]:
        """Who gets legal papers by way of the state."""
        found = clip((self.normalized.get("serviceOfProcess") or {}).get("name"))
        if found or self.why.get("serviceOfProcess") == WITHHELD:
            return [Fact("Legal papers go to", found, WHY_EMPTY[WITHHELD])]
        return []

    def identifiers(self) -> list[Fact]:
        others = list((self.normalized.get("identifiers") or {}).items())[:_MOST_IDENTIFIERS]
        return [Fact(_KINDS.get(kind, kind[:60]), clip(text), is_code=True) for kind, text in others]


def _availability(record: Record) -> dict[str, str]:
    return record.normalized.get("fieldAvailability") or {}


def _home(record: Record, place: Place) -> str | None:
    home = clip(record.data.get("jurisdiction"))
    return f"{home}; foreign in {place.name}" if home and record.normalized.get("domestic") is False else home
