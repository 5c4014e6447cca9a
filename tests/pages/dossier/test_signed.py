"""Where the code on a printed dossier leads: what was signed under this hash."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from lookups.evidence import heads
from lookups.models import Lookup, Manifest, Suppression
from lookups.pages.dossier import of_lookup
from lookups.privacy import suppression
from tests.lookups.conftest import Customer
from tests.pages.dossier.conftest import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def lookup(tester: Customer) -> Lookup:
    """A lookup that found a company among others."""
    assert tester.lookup("Magic Several Corp", "DE", ref="file 7").status_code == 200
    return Lookup.objects.get()


def open_paper(lookup: Lookup) -> Any:
    """Follow the code on the paper that was printed of a lookup."""
    paper = of_lookup(lookup, viewer="customer", now=timezone.now())
    assert paper.proof.qr_code.startswith("data:image/svg+xml")
    return read(urlsplit(paper.proof.verify_address).path)


class TestThePaper:
    """The address on it."""

    def test_leads_to_the_record_that_was_signed(self, lookup: Lookup) -> None:
        reply = open_paper(lookup)
        page = reply.content.decode()
        assert "We signed this on" in page
        assert "MAGIC SEVERAL CORP" in page
        assert Manifest.objects.get().sha256 in page
        assert (reply["Cache-Control"], reply["X-Robots-Tag"]) == ("no-store", "noindex")

    def test_tells_the_place_in_the_chain_once_it_has_one(self, lookup: Lookup) -> None:
        assert "waits for this hour" in open_paper(lookup).content.decode()
        heads.make(now=timezone.now())
        assert "entry 1, under the signed head at entry 1" in open_paper(lookup).content.decode()

    def test_tells_nothing_of_who_asked_and_how(self, lookup: Lookup) -> None:
        page = open_paper(lookup).content.decode()
        others = [row["entityName"] for row in lookup.related]
        for part in (lookup.public_id, lookup.request_id, "file 7", "Tester", f"{lookup.ended_at:%H:%M}"):
            assert part not in page, part
        assert others
        assert "Other matches of the search" not in page

    @pytest.mark.parametrize("sha256", ["0" * 64, "abc", "0" * 63 + "g", "x" * 3000])
    def test_of_somebody_else_is_known_from_ours(self, lookup: Lookup, sha256: str) -> None:
        reply = read(f"/verify/{sha256}/")
        assert reply.status_code == 404
        assert "We signed nothing under this hash" in reply.content.decode()

    def test_is_ours_in_capitals_as_well(self, lookup: Lookup) -> None:
        """As Get-FileHash writes it: "the paper is not ours" was the answer."""
        reply = read(f"/verify/{Manifest.objects.get().sha256.upper()}/")
        assert reply.status_code == 200
        assert "We signed this on" in reply.content.decode()

    def test_of_a_company_that_was_left_out_since_shows_that_it_was_signed_alone(self, lookup: Lookup) -> None:
        assert lookup.version is not None
        company = Suppression(kind=Suppression.Kind.COMPANY, state="DE", entity_id=lookup.version.entity.entity_id)
        suppression.add(company, operator=None, now=timezone.now())
        page = open_paper(lookup).content.decode()
        assert "We signed this on" in page
        assert "MAGIC SEVERAL" not in page

    def test_shows_no_record_where_there_are_no_pages(self, lookup: Lookup, settings: Any) -> None:
        settings.ENTITY_PAGES = "off"
        page = open_paper(lookup).content.decode()
        assert "We signed this on" in page
        assert "MAGIC SEVERAL" not in page

    def test_of_an_answer_that_found_nothing_shows_no_record(self, tester: Customer) -> None:
        tester.lookup("Magic Not Found LLC", "DE")
        page = read(f"/verify/{Manifest.objects.get().sha256}/").content.decode()
        assert "We signed this on" in page
        assert "Not Found" not in page

    def test_is_opened_so_often_a_minute_by_one_address(self, lookup: Lookup, settings: Any) -> None:
        settings.PAGES_PER_MINUTE = 3
        assert 429 in [open_paper(lookup).status_code for _ in range(7)]


class TestThePublicPage:
    """Its hash."""

    def test_is_that_of_the_reading_and_does_not_change_when_somebody_asks_for_what_is_stored(
        self, tester: Customer, lookup: Lookup
    ) -> None:
        assert lookup.version is not None
        first = Manifest.objects.get().sha256
        again = tester.lookup("Magic Several Corp", "DE", source="cache").json()
        assert again["cached"] is True
        assert Manifest.objects.count() == 2
        page = read(lookup.version.entity.page_url).content.decode()
        assert first in page
        assert again["data"]["evidence"]["sha256"] not in page
