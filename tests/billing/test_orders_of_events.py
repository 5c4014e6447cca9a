"""The card provider promises no order, and says things twice: every order and split ends in the same balances."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing import accounts, ledger, reconciliation, reversals, selectors, topups
from billing.models import Account, LedgerEntry, Payment, Reversal, TopUp
from tests.billing import stubs
from tests.billing.conftest import NOW
from tests.billing.test_topups import PAGES, cards, event, receive

__all__ = ["cards"]  # a fixture
pytestmark = [pytest.mark.django_db, pytest.mark.slow]
CENTS = 314
FREE = 3140


@dataclass(frozen=True)
class Told:
    """One message: what kind, and what its object says beside the payment's name."""

    kind: str
    about: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, kind: str, **about: Any) -> Told:
        return cls(kind, tuple(about.items()))


def completed(status: str = "paid") -> Told:
    kind = "checkout.session.completed" if status == "unpaid" else "checkout.session.async_payment_succeeded"
    return Told.of(kind, payment_status=status, amount_total=CENTS, currency="usd")


def refunded(cents: int) -> Told:
    return Told.of("charge.refunded", amount_refunded=cents)


def disputed(cents: int, status: str, *, name: str = "dp_1", kind: str = "created") -> Told:
    return Told.of(f"charge.dispute.{kind}", id=name, amount=cents, status=status)


HALF = CENTS // 2


def one_refund(cents: int, status: str, *, name: str = "re_1") -> Told:
    return Told.of("refund.failed" if status == "failed" else "refund.updated", id=name, amount=cents, status=status)


PLAYS: dict[str, tuple[list[Told], int]] = {  # what is told, in cents what is gone of the payment in the end
    "two halves refunded": ([completed(), refunded(HALF), refunded(CENTS)], CENTS),
    "a refund that failed": ([completed(), refunded(HALF), one_refund(HALF, "failed")], 0),
    "a refund that failed, and another one": (  # the provider's sum of refunds goes on
        [completed(), refunded(HALF), one_refund(HALF, "failed"), refunded(HALF + 50)],
        50,
    ),
    "the same, where failing lowers the provider's sum": (
        [completed(), refunded(HALF), one_refund(HALF, "failed"), refunded(50), one_refund(50, "pending", name="re_2")],
        50,
    ),
    "a refund that failed beside a lost dispute": (
        [completed(), refunded(HALF), one_refund(HALF, "failed"), disputed(100, "lost", kind="closed")],
        100,
    ),
    "half refunded, half disputed": (
        [completed(), refunded(HALF), disputed(HALF, "needs_response"), disputed(HALF, "lost", kind="closed")],
        CENTS,
    ),
    "half refunded, half disputed and won": (
        [completed(), refunded(HALF), disputed(HALF, "needs_response"), disputed(HALF, "won", kind="closed")],
        HALF,
    ),
    "an inquiry that came to nothing": (
        [
            completed("unpaid"),
            completed(),
            disputed(CENTS, "warning_needs_response"),
            disputed(CENTS, "warning_closed"),
        ],
        0,
    ),
    "an inquiry that became a dispute, won": (
        [
            completed(),
            disputed(CENTS, "warning_needs_response"),
            disputed(CENTS, "needs_response", kind="funds_withdrawn"),
            disputed(CENTS, "won", kind="funds_reinstated"),
            disputed(CENTS, "won", kind="closed"),
        ],
        0,
    ),
    "two disputes, one won, and a refund of more than is left": (
        [
            completed(),
            disputed(100, "under_review", name="dp_1"),
            disputed(100, "under_review", name="dp_2"),
            disputed(100, "won", name="dp_2", kind="closed"),
            refunded(250),
        ],
        CENTS,
    ),
}


class Table:
    """Fresh customers at one table, each with a top-up of the same amount."""

    numbers = itertools.count(1)

    def sit_down(self) -> tuple[Account, TopUp]:
        account = accounts.open_account(name="Any", now=NOW)
        topup, _ = topups.start(account=account, amount=CENTS * 100, now=NOW, **PAGES)
        return account, topup

    def say(self, topup: TopUp, told: Told, number: int | None = None) -> int:
        """Send it, under its own number or again under an earlier one."""
        number = next(self.numbers) if number is None else number
        about = dict(told.about)
        about["id"] = f"{about['id']} of {topup.pk}" if "id" in about else topup.session_id
        receive(event(told.kind, number, payment_intent=f"pi_{topup.pk}", **about))
        return number


def agrees(account: Account, topup: TopUp, gone: int, spent: int = 0) -> None:
    reversals.settle_late(now=NOW)
    sums = selectors.get_balance(account.pk)
    assert sums.available == FREE + (CENTS - gone) * 100 - spent - sums.held
    taken = LedgerEntry.objects.filter(account=account, kind="reversal").values_list("amount", flat=True)
    assert (-sum(taken), TopUp.objects.get(pk=topup.pk).taken_back) == (gone * 100, gone * 100)


class TestEveryOrder:
    @pytest.mark.parametrize("name", PLAYS)
    def test_with_every_message_doubled_ends_in_the_same_balance(self, cards: stubs.CardProvider, name: str) -> None:
        told, gone = PLAYS[name]
        table = Table()
        account, topup = table.sit_down()
        seen: set[tuple[Any, ...]] = set()

        def go_on(*still: Told) -> None:
            """Say each of these next, and then the others in every order; from where another one has led only once."""
            state = still, read_books()
            if state in seen:
                return
            seen.add(state)
            for place, message in enumerate(still):
                begun = transaction.savepoint()
                number = table.say(topup, message)
                table.say(topup, message, number)  # the same message
                table.say(topup, message)  # the same fact in another one
                go_on(*still[:place], *still[place + 1 :])
                transaction.savepoint_rollback(begun)
            if not still:
                agrees(account, topup, gone)
                assert reconciliation.run(now=NOW).mismatches == []

        go_on(*told)


def read_books() -> str:
    """Every row that a message may change or go by, but what numbers the messages had."""
    tables: list[Any] = [Account, LedgerEntry, Payment, Reversal, TopUp]
    return str([list(table.objects.order_by("pk").values()) for table in tables])


REFUNDS = st.lists(st.integers(1, CENTS), max_size=3)
DISPUTES = st.lists(st.tuples(st.integers(1, CENTS), st.sampled_from(["inquiry", "open", "won", "lost"])), max_size=3)
SPENDING = st.lists(st.integers(0, 40_000), max_size=3)


class TestAnySplit:
    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(refunds=REFUNDS, disputes=DISPUTES, spending=SPENDING, luck=st.randoms(use_true_random=False))
    def test_in_any_order_among_purchases_ends_in_the_same_balance(
        self, cards: stubs.CardProvider, refunds: list[int], disputes: list[Any], spending: list[int], luck: Any
    ) -> None:
        table = Table()
        account, topup = table.sit_down()
        steps: list[Told | int] = [completed(), *(refunded(cents) for cents in refunds), *spending]
        gone = max(refunds, default=0)
        for number, (cents, end) in enumerate(disputes):
            name = f"dp_{number}"
            if end == "inquiry":
                steps += [disputed(cents, "warning_needs_response", name=name)]
                continue
            steps += [disputed(cents, "needs_response", name=name), disputed(cents, "under_review", name=name)]
            steps += [disputed(cents, end, name=name, kind="closed")] if end != "open" else []
            gone += cents if end != "won" else 0
        steps += luck.choices(steps, k=3)
        luck.shuffle(steps)
        spent = 0
        for place, step in enumerate(steps):
            if isinstance(step, Told):
                table.say(topup, step)
                continue
            try:
                ledger.charge(account_id=account.pk, amount=step, idempotency_key=f"{place}", reference="", now=NOW)
            except ledger.InsufficientFunds:
                continue
            spent += step
        agrees(account, topup, min(gone, CENTS), spent)
