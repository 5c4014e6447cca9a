"""What Civix hosts really answered, read field by field."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from scrapers.failures import PageChanged
from scrapers.records import Address, Found, Officer
from tests.scrapers.conversation import Conversation, answer

UT = "https://businessregistration.utah.gov/EntitySearch"
NH = "https://quickstart.sos.nh.gov/online/BusinessInquire/BusinessInformation"


class TestUtah:
    """Form, grid and detail of one company."""

    def conversation(self, recordings: Path, *changes: tuple[str, str]) -> Conversation:
        detail = (recordings / "UT/detail.html").read_text(encoding="utf-8")
        for old, new in changes:
            assert old in detail, old
            detail = detail.replace(old, new)
        return Conversation(
            "UT",
            answer("GET", f"{UT}/OnlineEntitySearch", recordings / "UT/search-form.html"),
            answer("POST", f"{UT}/OnlineBusinessAndMarkSearchResult", recordings / "UT/search-list.html"),
            answer(
                "POST",
                f"{UT}/BusinessInformation",
                detail,
                sent={"businessId": "11672536", "businessReservationNumber": "0"},
            ),
        )

    def test_lists_both_names_and_not_the_empty_first_row(self, recordings: Path) -> None:
        talk = self.conversation(recordings)
        found = talk.portal.search(talk.session, "365 Heating")
        assert found.complete
        assert [(row.name, row.entity_id, row.entity_type) for row in found.candidates] == [
            ("365 HEATING & AIR LLC", "11672536-0160", "Domestic Limited Liability Company"),
            ("365 Heating & Cooling", "14505845-0151", "Assumed Name (DBA)"),
        ]

    def test_gives_the_company_with_its_member(self, recordings: Path) -> None:
        talk = self.conversation(recordings)
        told = talk.ask(name="365 Heating and Air, L.L.C.")
        assert isinstance(told, Found)
        record = told.record
        assert record.entity_name == "365 HEATING & AIR LLC"
        assert record.entity_id == "11672536-0160"
        assert record.entity_type == "Domestic Limited Liability Company"
        assert (record.status, record.standing) == ("Active", "Current")
        assert record.formation_date == "03/18/2020"
        assert record.agent_name == "NCH REGISTERED AGENT"
        assert record.agent_address == Address("50 W BROADWAY, STE 300", "Salt Lake City", "UT", "84101", "USA")
        assert record.principal_address == Address("100 Example Dr", "St George", "UT", "84790", "USA")
        assert record.mailing_address == record.principal_address
        assert record.officers == (
            Officer("CASEY WAYNE McSAMPLE", "Member", "100 EXAMPLE DR, AT GEORGE, UT, 84790, USA"),
        )
        assert talk.unread == []


class TestVirginia:
    """An entity's page, opened by its number (2026-10)."""

    def test_gives_the_company_by_number(self, recordings: Path) -> None:
        url = "https://cis.scc.virginia.gov/EntitySearch/BusinessInformation?businessId=11004293"
        talk = Conversation("VA", answer("GET", url, recordings / "VA/detail.html"))
        told = talk.ask(entity_id="11004293")
        assert isinstance(told, Found)
        record = told.record
        assert record.entity_name == "Maysteel Porter's, LLC"
        assert record.entity_id == "11004293"
        assert record.entity_type == "Limited Liability Company"
        assert record.status == "Active"
        assert record.agent_name == "CORPORATION SERVICE COMPANY"
        assert record.agent_address == Address("100 Shockoe Slip Fl 2", "Richmond", "VA", "23219-4100", "USA")
        assert record.principal_address == Address("116 W Jones St", "Savannah", "GA", "31401-4508", "USA")
        assert record.sos_url == url
        assert talk.unread == []


class TestNewHampshire:
    """An entity's page of the older generation (2018)."""

    def test_gives_the_company_and_leaves_personal_data_out(self, recordings: Path) -> None:
        talk = Conversation("NH", answer("GET", f"{NH}?businessID=621550", recordings / "NH/detail.html"))
        record = talk.portal.record(talk.session.get(f"{NH}?businessID=621550"), talk.session)
        assert record.entity_name == "J.M. EXAMPLE RESIDENTIAL PROPERTIES LLC"
        assert record.entity_id == "795504"
        assert record.entity_type == "Domestic Limited Liability Company"
        assert record.status == "Good Standing"
        assert record.formation_date == "05/21/2018"
        assert (record.domestic, record.jurisdiction) == (True, "New Hampshire")
        assert record.agent_name == "Registered Agents Inc."
        assert record.agent_address == Address("159 Main Street S100", "Nashua", "NH", "03060", "USA")
        assert record.principal_address == Address("78 Example Dr", "Hudson", "NH", "03051", "USA")
        assert record.mailing_address == record.principal_address
        assert record.officers == ()
        assert "example.com" not in repr(record)
        assert talk.unread == []


class TestAPageThatDiffersFromTheRecordedOne:
    """In a word that a value is found by."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (">Entity Type:<", ">Kind:<"),
            (">Formation Date:<", ">Formed:<"),
            (">Registered AGENT INFORMATION<", ">Contact<"),
            ('label-side"><label class="control-label">Name: <', '"><label class="control-label">Name: <'),
            (">Name: <", ">Who: <"),
            (">Street Address:<", ">Where:<"),
            (">Address Information<", ">Places<"),
            (">Mailing Address:<", ">Post:<"),
        ],
    )
    def test_tells_no_less_in_utah(self, recordings: Path, old: str, new: str) -> None:
        with pytest.raises(PageChanged):
            TestUtah().conversation(recordings, (old, new)).ask(name="365 Heating and Air, L.L.C.")

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Entity Type:", "Kind:"),
            ("<strong><span>Active</span></strong>", ""),
            ("Registered Agent Information", "Contact"),
            ("> Name:<", "> Who:<"),
            ("Registered Office Address:", "Where:"),
            ("Principal Office Address", "Office"),
            ("section-title", "title"),
        ],
    )
    def test_tells_no_less_in_virginia(self, recordings: Path, old: str, new: str) -> None:
        url = "https://cis.scc.virginia.gov/EntitySearch/BusinessInformation?businessId=11004293"
        page = (recordings / "VA/detail.html").read_text(encoding="utf-8")
        assert old in page
        with pytest.raises(PageChanged):
            Conversation("VA", answer("GET", url, page.replace(old, new))).ask(entity_id="11004293")


class TestALabelThatIsGoneWithItsValue:
    """In New Hampshire, whose page writes "N/A" or "NONE" where nothing stands, and leaves no label out."""

    @pytest.mark.parametrize(
        "label",
        [
            "Business Type:",
            "Business Creation Date:",
            "Principal Office Address:",
            "Mailing Address:",
            "Citizenship / State of Formation:",
            "Name:",
            "Registered Office Address:",
        ],
    )
    def test_is_no_empty_field(self, recordings: Path, label: str) -> None:
        tree = html.fromstring((recordings / "NH/detail.html").read_text(encoding="utf-8"))
        named = [cell for cell in tree.iter("td") if " ".join(cell.text_content().split()) == label]
        for cell in (named[-1], named[-1].getnext()):
            cell.getparent().remove(cell)
        body = f"<html>{html.tostring(tree, encoding='unicode')}</html>"
        talk = Conversation("NH", answer("GET", f"{NH}?businessID=621550", body))
        with pytest.raises(PageChanged):
            talk.portal.record(talk.session.get(f"{NH}?businessID=621550"), talk.session)
