"""Liens that are told are on whoever was asked for: of names that merely begin alike, a list is no answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from scrapers.failures import PageChanged
from scrapers.normalize import liens
from scrapers.records import Answer, FoundFilings, NotFound, Query, UccFiling, UccParty
from scrapers.refusals import QueryRefused
from scrapers.transport.recording import Step, load_steps
from scrapers.ucc import connecticut, parties
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER


def saved(case: str, change: Callable[[bytes], bytes]) -> list[Step]:
    """The steps of a golden case, with something else in their pages."""
    steps = [replace(step, body=change(step.body)) for step in load_steps(FOLDER / case)]
    assert [step.body for step in steps] != [step.body for step in load_steps(FOLDER / case)]
    return steps


class TestACompanyWhoseWordOnlyBeginsSo:
    """ "BLUE HERON LOGISTICSWARE" is nobody's "Blue Heron Logistics", though a search for its beginning lists it."""

    def test_owes_nothing_for_another_in_new_jersey(self) -> None:
        steps = saved("NJ/ucc-debtor", lambda page: page.replace(b"LOGISTICS OF TRENTON", b"LOGISTICSWARE"))
        found = Conversation("NJ", *steps).ask(kind="ucc", name="Blue Heron Logistics LLC")
        assert isinstance(found, FoundFilings)
        assert [lien.file_number for lien in found.filings] == ["58300001", "51200002"]

    def test_is_not_the_lien_that_new_jersey_has_of_the_name(self) -> None:
        steps = saved("NJ/ucc-debtor", lambda page: page.replace(b"HERON LOGISTICS", b"HERON LOGISTICSWARE"))
        assert isinstance(Conversation("NJ", *steps).ask(kind="ucc", name="Blue Heron Logistics LLC"), NotFound)

    def test_is_not_ticked_in_south_carolina(self) -> None:
        steps = saved("SC/ucc-several-names", lambda page: page.replace(b"HERON FREIGHT", b"HERONRY"))
        other = "ctl00$MainContentPlaceHolder$UCCSearchResultsByPartyNameControl1$Repeater1$ctl00$PartyNameCheckBox"
        asked = [
            replace(step, sent={name: value for name, value in step.sent.items() if name != other})
            if isinstance(step.sent, dict)
            else step
            for step in steps
        ]
        found = Conversation("SC", *asked).ask(kind="ucc", name="Blue Heron")
        assert isinstance(found, FoundFilings)
        assert {who.name for lien in found.filings for who in lien.debtors} == {"BLUE HERON LOGISTICS LLC"}


class TestACompanyThatHasTheWordsElsewhere:
    """In its name, where a box searches any word."""

    def test_is_another_in_california(self) -> None:
        steps = saved("CA/ucc-debtor", lambda page: page.replace(b"GOLDEN LANTERN", b"OLD GOLDEN LANTERN"))
        talked = Conversation("CA", *steps)
        assert isinstance(talked.ask(kind="ucc", name="Golden Lantern Works, Inc."), NotFound)


class TestAPersonWhoSharesAWordWithOthers:
    """In Idaho, whose list holds any name with a word of the one asked for."""

    NAME = b"SAMPLE, JORDAN A"

    def ask(self, shown: bytes) -> FoundFilings:
        steps = saved("ID/ucc-person", lambda page: page.replace(self.NAME, shown))
        told = Conversation("ID", *steps).ask(kind="ucc", name="Jordan A Sample")
        assert isinstance(told, FoundFilings)
        return told

    @pytest.mark.parametrize("shown", [b"SAMPLE BROTHERS", b"SAMPLE, RILEY", b"JORDAN, PAT"])
    def test_owes_nothing_for_them(self, shown: bytes) -> None:
        with pytest.raises(QueryRefused, match="too many filings"):  # the list may be cut: it proves no absence
            self.ask(shown)

    @pytest.mark.parametrize("shown", [b"JORDAN SAMPLE", b"SAMPLE JORDAN", b"SAMPLE, JORDAN", b"SAMPLE JORDAN ALEX JR"])
    def test_is_found_in_any_order_of_the_words(self, shown: bytes) -> None:
        assert [who.name for lien in self.ask(shown).filings for who in lien.debtors] == [shown.decode()]


class TestAPersonNamedLikeACompany:
    """Where a registry is asked for companies alone: the company's liens are not all there may be on the name."""

    @pytest.mark.parametrize(
        ("state", "company"),
        [
            ("AL", "Magnolia Lantern Farms"),
            ("KY", "Limestone Lantern Distilling"),
            ("NJ", "Blue Heron Logistics"),
            ("OR", "Madrone Creek Cider"),
            ("RI", "Lantern Cove Marina"),
            ("SC", "Blue Heron Logistics"),
        ],
    )
    def test_is_not_answered_as_if_somebody_had_looked(self, state: str, company: str) -> None:
        plain = json.loads((FOLDER / state / "ucc-debtor" / "case.json").read_text(encoding="utf-8"))["question"][
            "name"
        ]
        told = Conversation(state, *self.renamed(state, company)).ask(kind="ucc", name="Jordan Sample")
        assert isinstance(told, FoundFilings)
        assert not told.complete
        known = Conversation(state, *load_steps(FOLDER / state / "ucc-debtor")).ask(kind="ucc", name=plain)
        assert isinstance(known, FoundFilings)
        assert known.complete

    def test_is_a_company_where_one_is_called_just_so(self) -> None:
        """Clubs and churches have no legal form in their names."""
        lien = UccFiling("1", "2026-01-02", debtors=(UccParty("FRIENDS OF LANTERN PARK"),))
        asked = Query("NJ", "Friends of Lantern Park", kind="ucc")
        assert parties.is_whole((lien,), True, asked, state="New Jersey")
        assert not parties.is_whole((lien,), False, asked, state="New Jersey")
        other = replace(lien, debtors=(UccParty("FRIENDS OF LANTERN PARK INC"),))
        assert not parties.is_whole((other,), True, asked, state="New Jersey")

    @pytest.mark.parametrize(
        ("state", "company"),
        [("KY", "Limestone Lantern Distilling"), ("NJ", "Blue Heron Logistics"), ("RI", "Lantern Cove Marina")],
    )
    def test_is_not_found_to_owe_nothing_since_a_day(self, state: str, company: str) -> None:
        talked = Conversation(state, *self.renamed(state, company))
        with pytest.raises(QueryRefused, match="companies alone"):
            talked.ask(kind="ucc", name="Jordan Sample", date_after=date(2026, 10, 1))

    def renamed(self, state: str, company: str) -> list[Step]:
        """The saved liens on a company, as those on "JORDAN SAMPLE LLC", asked for without the legal form."""
        steps = saved(f"{state}/ucc-debtor", lambda page: page.replace(company.upper().encode(), b"JORDAN SAMPLE"))
        plus, other = company.replace(" ", "+"), "Jordan+Sample"
        return [
            replace(
                step,
                url=step.url.replace(plus, other),
                sent={
                    key: "Jordan Sample" if str(value).startswith(company) else value
                    for key, value in step.sent.items()
                }
                if isinstance(step.sent, dict)
                else step.sent,
            )
            for step in steps
        ]


class TestANameThatTheRegistryWritesOtherwise:
    """Than the caller: an index that lists what begins with a text compares letters."""

    @pytest.mark.parametrize(
        ("name", "texts"),
        [
            ("Blue Heron Logistics, LLC", ["Blue Heron Logistics"]),
            ("The Blue Heron Co.", ["The Blue Heron", "Blue Heron"]),
            ("Heron & Sons, Inc.", ["Heron & Sons", "Heron and Sons"]),
            ("Heron's Nest LLC", ["Heron's Nest", "Herons Nest"]),
            ("Sample, Jordan", ["Sample, Jordan"]),
        ],
    )
    def test_is_asked_for_in_its_ways(self, name: str, texts: list[str]) -> None:
        assert list(parties.texts(Query("OR", name, kind="ucc"))) == texts

    def test_has_its_liens_in_oregon_under_another_form_of_its_kind(self) -> None:
        found = Conversation("OR", *load_steps(FOLDER / "OR" / "ucc-debtor")).ask(
            kind="ucc", name="Madrone Creek Cider, L.L.C."
        )
        assert isinstance(found, FoundFilings)
        assert [lien.file_number for lien in found.filings] == ["93000001", "92000002"]

    def test_has_its_liens_in_florida_where_another_form_stands_further_on(self) -> None:
        found = Conversation("FL", *load_steps(FOLDER / "FL" / "ucc-debtor")).ask(
            kind="ucc", name="Mangrove Lantern Charters Ltd. Liability Company"
        )
        assert isinstance(found, FoundFilings)
        assert len(found.filings) == 2

    def test_has_its_liens_in_california_with_its_comma(self) -> None:
        steps = load_steps(FOLDER / "CA" / "ucc-debtor")
        found = Conversation("CA", *steps).ask(kind="ucc", name="Golden Lantern Works Incorporated")
        assert isinstance(found, FoundFilings)
        assert [lien.file_number for lien in found.filings] == ["197728979000"]

    def test_has_its_liens_in_new_mexico_without_the_comma(self) -> None:
        found = Conversation("NM", *load_steps(FOLDER / "NM" / "ucc-debtor")).ask(
            kind="ucc", name="Desert Lantern Works L.L.C."
        )
        assert isinstance(found, FoundFilings)
        assert [lien.file_number for lien in found.filings] == ["20230100200A", "20180100300B"]

    def test_has_its_liens_in_rhode_island_without_the_article(self) -> None:
        listed = load_steps(FOLDER / "RI" / "ucc-secured-party")
        without = replace(listed[1], url=listed[1].url.replace("Example+Bank+NA", "The+Example+Bank%2C+N.A."))
        talked = Conversation("RI", without, *listed)
        found = talked.ask(kind="ucc", name="The Example Bank, N.A.", search_by="secured_party")
        assert isinstance(found, FoundFilings)
        assert found.filings[0].secured_parties[0].name == "EXAMPLE BANK, N.A."


class TestAListOfDocumentsThatWasCut:
    """The oldest are missing from it, and who knows what stood in them."""

    def test_makes_no_whole_answer_in_connecticut(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found, documents = load_steps(FOLDER / "CT" / "ucc-debtor")
        count = len(json.loads(documents.body))
        monkeypatch.setattr(connecticut, "_MOST", count)
        documents = replace(documents, url=documents.url.replace("$limit=5000", f"$limit={count}"))
        told = Conversation("CT", found, documents).ask(kind="ucc", name="Stone Wall Orchard")
        assert isinstance(told, FoundFilings)
        assert not told.complete

    def test_makes_no_whole_answer_in_oregon_where_parties_are_left_out(self) -> None:
        steps = load_steps(FOLDER / "OR/ucc-secured-party")
        (row, *_) = json.loads(steps[2].body)
        for rows, whole in ((999, True), (1000, False)):
            many = [row | {"secured_party": f"EXAMPLE LENDERS {number} INC"} for number in range(rows)]
            steps[2] = replace(steps[2], body=json.dumps(many).encode())
            told = Conversation("OR", *steps).ask(kind="ucc", name="Example Bank, N.A.", search_by="secured_party")
            assert isinstance(told, FoundFilings)
            assert told.complete is whole


class TestAListWithAWayToAFurtherPage:
    """Which nobody has seen, and nobody reads."""

    @pytest.mark.parametrize(
        ("state", "where"), [("KY", b'<table id="ctl00_ContentPlaceHolder1_searchlist2'), ("OR", b"<table id=")]
    )
    def test_proves_nothing(self, state: str, where: bytes) -> None:
        question: dict[str, Any] = {"kind": "ucc", "name": "Unwritten Harbour Whisky Inc"}
        steps = load_steps(FOLDER / state / "ucc-none")
        assert isinstance(Conversation(state, *steps).ask(**question), NotFound)
        steps = saved(f"{state}/ucc-none", lambda page: page.replace(where, b'<a href="?page=2">Next</a>' + where))
        with pytest.raises(QueryRefused, match="too many filings"):
            Conversation(state, *steps).ask(**question)

    @pytest.mark.parametrize(("standard", "whole"), [(b"3 results", True), (b"1,200 results", False)])
    def test_is_missed_in_kentucky_where_the_page_counts_more_than_it_shows(self, standard: bytes, whole: bool) -> None:
        counts = (
            (b"<table", b"<p>A standard search revealed the following " + standard + b"</p><table", 1),
            (
                b"</table>\n<table",
                b"</table><p>A non-standard search revealed the following 1 additional results</p><table",
            ),
        )
        steps = saved("KY/ucc-debtor", lambda page: page.replace(*counts[0]).replace(*counts[1]))
        told = Conversation("KY", *steps).ask(kind="ucc", name="Limestone Lantern Distilling LLC")
        assert isinstance(told, FoundFilings)
        assert told.complete is whole

    @pytest.mark.parametrize("more", [b'<a href="?page=2">Next</a>', b"<div>26 items in 2 pages</div>"])
    def test_may_name_more_debtors_in_south_carolina(self, more: bytes) -> None:
        names = b"</table><input"
        cut = saved("SC/ucc-debtor", lambda page: page.replace(names, b"</table>" + more + b"<input"))
        told = Conversation("SC", *cut).ask(kind="ucc", name="Blue Heron Logistics LLC")
        assert isinstance(told, FoundFilings)
        assert not told.complete
        others = [replace(step, body=step.body.replace(b"BLUE HERON LOGISTICS", b"TERN FREIGHT")) for step in cut]
        with pytest.raises(QueryRefused, match="too many filings"):
            Conversation("SC", *others).ask(kind="ucc", name="Blue Heron Logistics LLC")


class TestAColumnThatSaysWhetherALienHolds:
    """Or a party of it. Where it has another name, what was released or removed would read as if it held."""

    @pytest.mark.parametrize(
        ("case", "column"),
        [
            ("CT/ucc-debtor", b"lien_status"),
            ("CT/ucc-debtor", b"dt_lapse"),
            ("CO/ucc-debtor", b"terminationflag"),
            ("CO/ucc-debtor", b"recordstatus"),
        ],
    )
    def test_is_missed_where_another_stands_in_its_place(self, case: str, column: bytes) -> None:
        state, name = (
            case[:2],
            json.loads((FOLDER / case / "case.json").read_text(encoding="utf-8"))["question"]["name"],
        )
        renamed = saved(case, lambda page: page.replace(column, b"new_" + column))
        with pytest.raises(PageChanged, match="renamed"):
            Conversation(state, *renamed).ask(kind="ucc", name=name)

    def test_calls_no_lien_active_that_has_no_word_in_connecticut(self) -> None:
        wordless = saved("CT/ucc-debtor", lambda page: page.replace(b'"lien_status": "Active",', b""))
        told = Conversation("CT", *wordless).ask(kind="ucc", name="Stone Wall Orchard")
        assert isinstance(told, FoundFilings)
        assert {liens.status_class(lien, today=date(2026, 11, 22)) for lien in told.filings} == {"unknown"}


@pytest.mark.parametrize(
    ("case", "page"), [("CT/ucc-debtor", 1), ("CO/ucc-debtor", 2), ("CO/ucc-debtor", 3), ("CO/ucc-secured-party", 4)]
)
class TestALienWhosePartyIsListed:
    """And of which the next answer knows nothing."""

    def test_is_not_shown_without_its_party(self, case: str, page: int) -> None:
        question = json.loads((FOLDER / case / "case.json").read_text(encoding="utf-8"))["question"]
        steps = load_steps(FOLDER / case)
        assert isinstance(Conversation(case[:2], *steps).ask(**question), FoundFilings)
        steps[page] = replace(steps[page], body=b"[]")
        with pytest.raises(PageChanged, match="listed"):
            Conversation(case[:2], *steps).ask(**question)


@pytest.mark.parametrize(
    ("case", "day"),
    [
        ("AL/ucc-debtor", b"03/04/2022"),
        ("CA/ucc-debtor", b"08/20/2019"),
        ("CO/ucc-debtor", b"2019-03-01T00:00:00.000"),
        ("FL/ucc-debtor", b"2023-02-01T05:00:00Z"),
        ("KY/ucc-debtor", b"2/1/2023 9:15 AM"),
        ("OR/ucc-debtor", b"02/01/2023"),
        ("RI/ucc-debtor", b"02/01/2024"),
    ],
)
class TestADayOfFiling:
    """That nobody can read."""

    def test_is_not_left_out_in_silence(self, case: str, day: bytes) -> None:
        question = json.loads((FOLDER / case / "case.json").read_text(encoding="utf-8"))["question"]
        odd = saved(case, lambda page: page.replace(day, b"the first of May"))
        with pytest.raises(PageChanged, match="cannot be read"):
            Conversation(case[:2], *odd).ask(**question)


class TestAPartyOfRhodeIslands:
    """Named in the list, and with an address in the lien's history."""

    NAME, ROLES = b"LANTERN COVE MARINA, LLC", (b"Debtor(s)", b"Secured Parties")

    def ask(self, *changes: tuple[bytes, bytes], page: int = 1) -> FoundFilings:
        steps = load_steps(FOLDER / "RI/ucc-debtor")
        for old, new in changes:
            assert old in steps[page].body, old
            steps[page] = replace(steps[page], body=steps[page].body.replace(old, new))
        told = Conversation("RI", *steps).ask(kind="ucc", name="Lantern Cove Marina, LLC")
        assert isinstance(told, FoundFilings)
        return told

    def test_has_no_street_for_its_name(self) -> None:
        assert self.ask().filings[0].debtors[0].name == self.NAME.decode()
        with pytest.raises(PageChanged, match="whoever is listed"):
            self.ask((self.NAME, b""))

    @pytest.mark.parametrize("street", ["ONE LANTERN PLAZA", "C/O EXAMPLE SERVICING LLC<br>ONE LANTERN PLAZA"])
    def test_lives_in_a_street_without_a_figure(self, street: str) -> None:
        lender = self.ask((b"1 MAIN ST", street.encode())).filings[0].secured_parties[0]
        assert (lender.name, lender.address.city) == ("EXAMPLE BANK, N.A.", "PROVIDENCE")
        assert lender.address.street == street.replace("<br>", ", ")

    def test_has_no_other_line_for_its_city(self) -> None:
        with pytest.raises(PageChanged, match="expected to have a number"):
            self.ask((b"PROVIDENCE RI 02903", b"PROVIDENCE RI 02903<br>A NEW REMARK"))

    def test_is_not_shown_in_the_other_role(self) -> None:
        debtor, secured = self.ROLES
        with pytest.raises(PageChanged, match="whoever is listed"):
            self.ask((debtor, b"-"), (secured, debtor), (b">-<", b">" + secured + b"<"))

    def test_is_not_shown_in_the_other_role_where_the_lien_has_a_later_document(self) -> None:
        debtor, secured = self.ROLES
        with pytest.raises(PageChanged, match="other role"):
            self.ask((debtor, b"-"), (secured, debtor), (b">-<", b">" + secured + b"<"), page=2)

    @pytest.mark.parametrize("role", ROLES)
    @pytest.mark.parametrize("heading", [b'<tr><td colspan="4">%s</td></tr>\n', b"%s"])
    def test_is_in_no_role_where_one_document_has_no_heading_for_it(self, role: bytes, heading: bytes) -> None:
        steps = load_steps(FOLDER / "RI/ucc-debtor")
        first, later = steps[2].body.split(b"UCC-3 TERMINATION")
        for changed in (
            first.replace(heading % role, b"") + b"UCC-3 TERMINATION" + later,
            first + b"UCC-3 TERMINATION" + later.replace(heading % role, b""),
        ):
            with pytest.raises(PageChanged, match="sections"):
                self.ask((steps[2].body, changed), page=2)


class TestALenderOfSouthCarolina:
    """Stands in the same index as its debtors; the form of the search chooses between them."""

    def test_owes_nothing_for_what_it_lent_where_the_form_has_no_choice(self) -> None:
        steps = saved("SC/ucc-debtor", lambda page: page.replace(b"DebtorPartyRadioButton", b"Another"))
        asked = [replace(step, sent=None) for step in steps]
        with pytest.raises(PageChanged, match="debtors"):
            Conversation("SC", *asked).ask(kind="ucc", name="Blue Heron Logistics LLC")


class TestAnEmptyListOfRhodeIsland:
    """Repeats the question above it, with the roles that were looked for."""

    def ask(self, included: str) -> Answer:
        criteria = (
            f'<table><tr><td>Include:</td><td><span id="MainContent_lblInclude">{included}</span></td></tr></table>'
        )
        steps = saved(
            "RI/ucc-none", lambda page: page.replace(b'<span id="MainC', criteria.encode() + b'<span id="MainC')
        )
        question = json.loads((FOLDER / "RI/ucc-none/case.json").read_text(encoding="utf-8"))["question"]
        return Conversation("RI", *steps).ask(**question)

    def test_is_of_the_role_asked_for(self) -> None:
        assert isinstance(self.ask("DEBTORS, "), NotFound)

    @pytest.mark.parametrize("included", ["", "SECURED PARTIES, "])
    def test_proves_nothing_where_another_was_looked_for(self, included: str) -> None:
        with pytest.raises(PageChanged, match="looked for"):
            self.ask(included)


class TestTheHistoryOfARhodeIslandLien:
    """Has every document on file for it, each with its own parties and its own text."""

    COLLATERAL = (
        b'<tr><td colspan="4">Collateral Information</td></tr>'
        b'<tr><td colspan="4"><textarea readonly>One boat is released.</textarea></td></tr></tbody>'
    )

    def lien(self, *changes: tuple[bytes, bytes]) -> UccFiling:
        """The older lien of the saved answer, with this in its history."""
        steps = load_steps(FOLDER / "RI/ucc-debtor")
        for old, new in changes:
            assert old in steps[2].body, old
            steps[2] = replace(steps[2], body=steps[2].body.replace(old, new))
        told = Conversation("RI", *steps).ask(kind="ucc", name="Lantern Cove Marina, LLC")
        assert isinstance(told, FoundFilings)
        return told.filings[1]

    def liens(self, unlisted: str, **question: Any) -> list[UccFiling]:
        """The answer where a document of the older lien stands in its history alone."""
        steps = load_steps(FOLDER / "RI/ucc-debtor")
        rows = [row for row in steps[0].body.splitlines() if f">{unlisted}</a>".encode() in row]
        assert len(rows) == 1
        listed = steps[0].body.replace(rows[0], b"").replace(b"records: 4", b"records: 3")
        steps[0] = replace(steps[0], body=listed)
        told = Conversation("RI", *steps).ask(kind="ucc", name="Lantern Cove Marina, LLC", **question)
        assert isinstance(told, FoundFilings)
        return list(told.filings)

    def test_ends_it_though_the_list_names_another_party_for_the_termination(self) -> None:
        lien = self.liens(unlisted="202512340990")[1]
        assert lien.status == "Terminated"
        assert [(one.file_number, one.filing_type) for one in lien.amendments] == [
            ("202512340990", "UCC-3 TERMINATION")
        ]

    def test_has_the_day_of_the_first_document_where_the_list_has_a_later_one_alone(self) -> None:
        lien = self.liens(unlisted="202112340010")[1]
        assert (lien.filed, lien.filing_type) == ("03/15/2021 09:00:00 AM", "UCC-1")
        after = self.liens(unlisted="202112340010", date_after=date(2022, 1, 1))
        assert [one.file_number for one in after] == ["202412345670"]

    def test_names_whom_it_was_assigned_to_among_the_secured_parties(self) -> None:
        assignee = (
            b'<tr style="font-weight:bold;"><td colspan="4">Assignee</td></tr>'
            b'<tr><td colspan="2">TIDE LOAN TRUST LLC<br>2 PINE RD<br>BOSTON MA 02110</td><td>&nbsp;</td></tr>'
        )
        later = b'<tr style="color:White;background-color:Gray;"><td colspan="4">UCC-3'
        lien = self.lien((later, assignee + later), (b"</tbody>", assignee + b"</tbody>"))
        assert [who.name for who in lien.secured_parties] == ["SAMPLE EQUIPMENT FINANCE, INC.", "TIDE LOAN TRUST LLC"]
        assert [who.name for who in lien.debtors] == ["LANTERN COVE MARINA, LLC"]

    def test_has_no_text_of_a_later_document_for_the_collateral(self) -> None:
        assert self.lien((b"</tbody>", self.COLLATERAL)).collateral is None


@pytest.mark.parametrize(
    ("case", "page", "key"),
    [
        ("CT/ucc-debtor", 1, b'"id_lien_flng_nbr": "0005200003"'),
        ("CO/ucc-debtor", 3, b'"fileid": "501"'),
        ("CO/ucc-debtor", 5, b'"fileid": "501"'),
    ],
)
class TestARowOfALienThatNobodyAskedFor:
    """Among those that were asked for by their numbers."""

    def test_is_a_changed_page(self, case: str, page: int, key: bytes) -> None:
        name = json.loads((FOLDER / case / "case.json").read_text(encoding="utf-8"))["question"]["name"]
        steps = load_steps(FOLDER / case)
        assert key in steps[page].body
        steps[page] = replace(steps[page], body=steps[page].body.replace(key, key[:-4] + b'999"'))
        with pytest.raises(PageChanged, match="asked for"):
            Conversation(case[:2], *steps).ask(kind="ucc", name=name)


class TestALienOnTwoDebtorsOfAName:
    """Of New Jersey's list, which has a row for each debtor."""

    def test_is_one_lien(self) -> None:
        other = (b"<td>NEWARK</td><td>51200002</td>", b"<td>CAMDEN</td><td>58300001</td>")
        steps = saved("NJ/ucc-debtor", lambda page: page.replace(*other).replace(b"06/01/2015", b"03/27/2026"))
        found = Conversation("NJ", *steps).ask(kind="ucc", name="Blue Heron Logistics LLC")
        assert isinstance(found, FoundFilings)
        assert [lien.file_number for lien in found.filings] == ["58300001", "55400003"]
        assert {who.address.city for who in found.filings[0].debtors} == {"CAMDEN", "NEWARK"}
