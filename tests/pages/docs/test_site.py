"""The documentation as a whole: everything is shown, every link leads somewhere, nothing is too large."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import Resolver404, resolve
from lxml import html

from billing import customer_keys, keys, limits
from config import env
from lookups import idempotency as idempotency_keys
from lookups.api import idempotency, parsers, urls
from lookups.api.requests import serializers
from lookups.api.views.bulk import BulkView
from lookups.api.wire.words import CODES
from lookups.bulk.input import MOST_ROWS
from lookups.jobs import lifecycle
from lookups.pages.docs import contents, guides
from lookups.pages.docs.contents import Guide
from lookups.pages.docs.reference import operations
from lookups.watches import watching
from tests.packaging.dockerfile import read_steps

ROOT = Path(settings.BASE_DIR)
MOST = 100_000  # bytes of a page with what it loads of ours

# Documents for those who run the service, and for those who doubt it; not on the site
INTERNAL = {
    "architecture", "asvs", "benchmarks", "contract-proof", "doors-proof", "faults", "glossary",
    "matching-held-out", "money-month", "money-proof", "off-states", "people-proof", "retention", "runbook",
    "scaling", "states", "threat-model", "truth", "variations",
}  # fmt: skip


@cache
def read(path: str) -> Any:
    """A page."""
    reply = Client().get(path)
    assert reply.status_code == 200, path
    return html.fromstring(reply.content.decode())


@cache
def list_pages() -> tuple[str, ...]:
    """Every page under /docs/ that can be come to from its first one."""
    found, waiting = ["/docs/"], ["/docs/"]
    while waiting:
        page = waiting.pop()
        for href in read(page).xpath("//a/@href"):
            path = urldefrag(urljoin(page, href)).url.partition("?")[0]
            is_page = path.startswith("/docs/") and path.endswith("/") and path != "/docs/swagger/"
            if is_page and path not in found:
                found.append(path)
                waiting.append(path)
    return tuple(found)


class TestTheSite:
    """/docs/."""

    def test_shows_every_document_that_is_for_customers(self) -> None:
        docs = ROOT / "docs"
        have = {path.relative_to(docs).as_posix() for path in [*docs.glob("*.md"), *docs.glob("guides/*.md")]}
        internal = {f"{name}.md" for name in INTERNAL}
        shown = {guide.source.removeprefix("docs/") for guide in contents.GUIDES} - {"CHANGELOG.md"}
        assert (have - internal, internal - have) == (shown, set())
        assert set(list_pages()) >= {guide.url for guide in contents.GUIDES}
        assert set(list_pages()) >= {one.url for one in operations.by_name().values()}

    def test_has_no_dead_link(self) -> None:
        dead = []
        for page in list_pages():
            for href in read(page).xpath("//main//a/@href"):
                target, anchor = urldefrag(urljoin(page, href))
                path = target.partition("?")[0]
                if target.startswith(("http:", "https:", "mailto:")):
                    continue
                if path in list_pages():
                    if anchor and not read(path).xpath("//*[@id=$anchor]", anchor=anchor):
                        dead.append((page, href))
                    continue
                try:
                    resolve(path)
                except Resolver404:
                    dead.append((page, href))
        assert dead == []
        assert len(list_pages()) > 60

    def test_stands_in_the_sitemap(self, db: None) -> None:
        listed = re.findall("<loc>(.+?)</loc>", Client().get("/sitemaps/pages.xml").content.decode())
        pages = {f"{settings.PUBLIC_URL}{page}" for page in list_pages() if page != "/docs/search/"}
        assert pages <= set(listed)
        assert {url for page in list_pages() for url in read(page).xpath("//link[@rel='canonical']/@href")} == pages

    def test_asks_on_every_page_whether_it_was_wrong(self) -> None:
        for page in list_pages():
            [href] = read(page).xpath("//a[starts-with(., 'Was this page wrong')]/@href")
            assert href == f"/contact/?page={page}"

    def test_is_small(self) -> None:
        trouble = {}
        for page in list_pages():
            reply = Client().get(page)
            own = set(re.findall(r'(?:href|src)="/static/(lookups/[^"]+\.(?:css|js))"', reply.content.decode()))
            assert len(own) >= 4
            size = len(reply.content) + sum(Path(str(finders.find(name))).stat().st_size for name in own)
            if size > MOST:
                trouble[page] = size
        assert trouble == {}

    def test_has_one_title_and_every_id_once(self) -> None:
        for page in list_pages():
            ids = read(page).xpath("//@id")
            assert len(ids) == len(set(ids)), (page, [one for one in ids if ids.count(one) > 1])
            assert len(read(page).xpath("//h1")) == 1, page
            assert not read(page).xpath("//@style"), page

    def test_leads_from_each_guide_to_the_next(self) -> None:
        walked, at = [], contents.GUIDES[0].url
        while at:
            walked.append(at)
            at = next(iter(read(at).xpath("//a[@rel='next']/@href")), "")
        assert walked == [guide.url for guide in contents.GUIDES]

    def test_comes_with_the_image(self) -> None:
        copies = [step.value.split() for step in read_steps((ROOT / "Dockerfile").read_text()) if step.word == "COPY"]
        copied = {source for copy in copies for source in copy[:-1]}
        ignored = (ROOT / ".dockerignore").read_text().split()
        for guide in contents.GUIDES:
            assert {guide.source, guide.source.partition("/")[0]} & copied, guide.source
            assert not {guide.source, guide.source.partition("/")[0]} & set(ignored), guide.source


@pytest.mark.parametrize("guide", contents.GUIDES, ids=lambda guide: guide.slug)
class TestAGuide:
    """One of them."""

    def test_has_its_title_and_its_place(self, guide: Guide) -> None:
        page = read(guide.url)
        assert page.xpath("//h1/text()")[0]
        assert page.xpath("//nav[@id='docs-pages']//a[@aria-current='page']/@href") == [guide.url]
        assert guides.HOST not in Client().get(guide.url).content.decode()

    def test_shows_no_mark_of_its_file(self, guide: Guide) -> None:
        """No fence, no table and no link was left as it is written."""
        words = " ".join(read(guide.url).xpath("//article//text()[not(ancestor::code)]"))
        assert re.findall(r"```|\]\(|\|---", words) == []
        assert guide.slug == "changelog" or ".md" not in words.replace("CHANGELOG.md", "")

    def test_leads_to_whatever_readers_can_have(self, guide: Guide) -> None:
        """Documents that are not on the site keep their words; a program or a table that a guide hands out does not."""
        links = re.findall(r"\]\(([^)\s]+)\)", guide.path.read_text())
        assert [href for href in links if guides.resolve(guide, href) is None and not href.endswith(".md")] == []


class TestErrors:
    """/docs/errors/."""

    @pytest.mark.parametrize("code", CODES)
    def test_have_an_anchor_to_which_doc_url_leads(self, code: str) -> None:
        [heading] = read("/docs/errors/").xpath("//h2[@id=$code]", code=code)
        assert heading.text_content().startswith(code)


class TestKeys:
    """docs/keys.md."""

    def test_have_the_scopes_of_the_code(self) -> None:
        text = contents.by_slug()["keys"].path.read_text()
        assert set(re.findall(r"^\| `([a-z]+)` \|", text, re.MULTILINE)) == set(keys.SCOPES)


class TestStates:
    """docs/guides/states.md."""

    def test_have_the_fields_and_words_that_are_sent(self, db: None) -> None:
        text = contents.by_slug()["states"].path.read_text()
        rows = re.findall(r"^\| (`.+?) \|", text, re.MULTILINE)
        fields = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
        sent = Client().get("/v1/states").json()
        assert fields - set(sent[0]) == set()
        words = set(re.findall(r"^- `?(\w+)`?: ", text, re.MULTILINE))
        assert {one["verification"] or "null" for one in sent} | {"live"} == words


class TestLimits:
    """docs/guides/limits.md."""

    def test_are_those_of_the_code(self) -> None:
        text = contents.by_slug()["limits"].path.read_text()
        rows = dict(re.findall(r"^\| (.+?) \| (.+?) \|", text, re.MULTILINE))
        known = {
            "requests per minute, per key": f"{env.RATE_LIMIT_PER_MINUTE}",
            "requests per minute, all keys of an account together": (
                f"{env.RATE_LIMIT_PER_MINUTE * limits.KEYS_AT_FULL_SPEED}"
            ),
            "reads per minute, per key (see below)": f"{env.POLLS_PER_MINUTE}, counted separately",
            "lookups of a key running at the same time": f"{env.CONCURRENT_LOOKUPS}",
            "requests per minute without a key, or with a wrong one, per network address": f"{env.KEYLESS_PER_MINUTE}",
            "request body": (
                f"{parsers.LIMIT // 1024} KB; "
                f"{BulkView.body_limit // 1024**2} MB for a bulk request or a batch of watches"
            ),
            "name": "2 to 200 characters",
            "`entity_id`": "60 characters",
            "`ref`": "200 characters",
            "`Idempotency-Key`": f"{idempotency.LONGEST} characters",
            "rows of a bulk request": f"{MOST_ROWS:,}",
            "working keys of one mode": f"{customer_keys.MOST_KEYS}",
            "watches of an account, in test mode": f"{watching.MOST_IN_TEST}",
            "seconds a request waits for its registry": f"{env.SYNC_BUDGET_SECONDS:.0f}",
            "seconds a job may take": (
                f"{lifecycle.MAX_WAIT.total_seconds():.0f}; up to "
                f"{serializers.LONGEST_WAIT_SECONDS:,} with `max_wait_seconds`"
            ),
            "days a job and its results are kept after its end": f"{lifecycle.KEPT_FOR.days}",
        }
        assert {name: rows[name] for name in known} == known
        assert len(rows) == len(known) + 2  # the header, and the line below it
        fields = serializers.LookupRequest().fields
        assert (fields["entity_name"].min_length, fields["entity_name"].max_length) == (2, 200)  # type: ignore[attr-defined]
        assert (fields["entity_id"].max_length, fields["ref"].max_length) == (60, 200)  # type: ignore[attr-defined]

    def test_of_reads_name_what_is_read(self) -> None:
        text = contents.by_slug()["limits"].path.read_text()
        named = re.findall(r"`(/v1/.+?)`", text.partition("\nReads ")[2].partition("\n\n")[0])
        views = {str(one.pattern): getattr(one.callback, "view_class", None) for one in urls.urlpatterns}
        polled = [path for path, view in views.items() if getattr(view, "polled", False)]
        assert sorted(named) == sorted("/" + path.replace("<str:", "{").replace(">", "}") for path in polled)

    def test_of_keys_for_repetitions_are_those_of_the_code(self) -> None:
        text = contents.by_slug()["idempotency"].path.read_text()
        assert f"1 to {idempotency.LONGEST} printable ASCII" in text
        assert f"valid for {idempotency_keys.KEPT_FOR.total_seconds() // 3600:.0f} hours" in text
