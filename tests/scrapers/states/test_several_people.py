"""Several agents of one company, and people in each section that a registry has for them: nobody is dropped."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from scrapers.records import EntityRecord, Found
from scrapers.transport.recording import Step, load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER


def read(state: str, page: int, *changes: tuple[str, str], more: Any = None) -> EntityRecord:
    """The record of a saved conversation with words of one page changed, or its JSON by `more`."""
    steps = load_steps(FOLDER / state / "active")
    body = steps[page].body.decode()
    for old, new in changes:
        assert old in body, old
        body = body.replace(old, new)
    if more is not None:
        content = json.loads(body)
        more(content)
        body = json.dumps(content)
    steps[page] = replace(steps[page], body=body.encode())
    return _ask(state, steps)


def _ask(state: str, steps: list[Step]) -> EntityRecord:
    question = json.loads((FOLDER / state / "active" / "case.json").read_text(encoding="utf-8"))["question"]
    told = Conversation(state, *steps).ask(**question)
    assert isinstance(told, Found)
    return told.record


class TestAgents:
    """Of one company."""

    def test_stand_in_a_row_each_in_mississippi(self) -> None:
        more = '<tr><td><a href="#">CASEY SAMPLE</a><br/>3 EXAMPLE ST<br/>BILOXI, MS 39530</td></tr>'
        record = read("MS", 1, ("</table>\n<div>Officers", f"{more}</table>\n<div>Officers"))
        assert record.agent_name == "JORDAN SAMPLE; CASEY SAMPLE"
        assert record.agent_address.city == "JACKSON"

    def test_are_those_alone_who_are_named(self) -> None:
        more = '<tr><td><a href="#">*RESIGNED 01/02/2003*</a><br/>3 EXAMPLE ST<br/>BILOXI, MS 39530</td></tr>'
        record = read("MS", 1, ("</table>\n<div>Officers", f"{more}</table>\n<div>Officers"))
        assert record.agent_name == "JORDAN SAMPLE"

    def test_repeat_their_box_in_louisiana(self) -> None:
        first = '<span id="ctl00_cphContent_rptAgents_ctl00_lblAgentName">JORDAN SAMPLE</span>'
        second = '<span id="ctl00_cphContent_rptAgents_ctl01_lblAgentName">CASEY SAMPLE</span>'
        record = read("LA", 2, (first, first + second))
        assert record.agent_name == "JORDAN SAMPLE; CASEY SAMPLE"
        assert record.agent_address.city == "BATON ROUGE"

    def test_stand_under_a_label_or_as_a_link_each_in_the_virgin_islands(self) -> None:
        label = '<div class="appAttribute"><span class="appLabelText">Name</span>{}</div>'
        value, last = '<div class="appAttrValue">Casey Sample</div>', "</div>\n</form>"
        record = read("VI", 2, (last, label.format(value) * 2 + last))
        assert record.agent_name == "Jordan Sample; Casey Sample"
        link = '<div class="appAttrHyperlink EntityName"><a href="#">{} Agents, LLC</a></div>'
        record = read("VI", 2, (last, link.format("Island") + link.format("Harbor") + last))
        assert record.agent_name == "Island Agents, LLC; Harbor Agents, LLC"

    @pytest.mark.parametrize(
        ("state", "page", "other"), [("CT", 1, {"name__c": "CASEY SAMPLE"}), ("OR", 0, {"first_name": "CASEY"})]
    )
    def test_are_rows_of_open_data(self, state: str, page: int, other: dict[str, str]) -> None:
        def add(rows: Any) -> None:
            agent = rows[-1]
            rows += [agent | other, agent]

        once = read(state, page).agent_name or ""
        twice = read(state, page, more=add).agent_name or ""
        assert twice.partition("; ")[0] == once
        assert twice.partition("; ")[2].startswith("CASEY")
        assert twice.count(once) == 1, "one who is named again is no further agent"


class TestPuertoRicosPeople:
    """In the sections that its answers have, and beside numbers below zero."""

    def test_run_a_company_for_the_public_benefit(self) -> None:
        def add(found: Any) -> None:
            found["response"]["publicBenefitExecutives"] = found["response"]["incorporators"]

        titles = [officer.title for officer in read("PR", 1, more=add).officers]
        assert titles == ["Incorporator", "Public Benefit Executive"]

    def test_have_a_company_of_a_number_below_zero(self) -> None:
        steps = load_steps(FOLDER / "PR" / "active")
        old, new = b"420900-1511", b"-35-1511"
        steps = [replace(one, url=one.url.replace(old.decode(), new.decode())) for one in steps]
        steps = [replace(one, body=one.body.replace(old, new)) for one in steps]
        assert _ask("PR", steps).entity_id == "-35-1511"
