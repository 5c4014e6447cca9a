"""What the search box of the first page shows of an answer, whichever it is: in words, with what can be done next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from jurisdictions.codes import PLACES
from lookups import bodies
from lookups.demo.asking import Answer
from lookups.models import Lookup
from lookups.pages.differences import Piece, mark
from lookups.pages.dossier.record.words import write_for_people
from lookups.verdicts import Verdict
from scrapers.failures import Failure, find_failure

FREE_OF_CHARGE = "Nothing was charged"
_NAME_WORDS = {
    Verdict.FREE: ("Free", "good", "The name is free in {state}, by the state's own rule."),
    Verdict.TAKEN: ("Taken", "bad", "The name is taken in {state}."),
    Verdict.CANNOT_SAY: ("Cannot say", "warn", "Whether the name is free in {state} cannot be said."),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A company that may have been meant, with what tells its name from the one that was asked."""

    pieces: list[Piece]
    entity_id: str
    status: str
    url: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer without a dossier: its tag, what it says, and what may have been meant."""

    word: str
    kind: str
    title: str
    sentences: list[str]
    choices: list[Choice]
    rule: dict[str, Any] | None = None


def describe(answer: Answer) -> Shown | None:
    """What is shown of a lookup that found no record; None where it has one, which is a dossier."""
    lookup = answer.lookup
    verdict = lookup.outcome
    if verdict is Verdict.FOUND or verdict is None:
        return None
    if verdict in _NAME_WORDS:
        return _of_name(lookup, verdict)
    if verdict in (Verdict.NOT_FOUND, Verdict.AMBIGUOUS):
        return _of_absence(lookup)
    return _of_trouble(lookup, verdict)


def try_url(**asked: str) -> str:
    """Where the box answers this question."""
    return reverse("try", query=asked)


def timing(answer: Answer, *, now: datetime) -> dict[str, str]:
    """Whether the registry answered, in how long, and how long ago where it is shown again."""
    lookup = answer.lookup
    did = "did not answer" if lookup.verdict == Verdict.UNAVAILABLE else "answered"
    minutes = round((now - (lookup.ended_at or now)).total_seconds() / 60)
    ago = f"{minutes} minute{'s' if minutes > 1 else ''} ago" if minutes else "a moment ago"
    return {
        "sentence": f"{PLACES[lookup.state].name} {did}",
        "spent": f"{(lookup.duration_ms or 0) / 1000:.2f} s",
        "again": ago if answer.again else "",
    }


def _of_absence(lookup: Lookup) -> Shown:
    state = PLACES[lookup.state].name
    choices = [_choice(lookup, one) for one in lookup.candidates]
    if lookup.verdict == Verdict.AMBIGUOUS:
        title = f"Several companies of {state} fit equally well"
        sentences = [f"None is guessed: choose one. {FREE_OF_CHARGE}."]
        return Shown("Ambiguous", "warn", title, sentences, choices)
    what = "lien on" if lookup.kind == "ucc" else "company called"
    title = f"{state} has no {what} “{lookup.asked}”"
    sentences = [f"The registry answered in full: nothing found costs nothing. {lookup.note}".strip()]
    if choices:
        sentences.append("Near it:")
    return Shown("Not found", "neutral", title, sentences, choices)


def _of_name(lookup: Lookup, verdict: Verdict) -> Shown:
    word, kind, sentence = _NAME_WORDS[verdict]
    check = lookup.name_check or {}
    notes = [check.get(name) for name in ("designatorNote", "variationNote", "warning", "statusNote")]
    return Shown(
        word,
        kind,
        f"“{lookup.asked}”",
        [sentence.format(state=PLACES[lookup.state].name), *(note for note in notes if note)],
        [_choice(lookup, one) for one in check.get("conflictingEntities", [])],
        check.get("rule"),
    )


def _of_trouble(lookup: Lookup, verdict: Verdict) -> Shown:
    state = PLACES[lookup.state].name
    if verdict is Verdict.REFUSED:
        told = [
            write_for_people(sentence)
            for sentences in bodies.refusal_details(lookup).values()
            for sentence in sentences
        ]
        return Shown("Refused", "warn", f"{state} does not take this question", [*told, f"{FREE_OF_CHARGE}."], [])
    if verdict is Verdict.UNAVAILABLE:
        failure = find_failure(lookup.reason) or Failure.DOWN
        again = _again(lookup.ended_at, lookup.retry_at)
        title = f"{state} {'is not asked here' if failure is Failure.DISABLED else 'did not answer'}"
        return Shown("No answer", "bad", title, [f"{failure.facts.customer} {again}".strip()], [])
    return Shown("Broken off", "bad", "This lookup broke off here", [f"{FREE_OF_CHARGE}. Please try again."], [])


def _again(ended: datetime | None, retry: datetime | None) -> str:
    """That it cost nothing, and how long the registry wants to be left alone."""
    if ended is None or retry is None:
        return f"{FREE_OF_CHARGE}."
    seconds = round((retry - ended).total_seconds())
    wait = f"{seconds // 60} minutes" if seconds >= 120 else f"{seconds} seconds"
    return f"{FREE_OF_CHARGE}. It may be asked again after {wait}."


def _choice(lookup: Lookup, one: dict[str, Any]) -> Choice:
    number = str(one.get("entityId") or "")
    url = try_url(state=lookup.state, id=number) if number else ""
    return Choice(mark(lookup.asked, str(one["entityName"])), number, str(one.get("status") or ""), url)
