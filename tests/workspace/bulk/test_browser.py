"""The clerk's morning in a browser: forty companies before lunch, with a script and without, at a desk, on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from lookups.bulk import queue
from lookups.models import BulkDraft, BulkJob, Lookup
from tests.workspace.conftest import Browser

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once, pytest.mark.slow]
TABLE = (
    "Customer No,Company,State,City\n"
    "C-1,Blue Heron Logistics LLC,DE,Dover\nC-2,Magic Ambiguous LLC,Delaware,Dover\nC-3,Zebra Inc,Ontario,Toronto\n"
    "C-4,Blue Herron Logistic LLC,DE,Dover\nC-5,<script>alert(1)</script> \u00dcberlang "
    + "x" * 900
    + ",NY,\U0001f6a2\n"
)


@pytest.fixture
def chromium(browser: Any) -> Any:
    """The judges of pages, imported only where there is a Chromium."""
    from tests.browser import chromium

    return chromium


FOCUSED = "() => [document.activeElement.tagName, document.activeElement.closest('tr')?.rowIndex ?? 0]"


class TestTheKeyboard:
    """Who mends rows without a mouse stays in the table."""

    def test_stays_where_it_was_when_a_row_is_mended_left_out_or_asked_again(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any
    ) -> None:
        office.work_in("sandbox")
        table = "Company,State\n" + "".join(f"Company {number} LLC,Ontario\n" for number in range(5))
        office.post("/app/bulk/", {"pasted": table + "Magic Ambiguous LLC,DE\n"})
        page = chromium.enter(browser, office, live_server.url, width=1440)
        page.goto(f"{live_server.url}/app/bulk/drafts/{BulkDraft.objects.get().pk}/")
        page.get_by_label("State in line 3").fill("DE")
        page.keyboard.press("Tab")  # saves itself; the row goes from those to look at
        page.get_by_label("State in line 3").wait_for(state="detached")
        assert page.evaluate(FOCUSED) == ["INPUT", 2]
        page.locator("table.edit tr").nth(2).get_by_role("button", name="Leave out").focus()
        page.keyboard.press("Enter")
        page.get_by_text("Left out by you · 1").wait_for()
        assert page.evaluate(FOCUSED) == ["BUTTON", 2]
        page.get_by_label("Line 2", exact=True).check()
        page.locator("#many-state").select_option("DE")
        page.locator("#many [value=state]").focus()
        page.keyboard.press("Enter")
        page.get_by_label("State in line 2").wait_for(state="detached")
        assert page.evaluate("document.activeElement.form.id") == "many"
        page.locator("#buy").click()
        page.wait_for_url("**/app/bulk/bulk_**")
        queue.work(now=timezone.now())
        page.get_by_role("button", name="This one").first.focus()
        page.keyboard.press("Enter")
        page.get_by_text("asked again").wait_for()
        assert page.evaluate(FOCUSED)[1] == page.evaluate("document.querySelector('.again').closest('tr').rowIndex")


# The words of tags that stand on more than one line
BROKEN = """() => [...document.querySelectorAll('main .tag')].flatMap(tag => {
  const walk = document.createTreeWalker(tag, NodeFilter.SHOW_TEXT), broken = []
  while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/\\S+/g)) {
    const range = document.createRange()
    range.setStart(walk.currentNode, word.index)
    range.setEnd(walk.currentNode, word.index + word[0].length)
    if (range.getClientRects().length > 1) broken.push(word[0])
  }
  return broken
})"""


# What we write ourselves and stands broken in the middle of a word, beside names and references of any length
TORN = """() => [...document.querySelectorAll(
  'main table :is(button, .tag, td.num, td[data-label=State], td[data-label=Kind])')].flatMap(one => {
  const walk = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), torn = []
  while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/[^\\s-]+/g)) {
    const range = document.createRange()
    range.setStart(walk.currentNode, word.index)
    range.setEnd(walk.currentNode, word.index + word[0].length)
    if (range.getClientRects().length > 1) torn.push(word[0])
  }
  return torn
})"""
LONG = "ASSOCIATION OF VERY PATIENT BEEKEEPERS, CANDLEMAKERS, BOOKBINDERS AND LAMPLIGHTERS OF THE QUAY LLC"


class TestALongName:
    """Of eighty letters and more, as companies have them: it leaves the other columns room for their words."""

    @pytest.mark.parametrize("width", [768, 1440])
    def test_tears_no_word_of_the_other_columns(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any, width: int
    ) -> None:
        office.work_in("sandbox")
        rows = f'"{LONG}",Kentucky,1\n"{LONG}",KY,2\n"{LONG}",Ontario,3\nMagic Found LLC,NC,4\n'
        office.post("/app/bulk/", {"pasted": f"Company,State,Ref\n{rows}"})
        draft = f"/app/bulk/drafts/{BulkDraft.objects.get().pk}/"
        page = chromium.enter(browser, office, live_server.url, width=width)
        page.goto(live_server.url + draft)
        assert page.locator("table.edit button").count() == 2 * 2
        torn = {"draft": page.evaluate(TORN)}
        office.post(f"{draft}buy/", {"revision": "1"})
        queue.work(now=timezone.now())
        for path in ("/app/history/", "/app/bulk/", f"/app/bulk/{BulkJob.objects.get().public_id}/"):
            page.goto(live_server.url + path)
            assert page.locator("main table .tag").count()
            torn[path] = page.evaluate(TORN)
            assert chromium.list_overflow(page) == []
        assert not any(torn.values()), torn

    def test_of_whole_words_stands_whole_among_the_results_on_a_tablet(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any
    ) -> None:
        office.work_in("sandbox")
        office.post("/app/bulk/", {"pasted": "Company,State\nMagic Ambiguous LLC,NV\nBlue Heron Logistics LLC,DE\n"})
        office.post(f"/app/bulk/drafts/{BulkDraft.objects.get().pk}/buy/", {"revision": "1"})
        queue.work(now=timezone.now())
        page = chromium.enter(browser, office, live_server.url, width=768)
        page.goto(f"{live_server.url}/app/bulk/{BulkJob.objects.get().public_id}/")
        assert page.locator(".candidate").count() == 2
        everywhere = TORN.replace("td.num", "td:nth-child(2), .candidate, td.num")
        assert page.evaluate(everywhere) == []
        assert chromium.list_overflow(page) == []

    def test_of_a_table_says_on_a_phone_in_one_line_how_long_a_draft_is_kept(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any
    ) -> None:
        office.post("/app/bulk/", {"pasted": f"Company\n{LONG}\n"})
        page = chromium.enter(browser, office, live_server.url, width=390)
        page.goto(f"{live_server.url}/app/bulk/")
        assert page.get_by_text("Kept for 30 days").bounding_box()["width"] > 300


class TestOnPaper:
    """Printed."""

    def test_no_word_of_an_outcome_is_broken(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any
    ) -> None:
        office.work_in("sandbox")
        names = ("Blue Heron Logistics LLC", "Magic Ambiguous LLC", "Magic Not Found LLC")
        for name in names:
            office.post("/app/", {"name": name, "state": "NC", "kind": "company"})
        office.post("/app/bulk/", {"pasted": "Company,State\n" + "".join(f"{name},NC\n" for name in names)})
        office.post(f"/app/bulk/drafts/{BulkDraft.objects.get().pk}/buy/", {"revision": "1"})
        queue.work(now=timezone.now())
        page = chromium.enter(browser, office, live_server.url, width=738)  # Letter
        page.emulate_media(media="print")
        for path in ("/app/history/", f"/app/bulk/{BulkJob.objects.get().public_id}/"):
            page.goto(live_server.url + path)
            assert page.locator("main td .tag").count() >= 3
            assert page.evaluate(BROKEN) == []


class TestABrowser:
    """Chromium, axe and html-validate."""

    def test_goes_from_the_file_to_the_choice_in_the_row(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any, tmp_path: Path
    ) -> None:
        office.work_in("sandbox")
        file = tmp_path / "customers.csv"
        file.write_text(TABLE)
        page = chromium.enter(browser, office, live_server.url, width=1440)
        complaints = chromium.listen(page)
        page.goto(f"{live_server.url}/app/bulk/")
        page.set_input_files("#file", file)  # sends itself
        page.wait_for_url("**/app/bulk/drafts/**")
        page.get_by_text("3 of 5 rows can be asked").wait_for()
        page.get_by_label("State in line 4").fill("New York")
        page.get_by_label("Company in line 4").focus()  # saves itself
        page.get_by_text("4 of 5 rows can be asked").wait_for()
        page.get_by_role("button", name="Ask 4 rows").click()
        page.wait_for_url("**/app/bulk/bulk_**")
        page.get_by_text("0 of 4 rows answered").wait_for()
        queue.work(now=timezone.now())
        page.get_by_text("4 rows, 1 found").wait_for()  # by itself
        page.get_by_role("button", name="This one").first.click()
        page.get_by_text("asked again").first.wait_for()
        assert Lookup.objects.filter(bulk__isnull=True, verdict="found").count() == 1
        assert complaints == []
        assert chromium.judge(page) == []

    def test_goes_on_with_the_progress_when_the_service_was_away_for_a_moment(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any
    ) -> None:
        office.work_in("sandbox")
        office.post("/app/bulk/", {"pasted": "Company,State\nBlue Heron Logistics LLC,DE\nMagic Found LLC,NY\n"})
        office.post(f"/app/bulk/drafts/{BulkDraft.objects.get().pk}/buy/", {"revision": "1"})
        page = chromium.enter(browser, office, live_server.url, width=1440)
        page.goto(f"{live_server.url}/app/bulk/{BulkJob.objects.get().public_id}/")
        asked: list[str] = []

        def be_away(route: Any) -> None:
            asked.append(route.request.url)
            route.fulfill(status=503, content_type="text/html", body="<h1>Not available for a moment</h1>")

        page.route("**/app/bulk/**", be_away)
        while len(asked) < 2:
            page.wait_for_timeout(100)
        page.unroute("**/app/bulk/**")
        queue.work(now=timezone.now())
        page.get_by_text("2 rows, 2 found").wait_for()

    def test_keeps_a_file_that_is_too_large_and_says_so_at_once(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any, tmp_path: Path
    ) -> None:
        file = tmp_path / "all.csv"
        file.write_text("Company,State\n" + "Blue Heron Logistics LLC,DE\n" * 200_000)
        page = chromium.enter(browser, office, live_server.url, width=1440)
        page.goto(f"{live_server.url}/app/bulk/")
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        page.set_input_files("#file", file)
        page.get_by_text("“all.csv” has more than 5 MB.").wait_for()  # read aloud, and beside the field
        assert "5 MB" in page.evaluate("document.getElementById('file').validationMessage")
        assert sent == []
        fewer = tmp_path / "fewer.csv"
        fewer.write_text("Company,State\nBlue Heron Logistics LLC,DE\n")
        page.set_input_files("#file", fewer)
        page.wait_for_url("**/app/bulk/drafts/**")

    def test_needs_no_script(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any, tmp_path: Path
    ) -> None:
        office.work_in("sandbox")
        page = chromium.enter(browser, office, live_server.url, width=390, script=False)
        page.goto(f"{live_server.url}/app/bulk/")
        page.get_by_text("Paste a table").click()
        page.get_by_label("Table", exact=True).fill(TABLE)
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Ask 3 rows").click()
        assert BulkJob.objects.get().pk == BulkDraft.objects.get().pk
        queue.work(now=timezone.now())
        page.reload()
        page.get_by_role("button", name="This one").first.click()
        assert page.get_by_text("asked again").count() == 1

    def test_finds_nothing_wrong_with_the_pages(
        self, office: Browser, live_server: Any, browser: Any, chromium: Any, tmp_path: Path
    ) -> None:
        office.work_in("sandbox")
        drafts = [office.post("/app/bulk/", {"pasted": TABLE})["Location"] for _ in range(2)]
        job = office.post(f"{drafts[1]}buy/", {"revision": "1"})["Location"]
        queue.work(now=timezone.now())
        found, documents = [], {}
        for width, color in ((390, "dark"), (1440, "light")):
            page = chromium.enter(browser, office, live_server.url, width=width, color=color)
            complaints = chromium.listen(page)
            for number, place in enumerate(("/app/bulk/", drafts[0], job)):
                reply = page.goto(f"{live_server.url}{place}")
                found += chromium.judge(page) + chromium.list_overflow(page)
                documents[f"page-{number}"] = reply.text()
            found += complaints
        if chromium.VALIDATOR.exists():
            only_main = {
                name: text[text.index("<main") : text.index("</main>") + 7] for name, text in documents.items()
            }
            frame = '<!doctype html><html lang="en"><head><title>Bulk</title></head><body>{}</body></html>'
            found += chromium.validate({name: frame.format(text) for name, text in only_main.items()}, tmp_path)
        assert found == []
