"""What search engines may find: the index of a state, and the sitemap."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from lxml import etree

from lookups.models import Suppression
from lookups.pages.dossier import listing
from lookups.privacy import suppression
from tests.pages.dossier.conftest import read
from tests.pages.dossier.records import keep

pytestmark = pytest.mark.django_db


@pytest.fixture
def three(settings: Any) -> None:
    """Two companies of Delaware that may be listed, and one of the sandbox, in a place where pages are public."""
    settings.ENTITY_PAGES = "public"
    for number, name in (("1", "QUAYSIDE TEA LLC"), ("2", "AMBER LANE INC.")):
        keep(read_at=timezone.now() - timedelta(days=9), entityId=number, entityName=name)
    keep(read_at=timezone.now(), entityId="SB-DE-1", entityName="FICTION LLC", sandbox=True)


def addresses(url: str) -> list[str]:
    reply = read(url)
    assert reply.status_code == 200
    tree = etree.fromstring(reply.content)
    return [one.text for one in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]


class TestTheIndexOfAState:
    """`/entity/delaware/`."""

    def test_lists_companies_by_name_with_the_day_of_reading(self, three: None) -> None:
        page = read("/entity/delaware/").content.decode()
        assert page.index("AMBER LANE INC.") < page.index("QUAYSIDE TEA LLC")
        assert f"{timezone.now() - timedelta(days=9):%Y-%m-%d}" in page
        assert "FICTION" not in page

    @pytest.mark.parametrize("setting", ["unlisted", "off"])
    def test_is_not_there_where_pages_are_not_public(self, three: None, settings: Any, setting: str) -> None:
        settings.ENTITY_PAGES = setting
        assert read("/entity/delaware/").status_code == 404
        assert addresses("/sitemap.xml") == [f"{settings.PUBLIC_URL}/sitemaps/pages.xml"]
        assert read("/sitemaps/delaware-1.xml").status_code == 404
        assert [url for url in addresses("/sitemaps/pages.xml") if "/entity/" in url] == []

    @pytest.mark.parametrize("url", ["/entity/ohio/", "/entity/atlantis/", "/entity/delaware/?after=zzz"])
    def test_is_not_there_where_there_is_nothing_to_list(self, three: None, url: str) -> None:
        assert read(url).status_code == 404

    def test_leaves_out_whom_somebody_had_left_out(self, three: None) -> None:
        suppression.add(
            Suppression(kind=Suppression.Kind.COMPANY, state="DE", entity_id="1"), operator=None, now=timezone.now()
        )
        assert "QUAYSIDE" not in read("/entity/delaware/").content.decode()
        assert [url for url in addresses("/sitemaps/delaware-1.xml") if "quayside" in url] == []

    def test_goes_on_page_by_page(self, three: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(listing, "PER_PAGE", 1)
        first = read("/entity/delaware/").content.decode()
        assert "QUAYSIDE" not in first
        assert 'href="?after=amber-lane-inc-de-2" rel="next"' in first
        second = read("/entity/delaware/?after=amber-lane-inc-de-2").content.decode()
        assert "QUAYSIDE" in second
        assert 'rel="next"' not in second

    @pytest.mark.parametrize("after", ["%00", "%E2%80%AE", "x" * 3000, "'--"])
    def test_stands_what_people_write_into_the_address(self, three: None, after: str) -> None:
        assert read(f"/entity/delaware/?after={after}").status_code in (200, 404)

    def test_is_opened_so_often_a_minute_by_one_address(self, three: None, settings: Any) -> None:
        settings.PAGES_PER_MINUTE = 3
        assert 429 in [read("/entity/delaware/").status_code for _ in range(7)]  # a minute may begin between


class TestThePageOfStates:
    """`/states/`."""

    def test_leads_to_the_index_of_a_state_that_has_one(self, three: None, settings: Any) -> None:
        assert re.findall(r'href="(/entity/[^"]*)"', read("/states/").content.decode()) == ["/entity/delaware/"]
        settings.ENTITY_PAGES = "unlisted"
        assert "/entity/" not in read("/states/").content.decode()


class TestTheSitemap:
    """`/sitemap.xml`."""

    def test_leads_to_our_pages_and_to_each_state(self, three: None, settings: Any) -> None:
        at = settings.PUBLIC_URL
        assert addresses("/sitemap.xml") == [f"{at}/sitemaps/pages.xml", f"{at}/sitemaps/delaware-1.xml"]
        assert {f"{at}/", f"{at}/states/", f"{at}/entity/delaware/"} <= set(addresses("/sitemaps/pages.xml"))
        assert addresses("/sitemaps/delaware-1.xml") == [
            f"{at}/entity/delaware/amber-lane-inc-de-2/",
            f"{at}/entity/delaware/quayside-tea-llc-de-1/",
        ]

    def test_tells_the_day_of_a_reading_and_not_the_minute(self, three: None) -> None:
        reply = read("/sitemaps/delaware-1.xml")
        assert f"<lastmod>{timezone.now() - timedelta(days=9):%Y-%m-%d}</lastmod>" in reply.content.decode()
        assert not reply.has_header("Last-Modified")

    def test_is_divided_into_files(self, three: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(listing, "PER_FILE", 1)
        assert len(addresses("/sitemap.xml")) == 3
        assert len(addresses("/sitemaps/delaware-2.xml")) == 1
        assert read("/sitemaps/delaware-3.xml").status_code == 404
        assert read("/sitemaps/delaware-0.xml").status_code == 404

    def test_names_only_what_may_be_listed(self, three: None) -> None:
        for url in addresses("/sitemaps/delaware-1.xml"):
            page = read(url.removeprefix("http://127.0.0.1:8000"))
            assert page.status_code == 200
            assert not page.has_header("X-Robots-Tag")
