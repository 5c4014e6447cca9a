"""Minnesota's recorded pages: one summary as markup, nine by labels and values (2026-08)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrapers.normalize import dates
from scrapers.records import Address, Candidate
from scrapers.states.minnesota import Minnesota
from tests.scrapers.conversation import Conversation, answer

OPENED = "https://mblsportal.sos.mn.gov/Business/SearchDetails?filingGuid=1"
LIST = "https://mblsportal.sos.mn.gov/Business/BusinessSearch?BusinessName=X&IncludePriorNames=True&Status={}&Type=BeginsWith"


def recorded(recordings: Path) -> dict[str, Any]:
    return json.loads((recordings / "MN" / "recorded-2026-08-30.json").read_text(encoding="utf-8"))


class TestARecordedSummary:
    """Its element structure; what stands around it is not recorded."""

    def test_names_one_manager_with_the_address_below(self, recordings: Path) -> None:
        excerpt = (recordings / "MN" / "detail-filingSummary-excerpt.html").read_text(encoding="utf-8")
        page = (
            "<html><body><div class='business-name'><span class='navbar-brand'>Example LLC</span></div>"
            f"<div id='filingSummary'>{excerpt}</div></body></html>"
        )
        talk = Conversation("MN", answer("GET", OPENED, page))
        record = talk.portal.detail(talk.session, Candidate("Example LLC", "", handle={"url": OPENED}))
        assert record.entity_id == "4419236-2"
        assert record.agent_name == "PERSON EXAMPLE"
        assert record.principal_address == Address("100 EXAMPLE ST", "St Paul", "MN", "55116", "USA")
        (manager,) = record.officers
        assert (manager.name, manager.title, manager.address) == (
            "PERSON EXAMPLE",
            "Manager",
            "100 EXAMPLE ST, St Paul, MN 55116, USA",
        )
        assert talk.unread == []


class TestTheRecordedLists:
    """Companies, a trademark, a reservation and a former name."""

    def test_show_companies_beside_what_only_keeps_a_name(self, recordings: Path) -> None:
        rows = [row for shown in recorded(recordings)["lists"] for row in shown["rows"]]
        cells = "".join(
            f"<tr><td><strong>{name}</strong><small><span>{status}</span> | <span>{kind}</span> | <span>{of}</span>"
            f"</small></td><td><a href='/Business/SearchDetails?filingGuid={guid}'>Details</a></td></tr>"
            for name, status, kind, of, guid in rows
        )
        none = "<html><body><p>No results match the criteria entered.</p></body></html>"
        talk = Conversation(
            "MN",
            answer("GET", LIST.format("Active"), f"<html><table class='table selectable'>{cells}</table></html>"),
            answer("GET", LIST.format("Inactive"), none),
        )
        found = talk.portal.search(talk.session, "X").candidates
        assert [row.name_kind for row in found] == ["legal", "reserved", "reserved", "legal", "former", "legal"]

    def test_lead_to_pages_whose_numbers_and_days_are_known(self, recordings: Path) -> None:
        for page in recorded(recordings)["details"]:
            shown = {label: value for label, value, *_ in page["fields"]}
            assert Minnesota().check_id(shown["File Number"]) == shown["File Number"]
            days = [entry.partition(" - ")[0] for entry in page["filing_history"] + page["renewal_history"]]
            assert all(dates.to_iso(day) for day in [*days, shown["Filing Date"]])


class TestTheRecordedHistory:
    """Filings that give a name, among others."""

    def test_tells_the_names_that_a_company_had(self, recordings: Path) -> None:
        (page,) = (page for page in recorded(recordings)["details"] if page["name"] == "Abundant180, LLC")
        facts = "".join(f"<dl><dt>{label}</dt><dd>{value}</dd></dl>" for label, value, *_ in page["fields"])
        filings = "".join(
            f"<tr><td>{day}</td><td>{title}</td><td></td></tr>"
            for day, _, title in (entry.partition(" - ") for entry in page["filing_history"])
        )
        consent = "<tr><td>1/2/2026</td><td>Consent to Use of Name (Business Name: Another One, LLC)</td><td></td></tr>"
        merged = "<tr><td>1/2/2026</td><td>Merger - Domestic (Business Name: Swallowed, LLC)</td><td></td></tr>"
        named = "<tr><td>1/3/2026</td><td>Amended (Business Name: A180 (US), LLC) (Home Name: A)</td><td></td></tr>"
        shown = (
            f"<html><body><div class='business-name'><span class='navbar-brand'>{page['name']}</span></div>"
            f"<div id='filingSummary'>{facts}</div><table id='tblOrderForm'><tr><th>Filing Date</th><th>Filing</th>"
            f"<th>Effective Date</th></tr>{filings}{consent}{merged}{named}</table></body></html>"
        )
        talk = Conversation("MN", answer("GET", OPENED, shown))
        record = talk.portal.detail(talk.session, Candidate(page["name"], "", handle={"url": OPENED}))
        assert record.former_names == (
            "Ra Enterprise, LLC",
            "Ra Enterprises, LLC",
            "HARRIS PAPER COMPANY, LLC",
            "A180 (US), LLC",
        )
