"""Two more searches for a name that its exact spelling did not find: what they find, what they never prove."""

from __future__ import annotations

import time

import pytest

from scrapers.failures import PortalBlocked
from scrapers.records import ResultList
from scrapers.refusals import QueryRefused
from scrapers.search import widening
from scrapers.search.terms import NameSearch, plan
from scrapers.transport.recording import Replay, Step
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.test_asking import Registry, found, missing, put, row, rows

QUARTZ = "Zephyr Quartz Plumbing"


class FromTheStart(Registry):
    """A registry that lists names that start with the text."""

    name_search = NameSearch(mode="starts_with")


def searched(portal: Registry) -> list[str]:
    """What the registry was asked for, in order."""
    return [term for term in portal.asked if not term.startswith("open ")]


class TestTheTerms:
    """That follow those of the name itself, by how the registry compares."""

    @pytest.mark.parametrize(
        ("mode", "name", "terms"),
        [
            ("contains", "Zephyr Ironmonger Plumbing LLC", ("Ironmonger", "Zephyr Ir", "Zephyr I")),
            ("starts_with", "Zephyr Quartz Plumbing LLC", ("Zephyr", "Zephyr Qu", "Zep")),
            ("unknown", "Zephyr Quartz Plumbing LLC", ("Zephyr", "Zephyr Qu", "Zep")),
            ("word_pattern", "Zephyr Quartz Plumbing", ("Zep Qua P", "Zephyr Quartz Pl", "hyr rtz P")),
            ("all_words", "Zephyr Quartz Plumbing", ("Zephyr Quartz", "", "Zephyr")),
            ("starts_with", "Lindqvist, Maria Plumbing", ("Maria Lindqvist Plumbing", "Lindqvist", "Lindqvist")),
            ("starts_with", "A B C Hauling", ("ABC Hauling", "A B C Hauling", "A B C Hauling")),
            ("starts_with", "Three Foxes Inn", ("3 Foxes", "Three Foxes", "Three Foxes")),
            ("starts_with", "Connecticut Foxes Inn", ("CT Foxes", "Connecticut Foxes", "Connecticut Foxes")),
            ("contains", "5NOOZY Town", ("SNOOZY", "", "ZY Town")),
        ],
    )
    def test_are_the_company_s_own_words(self, mode: str, name: str, terms: tuple[str, ...]) -> None:
        known = {text.casefold() for text in plan(name, NameSearch(mode=mode)).terms}  # type: ignore[arg-type]
        wider = plan(name, NameSearch(mode=mode)).wider.terms  # type: ignore[arg-type]
        assert wider == tuple("" if term.casefold() in known else term for term in terms)

    @pytest.mark.parametrize(
        "mode", ["contains", "starts_with", "unknown", "neighborhood", "word_pattern", "all_words"]
    )
    def test_are_none_for_a_name_that_proves_nothing_anyway(self, mode: str) -> None:
        assert plan("3M Company", NameSearch(mode=mode, shortest=3)).wider == widening.NOTHING  # type: ignore[arg-type]

    def test_keep_to_what_the_registry_takes(self) -> None:
        facts = NameSearch(mode="contains", shortest=4, longest=10)
        assert plan("Zephyr Ironmongery Plumbing", facts).wider.terms == ("Ironmonger", "Zephyr Ir", "Zephyr I")
        assert plan("Zephyr Quartz Works", NameSearch(mode="contains", shortest=7)).wider.term == ""


class TestAWiderSearch:
    """Of a registry that lists names that hold the text."""

    def test_is_not_made_where_the_exact_spelling_finds_the_company(self) -> None:
        portal = Registry({QUARTZ: rows(row("ZEPHYR QUARTZ PLUMBING LLC"))})
        assert found(portal, f"{QUARTZ} LLC").match.features == ()
        assert searched(portal) == [QUARTZ]

    def test_finds_a_company_whose_other_words_are_written_otherwise_and_says_so(self) -> None:
        portal = Registry({"Ironmonger": rows(row("ZEPHYR IRONMONGER MANAGEMENT LLC"))})
        answer = found(portal, "Zephyr Ironmonger Mgmt LLC")
        assert (answer.match.kind, answer.match.features) == ("close", ("abbreviation", "wider_search"))
        assert searched(portal) == ["Zephyr Ironmonger Mgmt", "Ironmonger"]

    def test_is_made_twice_at_most(self) -> None:
        portal = Registry()
        missing(portal, f"{QUARTZ} LLC")
        assert len(searched(portal)) == 1 + widening.MOST
        assert len(searched(portal)) <= portal.most_searches

    def test_is_not_made_where_a_list_was_cut(self) -> None:
        portal = Registry({QUARTZ: rows(row("ZEPHYR QUARTZ PLUMBING SUPPLY LLC"), complete=False)})
        with pytest.raises(QueryRefused, match="too many"):
            put(portal, f"{QUARTZ} LLC")
        assert searched(portal) == [QUARTZ, f"only {QUARTZ} LLC"]

    def test_does_not_mend_what_was_cut_nor_unprove_what_was_proved(self) -> None:
        cut = rows(row("ZEPHYR HATS LLC", "102"), complete=False)
        answer = missing(Registry({"Plumbing": cut, "Zephyr": cut, "Quartz": cut}), f"{QUARTZ} LLC")
        assert not answer.ambiguous  # proved by the whole, empty list for the name itself

    def test_that_was_cut_finds_the_very_name_only(self) -> None:
        near = rows(row("ZEPHYR IRONMONGER MANAGEMENT LLC"), complete=False)
        answer = missing(Registry({"Ironmonger": near}), "Zephyr Ironmonger Mgmt LLC")
        assert [one.entity_id for one in answer.suggestions] == ["101"]
        very = rows(row("ZEPHYR-IRONMONGER MGMT, LLC"), complete=False)
        match = found(Registry({"Ironmonger": very}), "Zephyr Ironmonger Mgmt LLC").match
        assert (match.kind, match.features) == ("exact", ("wider_search",))

    def test_that_was_cut_and_shows_the_very_name_ended_is_no_not_found(self) -> None:
        ended = rows(row("ZEPHYR-IRONMONGER MGMT, LLC", status="Dissolved"), complete=False)
        answer = missing(Registry({"Ironmonger": ended}), "Zephyr Ironmonger Mgmt LLC")
        assert ([one.entity_id for one in answer.suggestions], answer.ambiguous) == (["101"], True)

    def test_that_fails_leaves_the_answer_that_was_proved(self) -> None:
        class Walled(Registry):
            def search(self, session: object, term: str) -> object:
                if self.asked:
                    raise PortalBlocked("a wall")
                return super().search(session, term)  # type: ignore[arg-type]

        assert missing(Walled(), f"{QUARTZ} LLC").suggestions == ()  # type: ignore[arg-type]

    def test_is_not_what_a_not_found_was_read_from(self) -> None:
        class Pages(Registry):
            def search(self, session: PortalSession, term: str) -> ResultList:
                session.get(f"https://registry.example/{len(self.asked)}")
                return super().search(session, term)

        pages = [Step("GET", f"https://registry.example/{at}", 200, {}, b"<p>") for at in range(3)]
        session = PortalSession(
            portal="XX",
            hosts=("registry.example",),
            settings=TransportSettings(user_agent="test"),
            deadline=time.monotonic() + 60,
            adapter=Replay(pages),
        )
        answer = missing(Pages(), f"{QUARTZ} LLC", session=session)
        assert len(session.pages) == 3
        assert answer.evidence.source_url == "https://registry.example/0"  # the empty list for the name itself

    def test_that_fails_first_is_an_error(self) -> None:
        class Walled(Registry):
            def search(self, session: object, term: str) -> object:
                raise PortalBlocked("a wall")

        with pytest.raises(PortalBlocked):
            put(Walled(), f"{QUARTZ} LLC")  # type: ignore[arg-type]

    def test_is_never_between_two_that_fit(self) -> None:
        both = rows(row("ZEPHYR IRONMONGER MANAGEMENT LLC"), row("ZEPHYR IRONMONGER MANAGEMENT, L.L.C.", "102"))
        assert missing(Registry({"Ironmonger": both}), "Zephyr Ironmonger Mgmt LLC").ambiguous


class TestADifferenceInDoubt:
    """Is decided when all searches were made."""

    def test_is_found_in_the_first_list_and_told(self) -> None:
        answer = found(Registry({"Wells Fargo": rows(row("WELLS FARGO & COMPANY"))}), "Wells Fargo")
        assert answer.match.features == ("and_company", "only_one_like_it")

    def test_is_nobody_where_a_wider_search_shows_another_like_it(self) -> None:
        lists = {
            "Wells Fargo": rows(row("WELLS FARGO & COMPANY")),
            "Wells": rows(row("THE WELLS FARGO AND CO.", "102")),
        }
        assert len(missing(Registry(lists), "Wells Fargo").suggestions) == 2

    def test_is_a_slip_where_the_registry_was_asked_for_the_word_and_nobody_has_it(self) -> None:
        near = rows(row("ZEPHYR IRONMONGER LLC"))
        match = found(Registry({"Zephyr I": near}), "Zephyr Ironmomger LLC").match
        assert match.features == ("slip", "only_one_like_it", "wider_search")

    def test_is_no_slip_where_somebody_has_the_word(self) -> None:
        lists = {"Ironmomger": rows(row("IRONMOMGER HATS LLC", "102")), "Zephyr I": rows(row("ZEPHYR IRONMONGER LLC"))}
        assert missing(Registry(lists), "Zephyr Ironmomger LLC").suggestions[0].entity_id == "101"

    def test_is_only_suggested_where_nobody_can_be_asked_for_a_word(self) -> None:
        portal = FromTheStart({"Zephyr": rows(row("ZEPHYR IRONMONGER LLC"))})
        answer = missing(portal, "Zephyr Ironmomger LLC")
        assert [(one.entity_id, one.features) for one in answer.suggestions] == [("101", ("slip",))]


class TestATradingNameBesideALegalOne:
    """Is asked for last, and only suggests who bears it."""

    ASKED = "Maria Lopez LLC dba Sunrise Cleaning"

    def test_follows_the_legal_name(self) -> None:
        portal = Registry({"Maria Lopez": rows(row("MARIA LOPEZ LLC"))})
        assert found(portal, self.ASKED).record.entity_id == "101"
        assert searched(portal) == ["Maria Lopez"]

    def test_suggests_its_bearer(self) -> None:
        portal = Registry({"Sunrise Cleaning": rows(row("SUNRISE CLEANING LLC", "102"))})
        answer = missing(portal, self.ASKED)
        assert [one.entity_id for one in answer.suggestions] == ["102"]
        assert searched(portal)[0] == "Maria Lopez"
        assert searched(portal)[-1] == "Sunrise Cleaning"

    def test_is_not_the_company_of_whoever_else_assumed_it(self) -> None:
        assumed = row("SUNRISE CLEANING", "102", name_kind="assumed")
        assert missing(Registry({"Sunrise Cleaning": rows(assumed)}), self.ASKED).ambiguous is False


class TestWhatStandsAroundAName:
    """Is not sent."""

    @pytest.mark.parametrize(
        "asked",
        [
            "Acme Mills LLC, Charlotte NC",
            "Acme Mills LLC (CT)",
            "Acme Mills LLC CT",
            "Acme Mills, LLC dba Best Foods",
            "Acme Mills LLC (formerly Best Foods LLC)",
            "Acme Mills LLC, f.k.a. Best Foods LLC",
            "Acme Mills Limited Liability Corporation",
        ],
    )
    def test_is_left_out(self, asked: str) -> None:
        portal = Registry({"Acme Mills": rows(row("ACME MILLS LLC"))})
        assert found(portal, asked).record.entity_id == "101"
        assert searched(portal) == ["Acme Mills"]

    def test_is_read_where_it_came_from_a_web_page(self) -> None:
        portal = Registry({"Smith & Sons": rows(row("SMITH & SONS LLC"))})
        assert found(portal, "Smith &amp; Sons LLC").match.kind == "exact"
