"""Many clients, one account, connections that die: claims about row locks, hence proven on PostgreSQL."""

from __future__ import annotations

import random
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from billing import accounts, keys, ledger, locks, reconciliation, selectors
from billing.ledger_errors import LedgerError
from billing.models import Account, ApiKey, Hold, LedgerEntry
from tests.billing.conftest import LATER, NOW, in_parallel, set_once_somebody_waits

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgres"),
]
CLIENTS = 32


def take_one(account: Account, name: str, **named: Any) -> Hold | None:
    try:
        return ledger.hold(
            account_id=account.pk, amount=314, idempotency_key=name, reference="", expires_at=LATER, now=NOW, **named
        )
    except ledger.InsufficientFunds:
        return None


class TestThirtyTwoClients:
    def test_spend_the_last_credit_exactly_once(self, account: Account) -> None:
        def spend(number: int) -> bool:
            held = take_one(account, f"client-{number}")
            if held:
                ledger.capture(hold_id=held.pk, now=NOW)
            return held is not None

        served = in_parallel(spend, 160, threads=CLIENTS)
        assert sum(served) == 10
        assert selectors.get_balance(account.pk) == selectors.Balance(available=0, held=0, spent=3140, deposited=3140)
        assert reconciliation.run(now=NOW).mismatches == []

    def test_with_one_idempotency_key_are_charged_once_and_all_answered(self, account: Account) -> None:
        holds = in_parallel(lambda _: take_one(account, "the same"), 64, threads=CLIENTS)
        assert len({held.pk for held in holds if held}) == 1
        assert None not in holds
        assert selectors.get_balance(account.pk).held == 314

    def test_with_one_idempotency_key_get_the_answer_also_for_the_last_credit(self, account: Account) -> None:
        ledger.charge(account_id=account.pk, amount=3140 - 314, idempotency_key="most", reference="", now=NOW)
        holds = in_parallel(lambda _: take_one(account, "the same"), 64, threads=CLIENTS)
        assert None not in holds

    def test_capturing_and_releasing_one_hold_settle_it_once(self, account: Account) -> None:
        for _ in range(10):
            held = take_one(account, f"hold-{_}")
            assert held

            def settle(number: int, held: Hold = held) -> str:
                try:
                    if number % 2:
                        return ledger.capture(hold_id=held.pk, now=NOW).kind
                    return ledger.release(hold_id=held.pk, now=NOW, reason="not_found").kind
                except ledger.HoldEnded:
                    return "ended"

            outcomes = set(in_parallel(settle, 16, threads=16)) - {"ended"}
            assert len(outcomes) == 1
        assert reconciliation.run(now=NOW).mismatches == []

    def test_settling_a_hold_wait_for_its_account_and_for_nothing_else(self, account: Account) -> None:
        """Who has the account's lock can settle its holds: nobody sits on a hold while he waits for the account."""
        held = take_one(account, "contended")
        assert held
        has_it, may_go = threading.Event(), threading.Event()

        def first() -> str:
            with transaction.atomic():
                locks.lock_account(account.pk)
                has_it.set()
                assert may_go.wait(60)
                return ledger.release(hold_id=held.pk, now=NOW, reason="not_found").kind

        def second() -> str:
            assert has_it.wait(60)
            try:
                return ledger.capture(hold_id=held.pk, now=NOW).kind
            except ledger.HoldEnded as ended:
                return ended.state

        stories = [first, second, lambda: set_once_somebody_waits(may_go)]
        assert in_parallel(lambda number: stories[number](), 3, threads=3) == ["release", "released", "seen"]
        assert selectors.get_balance(account.pk) == selectors.Balance(3140, 0, 0, 3140)

    def test_of_a_key_with_a_budget_stay_within_it(self, account: Account) -> None:
        key, _ = keys.issue(account=account, name="narrow", now=NOW)
        keys.set_budget(key=key, monthly_budget=3 * 314, now=NOW)
        served = in_parallel(lambda number: take_one(account, f"c{number}", key=key), 64, threads=CLIENTS)
        assert sum(held is not None for held in served) == 3

    def test_of_a_key_that_is_rotated_meanwhile_stay_within_its_one_budget(self, account: Account) -> None:
        old, _ = keys.issue(account=account, name="narrow", now=NOW)
        keys.set_budget(key=old, monthly_budget=5 * 314, now=NOW)

        def ask(number: int) -> bool:
            if number == 8:
                keys.rotate(key=old, grace=timedelta(hours=24), now=NOW)
            key = ApiKey.objects.filter(account=account).order_by("pk")[number % 2 :].first() or old
            return take_one(account, f"c{number}", key=key) is not None

        assert sum(in_parallel(ask, 64, threads=CLIENTS)) == 5
        assert set(ApiKey.objects.values_list("budget_used", flat=True)) == {5 * 314}


class TestTwoHundredInterleavings:
    """Clients on three accounts whose connections are killed by the database now and then."""

    VERBS = ("hold", "capture", "release", "charge", "deposit", "refund")

    def one(self, number: int, owners: list[Account]) -> str:
        """Make one random move; return how it ended. A third of them is killed inside its transaction."""
        dice = random.Random(number)
        account = dice.choice(owners)
        killed = dice.random() < 0.33
        try:
            if dice.random() < 0.1:
                ledger.expire_holds(now=LATER if dice.random() < 0.5 else NOW)
            with transaction.atomic():
                for part in range(dice.randint(1, 3)):
                    self.move(dice, account, f"n{number}-{part}")
                if killed:
                    self.kill_own_connection()
        except (LedgerError, ValueError):
            return "refused"
        except DatabaseError as error:
            return "deadlock" if "deadlock" in str(error) else "killed"
        return "done"

    def kill_own_connection(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    def move(self, dice: random.Random, account: Account, name: str) -> None:
        verb = dice.choice(self.VERBS)
        holds = list(Hold.objects.filter(account=account, state="open")[:5])
        spent = list(LedgerEntry.objects.filter(account=account, kind__in=["capture", "charge"], amount__gt=0)[:5])
        if verb == "deposit":
            ledger.deposit(account_id=account.pk, amount=500, idempotency_key=name, source="card", now=NOW)
        elif verb == "charge":
            ledger.charge(account_id=account.pk, amount=314, idempotency_key=name, reference="", now=NOW)
        elif verb == "capture" and holds:
            ledger.capture(hold_id=dice.choice(holds).pk, now=NOW)
        elif verb == "release" and holds:
            ledger.release(hold_id=dice.choice(holds).pk, now=NOW, reason="not_found")
        elif verb == "refund" and spent:
            ledger.refund(entry_id=dice.choice(spent).pk, idempotency_key=name, reason="goodwill", now=NOW)
        else:
            take_one(account, name)

    def test_lose_nothing_and_never_deadlock(self) -> None:
        owners = [accounts.open_account(name=f"A{number}", now=NOW) for number in range(3)]
        outcomes = in_parallel(lambda number: self.one(number, owners), 200, threads=16)
        assert "deadlock" not in outcomes
        assert outcomes.count("done") > 50
        assert outcomes.count("killed") > 20
        assert reconciliation.run(now=NOW).mismatches == []
        for account in owners:
            sums = selectors.get_balance(account.pk)
            assert sums.available + sums.held + sums.spent == sums.deposited


class TestARowThatPointsAtTheAccount:
    def test_can_be_written_while_its_balance_is_locked(self, account: Account) -> None:
        def issue_a_key(_: int) -> int:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '500ms'")
                return keys.issue(account=account, name="meanwhile", now=NOW)[0].pk

        with transaction.atomic():
            take_one(account, "locking")
            assert in_parallel(issue_a_key, 1, threads=1)
