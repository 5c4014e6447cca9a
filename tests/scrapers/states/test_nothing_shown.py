"""A page that shows nothing, and does not say that there is nothing, never reads as "not found"."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from scrapers.failures import PortalError
from scrapers.parsing.fields import listed
from scrapers.records import Address, Answer, Candidate, Found, FoundFilings, NotFound, ResultList
from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER, Case, dated, play


def put(state: str, situation: str, *changes: tuple[str, str], page: int | None = None) -> Answer | str:
    """The answer to a saved question with words of one saved page changed, or of all; else why there is none."""
    case = Case(state, situation, FOLDER / state / situation)
    steps = load_steps(case.folder)
    for old, new in changes:
        at = [n for n, step in enumerate(steps) if old.encode() in step.body and page in (None, n)]
        assert at, old
        for n in at:
            steps[n] = replace(steps[n], body=steps[n].body.replace(old.encode(), new.encode()))
    try:
        return Conversation(state, *steps, keys=case.content.get("keys")).ask(**dated(case.content["question"]))
    except PortalError as error:
        return error.reason


class TestSouthCarolinasNames:
    """Of which one is ticked."""

    def test_are_none_where_the_page_says_so(self) -> None:
        assert isinstance(put("SC", "ucc-no-match"), NotFound)

    @pytest.mark.parametrize(
        "shown",
        ["Our search is being maintained.", "No records can be shown now; nothing you filed was lost or found."],
    )
    def test_are_not_none_where_it_says_something_else(self, shown: str) -> None:
        assert put("SC", "ucc-no-match", ("No matching names were found.", shown)) == "layout_changed"


@pytest.mark.parametrize(
    ("state", "situation", "sentence"),
    [
        ("IL", "no-match", "No records were found."),
        ("KY", "no-match", "No matching organizations were found. Please try again."),
        ("LA", "no-match", "No records were found for the criteria you entered."),
        ("MO", "no-match", "No records to display."),
        ("OK", "no-such-number", "Record not found"),
        ("SC", "no-match", "No records were found matching your search criteria."),
        ("SD", "no-match", "No records found"),
        ("WV", "no-match", "No Records Found."),
        ("WY", "no-match", "No Results Found"),
    ],
)
class TestASentenceInABoxOutOfSight:
    """That a page brings along, for a script of its own to show."""

    @pytest.mark.parametrize("hidden", ['class="d-none"', 'class="modal fade"', 'style="visibility: hidden"', "hidden"])
    def test_says_nothing(self, state: str, situation: str, sentence: str, hidden: str) -> None:
        told = put(state, situation, (sentence, f"<span {hidden}>{sentence}</span>"))
        assert told == ("blocked" if state == "SD" else "layout_changed")  # beside a captcha an empty box is a wall

    @pytest.mark.parametrize("shown", ["modal fade show", "d-none d-md-block", "hidden md:block", "hidden-print"])
    def test_is_read_where_it_is_shown(self, state: str, situation: str, sentence: str, shown: str) -> None:
        told = put(state, situation, (sentence, f'<span class="{shown}">{sentence}</span>'))
        assert isinstance(told, NotFound)


class TestSouthCarolinasAlert:
    """In place of a list of companies."""

    @pytest.mark.parametrize("said", ["An error occurred while searching.", "No records can be shown at this time."])
    def test_is_not_that_there_are_none_where_it_says_something_else(self, said: str) -> None:
        assert isinstance(put("SC", "no-match"), NotFound)
        assert put("SC", "no-match", ("No records were found matching your search criteria.", said)) == "layout_changed"


class TestWisconsinsList:
    """Beside a sentence of something else, as of a name that another search looked for."""

    def test_is_read_where_it_shows_a_company(self) -> None:
        assert isinstance(
            put("WI", "active", ("</form>", "<p>Trade names: returned no records.</p></form>"), page=0), Found
        )
        assert isinstance(put("WI", "no-match"), NotFound)


class TestAnAlabamaCompany:
    """Opened by its number."""

    def test_is_there_though_one_of_its_lists_has_no_matches(self) -> None:
        assert isinstance(put("AL", "inactive", ("</section>", "<p>No matches found</p></section>")), Found)
        assert isinstance(put("AL", "no-such-number"), NotFound)


@pytest.mark.parametrize(
    ("state", "situation", "count"),
    [
        ("AR", "by-number", "Records Returned: {}</caption>"),
        ("NC", "inactive", "Records&nbsp;Found:</span>&nbsp;&nbsp;{}</span>"),
        ("OK", "inactive", "Total Results: {}"),
    ],
)
class TestACountOfNone:
    """Above a list."""

    def test_is_of_something_else_where_a_company_is_listed(self, state: str, situation: str, count: str) -> None:
        assert isinstance(put(state, situation), Found)
        assert put(state, situation, (count.format(1), count.format(0))) == "layout_changed"


class TestIllinoisLists:
    """Of companies."""

    @pytest.mark.parametrize("said", ["No records were found.", "No records matching your criteria were found."])
    def test_are_empty_where_the_page_says_so(self, said: str) -> None:
        assert isinstance(put("IL", "no-match", ("No records were found.", said)), NotFound)

    def test_are_not_empty_where_the_page_is_being_maintained(self) -> None:
        shown = "No results can be found at this time."
        assert put("IL", "no-match", ("No records were found.", shown)) == "layout_changed"


class TestIowasStatus:
    """Is active in its file, which has no such column."""

    def test_is_not_active_on_a_page_where_it_stands_empty(self) -> None:
        assert put("IA", "inactive", ("<td>Inactive</td>", "<td></td>")) == "layout_changed"


class TestIowasOfficers:
    """Stand on a tab of their own."""

    def test_are_none_where_the_tab_shows_none(self) -> None:
        assert isinstance(put("IA", "assumed-name"), Found)

    def test_are_not_none_where_the_tab_has_another_address(self) -> None:
        case = Case("IA", "active", FOLDER / "IA" / "active")
        steps = load_steps(case.folder)
        steps[2] = replace(steps[2], body=steps[2].body.replace(b"officers.aspx", b"people.aspx"))
        steps[3] = replace(steps[3], url=steps[3].url.replace("officers.aspx", "people.aspx"))
        assert play(case, steps)[0] == play(case)[0]

    def test_are_not_none_where_another_page_comes(self) -> None:
        assert put("IA", "active", ('<article id="mainArticle">', '<article id="signIn">'), page=3) == "layout_changed"

    def test_are_not_none_where_another_tab_comes_that_only_leads_to_theirs(self) -> None:
        filings = '<ul class="nav"><li><a href="officers.aspx?c=1">Officers</a></li></ul><h1>Filings</h1>No filings.'
        assert put("IA", "assumed-name", ("<p>There are no officers.</p>", filings), page=3) == "layout_changed"

    @pytest.mark.parametrize("said", ["Officers could not be loaded.", "No officers can be displayed at this time."])
    def test_are_not_none_where_the_tab_could_not_show_them(self, said: str) -> None:
        assert put("IA", "assumed-name", ("There are no officers.", said), page=3) == "layout_changed"


class TestCaliforniasApi:
    """Stands behind a gateway, which answers for addresses that it does not know."""

    @pytest.mark.parametrize("status", [400, 404])
    def test_does_not_say_that_a_company_is_not_there_where_its_address_is_gone(self, status: int) -> None:
        case = Case("CA", "official-api-no-match", FOLDER / "CA" / "official-api-no-match")
        body = b'{"statusCode": 404, "message": "Resource not found"}'
        gone = [replace(step, status=status, body=body) for step in load_steps(case.folder)]
        assert play(case, gone)[0]["reason"] == "layout_changed"


class TestKentuckysLists:
    """Of names that fit, and of those that resemble."""

    @pytest.mark.parametrize("gone", ["searchlist1", "searchlist2"])
    def test_are_both_there(self, gone: str) -> None:
        assert isinstance(put("KY", "ucc-none"), NotFound)
        assert put("KY", "ucc-none", (gone, "results")) == "layout_changed"


@pytest.mark.parametrize(("state", "heading"), [("KY", "Secured Party</th></tr>\n"), ("OR", "<tbody>\n")])
class TestAListOfLiensWithoutARow:
    """But with a sentence in it."""

    ROW = '{}<tr><td colspan="7">{}</td></tr>'

    def test_is_empty_where_it_says_that_there_are_none(self, state: str, heading: str) -> None:
        told = put(state, "ucc-none", (heading, self.ROW.format(heading, "No records were found.")))
        assert isinstance(told, NotFound)

    def test_is_not_empty_where_it_could_not_be_loaded(self, state: str, heading: str) -> None:
        told = put(state, "ucc-none", (heading, self.ROW.format(heading, "The list could not be loaded.")))
        assert told == "layout_changed"


@pytest.mark.parametrize(
    ("state", "situation", "table"), [("KY", "ucc-none", "searchlist"), ("OR", "ucc-none", "securedTable")]
)
class TestTheWordsThatThereAreNone:
    """Count where a person sees them, as a sentence."""

    SAID = "<p>No records were found.</p></form>"

    def test_are_read_on_a_page_without_a_list(self, state: str, situation: str, table: str) -> None:
        assert isinstance(put(state, situation, (table, "x"), ("</form>", self.SAID)), NotFound)

    def test_are_not_read_in_a_hidden_box(self, state: str, situation: str, table: str) -> None:
        sentence = self.SAID.replace("were found", "can be shown now")
        assert put(state, situation, (table, "x"), ("</form>", sentence)) == "layout_changed"
        hidden = self.SAID.replace("<p>", '<p style="display: none">')
        assert put(state, situation, (table, "x"), ("</form>", hidden)) == "layout_changed"


class TestARowOfALien:
    """That cannot be read whole hides no lien."""

    @pytest.mark.parametrize(
        ("state", "situation", "page", "old", "new"),
        [
            ("CO", "ucc-debtor", 0, '"organizationname":', '"companyname":'),
            ("CT", "ucc-debtor", 0, '"debtor_nm_bus":', '"debtor_nm_company":'),
            ("CA", "ucc-debtor", 1, '"GOLDEN LANTERN WORKS, INC. - CHULA VISTA, CA"', '""'),
        ],
    )
    def test_must_name_its_party(self, state: str, situation: str, page: int, old: str, new: str) -> None:
        assert isinstance(put(state, situation), FoundFilings)
        assert put(state, situation, (old, new), page=page) == "layout_changed"

    @pytest.mark.parametrize(
        ("state", "page", "old", "new"),
        [
            ("NM", 0, '"EXAMPLE BANK - ALBUQUERQUE, NM"', "null"),
            ("CA", 1, '"SEC_PARTY": [\n    "GOLDEN LANTERN WORKS, INC. - CHULA VISTA, CA"\n   ]', '"SEC_PARTY": null'),
        ],
    )
    def test_must_name_the_secured_party_it_is_listed_for(self, state: str, page: int, old: str, new: str) -> None:
        assert isinstance(put(state, "ucc-secured-party"), FoundFilings)
        assert put(state, "ucc-secured-party", (old, new), page=page) == "layout_changed"

    def test_need_not_name_a_secured_party_where_it_is_listed_for_its_debtor(self) -> None:
        told = put("CA", "ucc-secured-party", ('"EXAMPLE BANK, N.A. - SAN DIEGO, CA"', ""), page=1)
        assert isinstance(told, FoundFilings)
        assert [filing.file_number for filing in told.filings] == ["217728979001"]

    def test_must_have_a_document(self) -> None:
        assert put("CO", "ucc-debtor", ('"fileid": "502"', '"fileid": "999"'), page=1) == "layout_changed"


class TestFloridasAnswer:
    """In the envelope of its registry."""

    @pytest.mark.parametrize(
        "failed",
        ['"errors": [{"message": "Timeout"}]', '"errors": null, "notOk": true, "messages": [{"message": "Timeout"}]'],
    )
    def test_that_says_that_it_failed_is_none(self, failed: str) -> None:
        assert isinstance(put("FL", "ucc-none"), NotFound)
        assert put("FL", "ucc-none", ('"errors": null', failed)) == "down"


class TestOhiosAnswer:
    """With an empty list."""

    def test_that_says_that_it_failed_is_none(self) -> None:
        failed = '"data": [], "success": false, "message": "Timeout"'
        assert isinstance(put("OH", "no-match"), NotFound)
        assert put("OH", "no-match", ('"data": []', failed), page=1) == "down"

    @pytest.mark.parametrize(
        "said", ['"error": "Timeout"', '"errors": ["Timeout"]', '"message": "Try again"', '"success": "false"']
    )
    @pytest.mark.parametrize(("case", "page"), [("no-match", 1), ("unknown-number", 1)])
    def test_that_says_something_else_beside_it_is_a_changed_one(self, case: str, page: int, said: str) -> None:
        assert isinstance(put("OH", case), NotFound)
        assert put("OH", case, ('"data": [', f'{said}, "data": ['), page=page) == "layout_changed"

    def test_is_one_though_it_names_no_error(self) -> None:
        assert isinstance(put("OH", "no-match", ('"data": []', '"data": [], "error": null, "success": true')), NotFound)


@pytest.mark.parametrize("shown", ["No {} can be shown now.", "If no {} found, ask for fewer words."])
@pytest.mark.parametrize(
    ("state", "situation", "said"),
    [
        ("AK", "no-match", "No records found."),
        ("IA", "no-match", "No records were found."),
        ("KS", "no-match", "No results found."),
        ("LA", "no-match", "No records were found for the criteria you entered."),
        ("ME", "no-match", "No records found matching your query."),
        ("NE", "no-match", "No records found for your search."),
        ("NJ", "ucc-no-match", "No organizations were found matching your search."),
        ("OR", "ucc-none-in-words", "No records were found for your search."),
        ("VI", "no-match", "0 Results"),
        ("DE", "no-match", "No Records Found."),
        ("MD", "no-match", "No records found."),
        ("SD", "no-match", "No records found"),
        ("WV", "no-match", "No Records Found."),
        ("WY", "no-match", "No Results Found"),
        ("CA", "official-api-no-match", "No records found."),
    ],
)
class TestASentenceOfOtherThings:
    """That begins like the one that nothing was found."""

    def test_is_another_one(self, state: str, situation: str, said: str, shown: str) -> None:
        assert isinstance(put(state, situation), NotFound)
        other = shown.format(said.split()[1].casefold())
        assert put(state, situation, (said, other)) in ("layout_changed", "blocked")  # on Kansas' page is a captcha


class TestLouisianasLineThatThereIsNone:
    """An element of the page, whose words count."""

    def test_hides_no_list_where_it_stands_empty(self) -> None:
        grid = '<table id="ctl00_cphContent_grdSearchResults_EntityNameOrCharterNumber"'
        empty = '<span id="ctl00_cphContent_lblNoRecords"></span>'
        plain = put("LA", "active")
        assert isinstance(plain, Found)
        told = put("LA", "active", (grid, empty + grid))
        assert isinstance(told, Found)
        assert told.record == plain.record


class TestAVirginIslandsCompany:
    """Whose agent, day and office the list shows beside its name."""

    @pytest.mark.parametrize("label", [">Name<", ">Registration Date<", ">Principal Office or Place of Business<"])
    def test_has_them_on_its_page(self, label: str) -> None:
        told = put("VI", "active")
        assert isinstance(told, Found)
        assert told.record.agent_name == "Jordan Sample"
        assert put("VI", "active", (label, ">Something else<"), page=2) == "layout_changed"


class TestSouthCarolinasVerdictOnAName:
    """Stands in a box of its own."""

    def test_is_not_passed_over_where_the_box_has_another_name(self) -> None:
        case = Case("SC", "names-taken-unseen", FOLDER / "SC" / "names-taken-unseen")
        changed = (b"nameAvailabilityDiv", b"nameVerdict")
        steps = [replace(step, body=step.body.replace(*changed)) for step in load_steps(case.folder)]
        assert play(case)[0]["verdict"] == "taken"
        assert play(case, steps)[0]["reason"] == "layout_changed"


@pytest.mark.parametrize(
    ("state", "situation", "shown"),
    [
        ("AL", "active", "000 - 612 - 345"),
        ("AR", "active", "811223344"),
        ("AR", "by-number", "811223344"),
        ("DE", "active", "BLUE HERON LOGISTICS, LLC"),
        ("FL", "active", "MANGROVE LANTERN CHARTERS LLC"),
        ("KS", "active", "BLUE HERON LOGISTICS, LLC"),
        ("NV", "active", "BLUE HERON LOGISTICS LLC"),
        ("VA", "active", "Blue Heron Logistics, LLC"),
    ],
)
class TestAPageOfACompany:
    """Whose name or number stands empty."""

    def test_is_no_company(self, state: str, situation: str, shown: str) -> None:
        last = len(load_steps(FOLDER / state / situation)) - 1
        assert isinstance(put(state, situation), Found)
        assert put(state, situation, (shown, ""), page=last) == "layout_changed"


class TestSomebodyWithoutAName:
    """Beside an address of theirs, which is nobody's name."""

    def test_is_no_officer_in_minnesota(self) -> None:
        told = put("MN", "active", ("<dd>Casey Sample</dd>", "<dd></dd>"))
        assert isinstance(told, Found)
        assert told.record.officers == ()

    def test_is_no_agent_and_no_officer_in_mississippi(self) -> None:
        told = put("MS", "active", (">JORDAN SAMPLE<", "><"), (">RILEY SAMPLE<", "><"))
        assert isinstance(told, Found)
        assert told.record.agent_name is None
        assert told.record.agent_address.city == "JACKSON"
        assert [officer.name for officer in told.record.officers] == ["EXAMPLE HOLDINGS LLC"]


@pytest.mark.parametrize(
    "heading",
    listed(
        "Filing Type | Filing Date | Jurisdiction | Other Names (A=Assumed ; F=Former) | "
        "Principal Home Office Address | Clerk/Registered Agent"
    ),
)
class TestAHeadingOfMaines:
    """Stands on every summary."""

    def test_is_missed(self, heading: str) -> None:
        assert put("ME", "active", (f">{heading}<", ">Something else<"), page=2) == "layout_changed"


class TestTheButtonsOfKansas:
    """In a column without a heading."""

    def test_are_found_where_it_has_one(self) -> None:
        assert isinstance(put("KS", "active", ('<th scope="col">&nbsp;</th>', '<th scope="col">Open</th>')), Found)

    def test_are_missed_where_they_are_none(self) -> None:
        assert put("KS", "active", ('type="submit" name="ctl00$MainContent$gv', 'name="gv')) == "layout_changed"


class TestALabelOfNewHampshires:
    """Has its value beside it."""

    def test_is_no_value_of_another(self) -> None:
        agent = '<td align="left">Registered Agents Inc.</td>'
        assert put("NH", "active", (agent, ""), page=2) == "layout_changed"


class TestIowasNames:
    """Each in a row with its kind and status."""

    def test_are_former_or_in_use(self) -> None:
        told = put("IA", "assumed-name")
        assert isinstance(told, Found)
        assert (told.record.former_names, told.record.assumed_names) == (("TERN FREIGHT LLC",), ("HERON FREIGHT",))

    @pytest.mark.parametrize(
        ("old", "new", "former", "assumed"),
        [
            ("<td>TERN FREIGHT LLC</td>", "<td></td>", (), ("HERON FREIGHT",)),
            ("<td>Legal</td>", "<td>LEGAL</td>", ("TERN FREIGHT LLC",), ("HERON FREIGHT",)),
            ("<td>Fictitious</td><td>Active</td>", "<td>Fictitious</td><td>Inactive</td>", ("TERN FREIGHT LLC",), ()),
        ],
    )
    def test_are_neither_where_they_stand_empty_or_have_ended(
        self, old: str, new: str, former: tuple[str, ...], assumed: tuple[str, ...]
    ) -> None:
        told = put("IA", "assumed-name", (old, new), page=2)
        assert isinstance(told, Found)
        assert (told.record.former_names, told.record.assumed_names) == (former, assumed)

    def test_are_heard_of_where_nobody_knows_their_kind(self) -> None:
        case = Case("IA", "assumed-name", FOLDER / "IA" / "assumed-name")
        steps = load_steps(case.folder)
        steps[2] = replace(steps[2], body=steps[2].body.replace(b"<td>Fictitious</td>", b"<td>Trade</td>"))
        assert play(case)[0]["unread_labels"] == []
        assert play(case, steps)[0]["unread_labels"] == ["a name that is Trade"]

    @pytest.mark.parametrize("head", ["Type", "Status", "Name"])
    def test_cannot_be_read_where_a_column_is_named_otherwise(self, head: str) -> None:
        heads = "<th>Type</th><th>Status</th><th>Modified</th><th>Name</th>"
        other = heads.replace(f"<th>{head}</th>", "<th>Other</th>")
        assert put("IA", "assumed-name", (heads, other), page=2) == "layout_changed"


class TestWestVirginiasAddresses:
    """Each in a row that begins with whose it is."""

    def test_are_heard_of_where_nobody_knows_whose_one_is(self) -> None:
        case = Case("WV", "active", FOLDER / "WV" / "active")
        changed = (b"Mailing Address:", b"Mail is sent to:")
        steps = [replace(step, body=step.body.replace(*changed)) for step in load_steps(case.folder)]
        assert play(case)[0]["unread_labels"] == []
        assert play(case, steps)[0]["unread_labels"] == ["mail is sent to"]


class TestAListForANumber:
    """That lists others too."""

    def test_is_not_empty_where_a_row_shows_no_number(self) -> None:
        """That row may be the company that is asked for."""
        assert isinstance(put("UT", "by-number"), Found)
        assert put("UT", "by-number", (">12001234-0160<", "><"), page=1) == "layout_changed"

    def test_is_what_has_the_number_beside_a_sign_that_nobody_sees(self) -> None:
        (one,) = ResultList((Candidate("PRAIRIE GHOST, INC.", "C0900100\u200b"),)).only("C0900100".__eq__).candidates
        assert one.entity_id == "C0900100"

    def test_is_empty_where_all_rows_are_of_others(self) -> None:
        other = Candidate("BLUE HERON LOGISTICS LLC", "12001234-0161")
        assert ResultList((other,)).only("12001234-0160".__eq__).candidates == ()

    def test_is_what_has_the_number(self) -> None:
        one, unknown = Candidate("BLUE HERON LLC", "12001234-0160"), Candidate("BLUE HERON INC", "")
        assert ResultList((unknown, one)).only("12001234-0160".__eq__).candidates == (one,)


class TestOhiosRegistrant:
    """Whose name stands empty."""

    def test_gives_no_address_to_whom_the_list_names(self) -> None:
        found = put("OH", "active", ('"contact_name": "CT CORPORATION SYSTEM"', '"contact_name": null'), page=2)
        assert isinstance(found, Found)
        assert found.record.agent_name
        assert found.record.agent_address == Address()


class TestNewHampshiresPrincipals:
    """Stand in a panel of every company's page, which says so where there are none."""

    NONE = "<tr><td>No Principal(s) listed for this business.</td></tr>"
    ONE = "<tr><td>Riley Sample / Manager</td><td>100 Lake Rd, Keene, NH, 03431, USA</td></tr>"

    def test_are_none_where_the_panel_says_so(self) -> None:
        told = put("NH", "active", (self.ONE, self.NONE))
        assert isinstance(told, Found)
        assert told.record.officers == ()

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Principals Information", "Officers and Directors"),
            (ONE, ""),
            (ONE, "<tr><td>The principals cannot be shown now.</td></tr>"),
            (ONE, "<tr><td>Riley Sample, Manager</td></tr>"),
        ],
    )
    def test_are_not_none_where_it_says_something_else(self, old: str, new: str) -> None:
        assert put("NH", "active", (old, new)) == "layout_changed"


class TestNewYorksHistories:
    """Of a company, whose newest row says what is true of it."""

    ENDED = '"film_num": "260724000905",\n  "date_filed": "2026-07-24T00:00:00.000",'
    RENAMED = '"film_num": "201103000214",\n  "date_filed": "2020-11-03T00:00:00.000",'
    FORMED = '"film_num": "200812010538",\n  "date_filed": "2020-08-12T00:00:00.000",'
    MOVED = '"film_num": "251126003157",\n  "date_filed": "2025-11-26T00:00:00.000",'
    STRANGE = '"film_num": "Z009810-2",\n  "date_filed": "1979-06-04T00:00:00.000",'

    @pytest.mark.parametrize(("row", "page"), [(RENAMED, 3), (ENDED, 4), (FORMED, 5), (ENDED, 5), (MOVED, 6)])
    @pytest.mark.parametrize("day", ["", '"date_filed": "soon",'])
    def test_cannot_be_put_in_order_where_one_has_no_day(self, row: str, page: int, day: str) -> None:
        assert put("NY", "inactive", (row, row.partition("\n")[0] + day), page=page) == "layout_changed"

    @pytest.mark.parametrize("page", [4, 5, 6])
    def test_can_where_it_is_somebody_elses(self, page: int) -> None:
        undated = self.STRANGE.partition("\n")[0]
        told = put("NY", "inactive", (self.STRANGE, undated), page=page)
        assert isinstance(told, Found)
        assert (told.record.status, told.record.formation_date) == ("Inactive", "2020-08-12T00:00:00.000")


class TestAListOfPeople:
    """That a page of a company without people lacks."""

    @pytest.mark.parametrize(
        ("state", "old", "new"),
        [
            ("MS", "<div>Officers &amp; Directors</div>", "<div>Officers and Directors</div>"),
            ("MS", "<div>Officers &amp; Directors</div>", ""),
            ("RI", "MainContent_grdOfficers", "MainContent_grdPrincipals"),
            ("MA", "MainContent_grdOfficers", "MainContent_grdPrincipals"),
            ("IN", "grid_principalList", "grid_officerList"),
        ],
    )
    def test_is_missed_where_it_is_named_otherwise(self, state: str, old: str, new: str) -> None:
        told = put(state, "active")
        assert isinstance(told, Found)
        assert told.record.officers
        assert put(state, "active", (old, new)) == "layout_changed"


class TestAChangeOfAName:
    """On a summary of Massachusetts' program, in a sentence."""

    def test_is_read_wherever_it_stands(self) -> None:
        told = put("RI", "active", ("MainContent_tblNameChange", "MainContent_tblNames"))
        assert isinstance(told, Found)
        assert told.record.former_names == ("GREY HERON FREIGHT LLC",)

    def test_is_not_passed_over_where_the_sentence_is_another(self) -> None:
        assert put("RI", "active", ("The name was changed from:", "Formerly known as:")) == "layout_changed"


class TestMississippisTable:
    """Of companies, inside the answer."""

    @pytest.mark.parametrize("changed", ["null", "{}"])
    def test_is_not_empty_where_it_is_no_list(self, changed: str) -> None:
        assert isinstance(put("MS", "no-match"), NotFound)
        assert put("MS", "no-match", ('"d": ""', f'"d": "{{\\"Table\\": {changed}}}"')) == "layout_changed"


class TestADebtorOfRhodeIsland:
    """Whom a later document of the lien names otherwise than its first."""

    LATER = "<td>LANTERN COVE MARINA{}, LLC</td><td>DEBTOR</td><td>CENTRAL FALLS</td><td>RI</td><td>UCC-3"

    def test_stands_under_both_names(self) -> None:
        told = put("RI", "ucc-debtor", (self.LATER.format(""), self.LATER.format(" AND YARD")))
        assert isinstance(told, FoundFilings)
        (lien,) = [one for one in told.filings if one.file_number == "202112340010"]
        assert [who.name for who in lien.debtors] == ["LANTERN COVE MARINA, LLC", "LANTERN COVE MARINA AND YARD, LLC"]

    def test_is_missed_in_the_history_of_one_document(self) -> None:
        assert put("RI", "ucc-debtor", (">LANTERN COVE MARINA, LLC<br>", ">SOMEBODY ELSE, LLC<br>"), page=1) == (
            "layout_changed"
        )


@pytest.mark.parametrize(
    "part",
    listed("filing-type | principal-address | reg-agent | agent-address | date-filed | officers | state-origin"),
)
class TestAPartOfArkansasOlderPage:
    """Stands on each of them, with a dash where nothing is."""

    def test_is_missed(self, part: str) -> None:
        assert isinstance(put("AR", "inactive"), Found)
        assert put("AR", "inactive", (f'id="{part}"', f'id="new-{part}"')) == "layout_changed"


@pytest.mark.parametrize("part", listed("IncDate | Residency | State | AgentName | AgentAddress1 | AgentCity"))
class TestAPartOfDelawaresPage:
    """Has an id of its own, which stands there whatever is in it."""

    def test_is_missed(self, part: str) -> None:
        name = f"ctl00_ContentPlaceHolder1_lbl{part}"
        assert isinstance(put("DE", "active"), Found)
        assert put("DE", "active", (name, f"{name}New")) == "layout_changed"


class TestARowWithoutItsLink:
    """May be the one that is asked for."""

    @pytest.mark.parametrize(
        ("state", "situation", "old", "new", "page"),
        [
            ("AL", "ucc-debtor", '<a href="/cgi/uccdetail.mbr/detail?ucc=22-7000103&amp;page=name">', "<a>", 0),
            ("RI", "common-name", "CorpSummary.aspx?", "Summary?", 2),
            ("MD", "several-matches", "<a ", "<b ", 1),
            ("MN", "several-matches", "<a ", "<b ", 0),
            ("WV", "several-matches", '<a id="phMain_gvSearchResults_hpDetails_0"', "<a", 1),
            ("MA", "several-matches", "CorpSummary.aspx?", "Summary?", 2),
        ],
    )
    def test_is_missed(self, state: str, situation: str, old: str, new: str, page: int) -> None:
        steps = load_steps(FOLDER / state / situation)
        whole = steps[page].body.decode()
        assert whole.count(old) >= 1
        steps[page] = replace(steps[page], body=whole.replace(old, new, 1).encode())
        assert play(Case(state, situation, FOLDER / state / situation), steps)[0]["reason"] == "layout_changed"


class TestALienOfAlabama:
    """Has a debtor and a secured party on its page."""

    def test_is_not_read_without_the_latter(self) -> None:
        assert put("AL", "ucc-debtor", (">Secured Party<", ">Creditor<")) == "layout_changed"


@pytest.mark.parametrize(
    ("state", "part", "other"),
    [
        ("MD", "tblFilingHistory", "tblFilings"),
        ("MN", "tblOrderForm", "tblFilings"),
        ("WY", "txtStatus", "txtStanding"),
        ("WY", "txtInitialDate", "txtFormed"),
        ("WY", "txtFilingType", "txtKind"),
        ("WY", 'class="rowRegular"', 'class="row"'),
        ("WY", "divParties", "divPeople"),
        ("WY", "resHist1", "role"),
        ("WY", "resHist3", "place"),
        ("WY", "Status: ", "It is "),
        ("WY", "divHistorySummary", "divHistory"),
        ("WY", "fhContainer", "history"),
        ("WY", "fhRef", "reference"),
        ("WY", "fhDate", "date"),
        ("SD", "txtStatus", "txtStanding"),
        ("SD", "txtSubType", "txtKind"),
        ("KS", "lblFormationDate", "lblDay"),
        ("KS", "lblStateOfOrganization", "lblHome"),
        ("KS", "lblResidentAgentName", "lblAgent"),
        ("KS", 'lblPOAddress"', 'lblOffice"'),
        ("KS", "lblROAddressCity", "lblROCity"),
        ("KS", "gvEntityFilings", "gvHistory"),
        ("LA", "cphContent_lblStatus", "cphContent_lblStanding"),
        ("LA", "cphContent_lblType", "cphContent_lblKind"),
        ("LA", "lblRegistrationDate", "lblDay"),
        ("LA", "lblAgentName", "lblAgentWho"),
        ("LA", "lblOfficerName", "lblOfficerWho"),
        ("LA", "lblPreviousName", "lblPreviousOne"),
        ("LA", "lblAmendmentGroup", "lblAmendmentKind"),
        ("WI", "grdOldNames", "grdNames"),
        ("WI", "grdOrgEvents", "grdEvents"),
        ("WV", "lblEffectiveDate", "lblDay"),
        ("WV", "hidden-tablet", "hidden"),
        ("MO", "lBETypeValue", "lTypeValue"),
        ("MO", "lCreatedValue", "lFormedValue"),
        ("MO", "lStatusValue", "lStandingValue"),
        ("MO", "<th>Document Type</th>", "<th>Paper</th>"),
    ],
)
class TestAPartOfAPage:
    """That every company's has: a history, a status, a day."""

    def test_is_missed(self, state: str, part: str, other: str) -> None:
        assert isinstance(put(state, "active"), Found)
        assert put(state, "active", (part, other)) == "layout_changed"


class TestAnotherColumn:
    """In the place of the numbers."""

    def test_is_no_companys_number(self) -> None:
        case = FOLDER / "GA" / "several-matches"
        steps = load_steps(case)
        cells = re.compile(rb"(<td>[A-Z]?[0-9]{6,8}</td>)(\s*)(<td>[^<]*</td>)")
        changed, count = cells.subn(rb"\3\2\1", steps[1].body)
        assert count
        steps[1] = replace(steps[1], body=changed)
        assert play(Case("GA", case.name, case), steps)[0]["reason"] == "layout_changed"


@pytest.mark.parametrize(
    ("state", "situation", "page", "key", "wrong"),
    [
        ("FL", "ucc-debtor", 1, "debtors", []),
        ("FL", "ucc-debtor", 1, "secureds", []),
        ("ID", "active", 1, "Registered Agent", []),
        ("ID", "active", 1, "Registered Agent", {}),
        ("WA", "active", 1, "Agent", []),
        ("WA", "active", 1, "Agent", {}),
        ("WA", "active", 1, "StreetAddress", {}),
        ("WA", "active", 1, "PrincipalStreetAddress", []),
        ("WA", "active", 1, "PrincipalMailingAddress", None),  # no address is one of nulls
        ("WA", "active", 1, "PrincipalsList", {}),
        ("PR", "active", 1, "residentAgent", []),
        ("PR", "active", 1, "residentAgent", {}),
        ("PR", "active", 1, "individualName", []),
        ("PR", "active", 1, "streetAddress", []),
        ("PR", "active", 1, "corpStreetAddress", {}),
        ("PR", "active", 1, "mailingAddress", []),
        ("PR", "active", 1, "officers", {}),
        ("PR", "active", 1, "incorporators", {}),
        ("PR", "of-another-country", 1, "foreignDomicileAddress", []),
    ],
)
class TestAPartOfAnAnswer:
    """That is nothing, or another kind of thing."""

    def test_is_not_read_as_nobody(self, state: str, situation: str, page: int, key: str, wrong: object) -> None:
        def change(value: Any) -> Any:
            if isinstance(value, list):
                return [change(item) for item in value]
            if not isinstance(value, dict):
                return value
            value = {name: wrong if name == key else change(item) for name, item in value.items()}
            return {**value, "VALUE": wrong} if value.get("LABEL") == key else value

        case = FOLDER / state / situation
        steps = load_steps(case)
        body = json.dumps(change(json.loads(steps[page].body))).encode()
        assert json.loads(body) != json.loads(steps[page].body)
        steps[page] = replace(steps[page], body=body)
        assert play(Case(state, situation, case), steps)[0]["reason"] == "layout_changed"


class TestAPartOfAnAnswerUnderAnotherName:
    """Which every answer has, if only an empty one."""

    @pytest.mark.parametrize("key", ["incorporators", "officers", "mainLocation"])
    def test_is_missed_in_puerto_rico(self, key: str) -> None:
        assert isinstance(put("PR", "of-another-country"), Found)
        assert put("PR", "of-another-country", (f'"{key}":', '"others":')) == "layout_changed"

    @pytest.mark.parametrize("section", ["registrant", "listing", "firstpanel"])
    @pytest.mark.parametrize("name", ["others", None])
    def test_is_missed_in_ohio(self, section: str, name: str | None) -> None:
        case = Case("OH", "active", FOLDER / "OH" / "active")
        steps = load_steps(case.folder)
        sections = json.loads(steps[2].body)["data"]
        changed = [{name or key: rows for key, rows in part.items()} if section in part else part for part in sections]
        left = [part for part in changed if name or section not in part]
        steps[2] = replace(steps[2], body=json.dumps({"data": left}).encode())
        assert play(case, steps)[0]["reason"] == "layout_changed"


class TestANorthCarolinaOfficial:
    """With an address below the name."""

    def test_does_not_lose_it_in_other_markup(self) -> None:
        told = put("NC", "active")
        assert isinstance(told, Found)
        assert told.record.officers[0].address
        assert put("NC", "active", ('class="para-small"', 'class="address"'), page=2) == "layout_changed"


@pytest.mark.parametrize(("state", "panel"), [("NV", '"panel '), ("NH", '"data_pannel')])
class TestThePanelsOfACivixPage:
    """Say whose name and address a label tells."""

    def test_are_missed(self, state: str, panel: str) -> None:
        told = put(state, "active")
        assert isinstance(told, Found)
        assert told.record.agent_name
        assert put(state, "active", (panel, '"box '), page=2) == "layout_changed"


@pytest.mark.parametrize(
    ("state", "situation", "page", "name"),
    [
        ("MO", "active", 2, "rgRow"),
        ("MO", "several-matches", 1, "rgRow"),
        ("MO", "several-matches", 1, "rgAltRow"),
        ("RI", "ucc-debtor", 0, "GridRow"),
        ("RI", "ucc-debtor", 0, "GridAltRow"),
        ("SC", "ucc-debtor", 7, "rgRow"),
        ("SC", "ucc-debtor", 7, "rgAltRow"),
    ],
)
class TestEverySecondRow:
    """Of a list, which its class tells from the others."""

    def test_is_not_passed_over(self, state: str, situation: str, page: int, name: str) -> None:
        changed = (f'class="{name}"', 'class="row"')
        assert put(state, situation, changed, page=page) == "layout_changed"


@pytest.mark.parametrize(
    ("state", "situation", "page", "day", "word"),
    [
        ("AK", "inactive", 0, "5/2/1996", "Involuntarily Dissolved"),
        ("CO", "inactive", 0, "2001-01-15T00:00:00.000", "Voluntarily Dissolved"),
        ("IA", "inactive", 2, "5/2/1988 12:00:00 AM", "Inactive"),
        ("LA", "active", 2, "3/14/2019", "Active"),
        ("OK", "active", 2, "14 Mar 2019", "In Existence"),
        ("WA", "active", 1, "2014-05-20T00:00:00", "Active"),
        ("WA", "active", 1, "2014-05-20T00:00:00", "WA LIMITED LIABILITY COMPANY"),
    ],
)
class TestADayAndAWord:
    """That stand in each other's place on a page whose headings stayed."""

    def test_are_no_status_and_no_day_of_formation(
        self, state: str, situation: str, page: int, day: str, word: str
    ) -> None:
        assert isinstance(put(state, situation), Found)
        quotes = ('"', '"') if state in ("CO", "WA") else (">", "<")
        old, new = (text.join(quotes) for text in (word, "\0"))
        exchanged = (old, new), (day, word), ("\0", day)
        assert put(state, situation, *exchanged, page=page) == "layout_changed"

    def test_are_not_both_a_status_or_a_type(self, state: str, situation: str, page: int, day: str, word: str) -> None:
        quotes = ('"', '"') if state in ("CO", "WA") else (">", "<")
        changed = word.join(quotes), day.join(quotes)
        assert put(state, situation, changed, page=page) == "layout_changed"


class TestARowOfAList:
    """Whose day stands in the place of its status."""

    def test_is_no_company_that_is_neither_active_nor_not(self) -> None:
        assert put("WI", "active", (">Organized<", ">03/14/2019<"), page=0) == "layout_changed"


class TestNoDayOfFormation:
    """In words."""

    @pytest.mark.parametrize("said", ["N/A", "Unknown", "-", ""])
    def test_is_none(self, said: str) -> None:
        told = put("LA", "active", ("3/14/2019", said), page=2)
        assert isinstance(told, Found)
        assert told.record.formation_date is None


class TestTexasList:
    """Of accounts."""

    def test_holds_nothing_else(self) -> None:
        case = Case("TX", "active", FOLDER / "TX" / "active")
        steps = load_steps(case.folder)
        steps[0] = replace(steps[0], body=json.dumps({**json.loads(steps[0].body), "data": [None]}).encode())
        assert play(case, steps)[0]["reason"] == "layout_changed"


class TestALabel:
    """With a sign that nobody sees."""

    def test_is_the_same(self) -> None:
        told = put("WV", "active", ("Principal Office Address:", "Principal Office Address:\u200b"))
        assert isinstance(told, Found)
        assert told.record.principal_address.city == "CHARLESTON"


class TestThePageOfACaliforniaLien:
    """Opened from the list, which names its parties too."""

    def test_is_not_that_of_another_lien(self) -> None:
        case, other = (FOLDER / "CA" / name for name in ("ucc-debtor", "ucc-secured-party"))
        steps, others = load_steps(case), load_steps(other)
        steps[2] = replace(steps[2], body=others[2].body)
        assert play(Case("CA", case.name, case), steps)[0]["reason"] == "layout_changed"

    def test_may_be_that_of_a_debtor_abroad(self) -> None:
        placed = ("GOLDEN LANTERN WORKS, INC. - CHULA VISTA, CA", "GOLDEN LANTERN WORKS, INC. - TORONTO, ONTARIO")
        assert isinstance(put("CA", "ucc-debtor", placed, page=1), FoundFilings)

    def test_names_a_secured_party(self) -> None:
        changed = ("Secured Party ", "Creditor ")  # both of its labels
        assert isinstance(put("CA", "ucc-debtor"), FoundFilings)
        assert put("CA", "ucc-debtor", changed, page=2) == "layout_changed"


@pytest.mark.parametrize("changed", [('lblInactiveDate"', 'lblEndDate"'), (">06-18-2012<", "><")])
class TestTheDayOfAnEnd:
    """On a summary of Massachusetts' program, whose label says how the company ended."""

    def test_is_missed(self, changed: tuple[str, str]) -> None:
        told = put("MA", "inactive")
        assert isinstance(told, Found)
        assert told.record.status == "Inactive: Involuntary Dissolution"
        assert put("MA", "inactive", changed) == "layout_changed"


@pytest.mark.parametrize("state", ["MA", "RI"])
class TestAMessageInPlaceOfAList:
    """On Massachusetts' program."""

    SAID = "No records found; try a new search using different criteria."

    @pytest.mark.parametrize(
        "said",
        [
            "The search service was not found.",
            "The page you asked for does not exist.",
            "Could not load file or assembly: the record template does not exist.",
            "Your session was not found. Please start again.",
            "Please try again if no records found.",
        ],
    )
    def test_is_not_that_there_is_no_company_where_it_speaks_of_something_else(self, state: str, said: str) -> None:
        assert put(state, "no-match", (self.SAID, said)) == "layout_changed"

    @pytest.mark.parametrize(
        "said",
        [
            SAID,
            "No record found.",
            "Record not found.",
            "The entity was not found.",
            "The identification number 000123456 does not exist.",
        ],
    )
    def test_is_that_there_is_none_where_it_says_so(self, state: str, said: str) -> None:
        assert isinstance(put(state, "no-match", (self.SAID, said)), NotFound)


class TestAnOklahomaCompany:
    """Opened by its number."""

    def test_is_there_though_its_agent_has_no_record(self) -> None:
        agent = ("<dd>JORDAN SAMPLE</dd>", "<dd>Record not found</dd>")
        assert isinstance(put("OK", "active", agent), Found)
        assert isinstance(put("OK", "no-such-number"), NotFound)


class TestWyomingsList:
    """Below a line of its own."""

    def test_is_read_where_it_shows_a_company_beside_that_line(self) -> None:
        line = (">Search Results<", ">No Results Found for these words, similar names are listed<")
        assert isinstance(put("WY", "active", line), Found)
        assert isinstance(put("WY", "no-match"), NotFound)


class TestCaliforniasOfficialAnswer:
    """To a question that it refuses (400)."""

    @pytest.mark.parametrize(
        "said", ["No data could be retrieved.", "No records can be read at this time.", "No entity number was given."]
    )
    def test_is_not_that_there_is_no_company_where_it_gives_another_reason(self, said: str) -> None:
        assert put("CA", "official-api-no-match", ("No records found.", said)) == "layout_changed"
