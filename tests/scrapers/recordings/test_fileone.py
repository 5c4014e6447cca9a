"""What FileOne hosts really answered, read field by field."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from scrapers.normalize.liens import status_class
from scrapers.platforms.fileone import drawer
from scrapers.records import Address, Filing, Found, FoundFilings, NotFound
from scrapers.transport.recording import Step, load_steps
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.golden import FOLDER

ND, ID = "https://firststop.sos.nd.gov", "https://sosbiz.idaho.gov"
CA = "https://bizfileonline.sos.ca.gov"


def turned(step: Step, number: bytes, into: bytes) -> Step:
    """The same answer about another company's number."""
    return replace(step, body=step.body.replace(number, into))


class TestNorthDakotasList:
    """Twenty rows of a search for names that begin with "X" (2024-11)."""

    def rows(self, recordings: Path, term: str = "X"):
        talk = Conversation(
            "ND", answer("POST", f"{ND}/api/Records/businesssearch", recordings / "ND/businesssearch.json")
        )
        return talk, talk.portal.search(talk.session, term)

    def test_is_read_whole_and_in_the_portals_order(self, recordings: Path) -> None:
        talk, found = self.rows(recordings)
        assert found.complete
        assert len(found.candidates) == 21  # twenty rows, one of them with a second name
        assert len({row.entity_id for row in found.candidates}) == 20
        assert [row.name for row in found.candidates[:2]] == ["AKITA DRILLING USA CORP.", "AKITA EQUIPMENT CORP."]
        assert talk.unread == []

    def test_gives_number_status_standing_and_type_of_a_row(self, recordings: Path) -> None:
        _, found = self.rows(recordings)
        row = next(row for row in found.candidates if row.name == "Miller Underground, LLC")
        assert row.entity_id == "0000153484"
        assert row.status == "Active"
        assert row.entity_type == "Limited Liability Company - Business - Domestic"
        assert row.handle["id"] == "153110"
        assert row.handle["standing"] == "Good Standing"

    def test_tells_the_name_from_the_one_in_brackets(self, recordings: Path) -> None:
        _, found = self.rows(recordings)
        names = [(row.name, row.name_kind) for row in found.candidates if row.entity_id == "0000165771"]
        assert names == [("COMCAST BROADBAND SECURITY, LLC", "legal"), ("XFINITY HOME", "assumed")]

    def test_holds_no_company_named_x_though_every_row_was_found_by_it(self, recordings: Path) -> None:
        _, found = self.rows(recordings)
        talk = Conversation(
            "ND", answer("POST", f"{ND}/api/Records/businesssearch", recordings / "ND/businesssearch.json")
        )
        told = talk.ask(name="X")
        assert isinstance(told, NotFound)
        assert not any(row.name.upper().startswith("X") and row.name_kind == "legal" for row in found.candidates)


class TestIdaho:
    """A row and its drawer (2026-05); the history is California's, of the same platform."""

    def test_row_drawer_and_history_make_one_record(self, recordings: Path) -> None:
        talk = Conversation(
            "ID",
            answer("POST", f"{ID}/api/Records/businesssearch", recordings / "ID/businesssearch.json"),
            answer("GET", f"{ID}/api/FilingDetail/business/919070/false", recordings / "ID/filing-detail.json"),
            answer("GET", f"{ID}/api/History/business/0005577637", recordings / "CA/ucc-history.json"),
        )
        told = talk.ask(name="M Smith Ventures")
        assert isinstance(told, Found)
        record = told.record
        assert record.entity_name == "M Smith Ventures, LLC"
        assert record.entity_id == "0005577637"
        assert record.entity_type == "Limited Liability Company (D)"
        assert record.status == "Inactive-Dissolved (Administrative)"
        assert talk.portal.status_meaning(record.status).status_class == "inactive"
        assert record.standing == "Not Good Standing"
        assert record.formation_date == "04/13/2023"
        assert record.jurisdiction == "IDAHO"
        assert record.principal_address == Address("100 W EXAMPLE DR", "BOISE", "ID", "83704")
        assert record.mailing_address == Address("100 W EXAMPLE DR", "BOISE", "ID", "83704-7059")
        assert record.agent_name == "Jordan Sample"
        assert record.agent_address == Address("100 W EXAMPLE DR", "BOISE", "ID", "83704")
        assert record.officers == ()
        assert record.filings == (Filing("9/23/2019", "Termination"), Filing("8/20/2019", "Lien Financing Stmt"))
        assert talk.unread == []


class TestCalifornia:
    """A row of the search, and a tax lien with its drawer and history (2026-05)."""

    def test_reads_a_row(self, recordings: Path) -> None:
        talk = Conversation(
            "CA",
            answer("GET", f"{CA}/search/business", "<html><body></body></html>"),
            answer("POST", f"{CA}/api/Records/businesssearch", recordings / "CA/businesssearch.json"),
        )
        (row,) = talk.portal.search(talk.session, "Inhibrx Biosciences").candidates
        assert (row.name, row.entity_id) == ("INHIBRX BIOSCIENCES, INC.", "6195284")
        assert row.status == "Active"
        assert row.entity_type == "Stock Corporation - Out of State - Stock"
        assert row.handle == {
            "id": "8440338",
            "name": row.name,
            "assumed": "",
            "standing": "Good Standing",
            "Initial Filing Date": "03/29/2024",
            "Formed In": "DELAWARE",
        }
        assert talk.unread == []

    def test_takes_the_number_from_the_brackets_where_a_token_stands_in_its_place(self, recordings: Path) -> None:
        talk = Conversation(
            "CA",
            answer("GET", f"{CA}/search/business", "<html><body></body></html>"),
            answer("POST", f"{CA}/api/Records/businesssearch", recordings / "CA/businesssearch-2026.json"),
        )
        numbers = {
            row.name: talk.portal.check_id(row.entity_id) for row in talk.portal.search(talk.session, "Hoa").candidates
        }
        assert len(numbers) == 8
        assert numbers["1 Buena Vista HOA"] == "B20250040101"
        assert numbers["1207-1211 NOE ST. HOMEOWNERS ASSOCIATION (HOA)"] == "90001481"
        assert numbers["1058 HOAGIE LLC"] == "201217510048"
        assert talk.unread == []

    @pytest.mark.parametrize("asked", ["806592", "0806592", "C0806592"])
    @pytest.mark.parametrize("shown", ["806592", "0806592"])
    def test_knows_an_old_number_with_its_zeros_and_without(self, asked: str, shown: str) -> None:
        steps = [turned(step, b"2100300", shown.encode()) for step in load_steps(FOLDER / "CA" / "inactive")]
        steps[1] = replace(steps[1], sent={**steps[1].sent, "SEARCH_VALUE": "806592"})
        told = Conversation("CA", *steps).ask(entity_id=asked)
        assert isinstance(told, Found)
        assert told.record.entity_id == shown

    @pytest.mark.parametrize("zeros", ["0000", "0000000", "C0000000"])
    def test_asks_for_a_number_of_zeros_as_for_any_other(self, zeros: str) -> None:
        portal = Conversation("CA").portal
        assert portal.check_id(zeros) == portal.check_id(portal.check_id(zeros)) == "0000"

    def test_asks_the_official_api_both_ways_before_nobody_has_the_number(self) -> None:
        nobody = load_steps(FOLDER / "CA" / "official-api-no-match")[0]
        (found,) = load_steps(FOLDER / "CA" / "official-api-by-number")
        where = f"{found.url.partition('=')[0]}="
        talk = Conversation(
            "CA",
            replace(nobody, url=f"{where}806592"),
            replace(turned(found, b"3700999", b"0806592"), url=f"{where}0806592"),
            keys={"calico": "a-key"},
        )
        assert isinstance(talk.ask(entity_id="806592"), Found)

    def liens(self, recordings: Path, **question: object):
        talk = Conversation(
            "CA",
            answer("GET", f"{CA}/search/ucc", "<html><body></body></html>"),
            answer("POST", f"{CA}/api/Records/uccsearch", recordings / "CA/ucc-search.json"),
            answer("GET", f"{CA}/api/FilingDetail/ucc/1752168/false", recordings / "CA/ucc-filing-detail.json"),
            answer("GET", f"{CA}/api/History/ucc/197728978614", recordings / "CA/ucc-history.json"),
        )
        return talk, talk.ask(kind="ucc", **question)

    def test_reads_a_lien_with_parties_and_history(self, recordings: Path) -> None:
        talk, told = self.liens(recordings, name="Inhibrx, Inc.")
        assert isinstance(told, FoundFilings)
        (lien,) = told.filings
        assert lien.file_number == "197728978614"
        assert (lien.filed, lien.lapse_date, lien.status) == ("08/20/2019", "08/20/2029", "Active")
        assert lien.filing_type == "Notice of State Tax Lien"
        assert [party.name for party in lien.debtors] == ["INHIBRX, INC."]
        assert lien.debtors[0].address == Address("11025 N TORREY PINES RD STE 200", "LA JOLLA", "CA", "92037-1030")
        assert lien.secured_parties[0].name == "EMPLOYMENT DEVELOPMENT DEPARTMENT"
        assert lien.secured_parties[0].address == Address("722 CAPITOL MALL", "SACRAMENTO", "CA", "95814")
        assert [(later.filing_type, later.filed, later.file_number) for later in lien.amendments] == [
            ("Termination", "9/23/2019", "1977361234")
        ]
        assert lien.collateral is None
        assert talk.unread == []

    def test_does_not_call_a_lien_active_that_its_history_ends(self, recordings: Path) -> None:
        _, told = self.liens(recordings, name="Inhibrx, Inc.")
        assert isinstance(told, FoundFilings)
        assert status_class(told.filings[0], today=date(2026, 11, 22)) == "terminated"

    def test_tells_the_role_apart_that_the_portals_box_does_not(self, recordings: Path) -> None:
        _, told = self.liens(recordings, name="Inhibrx, Inc.", search_by="secured_party")
        assert isinstance(told, NotFound)
        _, told = self.liens(recordings, name="Employment Development Department", search_by="secured_party")
        assert isinstance(told, FoundFilings)

    def test_keeps_to_the_dates_asked_for(self, recordings: Path) -> None:
        _, told = self.liens(recordings, name="Inhibrx", date_after=date(2019, 8, 20), date_before=date(2019, 8, 20))
        assert isinstance(told, FoundFilings)
        _, told = self.liens(recordings, name="Inhibrx", date_after=date(2019, 8, 21))
        assert isinstance(told, NotFound)


class TestADrawersBlock:
    """Agents and owners in lines."""

    def test_sets_a_glued_zip_code_free(self) -> None:
        assert drawer.address(["740 EXAMPLE BLVD", "CHULA VISTA,CA91910"]) == Address(
            "740 EXAMPLE BLVD", "CHULA VISTA", "CA", "91910"
        )

    def test_holds_owners_by_name_alone_or_with_their_address(self) -> None:
        named = drawer.people("Jordan Sample\nRiley Sample", title="Owner")
        placed = drawer.people(
            "Jordan Sample\n1 ELM ST\nFARGO, ND 58102\n\nRiley Sample\n2 ELM ST\nFARGO, ND 58102", title="Owner"
        )
        assert [one.name for one in named] == [one.name for one in placed] == ["Jordan Sample", "Riley Sample"]
        assert placed[0].address == "1 ELM ST, FARGO, ND 58102"
