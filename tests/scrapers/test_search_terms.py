"""However a caller writes a name, the right row is in a list the registry is asked for; and it is not asked often."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scrapers import discovery
from scrapers.failures import PortalUnavailable
from scrapers.normalize import names
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, Found, NameVerdict, NotFound, Query, ResultList
from scrapers.refusals import QueryRefused, Refusal
from scrapers.search.pipeline import ask, ask_name
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.statuses import meanings
from scrapers.transport import conditions
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.golden import NOW, THRESHOLD

Mode = Literal["contains", "starts_with", "all_words", "pattern"]

# (what the caller writes, what the registry holds)
SAME = [
    ("Blue Heron Logistics", "BLUE HERON LOGISTICS, INC."),
    ("Blue Heron Logistics, L.L.C.", "BLUE HERON LOGISTICS LLC"),
    ("Blue Heron Logistics Limited Liability Company", "Blue Heron Logistics, L.L.C."),
    ("blue heron logistics corp", "BLUE HERON LOGISTICS LIMITED"),
    ("The Blue Heron Company", "BLUE HERON CO."),
    ("Blue Heron & Company, Inc.", "BLUE HERON & CO., INC."),
    ("Blue Heron & Co.", "BLUE HERON AND COMPANY"),
    ("Blue Heron Co", "THE BLUE HERON COMPANY"),
    ("Smith & Sons, Inc.", "SMITH AND SONS INC"),
    ("Smith and Sons LLC", "SMITH & SONS, L.L.C."),
    ("The Smith & Sons Co.", "SMITH AND SONS COMPANY"),
    ("The Smith & Sons Co.", "THE SMITH & SONS CO."),
    ("The Smith's Bar & Grill LLC", "THE SMITH'S BAR & GRILL LLC"),  # whatever else is asked for, the name itself is
    ("O'Neil's Pub LLC", "ONEILS PUB LLC"),
    ("A.B.C. Hauling Inc", "ABC HAULING, INC."),
    ("Sandy-Land Farms", "SANDY LAND FARMS"),
    ("Compañía Coquí, Inc.", "COMPANIA COQUI INC"),
]
PORTALS = [portal for portal in discovery.list_portals() if portal.capabilities.search]


def mode_of(portal: Portal) -> Mode:
    """How the registry's search compares, signs included: the least forgiving of what is known."""
    known: dict[str, Mode] = {"contains": "contains", "all_words": "all_words", "word_pattern": "pattern"}
    return known.get(portal.name_search.mode, "starts_with")


def fits(term: str, shown: str, mode: Mode) -> bool:
    """What a search that compares text would list."""
    term, shown = term.casefold(), shown.casefold()
    if mode == "starts_with":
        return shown.startswith(term)
    if mode == "contains":
        return term in shown
    if mode == "all_words":
        return all(word in shown for word in term.split())
    patterns = re.findall(r"like '(.*?)'", conditions.name_fits("name", term))
    return any(re.fullmatch(re.escape(one).replace("%", ".*").replace("_", "."), shown.upper()) for one in patterns)


class Book(Portal):
    """A tiny registry that compares text, and counts how often it is asked."""

    mode: ClassVar[Mode] = "contains"
    name_search = NameSearch(mode="contains")
    statuses = meanings(active="Active")

    def __init__(self, *shown: str) -> None:
        self.shown, self.asked = shown, list[str]()

    def search(self, session: PortalSession, term: str) -> ResultList:
        self.asked.append(term)
        rows = [(number, name) for number, name in enumerate(self.shown) if fits(term, name, self.mode)]
        records = [EntityRecord(name, str(number), "Active") for number, name in rows]
        return ResultList(tuple(Candidate(one.entity_name, one.entity_id, "Active", record=one) for one in records))


class BeginsWith(Book):
    """One whose names must begin with the term."""

    mode = "starts_with"
    name_search = NameSearch(mode="starts_with")


def open_session() -> PortalSession:
    """A conversation that reaches nobody."""
    settings = TransportSettings(user_agent="test")
    return PortalSession(portal="test", hosts=(), settings=settings, deadline=time.monotonic() + 60)


def terms_of(portal: Portal, name: str) -> tuple[str, ...]:
    """What the registry would be asked for, in order."""
    return portal.search_plan(open_session(), name).terms


def plan_or_refusal(portal: Portal, name: str) -> SearchPlan | str:
    """The plan, or the words the name is refused with."""
    try:
        return portal.search_plan(open_session(), name)
    except QueryRefused as refusal:
        return refusal.detail


def look_up(book: Book, name: str) -> tuple[Found | NotFound, list[str]]:
    """The answer, and the stages of the search."""
    session = open_session()
    found = ask(book, session, Query(state="DE", name=name), now=NOW, threshold=THRESHOLD)
    assert isinstance(found, Found | NotFound)
    return found, [stage.detail for stage in session.trace.stages if stage.name == "search"]


@pytest.mark.parametrize("portal", PORTALS, ids=lambda portal: portal.code)
class TestEveryRegistry:
    """Asked in its own way."""

    def test_has_the_row_in_a_list_however_the_name_is_written(self, portal: Portal) -> None:
        mode = mode_of(portal)
        missed = [
            (name, shown) for name, shown in SAME if not any(fits(t, shown, mode) for t in terms_of(portal, name))
        ]
        allowed = {"Compañía Coquí, Inc."} if mode == "pattern" else set()  # open data keeps its accents
        if mode == "all_words":  # a wider search finds these: "Co" may be no piece of "COMPANY" there
            allowed = {"Blue Heron & Company, Inc.", "Blue Heron & Co."}
        assert {name for name, _ in missed} <= allowed, missed

    def test_is_not_asked_often(self, portal: Portal) -> None:
        for name, _ in SAME:
            terms = terms_of(portal, name)
            assert 1 <= len(terms) <= 3, terms
            assert len({term.casefold() for term in terms}) == len(terms)


@pytest.mark.parametrize("book", [Book, BeginsWith])
class TestATinyRegistry:
    """That compares text letter by letter."""

    @pytest.mark.parametrize(("name", "shown"), SAME, ids=[name for name, _ in SAME])
    def test_is_found_in(self, book: type[Book], name: str, shown: str) -> None:
        found, stages = look_up(book("Zebra Foods LLC", shown), name)
        assert isinstance(found, Found)
        assert found.record.entity_name == shown
        assert 1 <= len(stages) <= 3

    def test_is_asked_once_where_once_is_enough(self, book: type[Book]) -> None:
        registry_book = book("BLUE HERON LLC")
        look_up(registry_book, "Blue Heron, L.L.C.")
        assert registry_book.asked == ["Blue Heron"]

    def test_every_search_is_counted(self, book: type[Book]) -> None:
        registry_book = book("Zebra Foods LLC")
        found, stages = look_up(registry_book, "The Smith & Sons Co.")
        assert isinstance(found, NotFound)
        assert len(stages) == len(registry_book.asked) == 5  # three spellings, and two wider searches

    def test_is_told_apart_from_a_neighbour(self, book: type[Book]) -> None:
        found, _ = look_up(book("SMITH & SONS TRUCKING LLC", "THE SMITH & SONS II LLC"), "Smith and Sons LLC")
        assert isinstance(found, NotFound)


@pytest.mark.parametrize("book", [Book, BeginsWith])
class TestANameCheck:
    """Also lists what the state's rule calls the same name, not only what text search does."""

    def check(self, book: type[Book], name: str, shown: str, state: str) -> tuple[bool, int]:
        asked = book("Zebra Foods LLC", shown)
        return self.judge(asked, name, state).available, len(asked.asked)

    def judge(self, book: Book, name: str, state: str) -> NameVerdict:
        book.code = state  # type: ignore[misc]
        return ask_name(book, open_session(), Query(state=state, name=name), now=NOW)[0]

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("Blue Farms LLC", "BLUE FARM INC"),
            ("Blue Farm LLC", "BLUE FARMS INC"),
            ("One Stop LLC", "1 STOP, INC."),
            ("1st Street Foods Co", "FIRST STREET FOODS LLC"),
            ("Fourteenth Street Foods LLC", "14TH STREET FOODS INC"),
            ("14th Street Foods LLC", "FOURTEENTH STREET FOODS INC"),
            ("One Hundred Main LLC", "100 MAIN LLC"),
            ("102 Main LLC", "ONE HUNDRED TWO MAIN LLC"),
            ("21 Club LLC", "TWENTY ONE CLUB INC"),
            ("Quarry II Partners LLC", "QUARRY 2 PARTNERS LLC"),
            ("Old Bakeries LLC", "OLD BAKERY LLC"),
            ("Maria's Kitchen LLC", "MARIA KITCHEN INC"),
            ("PJ's Quarry LLC", "PJ QUARRY INC"),
            ("James's Garage LLC", "JAMES GARAGE INC"),
            ("Smith and Sons Farms LLC", "SMITH & SONS FARMS INC"),
            ("Smith &amp; Sons LLC", "SMITH & SONS, INC."),  # pasted from a web page
            ("Smith and Sons LLC", "SMITH SONS INC"),
            ("Blue Heron Logistics LLC", "BLUEHERON LOGISTICS, INC."),
            ("Blue Farm Supply LLC", "BLUE FARMS SUPPLY LLC"),
            ("Acme 2 LLC", "ACME II, INC."),
            ("Acme LLC, Albany", "ACME LLC"),  # a place is no part of the name
            ("Acme LLC, Delaware", "ACME, INC."),
            ("Acme LLC, Albany", "ACME LLC ALBANY"),  # unless somebody has it there
            ("Twenty-One Club LLC", "21 CLUB INC"),
            ("Twenty First Street Foods Co", "21ST STREET FOODS LLC"),
            ("Moss and Company, Inc.", "MOSS & CO. LLC"),
            ("Moss & Co", "MOSS AND COMPANY"),
            ("Reids Quarry Works LLC", "REID'S QUARRY WORKS INC"),
        ],
    )
    def test_finds_the_name_that_stands_in_the_way(self, book: type[Book], name: str, shown: str) -> None:
        available, searches = self.check(book, name, shown, "DE")
        assert not available
        assert searches <= 5

    def test_asks_no_more_than_the_rule_needs(self, book: type[Book]) -> None:
        usual = 2 if book is BeginsWith else 1
        assert self.check(book, "Blue Farms LLC", "BLUE FARM INC", "CO") == (True, usual)
        assert self.check(book, "Blue Farms LLC", "BLUE FARM INC", "TX") == (True, usual + 1)  # blanks do not count

    def test_says_so_where_names_of_the_rule_may_be_unseen(self, book: type[Book]) -> None:
        class Cut(book):  # type: ignore[misc, valid-type]
            """Whose list of one word is cut."""

            def search(self, session: PortalSession, term: str) -> ResultList:
                return replace(super().search(session, term), complete=" " in term)

        class Failing(book):  # type: ignore[misc, valid-type]
            """Whose list of one word never comes."""

            def search(self, session: PortalSession, term: str) -> ResultList:
                if " " not in term:
                    raise PortalUnavailable("no answer")
                return super().search(session, term)

        name = "Blue Heron Logistics LLC"
        for kind in (Cut, Failing):
            assert "may stand in the way" in (self.judge(kind(), name, "DE").status_note or "")
            assert self.judge(kind(name), name, "DE").status_note is None  # taken, whoever else has it
        assert self.judge(book(), name, "DE").status_note is None

    def test_says_so_where_signs_may_stand_in_them(self, book: type[Book]) -> None:
        for name, shown in (("YIM LLC", "Y.I.M. INC"), ("KE Oleary Quarries LLC", "K.E. O'LEARY QUARRIES INC")):
            verdict = self.judge(book("Zebra Foods LLC", shown), name, "DE")
            assert verdict.available  # it is not listed
            assert "with other signs" in (verdict.status_note or "")
        decade = self.judge(book("50'S QUARRY INC"), "50s Quarry LLC", "DE")
        assert not decade.available or "with other signs" in (decade.status_note or "")

    def test_says_so_where_there_are_more_spellings_than_may_be_asked_for(self, book: type[Book]) -> None:
        verdict = self.judge(book("THE SMITH'S BAR & GRILL LLC"), "Smith's Bar & Grill LLC", "TX")
        assert not verdict.available or "may stand in the way" in (verdict.status_note or "")

    def test_says_nothing_where_the_registry_ignores_signs(
        self, book: type[Book], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(book, "name_search", replace(book.name_search, ignores_signs=True))
        assert self.judge(book("Zebra Foods LLC"), "YIM LLC", "DE").status_note is None


# (what the caller writes, a row that is the same company)
AWKWARD = [
    ("The A Company", "THE A COMPANY"),
    ("3M", "3M COMPANY"),
    ("3M Company", "3M COMPANY"),
    ("A & B", "A & B LLC"),
    ("A & B LLC", "A & B LLC"),
    ("X LLC", "X LLC"),
    ("L'Oréal USA, Inc.", "L'ORÉAL USA, INC."),
    ("100% Pure LLC", "100% PURE LLC"),
    ("E*Trade Holdings Inc", "E*TRADE HOLDINGS INC"),
    ("Who's There? Comedy LLC", "WHO'S THERE? COMEDY LLC"),
    ("Under_score Labs", "UNDER_SCORE LABS INC"),
    ("The Inc", "THE INC"),
    ("And Of The", "AND OF THE LLC"),
    ("Long " * 39 + "Name", "LONG " * 39 + "NAME INC"),
    ("W" * 200, "W" * 200 + " LLC"),
]
SIGNS_ONLY = ["%%", "* *", "?!", "--", "''", "&&"]


@pytest.mark.parametrize("portal", PORTALS, ids=lambda portal: portal.code)
class TestAnAwkwardName:
    """Has terms that find it, or is refused in so many words before anything is sent."""

    def test_is_in_a_list_or_refused(self, portal: Portal) -> None:
        facts, mode = portal.name_search, mode_of(portal)
        for name, shown in AWKWARD:  # in one test: 750 of them would take longer to begin than to end
            plan = plan_or_refusal(portal, name)
            if isinstance(plan, str):
                assert not facts.is_sendable(facts.fitted(names.without_suffix(name))), name
                assert f"at least {facts.shortest} characters" in plan, name
                continue
            assert 1 <= len(plan.terms) <= facts.most_terms, name
            for term in plan.terms:
                assert facts.shortest <= len(term) <= facts.longest or mode == "pattern", term
                assert mode == "pattern" or not set(term) & set(facts.unsent), term
            # A plan that may miss the row says so: its empty lists are then refused, never told as "not found".
            assert any(fits(term, shown, mode) for term in plan.terms) or not plan.proves, (name, plan)

    def test_of_signs_alone_is_refused(self, portal: Portal) -> None:
        for name in SIGNS_ONLY:
            with pytest.raises(QueryRefused, match=r"letters or digits|characters"):
                terms_of(portal, name)

    @given(name=some.text(min_size=2, max_size=200))
    def test_of_any_kind_keeps_the_bounds(self, portal: Portal, name: str) -> None:
        facts = portal.name_search
        plan = plan_or_refusal(portal, name)
        terms = plan.terms if isinstance(plan, SearchPlan) else ()
        assert len(terms) <= facts.most_terms
        assert bool(terms) is isinstance(plan, SearchPlan)
        assert len({term.casefold() for term in terms}) == len(terms)
        assert all(term.strip() and len(term) >= facts.shortest for term in terms)


class Endless(Portal):
    """A registry whose every list is cut and never holds what was asked for; it counts what it is asked."""

    def __init__(self, portal: Portal) -> None:
        self.asked = self.narrowly = 0
        self.__class__ = type("Endless", (Endless, type(portal)), {})  # type: ignore[assignment]

    def search(self, session: PortalSession, term: str) -> ResultList:
        self.asked += 1
        return ResultList((Candidate(f"Quite Another {self.asked}", str(self.asked)),), complete=False)

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        self.narrowly += 1
        return ResultList((), complete=False)


@pytest.mark.parametrize("portal", PORTALS, ids=lambda portal: portal.code)
class TestWidening:
    """Is bounded and counted in every state."""

    NAME = "The Sämann & O'Neil-Smith Bros. Co."

    def test_ends_after_the_declared_number_of_searches(self, portal: Portal) -> None:
        endless, session = Endless(portal), open_session()
        with pytest.raises(QueryRefused, match="too many"):
            ask(endless, session, Query(state=portal.code, name=self.NAME), now=NOW, threshold=THRESHOLD)
        assert endless.asked <= portal.name_search.most_terms
        assert endless.narrowly <= bool(portal.name_search.narrow)
        (counted,) = [stage.detail for stage in session.trace.stages if stage.name == "searches"]
        made = endless.asked + endless.narrowly
        assert counted.partition(";")[0] == f"{made} of at most {portal.most_searches}"

    def test_is_bounded_for_a_name_check(self, portal: Portal) -> None:
        endless, session = Endless(portal), open_session()
        Portal.names_taken(endless, session, self.NAME)
        assert endless.asked <= portal.name_search.most_terms + 1
        assert endless.narrowly <= bool(portal.name_search.narrow)
        assert session.trace.searches == endless.asked + endless.narrowly


class Choosy(Book):
    """Begins-with, three letters at least, and blind to two words."""

    mode = "starts_with"
    name_search = NameSearch(
        mode="starts_with", shortest=3, ignored=frozenset({"the", "inc"}), longest=20, cap=4, narrow="starts_with"
    )

    def search(self, session: PortalSession, term: str) -> ResultList:
        found = super().search(session, term).candidates
        return ResultList(found[:4], complete=self.name_search.whole(len(found[:4])))


class TestADeclaredMinimum:
    """Of three letters."""

    def test_is_met_by_the_legal_form(self) -> None:
        book = Choosy("3M COMPANY")
        found, _ = look_up(book, "3M Company")
        assert isinstance(found, Found)
        assert book.asked == ["3M Company"]

    def test_is_told_and_nothing_is_sent(self) -> None:
        book = Choosy("3M COMPANY")
        with pytest.raises(QueryRefused, match="at least 3 characters") as error:
            look_up(book, "3M")
        assert (error.value.refusal, error.value.values) == (Refusal.NAME_TOO_SHORT, {"shortest": 3})
        assert book.asked == []

    def test_that_was_met_by_the_legal_form_proves_no_absence(self) -> None:
        with pytest.raises(QueryRefused, match="so short a name"):
            look_up(Choosy("3M CO"), "3M Company")
        with pytest.raises(QueryRefused, match="so short a name"):
            ask_name(Choosy(), open_session(), Query(state="DE", name="3M Company"), now=NOW)


class TestIgnoredWords:
    """Words the search does not look at."""

    def test_are_left_out(self) -> None:
        book = Choosy("BLUE HERON LLC")
        look_up(book, "The Blue Heron LLC")
        assert book.asked == ["Blue Heron"]

    def test_are_never_all_there_is(self) -> None:
        book = Choosy("THE INC")
        with pytest.raises(QueryRefused, match="does not look at"):
            look_up(book, "The Inc")
        assert book.asked == []


class TestALimitOfLength:
    """Of twenty letters."""

    def test_widens_the_search_at_the_end_of_a_word(self) -> None:
        book = Choosy("BLUE HERON LOGISTICS AND WAREHOUSING LLC")
        found, _ = look_up(book, "Blue Heron Logistics and Warehousing")
        assert isinstance(found, Found)
        assert book.asked[0] == "Blue Heron Logistics"


class TestACap:
    """After which a list may end without a word."""

    def test_is_taken_at_its_word(self) -> None:
        facts = NameSearch(cap=100)
        assert facts.whole(99)
        assert not facts.whole(100)

    def test_that_is_not_known_is_seen_in_a_round_number(self) -> None:
        facts = NameSearch()
        assert facts.whole(37)
        assert not any(facts.whole(number) for number in (20, 25, 50, 100, 500, 1000))

    def test_never_reads_as_not_found(self) -> None:
        book = Choosy(*(f"BLUE HERON {number}" for number in "ABCD"))
        with pytest.raises(QueryRefused, match="too many"):
            look_up(book, "Blue")
