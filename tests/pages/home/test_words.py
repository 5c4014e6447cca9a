"""Prices, terms, contact, privacy and the pages of errors: short, true, and with one thing to do next."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.test import Client, RequestFactory

from billing import prices
from lookups.pages import views
from lookups.pages.home import front

pytestmark = pytest.mark.django_db
PAGES = ["/", "/states/", "/pricing/", "/terms/", "/contact/", "/privacy/"]


def read(url: str, **more: Any) -> str:
    return Client().get(url, **more).content.decode()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


class TestEveryPage:
    """What search engines, browsers and other pages read of it."""

    @pytest.mark.parametrize("url", PAGES)
    def test_has_a_title_a_description_and_one_address(self, switches: None, url: str) -> None:
        page = read(f"{url}?from=somewhere")
        assert re.search(r"<title>.*SOS Lookup.*</title>", page)
        described = re.search(r'<meta name="description" content="([^"]+)">', page)
        assert described
        assert 50 < len(described[1]) < 260
        assert f'<link rel="canonical" href="{settings.PUBLIC_URL}{url}">' in page
        assert f'<meta property="og:url" content="{settings.PUBLIC_URL}{url}">' in page
        assert page.count("<h1") == 1

    def test_titles_differ(self, switches: None) -> None:
        titles = [re.search("<title>(.*)</title>", read(url))[1] for url in PAGES]  # type: ignore[index]
        assert len(set(titles)) == len(PAGES)

    @pytest.mark.parametrize("url", [*PAGES, "/try/?name=Magic+Ambiguous+LLC&state=DE"])
    def test_is_small(self, switches: None, url: str) -> None:
        own = settings.BASE_DIR / "lookups/static/lookups"
        files = ["site.css", "home.css", "dossier.css", "pages.js", "home.js"]
        weight = len(read(url).encode()) + sum((own / name).stat().st_size for name in files)
        assert weight < 100_000

    def test_is_open_to_crawlers_but_for_what_is_none(self) -> None:
        lines = read("/robots.txt").splitlines()
        for path in ("/v1/", "/admin/", "/app/", "/try/"):
            assert f"Disallow: {path}" in lines
        assert f"Sitemap: {settings.PUBLIC_URL}/sitemap.xml" in lines
        for path in ("/terms/", "/contact/"):
            assert f"{settings.PUBLIC_URL}{path}" in read("/sitemaps/pages.xml")


class TestPrices:
    """/pricing/."""

    def test_reckon_three_sizes_of_a_month(self, switches: None) -> None:
        shown = words(read("/pricing/"))
        for number in (100, 1_000, 10_000):
            assert f" {number:,} {prices.display(number * prices.LOOKUP)} " in shown
        assert "$282.60" in shown  # of 10,000 a tenth is not found, and not paid for

    def test_name_whom_to_write_to(self, switches: None, settings: Any) -> None:
        settings.CONTACT = "help@example.test"
        for url in ("/pricing/", "/terms/", "/contact/"):
            assert 'href="mailto:help@example.test"' in read(url), url

    def test_follow_what_the_operator_set(self, switches: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(prices, "UNCHANGED", 100)
        assert "0.0314 USD; 0.0100 USD when nothing changed" in words(read("/pricing/"))


class TestContact:
    """`CONTACT` and `SELLER`."""

    @pytest.mark.parametrize(
        ("contact", "shown"),
        [
            ("https://help.example.test/", '<a href="https://help.example.test/">https://help.example.test/</a>'),
            ("Room 4, Quay Street", "Write to Room 4, Quay Street."),
            ("javascript:alert(1)", "Write to javascript:alert(1)."),
            ("", "who has named no address yet"),
        ],
    )
    def test_is_a_link_only_where_it_can_be_followed(
        self, switches: None, settings: Any, contact: str, shown: str
    ) -> None:
        settings.CONTACT = contact
        assert shown in read("/contact/")
        assert 'href="javascript' not in read("/contact/")

    def test_names_the_seller_line_by_line(self, switches: None, settings: Any) -> None:
        settings.SELLER = "Quay Street Records LLC\n1 Quay Street"
        for url in ("/contact/", "/terms/"):
            assert "Quay Street Records LLC<br>1 Quay Street" in read(url)


class TestPrivacy:
    """/privacy/."""

    def test_says_what_is_kept_as_the_code_keeps_it(self, switches: None, settings: Any) -> None:
        settings.EVIDENCE_DAYS = 90
        shown = words(read("/privacy/"))
        for part in (
            "7 days with its answer, 30 days in the sandbox",
            "as evidence 90 days",
            "3 years after its answer",
        ):
            assert part in shown, part

    def test_names_every_cookie_and_everybody_who_is_asked(self, switches: None, settings: Any) -> None:
        shown = words(read("/privacy/"))
        for part in (
            "one with the columns that you hide in your history; no other",
            "your network address and browser Until you sign out, 7 days at most",
            "the network address it came from Indefinitely",
            "what each charge was for As long as the law on bookkeeping requires",
            "GLEIF is asked by the number that the state has given the company",
        ):
            assert part in shown, part
        settings.ASK_GLEIF = False
        assert "GLEIF" not in read("/privacy/")

    def test_has_the_form_for_removal(self, switches: None) -> None:
        page = read("/privacy/?about=/entity/delaware/x/")
        assert 'id="ask"' in page
        assert 'value="/entity/delaware/x/"' in page


class TestAnErrorPage:
    """Says what is wrong, and one thing to do next."""

    def button(self, html: str) -> tuple[str, str]:
        found = re.findall(r'<a class="button" href="([^"]*)">([^<]+)</a>', html)
        assert len(found) == 1, "one next step"
        return found[0]

    def test_of_what_is_not_there_leads_to_the_search_box(self, switches: None) -> None:
        reply = Client().get("/nothing/")
        assert (reply.status_code, self.button(reply.content.decode())) == (404, ("/", "Look a company up"))
        assert "A company has one once" in read("/entity/delaware/nobody-de-1/")

    @pytest.mark.parametrize(("path", "back"), [("/app/nothing/", "/app/"), ("/admin/nothing/", "/admin/")])
    def test_leads_members_and_staff_back(self, rf: RequestFactory, path: str, back: str) -> None:
        for view in (views.not_found, views.forbidden):
            assert self.button(view(rf.get(path)).content.decode())[0] == back

    def test_of_another_method_leads_to_the_page(self, switches: None) -> None:
        reply = Client().post("/states/")
        assert (reply.status_code, reply["Allow"]) == (405, "GET, HEAD")
        assert self.button(reply.content.decode())[0] == "/states/"

    def test_of_a_method_that_the_api_does_not_take_stays_as_it_is(self, switches: None) -> None:
        assert Client().delete("/v1/states").json()["code"] == "method_not_allowed"
        assert Client().get("/webhooks/stripe").content == b""

    def test_of_a_form_that_is_too_old_says_that_nothing_was_sent(self, switches: None) -> None:
        reply = Client(enforce_csrf_checks=True).post("/privacy/", {"about": "x"})
        assert reply.status_code == 403
        assert "Nothing was sent" in reply.content.decode()
        assert self.button(reply.content.decode())[0] == "/privacy/"

    @pytest.mark.parametrize(
        ("error", "status", "title"),
        [
            (PermissionDenied(), 403, "Not allowed"),
            (ValueError("x"), 500, "Something broke"),
            (OperationalError("gone"), 503, "Not available for a moment"),
        ],
    )
    def test_of_what_broke(
        self, switches: None, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, title: str
    ) -> None:
        def breaks(*_: object) -> None:
            raise error

        monkeypatch.setattr(front.coverage, "list_states", breaks)
        reply = Client(raise_request_exception=False).get("/")
        assert (reply.status_code, title in reply.content.decode()) == (status, True)
        self.button(reply.content.decode())
        assert "If you write to us" in reply.content.decode()

    def test_of_too_many_requests_offers_the_same_again(self, rf: RequestFactory) -> None:
        reply = views.too_many(rf.get("/try/?name=a&state=DE"), retry_after=7)
        assert (reply.status_code, reply["Retry-After"]) == (429, "7")
        assert self.button(reply.content.decode())[0] == "/try/?name=a&amp;state=DE"

    def test_needs_no_database(self, rf: RequestFactory, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(0):
            assert views.server_error(rf.get("/")).status_code == 500
