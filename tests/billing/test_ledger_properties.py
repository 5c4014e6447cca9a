"""What holds after any sequence of verbs, repeated or not: nothing is made or lost, and nobody buys who owes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from billing import accounts, ledger, reconciliation, selectors
from billing.ledger_errors import LedgerError
from billing.models import Account, Hold, LedgerEntry
from tests.billing.conftest import LATER, NOW

AMOUNTS = st.integers(min_value=0, max_value=4000)
PICK = st.integers(min_value=0, max_value=50)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("deposit"), AMOUNTS, PICK),
        st.tuples(st.just("hold"), AMOUNTS, PICK),
        st.tuples(st.just("capture"), st.none() | AMOUNTS, PICK),
        st.tuples(st.just("release"), st.none() | AMOUNTS, PICK),
        st.tuples(st.just("charge"), AMOUNTS, PICK),
        st.tuples(st.just("refund"), st.none() | AMOUNTS, PICK),
        st.tuples(st.just("adjust"), st.integers(min_value=-4000, max_value=4000), PICK),
        st.tuples(st.just("reverse"), st.integers(min_value=-4000, max_value=4000), PICK),
        st.tuples(st.just("expire"), st.just(0), PICK),
    ),
    min_size=1,
    max_size=14,
)


@dataclass
class Story:
    """One account, and the calls that were made on it, so that each can be made again."""

    account: Account
    holds: list[Hold] = field(default_factory=list)
    spent: list[LedgerEntry] = field(default_factory=list)
    has_lost: bool = False

    def tell(self, step: tuple[str, Any, int], name: str) -> None:
        """Do one step; a refusal is part of the story."""
        verb, amount, pick = step
        try:
            getattr(self, verb)(amount, pick, name)
        except (LedgerError, ValueError):
            return

    def deposit(self, amount: int, _: int, name: str) -> None:
        ledger.deposit(account_id=self.account.pk, amount=amount, idempotency_key=name, source="card", now=NOW)

    def hold(self, amount: int, _: int, name: str) -> None:
        self.holds.append(
            ledger.hold(
                account_id=self.account.pk, amount=amount, idempotency_key=name, reference="", expires_at=LATER, now=NOW
            )
        )

    def capture(self, amount: int | None, pick: int, name: str) -> None:
        if self.holds:
            key = name if amount is not None else ""
            held = self.holds[pick % len(self.holds)]
            self.spent.append(ledger.capture(hold_id=held.pk, amount=amount, idempotency_key=key, now=NOW))

    def release(self, amount: int | None, pick: int, name: str) -> None:
        if self.holds:
            key = name if amount is not None else ""
            held = self.holds[pick % len(self.holds)]
            ledger.release(hold_id=held.pk, amount=amount, idempotency_key=key, reason="not_found", now=NOW)

    def charge(self, amount: int, _: int, name: str) -> None:
        self.spent.append(
            ledger.charge(account_id=self.account.pk, amount=amount, idempotency_key=name, reference="", now=NOW)
        )

    def refund(self, amount: int | None, pick: int, name: str) -> None:
        if self.spent:
            entry = self.spent[pick % len(self.spent)]
            ledger.refund(entry_id=entry.pk, amount=amount, idempotency_key=name, reason="goodwill", now=NOW)

    def adjust(self, amount: int, _: int, name: str) -> None:
        ledger.adjust(
            account_id=self.account.pk, amount=amount, idempotency_key=name, operator="Dana", reason="test", now=NOW
        )

    def reverse(self, amount: int, _: int, name: str) -> None:
        self.has_lost = self.has_lost or amount < 0
        ledger.reverse(
            account_id=self.account.pk,
            amount=amount,
            idempotency_key=name,
            source="card",
            reason="dispute",
            reference="",
            now=NOW,
        )

    def expire(self, _: int, pick: int, __: str) -> None:
        ledger.expire_holds(now=NOW + timedelta(minutes=pick * 2))


class TestAnySequenceOfVerbs(TestCase):
    """Each example runs on a fresh account, in a transaction of its own."""

    def begin(self, kind: str) -> Story:
        return Story(accounts.open_account(name="Any", kind=kind, now=NOW))

    def check(self, story: Story) -> None:
        account, sums = story.account, selectors.get_balance(story.account.pk)
        assert sums.available + sums.held + sums.spent == sums.deposited
        assert min(sums.held, sums.spent) >= 0
        assert sums.available >= 0 or story.has_lost
        bought = LedgerEntry.objects.filter(account=account, kind__in=["hold", "charge"], amount__gt=0)
        assert not bought.filter(available_after__lt=0).exists()
        moved = LedgerEntry.objects.filter(account=account).aggregate(
            available=Sum("available_change"), held=Sum("held_change"), spent=Sum("spent_change")
        )
        assert [moved[name] or 0 for name in ("available", "held", "spent")] == [
            sums.available,
            sums.held,
            sums.spent,
        ]
        paid_in = LedgerEntry.objects.filter(account=account, kind__in=["deposit", "free_grant", "adjust", "reversal"])
        assert (paid_in.aggregate(total=Sum("amount"))["total"] or 0) == sums.deposited
        assert reconciliation.run(now=NOW).mismatches == []

    @settings(max_examples=40)
    @given(steps=STEPS, kind=st.sampled_from(["user", "internal"]))
    def test_keeps_available_held_and_spent_equal_to_what_was_paid_in(self, steps: list[Any], kind: str) -> None:
        story = self.begin(kind)
        for number, step in enumerate(steps):
            story.tell(step, f"step-{number}")
        self.check(story)
        if kind == "internal":
            assert selectors.get_balance(story.account.pk).spent == 0

    @settings(max_examples=30)
    @given(steps=STEPS)
    def test_changes_nothing_when_a_step_is_repeated(self, steps: list[Any]) -> None:
        story = self.begin("user")
        for number, step in enumerate(steps):
            holds, spent = list(story.holds), list(story.spent)
            story.tell(step, f"step-{number}")
            after = selectors.get_balance(story.account.pk)
            entries = LedgerEntry.objects.filter(account=story.account).count()
            again = Story(story.account, holds, spent)
            again.tell(step, f"step-{number}")
            assert selectors.get_balance(story.account.pk) == after
            assert LedgerEntry.objects.filter(account=story.account).count() == entries
        self.check(story)
