"""The search box of the first page: somebody without an account tries it, and somebody else tries to abuse it."""

from __future__ import annotations

import re
import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import limits
from billing.models import Account, LedgerEntry
from lookups.demo import asking, forgetting
from lookups.models import Entity, Lookup, Manifest
from scrapers.models import ScrapeAttempt

pytestmark = pytest.mark.django_db


def ask(
    name: str = "Blue Heron Logistics LLC", state: str = "DE", *, came_from: str = "198.51.100.7", **more: str
) -> Any:
    """Send the form as a browser without script does."""
    return Client(REMOTE_ADDR=came_from).get("/try/", {"name": name, "state": state, **more})


def new_network() -> str:
    """An address from which nobody has asked yet; Redis remembers the others from one test to the next."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"


def asked_by_all() -> int:
    """How many new questions were counted today, with this one."""
    rate = limits.count(subject="demo", limit=10**6, now=timezone.now(), seconds=asking.A_DAY)
    return 10**6 - rate.remaining


def text_of(reply: Any) -> str:
    """What a person reads of the answer."""
    answer = reply.content.decode().partition('id="answer"')[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer))


def played() -> dict[str, str]:
    """The links under the box."""
    page = Client().get("/").content.decode()
    return {label: url.replace("&amp;", "&") for url, label in re.findall(r'href="(/try/[^"]+)"[^>]*>([^<]+)<', page)}


class TestSomebodyWithoutAnAccount:
    """Asks, and reads the answer right there."""

    def test_sees_a_record_that_says_it_is_invented(self, switches: None) -> None:
        reply = ask()
        shown = text_of(reply)
        for part in (
            "BLUE HERON LOGISTICS LLC",
            "SB-DE-000123",
            "Good Standing",
            "ADA MERRILL",
            "invented",
            "Fictional",
        ):
            assert part in shown, part
        assert reply["Cache-Control"] == "no-store"
        assert reply["X-Robots-Tag"] == "noindex"

    def test_is_offered_each_outcome_by_a_link(self, switches: None) -> None:
        links = played()
        expected = {
            "a company": "BLUE HERON LOGISTICS LLC",
            "an ambiguous name": "None is guessed: choose one.",
            "a name not found": "New York has no company called",
            "a lien": "active",
            "a name check": "taken in Florida",
            "an outage": "Ohio did not answer",
        }
        assert links.keys() == expected.keys()
        for label, part in expected.items():
            assert part in text_of(Client().get(links[label])), label

    def test_chooses_one_of_several_companies(self, switches: None) -> None:
        page = ask("Magic Ambiguous LLC").content.decode()
        links = re.findall(r'href="(/try/\?state=DE&amp;id=[^"]+)"', page)
        assert len(set(links)) >= 2
        number = re.search(r"id=(SB-DE-\d+)", links[1])
        assert number
        assert number[1] in text_of(Client().get(links[1].replace("&amp;", "&")))

    def test_reads_that_an_outage_costs_nothing_and_when_to_come_back(self, switches: None) -> None:
        shown = text_of(ask("Magic Portal Down LLC"))
        assert "Delaware did not answer" in shown
        assert "Nothing was charged. It may be asked again after 5 minutes." in shown
        assert "has no company" not in shown

    @pytest.mark.parametrize(
        ("asked", "problem"),
        [
            ({"name": "", "state": "DE"}, "Type a company"),
            ({"name": "Acme", "state": "ZZ"}, "Select a valid choice"),
            ({"name": "Acme", "state": ""}, "Choose a state."),
            ({"name": "A", "state": "DE"}, "at least 2 characters"),
            ({"name": "Acme\u202e", "state": "DE"}, "cannot be seen"),
            ({"name": "", "state": "DE", "id": "SB\u202e-DE"}, "cannot be seen"),
            ({"name": "Acme\x00", "state": "DE"}, "Null characters"),
            ({"name": "x" * 10_000, "state": "DE"}, "at most 200 characters"),
        ],
    )
    def test_reads_what_is_wrong(self, switches: None, asked: dict[str, str], problem: str) -> None:
        reply = ask(**asked)
        assert reply.status_code == 400
        assert problem in reply.content.decode()
        assert Lookup.objects.count() == 0

    def test_who_has_asked_nothing_yet_is_led_to_the_box(self, switches: None) -> None:
        assert Client().get("/try/").headers["Location"] == "/"

    def test_reads_a_refusal_in_words_of_people(self, switches: None) -> None:
        shown = text_of(ask("Magic Too Many LLC"))
        assert "does not take this question" in shown
        assert "entity_id" not in shown

    def test_cannot_write_into_the_page(self, switches: None) -> None:
        page = ask("</title><script>alert(1)</script> <img src=x>").content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page

    def test_is_led_from_an_invented_record_into_no_live_workspace(self, switches: None) -> None:
        page = Client().get("/try/?name=Blue+Heron+Logistics+LLC&state=DE").content.decode()
        public = Client().get(Entity.objects.get().page_url).content.decode()
        for shown in (page, public):
            assert "BLUE HERON LOGISTICS LLC" in shown
            for link in ("entity_id=SB-DE-000123", "/app/watches/new", "kind=ucc"):
                assert link not in shown

    def test_never_has_a_live_registry_asked(self, switches: None) -> None:
        ask("Acme Corp", "NY")
        ask("Apple Inc", "CO")
        assert set(ScrapeAttempt.objects.values_list("sandbox", flat=True)) == {True}
        assert set(Lookup.objects.values_list("sandbox", "cost", "price")) == {(True, 0, 0)}

    def test_is_counted_in_no_figures_and_no_books(self, switches: None) -> None:
        ask()
        assert Client().get("/v1/health").json()["checks"]["lookups_today"] == 0
        assert LedgerEntry.objects.count() == 0
        assert Account.objects.get().is_internal

    def test_waits_for_no_worker(self, switches: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        assert "BLUE HERON" not in text_of(ask("Magic Later Not Found LLC"))
        assert Lookup.objects.get().verdict == "not_found"


class TestAMember:
    """Who is signed in."""

    def test_asks_real_registries_in_the_workspace(self, office: Any) -> None:
        page = office.get("/")
        html = page.content.decode()
        assert 'action="/app/"' in html
        assert 'name="name" value=""' in html
        assert page["Cache-Control"] == "private, no-store"

    def test_chooses_the_state_for_one_that_is_offered_might_be_switched_off(self, office: Any) -> None:
        page = office.get("/").content.decode()
        assert '<option value="">Choose…</option>' in page
        assert "selected" not in page[page.index('<select id="state"') : page.index("</select>")]

    def test_has_a_page_of_their_own(self, office: Any) -> None:
        page = Client().get("/")
        assert 'action="/try/"' in page.content.decode()
        assert (page["Cache-Control"], "Cookie" in page["Vary"]) == ("public, max-age=300", True)

    def test_takes_a_question_along_from_the_sandbox(self, switches: None) -> None:
        assert 'href="/app/?name=Nobody+%26+Sons&amp;state=TX"' in ask("Nobody & Sons", "TX").content.decode()


class TestWhoTriesItAgainAndAgain:
    """Strangers with a program."""

    def test_is_shown_what_was_answered_within_the_hour(self, switches: None) -> None:
        pages = [ask() for _ in range(3)]
        assert Lookup.objects.count() == ScrapeAttempt.objects.count() == 1
        assert "ago" in text_of(pages[2])

    def test_has_the_registry_asked_anew_after_the_hour(self, switches: None) -> None:
        ask()
        Lookup.objects.update(created_at=timezone.now() - timedelta(hours=2))
        ask()
        assert Lookup.objects.count() == 2

    def test_comes_to_the_end_of_new_questions(self, switches: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(asking, "NEW_OF_A_NETWORK", 2)
        home = new_network()
        replies = [ask(f"Nobody Number {number}", came_from=home) for number in range(3)]
        assert [reply.status_code for reply in replies] == [200, 200, 429]
        assert int(replies[2]["Retry-After"]) > 0
        assert "With an account" in text_of(replies[2])
        assert ask("Nobody Number 0", came_from=home).status_code == 200  # what was answered still is
        assert ask("Nobody Number 9", came_from=new_network()).status_code == 200  # and others go on

    def test_cannot_ask_more_from_many_networks_than_all_may(
        self, switches: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(asking, "NEW_OF_ALL", asked_by_all() + 3)
        for number in range(6):
            ask(f"Nobody Number {number}", came_from=new_network())
        assert Lookup.objects.count() == 3

    def test_is_shown_an_older_answer_when_no_new_one_may_be_asked_for(
        self, switches: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ask()
        Lookup.objects.update(created_at=timezone.now() - timedelta(days=2))
        monkeypatch.setattr(asking, "NEW_OF_ALL", 0)
        assert "SB-DE-000123" in text_of(ask())
        assert Lookup.objects.count() == 1

    def test_is_slowed_down_like_everybody_without_a_key(self, switches: None, settings: Any) -> None:
        settings.KEYLESS_PER_MINUTE = 2
        home = new_network()
        replies = [ask(came_from=home) for _ in range(6)]
        assert replies[-1].status_code == 429
        assert "Too many requests" in replies[-1].content.decode()

    def test_finds_all_places_taken_while_slow_ones_are_under_way(
        self, switches: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(asking.DemoPayer, "limit", 0)
        assert ask().status_code == 429
        assert Lookup.objects.count() == 0


class TestWhatWasTyped:
    """The sweep."""

    def test_is_forgotten_after_a_week(self, switches: None) -> None:
        ask("A Name That I Would Rather Not Have Kept")
        ask()
        now = timezone.now()
        assert forgetting.prune(now=now) == 0
        assert forgetting.prune(now=now + timedelta(days=7, seconds=1)) == 2
        for row in Lookup.objects.values():
            assert "Rather" not in str(row)
            assert row["question"] == {}
        assert set(Manifest.objects.values_list("document", flat=True)) == {None}
        assert forgetting.prune(now=now + timedelta(days=8)) == 0

    def test_of_customers_stays(self, switches: None) -> None:
        from tests.lookups.conftest import open_customer

        tester = open_customer(mode="test")
        tester.lookup("Blue Heron Logistics LLC", "DE")
        assert forgetting.prune(now=timezone.now() + timedelta(days=30)) == 0
        assert Lookup.objects.get().asked == "Blue Heron Logistics LLC"
