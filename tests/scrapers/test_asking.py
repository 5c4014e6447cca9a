"""One question to a registry whose answers the test plays: what may be told, and what must never be."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from scrapers.failures import PageChanged, PortalBlocked, PortalDisabled, PortalError
from scrapers.portal import Capabilities, Portal
from scrapers.records import (
    Answer,
    Candidate,
    EntityRecord,
    Found,
    FoundFilings,
    NotFound,
    Query,
    ResultList,
    UccFiling,
)
from scrapers.refusals import QueryRefused, Refusal
from scrapers.search.pipeline import ask
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.recording import Replay, Step, load_steps
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER, Case

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Registry(Portal):
    """A registry by word of the test: lists by term, records by number."""

    code = "XX"
    hosts = ("registry.example",)
    sources = ("https://registry.example/",)
    id_pattern = r"\d{3}"
    statuses = meanings(active="Active", inactive="Dissolved")
    capabilities = Capabilities(ucc=True)
    name_search = NameSearch(mode="contains", narrow="starts_with")

    def __init__(
        self, lists: dict[str, ResultList] | None = None, records: dict[str, EntityRecord] | None = None
    ) -> None:
        self.lists, self.records = lists or {}, records or {}
        self.asked: list[str] = []
        self.narrowed: ResultList | None = None
        self.liens: tuple[tuple[UccFiling, ...], bool] = ((), True)

    def search(self, session: PortalSession, term: str) -> ResultList:
        self.asked.append(term)
        return self.lists.get(term, ResultList(()))

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        self.asked.append(f"only {name}")
        return self.narrowed

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        return self.lists.get(entity_id, ResultList(()))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        self.asked.append(f"open {candidate.name}")
        return self.records.get(candidate.entity_id or candidate.handle["url"]) or EntityRecord(
            candidate.name, candidate.entity_id, status=candidate.status
        )

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        self.asked.append(f"liens of {query.name}")
        return self.liens


def row(name: str, number: str = "101", status: str = "Active", **more: Any) -> Candidate:
    return Candidate(name, number, status=status, **more)


def rows(*candidates: Candidate, complete: bool = True) -> ResultList:
    return ResultList(candidates, complete=complete)


def put(portal: Portal, name: str | None = None, *, session: PortalSession | None = None, **asked: Any) -> Answer:
    session = session or PortalSession(
        portal="XX",
        hosts=portal.hosts,
        settings=TransportSettings(user_agent="test"),
        deadline=time.monotonic() + 60,
        adapter=Replay([]),
    )
    return ask(portal, session, Query("XX", name=name, **asked), now=NOW, threshold=0.92)


def found(portal: Portal, name: str | None = None, **asked: Any) -> Found:
    answer = put(portal, name, **asked)
    assert isinstance(answer, Found), answer
    return answer


def missing(portal: Portal, name: str | None = None, **asked: Any) -> NotFound:
    answer = put(portal, name, **asked)
    assert isinstance(answer, NotFound), answer
    return answer


class TestNotFound:
    """Told only when the registry answered in full."""

    def test_is_told_of_an_empty_list(self) -> None:
        answer = missing(Registry(), "Acme LLC")
        assert (answer.suggestions, answer.ambiguous) == ((), False)

    def test_is_never_told_of_a_cut_list(self) -> None:
        with pytest.raises(QueryRefused, match="too many"):
            put(Registry({"Acme": rows(row("ACME ANVILS LLC"), complete=False)}), "Acme LLC")

    def test_is_never_told_of_a_cut_list_that_was_empty(self) -> None:
        with pytest.raises(QueryRefused):
            put(Registry({"Acme": rows(complete=False)}), "Acme LLC")

    def test_is_never_told_when_only_the_other_spellings_list_was_whole(self) -> None:
        portal = Registry({"The Acme": rows(row("THE ACME ANVILS LLC"), complete=False), "Acme": rows()})
        with pytest.raises(QueryRefused):
            put(portal, "The Acme LLC")
        assert portal.asked[-1] == "Acme"

    def test_is_never_made_of_an_error(self) -> None:
        class Failing(Registry):
            def search(self, session: PortalSession, term: str) -> ResultList:
                raise PortalBlocked("a wall")

        with pytest.raises(PortalBlocked):
            put(Failing(), "Acme LLC")

    def test_names_the_near_misses_best_first(self) -> None:
        listed = rows(row("ACME ANVIL WORKS LLC", "102"), row("ACME ANVILS HOLDINGS LLC"), row("ZEBRA LLC", "103"))
        answer = missing(Registry({"Acme Anvils": listed}), "Acme Anvils LLC")
        assert {near.entity_id for near in answer.suggestions} <= {"101", "102"}
        assert answer.suggestions
        scores = [near.score for near in answer.suggestions]
        assert scores == sorted(scores, reverse=True)

    def test_keeps_the_near_misses_of_the_first_spelling(self) -> None:
        portal = Registry({"The Acme Anvils": rows(row("THE ACME ANVIL WORKS LLC")), "Acme Anvils": rows()})
        assert [near.entity_id for near in missing(portal, "The Acme Anvils LLC").suggestions] == ["101"]

    def test_is_told_of_a_name_that_is_only_put_aside(self) -> None:
        assert missing(Registry({"Acme": rows(row("ACME LLC", name_kind="reserved"))}), "Acme LLC").suggestions == ()

    def test_is_not_told_by_a_registry_that_cannot_be_asked(self) -> None:
        class Silent(Portal):
            off_reason = "a captcha stands before every search"

        with pytest.raises(PortalDisabled, match="captcha"):
            put(Silent(), "Acme LLC")


class TestTheRightCompany:
    """A wrong one is the worst answer there is."""

    def test_is_the_exact_name_even_in_a_cut_list(self) -> None:
        portal = Registry({"Acme": rows(row("ACME LLC"), row("ACME ANVILS LLC", "102"), complete=False)})
        assert found(portal, "Acme LLC").record.entity_id == "101"
        assert portal.asked == ["Acme", "open ACME LLC"]

    @pytest.mark.parametrize("listed", [row("ACME INC"), row("ACME"), row("ACME LLC", status="Dissolved")])
    def test_is_nobody_else_where_the_list_was_cut(self, listed: Candidate) -> None:
        portal = Registry({"Acme": rows(listed, complete=False)})  # the one meant may be beyond the end
        with pytest.raises(QueryRefused, match="too many"):
            put(portal, "Acme LLC")
        portal.narrowed = rows(listed)
        assert found(portal, "Acme LLC").record.entity_name == listed.name
        portal.narrowed = rows(row("ACME LLC", "102"), listed)
        assert found(portal, "Acme LLC").record.entity_id == "102"

    def test_is_looked_for_alone_when_the_list_was_cut_before_it(self) -> None:
        portal = Registry({"Acme": rows(row("ACME ANVILS LLC", "102"), complete=False)})
        portal.narrowed = rows(row("ACME LLC"), complete=False)
        assert found(portal, "Acme LLC").record.entity_id == "101"
        assert portal.asked == ["Acme", "only Acme LLC", "open ACME LLC"]

    def test_is_nobody_when_two_fit_equally_well(self) -> None:
        portal = Registry({"Acme": rows(row("ACME LLC"), row("Acme, L.L.C.", "102"))})
        answer = missing(portal, "Acme LLC")
        assert answer.ambiguous
        assert {near.entity_id for near in answer.suggestions} == {"101", "102"}

    @pytest.mark.parametrize(("namesakes", "offered"), [(2, 2), (8, 8), (40, 25)])
    def test_is_among_those_to_choose_from_however_many_namesakes_there_are(self, namesakes: int, offered: int) -> None:
        listed = rows(row("ACME HOLDING", "900"), *(row("ACME LLC", f"{101 + one}") for one in range(namesakes)))
        answer = missing(Registry({"Acme": listed}), "Acme LLC")
        chosen = [one for one in answer.suggestions if one.name == "ACME LLC"]
        assert answer.ambiguous
        assert (len(chosen), chosen) == (offered, list(answer.suggestions[:offered]))

    def test_is_the_active_one_of_two_namesakes(self) -> None:
        portal = Registry({"Acme": rows(row("ACME LLC", "102", "Dissolved"), row("ACME LLC"))})
        answer = found(portal, "Acme LLC")
        assert answer.record.entity_id == "101"
        assert [other.entity_id for other in answer.related] == ["102"]

    def test_is_not_one_with_another_number_in_its_name(self) -> None:
        assert isinstance(
            put(Registry({"Acme Holdings I": rows(row("ACME HOLDINGS II LLC"))}), "Acme Holdings I LLC"), NotFound
        )

    def test_is_one_company_though_it_is_listed_under_three_names(self) -> None:
        listed = rows(row("ACME LLC"), row("ACME SHOP", name_kind="assumed"), row("OLD ACME LLC", name_kind="former"))
        answer = found(Registry({"Acme": listed}), "Acme LLC")
        assert (answer.match.kind, answer.related) == ("exact", ())

    def test_may_have_had_the_name_before(self) -> None:
        portal = Registry(
            {"Old Acme": rows(row("OLD ACME LLC", name_kind="former"))}, {"101": EntityRecord("NEW ACME LLC", "101")}
        )
        answer = found(portal, "Old Acme LLC")
        assert (answer.record.entity_name, answer.match.kind) == ("NEW ACME LLC", "former_name")
        assert answer.match.score < 1

    def test_may_be_listed_under_a_former_name_as_if_it_were_the_present_one(self) -> None:
        portal = Registry({"Old Acme": rows(row("OLD ACME LLC"))}, {"101": EntityRecord("ZEBRA TRUST INC", "101")})
        match = found(portal, "Old Acme LLC").match
        assert (match.kind, match.score < 1) == ("former_name", True)

    def test_comes_with_at_most_ten_others(self) -> None:
        others = [row(f"ACME ANVILS OF {word} LLC", f"2{number:02}") for number, word in enumerate("ABCDEFGHIJKLMN")]
        answer = found(Registry({"Acme Anvils": rows(row("ACME ANVILS LLC"), *others)}), "Acme Anvils LLC")
        assert len(answer.related) <= 10

    @pytest.mark.parametrize("number", ["102", "99", "", "abc"])
    def test_is_not_another_one_that_the_portal_opened(self, number: str) -> None:
        portal = Registry({"Acme": rows(row("ACME LLC"))}, {"101": EntityRecord("ACME LLC", number)})
        with pytest.raises(PageChanged):
            put(portal, "Acme LLC")

    def test_is_known_by_its_name_where_the_list_has_no_numbers(self) -> None:
        listed = {"Acme": rows(row("ACME LLC", "", handle={"url": "/a"}))}
        assert found(Registry(listed, {"/a": EntityRecord("Acme, LLC", "101")}), "Acme LLC").record.entity_id == "101"
        former = EntityRecord("NEW ACME LLC", "101", former_names=("ACME LLC",))
        assert found(Registry(listed, {"/a": former}), "Acme LLC").match.kind == "former_name"
        with pytest.raises(PageChanged, match="ZEBRA"):
            put(Registry(listed, {"/a": EntityRecord("ZEBRA INC", "109")}), "Acme LLC")

    def test_is_told_apart_by_its_link_where_the_list_has_no_numbers(self) -> None:
        listed = rows(row("ACME LLC", "", handle={"url": "/a"}), row("ACME LLC", "", handle={"url": "/b"}))
        assert missing(Registry({"Acme": listed}), "Acme LLC").ambiguous

    def test_is_looked_for_without_its_legal_form(self) -> None:
        portal = Registry({"Acme": rows(row("ACME"))})
        assert found(portal, "Acme, Inc.").match.kind == "suffix_variant"
        assert portal.asked[0] == "Acme"


class TestAQuestionByNumber:
    """Answered by that company or by nobody."""

    def test_is_answered_with_that_company(self) -> None:
        answer = found(Registry({"101": rows(row("ACME LLC"))}), entity_id=" 101 ")
        assert (answer.record.entity_id, answer.match.kind, answer.match.score) == ("101", "entity_id", 1.0)

    @pytest.mark.parametrize(
        ("name", "score", "kind", "features"),
        [
            ("Acme, L.L.C.", 1.0, "entity_id", ()),
            ("Acme", 0.98, "entity_id", ("legal_form",)),
            ("Old Acme LLC", 0.98, "entity_id", ("former_name",)),
            ("Totally Other Inc", None, "name_mismatch", None),
            ("Acme LP", 0.90, "name_mismatch", ("legal_form_of_another_kind",)),
        ],
    )
    def test_says_how_a_name_given_beside_it_agrees(
        self, name: str, score: float | None, kind: str, features: tuple[str, ...] | None
    ) -> None:
        record = EntityRecord("ACME LLC", "101", former_names=("OLD ACME LLC",))
        answer = found(Registry({"101": rows(Candidate.of(record))}, {"101": record}), name, entity_id="101")
        assert (answer.record.entity_id, answer.match.kind) == ("101", kind)
        assert answer.match.score == score if score is not None else answer.match.score < 0.9
        assert features in (None, answer.match.features)

    def test_is_not_answered_with_a_neighbour(self) -> None:
        with pytest.raises(PageChanged, match="102"):
            put(Registry({"101": rows(row("ACME LLC", "102"))}), entity_id="101")

    def test_finds_it_among_neighbours(self) -> None:
        listed = rows(row("ZEBRA LLC", "102"), row("ACME LLC", "101"))
        assert found(Registry({"101": listed}), entity_id="101").record.entity_name == "ACME LLC"

    def test_is_refused_when_it_can_be_no_number_of_this_registry(self) -> None:
        portal = Registry()
        with pytest.raises(QueryRefused) as error:
            put(portal, entity_id=" 12-X ")
        assert (error.value.refusal, error.value.values) == (Refusal.NOT_AN_IDENTIFIER, {"entity_id": "12-X"})
        assert portal.asked == []

    def test_blames_the_page_when_it_shows_a_number_that_can_be_none(self) -> None:
        with pytest.raises(PageChanged):
            put(Registry({"101": rows(row("ACME LLC", "N/A"))}), entity_id="101")

    def test_finds_nothing_when_there_is_none(self) -> None:
        assert missing(Registry(), entity_id="101").suggestions == ()


class TestLiens:
    """Filings against a debtor."""

    LIEN = UccFiling("2025-1", "2025-01-02")

    def test_are_told_with_their_number(self) -> None:
        portal = Registry()
        portal.liens = ((self.LIEN,), True)
        answer = put(portal, "Acme", kind="ucc")
        assert isinstance(answer, FoundFilings)
        assert (answer.total, answer.complete) == (1, True)

    def test_are_said_to_be_cut_when_they_are(self) -> None:
        portal = Registry()
        portal.liens = ((self.LIEN,), False)
        answer = put(portal, "Acme", kind="ucc")
        assert isinstance(answer, FoundFilings)
        assert not answer.complete

    def test_are_asked_for_by_the_name_that_a_web_page_showed(self) -> None:
        portal = Registry()
        put(portal, "Smith &amp;amp; Sons LLC", kind="ucc")
        assert portal.asked == ["liens of Smith & Sons LLC"]

    def test_are_not_denied_by_a_cut_list(self) -> None:
        portal = Registry()
        portal.liens = ((), False)
        with pytest.raises(QueryRefused):
            put(portal, "Acme", kind="ucc")

    @pytest.mark.parametrize(
        ("asked", "field", "refusal"),
        [
            ({"search_by": "secured_party"}, "search_by", Refusal.NO_SECURED_PARTY),
            ({"date_after": date(2025, 1, 1)}, "date_after", Refusal.NO_DATE_AFTER),
            ({"date_before": date(2025, 1, 1)}, "date_before", Refusal.NO_DATE_BEFORE),
        ],
    )
    def test_are_refused_where_the_registry_cannot_answer(
        self, asked: dict[str, Any], field: str, refusal: Refusal
    ) -> None:
        with pytest.raises(QueryRefused) as error:
            put(Registry(), "Acme", kind="ucc", **asked)
        assert error.value.refusal is refusal
        assert (refusal.facts.field, refusal.facts.unsupported) == (field, True)

    def test_are_refused_where_there_are_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Registry, "capabilities", Capabilities())
        with pytest.raises(QueryRefused, match=r"^UCC filings of this state cannot be searched here\.$") as error:
            put(Registry(), "Acme", kind="ucc")
        assert error.value.refusal is Refusal.NO_UCC


class TestTheProof:
    """What an answer was read from."""

    def test_is_every_exchange_in_order(self) -> None:
        class Reading(Registry):
            def search(self, session: PortalSession, term: str) -> ResultList:
                session.get("https://registry.example/list")
                return rows(row("ACME LLC"))

            def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
                session.get("https://registry.example/101")
                return EntityRecord("ACME LLC", "101")

        pages = [
            Step("GET", f"https://registry.example/{name}", 200, {}, body)
            for name, body in (("list", b"<p>1"), ("101", b"<p>2"))
        ]
        session = PortalSession(
            portal="XX",
            hosts=("registry.example",),
            settings=TransportSettings(user_agent="test"),
            deadline=time.monotonic() + 60,
            adapter=Replay(pages),
        )
        proof = found(Reading(), "Acme LLC", session=session).evidence
        assert [(one.url, one.status, one.body) for one in session.trace.exchanges] == [
            ("https://registry.example/list", 200, b"<p>1"),
            ("https://registry.example/101", 200, b"<p>2"),
        ]
        assert (proof.source_url, proof.retrieved_at) == ("https://registry.example/101", NOW)
        assert [stage.name for stage in session.trace.stages] == ["request", "search", "searches", "request", "detail"]


class TestAnError:
    """Tells what to do next."""

    @pytest.mark.parametrize(
        ("make", "reason", "retryable"),
        [
            (PortalDisabled, "disabled", False),
            (PortalBlocked, "blocked", True),
            (PageChanged, "layout_changed", False),
        ],
    )
    def test_has_its_word(self, make: Callable[[str], PortalError], reason: str, retryable: bool) -> None:
        assert (make("x").reason, make("x").retryable) == (reason, retryable)


@pytest.mark.parametrize("case", ["GA/inactive", "LA/by-number", "MD/by-number", "MO/inactive", "NV/inactive"])
def test_a_number_is_the_same_in_small_letters(case: str) -> None:
    """Registries write capitals: "k123456" was looked for in Georgia's list, and nobody there has it."""
    state, _, _ = case.partition("/")
    number = Case(state, case, FOLDER / case).content["question"]["entity_id"]
    found = Conversation(state, *load_steps(FOLDER / case)).ask(entity_id=number.lower())
    assert isinstance(found, Found)
    assert found.record.entity_id == number
