"""Every state reads its saved pages, and no state is without them."""

from __future__ import annotations

import pytest

from scrapers import discovery
from scrapers.portal import Portal
from scrapers.records import Found, FoundFilings
from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER, Case, list_cases, play

CASES = list_cases()
SITUATIONS = {"active", "inactive", "no-match", "several-matches"}


@pytest.mark.parametrize("case", CASES, ids=str)
class TestAPortal:
    """A saved conversation with a registry."""

    def test_reads_its_saved_pages(self, case: Case) -> None:
        told, left = play(case)
        unread = told.pop("unread_labels")
        assert told == case.expected
        assert left == [], "the recording holds pages nobody asked for"
        assert unread == case.content.get("unread_labels", [])


@pytest.mark.parametrize(
    ("state", "situation", "number"), [("RI", "by-number", "455003"), ("TX", "by-file-number", "804695111")]
)
class TestANumberOfAFixedWidth:
    """As a spreadsheet leaves it, without its leading zeros."""

    def test_finds_its_company(self, state: str, situation: str, number: str) -> None:
        talk = Conversation(state, *load_steps(FOLDER / state / situation))
        assert isinstance(talk.ask(entity_id=number), Found)
        assert talk.replay.left == []


@pytest.mark.parametrize("portal", discovery.list_portals(), ids=lambda portal: portal.code)
class TestAState:
    """A jurisdiction with a reader."""

    def test_has_a_case_for_every_situation(self, portal) -> None:
        if type(portal).search is Portal.search:
            pytest.skip("nothing to read: no search of this registry is known")
        have = {case.situation for case in CASES if case.state == portal.code}
        needed = SITUATIONS - (
            {"inactive"} if portal.coverage == "active_only" or not portal.capabilities.status else set()
        )
        assert needed <= have, f"{portal.code} lacks {sorted(needed - have)}"

    def test_shows_the_former_names_that_it_promises(self, portal) -> None:
        if not (portal.on_by_default and portal.capabilities.former_names):
            pytest.skip("no former names are promised")
        assert any(case.expected.get("record", {}).get("former_names") for case in CASES if case.state == portal.code)

    def test_promises_the_assumed_names_that_it_shows(self, portal) -> None:
        records = [case.expected.get("record", {}) for case in CASES if case.state == portal.code]
        assert portal.capabilities.assumed_names or not any(record.get("assumed_names") for record in records)

    def test_says_whether_a_list_of_its_liens_may_be_whole(self, portal) -> None:
        lists = [case for case in CASES if (case.state, case.situation) == (portal.code, "ucc-debtor")]
        for case in lists:
            found = Conversation(portal.code, *load_steps(case.folder)).ask(**case.content["question"])
            assert isinstance(found, FoundFilings)
            assert found.complete is portal.lists_all_liens
        assert lists or not portal.capabilities.ucc

    def test_says_where_its_pages_come_from(self, portal) -> None:
        for case in CASES:
            if case.state == portal.code:
                content = case.content
                assert content["provenance"] in ("recorded-shape", "documented"), case
                if portal.verification == "recorded":
                    assert content["provenance"] == "recorded-shape" or content.get("why"), case
        shown = {case.content["provenance"] for case in CASES if case.state == portal.code}
        assert portal.verification == "recorded" or shown != {"recorded-shape"}, "it hides that an answer was recorded"

    def test_knows_a_wall_when_it_meets_one(self, portal) -> None:
        if type(portal).search is Portal.search:
            pytest.skip("nobody is asked")
        alike = {other.code for other in discovery.list_portals() if platform_of(other) == platform_of(portal)}
        assert any(case.situation == "wall" and case.state in alike for case in CASES)


def test_pages_are_saved_for_jurisdictions_with_a_reader_alone() -> None:
    assert {case.state for case in CASES} <= {portal.code for portal in discovery.list_portals()}


def platform_of(portal: Portal) -> str:
    """The platform a state shares with others; its own code where it shares none."""
    modules = (kind.__module__.split(".") for kind in type(portal).__mro__)
    return next((parts[2] for parts in modules if parts[:2] == ["scrapers", "platforms"]), portal.code)
