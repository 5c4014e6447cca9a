"""Watches in the workspace: made of a reading, by identifier or of a table, looked after, and what they saw."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from lookups.models import Lookup, Watch, WatchCheck, WatchEvent
from lookups.workspace.watches import events, words
from scrapers.sandbox.changing import CHANGING
from tests.lookups.watches.looks import look_again
from tests.workspace.conftest import Browser, open_office
from tests.workspace.people import read_form

pytestmark = [pytest.mark.django_db, pytest.mark.once, pytest.mark.usefixtures("no_workers")]
CHANGES = {"state": "DE", "entity_id": "SB-DE-920001", "every": "day", "categories": ["status", "agent", "officer"]}


@pytest.fixture
def lab(office: Browser) -> Browser:
    """The owner in the sandbox."""
    return office.work_in("sandbox")


def make(browser: Browser, **more: Any) -> Any:
    return browser.post("/app/watches/new/", {**CHANGES, **more})


def read(reply: Any) -> str:
    page = reply.content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page[page.index("<main") :]).split())


class TestANewWatch:
    """/app/watches/new/."""

    def test_begins_from_nothing_with_one_next_step(self, lab: Browser) -> None:
        page = read(lab.get("/app/watches/"))
        assert "Nothing is watched yet" in page
        assert "No change has been seen yet" in read(lab.get("/app/events/"))

    def test_by_identifier_has_a_page_and_is_made_once(self, lab: Browser) -> None:
        first, second = make(lab), make(lab)
        watch = Watch.objects.get()
        assert first["Location"] == second["Location"] == f"/app/watches/{watch.public_id}/"
        page = read(lab.get(first["Location"]))
        assert "every day" in page
        assert "the first check is still to come" in page

    def test_that_has_never_found_the_company_does_not_say_that_nothing_changed(self, lab: Browser) -> None:
        at = make(lab, entity_id="", name="Magic Not Found LLC")["Location"]
        look_again(2)
        page = read(lab.get(at))
        assert "It has not been found yet, so there is nothing to compare a check with." in page
        assert "No change has been seen" not in page

    def test_that_found_the_company_unchanged_says_so(self, lab: Browser) -> None:
        at = make(lab, entity_id="", name="Magic Found LLC")["Location"]
        look_again(2)
        assert "No change has been seen." in read(lab.get(at))

    def test_whose_record_changed_is_not_called_unchanged_for_its_liens(self, lab: Browser) -> None:
        make(lab, entity_id="", name=CHANGING["changes_agent"], categories=["agent", "lien"])
        look_again(2)
        assert [one.result for one in WatchCheck.objects.order_by("pk")][2:] == ["changed", "unchanged"]
        page = read(lab.get("/app/watches/"))
        assert "Changed" in page
        assert "Unchanged" not in page

    def test_of_a_lookup_begins_with_that_reading(self, lab: Browser) -> None:
        lab.post("/app/", {"name": "", "entity_id": "SB-DE-920001", "state": "DE", "word": "0" * 32})
        lookup = Lookup.objects.get()
        form = lab.get(f"/app/watches/new/?lookup={lookup.public_id}").content.decode()
        assert 'value="SB-DE-920001"' in form
        assert f'href="/app/lookups/{lookup.public_id}/"' in form
        make(lab)
        watch = Watch.objects.get()
        assert watch.baselines.get().lookup == lookup
        assert watch.next_at is not None
        assert watch.next_at > timezone.now() + timedelta(hours=11)

    def test_begins_with_the_last_reading_of_its_own_account(self, lab: Browser) -> None:
        other = open_office(name="Another", email="eve@else.test").work_in("sandbox")
        for number, browser in enumerate((lab, lab, other)):
            browser.post("/app/", {"name": "", "entity_id": "SB-DE-920001", "state": "DE", "word": f"{number}" * 32})
        _, own, _ = Lookup.objects.order_by("pk")
        lab.post("/app/", {"name": "Blue Heron Logistics LLC", "state": "DE", "word": "3" * 32})  # another company
        assert Lookup.objects.latest("pk").verdict == "found"
        make(lab)
        assert Watch.objects.get().baselines.get().lookup == own

    def test_is_where_a_dossier_leads(self, lab: Browser) -> None:
        page = lab.get(lab.post("/app/", {"name": "Magic Found LLC", "state": "DE", "word": "0" * 32})["Location"])
        link = re.search(r'href="(/app/watches/new[^"]*)"', page.content.decode())
        assert link is not None
        form = lab.get(link[1].replace("&amp;", "&"), follow=True)
        assert "Watch MAGIC FOUND LLC" in read(form)

    def test_of_an_old_reading_looks_at_once(self, lab: Browser) -> None:
        lab.post("/app/", {"name": "", "entity_id": "SB-DE-920001", "state": "DE", "word": "0" * 32})
        Lookup.objects.update(data_as_of=timezone.now() - timedelta(days=3))
        make(lab)
        assert not Watch.objects.get().baselines.exists()

    @pytest.mark.parametrize(
        ("more", "text"),
        [
            ({"state": ""}, "Choose a state"),
            ({"entity_id": ""}, "Name the company"),
            ({"categories": []}, "Choose at least one"),
            ({"cap": "many"}, "valid integer"),
            ({"webhook": "http://hooks.quay.test/"}, "Send an https address"),
            ({"email_digest": "on"}, "no mail server"),
        ],
    )
    def test_says_beside_the_field_what_is_wrong(self, lab: Browser, more: dict[str, Any], text: str) -> None:
        reply = make(lab, **more)
        assert reply.status_code == 400
        assert re.search(rf'class="wrong"[^>]*>[^<]*{re.escape(text)}', reply.content.decode())
        assert not Watch.objects.exists()

    def test_is_for_those_who_may_spend(self, viewer: Browser) -> None:
        assert viewer.post("/app/watches/new/", CHANGES).status_code == 403
        assert not Watch.objects.exists()


class TestATable:
    """/app/watches/many/."""

    def send(self, browser: Browser, text: str) -> Any:
        file = SimpleUploadedFile("companies.csv", text.encode())
        return browser.post("/app/watches/many/", {"file": file, "every": "week", "categories": ["status"]})

    def test_makes_a_watch_of_each_row_with_the_settings_below(self, lab: Browser) -> None:
        reply = self.send(lab, "state,name,every,ref\nNY,Acme Corp,,a\nCO,Zebra Inc,month,b\n")
        assert reply["Location"] == "/app/watches/?made=2"
        assert "2 new watches" in read(lab.get(reply["Location"]))
        assert {(one.ref, one.every) for one in Watch.objects.all()} == {("a", "week"), ("b", "month")}
        assert self.send(lab, "state,name,every,ref\nNY,Acme Corp,,a\n")["Location"] == "/app/watches/?made=0"

    def test_names_each_wrong_line_and_makes_none(self, lab: Browser) -> None:
        page = read(self.send(lab, "state,name\nNY,Acme Corp\nXX,Zebra Inc\nCO,x\n"))
        assert "Nothing was made. 2 rows cannot be taken" in page
        assert "Line 3: state: No such jurisdiction" in page
        assert "Line 4: entity_name" in page
        assert not Watch.objects.exists()

    @pytest.mark.parametrize("text", ["", "\0", "name\nAcme\n"])
    def test_that_is_none_is_refused_by_name(self, lab: Browser, text: str) -> None:
        assert self.send(lab, text).status_code == 400


class TestAWatch:
    """/app/watches/watch_…/."""

    def test_shows_its_checks_and_what_changed(self, lab: Browser) -> None:
        address = make(lab)["Location"]
        look_again(2)
        page = read(lab.get(address))
        for text in ("First reading", "Changed", "registered agent name", "Before:", "After:"):
            assert text in page
        assert len(re.findall(r'href="/app/lookups/lk_', lab.get(address).content.decode())) >= 4

    def test_that_was_paused_in_another_tab_is_not_checked_and_says_so(self, lab: Browser) -> None:
        address = make(lab)["Location"]
        lab.post(f"{address}pause/")
        reply = lab.post(f"{address}check/")
        assert reply.status_code == 409
        assert "It has been paused since this page was shown." in read(reply)

    def test_is_paused_resumed_checked_and_deleted(self, lab: Browser) -> None:
        address = make(lab)["Location"]
        lab.post(f"{address}pause/")
        assert "It was paused here" in read(lab.get(address))
        assert read(lab.get("/app/watches/?status=paused")).count("Paused") > 1
        lab.post(f"{address}resume/")
        assert Watch.objects.get().status == "active"
        Watch.objects.update(next_at=timezone.now() + timedelta(days=1))
        lab.post(f"{address}check/")
        assert Watch.objects.get().next_at <= timezone.now()
        assert "Stop watching" in read(lab.get(f"{address}delete/"))
        assert Watch.objects.kept().exists()
        assert lab.post(f"{address}delete/")["Location"] == "/app/watches/"
        assert lab.get(address).status_code == 404

    def test_is_not_checked_where_its_month_is_used_up(self, lab: Browser) -> None:
        address = make(lab, cap="1")["Location"]
        look_again(1)
        reply = lab.post(f"{address}check/")
        assert reply.status_code == 409
        assert "It has made all its checks for this month" in read(reply)

    def test_is_set_otherwise(self, lab: Browser) -> None:
        address = make(lab)["Location"]
        lab.post(address, {"every": "month", "categories": ["name"], "cap": "3", "ref": "file 7"})
        watch = Watch.objects.get()
        assert (watch.every, watch.categories, watch.max_per_month, watch.ref) == ("month", ["name"], 3, "file 7")
        reply = lab.post(address, {"every": "month", "categories": []})
        assert reply.status_code == 400
        assert "Not saved" in read(reply)

    def test_keeps_what_somebody_has_set_since_its_page_was_shown(self, lab: Browser) -> None:
        address = make(lab, cap="9")["Location"]
        shown = html.unescape(read_form(lab.get(address)).get("shown", ""))
        as_it_was = {"every": "day", "categories": CHANGES["categories"], "cap": "9", "shown": shown}
        lab.post(address, as_it_was | {"cap": "2", "every": "week"})
        lab.post(address, as_it_was | {"ref": "file 7"})
        watch = Watch.objects.get()
        assert (watch.ref, watch.max_per_month, watch.every) == ("file 7", 2, "week")

    def test_of_others_or_of_the_other_mode_is_not_there(self, lab: Browser, viewer: Browser) -> None:
        address = make(lab)["Location"]
        assert viewer.get(address).status_code == 404  # reads in live mode
        assert viewer.work_in("sandbox").get(address).status_code == 200
        assert viewer.post(f"{address}pause/").status_code == 403
        assert viewer.post(address, {"every": "day"}).status_code == 403
        stranger = open_office("Other", "other@else.test").work_in("sandbox")
        for more in ("", "delete/", "pause/"):
            assert stranger.post(address + more).status_code == 404
        assert Watch.objects.get().status == "active"


class TestTheFeed:
    """/app/events/."""

    def test_has_both_sides_and_both_readings_the_newest_first(self, lab: Browser) -> None:
        make(lab)
        look_again(2)
        page = lab.get("/app/events/").content.decode()
        first = WatchEvent.objects.order_by("-number").first()
        assert first is not None
        assert first.before is not None
        assert first.after is not None
        for lookup in (first.before, first.after):
            assert f'href="/app/lookups/{lookup.public_id}/"' in page
        changes = [one for event in WatchEvent.objects.all() for one in event.changes]
        assert page.count("<del>") == sum(one["before"] is not None for one in changes)
        assert page.count("<ins>") == sum(one["after"] is not None for one in changes)

    def test_is_filtered_and_goes_on_page_by_page(self, lab: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        make(lab)
        look_again(3)
        kinds = set(WatchEvent.objects.values_list("category", flat=True))
        assert {"status", "agent", "officer"} <= kinds
        count = lambda query: lab.get(f"/app/events/{query}").content.decode().count('<li class="stack">')  # noqa: E731
        assert count("") == WatchEvent.objects.count()
        assert count("?category=agent") == WatchEvent.objects.filter(category="agent").count()
        assert count("?severity=high") == WatchEvent.objects.filter(severity="high").count()
        assert count(f"?watch={Watch.objects.get().public_id}") == WatchEvent.objects.count()
        assert count("?state=NY") == 0
        monkeypatch.setattr(events, "PAGE", 2)
        seen, query = 0, ""
        while True:
            seen += count(query)
            older = re.search(r'href="(\?[^"]*)" rel="next"', lab.get(f"/app/events/{query}").content.decode())
            if older is None:
                break
            query = older[1]
        assert seen == WatchEvent.objects.count()

    @pytest.mark.parametrize("query", ["category=all", "severity=x", "state=XX", "watch=watch_1", "cursor=-1"])
    def test_shows_nothing_for_a_filter_that_it_does_not_understand(self, lab: Browser, query: str) -> None:
        assert lab.get(f"/app/events/?{query}").status_code == 400

    def test_of_a_paused_watch_says_why(self, lab: Browser) -> None:
        make(lab, entity_id="", name="Magic No Funds LLC")
        look_again()
        assert "The balance did not cover a check" in read(lab.get("/app/events/"))


class TestWords:
    """Changes as people read them."""

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("data.registeredAgentName", "registered agent name"),
            ("data.entityName", "name"),
            ("data.officers[ADA MERRILL].title", "officers: ADA MERRILL, title"),
            ("normalized.filings[2026-02-01 Annual Report]", "filings: 2026-02-01 Annual Report"),
            ("data.filings[U-1].amendments[U-1-01]", "filings: U-1, amendments: U-1-01"),
            ("data.filings[U-1].securedParties[BANK].city", "filings: U-1, secured parties: BANK, city"),
            ("something else", "something else"),
        ],
    )
    def test_say_where(self, path: str, text: str) -> None:
        assert words.write_path(path) == text

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (None, ""),
            ({"name": "ADA MERRILL", "title": "Manager", "address": None}, "ADA MERRILL, Manager"),
            (["A", "B"], "A; B"),
            ("A" * 10_000, "A" * 300 + "…"),
        ],
    )
    def test_say_what(self, value: Any, text: str) -> None:
        assert words.write_value(value) == text
