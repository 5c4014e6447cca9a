"""What goes into a portal and what comes out of one: frozen, plain, and free of any portal's wording habits.

Raw text stays as the state wrote it (only outer white space is trimmed); what we make of it is in `normalize`. What
cannot be seen is left out of an answer, and named in its evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Literal

from scrapers.failures import PageChanged
from scrapers.normalize import dates, names
from scrapers.normalize.hidden import visible

Kind = Literal["business_entity", "ucc"]
Party = Literal["debtor", "secured_party"]
PartyKind = Literal["organization", "person"]
StatusClass = Literal["active", "inactive", "neutral"]
NameKind = Literal["legal", "former", "assumed", "foreign", "reserved"]
MatchKind = Literal["exact", "suffix_variant", "former_name", "close", "entity_id", "name_mismatch"]
Verdict = Literal["free", "taken", "cannot_say"]
Sure = Literal["rule", "part", "assumed"]
Availability = Literal["provided", "not_published", "empty", "paywalled", "parse_failed"]


LONGEST_NAME = 1_000  # characters; comparing one takes some 5 ms, of 20,000 a quarter of a second
MOST_NAMES = 2_000  # of one entity: former and assumed names, officers


def check_names(*names: str | None) -> None:
    """PageChanged for what no registry has in the place of a name, before anybody compares it."""
    if len(names) > MOST_NAMES:
        raise PageChanged(f"{len(names)} names of one entity, where {MOST_NAMES} at most are believed")
    for name in names:
        if name is not None and len(name) > LONGEST_NAME:
            raise PageChanged(f"a name of {len(name)} characters, {name[:40]!r} and so on: {LONGEST_NAME} at most")


_DIGIT = re.compile(r"\d")


def check_words(*shown: str | None) -> None:
    """PageChanged for a day in the place of a status, a type or a jurisdiction: those of a registry are words."""
    for text in shown:
        if text and _DIGIT.search(text) and dates.to_date(text):
            raise PageChanged(f"the day {text!r} stands where a registry has a word")


@dataclass(frozen=True, slots=True)
class Query:
    """One question. `name` is None only when `entity_id` is given; the codes of a web page are read in any."""

    state: str
    name: str | None = None
    entity_id: str | None = None
    kind: Kind = "business_entity"
    search_by: Party = "debtor"
    date_after: date | None = None
    date_before: date | None = None

    def __post_init__(self) -> None:
        if self.name:
            object.__setattr__(self, "name", names.unescaped(self.name))  # frozen, and the same for every question

    def covers(self, day: date) -> bool:
        """Whether a filing of this day lies within the dates asked for, both ends included."""
        return not (self.date_after and day < self.date_after) and not (self.date_before and day > self.date_before)


@dataclass(frozen=True, slots=True)
class Address:
    """An address as far as the portal splits it. `street` may hold several lines, joined by ", "."""

    street: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None

    def __bool__(self) -> bool:
        return any((self.street, self.city, self.state, self.zip))


@dataclass(frozen=True, slots=True)
class Officer:
    """One officer, member, manager or principal, with the title the state shows."""

    name: str
    title: str | None = None
    address: str | None = None
    kind: PartyKind | None = None  # only where the registry says it
    family: str | None = None  # of a person, where it is several words that the registry keeps apart


@dataclass(frozen=True, slots=True)
class Filing:
    """One document of a filing history; `date` as the portal writes it."""

    date: str | None
    title: str


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """A business entity as its registry shows it. None means: not on the page (see `fieldAvailability`)."""

    entity_name: str
    entity_id: str
    status: str | None = None
    entity_type: str | None = None
    formation_date: str | None = None
    agent_name: str | None = None
    agent_address: Address = Address()
    process_name: str | None = None  # to whom the state sends legal papers, at the mailing address; no agent of theirs
    principal_address: Address = Address()
    mailing_address: Address = Address()
    officers: tuple[Officer, ...] = ()
    jurisdiction: str | None = None
    fei_ein_number: str | None = None
    standing: str | None = None  # a second word some states give beside the status ("Not Good Standing")
    domestic: bool | None = None  # only where the portal says it
    former_names: tuple[str, ...] = ()
    assumed_names: tuple[str, ...] = ()
    filings: tuple[Filing, ...] = ()
    identifiers: Mapping[str, str] = field(default_factory=dict)  # further numbers of the same entity, by kind
    sos_url: str | None = None

    def __post_init__(self) -> None:
        others = (*self.former_names, *self.assumed_names, *(officer.name for officer in self.officers))
        check_names(self.entity_name, self.agent_name, self.process_name, *others)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of a result list. `entity_id` is empty where the list does not show it (the opened record does).

    `name` is the name in the row, which need not be the entity's present one: `name_kind` says. `handle` carries
    what the portal needs to open the detail (its internal id, a link). `record` is set where the list already
    holds the whole record, so that no second request is made.
    """

    name: str
    entity_id: str
    status: str | None = None
    entity_type: str | None = None
    name_kind: NameKind = "legal"
    handle: Mapping[str, str] = field(default_factory=dict)
    record: EntityRecord | None = None
    sos_url: str | None = None

    def __post_init__(self) -> None:
        check_names(self.name)

    @classmethod
    def of(
        cls, record: EntityRecord, *, name_kind: NameKind = "legal", handle: Mapping[str, str] | None = None
    ) -> Candidate:
        """A row that already is the whole record, so that nothing more need be opened."""
        return cls(
            record.entity_name,
            record.entity_id,
            record.status,
            record.entity_type,
            name_kind,
            handle or {},
            record=record,
            sos_url=record.sos_url,
        )


@dataclass(frozen=True, slots=True)
class NameCheck:
    """What a registry's own availability search said of a name, in its own words.

    `search` names that search; `available` is None where it lists names and leaves the verdict to the reader.
    """

    search: str
    available: bool | None = None
    said: str | None = None


@dataclass(frozen=True, slots=True)
class ResultList:
    """All rows of one search. `complete` is False when the portal cut the list: it then proves no absence.

    `check` is set where the registry's own availability search was asked too. `all_spellings` is False where names may
    be missing that only the state's rule calls the same ("BLUEHERON" for "Blue Heron").
    """

    candidates: tuple[Candidate, ...]
    complete: bool = True
    check: NameCheck | None = None
    all_spellings: bool = True

    def numbered(self) -> ResultList:
        """The same, with numbers as they are seen; PageChanged for other words in their place: each has a digit.

        Nor has a row a day in the place of its status or type.
        """
        for row in self.candidates:
            check_words(row.status, row.entity_type)
            if row.entity_id and not any(sign.isdigit() for sign in row.entity_id):
                raise PageChanged(f"{row.entity_id[:80]!r} stands where a number of the registry does")
        if all(row.entity_id.isprintable() for row in self.candidates):
            return self
        return replace(
            self, candidates=tuple(replace(row, entity_id=visible(row.entity_id)) for row in self.candidates)
        )

    def only(self, is_wanted: Callable[[str], bool]) -> ResultList:
        """The rows whose number is wanted, of a search by number that lists others too.

        A row without a number may be the one: raises PageChanged where none other is.
        """
        rows = tuple(row for row in self.numbered().candidates if row.entity_id and is_wanted(row.entity_id))
        if not rows and not all(row.entity_id for row in self.candidates):
            raise PageChanged("a search by number listed a row without one")
        return replace(self, candidates=rows)


@dataclass(frozen=True, slots=True)
class UccParty:
    """A debtor or secured party of a filing."""

    name: str
    address: Address = Address()
    kind: PartyKind | None = None

    def __post_init__(self) -> None:
        check_names(self.name)


@dataclass(frozen=True, slots=True)
class UccAmendment:
    """A later document on the same lien; `filed` as the registry writes it."""

    file_number: str
    filed: str | None
    filing_type: str


@dataclass(frozen=True, slots=True)
class UccFiling:
    """One initial financing statement with everything that followed it."""

    file_number: str
    filed: str | None
    debtors: tuple[UccParty, ...] = ()
    secured_parties: tuple[UccParty, ...] = ()
    collateral: str | None = None
    status: str | None = None
    lapse_date: str | None = None
    filing_type: str | None = None
    amendments: tuple[UccAmendment, ...] = ()
    sos_url: str | None = None
    status_omits: Literal["termination", "lapse"] | None = None  # what its registry's status word never shows


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an answer was read, and when; what was read is in the conversation's exchanges."""

    source_url: str
    retrieved_at: datetime
    from_copy: bool = False  # a loaded copy of the bulk data answered, not the portal
    as_of: datetime | None = None  # the day of that copy
    left_out: tuple[str, ...] = ()  # characters of the registry's text that cannot be seen: "U+202E"


@dataclass(frozen=True, slots=True)
class Match:
    """How sure it is that the record is the company asked for: `score` 0..1 and what made it.

    "entity_id": it has the identifier asked for, and any name given beside it; "name_mismatch": the identifier, but
    not the name.
    """

    score: float
    kind: MatchKind
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A near miss, told with a 404."""

    name: str
    entity_id: str
    status: str | None
    score: float
    sos_url: str | None = None
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The record, why it is the right one, the other matches (at most 10), and the proof.

    `as_of` is the day the source itself says its data is from, where that differs from the moment of reading.
    """

    record: EntityRecord
    match: Match
    related: tuple[Candidate, ...]
    evidence: Evidence
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class FoundFilings:
    """UCC filings, newest first, at least one. `complete` is False when there are more than these."""

    filings: tuple[UccFiling, ...]
    evidence: Evidence
    total: int
    as_of: datetime | None = None
    complete: bool = True


@dataclass(frozen=True, slots=True)
class NotFound:
    """The registry was asked, answered in full, and has no such record. `ambiguous`: several fit equally well."""

    suggestions: tuple[Suggestion, ...]
    evidence: Evidence
    ambiguous: bool = False
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A name on the register that stands in the way, or would if its owner were active."""

    candidate: Candidate
    status_class: StatusClass


@dataclass(frozen=True, slots=True)
class Rule:
    """A state's rule in plain words, where it was read, and how sure that is.

    "rule": the statute, regulation or guide that is cited says so; "part": only a part of it was read; "assumed": none.
    """

    text: str
    source: str
    sure: Sure


@dataclass(frozen=True, slots=True)
class NameVerdict:
    """What is known of a name. `conflicts` is empty when the name is available; the notes are None, or text.

    `verdict` is "cannot_say" where nobody surely stands in the way, but somebody has the name of whom that cannot be
    known: the `warning` says why. A registry that says itself that the name is not available is believed, whatever its
    list shows. `rule` says which names are the same, `owner_rule` whose names count.
    """

    verdict: Verdict
    conflicts: tuple[Conflict, ...]
    normalized_name: str
    variation_note: str | None
    warning: str | None
    status_note: str | None
    designator_note: str
    rule: Rule
    owner_rule: Rule
    check: NameCheck | None = None

    @property
    def available(self) -> bool:
        """Whether the name is free, as far as anybody can see."""
        return self.verdict == "free"


Answer = Found | FoundFilings | NotFound
