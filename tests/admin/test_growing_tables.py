"""What is asked for often reads no large table from end to end, by PostgreSQL's own plans over rows enough for them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from billing import finance
from jurisdictions import bounded
from lookups.admin.answers import EntityAdmin
from lookups.models import Job
from lookups.operations import daily
from lookups.workspace.history import pages
from tests.bench.large import filling, measuring
from tests.bench.large.addresses import ADMIN, HOT, Address, list_addresses

LARGE = {
    "billing_hold", "billing_ledgerentry", "lookups_entity", "lookups_lookup", "lookups_recordversion",
    "lookups_storedanswer", "scrapers_reading", "scrapers_scrapeattempt",
}  # fmt: skip
HOT_PAGES = re.compile(r"/admin/$|/find/|finance|/(lookup|ledgerentry|hold|entity|scrapeattempt)/")
READS = ("Seq Scan", "Index Scan", "Index Only Scan")
COMPANIES, SPAN = 2000, 100  # the tables are as many times smaller, and so is what one page looks through

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def grown(on_postgres: None, switches: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of a year of a service with some thousand companies."""
    monkeypatch.setattr(bounded, "SPAN", SPAN)
    monkeypatch.setattr(pages, "SPAN", SPAN)
    filling.write_rows(COMPANIES, [f"{word} {number} LLC" for number in range(5) for word in filling.WORDS])
    finance.keep_days(now=timezone.now())
    daily.keep_days(now=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # All of it lies in memory; else a tenth of the rows, which an account has here, is as quickly read among all
        cursor.execute("SET LOCAL random_page_cost = 1.1")


def explain(ask: Callable[[], Any]) -> Iterator[tuple[str, Any, Any]]:
    """What is asked of the database for it: each statement with its values and PostgreSQL's plan."""
    asked: dict[str, Any] = {}

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SELECT"):
            asked[sql] = params
        return execute(sql, params, many, context)

    cache.clear()
    with connection.execute_wrapper(note):
        assert ask().status_code in (200, 302)
    with connection.cursor() as cursor:
        for sql, params in asked.items():
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
            (plan,) = cursor.fetchone()
            yield sql, params, plan


def list_scans(ask: Callable[[], Any]) -> Iterator[str]:
    """The large tables that are read from end to end for it, each with the statement."""
    for sql, _, plan in explain(ask):
        scanned = [node["Relation Name"] for node in _list_nodes(plan) if node["Node Type"] == "Seq Scan"]
        yield from (f"{table}: {sql}" for table in scanned if table in LARGE)


def list_walks(ask: Callable[[], Any], value: Any) -> Iterator[str]:
    """The statements with this value that read all of a table, in whatever order, to find it."""
    for sql, params, plan in explain(ask):
        reads = [node for node in _list_nodes(plan) if node["Node Type"] in READS]
        if value in params and any("Index Cond" not in node for node in reads):
            yield sql


def list_tried(ask: Callable[[], Any]) -> Iterator[str]:
    """The conditions that are tried on rows of lookups, each of which is fetched from the table for it."""
    for _, _, plan in explain(ask):
        for node in _list_nodes(plan):
            if node.get("Relation Name") == "lookups_lookup" and "Filter" in node:
                yield node["Filter"]


def _list_nodes(plan: Any) -> Iterator[Any]:
    if isinstance(plan, list):
        for part in plan:
            yield from _list_nodes(part)
    elif isinstance(plan, dict):
        if "Node Type" in plan:
            yield plan
        for part in plan.values():
            yield from _list_nodes(part)


class TestTablesThatGrow:
    def test_are_never_read_from_end_to_end(self, grown: None, monkeypatch: pytest.MonkeyPatch) -> None:
        clients = {"admin": measuring.sign_in_staff(), "workspace": measuring.sign_in_member()}
        key, scans = measuring.issue_key(), {}
        for one in list_addresses():
            if one.part == ADMIN and not HOT_PAGES.search(one.path):
                continue

            def ask(address: Any = one) -> Any:
                return measuring.call(address, key) if address.part == HOT else clients[address.part].get(address.path)

            if found := list(list_scans(ask)):
                scans[one.name] = found
        assert not scans, json.dumps(scans, indent=1)[:4000]
        # A search as Django does it by itself would be seen
        monkeypatch.setattr(EntityAdmin, "find", lambda self, request, rows, word: rows.filter(name__icontains=word))
        assert list(list_scans(lambda: clients["admin"].get("/admin/lookups/entity/?q=zzyzx")))

    def test_are_not_walked_through_for_a_job_by_an_id(self, grown: None) -> None:
        staff, job = measuring.sign_in_staff(), Job.objects.latest("created_at")
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")  # the few rows of a test are read at once, if they may be
        for word, value in ((job.public_id, job.pk), (f"{job.ask_id}", job.ask_id)):
            search = partial(staff.get, "/admin/lookups/job/", {"q": word})
            assert job.public_id in search().content.decode()
            assert list(list_walks(search, value)) == []

    @pytest.mark.parametrize("wanted", ["verdict=failed", "state=WA", "verdict=found&state=WA"])
    def test_are_not_fetched_from_for_an_account_s_lookups_that_do_not_fit(self, grown: None, wanted: str) -> None:
        key = measuring.issue_key()
        with connection.cursor() as cursor:
            for way in ("seqscan", "bitmapscan", "sort"):  # as good, for few rows
                cursor.execute(f"SET LOCAL enable_{way} = off")
        address = Address(HOT, wanted, f"/v1/lookups?{wanted}")
        assert list(list_tried(lambda: measuring.call(address, key))) == []
        by_ref = Address(HOT, "by a mark", "/v1/lookups?ref=mine&state=WA")  # of which there are few
        assert list(list_tried(lambda: measuring.call(by_ref, key)))
