"""Every page is Markdown too, and the whole stands on one screen for programs that read."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from lookups.api.wire.words import CODES, REASONS
from lookups.pages.docs import contents, guides
from lookups.pages.docs.reference import operations
from scrapers.sandbox.magic import MAGIC
from tests.pages.docs.test_site import list_pages, read


def text_of(path: str) -> str:
    reply = Client().get(path)
    assert reply.status_code == 200, path
    assert reply["Content-Type"] in ("text/markdown; charset=utf-8", "text/plain; charset=utf-8")
    return reply.content.decode()


class TestATwin:
    """A page's Markdown."""

    def test_stands_beside_every_page(self) -> None:
        for page in list_pages():
            if page != "/docs/search/":
                [twin] = read(page).xpath("//link[@rel='alternate'][@type='text/markdown']/@href")
                assert text_of(twin).startswith("# "), page

    @pytest.mark.django_db  # closing a reply lets go of the connection
    @pytest.mark.parametrize("guide", contents.GUIDES, ids=lambda guide: guide.slug)
    def test_says_what_its_file_says_with_links_that_lead_somewhere(self, guide: contents.Guide) -> None:
        text = text_of(guide.twin)
        assert text.splitlines()[0] == guide.path.read_text().splitlines()[0]
        assert guides.HOST not in text
        assert not re.findall(r"^```\w+ ", text, re.MULTILINE)
        for link in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", text):
            picture = link.removeprefix(f"{settings.PUBLIC_URL}{settings.STATIC_URL}")
            if picture != link:
                assert finders.find(picture), link
            elif link.startswith(settings.PUBLIC_URL):
                with closing(Client().get(link.removeprefix(settings.PUBLIC_URL))) as reply:
                    assert reply.status_code == 200, link
            else:
                assert link.startswith("https://"), link

    def test_of_an_operation_has_its_fields_and_examples(self) -> None:
        text = text_of("/docs/reference/lookup.md")
        assert "`POST /v1/lookup`" in text
        assert "- `entity_name` (string or null): The company's name" in text
        assert text.count("```python") == 3
        assert "`ambiguous_name`" in text

    @pytest.mark.parametrize(
        "path", ["/docs/guides/no-such.md", "/docs/reference/nothing.md", "/docs/adr.md", "/docs/.md"]
    )
    def test_that_is_none_is_not_there(self, path: str) -> None:
        assert Client().get(path).status_code == 404


class TestTheScreenForAgents:
    """/llms.txt."""

    def test_says_what_an_agent_must_know(self) -> None:
        text = text_of("/llms.txt")
        assert all(f"`{word}`" in text for word in [*CODES, *REASONS])
        assert all(name in text for name in MAGIC.values())
        for word in ("202", "statusUrl", "/v1/bulk-lookup", "curl", "osd_test_", "Idempotency-Key"):
            assert word in text
        assert len(text) < 12_000

    def test_leads_to_every_guide_and_list(self) -> None:
        text = text_of("/llms.txt")
        twins = [*(guide.twin for guide in contents.GUIDES), "/docs/reference/words.md", "/docs/reference/webhooks.md"]
        assert all(f"]({settings.PUBLIC_URL}{twin})" in text for twin in twins)
        for link in re.findall(r"\]\(([^)]+)\)", text):
            assert Client().get(link.removeprefix(settings.PUBLIC_URL)).status_code == 200, link

    def test_has_a_long_form_with_every_guide(self) -> None:
        text = text_of("/llms-full.txt")
        assert all(guide.path.read_text().splitlines()[0] in text for guide in contents.GUIDES)

    def test_lists_every_operation(self) -> None:
        assert all(one.twin in text_of("/docs/reference.md") for one in operations.by_name().values())
