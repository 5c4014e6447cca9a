"""A damaged page ends in one of the four errors: never in another exception, and never in "not found"."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from scrapers import discovery
from scrapers.failures import PortalError
from scrapers.records import NotFound, Query
from scrapers.search.pipeline import ask
from scrapers.transport.recording import Replay, Step, UnexpectedRequest, load_steps
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.golden import NOW, THRESHOLD, Case, dated, list_cases

CASES = [case for case in list_cases() if case.situation == "active"]
# What happens to pages: a name, the damage, and whether the list could honestly be shorter afterwards.
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "white-space": lambda _: b" \n ",
    "an-empty-page": lambda _: b"<html><head><title>Welcome</title></head><body></body></html>",
    "plain-words": lambda _: b"An error occurred while processing your request.",
    "an-empty-object": lambda _: b"{}",
    "an-empty-list-in-an-object": lambda _: b'{"data": null, "error": ["x"]}',
    "ids-renamed": lambda body: body.replace(b' id="', b' data-id="').replace(b'"ID"', b'"IDENT"'),
    "classes-renamed": lambda body: body.replace(b' class="', b' data-class="'),
    "cells-turned-to-boxes": lambda body: body.replace(b"<td", b"<div").replace(b"</td", b"</div"),
    "bytes-that-are-no-text": lambda body: b"\x00\xff\xfe" + body[:200] + b"\x80\x81",
    "cut-in-the-middle": lambda body: body[: len(body) // 2],
    "cut-near-the-end": lambda body: body[: len(body) * 9 // 10],
}
# A list cut by the line is cut by the transport's length check long before a parser sees it.
SHORTER = {"cut-in-the-middle", "cut-near-the-end"}


def outcome(case: Case, steps: list[Step]) -> Any:
    """The answer to the case's question from these steps, or the portal error it ended in."""
    portal = discovery.find_portal(case.state)
    assert portal is not None
    session = PortalSession(
        portal=case.state,
        hosts=portal.hosts,
        settings=TransportSettings(user_agent="damage", keys=case.content.get("keys", {})),
        deadline=time.monotonic() + 30,
        adapter=Replay(steps),
    )
    try:
        return ask(
            portal, session, Query(state=case.state, **dated(case.content["question"])), now=NOW, threshold=THRESHOLD
        )
    except PortalError as error:
        return error


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_damaged_page_is_told_as_such(case: Case, damage: str) -> None:
    whole = load_steps(case.folder)
    for number, step in enumerate(whole):
        if not step.body:
            continue
        steps = [*whole[:number], replace(step, body=DAMAGES[damage](step.body)), *whole[number + 1 :]]
        try:
            told = outcome(case, steps)
        except UnexpectedRequest:
            continue  # the page still led somewhere, only not where the recording goes
        if damage not in SHORTER:
            assert not isinstance(told, NotFound), f"step {number + 1} ({step.url}) became a false 'not found'"


@pytest.mark.parametrize("tenths", range(1, 10))
def test_a_list_of_liens_that_breaks_off_never_reads_as_none(tenths: int) -> None:
    case = next(case for case in list_cases() if str(case) == "KY-ucc-dates")
    steps = load_steps(case.folder)
    steps[-1] = replace(steps[-1], body=steps[-1].body[: len(steps[-1].body) * tenths // 10])
    assert isinstance(outcome(case, steps), PortalError)


def test_a_counted_list_without_its_rows_never_reads_as_none() -> None:
    case = next(case for case in list_cases() if str(case) == "AR-by-number")
    form, found, opened = load_steps(case.folder)
    other = replace(opened, body=opened.body.replace(b"811223344", b"9999999"))
    row = found.body[found.body.index(b"<tbody>") + len(b"<tbody>") : found.body.index(b"</tbody>")]
    for count, body in ((1, found.body.replace(row, b"")), (2, found.body)):
        listed = replace(found, body=body.replace(b"Returned: 1", b"Returned: %d" % count))
        assert isinstance(outcome(case, [form, listed, other]), PortalError), count


def test_an_entity_without_its_own_panel_never_reads_as_none() -> None:
    case = next(case for case in list_cases() if str(case) == "OH-inactive")
    routes, detail = load_steps(case.folder)
    sections = json.loads(detail.body)
    sections["data"][0]["firstpanel"] = []
    sections["data"][2]["listing"] = [{"tran_code_desc": "DISSOLUTION", "effect_date": "2019-05-22T10:00:00Z"}]
    assert isinstance(outcome(case, [routes, replace(detail, body=json.dumps(sections).encode())]), PortalError)


def test_an_assumed_name_never_reads_as_the_legal_one() -> None:
    case = next(case for case in list_cases() if str(case) == "AK-inactive")
    (page,) = load_steps(case.folder)
    legal = b'<tr><td data-th="Type">Legal Name</td><td data-th="Name">Blue Heron Mining, Inc.</td></tr>'
    assert legal in page.body
    assert isinstance(outcome(case, [replace(page, body=page.body.replace(legal, b""))]), PortalError)
