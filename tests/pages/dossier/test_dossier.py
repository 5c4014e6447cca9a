"""What a dossier shows of a company: to strangers, and to whoever bought the reading."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from lookups.lookup.storage import MORE_FILINGS
from lookups.models import Lookup, StoredAnswer, Suppression
from lookups.pages.dossier import Dossier, NothingKept, of_lookup, of_version
from lookups.privacy import suppression
from tests.lookups.conftest import Customer
from tests.pages.dossier.records import keep

pytestmark = pytest.mark.django_db
PERSON = {"registeredAgent": {"kind": "person", "commercial": False, "zip": None}}


def show(page: Dossier) -> str:
    return render_to_string("parts/dossier.html", {"page": page})


def ago(**by: float) -> Any:
    return timezone.now() - timedelta(**by)


def public(version: Any) -> Dossier:
    return of_version(version, viewer="public", now=timezone.now())


def bought(lookup: Lookup) -> Dossier:
    return of_lookup(lookup, viewer="customer", now=timezone.now())


def values(page: Dossier) -> dict[str, str | None]:
    return {fact.label: fact.value for fact in page.facts}


class TestADossier:
    """The same for everybody."""

    def test_has_an_old_status_without_its_fill_and_says_why(self) -> None:
        new, old = show(public(keep(read_at=ago(hours=1)))), show(public(keep(read_at=ago(days=95), entityId="2")))
        assert 'class="tag good"' in new
        assert "may have changed" not in new
        assert 'class="tag good hollow"' in old
        assert "read 95 days ago: may have changed" in old

    def test_tells_filings_of_the_registry_from_what_we_saw_change(self) -> None:
        keep(read_at=ago(days=20), status="Delinquent", principalAddress="2 MILL LANE")
        page = public(keep(read_at=ago(days=9)))
        seen = [event.text for event in page.timeline.items if event.is_ours]
        assert seen == [
            "status changed from “Delinquent” to “Good Standing”",
            "principal office changed from “2 MILL LANE, DOVER, DE 19901” to “14 QUAY STREET, DOVER, DE 19901”",
        ]
        assert [event.text for event in page.timeline.items if not event.is_ours] == [
            "Amendment: Name Change",
            "Formed",
        ]
        assert "we saw:" in show(page)

    def test_says_when_a_change_came_about_as_far_as_that_is_known(self) -> None:
        first = keep(read_at=ago(days=20), status="Delinquent")
        last = keep(read_at=ago(days=9))
        [event] = [event for event in public(last).timeline.items if event.is_ours]
        days = [f"{one.day} {one:%B %Y}" for one in (first.last_read_at, last.first_read_at)]
        assert event.day == " to ".join(days)

    def test_says_that_our_reading_changed_where_it_was_not_the_registry(self) -> None:
        keep(read_at=ago(days=20), jurisdiction="Delawere")
        page = public(keep(read_at=ago(days=20), reason="read_anew"))
        assert [event.source for event in page.timeline.items if event.is_ours] == ["reader"]
        assert "we read the same page better:" in show(page)

    def test_has_names_and_people_that_came_and_went_among_the_changes(self) -> None:
        other = {"name": "JONAS PEPPERCOTE", "title": "Member", "address": None}
        keep(read_at=ago(days=20), normalized={"formerNames": []})
        page = public(keep(read_at=ago(days=9), officers=[other]))
        assert {event.text for event in page.timeline.items if event.is_ours} == {
            "ADA MERRILL, Manager, is listed no more",
            "JONAS PEPPERCOTE, Member, is listed",
            "former name new: HERON & SONS HAULAGE LLC",
        }

    def test_has_who_gets_legal_papers_among_the_changes(self) -> None:
        receivers = ({"name": "QUAY STREET CORP.", "kind": "organization"}, {"name": "ADA MERRILL", "kind": "person"})
        keep(read_at=ago(days=30))
        for days, receiver in zip((20, 10), receivers, strict=True):
            version = keep(read_at=ago(days=days), normalized={"serviceOfProcess": receiver})
        assert [event.text for event in public(version).timeline.items if event.is_ours] == [
            "who gets legal papers changed from “QUAY STREET CORP.” to “ADA MERRILL”",
            "who gets legal papers new: “QUAY STREET CORP.”",
        ]

    def test_says_from_when_on_changes_are_shown_where_there_are_older_ones(self) -> None:
        read = [keep(read_at=ago(days=60 - number), status=f"Status {number}") for number in range(22)]
        page = public(read[-1])
        assert len([event for event in page.timeline.items if event.is_ours]) == 20
        since = f"{read[1].first_read_at.day} {read[1].first_read_at:%B %Y}"
        assert f"What we saw change before {since} is not shown on this page" in show(page)
        assert "is not shown on this page" not in show(public(read[-2]))

    def test_does_not_know_what_was_changed_later(self) -> None:
        first = keep(read_at=ago(days=20), status="Delinquent")
        keep(read_at=ago(days=9))
        assert [event for event in public(first).timeline.items if event.is_ours] == []

    def test_says_for_each_field_why_it_is_empty(self) -> None:
        availability = {"jurisdiction": "paywalled", "mailingAddress": "not_published", "officers": "not_published"}
        version = keep(
            read_at=ago(hours=1),
            jurisdiction=None,
            officers=[],
            **{f"mailing{part}": None for part in ("Address", "City", "State", "Zip")},
            normalized={"fieldAvailability": availability},
        )
        shown = show(public(version))
        for why in ("only sold by the registry", "not published by this source", "Not published by this source."):
            assert why in shown

    def test_shows_all_of_four_hundred_people(self) -> None:
        people = [
            {"name": f"OFFICER {number:03} PEPPERCOTE", "title": "Director", "address": None} for number in range(400)
        ]
        page = public(keep(read_at=ago(hours=1), officers=people))
        assert (len(page.people.items), page.people.more) == (400, 0)
        assert "OFFICER 399 PEPPERCOTE" in show(page)

    def test_counts_the_people_for_whom_there_is_no_room(self) -> None:
        people = [{"name": "N" * 200, "title": "T" * 200, "address": None}] * 400
        page = public(keep(read_at=ago(hours=1), officers=people))
        assert len(page.people.items) + page.people.more == 400
        assert f"{page.people.more} more do not fit on this page" in show(page)


class TestForStrangers:
    """Within the limits of a page that everybody may open."""

    def test_shows_no_change_of_what_the_page_itself_does_not_show(self) -> None:
        home = {"name": "ADA MERRILL", "title": "Manager"}
        keep(
            read_at=ago(days=20),
            officers=[home | {"address": "9 ELM COURT"}],
            registeredAgentName="JONAS PEPPERCOTE",
            registeredAgentAddress="7 LARCH LANE",
            feiEinNumber="51-0123456",
            normalized=PERSON,
        )
        version = keep(
            read_at=ago(days=9),
            officers=[home | {"address": "3 ASH ROW"}],
            registeredAgentName="JONAS PEPPERCOTE",
            registeredAgentAddress="8 FIR COURT",
            feiEinNumber="51-7654321",
            normalized=PERSON,
        )
        assert [event for event in public(version).timeline.items if event.is_ours] == []
        told = show(of_version(version, viewer="customer", now=timezone.now()))
        for part in ("9 ELM COURT", "3 ASH ROW", "7 LARCH LANE", "8 FIR COURT", "51-0123456", "51-7654321"):
            assert part in told
            assert part not in show(public(version))

    def test_shows_no_number_of_the_federal_government_under_another_name(self) -> None:
        numbers = {"alei": "US-CT.BER:700123", "fein": "510123456", "sosFileNumber": "800"}
        page = public(keep(read_at=ago(hours=1), feiEinNumber="51-0123456", normalized={"identifiers": numbers}))
        assert values(page).get("Legal entity identifier (ALEI)") == "US-CT.BER:700123"
        assert "0123456" not in show(page)

    def test_shows_no_street_of_a_person_who_gets_legal_papers(self) -> None:
        receiver = {"serviceOfProcess": {"name": "ADA MERRILL", "kind": "person"}}
        page = public(keep(read_at=ago(hours=1), mailingAddress="9 ELM COURT", normalized=receiver))
        assert values(page)["Legal papers go to"] == "ADA MERRILL"
        assert "ELM COURT" not in show(page)

    def test_names_the_same_name_in_another_state_only_where_pages_are_public(self, settings: Any) -> None:
        keep(read_at=ago(days=3), state="FL", entityId="FL1")
        version = keep(read_at=ago(hours=1))
        assert not public(version).namesakes
        settings.ENTITY_PAGES = "public"
        assert [one.words for one in public(version).namesakes.items] == ["Florida · FL1"]
        left_out = Suppression(kind=Suppression.Kind.COMPANY, state="FL", entity_id="FL1")
        suppression.add(left_out, operator=None, now=timezone.now())
        assert not public(version).namesakes

    def test_names_no_company_of_the_sandbox_beside_a_real_one(self, settings: Any) -> None:
        settings.ENTITY_PAGES = "public"
        keep(read_at=ago(days=3), state="FL", entityId="SB-FL-1", sandbox=True)
        assert not public(keep(read_at=ago(hours=1))).namesakes

    def test_leaves_out_what_people_asked_for_and_says_so(self) -> None:
        version = keep(read_at=ago(hours=1))
        ada = Suppression(kind=Suppression.Kind.PERSON, person="Ada Merrill")
        suppression.add(ada, operator=None, now=timezone.now())
        shown = show(public(version))
        assert "MERRILL" not in shown
        assert "Left out at the request of a person it is about: officers." in shown


class TestFromACopy:
    """Of the files that a registry publishes: it showed them on their day, and nothing on that of the reading."""

    def test_names_the_day_of_the_files_on_paper_and_where_its_address_is_shared(self, tester: Customer) -> None:
        assert tester.lookup("Magic Copy LLC", "DE").json()["dataAsOf"].startswith("2026-11-01")
        page = of_lookup(Lookup.objects.get(), viewer="customer", now=timezone.now())
        shown = show(page)
        assert shown.count("showed on 1 November 2026") == 2
        assert f"showed on {page.proof.day}" not in shown
        assert ". Data of 1 November 2026 from the " in page.description


class TestForACustomer:
    """What the paid reply has."""

    def test_has_streets_numbers_and_the_minute(self, tester: Customer) -> None:
        told = tester.lookup("Blue Heron Logistics LLC", "DE").json()
        page = bought(Lookup.objects.get())
        shown = show(page)
        assert told["data"]["officers"][0]["address"] in shown
        assert f"{page.proof.at:%H:%M} UTC" in shown
        assert page.evidence_url == f"/app/lookups/{told['lookupId']}/evidence"
        assert told["data"]["evidence"]["sha256"] in shown

    def test_has_the_other_matches_of_the_search(self, tester: Customer) -> None:
        told = tester.lookup("Magic Several Corp", "DE").json()["data"]["relatedResults"]
        page = bought(Lookup.objects.get())
        assert [one.name for one in page.matches.items] == [one["entityName"] for one in told]
        assert len(told) == 3

    def test_has_the_record_as_it_was_then(self, tester: Customer) -> None:
        tester.lookup("Blue Heron Logistics LLC", "DE")
        lookup = Lookup.objects.get()
        version = lookup.version
        assert version is not None
        type(version).objects.filter(pk=version.pk).update(last_read_at=timezone.now() + timedelta(days=200))
        page = of_lookup(Lookup.objects.get(), viewer="customer", now=timezone.now() + timedelta(days=100))
        assert page.age.words == "read 100 days ago: may have changed"

    def test_counts_the_liens_against_just_this_name_once_they_were_asked_for(self, tester: Customer) -> None:
        tester.lookup("Blue Heron Logistics LLC", "DE")
        lookup = Lookup.objects.get()
        assert "not known here" in show(bought(lookup))
        tester.lookup("Blue Heron Logistics LLC", "DE", searchType="ucc")
        count = bought(lookup).lien_count
        assert count is not None
        assert count.words == "4 on file: 2 active, 1 lapsed, 1 terminated"
        later = of_lookup(lookup, viewer="customer", now=timezone.now() + timedelta(days=20 * 365)).lien_count
        assert later is not None
        assert later.words == f"{count.words} (the lapse date of 2 has passed since)"

    def test_counts_no_liens_of_a_search_in_other_letters(self, tester: Customer) -> None:
        """Its list may lack what is filed on this name: nobody is to read that there are no more."""
        tester.lookup("Blue Heron Logistics LLC", "DE")
        assert tester.lookup("Bl\u00fce Heron Logistics LLC", "DE", searchType="ucc").json()["total_results"] == 4
        assert bought(Lookup.objects.earliest("pk")).lien_count is None

    def test_counts_liens_of_a_list_that_was_cut_as_no_fewer_than_these(self, tester: Customer) -> None:
        tester.lookup("Blue Heron Logistics LLC", "DE")
        tester.lookup("Blue Heron Logistics LLC", "DE", searchType="ucc")
        StoredAnswer.objects.filter(kind="ucc").update(note=MORE_FILINGS)
        count = bought(Lookup.objects.earliest("pk")).lien_count
        assert count is not None
        assert count.words == "at least 4 on file: 2 active, 1 lapsed, 1 terminated"

    def test_without_liens_just_asked_for_is_not_said_never_to_have_been_asked(self, tester: Customer) -> None:
        tester.lookup("Magic Status Note LLC", "DE", searchType="ucc")
        assert "not asked for" not in show(public(keep(read_at=ago(hours=1), entityName="MAGIC STATUS NOTE LLC")))

    def test_names_the_same_company_elsewhere_where_the_account_bought_it(self, tester: Customer) -> None:
        tester.lookup("Blue Heron Logistics LLC", "DE")
        lookup = Lookup.objects.get()
        assert not bought(lookup).namesakes
        tester.lookup("Blue Heron Logistics LLC", "FL")
        assert [one.words for one in bought(lookup).namesakes.items] == ["Florida · SB-FL-000123"]

    @pytest.mark.parametrize("name", ["Magic Not Found LLC", "Magic Ambiguous LLC", "Magic Blocked LLC"])
    def test_is_none_of_what_found_no_record(self, tester: Customer, name: str) -> None:
        tester.lookup(name, "DE")
        with pytest.raises(NothingKept):
            bought(Lookup.objects.get())


class TestLiens:
    """The liens that a search brought."""

    @pytest.fixture
    def lookup(self, tester: Customer) -> Lookup:
        tester.lookup("Blue Heron Logistics LLC", "DE", searchType="ucc")
        return Lookup.objects.get()

    def test_are_shown_with_parties_days_status_and_what_followed(self, lookup: Lookup) -> None:
        page = bought(lookup)
        shown = show(page)
        assert (page.status.word, page.status.meaning) == ("4 liens", "2 active, 1 lapsed, 1 terminated")
        for part in (
            "SBU-DE-2019-000102",
            "FIRST PUDDLESTONE BANK",
            "96 LANTERN WAY, WILMINGTON, DE 19801",
            "10 June 2019",
            "“Terminated”",
            "2 February 2024 · Continuation · SBU-DE-2024-000103",
            "Two delivery vans and one fork lift; proceeds &amp; insurance thereof.",
        ):
            assert part in shown, part

    def test_of_a_secured_party_are_not_called_liens_on_it(self, tester: Customer) -> None:
        asked = {"searchType": "ucc", "searchBy": "secured_party", "dateAfter": "2024-01-01"}
        tester.lookup("First Puddlestone Bank", "DE", **asked)
        page = bought(Lookup.objects.get())
        shown = show(page)
        assert "Liens held by" in shown
        assert "Liens on" not in shown + page.title
        assert "Only liens filed from 1 January 2024 on were asked for." in shown
        assert "party=secured_party" in page.again_url

    def test_have_no_street_of_a_person_for_strangers(self, lookup: Lookup) -> None:
        shown = show(of_lookup(lookup, viewer="public", now=timezone.now()))
        assert "MERRILL, ADA" in shown
        assert "14 QUAY STREET" in show(bought(lookup))
        assert "14 QUAY STREET" not in shown

    def test_say_that_they_may_have_lapsed_since(self, lookup: Lookup) -> None:
        later = timezone.now().replace(year=2040)
        page = of_lookup(lookup, viewer="customer", now=later)
        assert [one.note for one in page.liens.items if one.status.word == "Active"] == [
            "Its lapse date has passed since it was read."
        ] * 2
