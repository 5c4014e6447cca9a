"""Liens as people read them: each with its parties, days and what followed, and their number on a company's dossier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lookups.history import noise
from lookups.lookup import storage
from lookups.lookup.questions import Question, to_searched
from lookups.models import Entity, StoredAnswer
from lookups.pages.dossier.record.headline import Kind, Status
from lookups.pages.dossier.record.words import Some, clip, count, day, some, web_link, weight

_KINDS: dict[str, Kind] = {"active": "warn"}
_ORDER = ("active", "lapsed", "terminated", "unknown")
_WORDS = {"unknown": "of unknown state"}
_ROOM = 64_000
_MARKUP = 1_700
_MOST_PARTIES = 20
PASSED = "Its lapse date has passed since it was read."


@dataclass(frozen=True, slots=True)
class Party:
    """A debtor or secured party."""

    name: str
    address: str | None


@dataclass(frozen=True, slots=True)
class Lien:
    """One financing statement with what followed it."""

    number: str
    kind: str | None
    status: Status
    filed: str | None
    lapses: str | None
    note: str
    debtors: Some[Party]
    secured: Some[Party]
    collateral: str | None
    amendments: Some[str]
    link: str | None

    @property
    def size(self) -> int:
        """About how many bytes it takes on a page."""
        parties = (*self.debtors.items, *self.secured.items)
        texts = (self.collateral, self.kind, self.status.word, *self.amendments.items)
        names = [text for one in parties for text in (one.name, one.address)]
        return _MARKUP + weight(*texts, *names) + 50 * len(parties)


@dataclass(frozen=True, slots=True)
class LienCount:
    """How many liens are on file against just this name, as they were read; `words` without a number is none read."""

    words: str
    read: str


def list_liens(filings: Iterable[Mapping[str, Any]], *, now: datetime, sandbox: bool, with_streets: bool) -> Some[Lien]:
    """Liens, as many as a page holds."""
    liens = [_lien(one, now=now, sandbox=sandbox, with_streets=with_streets) for one in filings]
    return some(liens, size=lambda one: one.size, room=_ROOM)


def write_asked(question: Mapping[str, Any]) -> tuple[str, str]:
    """What a search for liens was of, before the party's name and behind it: "liens held by", "filed until 31 March".

    `question` is as a lookup keeps it.
    """
    lead = "liens held by" if question.get("search_by") == "secured_party" else "liens on"
    after, before = day(question.get("date_after")), day(question.get("date_before"))
    if after and before:
        return lead, f"filed from {after} until {before}"
    return lead, f"filed from {after} on" if after else f"filed until {before}" if before else ""


def count_words(filings: Iterable[Mapping[str, Any]]) -> str:
    """How many there are of each state: "2 active, 1 lapsed"."""
    found = Counter(str(one.get("statusClass") or "unknown") for one in filings)
    return ", ".join(f"{found[one]:,} {_WORDS.get(one, one)}" for one in _ORDER if found[one])


def headline(filings: list[dict[str, Any]], *, total: int) -> Status:
    """How many liens a search brought, in the place of a status."""
    active = any(one.get("statusClass") == "active" for one in filings)
    return Status(
        word=count(max(total, len(filings)), "lien"),
        is_quoted=False,
        meaning=count_words(filings),
        reason="",
        kind="warn" if active else "neutral",
    )


def find_count(entity: Entity, name: str, *, now: datetime) -> LienCount | None:
    """The liens against just this name, as far as somebody has asked the registry for them; None: none is known.

    A search also brings debtors of like names: who is called otherwise is not counted. One in other letters ("Cafe" for
    "Café") need not bring all that are on this name, and tells no number.
    """
    question = Question(entity.state, name=name, kind="ucc").digest
    asked = StoredAnswer.objects.filter(question=question, state=entity.state, kind="ucc", sandbox=entity.sandbox)
    answer = asked.select_related("filing_set").first()
    if answer is None or answer.filing_set is None or to_searched(answer.asked) != to_searched(name[:200]):
        return None
    mine = [one for one in answer.filing_set.filings if _is_against(one, name)]
    if not mine:
        return None
    least = "at least " if storage.MORE in answer.note else ""
    past = sum(_is_past(one, now=now) for one in mine)
    since = f" (the lapse date of {past:,} has passed since)" if past else ""
    words = f"{least}{len(mine):,} on file: {count_words(mine)}{since}"
    return LienCount(words, day(answer.as_of or answer.retrieved_at) or "")


def _is_past(filing: Mapping[str, Any], *, now: datetime) -> bool:
    """Whether it was active when it was read, and its lapse date has passed since."""
    lapses = str(filing.get("lapseDate") or "")
    return filing.get("statusClass") == "active" and len(lapses) == 10 and lapses < now.date().isoformat()


def _is_against(filing: Mapping[str, Any], name: str) -> bool:
    return any(noise.party(str(one["name"])) == noise.party(name) for one in filing.get("debtors") or [])


def _lien(filing: Mapping[str, Any], *, now: datetime, sandbox: bool, with_streets: bool) -> Lien:
    status_class = str(filing.get("statusClass") or "unknown")
    own = clip(filing.get("status"), 200)
    meaning = _WORDS.get(status_class, status_class)
    amendments = [
        " · ".join(
            filter(None, (day(one.get("fileDate")), clip(one.get("filingType"), 200), clip(one["fileNumber"], 60)))
        )
        for one in filing.get("amendments") or []
    ]
    return Lien(
        number=clip(filing["fileNumber"], 120) or "",
        kind=clip(filing.get("filingType"), 200),
        status=Status(own or meaning.capitalize(), bool(own), meaning, "", _KINDS.get(status_class, "neutral")),
        filed=day(filing.get("fileDate")),
        lapses=day(filing.get("lapseDate")),
        note=PASSED if _is_past(filing, now=now) else "",
        debtors=_parties(filing.get("debtors"), with_streets=with_streets),
        secured=_parties(filing.get("securedParties"), with_streets=with_streets),
        collateral=clip(filing.get("collateral"), 1_500),
        amendments=some(amendments, size=weight, room=4_000, most=50),
        link=web_link(filing.get("sosUrl"), sandbox=sandbox),
    )


def _parties(parties: Any, *, with_streets: bool) -> Some[Party]:
    shown = (Party(clip(one["name"], 300) or "", _address(one, with_streets=with_streets)) for one in parties or [])
    return some(shown, size=lambda one: weight(one.name, one.address), room=6_000, most=_MOST_PARTIES)


def _address(party: Mapping[str, Any], *, with_streets: bool) -> str | None:
    """In full for whoever bought it, or of an organization."""
    street = party.get("address") if with_streets or party.get("kind") == "organization" else None
    place = " ".join(part for part in (party.get("state"), party.get("zip")) if part)
    return clip(", ".join(part for part in (street, party.get("city"), place) if part), 300)
