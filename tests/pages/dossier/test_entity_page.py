"""The page of a stored record for a person to read, whatever a registry wrote into it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from lookups.models import Entity, Manifest
from tests.lookups.conftest import Customer
from tests.pages.dossier.conftest import read, rewrite

pytestmark = pytest.mark.django_db
OUTSIDE = re.compile(r"""(?:src|href|action)=["'](https?://[^"']+)""")


class TestAnEntityPage:
    """The stored record of a company."""

    def test_shows_the_record_with_its_source_and_day(self, heron: Entity) -> None:
        page = read(heron.page_url).content.decode()
        for part in (
            "BLUE HERON LOGISTICS LLC",
            "SB-DE-000123",
            "Good Standing",
            "HARBOR AGENTS INC.",
            "ADA MERRILL",
            "14 QUAY STREET, DOVER, DE",
            "HERON &amp; SONS HAULAGE LLC",
            Manifest.objects.get().sha256,
        ):
            assert part in page, part

    def test_says_why_there_is_nothing(self, heron: Entity) -> None:
        rewrite(heron, jurisdiction=None, normalized={"fieldAvailability": {"jurisdiction": "not_published"}})
        assert "not published by this source" in read(heron.page_url).content.decode()

    def test_says_that_a_sandbox_company_is_fictional_and_keeps_it_from_search_engines(self, heron: Entity) -> None:
        page = read(heron.page_url).content.decode()
        assert "Fictional" in page
        assert 'name="robots" content="noindex"' in page

    def test_carries_the_facts_for_machines(self, heron: Entity) -> None:
        page = read(heron.page_url).content.decode()
        block = re.search(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
        assert block
        [told] = [one for one in json.loads(block[1])["@graph"] if one["@type"] == "Organization"]
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
        assert "<img src=x" not in page
        assert page.count("</script>") == 2  # the block for machines, and our own file

    def test_links_to_the_registry_and_never_to_a_script(self, heron: Entity) -> None:
        Entity.objects.update(sandbox=False)
        rewrite(heron, sosUrl="javascript:alert(1)")
        assert "javascript:" not in read(heron.page_url).content.decode()
        rewrite(heron, sosUrl="https://registry.example.test/1")
        assert 'href="https://registry.example.test/1"' in read(heron.page_url).content.decode()

    def test_allows_no_script_and_no_outside_host(self, heron: Entity) -> None:
        reply = read(heron.page_url)
        assert "default-src 'none'" in reply["Content-Security-Policy"]
        outside = [url for url in OUTSIDE.findall(reply.content.decode()) if not url.startswith(settings.PUBLIC_URL)]
        assert outside == []

    def test_keeps_the_streets_of_people_and_federal_numbers_to_itself(self, heron: Entity) -> None:
        rewrite(
            heron,
            registeredAgentName="JONAS PEPPERCOTE",
            registeredAgentAddress="7 LARCH LANE",
            registeredAgentCity="LEWES",
            officers=[{"name": "ADA MERRILL 123-45-6789", "title": "Manager", "address": "9 ELM COURT, DOVER, DE"}],
            feiEinNumber="51-0123456",
            status="Good Standing (FEIN 51-0123456)",
            normalized={"registeredAgent": {"kind": "person", "commercial": False, "zip": None}, "formerNames": []},
        )
        page = read(heron.page_url).content.decode()
        for part in ("JONAS PEPPERCOTE", "LEWES", "ADA MERRILL", "Manager", "Good Standing"):
            assert part in page, part
        for part in ("LARCH", "ELM COURT", "0123456", "6789"):
            assert part not in page, part

    def test_says_that_an_address_is_there_where_no_part_of_it_may_be_shown(self, heron: Entity) -> None:
        unsplit = {f"registeredAgent{part}": None for part in ("City", "State", "Zip")}
        person = {"registeredAgent": {"kind": "person", "commercial": False, "zip": None}}
        rewrite(heron, registeredAgentAddress="7 LARCH LANE LEWES", **unsplit, normalized=person)
        page = read(heron.page_url).content.decode()
        assert "not shown on this page" in page
        assert "LARCH" not in page

    def test_shows_the_street_of_an_agent_by_trade(self, heron: Entity) -> None:
        assert heron.versions.get().data["registeredAgentAddress"] in read(heron.page_url).content.decode()

    def test_tells_the_day_it_was_read_and_not_the_minute(self, heron: Entity) -> None:
        read_at = heron.versions.get().last_read_at
        page = read(heron.page_url).content.decode()
        assert f'<time datetime="{read_at:%Y-%m-%d}">' in page
        assert re.findall(r"\d\d:\d\d", page) == []

    def test_leaves_the_paid_reply_as_it_is(self, tester: Customer, heron: Entity) -> None:
        data = tester.lookup("Blue Heron Logistics LLC", "DE").json()["data"]
        assert data["officers"][0]["address"]
        assert data["evidence"]["retrievedAt"]

    def test_is_found_without_the_last_slash(self, heron: Entity) -> None:
        reply = read(heron.page_url[:-1])
        assert (reply.status_code, reply["Location"]) == (301, heron.page_url)

    def test_is_not_there_for_what_is_not_stored(self, heron: Entity) -> None:
        for url in (
            "/entity/delaware/nobody-de-1/",
            "/entity/atlantis/x-de-1/",
            heron.page_url.replace("delaware", "ohio"),
        ):
            reply = read(url)
            assert reply.status_code == 404
            assert "There is no page here" in reply.content.decode()

    def test_is_opened_so_often_a_minute_by_one_address_found_or_not(self, settings: Any, heron: Entity) -> None:
        settings.PAGES_PER_MINUTE, settings.TRUSTED_PROXIES = 3, 1
        one, other = {"x-forwarded-for": "198.51.100.7"}, {"x-forwarded-for": "198.51.100.8"}
        asked = [heron.page_url, *(f"/entity/delaware/x-de-{number}/" for number in range(6))]
        answers: list[Any] = [Client().get(url, headers=one) for url in asked]
        assert [answer.status_code for answer in answers[:2]] == [200, 404]
        full = next(answer for answer in answers if answer.status_code == 429)  # a minute may have begun between
        assert 1 <= int(full["Retry-After"]) <= 60
        assert full["Cache-Control"] == "no-store"
        assert "Too many requests" in full.content.decode()
        assert Client().get(heron.page_url, headers=other).status_code == 200


class TestWhoMayFindEntityPages:
    """`ENTITY_PAGES`."""

    @pytest.fixture
    def real(self, heron: Entity) -> Entity:
        """The company as if a real registry had it."""
        Entity.objects.update(sandbox=False)
        return Entity.objects.get()

    def test_is_nobody_by_a_search_engine_unless_asked_for(self, real: Entity) -> None:
        reply = read(real.page_url)
        assert reply["X-Robots-Tag"] == "noindex"
        assert 'name="robots" content="noindex"' in reply.content.decode()
        assert "/entity" not in read("/robots.txt").content.decode()  # or crawlers would never read the word

    def test_is_everybody_where_they_are_public(self, real: Entity, settings: Any) -> None:
        settings.ENTITY_PAGES = "public"
        reply = read(real.page_url)
        assert not reply.has_header("X-Robots-Tag")
        assert "noindex" not in reply.content.decode()

    def test_is_nobody_at_all_where_they_are_off(self, real: Entity, settings: Any) -> None:
        settings.ENTITY_PAGES = "off"
        assert read(real.page_url).status_code == 404

    def test_is_one_of_three_words(self) -> None:
        started = subprocess.run(
            [sys.executable, "manage.py", "check"],
            env=os.environ | {"ENTITY_PAGES": "hidden", "DJANGO_SETTINGS_MODULE": "config.settings.dev"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            cwd=settings.BASE_DIR,
        )
        assert started.returncode != 0
        assert "ENTITY_PAGES must be public, unlisted or off, not" in started.stderr
