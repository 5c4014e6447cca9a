"""Dossiers as people see them, of a plain and of a hostile record: on phones, on screens, in the dark and on paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, Route

from lookups.models import Lookup, Manifest
from lookups.pages.dossier import of_lookup
from tests.browser import chromium
from tests.lookups.conftest import Customer
from tests.pages.dossier.conftest import read
from tests.pages.dossier.records import HOSTILE, HOSTILE_READ, keep

pytestmark = pytest.mark.django_db
LOOKS = ((390, "dark"), (768, "light"), (1440, "dark"), (1440, "light"))
MOST_BYTES = 100_000
# What is higher than its box and is cut there without the sign that says so
CUT_UNSEEN = """[...document.querySelectorAll('.dossier *')].filter(one => one.checkVisibility()
  && getComputedStyle(one).overflowY === 'hidden' && one.scrollHeight > one.clientHeight + 2
  && getComputedStyle(one).webkitLineClamp === 'none').map(one => one.outerHTML.slice(0, 100))"""


@pytest.fixture
def urls(settings: Any, tester: Customer) -> dict[str, str]:
    """Pages to look at, by name."""
    settings.ENTITY_PAGES = "public"
    settings.PAGES_PER_MINUTE = 1000
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    now = timezone.now()
    keep(read_at=now - timedelta(days=200), status="Delinquent")
    plain = keep(read_at=now - timedelta(days=95))
    hostile = keep(read_at=now - timedelta(days=3), entityId="666", **HOSTILE, normalized=HOSTILE_READ)
    assert tester.lookup("Blue Heron Logistics LLC", "DE", searchType="ucc").status_code == 200
    return {
        "plain": plain.entity.page_url,
        "hostile": hostile.entity.page_url,
        "index": "/entity/delaware/",
        "signed": f"/verify/{Manifest.objects.get().sha256}/",
    }


@pytest.fixture
def open_page(urls: dict[str, str]) -> Callable[[BrowserContext, str], tuple[Page, list[str]]]:
    """Open a page by its name, and listen to what the browser complains of.

    What the service gives is fetched before: the browser's calls come from where Django has another connection.
    """
    replies = {url: read(url) for url in urls.values()}

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path in replies:
            route.fulfill(headers=dict(replies[path].items()), body=replies[path].content)
        elif file := finders.find(path.removeprefix("/static/")):
            route.fulfill(path=str(file))
        else:
            route.fulfill(status=404)

    def opened(person: BrowserContext, name: str) -> tuple[Page, list[str]]:
        page = person.new_page()
        complaints = chromium.listen(page)
        page.route("**/*", answer)
        page.goto(f"http://127.0.0.1:8000{urls[name]}", wait_until="load")
        return page, complaints

    return opened


class TestADossier:
    """Whatever its registry wrote."""

    @pytest.mark.slow
    @pytest.mark.skipif(not chromium.AXE.exists(), reason="needs npm")
    def test_is_readable_on_every_screen(self, browser: Browser, urls: dict[str, str], open_page: Any) -> None:
        wrong: list[str] = []
        for width, color in LOOKS:
            person = chromium.person(browser, width=width, color=color)
            for name in urls:
                if name in ("plain", "hostile") or width == 390:
                    page, found = open_page(person, name)
                    found += [*chromium.list_overflow(page), *chromium.judge(page)]
                    wrong += [f"{name} {width} {color}: {one}" for one in found]
                    page.close()
            person.close()
        assert wrong == []

    def test_is_one_page_of_paper(self, browser: Browser, open_page: Any) -> None:
        person = chromium.person(browser)
        for name in ("plain", "hostile"):
            page, _ = open_page(person, name)
            printed = page.pdf(prefer_css_page_size=True)
            assert len(re.findall(rb"/Type /Page\b", printed)) == 1, name
            page.close()
        person.close()

    def test_is_printed_with_its_day_its_hash_and_a_code_and_nothing_to_click(
        self, browser: Browser, open_page: Any
    ) -> None:
        person = chromium.person(browser)
        page, _ = open_page(person, "plain")
        page.emulate_media(media="print")
        text = page.inner_text("body")
        day = timezone.now() - timedelta(days=95)
        assert f"showed on {day.day} {day:%B %Y}" in text
        assert "ab" * 32 in text
        assert "It is no certificate of the state" in text
        assert page.get_by_alt_text("QR code").is_visible()
        for part in ("Check again", "days ago", "Sign in", "Ask the registry"):
            assert part not in text, part
        person.close()

    def test_says_on_paper_where_a_text_is_cut(self, browser: Browser, open_page: Any) -> None:
        person = chromium.person(browser)
        for name in ("plain", "hostile", "signed"):
            page, _ = open_page(person, name)
            page.emulate_media(media="print")
            assert page.evaluate(CUT_UNSEEN) == [], name
            page.close()
        person.close()

    def test_of_liens_is_printed_with_whole_parties_and_the_kind_of_each(
        self, browser: Browser, open_page: Any
    ) -> None:
        person = chromium.person(browser, width=390)  # so narrow that a party needs several lines
        page, _ = open_page(person, "signed")
        page.emulate_media(media="print")
        assert page.get_by_text("Initial Financing Statement").first.is_visible()
        whole = "[...document.querySelectorAll('.lien dd')].every(one => getComputedStyle(one).overflowY === 'visible')"
        assert page.evaluate(whole)
        person.close()

    @pytest.mark.skipif(not chromium.VALIDATOR.exists(), reason="needs npm")
    def test_is_html_as_the_standard_has_it(self, urls: dict[str, str], tmp_path: Path) -> None:
        lookup = Lookup.objects.get()
        documents = {name: read(url).content.decode() for name, url in urls.items()}
        assert "4 liens" in documents["signed"]
        assert of_lookup(lookup, viewer="customer", now=timezone.now()).liens
        assert chromium.validate(documents, tmp_path) == []

    def test_is_light(self, urls: dict[str, str]) -> None:
        files = ("site.css", "dossier.css", "pages.js")
        beside = sum(Path(str(finders.find(f"lookups/{name}"))).stat().st_size for name in files)
        for name, url in urls.items():
            assert len(read(url).content) + beside < MOST_BYTES, name
