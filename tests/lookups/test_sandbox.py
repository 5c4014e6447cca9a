"""A test key: the same service, a fictional registry, and no money."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing.models import LedgerEntry
from lookups.bulk import queue
from lookups.jobs import runner
from lookups.models import BulkJob, Entity, Job, Lookup, StoredAnswer
from scrapers.sandbox.magic import DEMO_QUESTION, MAGIC, PLAYED, find_played
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register
from tests.scrapers.magic_table import Row, list_rows

pytestmark = pytest.mark.django_db
ROWS = list_rows()
LONG, SHORT = 1800, 60  # seconds: time for a second try of every failure, and for none
BULK, NAME_CHECK = "/v1/bulk-lookup", "/v1/name-availability"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, no_workers: None) -> None:
    """A slow registry is not waited for, and no worker is called: each test plays the worker itself."""
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)


def words(body: dict[str, Any], *names: str) -> tuple[str, ...]:
    """What stands in these fields, as far as anything does."""
    return tuple(body[name] for name in names if body.get(name))


def ask_bulk(tester: Customer, name: str, **more: Any) -> Any:
    """A bulk request of one question."""
    return tester.post(BULK, {"entities": [{"entity_name": name, "state": "CA"}], **more})


def read_row(tester: Customer, poll_url: str) -> dict[str, Any]:
    """The one row of a bulk job, as it is now."""
    page = tester.get(poll_url).json()
    (row,) = page["results"]
    assert page["livemode"] is row["livemode"] is False
    assert page["cost"] == row["cost"] == 0
    return dict(row)


def work(tester: Customer, job: Job, url: str) -> list[dict[str, Any]]:
    """What workers do until the job has ended, each time when the customer was promised; what he reads after a try."""
    now, read = timezone.now(), list[dict[str, Any]]()
    while not read or read[-1]["verdict"] is None:
        if job.bulk is None:
            runner.run(job_id=job.pk, now=now)
        else:
            queue.work(now=now)
        read.append(read_row(tester, url) if job.bulk else tester.get(url).json())
        promised = read[-1].get("nextTryAt") or read[-1].get("next_try_at")
        assert bool(promised) == (read[-1]["verdict"] is None)
        if promised:
            now = datetime.fromisoformat(promised) + timedelta(seconds=1)
            assert now < job.deadline
    return read


def assert_kept(tester: Customer, body: dict[str, Any], *, whole: bool = True) -> None:
    """Its own address tells the same lookup again; of a row or a failed job (not `whole`) all that both of them say."""
    reply = tester.get(f"/v1/lookups/{body['lookupId']}")
    assert reply.status_code == 200, reply.content
    again = reply.json()
    same = again.keys() | body.keys()
    if not whole:
        same = again.keys() & body.keys() - {"requestId"}  # a failed job has that of the reply that tells of it
        assert same >= {"lookupId", "verdict", "livemode", "cost"}
    assert {name: again.get(name, "-") for name in same} == {name: body.get(name, "-") for name in same}
    assert again["livemode"] is body["livemode"] is False
    assert again["cost"] == body["cost"] == 0


def assert_played_here(reply: Any, code: str) -> None:
    """The service's own 402 or 429, as a live key would get it; nothing was accepted."""
    body = reply.json()
    assert (body["code"], body["cost"], body["success"]) == (code, 0, False)
    assert (Lookup.objects.count(), Job.objects.count(), BulkJob.objects.count()) == (0, 0, 0)
    if reply.status_code == 402:
        assert (reply["Content-Type"], reply["Cache-Control"]) == ("application/problem+json", "no-store")
        assert (body["status"], body["challengeId"], body["lookupsRemaining"]) == (402, None, 0)
        assert "WWW-Authenticate" not in reply
    else:
        assert body["retryable"] is True
        assert 1 <= int(reply["Retry-After"]) <= 60
        assert reply["X-RateLimit-Remaining"] == "0"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
class TestANameOfTheTable:
    """docs/sandbox.md: each row, in each column."""

    def test_plays_what_is_promised_of_a_lookup_and_its_job(self, tester: Customer, row: Row) -> None:
        reply = tester.lookup(row.name, "CA", max_wait_seconds=LONG)
        body = reply.json()
        assert (str(reply.status_code), *words(body, "verdict", "code", "reason")) == row.lookup, reply.content
        if find_played(row.name):
            assert_played_here(reply, row.lookup[1])
            return
        assert body["livemode"] is False
        if reply.status_code == 202:
            self.ends_its_job(tester, row, body)
            return
        assert row.job == ()
        assert_kept(tester, body)
        data = body.get("data") or {"relatedResults": [], "evidence": {"fromRegister": False}}
        assert bool(data["relatedResults"]) == ("relatedResults" in row.beside)
        assert data["evidence"]["fromRegister"] is ("evidence.fromRegister" in row.beside)
        assert ("Retry-After" in reply) == body.get("retryable", False)
        assert row.retry_after in (None, reply.headers.get("Retry-After"))

    def ends_its_job(self, tester: Customer, row: Row, accepted: dict[str, Any]) -> None:
        assert tester.get(accepted["statusUrl"]).json()["status"] == "pending"
        *open_, end = work(tester, Job.objects.get(), accepted["statusUrl"])
        assert words(end, "verdict", "reason") == row.job
        assert end["status"] == ("failed" if end["verdict"] in ("refused", "unavailable") else "complete")
        assert bool(open_) == row.again
        assert end["lookupId"] == accepted["lookupId"]
        assert_kept(tester, end.get("result") or end, whole=end["status"] == "complete")

    def test_plays_what_is_promised_of_a_bulk_row(self, tester: Customer, row: Row) -> None:
        reply = ask_bulk(tester, row.name, max_wait_seconds=LONG)
        if find_played(row.name):
            assert (str(reply.status_code), row.again) == (*row.bulk_row, False)
            assert_played_here(reply, row.lookup[1])
            return
        *open_, end = work(tester, Job.objects.get(), reply.json()["poll_url"])
        assert words(end, "verdict", "reason") == row.bulk_row
        assert bool(open_) == row.again
        assert_kept(tester, end, whole=False)

    def test_plays_what_is_promised_of_a_name_check(self, tester: Customer, row: Row) -> None:
        reply = tester.post(NAME_CHECK, {"entity_name": row.name, "state": "CA"})
        body = reply.json()
        status = (str(reply.status_code),) if reply.status_code != 200 else ()
        assert (*status, *(words(body, "verdict", "reason") or words(body, "code"))) == row.name_check, reply.content
        if find_played(row.name):
            assert_played_here(reply, row.name_check[1])
            return
        assert {name for name in ("warning", "statusNote") if body.get(name)} == row.beside & {"warning", "statusNote"}
        if body["verdict"] == "taken":
            assert bool(body["conflictingEntities"]) == (row.name != MAGIC["name_refused"])
        assert_kept(tester, body)

    def test_plays_what_is_promised_of_liens(self, tester: Customer, row: Row) -> None:
        reply = tester.lookup(row.name, "CA", searchType="ucc")
        lists_companies = {"found", "ambiguous", "refused"} & set(row.lookup)
        assert str(reply.status_code) == ("200" if lists_companies else row.lookup[0]), reply.content
        assert Lookup.objects.filter(kind="ucc").count() == (0 if find_played(row.name) else 1)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("row", [row for row in ROWS if row.again], ids=lambda row: row.name)
class TestANameThatIsTriedAgain:
    """What docs/sandbox.md says below the table."""

    def test_ends_at_its_first_try_where_no_time_is_left(self, tester: Customer, row: Row) -> None:
        url = ask_bulk(tester, row.name, max_wait_seconds=SHORT).json()["poll_url"]
        (end,) = work(tester, Job.objects.get(), url)
        assert words(end, "verdict", "reason") == row.bulk_row

    def test_can_be_cancelled_until_then(self, tester: Customer, row: Row) -> None:
        url = ask_bulk(tester, row.name, max_wait_seconds=LONG).json()["poll_url"]
        queue.work(now=timezone.now())
        assert read_row(tester, url)["verdict"] is None
        assert Client().delete(url, headers={"x-api-key": tester.secret}).json()["livemode"] is False
        end = read_row(tester, url)
        assert (end["verdict"], end["status"], end["code"]) == ("cancelled", "cancelled", "cancelled")
        assert_kept(tester, end, whole=False)


class TestANameThatTheServicePlaysItself:
    """Magic No Funds LLC and Magic Too Many Requests LLC."""

    @pytest.mark.parametrize("row", [row for row in ROWS if find_played(row.name)], ids=lambda row: row.name)
    def test_is_played_for_all_of_a_bulk_request_by_one_row_of_it(self, tester: Customer, row: Row) -> None:
        rows = [{"entity_name": name, "state": "CA"} for name in (MAGIC["found"], row.name, row.name.upper())]
        reply = tester.post(BULK, {"entities": rows})
        assert_played_here(reply, row.lookup[1])
        assert reply.status_code == 429 or reply.json()["detail"].startswith("This costs 0.0628 USD")

    def test_leaves_the_next_request_alone(self, tester: Customer) -> None:
        assert tester.lookup(PLAYED["too_many_requests"], "CA").status_code == 429
        assert tester.lookup(PLAYED["no_funds"], "CA", headers={"idempotency_key": "k"}).status_code == 402
        assert tester.lookup(MAGIC["found"], "CA", headers={"idempotency_key": "k"}).status_code == 200

    @pytest.mark.parametrize("name", PLAYED.values())
    def test_is_a_name_like_any_other_to_a_live_key(self, customer: Customer, register: Register, name: str) -> None:
        reply = customer.lookup(name)
        assert (reply.status_code, register.asked > 0) == (404, True)


class TestATestKey:
    """`osd_test_…`."""

    def test_finds_the_companies_of_the_documentation(self, tester: Customer) -> None:
        body = tester.lookup(**DEMO_QUESTION).json()
        assert body["success"] is True
        assert body["data"]["entityId"].startswith("SB-")
        assert body["data"]["normalized"]["match"]["kind"] == "exact"

    def test_costs_nothing_and_leaves_the_ledger_alone_but_is_counted(self, tester: Customer) -> None:
        before = LedgerEntry.objects.count()
        body = tester.lookup(**DEMO_QUESTION).json()
        assert body["cost"] == 0
        assert (body["walletBalance"], body["lookupsRemaining"]) == (None, None)  # no balance pays for it
        assert tester.balance.available == 10 * PRICE
        assert LedgerEntry.objects.count() == before
        row = Lookup.objects.get()
        assert (row.sandbox, row.cost, row.hold) == (True, 0, None)

    def test_is_told_the_day_of_a_copy(self, tester: Customer) -> None:
        assert tester.lookup(MAGIC["copy"], "CA").json()["dataAsOf"].startswith("2026-11-01")

    def test_is_reported_when_several_companies_fit_equally_well(self, tester: Customer) -> None:
        body = tester.lookup(MAGIC["ambiguous"], "CA").json()
        assert body["ambiguous"] is True
        assert len(body["suggestions"]) >= 2

    def test_never_sees_what_a_live_key_stored_nor_the_other_way_round(self, tester: Customer) -> None:
        tester.lookup(**DEMO_QUESTION)
        assert set(Entity.objects.values_list("sandbox", flat=True)) == {True}
        live = open_customer()
        body = live.lookup(**DEMO_QUESTION, source="cache").json()
        assert body["success"] is False  # the real Delaware was asked for, and cannot be reached from here
        StoredAnswer.objects.update(sandbox=False)
        assert tester.lookup(**DEMO_QUESTION, source="cache").json()["source"] == "live"

    def test_works_with_an_empty_balance(self, tester: Customer) -> None:
        from tests.lookups.test_lookup import _spend_all

        _spend_all(tester)
        assert tester.lookup(**DEMO_QUESTION).status_code == 200

    def test_finds_liens(self, tester: Customer) -> None:
        body = tester.lookup(**DEMO_QUESTION, searchType="ucc").json()
        assert body["success"] is True, body
        assert body["data"]["totalResults"] == len(body["data"]["filings"]) >= 1
        filing = body["data"]["filings"][0]
        assert {"fileNumber", "fileDate", "debtorName", "securedParty", "collateral", "status", "lapseDate"} <= set(
            filing
        )
        assert filing["fileDate"][4] == "-"
        again = tester.lookup(**DEMO_QUESTION, searchType="ucc", source="cache").json()
        assert (again["source"], again["data"]["filings"]) == ("cache", body["data"]["filings"])

    def test_finds_no_liens_where_there_are_none(self, tester: Customer) -> None:
        assert tester.lookup("Nobody Knows This", "DE", searchType="ucc").status_code == 404
