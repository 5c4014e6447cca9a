"""Canaries: known names put to a registry for real, and every way in which what came of them is not as it should be.

What is found is named in words, because a person has to mend it: a wall is not a changed page, a label nobody reads is
not a company that went missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scrapers import gateway
from scrapers.failures import PageChanged, PortalBlocked, PortalDisabled, PortalError
from scrapers.normalize import dates
from scrapers.normalize.record import availability
from scrapers.operations import conversation
from scrapers.operations.conversation import Conversation
from scrapers.portal import CanaryKind, ContactResult, Portal
from scrapers.records import Found, FoundFilings, NotFound, Query
from scrapers.refusals import QueryRefused
from scrapers.transport.exchanges import hide

SECONDS = 45.0  # for one question, its waiting for a turn included


STOPS = (ContactResult.WALLED, ContactResult.NO_ANSWER)  # who does not answer is not asked the next question


def _clean(text: str) -> str:
    """Words of ours with some of a page's: without our keys and without signs that a terminal or a database minds."""
    secrets = [key for key in gateway.transport_settings().keys.values() if key]
    return "".join(sign if sign.isprintable() else " " for sign in hide(text, secrets))[:500]


@dataclass(frozen=True, slots=True)
class Asked:
    """One canary: what was asked, how it ended (the answer's or the failure's word), and what is not as it should be.

    `answer` is what was read, for people; `blank` are fields that the source publishes and this record has not.
    """

    kind: CanaryKind
    question: str
    result: ContactResult
    outcome: str = ""
    answer: str = ""
    findings: tuple[str, ...] = ()
    unread_labels: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()
    is_lasting: bool = False  # what is wrong does not mend itself
    seen: Conversation | None = None

    @property
    def reached(self) -> bool:
        """Whether a page of the registry came; what stands in a loaded copy of its file is none."""
        return self.seen is not None and any(one.status and one.file is None for one in self.seen.trace.exchanges)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return round(self.seen.seconds, 1) if self.seen else 0.0


def list_questions(portal: Portal) -> dict[CanaryKind, str]:
    """What the portal is asked, in this order; without what its source does not have."""
    known, can = portal.canaries, portal.capabilities
    questions = {
        CanaryKind.ACTIVE: known.active if can.search else "",
        CanaryKind.INACTIVE: known.inactive if can.search and portal.coverage == "all" else "",
        CanaryKind.PERSON: known.person if can.search else "",
        CanaryKind.ABSENT: known.absent if can.search else "",
        CanaryKind.LIEN: known.lien if can.ucc else "",
    }
    return {kind: name for kind, name in questions.items() if name}


def query_of(portal: Portal, kind: CanaryKind, name: str) -> Query:
    """The canary as a question."""
    return Query(portal.code, name=name, kind="ucc" if kind is CanaryKind.LIEN else "business_entity")


def try_canary(portal: Portal, kind: CanaryKind, name: str) -> Asked:
    """Ask one portal for one canary, whether it is switched on or not."""
    try:
        seen = conversation.hold(portal, query_of(portal, kind, name), seconds=SECONDS)
    except PortalDisabled as error:
        return Asked(kind, name, ContactResult.NOT_ASKED, error.reason, findings=(_clean(error.detail),))
    unread = tuple(dict.fromkeys(label for stage in seen.unread_labels for label in _clean(stage).split(", ")))
    if seen.failure is not None:
        return _failed(kind, name, seen, seen.failure, unread)
    wrong = tuple(_judge(portal, kind, seen))
    findings = [*wrong, *_strange_words(portal, seen)]
    if unread:
        findings.append(f"labels that nobody reads: {', '.join(unread)}")
    return Asked(
        kind,
        name,
        ContactResult.DIFFERS if findings else ContactResult.READ,
        _outcome(seen),
        _clean(_describe(portal, seen)),
        tuple(map(_clean, findings)),
        unread,
        _blank(portal, kind, seen),
        is_lasting=bool(wrong),
        seen=seen,
    )


def _failed(kind: CanaryKind, name: str, seen: Conversation, error: Exception, unread: tuple[str, ...]) -> Asked:
    if not isinstance(error, PortalError):
        finding = _clean(f"the reader broke down: {type(error).__name__}: {error}")
        return Asked(kind, name, ContactResult.NOT_READ, "defect", "", (finding,), unread, is_lasting=True, seen=seen)
    if isinstance(error, QueryRefused) and kind in (CanaryKind.PERSON, CanaryKind.LIEN):  # such names are many
        return Asked(
            kind, name, ContactResult.READ, error.reason, _clean(error.detail), unread_labels=unread, seen=seen
        )
    finding = _clean(f"{error.reason.plain}: {error.detail}")
    if isinstance(error, QueryRefused):
        result = ContactResult.DIFFERS
    elif isinstance(error, PortalDisabled) or not seen.trace.exchanges:
        result = ContactResult.NOT_ASKED
    elif isinstance(error, PortalBlocked):
        result = ContactResult.WALLED
    else:
        result = ContactResult.NOT_READ if isinstance(error, PageChanged) else ContactResult.NO_ANSWER
    lasting = result is ContactResult.NOT_READ
    return Asked(kind, name, result, error.reason, "", (finding,), unread, is_lasting=lasting, seen=seen)


def _judge(portal: Portal, kind: CanaryKind, seen: Conversation) -> Iterator[str]:
    """What is not as the canary should be."""
    answer = seen.answer
    if isinstance(answer, Found):
        yield from _judge_found(portal, kind, answer)
    elif isinstance(answer, NotFound):
        yield from _judge_not_found(kind, answer, seen)
    elif answer is not None:
        for filing in answer.filings:
            if filing.filed and not dates.to_date(filing.filed):
                yield f"a date that cannot be read: {filing.filed!r}"


def _judge_found(portal: Portal, kind: CanaryKind, answer: Found) -> Iterator[str]:
    record = answer.record
    if kind is CanaryKind.ABSENT:
        yield f"{record.entity_name!r} was found, where nobody has the name"
    if answer.match.kind == "close":
        yield f"not the name that was asked: {record.entity_name!r}"
    yield from _judge_class(portal, kind, answer)
    if record.formation_date and not dates.to_date(record.formation_date, years_ahead=0):
        yield f"a date that cannot be read: {record.formation_date!r}"


def _judge_not_found(kind: CanaryKind, answer: NotFound, seen: Conversation) -> Iterator[str]:
    if kind is CanaryKind.LIEN:
        yield "no filing of the known debtor is found, so that none was read: is it the right canary?"
    elif kind in (CanaryKind.ACTIVE, CanaryKind.INACTIVE):
        rows = sum(len(results.candidates) for results, _ in seen.lists)
        why = "several fit equally well" if answer.ambiguous else f"{rows} rows were read"
        yield f"the known name is not found ({why}): a changed search, or is it the right canary?"
    elif kind is CanaryKind.ABSENT and answer.ambiguous:
        yield "several fit equally well, where nobody has the name"


def _judge_class(portal: Portal, kind: CanaryKind, answer: Found) -> Iterator[str]:
    if kind not in (CanaryKind.ACTIVE, CanaryKind.INACTIVE):
        return
    meaning = portal.record_meaning(answer.record)
    if meaning.reason != "status_not_published" and meaning.status_class != kind.value:
        yield f"reads as {meaning.status_class}, by the status {answer.record.status!r}"
    elif portal.capabilities.status and not answer.record.status and portal.implied_status is None:
        yield "no status was read"


def _strange_words(portal: Portal, seen: Conversation) -> Iterator[str]:
    """Status words that the state's table does not have."""
    words = [row.status for results, _ in seen.lists for row in results.candidates]
    if isinstance(seen.answer, Found):
        words.append(seen.answer.record.status)
    strange = {word for word in words if portal.status_meaning(word).reason == "unrecognised_status"}
    if strange:
        yield f"status words that nobody knows: {', '.join(sorted(map(repr, strange)))}"


def _outcome(seen: Conversation) -> str:
    if isinstance(seen.answer, NotFound):
        return "ambiguous" if seen.answer.ambiguous else "not_found"
    return "found"


def _describe(portal: Portal, seen: Conversation) -> str:
    """What was read, in a line."""
    answer = seen.answer
    if isinstance(answer, Found):
        record, meaning = answer.record, portal.record_meaning(answer.record)
        return f"{record.entity_name} ({record.entity_id}), {record.status or 'no status'}: {meaning.status_class}"
    if isinstance(answer, FoundFilings):
        return f"{answer.total} filing{'s' if answer.total != 1 else ''}"
    near = ", ".join(one.name for one in answer.suggestions) if answer else ""
    return f"nobody; near: {near}" if near else "nobody"


def _blank(portal: Portal, kind: CanaryKind, seen: Conversation) -> tuple[str, ...]:
    """What the source publishes and the active canary has not: nothing wrong, and worth a look."""
    if kind is not CanaryKind.ACTIVE or not isinstance(seen.answer, Found):
        return ()
    found = availability(seen.answer.record, portal=portal)
    return tuple(field for field, why in found.items() if why in ("empty", "parse_failed"))
