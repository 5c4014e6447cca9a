"""The map and the page of states: what a registry can answer, in the words of whoever wants to ask it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from jurisdictions import services
from jurisdictions.codes import PLACES
from jurisdictions.models import Jurisdiction
from lookups.pages.home import coverage
from lookups.pages.home.coverage import Reach
from scrapers import discovery

pytestmark = pytest.mark.django_db
FOR_OPERATORS = re.compile(r"[A-Z]{3,}_[A-Z]{3,}|\bload\b|\bset\b|[Ss]witch\w* on|manage\.py")


def page(query: str = "") -> str:
    return Client().get(f"/states/{query}").content.decode()


def rows(html: str) -> dict[str, str]:
    """Each row's text by the state's name."""
    found = re.findall(r'<tr id="\w\w">(.*?)</tr>', html, re.DOTALL)
    texts = [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip() for row in found]
    names = [re.search(r"<th[^>]*>([^<]+)", row)[1] for row in found]  # type: ignore[index]
    return dict(zip(names, texts, strict=True))


class TestThePageOfStates:
    """/states/."""

    def test_is_sorted_by_name(self, switches: None) -> None:
        names = list(rows(page()))
        assert names[:2] == ["Alabama", "Alaska"]
        assert names == sorted(place.name for place in PLACES.values())

    def test_has_an_anchor_a_state(self, switches: None) -> None:
        assert set(re.findall(r'<tr id="(\w\w)"', page())) == {code.lower() for code in PLACES}

    def test_says_why_a_state_does_not_answer_and_gives_no_advice_to_operators(self, switches: None) -> None:
        shown = rows(page())
        assert "captcha" in shown["Maryland"]
        assert "a key that is not set up here" in shown["California"]
        reasons = {row["state"]: row["reason"] for row in Client().get("/v1/states").json() if row["reason"]}
        assert [
            (code, why) for code, why in reasons.items() if FOR_OPERATORS.search(why.replace("not set up", ""))
        ] == []
        assert all(portal.would_change for portal in discovery.list_portals() if not portal.on_by_default)

    def test_tells_what_records_show(self, switches: None) -> None:
        shown = rows(page())
        assert "no Officers" in shown["Colorado"]
        assert "no UCC liens" not in shown["Colorado"]
        assert "read from recorded answers" in shown["Colorado"]

    @pytest.mark.parametrize("word", ["answers", "waits", "closed", "officers", "former-names", "filings", "liens"])
    def test_is_filtered_by_links_that_say_how_many_they_show(self, switches: None, word: str) -> None:
        link = re.search(rf'href="/states/\?show={word}">([^<]+) <span class="count">(\d+)</span>', page())
        assert link
        shown = page(f"?show={word}")
        assert len(rows(shown)) == int(link[2]) > 0
        assert f'href="/states/?show={word}" aria-current="true"' in shown

    def test_shows_all_for_a_filter_that_is_none(self, switches: None) -> None:
        assert len(rows(page("?show=<script>"))) == len(PLACES)

    def test_counts_a_part_of_a_record_only_where_it_can_be_asked_for(self, switches: None) -> None:
        before = len(rows(page("?show=liens")))
        services.disable(code="CO", reason="The portal moves.")
        assert len(rows(page("?show=liens"))) == before - 1
        assert "The portal moves." in rows(page())["Colorado"]

    def test_says_that_one_answers_with_trouble(self, switches: None) -> None:
        services.degrade(code="NY", reason="The registry's site does not answer.")
        assert "Answers, with trouble The registry's site does not answer." in rows(page())["New York"].replace(
            "&#x27;", "'"
        )

    def test_shows_what_an_operator_writes_as_text(self, switches: None) -> None:
        services.disable(code="NY", reason="<script>alert(1)</script>")
        assert "<script>alert" not in page()

    def test_is_there_before_any_state_is_set_up(self, db: None) -> None:
        assert "manage.py" not in page()


class TestAReasonFromBefore:
    """A database that was set up when reasons gave advice to operators."""

    def test_is_said_to_customers(self, switches: None) -> None:
        from importlib import import_module

        from django.apps import apps

        migration: Any = import_module("jurisdictions.migrations.0003_reasons_for_customers")
        now = {portal.code: portal.off_reason for portal in discovery.list_portals()}
        for code, (before, after) in migration.REASONS.items():
            assert after == now[code]
            Jurisdiction.objects.filter(pk=code).update(reason=before)
        services.disable(code="VA", reason="We wait for our account.")
        migration.say_it_to_customers(apps, None)
        kept = dict(Jurisdiction.objects.values_list("code", "reason"))
        assert kept.pop("VA") == "We wait for our account."
        assert {code: kept[code] for code in migration.REASONS if code in kept} == {
            code: after for code, (_, after) in migration.REASONS.items() if code != "VA"
        }

    def test_does_not_hide_from_operators_what_would_change_it(self, switches: None) -> None:
        from django.contrib import admin

        from jurisdictions.models import Jurisdiction as Row
        from scrapers.admin.switches import SwitchAdmin

        facts = SwitchAdmin(Row, admin.site)
        assert "set CALICO_KEY and switch California on" in facts.default(Row.objects.get(pk="CA"))


class TestTheMap:
    """A square for each jurisdiction."""

    def test_has_them_all_once_and_apart(self, switches: None) -> None:
        squares = coverage.draw(coverage.list_states())
        assert sorted(square.state.code for square in squares) == sorted(PLACES)
        assert len({(square.x, square.y) for square in squares}) == len(PLACES)
        assert max(square.x for square in squares) + coverage.SIDE == coverage.width()
        assert max(square.y for square in squares) + coverage.SIDE == coverage.height()

    def test_says_the_same_in_a_table(self, switches: None) -> None:
        home = Client().get("/").content.decode()
        for state in coverage.list_states():
            assert f'<a href="/states/#{state.anchor}">{state.name}</a></th><td>{state.word}</td>' in home
        drawn = re.findall(r'<a class="(\w+)" href="/states/#(\w\w)" tabindex="-1">', home)
        assert {code: Reach(reach) for reach, code in drawn} == {
            state.anchor: state.reach for state in coverage.list_states()
        }

    def test_follows_the_switches(self, switches: None) -> None:
        services.disable(code="NY", reason="x")
        services.enable(code="DE")
        reach = {state.code: state.reach for state in coverage.list_states()}
        assert (reach["NY"], reach["DE"], reach["GU"]) == (Reach.WAITS, Reach.ANSWERS, Reach.CLOSED)


def test_the_last_contact_is_shown_with_its_day(switches: None) -> None:
    contact = {"at": timezone.now().isoformat(), "result": "read", "seconds": 1.0, "questions": [], "findings": []}
    services.note_contact(code="NY", contact=contact, is_live=True, trouble="", now=timezone.now())
    shown = rows(page())["New York"]
    assert "confirmed live" in shown
    assert f"read, {timezone.now():%Y-%m-%d}" in shown
