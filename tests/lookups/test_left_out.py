"""What people ask to be left out: gone from pages, from what is stored and from what customers receive, and said so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from lookups.models import Delivery, Entity, FilingSet, RecordVersion, Suppression
from lookups.models.privacy import to_person_key
from lookups.notifications import deliveries, webhook_events
from lookups.privacy import account_data, suppression
from tests.lookups.conftest import Customer, anew
from tests.lookups.messages import body_of, deliver, end_jobs, listen_at, only, write_messages
from tests.lookups.webhook_receiver import receiving, says

pytestmark = pytest.mark.django_db
HERON = {"state": "DE", "entity_id": "SB-DE-000123"}


def leave_out(**what: str) -> Suppression:
    """An operator's entry."""
    return suppression.add(Suppression(reason="Asked by mail.", **what), operator=None, now=timezone.now())


def ask(tester: Customer, **more: Any) -> Any:
    """The company's reply, asked anew."""
    return tester.lookup("Blue Heron Logistics LLC", "DE", headers=anew(), **more).json()


@pytest.fixture
def heron(tester: Customer) -> Entity:
    """A stored company of the sandbox."""
    assert ask(tester)["success"]
    return Entity.objects.get()


def page_of(heron: Entity) -> Any:
    return Client().get(heron.page_url)


class TestAPersonWhoIsLeftOut:
    """By name, in whatever order and spelling a registry writes it."""

    def test_is_on_no_page_and_in_no_reply_stored_or_live(self, tester: Customer, heron: Entity) -> None:
        before = ask(tester)["data"]
        leave_out(kind="person", person="Merrill, Ada")
        for reply in (ask(tester), ask(tester, source="cache")):
            data = reply["data"]
            assert [one["name"] for one in data["officers"]] == ["JONAS PEPPERCOTE"]
            assert [one["familyName"] for one in data["normalized"]["officers"]] == ["Peppercote"]
            assert data["normalized"]["fieldAvailability"]["officers"] == "withheld"
            assert reply["note"] == "Left out at the request of a person it is about: officers."
            for fact in ("entityName", "entityId", "status", "formationDate", "entityType"):
                assert data[fact] == before[fact]
        page = page_of(heron).content.decode()
        assert "MERRILL" not in page
        assert "PEPPERCOTE" in page
        assert "Left out at the request" in page

    def test_is_not_in_what_was_asked_before_either(self, tester: Customer, heron: Entity) -> None:
        number = ask(tester)["lookupId"]
        leave_out(kind="person", person="ADA MERRILL")
        told = tester.get(f"/v1/lookups/{number}").json()
        assert "MERRILL" not in str(told["data"])
        assert told["data"]["normalized"]["fieldAvailability"]["officers"] == "withheld"

    def test_is_in_no_webhook_that_is_sent_again(self, tester: Customer, settings: Any) -> None:
        settings.WEBHOOKS_TO_LOOPBACK = True
        with receiving(says(204)) as receiver:
            listen_at(tester, receiver)
            assert tester.lookup("Magic Later LLC", "DE").status_code == 202
            end_jobs()
            deliver()
            officer = body_of(receiver.requests[0])["data"]["data"]["officers"][0]["name"]
            leave_out(kind="person", person=officer)
            row = only()
            assert officer not in webhook_events.get_body(row)
            assert officer not in "".join(account_data.write_json(tester.account)), "as the customer may ask for it"
            assert deliveries.send_again(row, now=timezone.now())
            deliver()
            before, again = map(body_of, receiver.requests)
        assert officer not in str(again)
        assert again["data"]["data"]["normalized"]["fieldAvailability"]["officers"] == "withheld"
        assert [again[name] for name in ("id", "type", "created_at")] == [
            before[name] for name in ("id", "type", "created_at")
        ]

    def test_is_in_no_webhook_of_a_worker_that_learns_of_it_within_the_minute(
        self, tester: Customer, settings: Any
    ) -> None:
        settings.WEBHOOKS_TO_LOOPBACK = True
        with receiving(says(204)) as receiver:
            listen_at(tester, receiver)
            tester.lookup("Magic Later LLC", "DE")
            end_jobs()
            deliver()
            officer = body_of(receiver.requests[0])["data"]["data"]["officers"][0]["name"]
            Delivery.objects.all().delete()
            leave_out(kind="person", person=officer)
            cache.set("suppressed", frozenset(), 60)  # the worker's own memory, of a moment before
            assert tester.lookup("Magic Later LLC", "DE", headers=anew()).status_code == 202
            end_jobs()
            cache.clear()  # its minute is over
            deliver()
            _, sent = map(body_of, receiver.requests)
        assert officer not in str(sent)
        assert officer not in webhook_events.get_body(only()), "as its log shows it for a week"

    def test_keeps_no_message_that_is_about_nobody_from_being_sent(self, tester: Customer, settings: Any) -> None:
        """Of a bulk job's numbers, for one, that waits while somebody is left out."""
        settings.WEBHOOKS_TO_LOOPBACK = True
        with receiving(says(204)) as receiver:
            listen_at(tester, receiver)
            write_messages(tester, 1)
            leave_out(kind="person", person="Somebody Else")
            deliver()
        assert [request.body for request in receiver.requests] == [b"{}"]

    def test_is_not_stored_again(self, tester: Customer, heron: Entity) -> None:
        leave_out(kind="person", person="ADA MERRILL", state="DE")
        ask(tester)
        newest = RecordVersion.objects.order_by("-number")[0]
        assert newest.number == 2
        assert "MERRILL" not in str(newest.data).upper()
        assert "MERRILL" not in str(newest.normalized).upper()

    def test_stays_where_another_state_or_company_is_meant(self, tester: Customer, heron: Entity) -> None:
        leave_out(kind="person", person="ADA MERRILL", state="OH")
        leave_out(kind="person", person="ADA MERRILL", state="DE", entity_id="SB-DE-999999")
        leave_out(kind="person", person="ADA MERRILLSON")
        reply = ask(tester)
        assert "ADA MERRILL" in str(reply["data"]["officers"])
        assert reply["note"] is None

    def test_leaves_the_company_of_that_number_in_another_state_as_it_is(self, tester: Customer, heron: Entity) -> None:
        leave_out(kind="company", state="OH", entity_id=HERON["entity_id"])
        leave_out(kind="person", person="ADA MERRILL")
        data = ask(tester)["data"]
        assert [one["name"] for one in data["officers"]] == ["JONAS PEPPERCOTE"]
        assert data["registeredAgentName"]
        assert data["normalized"]["registeredAgent"]["zip"]
        assert page_of(heron).status_code == 200

    def test_is_shown_again_when_it_is_lifted(self, tester: Customer, heron: Entity, admin_user: User) -> None:
        kept = leave_out(kind="person", person="ADA MERRILL")
        ask(tester)
        assert suppression.lift(kept, operator=admin_user, now=timezone.now())
        assert not suppression.lift(kept, operator=admin_user, now=timezone.now())
        reply = ask(tester)
        assert "ADA MERRILL" in str(reply["data"]["officers"])
        assert reply["note"] is None

    def test_takes_the_agent_along_with_the_address(self, tester: Customer, heron: Entity) -> None:
        leave_out(kind="person", person="Harbor Agents Inc")
        data = ask(tester)["data"]
        assert data["registeredAgentName"] is data["registeredAgentAddress"] is data["registeredAgentZip"] is None
        assert data["normalized"]["registeredAgent"] is None
        assert "serviceOfProcess" not in data["normalized"]["fieldAvailability"], "there never was anybody"
        assert "HARBOR" not in page_of(heron).content.decode()

    @pytest.mark.parametrize("kept", [{}, {"officers": [{"givenName": "Ada", "familyName": "Merrill"}]}])
    def test_is_in_no_list_of_parts_that_names_others_than_the_registrys(self, kept: dict[str, Any]) -> None:
        """As an older reader left it: whose parts are whose cannot be known then."""
        leave_out(kind="person", person="Ada Merrill")
        data = {"entityId": "P1", "officers": [{"name": "JONAS PEPPERCOTE"}, {"name": "ADA MERRILL"}]}
        shown = suppression.withhold(data, kept, state="FL")
        assert (shown.data["officers"], shown.normalized["officers"]) == ([{"name": "JONAS PEPPERCOTE"}], [])

    def test_gets_no_legal_papers_on_the_page_either(self, db: None) -> None:
        data = {"entityId": "9264790", "mailingAddress": "1 ELM", "mailingCity": "ALBANY", "principalCity": "ALBANY"}
        normalized = {"serviceOfProcess": {"name": "SAMPLE, JORDAN", "kind": "person"}, "fieldAvailability": {}}
        leave_out(kind="person", person="Jordan Sample")
        shown = suppression.withhold(data, normalized, state="NY")
        assert shown.normalized["serviceOfProcess"] is None
        assert (shown.data["mailingAddress"], shown.data["mailingCity"]) == (None, None)
        assert shown.data["principalCity"] == "ALBANY"
        assert "serviceOfProcess" in shown.note
        assert normalized["serviceOfProcess"], "what was read stays as it was"

    def test_is_in_no_title_of_a_filing_either(self, db: None) -> None:
        appointed = {"date": "2024-03-14", "title": "Change of Agent: SAMPLE, JORDAN Q"}
        others = [{"date": "2023-01-02", "title": "Annual Report"}, {"date": None, "title": "Agent Jordan Other"}]
        normalized = {"filings": [appointed, *others], "fieldAvailability": {}}
        leave_out(kind="person", person="Jordan Sample", state="NY")
        shown = suppression.withhold({"entityId": "9264790"}, normalized, state="NY")
        assert shown.normalized["filings"] == [{"date": "2024-03-14", "title": "withheld"}, *others]
        assert shown.note == "Left out at the request of a person it is about: filings."
        assert suppression.withhold({"entityId": "9264790"}, normalized, state="OH").normalized == normalized

    def test_is_in_no_title_that_names_just_one_of_several(self, db: None) -> None:
        people = ("Jordan Sample", "Ada Merrill")
        titles = [f"Change of Agent: {name.upper()}" for name in people]
        for name in people:
            leave_out(kind="person", person=name)
        normalized = {"filings": [{"date": None, "title": title} for title in titles], "fieldAvailability": {}}
        shown = suppression.withhold({"entityId": "9264790"}, normalized, state="NY")
        assert [one["title"] for one in shown.normalized["filings"]] == ["withheld", "withheld"]

    def test_leaves_what_is_not_theirs_and_says_nothing_of_others(self, db: None) -> None:
        data = {"entityId": "P1", "feiEinNumber": "51-0123456", "mailingCity": "ALBANY", "officers": []}
        receiver = {"name": "SOMEBODY ELSE", "kind": "person"}
        normalized = {"identifiers": {"fein": "510123456"}, "serviceOfProcess": receiver, "fieldAvailability": {}}
        leave_out(kind="field", field="principalAddress", state="FL", entity_id="P1")
        assert suppression.withhold(data, normalized, state="FL") == (data, normalized)
        filing = {"debtors": [{"name": "DOE, JANE", "address": "1 ELM"}], "securedParties": []}
        assert suppression.withhold_parties([filing], state="FL") == ([filing], "")

    def test_keeps_the_name_in_a_lien_and_loses_the_address(self, db: None) -> None:
        party = {"name": "DOE, JANE", "kind": "person", "address": "1 ELM", "city": "X", "state": "NY", "zip": "1"}
        filing = {"fileNumber": "1", "debtors": [party], "securedParties": [party | {"name": "A BANK"}]}
        leave_out(kind="person", person="Jane Doe")
        (shown,), note = suppression.withhold_parties([filing], state="NY")
        assert shown["debtors"] == [party | dict.fromkeys(("address", "city", "state", "zip"))]
        assert shown["securedParties"] == filing["securedParties"]
        assert note == "Left out at the request of a person it is about: the address of a party."

    def test_has_no_address_as_the_one_who_holds_a_lien_either(self, db: None) -> None:
        """Nor do liens stay as they were that an earlier version kept without one of the sides."""
        party = {"name": "DOE, JANE", "kind": "person", "address": "1 ELM", "city": "X", "state": "NY", "zip": "1"}
        leave_out(kind="person", person="Jane Doe", state="NY")
        leave_out(kind="person", person="Ann Other", state="OH")  # who is no party of these
        filings = [{"fileNumber": "1", "securedParties": [party], "debtors": None}, {"fileNumber": "2"}]
        (shown, _), note = suppression.withhold_parties(filings, state="NY")
        assert shown["securedParties"] == [party | dict.fromkeys(("address", "city", "state", "zip"))]
        assert note
        assert suppression.withhold_parties(filings, state="OH") == (filings, ""), "where another state is meant"

    def test_whose_address_is_shown_again_is_no_news_of_a_lien_that_was_read_without_it(self) -> None:
        """To who watches the liens; one that was read since then, or in another state, has been shown in full."""
        jane = {"name": "DOE, JANE", "kind": "person", "address": "1 ELM", "city": "X", "state": "NY", "zip": "1"}
        filings = [{"fileNumber": "1", "debtors": [jane], "securedParties": [jane | {"name": "A BANK"}]}]
        lifted_at = timezone.now()
        for what in ({"person": "Jane Doe"}, {"person": "A Bank", "entity_id": "77"}, {"person": "Ann Other"}):
            kept = leave_out(kind="person", state="NY", **what)
            assert suppression.lift(kept, operator=None, now=lifted_at)
        leave_out(kind="person", person="A Bank")  # which is left out still, and not in what is compared

        def before(state: str, since: timedelta) -> list[dict[str, Any]]:
            return suppression.withhold_parties_of_before(filings, state=state, since=lifted_at + since)

        nowhere = dict.fromkeys(("address", "city", "state", "zip"))
        assert before("NY", timedelta(hours=-1)) == [filings[0] | {"debtors": [jane | nowhere]}]
        assert before("NY", timedelta()) == before("OH", timedelta(hours=-1)) == filings

    @pytest.mark.parametrize(
        ("one", "other"), [("MERRILL, ADA", "Ada Merrill"), ("José  Núñez", "NUNEZ JOSE"), ("O'Neil, A.", "a o neil")]
    )
    def test_is_known_in_another_spelling(self, one: str, other: str) -> None:
        assert to_person_key(one) == to_person_key(other)


class TestAFieldThatIsLeftOut:
    """Of one company."""

    @pytest.mark.parametrize("field", [str(one) for one in Suppression.Field])
    def test_is_gone_and_said_to_be(self, tester: Customer, heron: Entity, field: str) -> None:
        before = ask(tester)["data"]
        leave_out(kind="field", field=field, **HERON)
        reply = ask(tester)
        assert not reply["data"][field]
        assert (field in (reply["note"] or "")) == bool(before[field])
        assert reply["data"]["status"] == before["status"]
        kept = RecordVersion.objects.order_by("-number")[0]
        assert not kept.data[field]

    @pytest.mark.parametrize("field", [str(one) for one in Suppression.Field])
    @pytest.mark.parametrize("normalized", [{}, {"registeredAgent": None, "identifiers": {"local": "none"}}])
    def test_is_not_missed_where_the_record_never_had_it(self, field: str, normalized: dict[str, Any]) -> None:
        """As an older reader kept it, or where a company has no agent and no number."""
        leave_out(kind="field", field=field, state="FL", entity_id="P1")
        shown = suppression.withhold({"entityId": "P1"}, normalized, state="FL")
        assert (shown.data, shown.note) == ({"entityId": "P1"}, "")
        assert (shown.normalized.get("identifiers") or {}) == normalized.get("identifiers", {})

    def test_is_gone_from_the_facts_for_machines(self, tester: Customer, heron: Entity) -> None:
        leave_out(kind="field", field="principalAddress", **HERON)
        page = page_of(heron).content.decode()
        assert "14 QUAY STREET" not in page
        assert "left out at the request" in page

    def test_takes_the_zip_of_the_agent_along_with_the_address(self, tester: Customer, heron: Entity) -> None:
        assert ask(tester)["data"]["normalized"]["registeredAgent"]["zip"]
        leave_out(kind="field", field="registeredAgentAddress", **HERON)
        for data in (ask(tester)["data"], ask(tester, source="cache")["data"]):
            assert data["registeredAgentZip"] is data["normalized"]["registeredAgent"]["zip"] is None
            assert data["registeredAgentName"]

    def test_takes_the_papers_that_are_served_on_the_agent_along(self) -> None:
        leave_out(kind="field", field="registeredAgentName", state="NY", entity_id="1")
        data = {"entityId": "1", "registeredAgentName": "SAMPLE, JORDAN"}
        normalized = {"serviceOfProcess": {"name": "SAMPLE, JORDAN", "kind": "person"}}
        shown = suppression.withhold(data, normalized, state="NY")
        assert shown.data["registeredAgentName"] is shown.normalized["serviceOfProcess"] is None

    def test_takes_the_same_number_from_the_others(self) -> None:
        leave_out(kind="field", field="feiEinNumber", state="FL", entity_id="P1")
        data = {"entityId": "P1", "feiEinNumber": "51-0123456", "officers": []}
        record = suppression.withhold(data, {"identifiers": {"fein": "510123456", "tax": "77"}}, state="FL")
        assert record.normalized["identifiers"] == {"tax": "77"}
        assert data["feiEinNumber"] == "51-0123456"  # what was kept before is not changed


class TestACompanyThatIsLeftOut:
    """Its page, and all that may be about a person."""

    def test_has_no_page_under_any_name_and_keeps_its_facts_for_customers(
        self, tester: Customer, heron: Entity
    ) -> None:
        leave_out(kind="company", **HERON)
        assert page_of(heron).status_code == 404
        reply = ask(tester)
        data = reply["data"]
        assert (data["status"], data["entityName"]) == ("Good Standing", "BLUE HERON LOGISTICS LLC")
        assert data["officers"] == []
        assert data["registeredAgentName"] is data["principalAddress"] is data["feiEinNumber"] is None
        assert "officers" in reply["note"]

    def test_is_in_a_name_check_without_a_page_that_is_not_there(self, tester: Customer, heron: Entity) -> None:
        def find_pages() -> list[str | None]:
            asked = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}
            checked = tester.post("/v1/name-availability", asked, **anew()).json()
            return [one["entityPageUrl"] for one in checked["conflictingEntities"]]

        assert heron.page_url in find_pages()
        leave_out(kind="company", **HERON)
        assert heron.page_url not in find_pages()

    def test_is_left_out_whole_where_one_of_its_people_has_asked_as_well(self, tester: Customer, heron: Entity) -> None:
        number = ask(tester)["lookupId"]
        leave_out(kind="person", person="ADA MERRILL")
        leave_out(kind="company", **HERON)
        for reply in (tester.get(f"/v1/lookups/{number}").json(), ask(tester)):
            assert reply["data"]["officers"] == []
            assert reply["data"]["registeredAgentName"] is reply["data"]["principalAddress"] is None


class TestAnEntry:
    """One row of the list."""

    @pytest.mark.parametrize(
        "what",
        [
            {"kind": "company", "state": "DE"},
            {"kind": "company", "entity_id": "1"},
            {"kind": "field", "state": "DE", "entity_id": "1"},
            {"kind": "field", "field": "officers", "entity_id": "1"},
            {"kind": "person"},
            {"kind": "person", "person": "!!"},
            {"kind": "person", "person": "Ada", "entity_id": "1"},
            {"kind": "company", "state": "DE", "entity_id": "1", "person": "Ada"},
        ],
    )
    def test_names_one_thing_in_full(self, db: None, what: dict[str, str]) -> None:
        with pytest.raises(suppression.Unclear):
            leave_out(**what)
        row = Suppression(reason="", made_at=timezone.now(), **what)
        if what.get("kind") != "company" or "person" not in what:
            with pytest.raises(IntegrityError), transaction.atomic():  # the database refuses it as well
                row.save()


class TestRepliesWithoutAnyRequest:
    """Everybody's."""

    def test_are_as_they_were_and_ask_the_database_nothing_more(
        self, tester: Customer, heron: Entity, django_assert_num_queries: Any
    ) -> None:
        version = RecordVersion.objects.get()
        with django_assert_num_queries(0):  # that there is none was seen with the lookup, and is known for a minute
            shown = suppression.withhold(version.data, version.normalized, state="DE")
        assert (shown.data, shown.normalized, shown.note) == (version.data, version.normalized, "")
        assert not FilingSet.objects.exists()

    def test_ask_nothing_more_while_others_are_on_the_list(
        self, tester: Customer, heron: Entity, django_assert_num_queries: Any
    ) -> None:
        for other in (
            {"kind": "company", "state": "DE", "entity_id": "1"},
            {"kind": "person", "person": "Ann Other"},
        ):
            suppression.add(Suppression(**other, reason="asked"), operator=None, now=timezone.now())
        version = RecordVersion.objects.get()
        suppression.withhold(version.data, version.normalized, state="DE")
        with django_assert_num_queries(0):
            assert suppression.withhold(version.data, version.normalized, state="DE").note == ""
