"""The history: everything the account asked, found again by filters and opened as it was then."""

from __future__ import annotations

import csv
import io
import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from billing import keys
from lookups.models import Lookup
from lookups.workspace.history import columns, pages
from tests.lookups.workbooks import read_table
from tests.workspace.conftest import Browser, open_office

pytestmark = pytest.mark.django_db
MOST_BYTES = 100_000
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def keep(browser: Browser, asked: str = "Acme Corp", *, minutes: int = 0, **more: Any) -> Lookup:
    """A lookup that has ended, asked so many minutes after noon."""
    at = NOON + timedelta(minutes=minutes)
    known: dict[str, Any] = {
        "ask_id": uuid.uuid4(),
        "account": browser.account,
        "state": "NY",
        "kind": "business_entity",
        "asked": asked,
        "question": {"name": asked, "state": "NY", "kind": "business_entity"},
        "verdict": "not_found",
        "created_at": at,
        "ended_at": at,
    }
    return Lookup.objects.create(**{**known, **more})


def listed(browser: Browser, query: str = "") -> list[str]:
    """The questions on the page, in their order."""
    page = browser.get(f"/app/history/{query}").content.decode()
    return re.findall(r'<th scope="row"><a href="/app/lookups/[^"]+">([^<]*)</a>', page)


class TestTheList:
    """/app/history/."""

    def test_begins_with_one_next_step(self, office: Browser) -> None:
        page = office.get("/app/history/").content.decode()
        assert "Nothing has been asked yet" in page
        assert 'class="button" href="/app/"' in page

    def test_has_the_newest_first_and_nothing_of_others_or_of_the_sandbox(self, office: Browser) -> None:
        keep(office, "First")
        keep(office, "Second", minutes=5)
        keep(office, "Fictional", sandbox=True)
        keep(open_office("Other", "other@else.test"), "Theirs")
        assert listed(office) == ["Second", "First"]
        assert listed(office.work_in("sandbox")) == ["Fictional"]

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("state=DE", ["Delaware"]),
            ("verdict=unavailable", ["Down"]),
            ("verdict=open", ["Open"]),
            ("kind=ucc", ["Liens"]),
            ("origin=watch", ["Watched"]),
            ("ref=file+7", ["Marked"]),
            ("ref=file++7", ["Marked"]),
            ("name=eLaWa", ["Delaware"]),
            ("since=2026-11-21", ["Later"]),
            ("until=2026-11-19", ["Before"]),
            ("since=2026-11-19&until=2026-11-19&state=NY", ["Before"]),
            ("state=DE&verdict=open", []),
        ],
    )
    def test_is_filtered_by_its_address(self, office: Browser, query: str, found: list[str]) -> None:
        keep(office, "Delaware", state="DE")
        keep(office, "Down", verdict="unavailable", reason="down")
        keep(office, "Open", verdict=None, ended_at=None)
        keep(office, "Liens", kind="ucc")
        keep(office, "Watched", origin="watch")
        keep(office, "Marked", ref="file 7")
        keep(office, "Later", minutes=24 * 60)
        keep(office, "Before", minutes=-24 * 60)
        assert listed(office, f"?{query}") == found

    def test_says_who_asked_a_person_or_a_key(self, office: Browser, clerk: Browser) -> None:
        key, _ = keys.issue(account=office.account, name="server", now=NOON)
        keep(office, "By a clerk", asked_by=clerk.user, origin="page")
        keep(office, "By a program", key=key)
        keep(office, "By another", key=keys.issue(account=office.account, name="other", now=NOON)[0])
        page = office.get("/app/history/").content.decode()
        assert re.search(r'data-label="Who"[^>]*>jonas@quay.test<', page)
        assert re.search(r'data-label="Who"[^>]*>server<', page)
        assert listed(office, f"?who=user:{clerk.user.pk}") == ["By a clerk"]
        assert listed(office, f"?who=key:{key.pk}") == ["By a program"]

    def test_is_light_however_long_the_names_are(self, office: Browser) -> None:
        shown = {
            "ref": "R" * 200,
            "verdict": "unavailable",
            "reason": "down",
            "asked_by": office.user,
            "origin": "page",
        }
        for number in range(210):
            keep(office, f"{number} {'&' * 190}", minutes=number, **shown)
        office.post("/app/history/columns/", {"show": [one.name for one in columns.COLUMNS], "next": "/app/history/"})
        for query in ("", "?name=190"):
            assert len(office.get(f"/app/history/{query}").content) < MOST_BYTES

    def test_goes_on_where_the_page_before_ended(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        for number in range(5):
            keep(office, f"Company {number}", minutes=number // 2)  # some of the same moment
        seen, query = [], ""
        with monkeypatch.context() as small:
            small.setattr(pages.read_page, "__kwdefaults__", {**pages.read_page.__kwdefaults__, "limit": 2})
            for _ in range(3):
                seen += listed(office, query)
                older = re.search(r'href="(\?[^"]*)" rel="next"', office.get(f"/app/history/{query}").content.decode())
                query = older[1] if older else ""
        assert seen == [f"Company {number}" for number in (4, 3, 2, 1, 0)]
        assert query == ""

    def test_looks_through_so_many_rows_at_a_time_and_says_how_far(
        self, office: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pages, "SPAN", 3)
        keep(office, "Rare", state="WY")
        for number in range(1, 8):
            keep(office, f"Company {number}", minutes=24 * 60 * number)
        page = office.get("/app/history/?state=WY").content.decode()
        assert "Nothing matches among the rows since 24 November 2026" in page
        query, looks = "?state=WY", 0
        while not listed(office, query):
            older = re.search(r'href="(\?[^"]*)" rel="next"', office.get(f"/app/history/{query}").content.decode())
            assert older is not None
            query, looks = older[1].replace("&amp;", "&"), looks + 1
        assert (listed(office, query), looks) == (["Rare"], 1)
        keep(office, "Marked", state="WY", ref="file 9", minutes=-999)
        assert listed(office, "?ref=file+9") == ["Marked"]  # has an index of its own

    def test_of_two_hundred_rows_costs_no_query_a_row(self, office: Browser) -> None:
        for number in range(3):
            keep(office, f"Company {number}", asked_by=office.user)
        office.get("/app/history/")
        with CaptureQueriesContext(connection) as few:
            office.get("/app/history/")
        for number in range(30):
            keep(office, f"Company {number}", asked_by=office.user)
        with CaptureQueriesContext(connection) as many:
            office.get("/app/history/")
        assert len(many) == len(few)

    @pytest.mark.parametrize("query", ["state=XX", "verdict=maybe", "since=yesterday", "who=me", "cursor=1"])
    def test_shows_nothing_for_a_filter_that_it_does_not_understand(self, office: Browser, query: str) -> None:
        keep(office)
        reply = office.get(f"/app/history/?{query}")
        assert reply.status_code == 400
        assert listed(office, f"?{query}") == []

    def test_shows_a_hostile_name_as_text(self, office: Browser) -> None:
        keep(office, "<script>alert(1)</script>\u202e" + "A" * 100)
        page = office.get("/app/history/").content.decode()
        assert "&lt;script&gt;" in page
        assert "<script>alert" not in page


class TestColumns:
    """What somebody has hidden."""

    def test_stay_hidden_in_this_browser_and_in_the_file(self, office: Browser) -> None:
        keep(office, ref="file 7")
        assert 'data-label="Reference"' in office.get("/app/history/").content.decode()
        back = "/app/history/?state=NY"
        reply = office.post("/app/history/columns/", {"show": ["when", "found"], "next": back})
        assert reply["Location"] == back
        page = office.get("/app/history/").content.decode()
        assert 'data-label="Reference"' not in page
        assert '<th scope="col">What was found</th>' in page
        assert export(office)[0] == ["asked", "when", "found", "lookupId"]

    def test_lead_back_to_this_site_alone(self, office: Browser) -> None:
        reply = office.post("/app/history/columns/", {"show": ["when"], "next": "https://evil.test/"})
        assert reply["Location"] == "/app/history/"


def export(browser: Browser, query: str = "") -> list[list[str]]:
    text = b"".join(browser.get(f"/app/history/export.csv{query}").streaming_content).decode()
    return list(csv.reader(io.StringIO(text)))


class TestAFile:
    """What is seen, as CSV or a workbook."""

    def test_has_the_rows_that_fit_on_all_pages(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pages, "PAGE", 2)
        for number in range(5):
            keep(office, f"Company {number}", minutes=number)
        keep(office, "Delaware", state="DE")
        assert [row[0] for row in export(office, "?state=NY")[1:]] == [f"Company {n}" for n in (4, 3, 2, 1, 0)]

    def test_runs_no_formula(self, office: Browser) -> None:
        keep(office, "=HYPERLINK(1)")
        assert export(office)[1][0] == "'=HYPERLINK(1)"

    def test_is_a_workbook_too(self, office: Browser) -> None:
        keep(office, "Acme Corp")
        reply = office.get("/app/history/export.xlsx")
        rows = read_table(b"".join(reply.streaming_content))
        assert [row["asked"] for row in rows] == ["Acme Corp"]

    def test_ends_at_its_limit(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pages, "MOST_EXPORTED", 3)
        for number in range(5):
            keep(office, f"Company {number}", minutes=number)
        assert len(export(office)) == 1 + 3
