"""A filing page of Wyoming: what it says beside the status; of South Dakota: what it has in other places."""

from __future__ import annotations

import pytest

from scrapers.records import Found
from scrapers.states.wyoming import Wyoming
from tests.scrapers.states.test_nothing_shown import put

STATUS = 'id="txtStatus">Active</span></div>'


def shown(*standings: tuple[str, str]) -> Found:
    """The saved page of an active company, with its standings as the portal names them."""
    more = "".join(f'<div><span class="fieldData" id="{name}">{word}</span></div>' for name, word in standings)
    answer = put("WY", "active", (STATUS, STATUS + more))
    assert isinstance(answer, Found), answer
    return answer


class TestAWyomingCompanyThatOwes:
    """Its tax or its agent's upkeep: its status is "Active" until the state dissolves it."""

    @pytest.mark.parametrize("place", ["txtStanding", "txtStandingRA", "txtStandingOther"])
    def test_is_active_but_not_in_good_standing(self, place: str) -> None:
        words = dict.fromkeys(("txtStanding", "txtStandingRA", "txtStandingOther"), "Good") | {place: "Delinquent"}
        record = shown(*words.items()).record
        assert (record.status, record.standing) == ("Active", "Delinquent")
        assert Wyoming().record_meaning(record).reason == "not_in_good_standing"

    def test_is_in_good_standing_once_all_is_well(self) -> None:
        record = shown(("txtStanding", "Good"), ("txtStandingRA", "Good")).record
        assert record.standing == "Good"
        assert Wyoming().record_meaning(record).reason is None


class TestAWyomingFiling:
    """A label stands before each value: "Date: 03/14/2019"."""

    def test_has_the_days_of_its_documents(self) -> None:
        found = put("WY", "active")
        assert isinstance(found, Found), found
        assert [one.date for one in found.record.filings] == ["03/14/2019", "02/11/2025"]

    def test_names_its_parties_and_no_label(self) -> None:
        found = put("WY", "active")
        assert isinstance(found, Found), found
        assert [(who.name, who.title, who.address) for who in found.record.officers] == [
            ("Casey Sample", "Organizer", "10 Example Ave, Cheyenne, WY 82001"),
            ("Heron Holdings, Inc.", "Member", "99 Fictional Way, Casper, WY 82601"),
        ]

    def test_names_a_person_before_the_organization_that_is_acted_for(self) -> None:
        alone = '<span class="resHist2"><b>Organization:</b></span>'
        found = put("WY", "active", (alone, alone.replace("</b>", "</b> Heron Holdings, Inc.")))
        assert isinstance(found, Found), found
        assert found.record.officers[0].name == "Casey Sample"

    def test_is_a_changed_page_where_a_party_has_no_role(self) -> None:
        assert put("WY", "active", (" (Organizer)", "")) == "layout_changed"
        assert put("WY", "active", ("</b> Heron Holdings, Inc.", "</b>")) == "layout_changed"


class TestASouthDakotaFiling:
    """Its documents are rows of a table, and it lists no parties (two public clients)."""

    def test_is_read_with_its_documents(self) -> None:
        found = put("SD", "active")
        assert isinstance(found, Found), found
        assert [(one.date, one.title) for one in found.record.filings] == [("03/14/2019", "Articles of Organization")]
        assert found.record.officers == ()

    def test_is_a_changed_page_where_they_stand_otherwise(self) -> None:
        assert put("SD", "active", ("<td>03/14/2019</td><td><a", "<td>Smith</td><td><a")) == "layout_changed"
        assert put("SD", "active", ("<td>Articles of Organization</td>", "")) == "layout_changed"
