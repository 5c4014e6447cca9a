"""A customer watches companies, and hears of what changes and of nothing else."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from billing import keys, ledger, prices, reconciliation
from billing.models import Account, LedgerEntry
from config.evidence import evidence_storage
from jurisdictions.models import Jurisdiction
from lookups.bulk import queue
from lookups.jobs import runner
from lookups.lookup.storage import entity_fields
from lookups.models import Job, Lookup, Watch, WatchBaseline, WatchCheck, WatchEvent
from lookups.watches import comparing, judging, replaying, schedule, ticking, watching
from lookups.watches.comparing import Judgement, Memory
from lookups.watches.readings import Reading, of_record
from lookups.watches.taxonomy import Category
from scrapers import discovery, gateway
from scrapers.bulk_data import refresh
from scrapers.evidence import bodies
from scrapers.normalize.record import normalized
from scrapers.records import EntityRecord, Match, Officer
from scrapers.sandbox.changing import CHANGING
from scrapers.search.pipeline import ask
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.test_answers_from_a_copy import virginia  # noqa: F401  (used by pytest)
from tests.lookups.watches.looks import codes, look, look_again, read, read_events, remove, watch
from tests.scrapers import virginia_register
from tests.scrapers.magic_table import list_changing

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)

PROMISED = list_changing()
"""The table of docs/sandbox.md: what each company of the sandbox that changes is told of."""


class TestASandboxCompany:
    """One for each category, and one that changes in every way."""

    @pytest.mark.parametrize("name", [name for name in PROMISED if name != CHANGING["changes"]])
    def test_is_reported_as_the_page_promises(self, tester: Customer, name: str) -> None:
        watch(tester, state="DE", entity_name=name, on=[*Category])
        look()
        assert codes(tester) == []
        look_again(5)
        assert set(codes(tester)) == PROMISED[name]

    def test_that_is_gone_at_once_is_not_said_to_have_been_missed_for_a_day(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name=CHANGING["disappears"])
        look()
        look_again(3)
        [event] = read_events(tester)
        assert "at least a day apart except in the sandbox" in event["meaning"]

    def test_is_on_the_page(self) -> None:
        assert set(PROMISED) == set(CHANGING.values())

    def test_that_changes_is_reported_at_every_check(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name=CHANGING["changes"], on=[*Category])
        look()
        for _ in range(3):
            before = len(read_events(tester))
            look_again()
            categories = {event["category"] for event in read_events(tester)[before:]}
            assert categories == PROMISED[CHANGING["changes"]]
        of_record, of_liens = read(tester, made["id"])["lastChecks"]
        assert of_record["result"] == "changed"
        assert of_liens["result"] == "baseline"  # the liens on another name are compared with nothing

    def test_that_does_not_change_is_reported_only_on_request(self, tester: Customer) -> None:
        watch(tester, state="DE", entity_name="Magic Found LLC")
        watch(tester, state="NV", entity_name="Magic Found LLC", tell_unchanged=True)
        look()
        assert codes(tester) == []
        look_again()
        assert [(event["state"], event["code"]) for event in read_events(tester)] == [("NV", "unchanged")]

    def test_without_funds_is_paused_and_says_so(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name="Magic No Funds LLC")
        look()
        told = read(tester, made["id"])
        assert (told["status"], told["pauseReason"]) == ("paused", "insufficient_balance")
        assert [(event["code"], event["reason"]) for event in read_events(tester)] == [
            ("paused", "insufficient_balance")
        ]

    @pytest.mark.parametrize("outcome", ["Ambiguous", "Too Many", "Page Changed", "Blocked", "Timeout"])
    def test_of_which_nothing_is_known_never_disappears(self, tester: Customer, outcome: str) -> None:
        made = watch(tester, state="DE", entity_name=f"Magic {outcome} LLC")
        for _ in range(3):
            Watch.objects.update(next_at=timezone.now())
            look()
            for later in (1, 4):  # what is tried again, until its time is over
                from lookups.jobs import runner

                runner.sweep(now=timezone.now() + timedelta(hours=later))
            ticking.tick(now=timezone.now())
        assert codes(tester) == []
        told = read(tester, made["id"])
        assert told["lastChecks"][0]["result"] == "unclear"
        assert "status" in told["lastChecks"][0]["notChecked"]


class TestAWatch:
    """Of a real registry."""

    @pytest.fixture(autouse=True)
    def rested(self, monkeypatch: pytest.MonkeyPatch, register: Register) -> None:
        from scrapers.states.new_york import NewYork
        from scrapers.transport.pace import Pace

        monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=2))

    def test_has_a_first_reading_that_tells_nothing_and_is_charged_like_a_lookup(self, customer: Customer) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp")
        assert made["nextCheckAt"] is not None
        look()
        told = read(customer, made["id"])
        assert (told["entity_id"], told["name"]) == ("100001", "ACME CORP.")
        [check] = told["lastChecks"]
        assert (check["verdict"], check["result"], check["cost"]) == ("found", "baseline", 0.0314)
        lookup = Lookup.objects.get()
        assert (lookup.origin, lookup.price, lookup.cost) == ("watch", PRICE, PRICE)
        assert codes(customer) == []

    def test_by_a_number_as_people_write_it_watches_the_company_that_has_it(
        self, customer: Customer, register: Register
    ) -> None:
        made = watch(customer, state="NY", entity_id="0100001", on=["name"])
        look()
        told = read(customer, made["id"])
        assert (told["name"], told["entity_id"], told["lastChecks"][0]["result"]) == (
            "ACME CORP.",
            "100001",
            "baseline",
        )
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        look_again()
        assert codes(customer) == ["name.changed"]
        for number in ("100001", "0100001"):
            assert watch(customer, state="NY", entity_id=number, on=["name"])["id"] == made["id"]

    @pytest.mark.parametrize(("name", "kind"), [("Zebra Inc", "name_mismatch"), ("Acme Corp", "entity_id")])
    def test_by_a_number_and_a_name_says_at_its_first_look_whether_they_are_of_one_company(
        self, name: str, kind: str, customer: Customer
    ) -> None:
        """As a lookup does; later looks ask for the company that was found, whatever it is called by then."""
        watch(customer, state="NY", entity_id="100001", entity_name=name)
        look()
        look_again()
        first, later = Lookup.objects.order_by("pk")
        assert (first.match["kind"], later.match["kind"]) == (kind, "entity_id")

    def test_names_what_the_source_does_not_show(self, customer: Customer) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        [check] = read(customer, made["id"])["lastChecks"]
        assert "feiEinNumber" in check["notChecked"]
        assert "status" not in check["notChecked"]

    def test_calls_unchanged_what_its_source_has_shown_and_nothing_else(self, customer: Customer) -> None:
        """It was said to have been read in full by a registry that shows no federal number."""
        made = watch(customer, state="NY", entity_name="Acme Corp", tell_unchanged=True)
        look()
        look_again()
        assert read(customer, made["id"])["lastChecks"][0]["notChecked"]
        [event] = read_events(customer)
        assert event["code"] == "unchanged"
        assert "that its source has shown" in event["meaning"]

    def test_tells_what_changed_with_the_evidence_of_both_readings(
        self, customer: Customer, register: Register
    ) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp", ref="vendor 7")
        look()
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        look_again()
        [event] = [one for one in read_events(customer) if one["code"] == "name.changed"]
        assert (event["watchId"], event["ref"], event["entityId"]) == (made["id"], "vendor 7", "100001")
        assert event["changes"] == [
            {
                "path": "data.entityName",
                "before": "ACME CORP.",
                "after": "ACME WORLDWIDE CORP.",
                "withheld": False,
            }
        ]
        before, after = event["evidence"]["before"], event["evidence"]["after"]
        assert before["lookupId"] != after["lookupId"]
        assert before["evidence"]["sha256"] != after["evidence"]["sha256"]
        assert customer.get(after["url"]).json()["data"]["entityName"] == "ACME WORLDWIDE CORP."

    def test_compares_a_company_with_itself_and_with_no_other(self, customer: Customer, register: Register) -> None:
        acme, zebra = (watch(customer, state="NY", entity_name=name) for name in ("Acme Corp", "Zebra Inc"))
        look()
        assert [read(customer, one["id"])["lastChecks"][0]["result"] for one in (acme, zebra)] == ["baseline"] * 2
        look_again()
        assert codes(customer) == []
        register.rows[1]["current_entity_name"] = "ZEBRA WORLDWIDE INC."
        look_again()
        assert {event["watchId"] for event in read_events(customer)} == {zebra["id"]}
        told = [read(customer, one["id"]) for one in (acme, zebra)]
        assert [(one["entity_id"], one["name"]) for one in told] == [
            ("100001", "ACME CORP."),
            ("100002", "ZEBRA WORLDWIDE INC."),
        ]
        assert [one["lastChecks"][0]["result"] for one in told] == ["unchanged", "changed"]

    def test_has_as_many_checks_a_month_as_it_may_itself(self, customer: Customer) -> None:
        made = [watch(customer, state="NY", entity_id=one, max_per_month=1) for one in ("100001", "100002")]
        assert look() == 2
        assert [len(read(customer, one["id"])["lastChecks"]) for one in made] == [1, 1]
        for one in made:  # one after the other, in the same month
            Watch.objects.filter(pk=one["id"].removeprefix("watch_")).update(max_per_month=2)
            assert customer.post(f"/v1/watches/{one['id']}/checks", {}).status_code == 202
            assert look() == 1

    def test_is_checked_and_ended_alone(self, customer: Customer) -> None:
        acme, zebra = (watch(customer, state="NY", entity_id=number) for number in ("100001", "100002"))
        look()
        assert customer.post(f"/v1/watches/{acme['id']}/checks", {}).status_code == 202
        assert look() == 1
        asked = Counter(check.watch.public_id for check in WatchCheck.objects.select_related("watch"))
        assert asked == {acme["id"]: 2, zebra["id"]: 1}
        Watch.objects.update(next_at=timezone.now())
        assert ticking.tick(now=timezone.now()) == 2  # both are asked for, and one is deleted before it was answered
        remove(customer, acme["id"])
        queue.work(now=timezone.now())
        assert read(customer, zebra["id"])["lastChecks"][0]["verdict"] == "found"

    def test_tells_its_events_to_its_own_account(self, customer: Customer, register: Register) -> None:
        other = open_customer(name="Bolt")
        acme, zebra = watch(customer, state="NY", entity_id="100001"), watch(other, state="NY", entity_id="100002")
        look()
        for row in register.rows:
            row["current_entity_name"] = f"THE {row['current_entity_name']}"
        look_again()
        assert [event["watchId"] for event in read_events(customer)] == [acme["id"]]
        assert [event["watchId"] for event in read_events(other)] == [zebra["id"]]
        for path in (f"/v1/events?watch={acme['id']}", f"/v1/watches/{acme['id']}"):
            assert other.get(path).status_code in (400, 404)
        assert remove(other, acme["id"]).status_code == 404
        assert [one["id"] for one in other.get("/v1/watches").json()["watches"]] == [zebra["id"]]

    def test_is_paused_and_deleted_alone(self, customer: Customer) -> None:
        acme, zebra, third = (
            watch(customer, state="NY", entity_id=number) for number in ("100001", "100002", "100003")
        )
        assert customer.patch(f"/v1/watches/{acme['id']}", {"status": "paused"}).status_code == 200
        assert remove(customer, third["id"]).status_code in (200, 204)
        assert [read(customer, one["id"])["status"] for one in (acme, zebra)] == ["paused", "active"]
        assert Watch.objects.kept().count() == 2
        assert look() == 1

    def test_has_no_result_before_its_registry_has_answered(self, customer: Customer) -> None:
        watch(customer, state="NY", entity_name="Acme Corp")
        ticking.tick(now=timezone.now())
        assert judging.judge_ended(now=timezone.now()) == 0
        assert WatchCheck.objects.get().ended_at is None
        queue.work(now=timezone.now())
        assert WatchCheck.objects.get().result == "baseline"

    def test_tells_a_new_assumed_name_of_a_registry_that_shows_no_former_ones(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from scrapers.states.new_york import NewYork

        names, detail = list[str](), NewYork.detail
        can = replace(NewYork.capabilities, former_names=False, assumed_names=True)
        monkeypatch.setattr(NewYork, "capabilities", can)
        monkeypatch.setattr(NewYork, "detail", lambda *asked: replace(detail(*asked), assumed_names=tuple(names)))
        made = watch(customer, state="NY", entity_name="Acme Corp", on=["name"])
        look()
        names.append("ACME DINER")
        look_again()
        [event] = read_events(customer)
        assert (event["code"], event["changes"][0]["after"]) == ("name.other", "ACME DINER")
        assert "formerNames" in read(customer, made["id"])["lastChecks"][0]["notChecked"]

    def test_takes_another_spelling_for_no_change(self, customer: Customer, register: Register) -> None:
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        register.rows[0]["current_entity_name"] = "Acme, Corp"
        look_again()
        assert codes(customer) == []

    def test_says_that_a_company_disappeared_after_two_readings_a_day_apart(
        self, customer: Customer, register: Register
    ) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp", every="month")
        look()
        company_then, register.rows = register.rows[0], register.rows[1:]
        look_again()
        told = read(customer, made["id"])
        assert (told["lastChecks"][0]["result"], codes(customer)) == ("absent", [])
        soon = Watch.objects.get().next_at
        assert soon is not None
        assert timedelta(hours=23) < soon - timezone.now() < timedelta(hours=25)
        look_again()
        assert codes(customer) == []  # within the same day
        self.days_pass()
        look_again()
        assert codes(customer) == ["disappeared"]
        look_again()
        assert codes(customer) == ["disappeared"]
        own_time = Watch.objects.get().next_at
        assert own_time is not None
        assert own_time - timezone.now() > timedelta(days=14)  # it is gone, and waited for no more
        register.rows.append(company_then)
        look_again()
        assert codes(customer) == ["disappeared", "reappeared"]

    def test_looks_on_the_next_day_for_a_company_it_has_missed_however_it_is_set_meanwhile(
        self, customer: Customer, register: Register
    ) -> None:
        """That it had disappeared was told a month later."""
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        register.rows = register.rows[1:]
        look_again()
        soon = Watch.objects.get().next_at
        assert customer.patch(f"/v1/watches/{made['id']}", {"every": "month"}).status_code == 200
        assert Watch.objects.get().next_at == soon

    def test_made_for_something_else_does_not_call_a_company_that_is_gone_unchanged(
        self, customer: Customer, register: Register
    ) -> None:
        """It was said to have been read in full, on the day it could not be found for the second time."""
        made = watch(customer, state="NY", entity_name="Acme Corp", on=["status"], tell_unchanged=True)
        look()
        register.rows = register.rows[1:]
        look_again()
        self.days_pass()
        look_again()
        assert (read(customer, made["id"])["lastChecks"][0]["result"], codes(customer)) == ("absent", [])

    def test_does_not_take_another_reader_that_misses_it_for_the_second_witness(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It may be the new one that misses what is there."""
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        register.rows = register.rows[1:]
        look_again()
        self.days_pass()
        monkeypatch.setattr("scrapers.evidence.readings.find_revision", lambda portal: "another")
        look_again()
        assert codes(customer) == []
        self.days_pass()
        look_again()
        assert codes(customer) == ["disappeared"]

    @staticmethod
    def days_pass() -> None:
        """The first reading that missed it was a day ago."""
        from lookups.models import WatchBaseline

        for baseline in WatchBaseline.objects.all():
            assert baseline.absent_at is not None
            baseline.absent_at -= DAY
            baseline.save()

    def test_pauses_when_the_balance_is_empty_and_looks_at_once_when_it_is_taken_up_again(
        self, customer: Customer
    ) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp")
        ledger.adjust(
            account_id=customer.account.pk,
            amount=-customer.balance.available,
            idempotency_key="empty",
            operator="test",
            reason="test",
            now=timezone.now(),
        )
        look()
        told = read(customer, made["id"])
        assert (told["status"], told["pauseReason"], told["nextCheckAt"]) == ("paused", "insufficient_balance", None)
        assert codes(customer) == ["paused"]
        assert (Lookup.objects.count(), Job.objects.count(), customer.balance.held) == (0, 0, 0)
        ledger.deposit(
            account_id=customer.account.pk, amount=PRICE, idempotency_key="d", source="staff", now=timezone.now()
        )
        assert customer.patch(f"/v1/watches/{made['id']}", {"status": "active"}).json()["watch"]["status"] == "active"
        look()
        assert read(customer, made["id"])["lastChecks"][0]["result"] == "baseline"
        assert customer.balance.available == 0

    def test_pauses_when_the_months_budget_is_spent(self, customer: Customer) -> None:
        Account.objects.filter(pk=customer.account.pk).update(monthly_budget=PRICE - 1)
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        assert read(customer, made["id"])["pauseReason"] == "budget_exceeded"

    def test_goes_on_with_the_successor_of_its_key_and_pauses_without_one(self, customer: Customer) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp")
        fresh, _ = keys.issue(account=customer.account, name="next", mode="live", now=timezone.now())
        type(fresh).objects.filter(pk=fresh.pk).update(replaces=customer.key)
        keys.revoke(key=customer.key, now=timezone.now())
        look()
        watched = Watch.objects.get()
        assert (watched.key_id, watched.status) == (fresh.pk, "active")
        keys.revoke(key=fresh, now=timezone.now())
        look_again()
        watched.refresh_from_db()
        assert (watched.status, watched.pause_reason) == ("paused", "key_ended")
        assert made["id"] == watched.public_id

    def test_whose_key_has_ended_goes_on_with_the_key_that_takes_it_up_again(self, customer: Customer) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        fresh, secret = keys.issue(account=customer.account, name="next", mode="live", now=timezone.now())
        keys.revoke(key=customer.key, now=timezone.now())
        look_again()
        later = Customer(customer.account, fresh, secret)
        assert read(later, made["id"])["pauseReason"] == "key_ended"
        assert later.patch(f"/v1/watches/{made['id']}", {"status": "active"}).json()["watch"]["status"] == "active"
        look()
        told = read(later, made["id"])
        assert (told["status"], told["lastChecks"][0]["result"]) == ("active", "unchanged")
        assert codes(later) == ["paused"]
        assert Lookup.objects.latest("pk").key_id == fresh.pk

    def test_of_an_unchanged_company_costs_what_that_costs(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "UNCHANGED", 14)
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        assert customer.balance.spent == PRICE
        look_again()
        assert (customer.balance.spent, customer.balance.held) == (PRICE + 14, 0)
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        look_again()
        assert (customer.balance.spent, customer.balance.held) == (2 * PRICE + 14, 0)
        assert [lookup.cost for lookup in Lookup.objects.order_by("pk")] == [PRICE, 14, PRICE]
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_of_an_unchanged_company_may_be_free(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(prices, "UNCHANGED", 0)
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        look_again()
        assert (customer.balance.spent, customer.balance.held) == (PRICE, 0)
        assert LedgerEntry.objects.filter(kind="release", reason="costs_less").count() == 1
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_keeps_the_price_that_was_quoted_when_its_check_was_accepted(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "UNCHANGED", 14)
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        Watch.objects.update(next_at=timezone.now())
        ticking.tick(now=timezone.now())
        monkeypatch.setattr(prices, "UNCHANGED", 200)
        queue.work(now=timezone.now())
        assert customer.balance.spent == PRICE + 14

    def test_looks_no_more_than_so_often_in_a_month(self, customer: Customer) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp", max_per_month=2)
        look()
        look_again(3)
        assert WatchCheck.objects.count() == 2
        next_at = Watch.objects.get().next_at
        assert next_at is not None
        assert next_at.month != timezone.now().month
        assert read(customer, made["id"])["status"] == "active"

    @pytest.mark.parametrize(("allowed", "looks"), [(None, True), (9, True), (1, False)])
    def test_that_had_made_its_checks_of_the_month_and_may_make_more_looks_at_its_own_time(
        self, allowed: int | None, looks: bool, customer: Customer
    ) -> None:
        """It waited for the next month all the same, and what changed until then was told then."""
        made = watch(customer, state="NY", entity_name="Acme Corp", max_per_month=2)
        look()
        look_again(3)
        Watch.objects.update(next_at=timezone.now() + 20 * DAY)  # where a new month is that far away
        reply = customer.patch(f"/v1/watches/{made['id']}", {"max_per_month": allowed})
        assert reply.status_code == 200
        next_at = Watch.objects.get().next_at
        assert next_at is not None
        assert (next_at <= timezone.now() + DAY) == looks
        assert look() == 0

    def test_that_is_due_while_a_look_is_under_way_leaves_that_one_alone(self, customer: Customer) -> None:
        watch(customer, state="NY", entity_name="Acme Corp")
        now = timezone.now()
        assert ticking.tick(now=now) == 1
        Watch.objects.update(next_at=now)
        assert ticking.tick(now=now) == 0
        due = Watch.objects.get().next_at
        assert due is not None
        assert due > now  # its turn is taken, and does not come again each minute
        assert (WatchCheck.objects.count(), customer.balance.held) == (1, PRICE)

    def test_looks_as_often_again_in_the_next_month(self, customer: Customer) -> None:
        watch(customer, state="NY", entity_name="Acme Corp", max_per_month=2)
        look()
        look_again()
        WatchCheck.objects.update(created_at=schedule.begin_month(timezone.now()) - timedelta(seconds=1))
        look_again(3)
        assert WatchCheck.objects.count() == 4

    def test_says_that_it_does_not_look_where_its_month_is_used_up(self, customer: Customer) -> None:
        """It was due, by the reply, and nothing came of it."""
        made = watch(customer, state="NY", entity_name="Acme Corp", max_per_month=1)
        look()
        next_at = Watch.objects.get().next_at
        reply = customer.post(f"/v1/watches/{made['id']}/checks", {})
        assert (reply.status_code, reply.json()["code"]) == (409, "checks_used_up")
        assert Watch.objects.get().next_at == next_at
        customer.patch(f"/v1/watches/{made['id']}", {"max_per_month": 2})
        assert customer.post(f"/v1/watches/{made['id']}/checks", {}).status_code == 202

    def test_of_which_one_question_is_unclear_asks_and_charges_that_one_alone_on_the_next_day(
        self, customer: Customer
    ) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp", every="month")
        Watch.objects.update(categories=["status", "lien"])  # New York's liens cannot be read any more
        now = timezone.now()
        own_time = schedule.find_next(Watch.objects.get().pk, "month", after=now + schedule.half_of("month"))
        look(now)
        assert {one["searchType"]: one["result"] for one in read(customer, made["id"])["lastChecks"]} == {
            "business_entity": "baseline",
            "ucc": "unclear",
        }
        due = Watch.objects.get().next_at
        for _ in range(50):  # a look a day, of six weeks at most
            if due is None or due >= own_time:
                break
            look(due)
            due = Watch.objects.get().next_at
        asked = Counter(WatchCheck.objects.values_list("kind", flat=True))
        assert (asked["business_entity"], customer.balance.spent) == (1, PRICE)
        assert (own_time - now).days - 1 <= asked["ucc"] <= (own_time - now).days + 1
        assert due == own_time
        look(due)
        assert (WatchCheck.objects.filter(kind="business_entity").count(), customer.balance.spent) == (2, 2 * PRICE)

    def test_that_missed_the_company_looks_at_its_liens_all_the_same_when_their_time_has_come(
        self, tester: Customer
    ) -> None:
        watch(tester, state="DE", entity_name=CHANGING["disappears"], on=["status", "lien"])
        look()
        asked = []
        for _ in range(4):
            due = Watch.objects.get().next_at
            assert due is not None
            look(due)
            asked.append(Counter(WatchCheck.objects.values_list("kind", flat=True)))
        assert [one["ucc"] for one in asked] == [one["business_entity"] for one in asked]
        assert {one.result for one in WatchCheck.objects.filter(kind="business_entity")} >= {"absent"}

    def test_of_which_one_question_is_unclear_asks_both_when_it_is_made_to_look(self, customer: Customer) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp", every="month")
        Watch.objects.update(categories=["status", "lien"])
        look()
        assert customer.post(f"/v1/watches/{made['id']}/checks", {}).status_code == 202
        look()
        assert Counter(WatchCheck.objects.values_list("kind", flat=True)) == {"business_entity": 2, "ucc": 2}

    def test_waits_behind_bulk_jobs(self, customer: Customer, register: Register) -> None:
        watch(customer, state="NY", entity_name="Acme Corp")
        ticking.tick(now=timezone.now())
        customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Zebra Inc", "state": "NY"}]})
        turn, _ = queue.look(now=timezone.now())
        assert turn is not None
        assert turn.bulk_id is not None
        queue.work(now=timezone.now())
        assert Job.objects.open().count() == 0

    def test_sends_no_message_of_a_job(self, customer: Customer) -> None:
        from lookups.models import Delivery

        Account.objects.filter(pk=customer.account.pk).update(webhook_url="https://hooks.example.com/")
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        assert Delivery.objects.count() == 0

    def test_that_somebody_deletes_while_another_takes_it_up_again_looks_no_more(self, customer: Customer) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp")
        customer.patch(f"/v1/watches/{made['id']}", {"status": "paused"})
        found = watching.find(made["id"], key=customer.key)  # by the request that takes it up again
        assert found is not None
        assert remove(customer, made["id"]).status_code == 200
        assert watching.change(found, by=customer.key, now=timezone.now(), status="active").next_at is None
        assert (look(), customer.balance.spent) == (0, 0)

    def test_that_is_deleted_looks_no_more_and_its_events_stay(self, customer: Customer, register: Register) -> None:
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        look_again()
        Watch.objects.update(next_at=timezone.now())
        ticking.tick(now=timezone.now())
        assert customer.balance.held == PRICE
        assert remove(customer, made["id"]).status_code == 200
        assert customer.balance.held == 0
        assert look() == 0
        assert customer.get(f"/v1/watches/{made['id']}").status_code == 404
        assert "name.changed" in codes(customer)

    @pytest.mark.parametrize("how", ["deleted", "paused"])
    def test_asks_nothing_more_where_the_request_that_ended_it_broke_off(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch, how: str
    ) -> None:
        def lose(*_: Any, **__: Any) -> None:
            raise OperationalError("the connection is lost")

        made = watch(customer, state="NY", entity_name="Acme Corp")
        ticking.tick(now=timezone.now())
        with monkeypatch.context() as database:
            database.setattr(watching, "_cancel", lose)
            if how == "deleted":
                with pytest.raises(OperationalError):
                    remove(customer, made["id"])
            else:
                assert customer.patch(f"/v1/watches/{made['id']}", {"status": "paused"}).status_code == 503
        queue.work(now=timezone.now())
        assert (register.asked, customer.balance.spent, customer.balance.held) == (0, 0, 0)
        assert not WatchCheck.objects.filter(ended_at=None).exists()

    def test_begins_anew_without_an_event_when_it_is_read_by_another_reader(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from scrapers.states.new_york import NewYork

        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        bodies.prune(now=timezone.now() + timedelta(days=366))
        monkeypatch.setattr(NewYork, "version", "99.0")
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        look_again()
        assert codes(customer) == []
        assert read(customer, made["id"])["lastChecks"][0]["result"] == "reader_changed"
        register.rows[0]["current_entity_name"] = "ACME UNIVERSAL CORP."
        look_again()
        assert "name.changed" in codes(customer)

    def test_compares_with_the_old_pages_read_anew_where_they_can_be(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from scrapers.states.new_york import NewYork

        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        as_before = NewYork.record

        def worded_anew(self: Any, *rows: Any, **more: Any) -> Any:
            return replace(as_before(self, *rows, **more), entity_type="A NEWER WORD")

        monkeypatch.setattr(NewYork, "version", "99.0")
        monkeypatch.setattr(NewYork, "record", worded_anew)
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        look_again()
        assert codes(customer) == ["name.changed"]

    def test_of_a_name_that_is_never_found_says_so_after_a_week(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Misspelled, perhaps: it is absent at each check, and of what was never there nothing disappears."""
        monkeypatch.setattr(prices, "UNCHANGED", 0)
        watch(customer, state="NY", entity_name="Nobody Inc")
        watch(customer, state="NY", entity_name="Acme Corp")  # is read each day, which says nothing of the other
        began = timezone.now()
        for day in range(10):
            assert codes(customer) == ([] if day <= 7 else ["unclear"])
            Watch.objects.update(next_at=began)
            look(began + day * DAY)
        [event] = read_events(customer)
        assert (event["evidence"]["before"], event["entityName"]) == (None, "Nobody Inc")

    def test_that_cannot_be_read_for_a_week_says_so_once_until_it_is_read_again(
        self, customer: Customer, register: Register
    ) -> None:
        """A state that is switched off, or a wall, looked like a company of which nothing changes."""
        watch(customer, state="NY", entity_name="Acme Corp", on=["status"])
        began = timezone.now()
        days = itertools.count()

        def look_on(number: int) -> None:
            for _ in range(number):
                Watch.objects.update(next_at=began)
                moment = began + next(days) * DAY
                look(moment)
                runner.sweep(now=moment + timedelta(hours=4))
                ticking.tick(now=moment + timedelta(hours=4))

        def switch(*, enabled: bool) -> None:
            status = "active" if enabled else "inactive"
            Jurisdiction.objects.filter(code="NY").update(enabled=enabled, status=status)

        look_on(1)
        reading = Lookup.objects.get()
        switch(enabled=False)
        look_on(7)
        assert codes(customer) == []
        look_on(3)
        [event] = read_events(customer)
        assert (event["code"], event["category"], event["severity"]) == ("unclear", "unclear", "medium")
        assert event["evidence"]["before"]["lookupId"] == reading.public_id
        assert event["evidence"]["after"]["lookupId"] != reading.public_id
        switch(enabled=True)
        look_on(1)
        switch(enabled=False)
        look_on(7)
        assert codes(customer) == ["unclear"]
        look_on(1)
        assert codes(customer) == ["unclear", "unclear"]

    def test_that_cannot_be_read_for_a_week_says_so_of_each_company_and_of_its_liens_alone(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prices, "UNCHANGED", 0)
        made = [watch(customer, state="NY", entity_id=number, on=["status"]) for number in ("100001", "100002")]
        Watch.objects.update(categories=["status", "lien"])  # New York's liens cannot be read any more
        began = timezone.now()
        for day in range(9):
            moment = began + day * DAY
            Watch.objects.update(next_at=moment)
            look(moment)
        last = WatchCheck.objects.order_by("-pk")
        assert {one.result for one in last.filter(kind="ucc")} == {"unclear"}
        assert last.filter(kind="business_entity")[0].result == "unchanged"
        events = read_events(customer)
        assert sorted((one["code"], one["watchId"]) for one in events) == sorted(("unclear", one["id"]) for one in made)
        asked = WatchCheck.objects.filter(lookup__in=[event.after_id for event in WatchEvent.objects.all()])
        assert {one.kind for one in asked} == {"ucc"}

    def test_that_was_paused_before_it_was_looked_at_says_nothing_of_a_week_in_which_nobody_looked(
        self, customer: Customer
    ) -> None:
        """The look that the pause cancelled counted as one that could not read it."""
        made = watch(customer, state="NY", entity_name="Acme Corp")
        began = timezone.now()
        look(began)
        Watch.objects.update(next_at=began)
        ticking.tick(now=began)
        customer.patch(f"/v1/watches/{made['id']}", {"status": "paused"})
        assert [one.result for one in WatchCheck.objects.order_by("pk")] == ["baseline", "unclear"]
        customer.patch(f"/v1/watches/{made['id']}", {"status": "active"})
        Jurisdiction.objects.filter(code="NY").update(enabled=False, status="inactive")
        back = began + 10 * DAY
        Watch.objects.update(next_at=back)
        look(back)
        assert WatchCheck.objects.latest("pk").result == "unclear"
        assert codes(customer) == []

    def test_whose_name_another_company_has_now_is_compared_with_nothing_and_costs_nothing(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from scrapers.states.new_york import NewYork

        monkeypatch.setattr(NewYork, "capabilities", replace(NewYork.capabilities, by_id=False))
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        register.rows[0] |= {"dos_id": "100009", "county": "ALBANY", "entity_type": "FOREIGN BUSINESS CORPORATION"}
        look_again()
        told = read(customer, made["id"])
        assert (told["entity_id"], codes(customer), customer.balance.spent) == ("100001", [], PRICE)
        [check] = told["lastChecks"]
        assert (check["verdict"], check["result"], check["cost"]) == ("found", "unclear", 0.0)

    @pytest.mark.parametrize("name", ["ACME II CORP.", "ZENITH BOTTLING HOLDINGS INC."])
    def test_that_has_another_name_has_not_disappeared_where_numbers_cannot_be_asked(
        self, name: str, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Michigan and others are asked by the name alone, which is no company's any more. The number is."""
        from scrapers.states.new_york import NewYork

        monkeypatch.setattr(NewYork, "capabilities", replace(NewYork.capabilities, by_id=False))
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        register.rows[0]["current_entity_name"] = name
        look_again()
        assert Lookup.objects.latest("pk").verdict == "not_found"
        assert read(customer, made["id"])["lastChecks"][0]["result"] == "unclear"
        WatchBaseline.objects.exclude(absent_at=None).update(absent_at=timezone.now() - 2 * DAY)
        look_again()
        assert codes(customer) == []

    def test_that_a_process_of_the_version_before_began_is_compared(
        self, customer: Customer, register: Register
    ) -> None:
        """It goes on beside the new ones while they are started, and calls former and assumed names one thing."""
        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        kept = WatchBaseline.objects.get()
        known = [*({*kept.known} - {"formerNames", "assumedNames"}), "otherNames"]
        WatchBaseline.objects.update(known=known, carried={"otherNames": kept.lookup_id})
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        look_again()
        assert read(customer, made["id"])["lastChecks"][0]["result"] == "changed"
        assert codes(customer) == ["name.changed"]
        assert "otherNames" not in WatchBaseline.objects.get().known


class TestALien:
    """On the name of a watched company, to which something happens."""

    @pytest.fixture
    def watched(self, tester: Customer) -> Watch:
        """A watch for liens that has looked once: three of the four have something that followed them."""
        watch(tester, state="DE", entity_name="Blue Heron Logistics LLC", on=["lien"])
        look()
        return Watch.objects.get()

    @pytest.mark.parametrize("name", ["The Blue Heron Logistics LLC", "Blue Héron Logistics LLC"])
    def test_which_is_listed_under_the_new_name_alone_is_no_new_one(
        self, tester: Customer, watched: Watch, name: str
    ) -> None:
        """Of a company that took "The" into its name; what begins with the name before does not hold that lien."""
        known = WatchBaseline.objects.get(watch=watched)
        assert known.facts
        known.facts["data"]["filings"].pop()
        known.save()
        Watch.objects.update(name=name)
        look_again()
        assert codes(tester) == []
        assert read(tester, watched.public_id)["lastChecks"][0]["result"] == "baseline"

    @staticmethod
    def forget(watched: Watch, field: str) -> None:
        """As if the first look had not seen what is in this list of each lien."""
        known = WatchBaseline.objects.get(watch=watched)
        assert known.facts
        for one in known.facts["data"]["filings"]:
            one[field] = []
        known.save()

    @pytest.mark.parametrize("field", ["amendments", "debtors", "securedParties"])
    def test_that_is_continued_or_has_another_party_is_no_new_one(
        self, tester: Customer, watched: Watch, field: str
    ) -> None:
        self.forget(watched, field)
        look_again()
        [event] = read_events(tester)
        assert event["code"] == "lien.changed"
        assert all(f"].{field}[" in change["path"] for change in event["changes"])

    @pytest.mark.parametrize(("complete", "told"), [(True, ["lien.added"]), (False, [])])
    def test_that_is_new_is_noticed_whatever_its_source_notes_unless_its_list_was_cut(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch, complete: bool, told: list[str]
    ) -> None:
        """Oregon notes of itself that it lists active entities alone, and no watch for its liens ever told anything."""
        monkeypatch.setattr(gateway, "_lacks_the_ended", lambda *_, **__: True)

        def ask_again(*args: Any, **more: Any) -> Any:
            found: Any = ask(*args, **more)
            return replace(found, complete=complete)

        monkeypatch.setattr(gateway, "ask", ask_again)
        watch(tester, state="DE", entity_name=CHANGING["changes_lien"], on=["lien"])
        look()
        look_again()
        assert all(one.note for one in Lookup.objects.all())
        assert codes(tester) == told

    def test_costs_what_a_look_at_liens_costs(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        """No live registry of liens is played here: the sandbox's is asked, and what it would cost is noted."""
        monkeypatch.setattr(prices, "UNCHANGED", 14)
        find_price, costs = judging.find_price, list[int]()

        def finding(job: Job) -> Any:
            price = find_price(job)
            assert price is not None
            return lambda found, quoted: costs.append(price(found, PRICE)) or price(found, quoted)

        monkeypatch.setattr(judging, "find_price", finding)
        watch(tester, state="DE", entity_name="Blue Heron Logistics LLC", on=["lien"])
        look()
        look_again()
        assert costs == [PRICE, 14]

    def test_that_is_released_or_loses_a_party_is_still_there(self, tester: Customer, watched: Watch) -> None:
        known = WatchBaseline.objects.get(watch=watched)
        assert known.facts
        known.facts["data"]["filings"][0]["debtors"].append({"name": "QUAY HOLDINGS INC.", "kind": "organization"})
        known.save()
        look_again()
        assert codes(tester) == ["lien.changed"]


class TestACopyOfBulkData:
    """That answers a check."""

    def test_is_free_and_tells_nothing_older_than_what_was_read(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = watch(tester, state="DE", entity_name="Magic Copy LLC")
        look()
        baseline = WatchBaseline.objects.get()
        assert baseline.read_at is not None
        assert baseline.facts is not None
        WatchBaseline.objects.update(
            read_at=baseline.read_at + DAY,
            facts={**baseline.facts, "data": {**baseline.facts["data"], "status": "Dissolved"}},
        )
        monkeypatch.setattr(ticking, "is_asked_by_id", lambda _: False)  # the copy that is played knows the name alone
        look_again()
        assert read(tester, made["id"])["lastChecks"][0]["result"] == "unclear"
        assert codes(tester) == []
        WatchBaseline.objects.update(read_at=baseline.read_at)
        look_again()
        assert "status.active" not in codes(tester)
        assert [event["category"] for event in read_events(tester)] == ["status"]

    @pytest.mark.parametrize("price", [0, PRICE // 2])
    def test_costs_what_such_a_check_costs_and_not_what_a_lookup_does(
        self,
        virginia: Customer,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
        price: int,
    ) -> None:
        monkeypatch.setattr(prices, "CHECK_FROM_COPY", price)
        made = watch(virginia, state="VA", entity_name="Blue Heron Logistics")
        look()
        assert (read(virginia, made["id"])["lastChecks"][0]["result"], virginia.balance.spent) == ("baseline", price)
        look_again()
        assert (read(virginia, made["id"])["lastChecks"][0]["result"], virginia.balance.spent) == (
            "unchanged",
            2 * price,
        )

    def test_is_of_its_own_day_though_a_newer_one_was_loaded_before_it_was_judged(
        self,
        virginia: Customer,  # noqa: F811
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A company that was dissolved in between, and seen so at the portal, was told to be active again."""
        made = watch(virginia, state="VA", entity_name="Blue Heron Logistics")
        look()
        known = WatchBaseline.objects.get()
        assert known.facts
        known.facts["data"]["status"] = "Dissolved"
        WatchBaseline.objects.update(read_at=known.read_at + 2 * DAY, facts=known.facts)
        with monkeypatch.context() as lost:
            lost.setattr(judging, "judge_ended", lambda **_: 0)
            look_again()
        portal = discovery.find_portal("VA")
        assert portal is not None
        file = virginia_register.archive(tmp_path / "newer.zip")
        refresh.load(portal=portal, file=file, as_of=known.read_at + 3 * DAY, now=timezone.now())
        ticking.tick(now=timezone.now())
        assert (codes(virginia), read(virginia, made["id"])["lastChecks"][0]["result"]) == ([], "unclear")

    def test_dismisses_nobody_whom_its_files_do_not_name(self) -> None:
        portal = discovery.find_portal("MA")
        assert portal is not None
        record = EntityRecord("ACME LLC", "1", status="Active", agent_name="HARBOR AGENTS INC.")
        record = replace(record, officers=(Officer("ADA MERRILL", "Manager"),))

        def seen(record: EntityRecord, number: int, **how: bool) -> Reading:
            told = normalized(record, portal=portal, state="MA", match=Match(1.0, "exact"), **how)
            facts, shown, _ = of_record(entity_fields(record), told, never=frozenset())
            at = timezone.now() + number * DAY
            return Reading(
                kind="business_entity", verdict="found", at=at, lookup=number, reader="1", facts=facts, shown=shown
            )

        def judge(memory: Memory, reading: Reading) -> Judgement:
            return comparing.judge(memory, reading, categories=["officer", "agent", "status"], reread=lambda _: None)

        asked = judge(Memory(), seen(record, 1))
        bare = replace(record, status="Inactive: Merger", agent_name=None, officers=())
        copied = judge(asked.memory, seen(bare, 2, from_copy=True))
        assert [one.code for one in copied.findings] == ["status.inactive"]
        assert copied.not_checked == ["officers", "registeredAgentAddress", "registeredAgentName"]
        assert [one.code for one in judge(copied.memory, seen(bare, 3)).findings] == [
            "agent.removed",
            "officer.removed",
        ]

    def test_brings_no_company_back_that_it_has_from_before_it_disappeared(self) -> None:
        seen = {"kind": "business_entity", "lookup": 1, "reader": "1", "shown": frozenset({"status"})}
        facts = {"data": {"status": "Active"}, "normalized": {}}
        memory, results, began = Memory(), [], timezone.now()
        for verdict, day in (("found", 1), ("absent", 3), ("absent", 5), ("found", 2), ("found", 6)):
            reading = Reading(verdict=verdict, at=began + day * DAY, facts=facts, **seen)
            judged = comparing.judge(memory, reading, categories=list(Category), reread=lambda _: None)
            memory = judged.memory
            results.append((judged.result.value, [one.code for one in judged.findings]))
        assert results == [
            ("baseline", []),
            ("absent", []),
            ("changed", ["disappeared"]),
            ("unclear", []),  # of a copy from the second day
            ("changed", ["reappeared"]),
        ]


class TestWhatALostProcessLeaves:
    """Between a lookup's end and what follows from it."""

    def test_is_judged_by_the_clock(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        from lookups.watches import judging

        watch(tester, state="DE", entity_name=CHANGING["changes_name"])
        look()
        Watch.objects.update(next_at=timezone.now())
        with monkeypatch.context() as lost:
            lost.setattr(judging, "judge_ended", lambda **_: 0)
            look()
        assert (codes(tester), WatchCheck.objects.filter(ended_at=None).count()) == ([], 1)
        ticking.tick(now=timezone.now())
        assert codes(tester) == ["name.changed"]
        ticking.tick(now=timezone.now())
        assert WatchEvent.objects.count() == 1


class TestAnotherCustomer:
    """Sees nothing of it."""

    def test_finds_neither_watch_nor_event(self, tester: Customer) -> None:
        made = watch(tester, state="DE", entity_name=CHANGING["changes_name"])
        look()
        look_again()
        other = open_customer(mode="test")
        live = open_customer()
        for stranger in (other, live):
            assert stranger.get(f"/v1/watches/{made['id']}").status_code == 404
            assert stranger.get(f"/v1/events?watch={made['id']}").status_code == 404
            assert read_events(stranger) == []
        assert len(read_events(tester)) == 1


class TestANewReader:
    """Its words for an old page are compared with its words for the new one."""

    def test_reads_each_old_page_once_and_before_anything_is_locked(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        watch(tester, state="DE", entity_name="Magic Found LLC")
        look()
        monkeypatch.setattr(judging, "find_revision", lambda portal: "another")
        WatchBaseline.objects.update(reader="1.0 of-last-year")
        reread, within = replaying.reread, list[tuple[int, bool]]()

        def note(lookup: int) -> Any:
            within.append((lookup, len(connection.savepoint_ids) > depth))
            return reread(lookup)

        depth = len(connection.savepoint_ids)  # of the test's own transaction
        monkeypatch.setattr(replaying, "reread", note)
        look_again()
        assert within
        assert not any(locked for _, locked in within)
        per_pass = Counter(lookup for lookup, _ in within)
        assert max(per_pass.values()) <= 2  # for the price, and for the judgement
        assert codes(tester) == []

    def test_that_was_installed_before_a_look_was_judged_compares_nothing_with_the_words_of_the_one_before(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The last known pages were read by it, the new ones by the reader before: each company changed its type."""
        from scrapers.states.new_york import NewYork

        made = watch(customer, state="NY", entity_name="Acme Corp")
        look()
        WatchBaseline.objects.update(reader="1.0 of-last-year")
        with monkeypatch.context() as lost:
            lost.setattr(judging, "judge_ended", lambda **_: 0)
            look_again()
        as_before = NewYork.record
        monkeypatch.setattr(NewYork, "version", "99.0")
        monkeypatch.setattr(
            NewYork, "record", lambda self, row: replace(as_before(self, row), entity_type="A NEWER WORD")
        )
        ticking.tick(now=timezone.now())
        assert codes(customer) == []
        assert read(customer, made["id"])["lastChecks"][0]["result"] == "reader_changed"
        look_again()
        assert (codes(customer), read(customer, made["id"])["lastChecks"][0]["result"]) == ([], "unchanged")

    def test_to_which_old_pages_are_not_at_hand_keeps_no_job_from_the_sweep(
        self,
        customer: Customer,
        register: Register,
        settings: Any,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(bodies, "SMALL", 0)  # every page has a file
        settings.STORAGES = settings.STORAGES | {"evidence": evidence_storage("", folder=tmp_path)}
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        kept = list(tmp_path.rglob("*.z"))
        assert kept
        for file in kept:
            file.unlink()
            file.mkdir()
        WatchBaseline.objects.update(reader="1.0 of-last-year")
        Watch.objects.update(next_at=timezone.now())
        ticking.tick(now=timezone.now())
        waiting = Job.objects.open().get()
        assert runner.sweep(now=waiting.deadline + timedelta(seconds=1)).failed == 1
        assert (Job.objects.open().count(), customer.balance.held, customer.balance.spent) == (0, 0, PRICE)
