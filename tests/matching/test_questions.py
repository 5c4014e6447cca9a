"""What stands around a company's name in a caller's words, and what is made of it."""

from __future__ import annotations

import pytest

from scrapers.portal import Choice, Portal
from scrapers.records import Candidate, Query, ResultList
from scrapers.search import matching, question, terms
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings


class Connecticut(Portal):
    """A registry of Connecticut that shows the rows of a test."""

    code = "CT"
    statuses = meanings(active="Active", inactive="Dissolved", neutral="Delinquent")


def choose(asked: str, *shown: str, complete: bool = True) -> Choice:
    rows = tuple(Candidate(name, str(number), status="Active") for number, name in enumerate(shown))
    return Connecticut().choose(asked, ResultList(rows, complete=complete), threshold=0.92)


def found(asked: str, *shown: str) -> tuple[str | None, tuple[str, ...]]:
    """The company that is taken, and what is said of it."""
    choice = choose(asked, *shown)
    if choice.candidate is None:
        return None, ()
    best = next(entry for entry in choice.ranked if entry.candidate is choice.candidate)
    return choice.candidate.name, best.features


class TestAQuestion:
    """Is parted before anything is compared or sent."""

    @pytest.mark.parametrize(
        ("written", "name", "city"),
        [
            ("Acme LLC, Hartford CT", "Acme LLC", "Hartford"),
            ("Acme LLC - New Haven, Connecticut", "Acme LLC", "New Haven"),
            ("Acme Inc. (Hartford)", "Acme Inc.", "Hartford"),
            ("Acme, Inc., Hartford", "Acme, Inc.", "Hartford"),
            ("Acme LLC, Pittsburgh PA", "Acme LLC", "Pittsburgh"),
            ("Acme LLC CT", "Acme LLC", ""),
            ("Acme LLC (CT)", "Acme LLC", ""),
            ("Acme LLC NY", "Acme LLC", ""),
            ("Acme LLC, Delaware", "Acme LLC", ""),
            ("Murphy\u2019s Tire LLC", "Murphy's Tire LLC", ""),
            # what is no place
            ("Plan A, LLC", "Plan A, LLC", ""),
            ("Acme, Hartford", "Acme, Hartford", ""),
            ("Acme Co-Operative", "Acme Co-Operative", ""),
            ("Acme LLC, Plumbing", "Acme LLC, Plumbing", ""),
            ("Acme LLC - 2", "Acme LLC - 2", ""),
            ("Acme, Inc., a Delaware corporation", "Acme, Inc., a Delaware corporation", ""),
            ("Acme LLC ny", "Acme LLC ny", ""),
            ("Acme LLC, Series B", "Acme LLC, Series B", ""),
            ("Acme LLC, Canada", "Acme LLC, Canada", ""),
            ("Acme LLC, J.B. Hart", "Acme LLC, J.B. Hart", ""),
            ("Marine Co VI", "Marine Co VI", ""),  # the sixth
        ],
    )
    def test_has_its_name_apart_from_its_place(self, written: str, name: str, city: str) -> None:
        read = question.read(written, "CT")
        assert (read.name, read.city) == (name, city)

    @pytest.mark.parametrize(
        ("written", "name"),
        [
            ("Smith &amp; Sons, Inc.", "Smith & Sons, Inc."),
            ("Smith &amp;amp; Sons", "Smith & Sons"),
            ("B&GTrucking LLC", "B&GTrucking LLC"),  # no "greater than", nor a copyright below
            ("A&COPYSHOP", "A&COPYSHOP"),
        ],
    )
    def test_has_its_name_as_a_web_page_showed_it(self, written: str, name: str) -> None:
        assert Query("CT", written).name == name

    @pytest.mark.parametrize("mark", ["\u2122", "\u2120", "\u00ae", "&trade;"])
    def test_is_the_same_with_a_mark_behind_the_name(self, mark: str) -> None:
        asked = Query("CT", name=f"Blue Heron{mark} Logistics, LLC").name or ""
        assert matching.compare(asked, "BLUE HERON LOGISTICS LLC").kind == "exact"
        assert "TM" not in "".join(terms.plan(asked, NameSearch(mode="starts_with")).terms)

    def test_is_the_same_with_a_mark_behind_the_registrys_name(self) -> None:
        assert matching.compare("Blue Heron Logistics LLC", "BLUE HERON LOGISTICS\u2122 LLC").kind == "exact"

    def test_has_its_legal_name_apart_from_the_trading_name(self) -> None:
        read = question.read("Maria Lopez LLC d/b/a Sunrise Cleaning")
        assert (read.name, read.trading) == ("Maria Lopez LLC", ("Sunrise Cleaning",))


class TestAPlaceAfterTheLegalForm:
    """Is left out where nobody has it in the name, and told."""

    def test_with_its_state_is_no_part_of_the_name(self) -> None:
        assert found("Acme LLC, Hartford CT", "ACME LLC") == ("ACME LLC", ("place_left_out",))

    def test_alone_is_left_out_where_one_company_is_like_the_name(self) -> None:
        assert found("Acme LLC (Hartford)", "ACME LLC") == ("ACME LLC", ("place_left_out", "only_one_like_it"))
        assert found("Acme LLC (Hartford)", "ACME LLC", "ACME, L.L.C.") == (None, ())

    def test_is_a_part_of_the_name_where_somebody_has_it_there(self) -> None:
        assert found("Acme LLC - Hartford", "ACME LLC", "ACME LLC - HARTFORD") == ("ACME LLC - HARTFORD", ())

    def test_makes_no_company_of_another_one(self) -> None:
        assert found("Acme LLC, Hartford CT", "ACME FARMS LLC") == (None, ())
        assert found("Acme LLC, Hartford CT", "ACME LP") == (None, ())

    def test_may_be_the_state_that_is_asked(self) -> None:
        assert found("Acme LLC CT", "ACME LLC") == ("ACME LLC", ("home_state",))

    def test_may_be_the_last_word_of_the_name(self) -> None:
        assert found("Spring Corporation CT", "SPRING CORPORATION CT") == ("SPRING CORPORATION CT", ())
        shown = ("SPRING CORPORATION", "SPRING CORPORATION CT")
        assert found("Spring Corporation CT", *shown) == ("SPRING CORPORATION CT", ())

    def test_is_no_series_of_another_company(self) -> None:
        assert found("Acme LLC, Series B", "ACME LLC") == (None, ())


class TestATradingNameBesideALegalOne:
    """Finds nobody: it may be somebody else's legal name."""

    def test_is_not_the_legal_name_of_somebody_else(self) -> None:
        choice = choose("Maria Lopez LLC dba Sunrise Cleaning", "SUNRISE CLEANING LLC")
        assert (choice.candidate, choice.ambiguous) == (None, False)
        assert choice.ranked[0].score == pytest.approx(0.90)
        assert "trading_name" in choice.ranked[0].features

    def test_is_not_the_trading_name_of_somebody_else(self) -> None:
        assert found("Maria Lopez LLC dba Sunrise Cleaning", "ZEBRA LLC DBA SUNRISE CLEANING") == (None, ())

    def test_is_not_an_assumed_name_whose_owner_is_another(self) -> None:
        row = Candidate("SUNRISE CLEANING", "7", status="Active", name_kind="assumed")
        choice = Connecticut().choose("Maria Lopez LLC dba Sunrise Cleaning", ResultList((row,)), threshold=0.92)
        assert choice.candidate is None

    def test_leaves_the_legal_name_to_be_found(self) -> None:
        rows = ("SUNRISE CLEANING LLC", "MARIA LOPEZ LLC")
        assert found("Maria Lopez LLC dba Sunrise Cleaning", *rows) == ("MARIA LOPEZ LLC", ())

    def test_is_the_company_s_own_where_the_registry_notes_it(self) -> None:
        assert found("Sunrise Cleaning", "MARIA LOPEZ LLC DBA SUNRISE CLEANING")[0] is not None


class TestAStatusThatIsNeitherActiveNorEnded:
    """May be an active one's: nobody is guessed between the two."""

    def rows(self, *rows: tuple[str, str]) -> Choice:
        listed = tuple(Candidate(name, str(at), status=status) for at, (name, status) in enumerate(rows))
        return Connecticut().choose("Acme", ResultList(listed), threshold=0.92)

    @pytest.mark.parametrize("status", ["Delinquent", "Never Seen Before", ""])
    def test_makes_two_companies_ambiguous(self, status: str) -> None:
        choice = self.rows(("ACME LLC", "Active"), ("ACME, INC.", status))
        assert (choice.candidate, choice.ambiguous) == (None, True)

    def test_goes_before_an_ended_one(self) -> None:
        choice = self.rows(("ACME LLC", "Dissolved"), ("ACME, INC.", "Delinquent"))
        assert choice.candidate is not None
        assert choice.candidate.name == "ACME, INC."
