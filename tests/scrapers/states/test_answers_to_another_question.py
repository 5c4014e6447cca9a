"""An answer that belongs to another question: a page shown again, the page of another company, of another lien.

Each is whole and well-formed, so that only what it says of itself can tell. It must end in an error of the portal.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scrapers.discovery import find_portal
from scrapers.records import Candidate, EntityRecord
from scrapers.transport.recording import Step, load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER, Case, play

Place = tuple[str, int]  # a case, and the number of one of its steps


def steps_of(case: str) -> list[Step]:
    """The conversation of a case, by its folder ("KS/active")."""
    return load_steps(FOLDER / case)


def ends_with(case: str, number: int, *, shown: Place) -> str:
    """What comes of the case when this step of it is answered with the body of another one."""
    steps, (other, at) = steps_of(case), shown
    answered = steps_of(other)[at - 1]
    steps[number - 1] = replace(steps[number - 1], body=answered.body, headers=answered.headers)
    folder = Path(FOLDER / case)
    return str(play(Case(folder.parent.name, folder.name, folder), steps)[0]["outcome"])


class TestAListOfSeveralPages:
    """Whose pager is answered with a page that was read before."""

    @pytest.mark.parametrize(
        ("case", "number", "shown"),
        [
            ("KS/on-the-second-page", 3, ("KS/on-the-second-page", 2)),
            ("RI/several-matches", 5, ("RI/several-matches", 3)),
            ("UT/on-the-second-page", 3, ("UT/on-the-second-page", 2)),
            ("NJ/ucc-two-pages", 4, ("NJ/ucc-two-pages", 3)),
            ("NJ/ucc-many-pages", 5, ("NJ/ucc-many-pages", 4)),
            ("NJ/ucc-many-pages", 6, ("NJ/ucc-many-pages", 4)),
        ],
    )
    def test_does_not_pass_for_whole(self, case: str, number: int, shown: Place) -> None:
        assert ends_with(case, number, shown=shown) == "PageChanged"

    @pytest.mark.parametrize(
        ("case", "number", "shown"),
        [
            ("KS/on-the-second-page", 3, ("KS/no-match", 2)),
            ("NJ/ucc-two-pages", 4, ("NJ/ucc-no-match", 3)),
            ("AL/on-the-second-page", 2, ("AL/no-match", 1)),
            ("AL/ucc-second-page", 2, ("AL/ucc-none", 1)),
        ],
    )
    def test_does_not_end_where_a_later_page_says_that_there_are_none(
        self, case: str, number: int, shown: Place
    ) -> None:
        assert ends_with(case, number, shown=shown) == "PageChanged"

    @pytest.mark.parametrize(("case", "first"), [("KS/on-the-second-page", 2), ("NJ/ucc-many-pages", 3)])
    def test_does_not_begin_with_its_second_page(self, case: str, first: int) -> None:
        assert ends_with(case, first, shown=(case, first + 1)) == "PageChanged"

    def test_is_counted_without_the_rows_of_a_page_shown_again(self) -> None:
        first, second, *_ = steps_of("WA/several-matches")
        talk = Conversation("WA", first, replace(second, body=first.body))
        assert not talk.portal.search(talk.session, "Cascade Freight").complete


class TestTheAccountOfAnotherCompany:
    """In Texas, where the accounts of namesakes are opened to choose one."""

    def test_chooses_nobody(self) -> None:
        assert ends_with("TX/several-matches", 3, shown=("TX/several-matches", 2)) == "PageChanged"


class TestAListOfCompanies:
    """Answered with the page of one company, as searches with a single hit are elsewhere."""

    @pytest.mark.parametrize("state", ["NH", "UT", "VA", "GA", "IN"])
    def test_is_not_empty(self, state: str) -> None:
        assert ends_with(f"{state}/active", 2, shown=(f"{state}/active", 3)) == "PageChanged"


class TestADrawerOfAnotherCompany:
    """On FileOne, where it does not say whose it is: it must not contradict the row that it was opened from."""

    @pytest.mark.parametrize(
        ("case", "number", "shown"),
        [
            ("CA/active", 3, ("CA/inactive", 3)),
            ("CA/inactive", 3, ("CA/active", 3)),
            ("CA/several-matches", 3, ("CA/active", 3)),
            ("CA/numbers-in-brackets-only", 3, ("CA/inactive", 3)),
            ("ID/active", 2, ("ID/inactive", 2)),
            ("ID/active", 2, ("ID/several-matches", 2)),
            ("ID/active", 2, ("ID/status-never-seen", 2)),
            ("MT/active", 2, ("MT/inactive", 2)),
            ("ND/active", 2, ("ND/inactive", 2)),
            ("ND/active", 2, ("ND/several-matches", 2)),
            ("ND/trade-name", 2, ("ND/active", 2)),
        ],
    )
    def test_does_not_come_under_this_ones_name(self, case: str, number: int, shown: Place) -> None:
        assert ends_with(case, number, shown=shown) == "PageChanged"


class TestAFormerNameInAListWithoutNumbers:
    """In Minnesota, whose older pages may not show every name that a company had."""

    @pytest.mark.parametrize("other", ["MN/by-file-number", "MN/beside-a-trademark"])
    def test_leads_to_no_company_that_the_row_denies(self, other: str) -> None:
        assert ends_with("MN/former-name", 3, shown=(other, 3)) == "PageChanged"


class TestARowThatShowsNoStatus:
    """Iowa's list implies one, for its register has active companies alone; that is no word of the row's."""

    @pytest.mark.parametrize(("word", "denied"), [(None, False), ("Active", True)])
    def test_contradicts_by_its_own_words_alone(self, word: str | None, denied: bool) -> None:
        portal = find_portal("IA")
        assert portal is not None
        record = EntityRecord("ACME LLC", "7", status="Inactive", sos_url="https://sos.iowa.gov/")
        assert bool(portal.contradictions(Candidate("ACME LLC", "7", word), record)) == denied


class TestTheLienOfAnotherNumber:
    """In Alabama, of the same debtor."""

    @pytest.mark.parametrize("number", [2, 3])
    def test_does_not_pass_for_the_one_that_was_opened(self, number: int) -> None:
        assert ends_with("AL/ucc-debtor", number, shown=("AL/ucc-debtor", 5 - number)) == "PageChanged"


class TestTheTabOfOfficers:
    """In Iowa, answered with the search form, as a session that has ended is."""

    def test_does_not_say_that_there_are_none(self) -> None:
        assert ends_with("IA/active", 4, shown=("IA/active", 1)) == "PageChanged"


class TestASetBesideTheMaster:
    """In Connecticut's open data: agents, principals and filings carry the key of the company they are of."""

    @pytest.mark.parametrize(
        ("case", "number", "shown"),
        [
            ("CT/active", 2, ("CT/by-alei", 2)),
            ("CT/active", 3, ("CT/several-matches", 3)),
            ("CT/active", 2, ("CT/active", 3)),
            ("CT/by-alei", 4, ("CT/former-name", 6)),
        ],
    )
    def test_names_nobody_of_another_company(self, case: str, number: int, shown: Place) -> None:
        assert ends_with(case, number, shown=shown) == "PageChanged"


class TestAPageBehindTheOneOfACompany:
    """With its officers, or its filings: where it says whose they are, it is held to that."""

    HEADS = {
        "KY/active": '<div id="MainContent_pInfo"><div class="grid-row"><div class="grid-label">Organization Number'
        '</div><div class="grid-value">{}</div></div></div><div id="MainContent_pcurrent">',
        "RI/reinstated": '<span id="MainContent_lblIDNumber">Identification Number: {}</span>'
        '<table id="MainContent_grdSearchResults">',
    }

    @pytest.mark.parametrize(
        ("case", "number", "own"), [("KY/active", 4, "0912345"), ("RI/reinstated", 2, "000455003")]
    )
    def test_is_not_that_of_another_one(self, case: str, number: int, own: str) -> None:
        assert self.ends_with(case, number, own) == "found"
        assert self.ends_with(case, number, "000999999") == "PageChanged"

    def ends_with(self, case: str, number: int, whose: str) -> str:
        """What comes of the case where its page of this number says whose it is."""
        steps, head = steps_of(case), self.HEADS[case].format(whose)
        plain = head[head.rindex("<") :].encode()
        body = steps[number - 1].body
        assert plain in body
        steps[number - 1] = replace(steps[number - 1], body=body.replace(plain, head.encode()))
        folder = Path(FOLDER / case)
        return str(play(Case(folder.parent.name, folder.name, folder), steps)[0]["outcome"])
