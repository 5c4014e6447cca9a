"""Several processes at the same watches, and processes lost in the middle: each check once, each charge once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import reconciliation
from billing.models import LedgerEntry
from lookups.bulk import queue
from lookups.jobs import lifecycle
from lookups.lookup import flow, rows
from lookups.models import Job, Lookup, Watch, WatchCheck, WatchEvent
from lookups.watches import judging, ticking
from scrapers.sandbox.changing import CHANGING
from scrapers.states.new_york import NewYork
from scrapers.transport.pace import Pace
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.registry_server import Register
from tests.lookups.watches.looks import look, look_again, read_events, watch

pytestmark = pytest.mark.django_db(transaction=True)


class Killed(BaseException):
    """The process is gone: nothing after this happens."""


@pytest.mark.usefixtures("on_postgres", "switches")
class TestTwoClocks:
    """That come for the same watches at the same moment."""

    def test_tick_none_of_them_twice(self, at_once: Callable[..., list[Any]]) -> None:
        tester = open_customer(mode="test")
        for number in range(20):
            watch(tester, state="DE", entity_name="Magic Found LLC", ref=f"row {number}")
        asked = at_once(*[lambda: ticking.tick(now=timezone.now()) for _ in range(4)])
        assert sum(asked) == 20
        assert (WatchCheck.objects.count(), Lookup.objects.count(), Job.objects.count()) == (20, 20, 20)
        assert set(Watch.objects.values_list("turns", flat=True)) == {1}

    def test_and_several_workers_tell_each_change_once_and_in_one_row_of_numbers(
        self, at_once: Callable[..., list[Any]]
    ) -> None:
        tester = open_customer(mode="test")
        for number in range(12):
            watch(tester, state="DE", entity_name=CHANGING["changes_name"], ref=f"row {number}")
        look()
        Watch.objects.update(next_at=timezone.now())
        ticking.tick(now=timezone.now())

        def work() -> None:
            queue.work(now=timezone.now())
            judging.judge_ended(now=timezone.now())

        at_once(*[work for _ in range(4)])
        assert [event["code"] for event in read_events(tester)] == ["name.changed"] * 12
        assert list(WatchEvent.objects.order_by("number").values_list("number", flat=True)) == list(range(1, 13))

    def test_show_no_event_behind_a_cursor_that_was_read(self, at_once: Callable[..., list[Any]]) -> None:
        tester = open_customer(mode="test")
        for number in range(12):
            watch(tester, state="DE", entity_name=CHANGING["changes_name"], ref=f"row {number}")
        look()
        Watch.objects.update(next_at=timezone.now())
        ticking.tick(now=timezone.now())
        seen: list[str] = []

        def follow() -> None:
            cursor, until = "0", timezone.now() + timedelta(seconds=30)
            while len(seen) < 12 and timezone.now() < until:
                page = tester.get(f"/v1/events?cursor={cursor}").json()
                seen.extend(event["id"] for event in page.get("events", []))
                cursor = page.get("nextCursor", cursor)

        at_once(follow, *[lambda: queue.work(now=timezone.now()) for _ in range(3)])
        assert len(seen) == len(set(seen)) == 12


class TestAKilledWorker:
    """Of a live watch: wherever it dies, the check is made, judged and charged once."""

    @pytest.fixture(autouse=True)
    def rested(self, monkeypatch: pytest.MonkeyPatch, register: Register) -> None:
        monkeypatch.setattr(NewYork, "pace", Pace(seconds=0.0, concurrency=2))

    @pytest.mark.parametrize(
        ("where", "what"),
        [
            (flow, "_fetch"),  # in the middle of the fetch
            (rows, "end"),  # between storing and charging
            (lifecycle, "end"),  # charged, and its job not ended
            (judging, "judge_ended"),  # ended, and nobody has compared it
            (judging, "_write_memory"),  # in the middle of that
        ],
    )
    def test_neither_loses_a_check_nor_charges_it_twice(
        self,
        customer: Customer,
        register: Register,
        monkeypatch: pytest.MonkeyPatch,
        where: Any,
        what: str,
    ) -> None:
        watch(customer, state="NY", entity_name="Acme Corp")
        look()
        register.rows[0]["current_entity_name"] = "ACME WORLDWIDE CORP."
        Watch.objects.update(next_at=timezone.now())
        ticking.tick(now=timezone.now())

        def die(*_: Any, **__: Any) -> Any:
            raise Killed

        with monkeypatch.context() as broken:
            broken.setattr(where, what, die)
            with pytest.raises(Killed):
                queue.work(now=timezone.now())
        later = timezone.now() + lifecycle.LEASE + timedelta(seconds=1)
        for _ in range(2):  # the next shift, and one more
            queue.work(now=later)
            judging.judge_ended(now=later)
        assert [event["code"] for event in read_events(customer)].count("name.changed") == 1
        assert customer.balance.spent == 2 * PRICE
        assert customer.balance.held == 0
        assert LedgerEntry.objects.filter(kind="capture").count() == 2
        assert set(WatchCheck.objects.values_list("result", flat=True)) == {"baseline", "changed"}
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_leaves_no_hold_when_it_dies_while_it_accepts_a_check(
        self, customer: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        watch(customer, state="NY", entity_name="Acme Corp")

        def die(**_: Any) -> Any:
            raise Killed

        with monkeypatch.context() as broken:
            broken.setattr(WatchCheck.objects, "create", die)
            with pytest.raises(Killed):
                ticking.tick(now=timezone.now())
        assert (customer.balance.held, Lookup.objects.count(), Watch.objects.get().turns) == (0, 0, 0)
        look_again()
        assert customer.balance.spent == PRICE
