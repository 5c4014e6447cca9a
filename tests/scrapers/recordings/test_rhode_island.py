"""Rows of Rhode Island's list as it showed them in 2026-08, put back into the five cells they came from."""

from __future__ import annotations

import json
from pathlib import Path

from scrapers.states.rhode_island import RhodeIsland
from scrapers.transport.page import Page


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
