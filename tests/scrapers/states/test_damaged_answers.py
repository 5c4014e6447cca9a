"""JSON answers with one part replaced: whatever a portal sends, a reader ends in an answer or in one of its errors.

Each value of each saved answer is replaced in turn by null, nothing, a number, a text and another kind of thing.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from scrapers import discovery
from scrapers.failures import PortalError
from scrapers.records import NotFound, Query
from scrapers.search.pipeline import ask
from scrapers.transport.recording import Replay, Step, load_steps
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.golden import NOW, THRESHOLD, Case, list_cases

STATES = {"CA", "ID", "MI", "MS", "MT", "ND", "NM", "OH", "PR", "WA"}
CASES = [
    case
    for case in list_cases()
    if case.state in STATES and case.situation in ("active", "ucc-debtor", "by-the-official-api")
]
WRONG: tuple[Any, ...] = (None, [], {}, 7, "text", [None])
NAMES = ("TITLE", "corpName", "business_name", "BusinessName", "EntityName")  # another name is another company
LISTS = ("rows", "records", "data", "EntityData", "d", "")  # emptied, they are the portal's own "nothing found"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a value has parts, itself included."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from places(part, (*path, name))


def damaged(value: Any, path: tuple[Any, ...], wrong: Any) -> Any:
    """A copy with the part at `path` replaced."""
    if not path:
        return wrong
    whole = copy.deepcopy(value)
    part = whole
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = wrong
    return whole


def outcome(case: Case, steps: list[Step]) -> str:
    """What comes of the question; an exception that is none of the portal's errors is not caught."""
    portal = discovery.find_portal(case.state)
    assert portal is not None
    session = PortalSession(
        portal=case.state,
        hosts=portal.hosts,
        settings=TransportSettings(user_agent="test", keys=case.content.get("keys", {})),
        deadline=time.monotonic() + 30,
        adapter=Replay([replace(step, url=step.url) for step in steps]),
    )
    try:
        answer = ask(portal, session, Query(state=case.state, **case.content["question"]), now=NOW, threshold=THRESHOLD)
    except PortalError as error:
        return type(error).__name__
    except AssertionError:  # the damage led to a request that the case does not hold: another id, another name
        return "another request"
    finally:
        session.close()
    return "not found" if isinstance(answer, NotFound) else "found"


@pytest.mark.parametrize("case", CASES, ids=str)
class TestADamagedAnswer:
    """One part of one page is not what it was."""

    def test_ends_in_an_answer_or_in_one_of_the_four_errors(self, case: Case) -> None:
        steps = load_steps(case.folder)
        for number, step in enumerate(steps):
            if not step.body.lstrip().startswith((b"{", b"[")):
                continue
            value = json.loads(step.body)
            for path in places(value):
                for wrong in WRONG:
                    body = json.dumps(damaged(value, path, wrong)).encode()
                    told = outcome(case, [*steps[:number], replace(step, body=body), *steps[number + 1 :]])
                    last = next((part for part in reversed(path) if isinstance(part, str)), "")
                    if told == "not found":
                        assert last in (*NAMES, *LISTS), f"{path} as {wrong!r} reads as not found"
