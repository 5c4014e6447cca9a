"""The public pages: the stored record for a person to read, whatever a registry wrote into it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from lookups.models import Entity
from tests.lookups.conftest import Customer

pytestmark = pytest.mark.django_db
OUTSIDE = re.compile(r"""(?:src|href|action)=["'](https?://[^"']+)""")


@pytest.fixture
def heron(tester: Customer) -> Entity:
    """A stored company of the sandbox."""
    assert tester.lookup("Blue Heron Logistics LLC", "DE").status_code == 200
    return Entity.objects.get()


def rewrite(heron: Entity, *, normalized: Any = (), **data: Any) -> None:
    """The registry says something else of it: a new version, since what it said before is never changed."""
    last = heron.versions.order_by("-number")[0]
    last.pk, last.number = None, last.number + 1
    last.data, last.normalized = {**last.data, **data}, {**last.normalized, **dict(normalized)}
    last.save(force_insert=True)


def read(url: str) -> Any:
    return Client().get(url)


class TestAnEntityPage:
    """The stored record of a company."""

    def test_shows_the_record_with_its_source_and_time(self, heron: Entity) -> None:
        page = read(heron.page_url).content.decode()
        for part in (
            "BLUE HERON LOGISTICS LLC",
            "SB-DE-000123",
            "Good Standing",
            "HARBOR AGENTS INC.",
            "ADA MERRILL",
            "14 QUAY STREET, DOVER, DE",
            "HERON &amp; SONS HAULAGE LLC",
            heron.versions.get().evidence["sha256"],
            "UTC",
            "not published by this source",
        ):
            assert part in page, part

    def test_says_that_a_sandbox_company_is_fictional_and_keeps_it_from_search_engines(self, heron: Entity) -> None:
        page = read(heron.page_url).content.decode()
        assert "Fictional" in page
        assert 'name="robots" content="noindex"' in page

    def test_carries_the_facts_for_machines(self, heron: Entity) -> None:
        page = read(heron.page_url).content.decode()
        block = re.search(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
        assert block
        told = json.loads(block[1])
        assert (told["@type"], told["legalName"], told["foundingDate"]) == (
            "Organization",
            "BLUE HERON LOGISTICS LLC",
            "2011-03-14",
        )

    def test_lets_nothing_that_a_registry_wrote_become_markup(self, heron: Entity) -> None:
        evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
        rewrite(
            heron,
            entityName=evil,
            registeredAgentName=evil,
            status=evil,
            officers=[{"name": evil, "title": evil, "address": evil}],
            sosUrl="https://example.test/",
            normalized={"formerNames": [evil]},
        )
        page = read(heron.page_url).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page
        assert page.count("</script>") == 1

    def test_links_to_the_registry_and_never_to_a_script(self, heron: Entity) -> None:
        Entity.objects.update(sandbox=False)
        rewrite(heron, sosUrl="javascript:alert(1)")
        assert "javascript:" not in read(heron.page_url).content.decode()
        rewrite(heron, sosUrl="https://registry.example.test/1")
        assert 'href="https://registry.example.test/1"' in read(heron.page_url).content.decode()

    def test_allows_no_script_and_no_outside_host(self, heron: Entity) -> None:
        reply = read(heron.page_url)
        assert "default-src 'none'" in reply["Content-Security-Policy"]
        assert OUTSIDE.findall(reply.content.decode()) == []

    def test_is_not_there_for_what_is_not_stored(self, heron: Entity) -> None:
        for url in (
            "/entity/delaware/nobody-de-1/",
            "/entity/atlantis/x-de-1/",
            heron.page_url.replace("delaware", "ohio"),
        ):
            reply = read(url)
            assert reply.status_code == 404
            assert "There is no page here" in reply.content.decode()


class TestTheOtherPages:
    """Home, states, errors."""

    @pytest.mark.parametrize("url", ["/", "/states/", "/robots.txt"])
    def test_are_there(self, switches: None, url: str) -> None:
        assert read(url).status_code == 200

    def test_tell_every_state_with_its_reason(self, switches: None) -> None:
        page = read("/states/").content.decode()
        assert page.count("<tr>") == 57
        assert "captcha" in page

    def test_say_what_to_do_when_no_state_is_set_up(self, db: None) -> None:
        assert read("/states/").status_code == 200

    def test_take_no_other_method(self, switches: None) -> None:
        assert Client().post("/states/").status_code == 405
