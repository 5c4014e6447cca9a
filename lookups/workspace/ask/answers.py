"""One lookup as its page shows it: the word one came for, what was asked, what it cost, and what can be done next."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from billing import money
from jurisdictions.codes import PLACES, Place
from lookups import bodies
from lookups.api.wire.words import MatchKind
from lookups.jobs.waiting import find_next_try
from lookups.lookup.questions import IDENTIFIERS
from lookups.models import Lookup, Manifest
from lookups.names.check import COPY_KEPT
from lookups.pages import differences
from lookups.pages.differences import Piece
from lookups.pages.dossier.record.liens import write_asked
from lookups.pages.dossier.record.words import COPY_HERE, clip, day, write_for_people
from lookups.verdicts import Breakdown, Verdict, find_breakdown
from lookups.workspace.ask.questions import of_question
from lookups.workspace.history.filters import KINDS
from scrapers.failures import Failure, find_failure

FREE = "Nothing was charged."
NOT_KEPT = "The answer of that time is no longer kept."
LONGEST_NAME = 300  # characters shown; the whole stands in the record
TAGS: dict[Verdict | None, tuple[str, str]] = {
    None: ("Open", "neutral"),
    Verdict.FOUND: ("Found", "good"),
    Verdict.NOT_FOUND: ("Not found", "neutral"),
    Verdict.AMBIGUOUS: ("Several fit", "warn"),
    Verdict.REFUSED: ("Not taken", "warn"),
    Verdict.UNAVAILABLE: ("No answer", "bad"),
    Verdict.FAILED: ("Broke here", "bad"),
    Verdict.CANCELLED: ("Cancelled", "neutral"),
    Verdict.FREE: ("Free", "good"),
    Verdict.TAKEN: ("Taken", "bad"),
    Verdict.CANNOT_SAY: ("Cannot say", "warn"),
}
SOURCES = {
    Lookup.Source.LIVE: "asked live",
    Lookup.Source.STORED: "a stored answer",
    Lookup.Source.COPY: "a loaded copy of the state's published register",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A company to choose, with what is different in its name marked; `fields` ask for it."""

    pieces: list[Piece]
    entity_id: str
    status: str
    apart: str
    fields: dict[str, str]
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the template shows, and nothing it would have to work out."""

    lookup: Lookup
    place: Place
    title: str
    text: str
    word: str
    kind: str
    asked: str
    asked_as: str
    cost: str
    again: dict[str, str]
    candidates: list[Candidate] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.lookup.verdict is None

    @property
    def is_found(self) -> bool:
        """Whether a record or liens can be shown."""
        return self.lookup.verdict == Verdict.FOUND.value

    @property
    def is_unanswered(self) -> bool:
        """Whether asking again is what comes next."""
        return self.lookup.verdict == Verdict.CANCELLED or bodies.is_retryable(self.lookup)

    @property
    def name_check(self) -> dict[str, Any] | None:
        """What is known of a name, as the API has it, but for its day."""
        check = self.lookup.name_check
        return {**check, "dataAsOf": day(check.get("dataAsOf"))} if check else None

    @property
    def who(self) -> str:
        """Who asked: a person of the team, or by which key."""
        return write_who(self.lookup)

    @property
    def source(self) -> str:
        """Where the answer is from, in words; empty without one."""
        if not self.lookup.evidence:
            return ""
        source = Lookup.Source(self.lookup.source)
        return SOURCES[Lookup.Source.COPY if source == Lookup.Source.LIVE and self.lookup.is_from_copy else source]

    @property
    def mismatch(self) -> str:
        """That the name sent beside the identifier is not the company's; empty where it is, or none was sent."""
        return write_mismatch(self.lookup)

    @property
    def has_copy(self) -> bool:
        """Whether a name check that the registry did not answer can be made from a loaded copy."""
        return COPY_KEPT in self.lookup.note


def tell(lookup: Lookup) -> Answer:
    """The page of a lookup that was read with all that a reply tells of it."""
    verdict = lookup.outcome
    word, kind = TAGS[verdict]
    title, text = _write(lookup, verdict)
    return Answer(
        lookup=lookup,
        place=PLACES[lookup.state],
        title=title,
        text=text,
        word=word,
        kind=kind,
        asked=lookup.asked,
        asked_as=_write_kind(lookup),
        cost=write_cost(lookup),
        again=of_question(lookup.question, ref=lookup.ref),
        candidates=[_candidate(one, lookup) for one in lookup.candidates],
    )


def find_manifest(lookup: Lookup) -> Manifest | None:
    """What is signed of it; None where nothing is kept any more."""
    return Manifest.objects.filter(lookup=lookup.repeats or lookup, document__isnull=False).first()


def write_cost(lookup: Lookup) -> str:
    """What it cost, in words."""
    if lookup.charged:
        return f"{money.to_decimal_string(lookup.charged)} USD"
    if lookup.sandbox:
        return "Free: sandbox"
    return "Nothing" if lookup.verdict is not None else "Nothing so far"


def write_who(lookup: Lookup) -> str:
    """Who asked: a person of the team, or by which key."""
    if lookup.asked_by is not None:
        return lookup.asked_by.get_full_name() or lookup.asked_by.email or lookup.asked_by.get_username()
    return lookup.key.name if lookup.key is not None else "Paid by the request"


def write_mismatch(lookup: Lookup) -> str:
    """That a company has the identifier that was asked for, but not the name beside it; empty where that agrees."""
    if (lookup.match or {}).get("kind") != MatchKind.NAME_MISMATCH:
        return ""
    named = clip(lookup.question.get("name"), LONGEST_NAME)
    return f"Its name is not the one that was sent with the identifier, “{named}”: check that the identifier is right."


def write_waiting(lookup: Lookup, *, now: datetime) -> str:
    """When an open lookup is tried again, where its registry did not answer; empty where it has not failed."""
    job = bodies.find_job(lookup)
    again = find_next_try(job, now=now) if job else None
    return f"The registry did not answer. It is asked again at {again:%H:%M} UTC." if again else ""


def write_failed(lookup: Lookup) -> tuple[str, str]:
    """Why it ended here and not at the registry: a headline, and a sentence under it."""
    match find_breakdown(lookup.reason):
        case Breakdown.OUT_OF_FUNDS:
            return "The balance did not cover this", f"The answer was kept back. {FREE}"
        case Breakdown.ENDED:
            return "We ended this before there was an answer", f"{FREE} Please ask again."
    return "This failed on our side, not at the registry", f"{FREE} It has been logged; please ask again."


def _write_kind(lookup: Lookup) -> str:
    kind = KINDS.get(lookup.kind, lookup.kind)
    if lookup.kind == "ucc" and lookup.question.get("search_by") == "secured_party":
        return f"{kind}, by secured party"
    return f"{kind}, by identifier" if lookup.question.get("entity_id") else kind


def _write(lookup: Lookup, verdict: Verdict | None) -> tuple[str, str]:
    """The headline and the sentence under it."""
    name, asked = PLACES[lookup.state].name, f"“{lookup.asked}”"
    match verdict:
        case None:
            return f"Asking {name}…", ""
        case Verdict.FOUND:
            return _write_found(lookup), "" if is_kept(lookup) else NOT_KEPT
        case Verdict.NOT_FOUND:
            lead, filed = write_asked(lookup.question) if lookup.kind == "ucc" else ("company", "")
            return f"{name} has no {lead} {asked} {filed}".rstrip(), _write_absence(lookup)
        case Verdict.AMBIGUOUS:
            text = "We do not guess: choose one, and it is asked for by its identifier."
            text = " ".join(filter(None, (text, lookup.note, FREE)))
            return f"Several companies fit {asked} equally well", text  # candidates has near names too, and not all
        case Verdict.REFUSED:
            texts = [text for several in bodies.refusal_details(lookup).values() for text in several]
            return f"{name} cannot be asked this", f"{write_for_people(' '.join(texts))} {FREE}"
        case Verdict.UNAVAILABLE:
            is_off = find_failure(lookup.reason) is Failure.DISABLED
            return f"{name} {'is not asked here' if is_off else 'did not answer'}", _write_unavailable(lookup)
        case Verdict.FAILED:
            return write_failed(lookup)
        case Verdict.CANCELLED:
            return "Cancelled before its turn", FREE
    verdicts = {
        Verdict.FREE: "is free in",
        Verdict.TAKEN: "is taken in",
        Verdict.CANNOT_SAY: "may or may not be free in",
    }
    return f"{asked} {verdicts[verdict]} {name}", ""


def is_kept(lookup: Lookup) -> bool:
    """Whether what was found is there to be shown: not where 1.3 had lost it before its rows were taken over."""
    return lookup.evidence is not None and (lookup.version is not None or lookup.filing_set is not None)


def _write_found(lookup: Lookup) -> str:
    if lookup.version is not None:
        return clip(lookup.version.data["entityName"], LONGEST_NAME) or ""
    if lookup.filing_set is None:
        return f"“{lookup.asked}” was found"
    count = len(lookup.filing_set.filings)
    lead, filed = write_asked(lookup.question)
    lead = lead.replace("liens", "lien") if count == 1 else lead
    return f"{count} {lead} “{lookup.asked}” {filed}".rstrip()


def _write_absence(lookup: Lookup) -> str:
    """Who has no such record, and where was not looked."""
    dated = f" of {day(lookup.data_as_of)}" if lookup.data_as_of else ""
    who = f"A loaded copy of the register{dated}" if lookup.is_from_copy else "The registry answered in full and"
    return " ".join(filter(None, (f"{who} has no such record.", lookup.note, FREE)))


def _write_unavailable(lookup: Lookup) -> str:
    failure = find_failure(lookup.reason) or Failure.DOWN
    own = lookup.note if failure is Failure.DISABLED else ""  # the operator's sentence
    sentences = [own or failure.facts.customer, FREE]
    if COPY_KEPT in lookup.note:
        sentences.append(COPY_HERE)
    if lookup.retry_at is not None:
        sentences.append(f"It may be asked again from {day(lookup.retry_at)}, {lookup.retry_at:%H:%M} UTC on.")
    elif failure is Failure.DISABLED:
        sentences.append("Asking again will not help as long as it is switched off.")
    elif not bodies.is_retryable(lookup):
        sentences.append("Asking again will not help until we have looked into it.")
    return " ".join(sentences)


def _candidate(one: dict[str, Any], lookup: Lookup) -> Candidate:
    name, entity_id = str(one.get("entityName") or ""), str(one.get("entityId") or "")
    by = {"entity_id": entity_id} if entity_id and lookup.kind != "ucc" else {"name": name}
    wished = {IDENTIFIERS: "on"} if IDENTIFIERS in lookup.question.get("include", ()) else {}
    url = str(one.get("sosUrl") or "")
    return Candidate(
        pieces=differences.mark(str(lookup.question.get("name") or ""), clip(name, LONGEST_NAME) or ""),
        entity_id=entity_id,
        status=clip(one.get("status"), 100) or "",
        apart=differences.write_features(one.get("features") or []),
        fields={
            **by,
            **wished,
            "state": lookup.state,
            "kind": "liens" if lookup.kind == "ucc" else "company",
            "word": lookup.ask_id.hex,  # the same click again is the same question, however often the page is opened
        },
        url=url if url.startswith("https://") and not lookup.sandbox else "",
    )
