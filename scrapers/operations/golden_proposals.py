"""Proposes a golden case of what a portal really answered, with people replaced, for a person to review.

It is written only if it still reads the same: a name that is also a label of the page cannot be replaced by a program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from scrapers.evidence.readings import to_plain
from scrapers.evidence.replay import open_session
from scrapers.failures import PortalError
from scrapers.operations.conversation import Conversation
from scrapers.operations.people import find_swaps
from scrapers.plain import tell, tell_error
from scrapers.portal import Portal
from scrapers.records import Answer, Query
from scrapers.refusals import QueryRefused
from scrapers.search.pipeline import ask
from scrapers.search.terms import plan
from scrapers.transport.recording import Replay, save_steps

_KEY = "sample-key"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Where a case was written, or why none was; `people`: how many words of names were replaced."""

    folder: Path | None = None
    why_not: str = ""
    pages: int = 0
    people: int = 0


def propose(
    portal: Portal, query: Query, seen: Conversation, *, folder: Path, texts: Mapping[str, str] | None = None
) -> Proposal:
    """Write the conversation as a golden case to `folder`; `texts` are swapped beside the people that were found."""
    if not seen.steps:
        return Proposal(why_not="nothing was reached")
    if seen.answer is not None and seen.answer.evidence.from_copy:
        return Proposal(why_not="the loaded copy answered")
    asked = query.name or query.entity_id or ""
    swaps = find_swaps(seen, question=asked, texts=dict.fromkeys(seen.keys.values(), _KEY) | dict(texts or {}))
    other = replace(query, name=query.name and swaps.in_text(query.name))
    terms = _terms(portal, query, other.name or "")
    steps = [swaps.in_step(step, terms) for step in seen.steps]
    sample_keys, replay = dict.fromkeys(seen.keys, _KEY), Replay(steps)
    again = _play(portal, other, replay, sample_keys)
    expected, unread = _outcome(again, portal), swaps.in_data(seen.unread_labels)
    differs = _differs(swaps.in_data(_outcome(seen, portal)), expected)
    if differs or unread != again.unread_labels or replay.left:
        why = ", ".join(differs) or "its labels or requests"
        return Proposal(why_not=f"with people replaced it does not read the same: {why}")
    save_steps(
        folder, steps, question=_question(other), provenance="recorded-shape", unread_labels=unread, keys=sample_keys
    )
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")
    return Proposal(folder, pages=len(steps), people=swaps.count)


def _question(query: Query) -> dict[str, Any]:
    """What differs from an empty question, as case.json has it."""
    asked, empty = to_plain(query), to_plain(Query(query.state))
    return {name: value for name, value in asked.items() if value != empty[name]}


def _terms(portal: Portal, query: Query, other: str) -> dict[str, str]:
    """What was searched for, pieces of the name too, with what is searched for under the other name."""
    if not query.name or query.entity_id or query.kind != "business_entity" or query.name == other:
        return {}
    try:
        was, new = (plan(each, portal.name_search) for each in (query.name, other))
    except QueryRefused:
        return {}
    pairs = zip((*was.terms, *was.wider.terms), (*new.terms, *new.wider.terms), strict=False)
    return {old: term for old, term in pairs if old and term}


def _outcome(seen: Conversation, portal: Portal) -> dict[str, Any]:
    return _plain(seen.answer or seen.failure, portal)


def _plain(ended: Answer | Exception | None, portal: Portal) -> dict[str, Any]:
    if isinstance(ended, PortalError):
        return tell_error(ended)
    if ended is None or isinstance(ended, Exception):
        return {"outcome": type(ended).__name__}
    told: dict[str, Any] = json.loads(json.dumps(tell(ended, portal, state=portal.code)))
    return told


def _play(portal: Portal, query: Query, replay: Replay, keys: Mapping[str, str]) -> Conversation:
    """Ask the same of the saved steps."""
    seen = Conversation()
    session = open_session(portal, replay, trace=seen.trace, keys=keys)
    try:
        seen.answer = ask(portal, session, query, now=timezone.now(), threshold=settings.MATCH_THRESHOLD)
    except Exception as error:
        seen.failure = error
    return seen


def _differs(was: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What of an answer is otherwise, by its path; names of another length have other scores, and so another order."""
    before, after = dict(_leaves(was)), dict(_leaves(found))
    paths = before.keys() | after.keys()
    return sorted({path.split("[")[0] for path in paths if before.get(path) != after.get(path)})


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name not in ("score", "features"):
                yield from _leaves(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        ordered = sorted(value, key=lambda one: str(one.get("entity_id"))) if path == "suggestions" else value
        for number, item in enumerate(sorted(ordered) if path == "related" else ordered):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, value
