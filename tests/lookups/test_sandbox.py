"""A test key: the same service, a fictional registry, and no money."""

from __future__ import annotations

import pytest
from celery import current_app

from billing.models import LedgerEntry
from lookups import tasks
from lookups.models import Entity, Job, Lookup, StoredAnswer
from scrapers.sandbox.magic import DEMO_QUESTION, MAGIC, find_played
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.scrapers.magic_table import Row, list_rows

pytestmark = pytest.mark.django_db


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

    @pytest.mark.parametrize("row", [row for row in list_rows() if not find_played(row.name)], ids=lambda row: row.name)
    def test_can_play_every_outcome_of_the_table(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch, row: Row
    ) -> None:
        monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        reply = tester.lookup(row.name, "CA")
        body = reply.json()
        assert reply.status_code == int(row.lookup[0]), reply.content
        assert body.get("reason") == (row.lookup[3] if "unavailable" in row.lookup else None)
        assert body.get("cost", 0) == 0
        assert ("Retry-After" in reply) == (reply.status_code == 202 or body.get("retryable", False))

    def test_can_play_an_answer_from_a_copy(self, tester: Customer) -> None:
        body = tester.lookup(MAGIC["copy"], "CA").json()
        assert body["data"]["evidence"]["fromRegister"] is True
        assert body["dataAsOf"].startswith("2026-11-01")

    def test_can_play_a_registry_that_is_known_to_be_slow(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
        monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
        reply = tester.lookup(MAGIC["later"], "CA")
        assert (reply.status_code, reply.json()["async"]) == (202, True)
        tasks.run_job(job_id=str(Job.objects.get().pk))
        told = tester.get(reply.json()["statusUrl"]).json()
        assert (told["status"], told["data"]["entityName"], told["cost"]) == ("complete", "MAGIC LATER LLC", 0)

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
