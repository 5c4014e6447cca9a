"""The numbers that other registers give a company, on its page."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from lookups.models import Entity, Identifiers, Lookup
from lookups.pages.dossier import page
from lookups.privacy import erasure
from tests.lookups.conftest import Customer, anew
from tests.lookups.test_left_out import leave_out
from tests.pages.dossier.conftest import read

pytestmark = pytest.mark.django_db
LEI = "984500SANDBOX0000190"


def ask(tester: Customer, name: str = "Blue Heron Logistics LLC", **more: Any) -> Lookup:
    body = tester.lookup(name, "DE", headers=anew(), **{"include": ["identifiers"], **more}).json()
    return next(one for one in Lookup.objects.all() if one.public_id == body["lookupId"])


def show(lookup: Lookup) -> str:
    """The page of whoever bought it."""
    dossier = page.of_lookup(lookup, viewer="customer", now=timezone.now())
    return render_to_string("parts/dossier.html", {"page": dossier})


class TestADossier:
    """Of a company whose identifiers were asked for."""

    def test_shows_the_lei_with_both_statuses_and_a_cik_as_suggested(self, tester: Customer) -> None:
        shown = show(ask(tester))
        assert f'<bdi class="mono">{LEI}</bdi>' in shown
        assert "company ACTIVE · LEI LAPSED · by number and name" in shown
        assert "suggested: the SEC has one filer of this name" in shown

    def test_says_why_there_is_none(self, tester: Customer) -> None:
        shown = show(ask(tester, "Blue Heron Logistics Holdings LP"))
        assert "GLEIF has this number under another name, so none is shown" in shown
        assert "Grey Heron" not in shown

    def test_shows_none_where_the_lookup_asked_for_none(self, tester: Customer) -> None:
        ask(tester)
        shown = show(ask(tester, include=[]))
        assert "LEI" not in shown

    def test_shows_what_another_register_writes_as_text(self, tester: Customer) -> None:
        lookup = ask(tester)
        row = Identifiers.objects.get()
        Identifiers.objects.update(lei={**row.lei, "entityStatus": "<script>x</script>"})
        assert "<script>x" not in show(lookup)


class TestThePublicPage:
    """Of the same company."""

    def test_shows_what_was_found_last(self, tester: Customer) -> None:
        ask(tester)
        assert LEI in read(Entity.objects.get().page_url).content.decode()

    def test_shows_nothing_that_nobody_looked_for(self, tester: Customer) -> None:
        ask(tester, include=[])
        assert "<dt>LEI</dt>" not in read(Entity.objects.get().page_url).content.decode()

    def test_shows_none_of_somebody_who_is_left_out(self, tester: Customer) -> None:
        ask(tester)
        leave_out(kind="person", person="Logistics, Heron")
        url = Entity.objects.get().page_url
        assert LEI not in read(url).content.decode()


def test_an_erased_lookup_has_no_identifiers_left(tester: Customer) -> None:
    lookup = ask(tester)
    erasure.forget_lookups(Lookup.objects.filter(pk=lookup.pk))
    assert not Identifiers.objects.exists()
