"""What Kansas really answered (2025-12), read field by field."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scrapers.failures import PageChanged
from scrapers.records import Address, Filing, Found
from scrapers.refusals import QueryRefused
from scrapers.transport.recording import Step
from tests.scrapers.conversation import Conversation, answer, turned

SEARCH = "https://www.sos.ks.gov/eforms/BusinessEntity/Search.aspx"


def answers(listed: Path, pages: int) -> list[Step]:
    """The recorded list as so many pages of one."""
    text = listed.read_text(encoding="utf-8")
    return [answer("POST", SEARCH, turned(text, number) if number > 1 else text) for number in range(1, pages + 1)]


def conversation(recordings: Path, *, pages: int = 4) -> Conversation:
    """The form (the recorded list serves as one), the list, and as many further pages as asked."""
    listed = recordings / "KS/search-list.html"
    return Conversation(
        "KS",
        answer("GET", SEARCH, listed),
        *answers(listed, pages),
        answer("POST", SEARCH, recordings / "KS/detail.html"),
    )


class TestKansas:
    """A list of 25 rows out of a hundred, and the company one row opens."""

    def test_lists_every_row_and_knows_that_the_list_is_cut(self, recordings: Path) -> None:
        talk = conversation(recordings)
        found = talk.portal.search(talk.session, "AA")
        assert len(found.candidates) == 100  # four pages; the recording plays the first one four times
        assert not found.complete
        first, second = found.candidates[:2]
        assert (first.name, first.entity_id, first.status) == ('"HAACK ENTERPRISES, LTD"', "785139", "Dissolved")
        assert first.handle == {"page": "1", "button": "ctl00$MainContent$gvSearchResults$ctl02$btnAddEntity"}
        assert second.name == "'AA' PLACE FOR DOGS, INC."
        meanings = {talk.portal.status_meaning(row.status).reason for row in found.candidates}
        assert "unrecognised_status" not in meanings

    def test_gives_the_company_a_row_opens(self, recordings: Path) -> None:
        talk = conversation(recordings)
        told = talk.ask(entity_id="785139")
        assert isinstance(told, Found)
        record = told.record
        assert record.entity_name == "HAACK ENTERPRISES, L.P."
        assert record.entity_id == "785139"
        assert record.entity_type == "Domestic Limited Partnership"
        assert record.status == "Dissolved"
        assert record.formation_date == "01/20/1983"
        assert record.jurisdiction == "Kansas"
        assert record.principal_address == Address(
            "100 EXAMPLE DRIVE", "LAWRENCE", "KS", "66046", "United States of America"
        )
        assert record.agent_name == "EXAMPLE AGENT 1"
        assert record.agent_address == Address("100 EXAMPLE ST, PO BOX 1", "BIRD CITY", "KS", "67731")
        assert len(record.filings) == 10
        assert record.filings[0] == Filing("01/1991", "DISSOLUTION")
        assert record.filings[6] == Filing("04/1986", "CHANGE OF NAME")
        assert talk.unread == []

    def test_has_no_document_without_its_kind(self, recordings: Path) -> None:
        talk = conversation(recordings)
        shown = talk.replay.left[-1]
        changed = shown.body.replace(b'lblDocument_0">DISSOLUTION<', b'lblDocument_0"><')
        assert changed != shown.body
        talk.replay.left[-1] = replace(shown, body=changed)
        with pytest.raises(PageChanged):
            talk.ask(entity_id="785139")

    def test_does_not_take_a_cut_list_for_an_absence(self, recordings: Path) -> None:
        listed = recordings / "KS/search-list.html"
        talk = Conversation("KS", *[answer("GET", SEARCH, listed)] * 2, *answers(listed, 4) * 2)
        with pytest.raises(QueryRefused, match="too many"):
            talk.ask(name="AA Nobody Has This Name")
