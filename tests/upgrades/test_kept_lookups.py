"""An installation of version 1.3.0, with data of every kind, says after the upgrade what it said before."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.exceptions import IrreversibleError
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from billing import ledger, reconciliation, selectors
from billing.models import LedgerEntry
from lookups import bodies
from lookups.api.wire.shape import to_plain
from lookups.bulk import queue
from lookups.jobs import runner
from lookups.lookup import storage
from lookups.lookup.questions import Question
from scrapers import gateway
from tests.lookups.conftest import PRICE, open_customer
from tests.lookups.registry_server import Register
from tests.upgrades.conftest import kept_tables, left_by, stand_at_1_3
from tests.upgrades.long_way import APPS, migrate
from tests.upgrades.version_1_3 import NORMALIZED, Version13, filing, record

BEFORE = [("lookups", "0008_trade_words")]  # what billing has changed since is a story of its own (test_modes)
ACME, BY_ID, LIENS = Question("NY", "Acme Corp"), Question("NY", entity_id="100001"), Question("NY", "Acme", kind="ucc")
NOBODY, CHECK = Question("NY", "Nobody Knows"), Question("NY", "Acme", kind="name_check")
UNDER_WAY = f"{__name__} under way"
Told = tuple[Version13, Any]
Answered = tuple[str, str, int, dict[str, Any]]  # the key, where it was used, the status and the body it got

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_workers")]


def asked_at(path: str) -> dict[str, Any]:
    """The body of a request."""
    one = {"entity_name": "Acme Corp", "state": "NY"}
    return {"entities": [one]} if path.endswith("bulk-lookup") else one


def accepted(name: str) -> dict[str, Any]:
    """What was replied where a job was made."""
    return {
        "success": True,
        "async": True,
        "jobId": name,
        "message": "This registry answers slowly. Ask statusUrl for the result.",
        "pollInterval": 3000,
        "estimatedSeconds": 7,
        "statusUrl": f"/v1/lookup/status/{name}",
    }


class Story(Protocol):
    """What a customer of then did; its tests read what has become of it."""

    @classmethod
    def happen(cls, before: Version13) -> Any:
        """Write it; whatever the tests need to know beside `before.replies` is returned."""


def open_customers() -> Any:
    """A customer with money for each story, and the models of before; what is not of lookups is as it is today."""
    stand_at_1_3()
    today = [one for one in MigrationLoader(connection).graph.leaf_nodes() if one[0] in APPS and one[0] != "lookups"]
    models = migrate([*BEFORE, *today])
    call_command("sync_jurisdictions", verbosity=0)
    customers = [open_customer() for _ in STORIES]
    for customer in customers:
        ledger.adjust(
            account_id=customer.account.pk,
            amount=100 * PRICE + 77,
            idempotency_key="more",
            operator="t",
            reason="t",
            now=timezone.now(),
        )
    return models, customers


def come_to_the_last_way_back() -> dict[type[Story], Told]:
    """An installation in which all stories have happened, each to its own customer, in the midst of the upgrade."""
    models, customers = open_customers()
    told = {}
    for story, customer in zip(STORIES, customers, strict=True):
        before = Version13(models, customer)
        told[story] = before, story.happen(before)
    migrate([("lookups", "0011_no_kept_replies")])
    return told


def upgrade() -> dict[type[Story], Told]:
    """The same after the upgrade."""
    told: dict[type[Story], Told] = left_by(UNDER_WAY, come_to_the_last_way_back)
    call_command("migrate", verbosity=0)
    return told


@pytest.fixture
def told(request: pytest.FixtureRequest, switches: None, register: Register) -> Iterator[Told]:
    """What was said in the test's own story, and what it notes; the installation is upgraded."""
    with kept_tables(__name__, upgrade) as all_told:
        yield all_told[request.cls]


def list_differences() -> list[Any]:
    """What the books differ in, the whole of them read."""
    reconciliation.run(now=timezone.now())
    return list(selectors.list_differences().values_list("name", "subject", "numbers"))


def kept(ask: uuid.UUID) -> Any:
    from lookups.models import Lookup

    return Lookup.objects.whole().get(ask_id=ask)


def acme_in(state: str) -> Question:
    """Acme in a state of the story's own, so that no other story's company is the same."""
    return replace(ACME, state=state)


def acme(before: Version13, name: str = "ACME CORP.", *, minutes: float = 90, **more: Any) -> Any:
    """A company as it was read so many minutes before the upgrade."""
    at = before.now + timedelta(minutes=90 - minutes)
    return before.entity(
        record(name, "100001", status="Active", officers=[{"name": "A", "title": None}]), at=at, **more
    )


def told_of(row: Any) -> Any:
    """What the wire says of it now."""
    return to_plain(bodies.of_lookup(row))


def as_kept(told: Any, kept_: Any) -> Any:
    """What is told now, of that which was kept: the wire has grown since, and every field of before has to stay."""
    if isinstance(told, dict) and isinstance(kept_, dict):
        return {name: as_kept(told.get(name), value) for name, value in kept_.items()}
    if isinstance(told, list) and isinstance(kept_, list) and len(told) == len(kept_):
        return [as_kept(*pair) for pair in zip(told, kept_, strict=True)]
    return told


def assert_same(before: Version13, **changed: Any) -> None:
    """Every reply that was kept is written again from its row, field by field."""
    assert before.replies
    for ask, reply in before.replies.items():
        row = kept(ask)
        expected = reply | changed.get(row.verdict, {})
        assert as_kept(told_of(row), expected) == expected, row


class TestARepliedLookup:
    """Is told again as it was, from its row."""

    @classmethod
    def happen(cls, before: Version13) -> Any:
        cls.find_a_company(before)
        copied = cls.find_it_in_a_copy(before)
        tested = cls.find_it_with_a_test_key(before)
        return copied, tested, cls.find_filings(before), cls.check_names(before), cls.find_nothing(before)

    def test_of_every_kind(self, told: Told) -> None:
        before, (copied, tested, filed, checked, absent) = told
        assert_same(before, ambiguous={"code": "ambiguous_name"})  # version 1.4 tells them apart
        assert {(kept(ask).source, kept(ask).price) for ask in before.replies if kept(ask).state == "NJ"} == {
            ("live", PRICE),
            ("stored", PRICE),
        }
        assert (kept(copied).source, kept(copied).version.as_of) == ("copy", before.now - timedelta(days=20))
        assert (kept(tested).cost, kept(tested).livemode) == (0, False)
        sets = [kept(ask).filing_set for ask in filed]
        assert [len(one.filings) for one in sets] == [1, 0, 2]
        assert [one.pk for one in sets] == sorted({one.pk for one in sets}), "what is filed now is the newest"
        assert sets[2].answers.get().asked == "Acme"
        assert [kept(ask).verdict for ask in checked] == ["taken", "free", "taken"]
        assert [kept(ask).source for ask in checked] == ["live", "live", "copy"]
        assert [kept(ask).verdict for ask in absent] == ["not_found", "ambiguous"]

    @classmethod
    def keep(cls, before: Version13, row: Any, body: dict[str, Any]) -> uuid.UUID:
        before.key(f"k{row.pk}", "/v1/lookup", {}, ask=row.ask_id, status=200 if body["success"] else 404, body=body)
        return row.ask_id

    @classmethod
    def find_a_company(cls, before: Version13) -> None:
        entity = before.entity(record("ACME INC", "5", status="Active"), at=before.now, state="NJ")
        question = Question("NJ", "Acme")
        answer = before.answer(question, entity=entity, at=before.now, note="By a former name.", total=2)
        answer.related = [{"entityName": "ACME II", "entityId": "2"}]
        answer.save()
        for cached in (False, True):
            cls.keep(before, *before.sold(question, answer, cached=cached))

    @classmethod
    def find_it_in_a_copy(cls, before: Version13) -> uuid.UUID:
        at, day = before.now, before.now - timedelta(days=20)
        entity = acme(before, state="PA", evidence=before.evidence(at, from_copy=True), as_of=day)
        question = acme_in("PA")
        return cls.keep(before, *before.sold(question, before.answer(question, entity=entity, at=at)))

    @classmethod
    def find_it_with_a_test_key(cls, before: Version13) -> uuid.UUID:
        tester = open_customer(mode="test", name="Tester")
        entity = before.entity(record("BLUE HERON", "SB-1"), at=before.now, state="DE", sandbox=True)
        question = Question("DE", "Blue Heron")
        row, body = before.sold(question, before.answer(question, entity=entity, at=before.now), test_key=tester)
        before.job(question, ask=row.ask_id, status="complete", reply=body, reply_status=200, who=tester)
        return row.ask_id

    @classmethod
    def find_filings(cls, before: Version13) -> list[uuid.UUID]:
        """The same question three times; something else is filed each time."""
        then, now = before.now - timedelta(minutes=30), before.now
        later = then + timedelta(minutes=5)
        asks = []
        for filings, at in (([filing("1")], then), ([], later), ([filing("1"), filing("2")], now)):
            answer = before.answer(LIENS, filings=filings, at=at)
            asks.append(cls.keep(before, *before.sold(LIENS, answer)))
        return asks

    @classmethod
    def check_names(cls, before: Version13) -> list[uuid.UUID]:
        copy = Question("NY", "Acme", kind="name_check", from_copy=True)
        return [
            cls.keep(before, *before.checked(CHECK, available=False)),
            cls.keep(before, *before.checked(CHECK, available=True)),
            cls.keep(before, *before.checked(copy, available=False, from_copy=True)),
        ]

    @classmethod
    def find_nothing(cls, before: Version13) -> list[uuid.UUID]:
        return [
            cls.keep(before, *before.absent(NOBODY)),
            cls.keep(before, *before.absent(ACME, ambiguous=True)),
        ]


class TestACompanyThatHasChanged:
    """Has a version for each reading that a reply still shows."""

    @classmethod
    def happen(cls, before: Version13) -> None:
        question = acme_in("CT")
        replied = [("ACME CORP.", 80), ("ACME & SONS", 70), ("ACME & SONS", 60), ("ACME CORP.", 50), ("ACME GROUP", 40)]
        for name, minutes in replied:
            entity = acme(before, name, minutes=minutes, state="CT")
            row, body = before.sold(question, before.answer(question, entity=entity, at=before.now))
            before.job(question, ask=row.ask_id, status="complete", reply=body, reply_status=200)
        acme(before, "ACME WORLD", minutes=1, state="CT")

    def test_is_told_as_it_was_and_as_it_is(self, told: Told) -> None:
        before, _ = told
        from lookups.models import Entity

        entity = Entity.objects.get(state="CT")
        versions = entity.versions.order_by("number")
        names = ["ACME CORP.", "ACME & SONS", "ACME CORP.", "ACME GROUP", "ACME WORLD"]
        assert [one.data["entityName"] for one in versions] == names
        assert [one.number for one in versions] == [1, 2, 3, 4, 5]
        assert versions[1].last_read_at - versions[1].first_read_at == timedelta(minutes=10)
        assert list(versions) == sorted(versions, key=lambda one: one.first_read_at)
        assert [kept(ask).version.number for ask in before.replies] == [1, 2, 2, 3, 4]
        address = told_of(kept(next(iter(before.replies))))["data"]["entityPageUrl"]
        assert address.startswith("/entity/connecticut/acme-world-")  # the page as it is called now
        for ask, reply in before.replies.items():
            expected = reply | {"data": reply["data"] | {"entityPageUrl": address}}
            assert as_kept(told_of(kept(ask)), expected) == expected
        with pytest.raises(DatabaseError), transaction.atomic():
            entity.versions.update(normalized=NORMALIZED | {"statusClass": "inactive"})


class TestAnotherCompanyOfTheName:
    """Answers the question since."""

    @classmethod
    def happen(cls, before: Version13) -> uuid.UUID:
        question = acme_in("OH")
        answer = before.answer(question, entity=acme(before, state="OH"), at=before.now)
        row, body = before.sold(question, answer)
        before.job(question, ask=row.ask_id, status="complete", reply=body, reply_status=200)
        at = before.now + timedelta(minutes=9)
        other = before.entity(record("ACME CORPORATION", "777"), at=at, state="OH")
        before.answer(question, entity=other, at=other.retrieved_at)
        return row.ask_id

    def test_is_not_taken_for_the_one_that_was_replied(self, told: Told) -> None:
        before, ask = told
        assert_same(before)
        assert kept(ask).version.entity.entity_id == "100001"


class TestACompanyThatHasNotChanged:
    """And is read once more after the upgrade."""

    def test_gets_no_new_version(self, told: Told) -> None:
        from lookups.models import RecordVersion

        before, _ = told
        known = RecordVersion.objects.count()
        assert before.customer.lookup(fresh=True).json()["data"]["entityName"] == "ACME CORP."
        assert RecordVersion.objects.count() == known
        again = before.customer.lookup(source="cache").json()
        assert (again["cached"], again["data"]["entityName"]) == (True, "ACME CORP.")

    @classmethod
    def happen(cls, before: Version13) -> None:
        reply = gateway.fetch(ACME.to_query(), now=timezone.now(), budget_seconds=20)
        normalized = {name: value for name, value in reply.normalized.items() if name != "match"}
        data = storage.entity_fields(reply.answer.record)
        at = reply.answer.evidence.retrieved_at
        entity = before.entity(data, at=at, normalized=normalized)
        before.answer(ACME, entity=entity, at=at)


class TestALookupWithoutAReply:
    """Was answered at once, and nothing kept what was said: its row has what is known."""

    @classmethod
    def happen(cls, before: Version13) -> Any:
        last = max(before.model("Lookup").objects.values_list("pk", flat=True), default=0)
        question = acme_in("GA")
        answer = before.answer(question, entity=acme(before, state="GA"), at=before.now)
        found, _ = before.sold(question, answer)
        paid = before.paid_by_request(question, answer)
        before.checked(CHECK, available=True)
        before.absent(NOBODY)
        before.unavailable(question, reason="layout_changed", retryable=False)
        before.refused(question)
        return list(before.model("Lookup").objects.filter(pk__gt=last).values_list("pk", flat=True)), found, paid

    def test_says_how_it_ended(self, told: Told) -> None:
        before, (keys, found, paid) = told
        from lookups.models import Lookup

        rows = list(Lookup.objects.whole().filter(pk__in=keys).order_by("pk"))
        ended = ["found", "found", "cannot_say", "not_found", "unavailable", "refused"]
        assert [row.verdict for row in rows] == ended
        says = [told_of(row) for row in rows]
        assert as_kept(says[0], before.replies[found.ask_id]) == before.replies[found.ask_id]
        assert (says[1]["cost"], says[1]["data"]["entityName"]) == (0.0314, "ACME CORP.")
        assert (rows[1].pk, rows[1].charged, rows[1].cost) == (paid.pk, PRICE, 0)
        assert (says[2]["available"], says[2]["statusNote"]) == (None, "What was answered then was not kept.")
        assert (says[2]["cost"], says[2]["searchedName"]) == (0.0314, "Acme")
        assert says[3]["suggestions"] == []
        assert (says[4]["reason"], says[4]["retryable"]) == ("layout_changed", False)
        assert says[5]["details"] == {"entity_name": ["The registry refused this question."]}
        assert all(row.ended_at - row.created_at == timedelta(seconds=1.5) for row in rows)


class TestAJobThatHasEnded:
    """Is told as it was, whichever way it ended."""

    @classmethod
    def happen(cls, before: Version13) -> Any:
        return cls.answer_some(before), cls.fail_in_every_way(before)

    def test_is_told_as_it_was(self, told: Told) -> None:
        before, (answered, failed) = told
        for job_id, expected in answered.items():
            says = before.customer.get(f"/v1/lookup/status/{job_id}").json()
            assert as_kept(says, expected) == expected
        for job_id, (reply, verdict, reason) in failed.items():
            self.assert_failed(before, job_id, reply, verdict, reason)

    @classmethod
    def answer_some(cls, before: Version13) -> dict[str, Any]:
        """Jobs that were answered, and what is told of them."""
        question, told = acme_in("WA"), {}
        answer = before.answer(question, entity=acme(before, state="WA"), at=before.now)
        for row, body in (before.sold(question, answer), before.absent(NOBODY), before.absent(ACME, ambiguous=True)):
            status = 200 if body["success"] else 404
            job = before.job(ACME, ask=row.ask_id, status="complete", reply=body, reply_status=status)
            result = body | ({"code": "ambiguous_name"} if body.get("ambiguous") else {})
            ends = {"success": body["success"], "jobId": f"job_{job.pk.hex}", "status": "complete", "result": result}
            failed = {"error": body.get("error"), "data": None, "cost": 0}
            told[f"job_{job.pk.hex}"] = ends | (
                {"data": body["data"], "cost": body["cost"]} if body["success"] else failed
            )
        return told

    @classmethod
    def fail_in_every_way(cls, before: Version13) -> dict[str, tuple[dict[str, Any], str, str]]:
        """Jobs that failed, with the reply that was kept, and the verdict and the reason that it comes to."""
        shorter = {"success": False, "code": "internal_error", "cost": 0}
        short = {**shorter, "error": "Insufficient balance", "code": "insufficient_balance", "retryable": False}
        short |= {"balanceStored": 12, "lookupsRemaining": 0, "pricePerLookup": 0.0314, "topUpUrl": "/pricing/"}
        ways: list[tuple[int, dict[str, Any], str, str]] = []
        for reason, may, note in (("blocked", True, "n"), ("layout_changed", False, ""), ("layout_changed", True, "")):
            ask = uuid.uuid4()
            body = before.unavailable(ACME, ask=ask, reason=reason, retryable=may, note=note)
            ways.append((503, {**body, "ask": ask}, "unavailable", reason))
        ask = uuid.uuid4()
        ways += [
            (400, {**before.refused(ACME, ask=ask), "ask": ask}, "refused", ""),
            (402, short, "failed", "insufficient_balance"),
            (500, {**shorter, "error": "Internal error"}, "failed", "internal_error"),
            (500, {**shorter, "error": "Ended by the operator", "retryable": True}, "failed", "ended_by_operator"),
            (410, {**shorter, "error": "Cancelled", "code": "cancelled", "retryable": False}, "cancelled", ""),
        ]
        failed = {}
        for status, reply, verdict, reason in ways:
            ask = reply.pop("ask", None)
            job = before.job(ACME, ask=ask, status="failed", reply=reply, reply_status=status)
            failed[f"job_{job.pk.hex}"] = (reply, verdict, reason)
        return failed

    def assert_failed(self, before: Version13, job_id: str, reply: dict[str, Any], verdict: str, reason: str) -> None:
        from lookups.models import Job

        lookup = Job.objects.select_related("lookup").get(pk=job_id.removeprefix("job_")).lookup
        assert (lookup.verdict, lookup.reason) == (verdict, reason)
        told = before.customer.get(f"/v1/lookup/status/{job_id}").json()
        expected = {
            "success": False,
            "jobId": job_id,
            "status": "failed",
            "error": reply["error"],
            "code": reply["code"],
            "reason": reply.get("reason"),
            "cost": 0,
            "retryable": reply.get("retryable", True),
        }
        expected["reason"] = reason or None  # what ended here has a word now as well
        assert {name: told[name] for name in expected} == expected
        assert told.get("note") == reply.get("note")
        assert told.get("details") == reply.get("details")
        assert lookup.balance_after == reply.get("balanceStored")


class TestAnOpenJob:
    """Is answered after the upgrade."""

    @classmethod
    def happen(cls, before: Version13) -> int:
        waiting, lost, paid = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
        before.job(ACME, ask=waiting, hold=before.hold(ask=waiting))
        working = {"status": "processing", "claim": uuid.uuid4(), "lease_until": before.now, "attempts": 1}
        before.job(BY_ID, ask=lost, hold=before.hold(ask=lost), **working)
        held = before.hold(ask=paid)
        before.sold(ACME, before.answer(ACME, entity=acme(before), at=before.now), ask=paid, hold=held)
        before.job(ACME, ask=paid, hold=held, **working | {"claim": uuid.uuid4()})
        return before.customer.balance.spent

    def test_is_answered_and_paid_for_once(self, told: Told, register: Register) -> None:
        before, spent = told
        from lookups.models import Job, Lookup

        assert Lookup.objects.open().filter(account=before.customer.account).count() == 2
        jobs = Job.objects.filter(account=before.customer.account)
        assert len(jobs) == 3
        for job in jobs:
            assert runner.run(job_id=job.pk, now=timezone.now())
            assert not runner.run(job_id=job.pk, now=timezone.now())
            says = before.customer.get(f"/v1/lookup/status/{job.public_id}").json()
            assert (says["status"], says["data"]["entityName"], says["cost"]) == ("complete", "ACME CORP.", 0.0314)
        assert (before.customer.balance.spent - spent, before.customer.balance.held) == (2 * PRICE, 0)
        assert LedgerEntry.objects.filter(kind="capture", account=before.customer.account).count() == 3
        assert list_differences() == []


class TestABulkJob:
    """Has its rows, in their order and with the customer's marks."""

    @classmethod
    def happen(cls, before: Version13) -> Any:
        return cls.end_one(before), cls.begin_one(before), before.customer.balance.spent

    def test_that_has_ended_or_is_open(self, told: Told, register: Register) -> None:
        before, (ended, address, spent) = told
        self.assert_ended(before, *ended)
        queue.work(now=timezone.now())
        results = before.customer.get(address).json()["results"]
        assert [(row["status"], row["ref"], row["cost"]) for row in results] == [
            ("found", "a", 0.0314),
            ("found", "b", 0),
            ("not_found", None, 0),
        ]
        assert results[0]["data"] == results[1]["data"]
        balance = before.customer.balance
        assert (balance.spent - spent, balance.held) == (PRICE, 3 * PRICE)  # what the other one never settled
        assert list_differences() == []

    @classmethod
    def begin_one(cls, before: Version13) -> str:
        """Two questions in three rows; where they are told."""
        bulk = before.bulk(total=3, questions=2)
        acme_job = before.job(ACME, bulk=bulk, hold=bulk.hold, position=0)
        nobody = before.job(NOBODY, bulk=bulk, hold=bulk.hold, position=2)
        rows = [("Acme Corp", "a", acme_job), ("ACME CORPORATION", "b", acme_job), ("Nobody Knows", None, nobody)]
        before.rows(bulk, rows)
        return f"/v1/bulk-lookup/bulk_{bulk.pk.hex}"

    @classmethod
    def end_one(cls, before: Version13) -> tuple[Any, list[Any], list[dict[str, Any]]]:
        """Four questions in six rows, ended in four ways; the request, its rows and what was replied to each."""
        bulk = before.bulk(total=6, questions=4, ended=True)
        answer = before.answer(ACME, entity=acme(before), at=before.now)
        found, body = before.sold(ACME, answer, hold=bulk.hold, share=True)
        absent, nothing = before.absent(NOBODY)
        ask = uuid.uuid4()
        down = before.unavailable(ACME, ask=ask)
        cancelled = {"success": False, "error": "Cancelled", "code": "cancelled", "cost": 0}
        jobs = [
            before.job(ACME, bulk=bulk, ask=found.ask_id, status="complete", reply=body, reply_status=200, position=0),
            before.job(
                NOBODY, bulk=bulk, ask=absent.ask_id, status="complete", reply=nothing, reply_status=404, position=2
            ),
            before.job(ACME, bulk=bulk, ask=ask, status="failed", reply=down, reply_status=503, position=3),
            before.job(ACME, bulk=bulk, status="failed", reply=cancelled, reply_status=410, position=5),
        ]
        marks = [("Acme Corp", "a", 0), ("ACME CORPORATION", "b", 0), ("Nobody Knows", None, 1), ("Acme Corp", "c", 2)]
        marks += [("acme corp", None, 0), ("Acme Corp", None, 3)]
        before.rows(bulk, [(name, ref, jobs[which]) for name, ref, which in marks])
        return bulk, marks, [body, body, nothing, down, body, cancelled]

    def assert_ended(self, before: Version13, bulk: Any, marks: list[Any], replies: list[dict[str, Any]]) -> None:
        told = before.customer.get(f"/v1/bulk-lookup/bulk_{bulk.pk.hex}").json()
        words = ["found", "found", "not_found", "failed", "found", "cancelled"]
        expected = [
            {
                "index": index,
                "ref": ref,
                "entity_name": name,
                "state": "NY",
                "status": words[index],
                "data": replies[index].get("data"),
                "cost": 0.0314 if index == 0 else 0,
                "error": replies[index].get("error"),
            }
            for index, (name, ref, _) in enumerate(marks)
        ]
        assert as_kept(told["results"], expected) == expected
        numbers = {
            name: told[name] for name in ("status", "total", "completed", "found", "not_found", "failed", "cost")
        }
        assert numbers == {
            "status": "complete",
            "total": 6,
            "completed": 6,
            "found": 3,
            "not_found": 1,
            "failed": 1,
            "cost": 0.0314,
        }


class TestAnIdempotencyKey:
    """Is the same request's after the upgrade, and pays nothing twice."""

    @classmethod
    def happen(cls, before: Version13) -> list[Answered]:
        """Keys that were answered in every way that is kept."""
        question = acme_in("CO")
        answer = before.answer(question, entity=acme(before, state="CO"), at=before.now)
        found, body = before.sold(question, answer)
        absent, nothing = before.absent(NOBODY)
        checked, verdict = before.checked(CHECK, available=True)
        keys = [
            ("/v1/lookup", found.ask_id, 200, body),
            ("/v1/lookup", absent.ask_id, 404, nothing),
            ("/v1/name-availability", checked.ask_id, 200, verdict),
        ]
        for done_over in (False, True):
            first = uuid.uuid4()
            job = before.job(question, ask=uuid.uuid4() if done_over else first, hold=before.hold())
            if done_over:
                before.unavailable(question, ask=first)
            keys.append(("/v1/lookup", first, 202, accepted(f"job_{job.pk.hex}")))
        bulk = before.bulk(total=1, questions=1)
        before.rows(bulk, [("Acme Corp", None, before.job(ACME, bulk=bulk, hold=bulk.hold))])
        name = f"bulk_{bulk.pk.hex}"
        taken = {"job_id": name, "status": "queued", "total": 1, "poll_url": f"/v1/bulk-lookup/{name}"}
        keys.append(("/v1/bulk-lookup", bulk.pk, 202, taken))
        for number, (path, ask, status, told) in enumerate(keys):
            before.key(f"k{number}", path, asked_at(path), ask=ask, status=status, body=told)
        return [(f"k{number}", path, status, told) for number, (path, _, status, told) in enumerate(keys)]

    def test_that_was_answered_is_answered_the_same(self, told: Told) -> None:
        before, keys = told
        money = before.customer.balance
        for word, path, status, body in keys:
            for _ in range(2):
                reply = before.customer.post(path, asked_at(path), idempotency_key=word)
                assert (reply.status_code, as_kept(reply.json(), body)) == (status, body)
                assert reply["Idempotency-Replayed"] == "true"
        assert before.customer.balance == money


class TestARunningIdempotencyKey:
    """Of a request that was cut off."""

    @classmethod
    def happen(cls, before: Version13) -> None:
        for word, settled in (("lost", False), ("settled", True)):
            ask = uuid.uuid4()
            held = before.hold(ask=ask)
            if settled:
                before.sold(ACME, before.answer(ACME, entity=acme(before), at=before.now), ask=ask, hold=held)
            before.key(word, "/v1/lookup", asked_at("/v1/lookup"), ask=ask, status=None, body=None)

    def test_is_answered_and_paid_for_once(self, told: Told, register: Register) -> None:
        before, _ = told
        for word in ("lost", "settled") * 3:
            reply = before.customer.post("/v1/lookup", asked_at("/v1/lookup"), idempotency_key=word)
            assert (reply.status_code, reply.json()["data"]["entityName"]) == (200, "ACME CORP.")
        assert (before.customer.balance.spent, before.customer.balance.held) == (2 * PRICE, 0)
        assert register.asked == 1


STORIES: list[type[Story]] = [
    TestARepliedLookup,
    TestACompanyThatHasChanged,
    TestAnotherCompanyOfTheName,
    TestALookupWithoutAReply,
    TestAJobThatHasEnded,
    TestAnIdempotencyKey,
    TestAnOpenJob,
    TestABulkJob,
    TestARunningIdempotencyKey,
    TestACompanyThatHasNotChanged,  # since this last reading of it
]
"""What happened to one installation."""


class TestTheUpgrade:
    """Of an installation as a whole."""

    @pytest.mark.usefixtures("register")
    def test_is_not_undone_where_something_would_be_lost(self) -> None:
        with kept_tables(UNDER_WAY, come_to_the_last_way_back):
            with pytest.raises(IrreversibleError, match="restore the backup"):
                migrate(BEFORE)
            columns = connection.introspection.get_table_description(connection.cursor(), "lookups_job")
            assert "reply" not in {one.name for one in columns}
