"""South Dakota's recorded search form: a wall, because a captcha stands where the results should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapers.failures import PortalBlocked
from scrapers.parsing.webforms import WebForm
from scrapers.states.south_dakota import SouthDakota
from scrapers.transport.page import Page
from tests.scrapers.conversation import Conversation, answer

_URL = "https://sosenterprise.sd.gov/BusinessServices/Business/FilingSearch.aspx"


class TestTheRecordedForm:
    """sosenterprise.sd.gov, October 2026."""

    def test_has_the_controls_the_search_fills_in(self, recordings: Path) -> None:
        form = WebForm(Page(_URL, 200, {}, (recordings / "SD" / "search-form.html").read_bytes()))
        assert form.name(SouthDakota.name_field) == "ctl00$MainContent$txtSearchValue"
        assert form.name(SouthDakota.id_field) == "ctl00$MainContent$txtFilingId"
        assert form.fields["ctl00$MainContent$searchOpt"] == "chkSearchStartWith"
        assert form.action == _URL

    def test_is_a_wall_and_never_an_empty_list(self, recordings: Path) -> None:
        page = recordings / "SD" / "search-form.html"
        talk = Conversation("SD", answer("GET", _URL, page), answer("POST", _URL, page))
        with pytest.raises(PortalBlocked, match="captcha"):
            SouthDakota().search(talk.session, "Blue Heron Logistics")
