"""The pages around the record as people see them: a phone, a wide window, light and dark, with and without script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from jurisdictions import services
from lookups.models import Lookup
from tests.browser import chromium

pytestmark = pytest.mark.django_db(transaction=True)
PAGES = ["/", "/states/?show=liens", "/pricing/", "/terms/", "/contact/", "/privacy/", "/nothing/"]

SIZES = """[...document.querySelectorAll("body *")]
  .filter(one => !one.closest("svg, script, style, template") && one.innerText?.trim())
  .map(one => parseFloat(getComputedStyle(one).fontSize))"""


@pytest.fixture
def site(live_server: Any, switches: None) -> str:
    """The running service, with a reason on the page of states that is long."""
    services.degrade(code="NY", reason="The registry's site does not answer. " * 8)
    return str(live_server.url)


def open_page(browser: Browser, url: str, **person: Any) -> tuple[Page, list[str]]:
    page = chromium.person(browser, **person).new_page()
    complaints = chromium.listen(page)
    page.goto(url)
    return page, complaints


class TestTheFirstPage:
    """Between a phone and a wide window."""

    @pytest.mark.parametrize("width", [768, 1000])
    def test_has_the_numbers_beside_the_map_in_whole_words(self, browser: Browser, site: str, width: int) -> None:
        page, _ = open_page(browser, f"{site}/", width=width)
        torn = """[...document.querySelectorAll(".parts-now a")].flatMap(one => [...one.childNodes].filter(part => {
          const line = document.createRange();
          line.selectNodeContents(part);
          return part.textContent.trim() && line.getClientRects().length > part.textContent.trim().split(" ").length;
        }).map(part => part.textContent.trim()))"""
        expect(page.locator(".parts-now a")).to_have_count(4)
        assert page.evaluate(torn) == []


class TestTheSearchBox:
    """On the first page."""

    def test_answers_in_place_and_says_so(self, browser: Browser, site: str) -> None:
        page, complaints = open_page(browser, f"{site}/")
        page.get_by_role("button", name="Look up").click()
        answer = page.locator("#answer")
        expect(answer.get_by_role("heading", name="BLUE HERON LOGISTICS LLC")).to_be_visible()
        expect(page.get_by_role("status").first).to_have_text(re.compile(r"Delaware answered: \d+\.\d s\."))
        assert page.url == f"{site}/"
        page.get_by_role("link", name="an ambiguous name").click()
        expect(answer).to_contain_text("None is guessed")
        answer.get_by_role("link", name=re.compile("This one")).last.click()
        expect(answer).to_contain_text("SB-DE-")
        expect(answer.get_by_role("heading").first).to_contain_text("MAGIC AMBIGUOUS", ignore_case=True)
        assert page.url == f"{site}/"
        assert chromium.judge(page) == complaints == []

    def test_shows_that_it_is_asking_until_the_last_question_is_answered(
        self, browser: Browser, site: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 1.5)
        page, _ = open_page(browser, f"{site}/")
        page.get_by_label("Company").fill("Magic Slow LLC")
        page.get_by_role("button", name="Look up").click()
        expect(page.get_by_role("status").first).to_have_text(re.compile(r"Asking Delaware … \d\.\d s"))
        page.get_by_role("link", name="an outage").click()  # a second question: the first one's answer is not shown
        expect(page.locator("#answer")).to_contain_text("Ohio did not answer")
        page.wait_for_timeout(1800)  # past the moment at which the first would have come
        expect(page.locator("#answer")).to_contain_text("Ohio did not answer")

    def test_works_without_script(self, browser: Browser, site: str) -> None:
        page, complaints = open_page(browser, f"{site}/", script=False, width=390)
        page.get_by_label("Company").fill("Magic Not Found LLC")
        page.get_by_label("State", exact=True).select_option("TX")
        page.get_by_role("button", name="Look up").click()
        expect(page.locator("#answer")).to_contain_text("Texas has no company called")
        assert page.url.startswith(f"{site}/try/?")
        assert Lookup.objects.get().sandbox
        assert complaints == []


@pytest.mark.skipif(not chromium.AXE.exists() or not chromium.VALIDATOR.exists(), reason="needs npm")
class TestEveryPage:
    """What the judges of pages find."""

    def test_is_right_at_every_width_and_in_both_colors(self, browser: Browser, site: str, tmp_path: Path) -> None:
        found: list[str] = []
        documents = {}
        for width, color in ((390, "dark"), (768, "light"), (1440, "light")):
            page, complaints = open_page(browser, f"{site}/", width=width, color=color)
            for path in PAGES:
                reply = page.goto(f"{site}{path}")
                assert reply
                documents[re.sub(r"\W+", "-", path) or "home"] = reply.text()
                wrong = chromium.list_overflow(page) + (chromium.judge(page) if width == 390 else [])
                found += [f"{path} {width} {color}: {one}" for one in wrong]
            found += complaints
        assert found == []
        assert chromium.validate(documents, tmp_path) == []

    def test_shows_a_states_reason_on_a_phone(self, browser: Browser, site: str) -> None:
        page, _ = open_page(browser, f"{site}/states/#ny", width=390)
        reason = page.locator("#ny .reason")
        expect(reason).to_be_in_viewport()
        box = reason.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390

    def test_has_letters_of_the_size_that_its_reader_has_set(self, browser: Browser, site: str) -> None:
        """Words in a picture grow with the picture."""
        wrong = []
        with chromium.with_large_letters(browser) as large:
            usual, other = open_page(browser, site, width=720)[0], open_page(large, site)[0]
            for path in [*PAGES, "/docs/", "/docs/reference/lookup/", "/app/sign-in/"]:
                usual.goto(f"{site}{path}")
                other.goto(f"{site}{path}")
                if [2 * one for one in usual.evaluate(SIZES)] != other.evaluate(SIZES):
                    wrong.append(f"{path}: some letters are not twice as large")
                wrong += [f"{path}: {one}" for one in chromium.list_overflow(other)]
        assert wrong == []

    def test_stays_within_a_small_phone_and_within_a_phone_of_large_letters(self, browser: Browser, site: str) -> None:
        wrong = []
        with chromium.with_large_letters(browser) as large:
            for one, width in ((browser, 320), (large, 390)):
                page = open_page(one, site, width=width)[0]
                for path in [*PAGES, "/docs/", "/docs/reference/lookup/", "/docs/errors/", "/app/sign-in/"]:
                    page.goto(f"{site}{path}")
                    wrong += [f"{width} {path}: {each}" for each in chromium.list_overflow(page)]
        assert wrong == []
