"""Sunbiz' neighborhoods and sections, and the lien registry's lists, where a saved page would say little."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from scrapers.failures import PageChanged
from scrapers.normalize import liens
from scrapers.records import Found, FoundFilings, NotFound, Query
from scrapers.refusals import QueryRefused
from scrapers.search.pipeline import ask_name
from scrapers.transport.recording import Step
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.golden import FOLDER, NOW

LIST = "https://search.sunbiz.org/Inquiry/CorporationSearch/SearchResults?inquiryType=EntityName&searchTerm="
NAME = "Mangrove Lantern Charters"


def page(case: str, name: str) -> str:
    """A saved page."""
    return (FOLDER / "FL" / case / name).read_text(encoding="utf-8")


def opened(detail: str) -> Found:
    """The answer when the detail page is this one."""
    href = LIST.replace("SearchResults?inquiryType=EntityName&searchTerm=", "SearchResultDetail")
    query = (
        "?inquirytype=EntityName&directionType=Initial&searchNameOrder=MANGROVELANT"
        "&aggregateId=flal-l15000000111-00000000-0000-0000-0000-000000000000&searchTerm=x&listNameOrder=y"
    )
    talk = Conversation(
        "FL", answer("GET", LIST + NAME, page("active", "1-list.html")), answer("GET", href + query, detail)
    )
    told = talk.ask(name=NAME)
    assert isinstance(told, Found)
    return told


class TestANeighbourhood:
    """Twenty names in alphabetical order around the one asked for."""

    def test_that_ends_before_the_name_proves_no_absence(self) -> None:
        with pytest.raises(QueryRefused):
            Conversation(
                "FL",
                answer("GET", LIST + "Nautilus Bay", page("active", "1-list.html")),
                answer("GET", LIST + "Nautilus Bay LLC", page("active", "1-list.html")),
                answer("GET", LIST + "The Nautilus Bay", page("active", "1-list.html")),
            ).ask(name="Nautilus Bay LLC")

    def test_without_rows_must_say_so(self) -> None:
        empty = page("active", "1-list.html")
        empty = empty[: empty.index("<tbody>")] + "<tbody></tbody></table></div></div></body></html>"
        with pytest.raises(PageChanged):
            Conversation("FL", answer("GET", LIST + NAME, empty)).ask(name=NAME)


class TestWhatIsNoCompany:
    """Trademarks and refused filings stand in the list beside the companies, under the names these have."""

    @staticmethod
    def listed(kind: str, *, alone: bool = False) -> str:
        """The saved list, which begins with such a row of the very name; `alone`: and has no company of it."""
        saved = page("active", "1-list.html")
        start = saved.index("<tr><td")
        company = saved[start : saved.index("<tr><td", start + 1)]
        other = (
            company.replace("flal-l15000000111", f"{kind}-t05000000777")
            .replace("L15000000111", "T05000000777")
            .replace("CHARTERS LLC", "CHARTERS")
        )
        return saved.replace(company, other if alone else other + company)

    @pytest.mark.parametrize("kind", ["trade", "reject"])
    def test_is_not_taken_for_the_company(self, kind: str) -> None:
        detail = page("active", "2-detail.html")
        address = LIST.replace("SearchResults?inquiryType=EntityName&searchTerm=", "SearchResultDetail")
        query = (
            "?inquirytype=EntityName&directionType=Initial&searchNameOrder=MANGROVELANT"
            "&aggregateId=flal-l15000000111-00000000-0000-0000-0000-000000000000&searchTerm=x&listNameOrder=y"
        )
        told = Conversation(
            "FL", answer("GET", LIST + NAME, self.listed(kind)), answer("GET", address + query, detail)
        ).ask(name=NAME)
        assert isinstance(told, Found)
        assert told.record.entity_id == "L15000000111"

    def test_leaves_the_name_free(self) -> None:
        listed = self.listed("trade", alone=True)
        nobody = answer("GET", f"{LIST}The {NAME}", "<html>No records found</html>")
        pages = [answer("GET", LIST + name, listed) for name in (NAME, NAME.removesuffix("s"), "Mangrove")]
        talk = Conversation("FL", *pages, nobody)
        told, _ = ask_name(talk.portal, talk.session, Query("FL", NAME), now=NOW)
        assert (told.verdict, told.conflicts) == ("free", ())

    def test_is_no_company_by_its_number_either(self) -> None:
        search = "https://search.sunbiz.org/Inquiry/CorporationSearch"
        mark = f"{search}/SearchResultDetail?inquirytype=DocumentNumber&aggregateId=trade-t05000000777-0000"
        moved = Step("POST", f"{search}/ByDocumentNumber", 302, {"location": mark}, b"")
        html = "<html><h2>Detail by Document Number</h2><p>Trademark</p></html>"
        told = Conversation("FL", moved, answer("GET", mark, html)).ask(entity_id="T05000000777")
        assert isinstance(told, NotFound)


class TestTheLineThatThereIsNone:
    """Counts where a person sees it, and where there is no company."""

    NUMBER = "https://search.sunbiz.org/Inquiry/CorporationSearch/ByDocumentNumber"
    SCRIPT = "<script>var none = 'No records found';</script>"

    def test_is_not_one_of_a_script(self) -> None:
        kept = f"<html><body>{self.SCRIPT}<p>Sunbiz is being maintained.</p></body></html>"
        with pytest.raises(PageChanged):
            Conversation("FL", answer("POST", self.NUMBER, kept)).ask(entity_id="L15000000111")
        with pytest.raises(PageChanged):
            Conversation("FL", answer("GET", LIST + NAME, kept)).ask(name=NAME)

    @pytest.mark.parametrize("beside", [SCRIPT, "<p>Annual reports: no records found.</p>"])
    def test_hides_no_company(self, beside: str) -> None:
        detail = page("active", "2-detail.html").replace("<body>", f"<body>{beside}")
        told = Conversation("FL", answer("POST", self.NUMBER, detail)).ask(entity_id="L15000000111")
        assert isinstance(told, Found)


class TestADocumentNumber:
    """P02416, 924613, L15000063512: of a letter and five digits, of six digits, or long (a list of 2026-04)."""

    @pytest.mark.parametrize("number", ["P02416", "924613", "A12345"])
    def test_may_be_short(self, number: str) -> None:
        saved = page("active", "1-list.html").replace("L15000000111", number)
        saved = saved.replace("flal-l15000000111", f"forp-{number.lower()}")
        detail = page("active", "2-detail.html").replace("L15000000111", number)
        address = LIST.replace("SearchResults?inquiryType=EntityName&searchTerm=", "SearchResultDetail")
        query = (
            "?inquirytype=EntityName&directionType=Initial&searchNameOrder=MANGROVELANT"
            f"&aggregateId=forp-{number.lower()}-00000000-0000-0000-0000-000000000000&searchTerm=x&listNameOrder=y"
        )
        told = Conversation("FL", answer("GET", LIST + NAME, saved), answer("GET", address + query, detail)).ask(
            name=NAME
        )
        assert isinstance(told, Found)
        assert told.record.entity_id == number

    def test_that_is_short_is_asked_for(self) -> None:
        detail = page("active", "2-detail.html").replace("L15000000111", "P02416")
        asked = answer("POST", "https://search.sunbiz.org/Inquiry/CorporationSearch/ByDocumentNumber", detail)
        told = Conversation("FL", asked).ask(entity_id="p02416")
        assert isinstance(told, Found)


class TestADetail:
    """Sections told by the text of their first span."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("corporationName", "companyName"),
            ("Detail_DocumentId", "Detail_Number"),
            ("Detail_Status", "Detail_State"),
            ("searchResultDetail", "result"),
            ("SAMPLE, JORDAN A\n", "\n"),
        ],
    )
    def test_of_another_shape_is_a_changed_page(self, old: str, new: str) -> None:
        detail = page("active", "2-detail.html")
        assert old in detail
        with pytest.raises(PageChanged):
            opened(detail.replace(old, new))

    def test_may_have_no_agent(self) -> None:
        detail = page("active", "2-detail.html").replace("Registered Agent Name &amp; Address", "Filing Information")
        assert opened(detail).record.agent_name is None


class TestALien:
    """The registry's JSON."""

    SEARCH = (
        "https://publicsearchapi.floridaucc.com/Search?text=Acme&searchOptionType=OrganizationDebtorName"
        "&searchOptionSubOption=FiledAndLapsedCompactDebtorNameList&searchCategory=Standard"
    )

    @pytest.mark.parametrize(
        "body",
        [
            {},
            [],
            {"payload": None},
            {"payload": {}},
            {"payload": {"debtors": None}},
            {"payload": {"debtors": [{"name": "ACME INC"}]}},
            {"payload": {"debtors": [{"uccNumber": "1", "rowNumber": 1}]}},
        ],
    )
    def test_list_of_another_shape_is_a_changed_page(self, body: Any) -> None:
        with pytest.raises(PageChanged):
            Conversation("FL", answer("GET", self.SEARCH, body)).ask(kind="ucc", name="Acme Inc")

    def test_list_longer_than_is_opened_says_that_there_is_more(self) -> None:
        rows = [{"rowNumber": n, "name": "ACME INC", "uccNumber": f"2023{n:08d}"} for n in range(1, 13)]
        details = [
            answer("GET", self.SEARCH.replace("Search?", "filing-details?") + f"&rowNumber={n}", self.filing(n))
            for n in range(1, 9)
        ]
        talk = Conversation("FL", answer("GET", self.SEARCH, {"payload": {"debtors": rows}}), *details)
        told = talk.ask(kind="ucc", name="Acme Inc")
        assert isinstance(told, FoundFilings)
        assert (len(told.filings), told.complete) == (8, False)

    @pytest.mark.parametrize(
        ("last", "whole"),
        [
            ({"debtors": []}, False),
            ({"debtors": [], "nextRowNumber": None}, False),
            ({"debtors": [{"rowNumber": 3, "name": "ACME INC", "uccNumber": "202300000001"}]}, False),
            (
                {
                    "debtors": [{"rowNumber": 3, "name": "ACME INC", "uccNumber": "202300000001"}],
                    "nextRowNumber": None,
                },
                True,
            ),
            ({"debtors": [{"rowNumber": 3, "name": "ADAMS INC", "uccNumber": "202300000009"}]}, True),
        ],
    )
    def test_list_is_whole_where_it_shows_what_follows_or_says_that_nothing_does(
        self, last: dict[str, Any], whole: bool
    ) -> None:
        rows = [{"rowNumber": 1, "name": "ACME INC", "uccNumber": "202300000001"}]
        details = self.SEARCH.replace("Search?", "filing-details?") + "&rowNumber="
        talk = Conversation(
            "FL",
            answer("GET", self.SEARCH, {"payload": {"debtors": rows, "nextRowNumber": 3}}),
            answer("GET", f"{self.SEARCH}&rowNumber=3", {"payload": last}),
            answer("GET", f"{details}1", self.filing(1)),
        )
        told = talk.ask(kind="ucc", name="Acme Inc")
        assert isinstance(told, FoundFilings)
        assert told.complete is whole

    def test_is_not_denied_by_a_list_that_is_empty(self) -> None:
        with pytest.raises(PageChanged):
            Conversation("FL", answer("GET", self.SEARCH, {"payload": {"debtors": []}})).ask(
                kind="ucc", name="Acme Inc"
            )

    def test_on_a_person_is_found_beside_those_on_a_company_that_is_called_so(self) -> None:
        kinds = {
            "Organization": ("Jordan Sample", "JORDAN SAMPLE TRUCKING LLC"),
            "Individual": ("Sample Jordan", "SAMPLE JORDAN A"),
        }
        steps = []
        for number, (kind, (asked, shown)) in enumerate(kinds.items(), start=1):
            search = self.SEARCH.replace("Acme", asked).replace("Organization", kind)
            if kind == "Individual":  # as the registry's own site asks for people
                search = search.replace("Category=Standard", "Category=")
            row = {"rowNumber": number, "name": shown, "uccNumber": f"2023{number:08d}"}
            steps.append(answer("GET", search, {"payload": {"debtors": [row]}}))
            details = search.replace("Search?", "filing-details?") + f"&rowNumber={number}"
            steps.append(answer("GET", details, self.filing(number)))
        told = Conversation("FL", *steps).ask(kind="ucc", name="Jordan Sample")
        assert isinstance(told, FoundFilings)
        assert sorted(lien.file_number for lien in told.filings) == ["202300000001", "202300000002"]

    def test_that_is_filed_may_have_been_terminated(self) -> None:
        search = {"payload": {"debtors": [{"rowNumber": 1, "name": "ACME INC", "uccNumber": "202300000001"}]}}
        details = self.SEARCH.replace("Search?", "filing-details?") + "&rowNumber=1"
        talk = Conversation("FL", answer("GET", self.SEARCH, search), answer("GET", details, self.filing(1)))
        told = talk.ask(kind="ucc", name="Acme Inc")
        assert isinstance(told, FoundFilings)
        assert told.filings[0].status == "Filed"
        assert liens.status_class(told.filings[0], today=date(2026, 11, 21)) == "unknown"

    def filing(self, number: int) -> dict[str, Any]:
        """The details of one filing."""
        party = {"name": "ACME INC", "address": "1 ELM ST", "city": "TAMPA", "state": "FL", "zipCode": "33601"}
        return {
            "payload": {
                "uccNumber": f"2023{number:08d}",
                "status": "Filed",
                "fileDate": "2023-02-01T05:00:00Z",
                "expirationDate": "2028-02-01T05:00:00Z",
                "documentType": "UCC1",
                "debtors": [party],
                "secureds": [party],
            }
        }
