"""However a caller writes a name, the right row is in a list the registry is asked for; and it is not asked often."""

from __future__ import annotations

import re
import time
from typing import ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scrapers import registry
from scrapers.asking import ask, ask_name
from scrapers.families.arcgis.portal import ArcgisPortal
from scrapers.families.socrata.portal import SocrataPortal
from scrapers.portal import Capabilities, Portal, meanings
from scrapers.records import Candidate, EntityRecord, Found, NotFound, Query, ResultList
from scrapers.transport import conditions
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.golden import NOW, THRESHOLD

Mode = Literal["contains", "starts_with", "pattern"]

# (what the caller writes, what the registry holds)
SAME = [
    ("Blue Heron Logistics", "BLUE HERON LOGISTICS, INC."),
    ("Blue Heron Logistics, L.L.C.", "BLUE HERON LOGISTICS LLC"),
    ("Blue Heron Logistics Limited Liability Company", "Blue Heron Logistics, L.L.C."),
    ("blue heron logistics corp", "BLUE HERON LOGISTICS LIMITED"),
    ("The Blue Heron Company", "BLUE HERON CO."),
    ("Blue Heron Co", "THE BLUE HERON COMPANY"),
    ("Smith & Sons, Inc.", "SMITH AND SONS INC"),
    ("Smith and Sons LLC", "SMITH & SONS, L.L.C."),
    ("The Smith & Sons Co.", "SMITH AND SONS COMPANY"),
    ("O'Neil's Pub LLC", "ONEILS PUB LLC"),
    ("A.B.C. Hauling Inc", "ABC HAULING, INC."),
    ("Sandy-Land Farms", "SANDY LAND FARMS"),
    ("Compañía Coquí, Inc.", "COMPANIA COQUI INC"),
]
PORTALS = [portal for portal in registry.list_portals() if portal.capabilities.search]


def mode_of(portal: Portal) -> Mode:
    """How the registry's search compares, signs included: the least forgiving of what is known."""
    if isinstance(portal, SocrataPortal | ArcgisPortal):
        return "pattern"
    return "starts_with" if portal.capabilities.name_modes[0] == "starts_with" else "contains"


def fits(term: str, shown: str, mode: Mode) -> bool:
    """What a search that compares text would list."""
    term, shown = term.casefold(), shown.casefold()
    if mode == "starts_with":
        return shown.startswith(term)
    if mode == "contains":
        return term in shown
    patterns = re.findall(r"like '(.*?)'", conditions.name_fits("name", term))
    return any(re.fullmatch(re.escape(one).replace("%", ".*").replace("_", "."), shown.upper()) for one in patterns)


class Book(Portal):
    """A tiny registry that compares text, and counts how often it is asked."""

    mode: ClassVar[Mode] = "contains"
    statuses = meanings(active=("Active",))

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
    capabilities = Capabilities(name_modes=("starts_with",))


def open_session() -> PortalSession:
    """A conversation that reaches nobody."""
    settings = TransportSettings(user_agent="test")
    return PortalSession(portal="test", hosts=(), settings=settings, deadline=time.monotonic() + 5)


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
            (name, shown) for name, shown in SAME if not any(fits(t, shown, mode) for t in portal.search_terms(name))
        ]
        allowed = {"Compañía Coquí, Inc."} if mode == "pattern" else set()  # open data keeps its accents
        assert {name for name, _ in missed} <= allowed, missed

    def test_is_not_asked_often(self, portal: Portal) -> None:
        for name, _ in SAME:
            terms = portal.search_terms(name)
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
        assert len(stages) == len(registry_book.asked) == 3

    def test_is_told_apart_from_a_neighbour(self, book: type[Book]) -> None:
        found, _ = look_up(book("SMITH & SONS TRUCKING LLC", "THE SMITH & SONS II LLC"), "Smith and Sons LLC")
        assert isinstance(found, NotFound)


@pytest.mark.parametrize("book", [Book, BeginsWith])
class TestANameCheck:
    """Also lists what the state's rule calls the same name, not only what text search does."""

    def check(self, book: type[Book], name: str, shown: str, state: str) -> tuple[bool, int]:
        asked = book("Zebra Foods LLC", shown)
        asked.code = state  # type: ignore[misc]
        verdict, _ = ask_name(asked, open_session(), Query(state=state, name=name), now=NOW)
        return verdict.available, len(asked.asked)

    @pytest.mark.parametrize(
        ("name", "shown"),
        [("Blue Farms LLC", "BLUE FARM INC"), ("Blue Farm LLC", "BLUE FARMS INC"), ("One Stop LLC", "1 STOP, INC."),
         ("1st Street Foods Co", "FIRST STREET FOODS LLC"), ("Old Bakeries LLC", "OLD BAKERY LLC"),
         ("Smith and Sons Farms LLC", "SMITH & SONS FARMS INC")],
    )  # fmt: skip
    def test_finds_the_name_that_stands_in_the_way(self, book: type[Book], name: str, shown: str) -> None:
        available, searches = self.check(book, name, shown, "DE")
        assert not available
        assert searches <= 4

    def test_asks_no_more_than_the_rule_needs(self, book: type[Book]) -> None:
        assert self.check(book, "Blue Farms LLC", "BLUE FARM INC", "TX") == (True, 2 if book is BeginsWith else 1)


@given(some.text(min_size=2, max_size=80), some.sampled_from(PORTALS))
def test_terms_are_few_and_never_empty_for_any_name(name: str, portal: Portal) -> None:
    terms = portal.search_terms(name)
    assert 1 <= len(terms) <= 3
    assert all(term.strip() or not name.strip() for term in terms)
