"""Rows of Rhode Island's list as it showed them in 2026-08, put back into the five cells they came from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from scrapers.records import Address, Found
from scrapers.states.rhode_island import RhodeIsland
from scrapers.transport.page import Page
from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER


class TestTheRecordedRows:
    """All of the search for active entities: the fourth cell says which of them are that no more."""

    def test_have_their_status_in_their_fourth_cell(self, recordings: Path) -> None:
        content = json.loads((recordings / "RI" / "search-rows-derived.json").read_text(encoding="utf-8"))
        rows = "".join(
            f"<tr><td><a href='CorpSummary.aspx?FEIN={row['ID (FEIN parameter)']}&amp;SEARCH_TYPE=1'>{row['name']}</a>"
            f"</td><td>{row['ID (FEIN parameter)']}</td><td>{row['NAICS']}</td><td>{row['fourth column']}</td>"
            f"<td>{row['address']}</td></tr>"
            for row in content["rows"]
        )
        page = f"<table id='MainContent_SearchControl_grdSearchResultsEntity'><tr><th>Name</th></tr>{rows}</table>"
        portal = RhodeIsland()
        found = portal.rows(
            Page("https://business.sos.ri.gov/CorpWeb/CorpSearch/CorpSearch.aspx", 200, {}, page.encode()), "Active"
        )
        told = [portal.status_meaning(row.status) for row in found]
        assert [row.entity_id for row in found] == [row["ID (FEIN parameter)"] for row in content["rows"]]
        assert [(meaning.status_class, meaning.reason) for meaning in told] == (
            [("active", None)] * 5 + [("active", "not_in_good_standing")] * 4 + [("inactive", "revoked")] * 5
        )


class TestAnAgentsFlag:
    """Stands beside the name on a summary and says that the agent has resigned; its very words were not seen."""

    def asked(self, flag: str) -> tuple[Conversation, Found]:
        name = b'<span id="MainContent_lblResidentAgentName">'
        steps = [
            replace(
                step,
                body=step.body.replace(
                    name, b'<span id="MainContent_lblResidentAgentFlag">%s</span>%s' % (flag.encode(), name)
                ),
            )
            for step in load_steps(FOLDER / "RI" / "active")
        ]
        talk = Conversation("RI", *steps)
        found = talk.ask(name="Blue Heron Logistics")
        assert isinstance(found, Found)
        return talk, found

    @pytest.mark.parametrize("flag", ["Resigned", "The Resident Agent has resigned", "(Agent Resigned)"])
    def test_leaves_no_agent(self, flag: str) -> None:
        talk, found = self.asked(flag)
        assert (found.record.agent_name, found.record.agent_address) == (None, Address())
        assert talk.unread == []

    @pytest.mark.parametrize("flag", ["N", "Resigned: N", "Agent not resigned", "Commercial"])
    def test_is_shown_to_operators_where_it_says_something_else(self, flag: str) -> None:
        talk, found = self.asked(flag)
        assert found.record.agent_name == "Jordan Sample"
        assert any("ResidentAgentFlag" in labels for labels in talk.unread)

    def test_may_be_empty(self) -> None:
        talk, found = self.asked("")
        assert (found.record.agent_name, talk.unread) == ("Jordan Sample", [])
