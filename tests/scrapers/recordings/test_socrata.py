"""What the open data sets really answered, read field by field."""

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pytest
from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter

from scrapers.failures import PageChanged
from scrapers.normalize.liens import status_class
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Found, FoundFilings
from scrapers.transport.recording import answer as reply
from tests.scrapers.conversation import Conversation, answer


def listed(state: str, rows: Any) -> tuple[Conversation, tuple[Candidate, ...]]:
    """The rows as the state reads them, without a request."""
    talk = Conversation(state)
    portal: Any = talk.portal
    return talk, portal.candidates(talk.session, rows)


def rows_of(path: Path) -> Any:
    """A recorded answer."""
    return json.loads(path.read_text(encoding="utf-8"))


def record(row: Candidate) -> EntityRecord:
    """The whole record a row holds."""
    assert row.record is not None
    return row.record


class TestNewYork:
    """One active corporation."""

    def test_reads_a_row(self, recordings: Path) -> None:
        talk, (row,) = listed("NY", rows_of(recordings / "NY/socrata-n9v6-gdp6-rows.json"))
        read = record(row)
        assert read.entity_name == "0000 AUTO RESCUE TRANSPORT CORP."
        assert read.entity_id == "4264790"
        assert read.entity_type == "DOMESTIC BUSINESS CORPORATION"
        assert read.formation_date == "2012-06-28T00:00:00"
        assert read.jurisdiction == "NEW YORK"
        assert read.mailing_address == Address("382 RAMSEN AVE", "BROOKLYN", "NY", "11212")
        assert (read.agent_name, read.officers, read.principal_address) == (None, (), Address())
        assert talk.unread == []


class TestColorado:
    """Three entities, one of them delinquent."""

    def test_reads_a_foreign_company_with_an_agent_that_is_a_company(self, recordings: Path) -> None:
        talk, rows = listed("CO", rows_of(recordings / "CO/socrata-4ykn-tg5h-rows.json"))
        read = record(rows[0])
        assert read.entity_name == "STATE FARM MUTUAL AUTOMOBILE INSURANCE COMPANY"
        assert read.entity_id == "19871032828"
        assert read.status == "Good Standing"
        assert read.standing is None
        assert read.entity_type == "Foreign Profit Corporation"
        assert read.formation_date == "1927-05-19T00:00:00.000"
        assert read.jurisdiction == "IL"
        assert read.agent_name == "CORPORATION SERVICE COMPANY"
        assert read.agent_address == Address("1900 W Littleton Blvd", "Littleton", "CO", "80120", "US")
        assert read.principal_address == Address("1 State Farm Plz", "Bloomington", "IL", "61710", "US")
        assert talk.unread == []

    def test_joins_an_agents_name_from_its_parts(self, recordings: Path) -> None:
        _, rows = listed("CO", rows_of(recordings / "CO/socrata-4ykn-tg5h-rows.json"))
        read = record(rows[1])
        assert read.agent_name == "EXAMPLE MIDDLE PERSON"
        assert read.entity_type == "Domestic Limited Liability Company"

    def test_takes_what_happened_off_the_name(self, recordings: Path) -> None:
        talk, rows = listed("CO", rows_of(recordings / "CO/socrata-4ykn-tg5h-rows.json"))
        read = record(rows[2])
        assert read.entity_name == "6301 State Farm LLC"
        assert read.standing == "Delinquent May 1, 2022"
        meaning = talk.portal.status_meaning(read.status)
        assert (meaning.status_class, meaning.reason) == ("active", "not_in_good_standing")
        assert read.principal_address.street == "55 Madison Street, Ste 625"


class TestConnecticut:
    """Twenty-five registrations of two days, in the form the data set's JSON gives them."""

    def rows(self, recordings: Path) -> list[dict[str, str]]:
        with (recordings / "CT/socrata-n7gp-d28j-rows.csv").open(encoding="utf-8", newline="") as file:
            return [{name: text for name, text in row.items() if text} for row in csv.DictReader(file)]

    def test_reads_every_row_and_leaves_no_column_unread(self, recordings: Path) -> None:
        talk, rows = listed("CT", self.rows(recordings))
        assert len(rows) == 25
        assert len({row.entity_id for row in rows}) == 25
        assert talk.unread == []

    def test_knows_every_status_in_them(self, recordings: Path) -> None:
        talk, rows = listed("CT", self.rows(recordings))
        classes = {row.status: talk.portal.status_meaning(row.status).status_class for row in rows}
        assert classes == {"Active": "active", "Dissolved": "inactive", "Rejected": "inactive"}

    def test_reads_a_foreign_company(self, recordings: Path) -> None:
        _, rows = listed("CT", self.rows(recordings))
        read = record(next(row for row in rows if row.entity_id == "2661844"))
        assert read.entity_name == "Overnightinsuranceservices.com LLC"
        assert (read.status, read.standing) == ("Active", "Annual report due")
        assert (read.entity_type, read.jurisdiction, read.domestic) == ("LLC", "CALIFORNIA", False)
        assert read.formation_date == "2022-12-01"
        assert read.principal_address == Address(
            "21800 Burbank Blvd, 100", "Woodland Hills", "CA", "91367-6470", "United States"
        )
        assert read.mailing_address == Address(
            "21800 Burbank Blvd", "Woodland Hills", "CA", "91367-6470", "United States"
        )
        assert read.identifiers == {"alei": "US-CT.BER:2661844"}

    def test_reads_a_company_without_any_address(self, recordings: Path) -> None:
        _, rows = listed("CT", self.rows(recordings))
        read = record(next(row for row in rows if row.entity_id == "2671071"))
        assert read.entity_name == "Plainville Chiropractic Inc."
        assert (read.principal_address, read.mailing_address) == (Address(), Address())

    def test_keeps_no_e_mail(self, recordings: Path) -> None:
        _, rows = listed("CT", self.rows(recordings))
        assert not any("@" in repr(row) for row in rows)


class TestOregon:
    """Ten rows of four entities."""

    def test_makes_one_entity_of_its_rows(self, recordings: Path) -> None:
        talk, rows = listed("OR", rows_of(recordings / "OR/socrata-active-businesses-rows.json"))
        assert [row.entity_id for row in rows] == ["299818", "574418", "74612087", "355214"]
        read = record(rows[2])
        assert read.entity_name == "PACIFIC UNIVERSITY"
        assert read.entity_type == "DOMESTIC NONPROFIT CORPORATION"
        assert read.formation_date == "1854-01-10 00:00:00"
        assert read.agent_name == "MICHAEL D EXAMPLE"
        assert read.agent_address == Address("PACIFIC UNIVERSITY, 2043 COLLEGE WAY", "FOREST GROVE", "OR", "97116")
        assert read.principal_address == Address("2043 COLLEGE WAY", "FOREST GROVE", "OR", "97116")
        assert read.mailing_address == read.principal_address
        assert read.officers == ()
        assert read.sos_url == "https://sos.oregon.gov/business/pages/temp-business-search.aspx"
        assert talk.unread == []

    def test_reads_an_entity_of_one_row(self, recordings: Path) -> None:
        _, rows = listed("OR", rows_of(recordings / "OR/socrata-active-businesses-rows.json"))
        read = record(rows[3])
        assert read.entity_name == "OREGON LODGE NUMBER THREE INDEPENDENT ORDER OF ODD FELLOWS"
        assert read.mailing_address == Address("PO BOX 446", "OREGON CITY", "OR", "97045")
        assert (read.agent_name, read.principal_address) == (None, Address())


class TestPennsylvania:
    """One registration."""

    def test_reads_a_row(self, recordings: Path) -> None:
        talk, (row,) = listed("PA", rows_of(recordings / "PA/socrata-xvd7-5r2c-rows.json"))
        read = record(row)
        assert read.entity_name == "Daff Trucking Llc"
        assert read.entity_id == "0007380992"
        assert read.entity_type == "Domestic Limited Liability Company"
        assert read.formation_date == "2021-10-12T00:00:00.000"
        assert read.principal_address == Address("85 Willow St", "Macungie", "PA", "18062")
        assert read.status is None
        assert talk.unread == []


class TestTexas:
    """List, account and a row of the open data, which is another company's: it takes this one's numbers here."""

    LIST = "https://comptroller.texas.gov/data-search/franchise-tax"
    OPEN = "https://data.texas.gov/resource/9cir-efmm.json"
    OUTLETS = (
        "https://data.texas.gov/resource/jrea-zgmq.json"
        "?$where=taxpayer_number%3D'32085984956'&$limit=1000&$order=outlet_name"
    )
    NUMBERS: ClassVar[dict[str, str]] = {
        "taxpayer_number": "32085984956",
        "secretary_of_state_sos_or_coa_file_number": "0804695894",
    }

    def portal(self) -> Portal:
        return Conversation("TX").portal

    def talk(self, recordings: Path, open_rows: Any) -> Conversation:
        where = "?$where=taxpayer_number%3D'32085984956'&$limit=2&$order=taxpayer_number"
        return Conversation(
            "TX",
            answer("GET", f"{self.LIST}?name=Mihaila Holdings", recordings / "TX/comptroller-search.json"),
            answer("GET", f"{self.LIST}/32085984956", recordings / "TX/comptroller-detail.json"),
            answer("GET", self.OPEN + where, open_rows),
            *([answer("GET", self.OUTLETS, [])] if open_rows else []),
        )

    def test_reads_list_account_and_open_data_together(self, recordings: Path) -> None:
        (charter,) = rows_of(recordings / "TX/socrata-9cir-efmm-rows.json")
        talk = self.talk(recordings, [charter | self.NUMBERS])
        told = talk.ask(name="Mihaila Holdings Corp")
        assert isinstance(told, Found)
        read = told.record
        assert read.entity_name == "MIHAILA HOLDINGS CORP"
        assert read.entity_id == "32085984956"
        assert read.identifiers == {"sosFileNumber": "0804695894"}
        assert (read.status, read.standing) == ("ACTIVE", "ACTIVE")
        assert read.jurisdiction == "IL"
        assert read.formation_date == "2024-04-10T00:00:00.000"
        assert read.entity_type == "Texas Nonprofit Corporation"
        assert read.agent_name == "JORDAN A SAMPLE"
        assert read.agent_address == Address("100 EXAMPLE CT", "BOERNE", "TX", "78006")
        assert read.mailing_address == Address("100 EXAMPLE CT", "BOERNE", "TX", "78006-0378")
        assert [(one.name, one.title) for one in read.officers] == [
            ("JORDAN A SAMPLE", "DIRECTOR"),
            ("JORDAN A SAMPLE", "PRESIDENT"),
        ]
        assert read.officers[0].address == "100 EXAMPLE CT, BOERNE, TX 78006"
        assert talk.unread == []

    def test_reads_nothing_from_another_accounts_permit(self, recordings: Path) -> None:
        talk = self.talk(recordings, rows_of(recordings / "TX/socrata-9cir-efmm-rows.json"))
        with pytest.raises(PageChanged, match="asked for 32085984956, got"):
            talk.ask(name="Mihaila Holdings Corp")

    def test_leaves_formation_open_for_an_account_that_is_not_in_the_open_data(self, recordings: Path) -> None:
        told = self.talk(recordings, []).ask(name="Mihaila Holdings Corp")
        assert isinstance(told, Found)
        assert (told.record.formation_date, told.record.entity_type) == (None, None)


class Sets(BaseAdapter):
    """Answers each data set with its recorded rows, whatever was asked of it."""

    def __init__(self, **rows: Path) -> None:
        super().__init__()
        self.rows = rows

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        name = next(name for name in self.rows if name.replace("_", "-") in (request.url or ""))
        headers = {"content-type": "application/json"}
        return reply(request, status=200, headers=headers, body=self.rows[name].read_bytes())

    def close(self) -> None:
        """Nothing to close."""


class TestOregonsLiens:
    """Ten rows of the active secured parties, ten of the last month's filings (2017)."""

    def found(self, recordings: Path, name: str, **question: Any) -> tuple[Conversation, FoundFilings]:
        talk = Conversation("OR")
        sets = Sets(
            **{
                "2kf7_i54h": recordings / "OR/ucc-2kf7-i54h-rows.json",
                "snfi_f79b": recordings / "OR/ucc-snfi-f79b-rows.json",
            }
        )
        talk.session._http.mount("https://", sets)
        told = talk.ask(kind="ucc", name=name, search_by="secured_party", **question)
        assert isinstance(told, FoundFilings)
        return talk, told

    def test_puts_later_documents_under_the_first(self, recordings: Path) -> None:
        talk, told = self.found(recordings, "American Honda Finance Corporation")
        lien = next(filing for filing in told.filings if filing.file_number == "104134")
        assert lien.filed == "1991-07-03T00:00:00"
        assert lien.lapse_date == "2021-07-03T00:00:00"
        assert lien.filing_type == "UCC"
        assert [party.name for party in lien.secured_parties] == [
            "AMERICAN HONDA FINANCE CORPORATION",
            "AMERICAN HONDA FINANCE CORP",
        ]
        assert lien.secured_parties[0].address == Address("PO BOX 2295", "TORRANCE", "CA", "90509-2295", "USA")
        assert [(one.file_number, one.filed) for one in lien.amendments] == [("104134-3", "1995-01-18T00:00:00")]
        assert talk.unread == []

    def test_reads_the_last_months_rows_too(self, recordings: Path) -> None:
        _, told = self.found(recordings, "Wells Fargo Commercial Distribution Finance, LLC")
        lien = next(filing for filing in told.filings if filing.file_number == "2139")
        assert lien.filed is None  # the first filing is not among the rows
        assert [(one.file_number, one.filing_type) for one in lien.amendments] == [("2139-17", "AMENDMENT")]
        assert [party.name for party in lien.secured_parties] == ["WELLS FARGO COMMERCIAL DISTRIBUTION FINANCE, LLC"]

    @pytest.mark.parametrize(
        ("document", "status", "meaning"),
        [
            ("TERMINATION", "Terminated", "terminated"),
            ("PARTIAL TERMINATION", None, "active"),
            ("AMENDMENT", None, "active"),
        ],
    )
    def test_have_ended_where_one_of_their_documents_says_so(
        self, recordings: Path, tmp_path: Path, document: str, status: str | None, meaning: str
    ) -> None:
        (tmp_path / "OR").mkdir()
        for name in ("ucc-2kf7-i54h-rows.json", "ucc-snfi-f79b-rows.json"):
            text = (recordings / "OR" / name).read_text(encoding="utf-8").replace('"AMENDMENT"', f'"{document}"')
            (tmp_path / "OR" / name).write_text(text, encoding="utf-8")
        _, told = self.found(tmp_path, "Wells Fargo Commercial Distribution Finance, LLC")
        lien = next(filing for filing in told.filings if filing.file_number == "2139")
        assert [later.filing_type for later in lien.amendments] == [document]
        assert lien.status == status
        assert status_class(lien, today=date(2022, 7, 1)) == meaning

    def test_finds_names_that_begin_with_the_name_asked_for_and_no_others(self, recordings: Path) -> None:
        _, told = self.found(recordings, "Key Bank of Oregon")
        assert {filing.file_number for filing in told.filings} == {"104008", "104855"}

    def test_keeps_to_the_days_asked_for(self, recordings: Path) -> None:
        _, told = self.found(recordings, "Key Bank of Oregon", date_after=date(1991, 7, 5))
        assert [filing.file_number for filing in told.filings] == ["104855"]
