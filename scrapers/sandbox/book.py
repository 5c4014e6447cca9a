"""What the sandbox registry holds: companies and liens from the data files beside this one, and the magic ones.

The files are made by `python -m tests.scrapers.sandbox_book --write`, by rule and from stories written by
hand; a test holds them to that. Everybody and every company in them is invented.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from jurisdictions.codes import PLACES
from scrapers.normalize import names
from scrapers.sandbox import changing
from scrapers.sandbox.magic import MAGIC, find_outcome

NameKind = Literal["Legal", "Former", "Assumed", "Reserved"]
_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Entry:
    """One company as the registry holds it. Addresses are lists of lines; dates as the registry writes them."""

    state: str
    number: str
    name: str
    type: str
    status: str
    formed: str
    jurisdiction: str
    standing: str | None = None
    agent: dict[str, Any] | None = None
    principal: list[str] = field(default_factory=list)
    mailing: list[str] = field(default_factory=list)
    officers: list[dict[str, Any]] = field(default_factory=list)
    former: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    filings: list[list[str]] = field(default_factory=list)
    reserved: bool = False

    def names(self) -> Iterator[tuple[str, NameKind]]:
        """Every name it is listed under."""
        yield self.name, "Reserved" if self.reserved else "Legal"
        for former in self.former:
            yield former, "Former"
        for assumed in self.assumed:
            yield assumed, "Assumed"


@dataclass(frozen=True, slots=True)
class Lien:
    """One initial financing statement. Dates are ISO; amendments are [number, date, kind]."""

    state: str
    number: str
    filed: str
    lapses: str
    status: str
    type: str
    debtors: list[dict[str, Any]]
    secured: list[dict[str, Any]]
    collateral: str
    amendments: list[list[str]]


@dataclass(frozen=True, slots=True)
class Listing:
    """A row of a result list: the entry, and under which of its names it was found."""

    entry: Entry
    name: str
    kind: NameKind


@lru_cache(maxsize=1)
def list_entries() -> tuple[Entry, ...]:
    """Every company of every jurisdiction, the magic ones left out."""
    return tuple(Entry(**row) for row in _rows("entities.json"))


@lru_cache(maxsize=1)
def list_liens() -> tuple[Lien, ...]:
    """Every lien of every jurisdiction, the magic ones left out."""
    return tuple(Lien(**row) for row in _rows("filings.json"))


def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((_FOLDER / name).read_text(encoding="utf-8"))
    return rows


def find_listings(state: str, term: str) -> list[Listing]:
    """Rows whose name holds the term; case, accents, punctuation and `&`/`and` make no difference."""
    wanted = names.plain(term)
    outcome = find_outcome(term)
    entries = magic_entries(state, outcome) if outcome else [one for one in list_entries() if one.state == state]
    found = [
        Listing(entry, name, kind)
        for entry in entries
        for name, kind in entry.names()
        if wanted and (outcome or wanted in names.plain(name))
    ]
    return sorted(found, key=lambda row: (row.name.casefold(), row.entry.number))


def find_entry(state: str, number: str) -> Entry | None:
    """The company with this number, magic ones too; None when the state has none."""
    plain, turn = changing.split_number(number)
    magic = (one for outcome in MAGIC for one in magic_entries(state, outcome))
    changed = (one for outcome in changing.CHANGING for one in magic_entries(state, outcome, turn=turn))
    known = chain((one for one in list_entries() if one.state == state), magic, changed)  # made as far as is looked
    return next((one for one in known if one.number == plain), None)


def find_liens(
    state: str, name: str, *, party: Literal["debtor", "secured"], after: date | None, before: date | None
) -> list[Lien]:
    """Liens on exactly this name but for its legal form, as filing offices search; newest first."""
    outcome = find_outcome(name)
    liens = (
        magic_liens(state, outcome, turn=changing.split_name(name)[1])
        if outcome
        else [one for one in list_liens() if one.state == state]
    )
    wanted = names.key(name)
    found = []
    for one in liens:
        people = one.debtors if party == "debtor" else one.secured
        filed = date.fromisoformat(one.filed)
        if (after and filed < after) or (before and filed > before):
            continue
        if outcome or any(names.key(person["name"]) == wanted for person in people):
            found.append(one)
    return sorted(found, key=lambda one: (one.filed, one.number), reverse=True)


# What the magic names find: number, name, status. The same in every jurisdiction.
_MAGIC_ROWS: dict[str, tuple[tuple[int, str, str], ...]] = {
    "found": ((900001, "MAGIC FOUND LLC", "Good Standing"),),
    "several": (
        (900011, "MAGIC SEVERAL CORP", "Good Standing"),
        (900012, "MAGIC SEVERAL CORP", "Dissolved"),
        (900013, "MAGIC SEVERAL LLC", "Good Standing"),
        (900014, "MAGIC SEVERAL HOLDINGS INC", "Not in Good Standing"),
    ),
    "ambiguous": (
        (900021, "MAGIC AMBIGUOUS LLC", "Good Standing"),
        (900022, "MAGIC AMBIGUOUS LLC", "Good Standing"),
    ),
    "slow": ((900031, "MAGIC SLOW LLC", "Good Standing"),),
    "later": ((900041, "MAGIC LATER LLC", "Good Standing"),),
    "copy": ((900051, "MAGIC COPY LLC", "Good Standing"),),
    "pending": ((900061, "MAGIC PENDING LLC", "Pending"),),
    "cannot_say": ((900071, "MAGIC CANNOT SAY LLC", "Awaiting Omens"),),  # a word that is in nobody's table
    "later_ambiguous": (
        (900081, "MAGIC LATER AMBIGUOUS LLC", "Good Standing"),
        (900082, "MAGIC LATER AMBIGUOUS LLC", "Good Standing"),
    ),
    "later_too_many": tuple(
        (900200 + n, f"MAGIC LATER TOO MANY OF NUMBER {n} LLC", "Good Standing") for n in range(1, 51)
    ),
    "too_many": tuple((900100 + n, f"MAGIC TOO MANY OF NUMBER {n} LLC", "Good Standing") for n in range(1, 51)),
}


def magic_entries(state: str, outcome: str, *, turn: int = 0) -> list[Entry]:
    """The companies behind a magic name; none for the outcomes that find nothing or fail.

    `turn`: how far one that changes has come.
    """
    place = PLACES[state].name
    if outcome in changing.CHANGING:
        return _changing_entries(state, outcome, turn)
    return [
        Entry(
            state=state,
            number=f"SB-{state}-{number}",
            name=name,
            type="Business Corporation" if name.endswith((" CORP", " INC")) else "Limited Liability Company",
            status=status,
            formed="01/02/2003",
            jurisdiction=place,
            agent={"name": "HARBOR AGENTS INC.", "address": ["12 QUAY STREET", "DOVER, DE 19901"]},
            officers=[{"name": "MAUD QUILLFEATHER", "title": "Manager", "address": None}],
        )
        for number, name, status in _MAGIC_ROWS.get(outcome, ())
    ]


def _changing_entries(state: str, outcome: str, turn: int) -> list[Entry]:
    if not changing.is_there(outcome, turn):
        return []
    always: dict[str, Any] = {
        "state": state,
        "number": f"SB-{state}-{changing.find_number(outcome)}",
        "type": "Limited Liability Company",
        "status": "Good Standing",
        "formed": "01/02/2003",
        "jurisdiction": PLACES[state].name,
        "agent": {"name": "HARBOR AGENTS INC.", "address": ["12 QUAY STREET", "DOVER, DE 19901"]},
        "officers": [{"name": "MAUD QUILLFEATHER", "title": "Manager", "address": None}],
    }
    return [Entry(**{**always, **changing.facts(outcome, turn)})]


def magic_liens(state: str, outcome: str, *, turn: int = 0) -> list[Lien]:
    """The liens behind a magic name: one for each company, four for "several"; of one that changes, one more a turn."""
    rows = _MAGIC_ROWS.get(outcome, ())
    if outcome in changing.CHANGING:
        number, name = changing.find_number(outcome), changing.CHANGING[outcome].upper()
        rows = tuple((number + 1000 * one, name, "") for one in range(changing.count_liens(outcome, turn)))
    return [
        Lien(
            state=state,
            number=f"SBU-{state}-2025-{number}",
            filed=f"2025-03-{1 + place % 28:02}",
            lapses=f"2030-03-{1 + place % 28:02}",
            status="Active",
            type="Initial Financing Statement",
            debtors=[{"name": name, "address": ["12 QUAY STREET", "DOVER, DE 19901"]}],
            secured=[{"name": "FIRST PUDDLESTONE BANK", "address": ["2 HALFPENNY ROW", "DOVER, DE 19901"]}],
            collateral="All inventory.",
            amendments=[],
        )
        for place, (number, name, _) in enumerate(rows)
    ]
