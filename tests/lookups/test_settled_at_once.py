"""Settling while somebody else has the account, the hold or the entity: claims about row locks, on PostgreSQL."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from billing import ledger, reconciliation
from billing.models import Hold, LedgerEntry
from lookups.lookup import rows, settlement, storage
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import NothingFound
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import Entity, Job, Lookup, RecordVersion
from scrapers import gateway
from tests.billing.conftest import count_waiting, somebody_waits
from tests.lookups.conftest import PRICE, Customer, open_customer
from tests.lookups.messages import wait_for
from tests.lookups.registry_server import Register, company

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgres"),
]
ACME = Question(state="NY", name="Acme Corp")


@pytest.fixture
def customer(switches: None) -> Customer:
    return open_customer()


def accepted(customer: Customer) -> tuple[Ask, Lookup]:
    asked = Ask(question=ACME, payer=KeyPayer(customer.key), apart=True)
    row = rows.draft(asked, now=timezone.now())
    rows.accept(asked, row, now=timezone.now(), hold_for=timedelta(minutes=10))
    return asked, row


@pytest.fixture
def while_it_waits(at_once: Callable[..., list[Any]]) -> Callable[..., Any]:
    """Do `first` in a transaction that stays open until `second` waits for it; returns what `second` came to."""

    def play(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        begun, waits = threading.Event(), threading.Event()

        def holds() -> None:
            with transaction.atomic():
                first()
                begun.set()
                assert waits.wait(30)

        def comes() -> Any:
            assert begun.wait(30)
            return second()

        def watches() -> bool:
            until = time.monotonic() + 30
            while not somebody_waits() and time.monotonic() < until:
                time.sleep(0.02)
            waits.set()
            return time.monotonic() < until

        _, came, did_wait = at_once(holds, comes, watches)
        assert did_wait
        return came

    return play


class TestALookupThatIsSettled:
    def test_while_the_sweep_gives_its_hold_back_sees_that(
        self, customer: Customer, while_it_waits: Callable[..., Any]
    ) -> None:
        asked, row = accepted(customer)
        assert row.hold is not None

        def sweep() -> None:
            ledger.release(hold_id=row.hold_id, now=timezone.now(), reason="expired")

        def settle() -> Lookup:
            return settlement.end(asked, row, NothingFound([], False, None, {}), stopwatch=Stopwatch(timezone.now()))

        assert while_it_waits(sweep, settle).verdict == "not_found"
        assert (customer.balance.held, customer.balance.spent) == (0, 0)
        assert (Hold.objects.get().state, LedgerEntry.objects.filter(kind="release").count()) == ("expired", 1)
        assert reconciliation.run(now=timezone.now()).mismatches == []

    def test_while_somebody_ends_it_is_not_settled_twice(
        self, customer: Customer, while_it_waits: Callable[..., Any]
    ) -> None:
        asked, row = accepted(customer)

        def cancel() -> None:
            Lookup.objects.filter(pk=row.pk).update(verdict="cancelled", ended_at=timezone.now())

        def settle() -> settlement.Locked:
            with transaction.atomic():
                return settlement.lock(asked, row)

        assert not while_it_waits(cancel, settle).is_ours
        assert customer.balance.held == PRICE

    def test_locks_nothing_of_its_account_but_the_sums(
        self, customer: Customer, at_once: Callable[..., list[Any]]
    ) -> None:
        """Others write rows that point at the account, the hold and the lookup meanwhile: nobody waits for them."""
        asked, row = accepted(customer)
        with transaction.atomic():
            assert settlement.lock(asked, row).is_ours

            def hand_over() -> Job:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '5s'")
                    return Job.objects.create(
                        account_id=customer.account.pk,
                        key=customer.key,
                        hold=row.hold,
                        lookup=row,
                        ask_id=uuid.uuid4(),
                        state="NY",
                        estimated_seconds=1,
                        created_at=timezone.now(),
                        deadline=timezone.now(),
                    )

            [job] = at_once(hand_over)
        assert job.lookup == row


class TestALookupThatIsTakenUpAgain:
    """After a try that broke off, while that try comes to its end all the same."""

    def test_is_locked_before_its_account_as_whoever_settles_it_does(
        self, customer: Customer, at_once: Callable[..., list[Any]]
    ) -> None:
        asked, row = accepted(customer)
        blocked, settles, both_wait = (threading.Event() for _ in range(3))

        def block() -> None:  # so that both have come to the lookup before either goes on
            with transaction.atomic():
                Lookup.objects.select_for_update().get(pk=row.pk)
                blocked.set()
                assert both_wait.wait(60)

        def settle() -> str | None:
            assert blocked.wait(30)
            nothing = NothingFound([], False, None, {})
            return settlement.end(asked, row, nothing, stopwatch=Stopwatch(timezone.now())).verdict

        def take_up() -> None:
            assert settles.wait(30)
            again = Lookup.objects.get(pk=row.pk)
            with pytest.raises(rows.AskedBefore):
                rows.accept(asked, again, now=timezone.now(), hold_for=timedelta(minutes=10))

        def watch() -> None:
            for number, event in ((1, settles), (2, both_wait)):
                wait_for(lambda number=number: count_waiting() == number)
                event.set()

        assert at_once(block, settle, take_up, watch)[1] == "not_found"
        assert (customer.balance.held, customer.balance.spent) == (0, 0)
        assert reconciliation.run(now=timezone.now()).mismatches == []


KINDS = {
    "a": "DOMESTIC BUSINESS CORPORATION",
    "b": "DOMESTIC NOT-FOR-PROFIT CORPORATION",
    "c": "FOREIGN BUSINESS CORPORATION",
}


class TestTwoReadingsOfOneEntity:
    """At once, of an entity that was known as kind "a"."""

    @pytest.mark.parametrize(
        ("readings", "numbers"), [(("b", "c"), [1, 2, 3]), (("b", "b"), [1, 2]), (("b", "a"), [1, 2, 3])]
    )
    def test_are_numbered_one_after_the_other(
        self,
        customer: Customer,
        register: Register,
        while_it_waits: Callable[..., Any],
        readings: tuple[str, str],
        numbers: list[int],
    ) -> None:
        replies = []
        for name in ("a", *readings):  # one after the other, so that "a" may be what the registry has come back to
            register.rows = [company("ACME CORP.", "100001", entity_type=KINDS[name])]
            replies.append(gateway.fetch(ACME.to_query(), now=timezone.now(), budget_seconds=20))

        def store(reply: gateway.Reply) -> RecordVersion | None:
            with transaction.atomic():
                return storage.store(question=ACME, reply=reply, sandbox=False).version

        before, first, second = replies
        store(before)
        version = while_it_waits(lambda: store(first), lambda: store(second))
        kept = RecordVersion.objects.order_by("number")
        assert [one.number for one in kept] == numbers
        assert version == kept.last()
        assert kept.last().data["entityType"] == second.answer.record.entity_type
        assert (version.number, version.first_read_at) == (numbers[-1], kept.last().first_read_at)
        assert Entity.objects.count() == 1
