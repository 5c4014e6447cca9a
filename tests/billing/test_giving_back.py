"""A lookup that was paid and not delivered is given back by a transfer of ours, and the chain says whether it was."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import giving_back, reconciliation, reversals, selectors
from billing.accounting import chart
from billing.models import Difference, LedgerEntry, Payment, Reversal
from billing.payments import checkout
from tests.billing import stubs
from tests.billing.conftest import NOW
from tests.billing.stubs import PLAIN, WITH_MEMO
from tests.billing.test_admin import dana, move, token_in, url
from tests.billing.test_tempo import SENDER, accept, node
from tests.billing.test_transactions import TOKEN, US

__all__ = ["dana", "node"]  # fixtures
pytestmark = pytest.mark.django_db(transaction=True)  # settling wants to be outside any transaction
PAID, SOMEBODY = 31_400, "0x" + "5" * 40
UNKNOWN = "0x" + "b" * 64


@pytest.fixture
def owed(node: stubs.Node) -> Payment:
    """Paid on the chain, booked, and never delivered."""
    payment = accept()
    checkout.settle(payment, now=NOW)
    node.block = 200
    payment.refresh_from_db()
    return payment


def send(node: stubs.Node, amount: int = PAID, **changed: Any) -> str:
    """A transfer of ours to the payer, or one `changed`; returns its hash."""
    return node.give_back(**{"to": SENDER, "sender": US, "token": TOKEN, "amount": amount, **changed})


def enter(payment: Payment, reference: str) -> bool:
    return giving_back.enter(payment, reference=reference, operator="dana", now=NOW)


def find(now: Any = NOW + timedelta(hours=2)) -> set[str]:
    """The names of what a comparison finds."""
    reconciliation.run(now=now, whole=False)
    return set(selectors.list_differences().values_list("name", flat=True))


class TestATransferThatStaffEnters:
    """On the page of the payment, where a node can be asked."""

    @pytest.mark.parametrize("event", [PLAIN, WITH_MEMO])
    def test_is_taken_when_the_chain_shows_it(self, dana: Client, node: stubs.Node, owed: Payment, event: str) -> None:
        address, named = url("payment_give_back", owed.pk), send(node, event=event)
        if event == WITH_MEMO:  # it tells by both events
            [log] = node.receipts[named]["logs"]
            node.receipts[named]["logs"].append({**log, "topics": [PLAIN, *log["topics"][1:]]})
        move(dana, address, reference=named)
        assert "seen on the chain" in dana.get(url("payment_changelist")).content.decode()
        given = Reversal.objects.get()
        assert (given.name, given.amount, given.seen_at is not None) == (f"given back: {named}", 314, True)
        assert list(selectors.list_undelivered_payments(timezone.now())) == []
        assert "is given back, once" in dana.get(address, follow=True).content.decode()
        assert find() == set()

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"to": SOMEBODY}, f"went to {SOMEBODY}, and the payer is {SENDER}"),
            ({"sender": SOMEBODY}, "is not from our account"),
            ({"amount": 31_300}, "is of 0.031300 USD, and the payment was of 0.0314 USD"),
            ({"amount": 31_401}, "is of 0.031401 USD"),
            ({"token": SOMEBODY}, "has moved nothing of the token"),
            ({"status": "0x0"}, "has moved nothing of the token"),
            (None, "knows no transaction of this hash"),
        ],
    )
    def test_is_refused_with_what_is_wrong_with_it(
        self, dana: Client, node: stubs.Node, owed: Payment, changed: dict[str, Any] | None, said: str
    ) -> None:
        named = UNKNOWN if changed is None else send(node, **changed)
        address = url("payment_give_back", owed.pk)
        data = {"reference": named, "token": token_in(dana.get(address)), "confirm": "1"}
        assert said in dana.post(address, data).content.decode()
        assert list(selectors.list_undelivered_payments(NOW + timedelta(hours=1))) == [owed]
        assert not Reversal.objects.exists()
        assert not LedgerEntry.objects.filter(kind="reversal").exists()

    @pytest.mark.parametrize("mood", ["down", "locked", "none"])
    def test_is_taken_as_not_verified_when_no_node_answers(
        self, dana: Client, node: stubs.Node, owed: Payment, settings: Any, mood: str
    ) -> None:
        node.mood = mood
        if mood == "none":
            settings.TEMPO_RPC_URL = ""
        move(dana, url("payment_give_back", owed.pk), reference=UNKNOWN)
        assert "not verified: the reconciliation looks" in dana.get(url("payment_changelist")).content.decode()
        assert Reversal.objects.get().seen_at is None
        assert list(selectors.list_undelivered_payments(timezone.now())) == []
        assert find() == set()  # nobody could be asked: that is no difference


class TestWhatWasNotSeen:
    """The reconciliation looks for it until the chain shows it."""

    @pytest.fixture
    def mistyped(self, node: stubs.Node, owed: Payment) -> Payment:
        """Given back, and entered by a wrong hash while the node was silent."""
        node.mood = "down"
        assert not enter(owed, UNKNOWN)
        node.mood = "included"
        return owed

    def test_is_noted_as_seen_as_soon_as_the_node_answers(self, node: stubs.Node, owed: Payment) -> None:
        find()  # once with a node that answers: later runs read what is new
        named = send(node)
        node.mood = "down"
        assert not enter(owed, named)
        assert find() == set()
        node.mood = "included"
        assert find(NOW + timedelta(days=3)) == set()
        assert Reversal.objects.get().seen_at == NOW + timedelta(days=3)

    def test_is_a_difference_while_it_is_not_on_the_chain(self, node: stubs.Node, mistyped: Payment) -> None:
        assert find() == {Difference.Name.GIVEN_BACK_DIFFERS}
        row = selectors.list_differences().get()
        assert row.subject == f"payment {mistyped.pk} by {UNKNOWN}"
        assert row.numbers == {"chain": 0, "payment": 314, "token_units": 0}
        for day in (3, 4):  # it is not forgotten when it is no news any more
            assert find(NOW + timedelta(days=day)) == {Difference.Name.GIVEN_BACK_DIFFERS}

    def test_stays_unseen_though_that_of_another_payment_is_seen(self, node: stubs.Node, mistyped: Payment) -> None:
        other = accept(nonce=9)
        checkout.settle(other, now=NOW)
        named, node.mood = send(node), "down"
        assert not enter(other, named)
        node.mood = "included"
        assert find() == {Difference.Name.GIVEN_BACK_DIFFERS}
        assert selectors.list_differences().get().subject == f"payment {mistyped.pk} by {UNKNOWN}"
        seen = Reversal.objects.exclude(seen_at=None).values_list("name", flat=True)
        assert list(seen) == [f"given back: {named}"]

    def test_is_nothing_that_staff_took_back_otherwise(self, node: stubs.Node, owed: Payment) -> None:
        reversals.enter(owed, amount=314, note="undone by the chain", now=NOW)
        assert find() == set()
        assert find(NOW + timedelta(days=1)) == set()

    def test_is_a_difference_by_its_amount(self, node: stubs.Node, owed: Payment) -> None:
        named = send(node, amount=31_350)
        node.mood = "down"
        enter(owed, named)
        node.mood = "included"
        assert find() == {Difference.Name.GIVEN_BACK_DIFFERS}
        assert selectors.list_differences().get().numbers == {"chain": 313, "payment": 314, "token_units": 31_350}

    def test_is_entered_anew_by_the_right_transfer(self, dana: Client, node: stubs.Node, mistyped: Payment) -> None:
        find()
        named = send(node)
        move(dana, url("payment_give_back", mistyped.pk), reference=named)
        assert Reversal.objects.get().name == f"given back: {named}"
        assert LedgerEntry.objects.filter(kind="reversal").count() == 1  # the money went once
        assert chart.total(chart.list_entries())[chart.BookAccount.PAYER_REFUNDS].credit == 314
        assert find() == set()

    def test_is_entered_anew_and_no_other_is(self, node: stubs.Node, mistyped: Payment) -> None:
        other = accept(nonce=9)
        checkout.settle(other, now=NOW)
        theirs, ours = send(node), send(node)
        assert enter(other, theirs)
        assert enter(mistyped, ours)
        assert set(Reversal.objects.values_list("name", flat=True)) == {
            f"given back: {name}" for name in (theirs, ours)
        }

    def test_is_not_entered_anew_by_the_transfer_of_another_payment(self, node: stubs.Node, mistyped: Payment) -> None:
        other = accept(nonce=9)
        checkout.settle(other, now=NOW)
        named = send(node)
        assert enter(other, named)
        with pytest.raises(giving_back.GivenBack, match="entered for another payment"):
            enter(mistyped, named)

    def test_is_one_that_the_chain_has_undone(self, node: stubs.Node, owed: Payment) -> None:
        named = send(node)
        assert enter(owed, named)
        assert find() == set()
        undone = node.receipts.pop(named)
        assert find() == {Difference.Name.GIVEN_BACK_DIFFERS}
        assert Reversal.objects.get().seen_at is None
        node.receipts[named] = undone
        assert find(NOW + timedelta(days=9)) == set()

    def test_and_seen_once_is_not_asked_for_for_ever(self, node: stubs.Node, owed: Payment) -> None:
        named = send(node)
        assert enter(owed, named)
        find()
        find(NOW + timedelta(days=1))
        del node.receipts[named]  # a node that keeps the last weeks only
        assert find(NOW + timedelta(days=2)) == set()
