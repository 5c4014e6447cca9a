"""The page of all jurisdictions says what the code does."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.ucc.closed_searches import CLOSED


class TestTheStatesPage:
    """docs/states.md."""

    def test_is_current(self) -> None:
        call_command("states_page", "--check")

    def test_has_one_row_a_jurisdiction(self) -> None:
        text = (settings.BASE_DIR / "docs" / "states.md").read_text(encoding="utf-8")
        assert [code for code in PLACES if f"\n| {code} | " not in text] == []

    def test_is_noticed_when_it_is_out_of_date(self, settings, tmp_path) -> None:
        settings.BASE_DIR = tmp_path
        with pytest.raises(CommandError, match="out of date"):
            call_command("states_page", "--check")


class TestThePageOfStatesThatAreOff:
    """docs/off-states.md, which people write: its reasons are the code's."""

    def rows(self) -> dict[str, list[str]]:
        text = (settings.BASE_DIR / "docs" / "off-states.md").read_text(encoding="utf-8")
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:2] == "| "]
        assert len({row[0] for row in cells}) == len(cells), "a state has two rows"
        return {row[0]: row for row in cells if row[0]}

    def test_has_a_row_for_each_and_none_for_one_that_is_on(self) -> None:
        assert set(self.rows()) == {portal.code for portal in discovery.list_portals() if not portal.on_by_default}

    def test_says_why_and_what_would_change_that_as_the_code_does(self) -> None:
        rows = self.rows()
        for portal in discovery.list_portals():
            if not portal.on_by_default:
                _, name, why, found, sure, change = rows[portal.code]
                assert (name, why, change) == (PLACES[portal.code].name, portal.off_reason, portal.would_change)
                assert found, portal.code
                assert sure.partition(":")[0].split()[0].rstrip(",") in ("high", "middle", "low", "open"), portal.code


def test_ten_states_at_least_answer_liens_without_being_switched_on() -> None:
    told = sorted(
        portal.code for portal in discovery.list_portals() if portal.on_by_default and portal.capabilities.ucc
    )
    assert len(told) >= 10, told


def test_a_lien_search_that_is_closed_is_offered_by_no_state() -> None:
    assert CLOSED.keys() <= PLACES.keys()
    assert [
        portal.code for portal in discovery.list_portals() if portal.code in CLOSED and portal.capabilities.ucc
    ] == []


class TestThePageOfSearchTerms:
    """docs/search-terms.md."""

    def test_is_current(self) -> None:
        call_command("search_terms_page", "--check")

    def test_has_one_row_a_jurisdiction(self) -> None:
        text = (settings.BASE_DIR / "docs" / "search-terms.md").read_text(encoding="utf-8")
        assert [code for code in PLACES if f"\n| {code} | " not in text] == []

    def test_is_noticed_when_it_is_out_of_date(self, settings, tmp_path) -> None:
        settings.BASE_DIR = tmp_path
        with pytest.raises(CommandError, match="out of date"):
            call_command("search_terms_page", "--check")


@pytest.mark.parametrize("portal", discovery.list_portals(), ids=lambda portal: portal.code)
class TestAJurisdiction:
    """What its reader declares."""

    def test_is_on_only_where_programs_may_ask(self, portal) -> None:
        if portal.on_by_default:
            assert portal.terms.automated != "forbidden"
            assert portal.verification in ("recorded", "documented")
        else:
            assert portal.off_reason, "an operator must read why it is off"
            assert portal.would_change.endswith("."), "and what would change that"

    def test_names_its_machines_and_sources(self, portal) -> None:
        if portal.verification != "unsupported":
            assert portal.hosts
            assert portal.sources

    def test_says_what_its_search_is_known_by(self, portal) -> None:
        facts = portal.name_search
        if portal.capabilities.search:
            assert facts.evidence, "an operator must read on what the terms rest"
            assert (facts.mode == "unknown") == (facts.mode_basis == "unknown")
            assert (facts.cap is None) == (facts.cap_basis == "unknown")
            assert facts.shortest_basis != "unknown" or facts.shortest == 2

    def test_says_in_its_docstring_how_sure_it_is(self, portal) -> None:
        import sys

        told = (sys.modules[type(portal).__module__].__doc__ or "").casefold()
        assert any(word in told for word in ("recorded", "documented", "evidence", "description", "nothing", "no "))
