"""A clerk asks in Chromium: by keyboard, on a phone, without script, in the dark; axe and the policy find nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from lookups import tasks
from lookups.models import Job, Lookup
from tests.browser.fixtures import browser as browser
from tests.lookups.watches.looks import look_again
from tests.workspace.conftest import Browser, open_office

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]
WORD = "0" * 32


@pytest.fixture
def office(switches: None, monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Browser:
    """The owner in the sandbox; nobody is called to answer jobs but by the test."""
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
    return open_office().work_in("sandbox")


@pytest.fixture
def open_tab(browser: Any, live_server: Any, office: Browser) -> Iterator[Any]:
    """Opens an address of the workspace in a window of this width; what the browser complained of is beside it."""
    from tests.browser import chromium

    contexts = []

    def open_one(address: str, **how: Any) -> tuple[Any, list[str]]:
        context = chromium.person(browser, **how)
        contexts.append(context)
        token = office.cookies[settings.WORKSPACE_COOKIE_NAME].value
        context.add_cookies([{"name": settings.WORKSPACE_COOKIE_NAME, "value": token, "url": live_server.url}])
        page = context.new_page()
        complaints = chromium.listen(page)
        page.goto(f"{live_server.url}{address}")
        return page, complaints

    yield open_one
    for context in contexts:
        context.close()


class TestAClerk:
    """By keyboard, with script."""

    def test_types_presses_enter_and_chooses(self, open_tab: Any) -> None:
        page, complaints = open_tab("/app/?state=NY")
        page.wait_for_selector("#name:focus")  # the field has the cursor, once the page has been painted
        page.keyboard.type("Magic Ambiguous LLC")
        page.keyboard.press("Enter")
        page.wait_for_url("**/app/lookups/**")
        assert "Several companies fit" in page.inner_text("h1")
        page.click("text=Ask for this one >> nth=0")
        page.wait_for_selector(".dossier")
        assert page.inner_text("h1") == "MAGIC AMBIGUOUS LLC"
        assert complaints == []
        assert Lookup.objects.count() == 2

    def test_finds_the_question_again_on_going_back(self, open_tab: Any) -> None:
        """To put a letter right, or to ask the next state."""
        page, complaints = open_tab("/app/")
        page.check("[name=kind][value=liens]")
        page.fill("#name", "Magic Found & Söhne LLC")
        page.select_option("#state", "NY")
        page.press("#name", "Enter")
        page.wait_for_url("**/app/lookups/**")
        page.go_back()
        page.wait_for_selector("#name")
        assert page.input_value("#name") == "Magic Found & Söhne LLC"
        assert page.input_value("#state") == "NY"
        assert page.is_checked("[name=kind][value=liens]")
        assert complaints == []

    def test_stays_where_the_keyboard_is_while_other_states_answer(self, open_tab: Any, office: Browser) -> None:
        asked = {"name": "Magic Found LLC", "state": "*", "word": WORD}
        address = office.post("/app/anywhere/", asked)["Location"]
        page, complaints = open_tab(address)
        page.get_by_role("link", name="Wyoming").focus()
        Lookup.objects.filter(state="AL").update(verdict="not_found", ended_at=timezone.now())
        page.get_by_role("row", name="Alabama").get_by_text("not found", exact=False).wait_for()
        assert page.locator(":focus").inner_text() == "Wyoming"
        assert complaints == []

    def test_moves_through_the_history_with_j_and_k(self, open_tab: Any, office: Browser) -> None:
        for name in ("Magic Not Found LLC", "Magic Found LLC"):
            office.post("/app/", {"name": name, "state": "NY", "word": WORD})
        page, complaints = open_tab("/app/history/")
        for key in ("j", "j", "j", "k", "j"):
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        page.wait_for_url("**/app/lookups/**")
        assert "New York has no company “Magic Not Found LLC”" in page.inner_text("h1")
        page.go_back()
        page.keyboard.press("/")
        page.keyboard.type("jk")
        assert page.input_value("[data-search]") == "jk"
        assert complaints == []

    @pytest.mark.parametrize("script", [True, False])
    def test_waits_for_a_slow_registry_with_or_without_script(
        self, open_tab: Any, office: Browser, script: bool
    ) -> None:
        address = office.post("/app/", {"name": "Magic Later LLC", "state": "CA", "word": WORD})["Location"]
        page, complaints = open_tab(address, script=script)
        assert "California is slow" in page.inner_text("main")
        tasks.run_job(job_id=str(Job.objects.get().pk))
        page.wait_for_selector(".dossier")
        assert page.inner_text("h1") == "MAGIC LATER LLC"
        assert complaints == []


BROKEN_WORDS = """[...document.querySelectorAll('main td')].flatMap(cell => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = []
  while (texts.nextNode())
    for (const word of texts.currentNode.data.matchAll(/(?<!\\S)[A-Za-z]{3,12}(?!\\S)/g)) {
      const range = document.createRange()
      range.setStart(texts.currentNode, word.index)
      range.setEnd(texts.currentNode, word.index + word[0].length)
      if (range.getClientRects().length > 1) broken.push(word[0])
    }
  return broken
})"""


class TestThePages:
    """As they are shown."""

    @pytest.mark.parametrize("width", [390, 768, 1023, 1440])
    def test_have_lists_whose_words_stay_whole(self, open_tab: Any, office: Browser, width: int) -> None:
        for name in ("Magic Not Found LLC", "Magic Found LLC"):
            office.post("/app/", {"name": name, "state": "NY", "word": WORD, "ref": "file 7 of the audit"})
        page, _ = open_tab("/app/history/", width=width)
        assert page.locator(".listing td").count()
        assert page.evaluate(BROKEN_WORDS) == []

    @pytest.mark.parametrize("width", [768, 1440])
    def test_have_whole_words_beside_a_name_without_a_blank(self, open_tab: Any, office: Browser, width: int) -> None:
        """A name of 200 signs left "Delaw" and "are" of its state, on a wide window, too."""
        office.post("/app/", {"name": "x" * 200, "state": "DE", "word": WORD})
        page, _ = open_tab("/app/", width=width)
        assert page.locator("main td").count()
        assert page.evaluate(BROKEN_WORDS) == []

    def test_have_nothing_that_axe_or_the_policy_refuses_and_do_not_move_sideways(
        self, open_tab: Any, office: Browser
    ) -> None:
        from tests.browser import chromium

        several = office.post("/app/", {"name": "Magic Ambiguous LLC", "state": "NY", "word": WORD})["Location"]
        checked = office.post("/app/", {"name": "Lampblack Ink", "state": "OH", "kind": "name", "word": WORD})[
            "Location"
        ]
        watch = office.post(
            "/app/watches/new/",
            {"state": "DE", "entity_id": "SB-DE-920001", "every": "day", "categories": ["status", "officer"]},
        )["Location"]
        look_again(2)
        page, complaints = open_tab("/app/", width=390, color="dark")
        found = []
        for address in ("/app/", several, checked, "/app/history/", "/app/watches/", watch, "/app/events/"):
            page.goto(re.sub(r"/app/.*", address, page.url))
            found += [f"{address} {one}" for one in (*chromium.judge(page), *chromium.list_overflow(page))]
        assert [*complaints, *found] == []
