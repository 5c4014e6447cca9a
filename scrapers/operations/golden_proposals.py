"""Proposes a golden case of what a portal really answered, with people replaced, for a person to review.

It is written only if it still reads the same: a name that is also a label of the page cannot be replaced by a program.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from scrapers import gateway
from scrapers.failures import PortalError
from scrapers.operations.conversation import Conversation
from scrapers.operations.people import Swaps, find_swaps
from scrapers.plain import tell, tell_error
from scrapers.portal import Portal
from scrapers.records import Answer, Query
from scrapers.search.pipeline import ask
from scrapers.transport.recording import Replay, save_steps
from scrapers.transport.session import PortalSession, TransportSettings

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
    keys = {name: key for name, key in gateway.transport_settings().keys.items() if key}
    swaps = find_swaps(seen, question=asked, texts=dict.fromkeys(keys.values(), _KEY) | dict(texts or {}))
    steps, question = [swaps.in_step(step) for step in seen.steps], _question(query, swaps)
    sample_keys, replay = dict.fromkeys(keys, _KEY), Replay(steps)
    again = _play(portal, replace(query, **question), replay, sample_keys)
    expected, unread = _outcome(again, portal), swaps.in_data(seen.unread_labels)
    differs = _differs(swaps.in_data(_outcome(seen, portal)), expected)
    if differs or unread != again.unread_labels or replay.left:
        why = ", ".join(differs) or "its labels or requests"
        return Proposal(why_not=f"with people replaced it does not read the same: {why}")
    save_steps(folder, steps, question=question, provenance="recorded-shape", unread_labels=unread, keys=sample_keys)
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")
    return Proposal(folder, pages=len(steps), people=swaps.count)


def _question(query: Query, swaps: Swaps) -> dict[str, Any]:
    """What differs from an empty question, as case.json has it."""
    asked = {"name": query.name and swaps.in_text(query.name), "entity_id": query.entity_id}
    kind = query.kind if query.kind != "business_entity" else None
    search_by = query.search_by if query.search_by != "debtor" else None
    return {name: value for name, value in {**asked, "kind": kind, "search_by": search_by}.items() if value}


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
    session = PortalSession(
        portal=portal.code,
        hosts=portal.hosts,
        settings=TransportSettings(user_agent="golden", keys=keys),
        deadline=time.monotonic() + 30,
        trace=seen.trace,
        adapter=replay,
    )
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
