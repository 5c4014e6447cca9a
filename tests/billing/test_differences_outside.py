"""The ledger beside the card provider and the chain: what is forged, missing or doubled there or here is found."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from billing import reconciliation, reversals, selectors, topups
from billing.accounting.reconciling import transfers
from billing.models import Account, Difference, Payment, Reconciliation, Reversal, TopUp
from billing.payments import checkout
from tests.billing import stubs
from tests.billing.conftest import NOW
from tests.billing.stubs import PLAIN, WITH_MEMO
from tests.billing.test_differences import pay
from tests.billing.test_tempo import accept, node
from tests.billing.test_topups import PAGES, cards, event, paid, receive

__all__ = ["cards", "node"]  # fixtures
Name = Difference.Name
LATER = NOW + timedelta(hours=2)  # by then the provider has told us everything


def find(*, whole: bool = True, now: Any = LATER) -> set[str]:
    """The names of what a comparison finds."""
    reconciliation.run(now=now, whole=whole)
    return set(selectors.list_differences().values_list("name", flat=True))


@pytest.fixture
def topup(account: Account, cards: stubs.CardProvider) -> TopUp:
    """A top-up of 3.14 USD that the provider has charged and we have credited, beside what is none of ours."""
    made = topups.start(account=account, amount=31_400, now=NOW, **PAGES)[0]
    receive(event("checkout.session.completed", **paid(made)))
    cards.move("charge", "pi_1", 314, NOW - timedelta(minutes=1))
    cards.move("stripe_fee", "", -10, NOW)
    cards.move("payout", "", -300, NOW)
    made.refresh_from_db()
    return made


def take_back(cents: int, *, kind: Reversal.Kind = Reversal.Kind.REFUND, name: str = "pi_1", **more: Any) -> None:
    reversals.hear(reversals.Heard("pi_1", kind, name, cents * 100, **more), now=NOW)


def dispute(cards: stubs.CardProvider, cents: int) -> None:
    cards.move("adjustment", "pi_1", -cents, NOW, object="dispute")


class TestTheCardProvider:
    def test_in_order_differs_in_nothing(self, account: Account, topup: TopUp, cards: stubs.CardProvider) -> None:
        by_token = pay("stripe", purpose="topup", account=account)
        Payment.objects.filter(pk=by_token.pk).update(amount=5_000)
        by_token.refresh_from_db()
        cards.move("charge", by_token.reference, 50, NOW)
        take_back(100)
        cards.move("refund", "pi_1", -60, NOW)
        cards.move("refund", "pi_1", -40, NOW)
        take_back(50, kind=Reversal.Kind.DISPUTE, name="dp_1")
        dispute(cards, 50)
        take_back(30, kind=Reversal.Kind.DISPUTE, name="dp_2")
        take_back(30, kind=Reversal.Kind.DISPUTE, name="dp_2", reinstated=True)
        dispute(cards, 30)
        dispute(cards, -30)
        assert find() == {Name.DEPOSIT_DIFFERS}  # of the payment whose amount was changed for this test
        assert find(whole=False) == {Name.DEPOSIT_DIFFERS}

    def test_took_money_that_nobody_has_got(self, topup: TopUp, cards: stubs.CardProvider) -> None:
        cards.move("charge", "pi_9", 100, NOW)
        assert find() == {Name.CARD_CHARGE_NOT_CREDITED}
        assert selectors.list_differences().get().numbers == {"provider": 10_000, "credit": 0}

    def test_has_an_hour_to_tell_us(self, topup: TopUp, cards: stubs.CardProvider) -> None:
        cards.move("charge", "pi_9", 100, LATER - timedelta(minutes=50))
        assert find() == set()
        assert find(whole=False, now=LATER + timedelta(hours=1)) == {Name.CARD_CHARGE_NOT_CREDITED}

    @pytest.mark.parametrize("cents", [300, 315])
    def test_took_another_amount(self, topup: TopUp, cards: stubs.CardProvider, cents: int) -> None:
        cards.balance.clear()
        cards.move("charge", "pi_1", cents, NOW)
        assert find() == {Name.CARD_CHARGE_DIFFERS}

    def test_took_it_twice(self, topup: TopUp, cards: stubs.CardProvider) -> None:
        cards.move("payment", "pi_1", 314, NOW)
        assert find() == {Name.CARD_CHARGE_DIFFERS}

    def test_knows_nothing_of_a_credit(self, account: Account, topup: TopUp, cards: stubs.CardProvider) -> None:
        pay("stripe", purpose="topup", account=account)
        cards.balance.clear()
        assert find() == {Name.CARD_CREDIT_UNKNOWN}
        assert selectors.list_differences().count() == 2

    def test_gave_back_what_we_have_not_heard_of(self, topup: TopUp, cards: stubs.CardProvider) -> None:
        cards.move("refund", "pi_1", -100, NOW)
        assert find() == {Name.CARD_REFUND_UNHEARD}
        take_back(99)
        assert find() == {Name.CARD_REFUND_UNHEARD}
        take_back(100)
        assert find() == set()

    def test_lost_a_dispute_that_we_have_not_heard_of(self, topup: TopUp, cards: stubs.CardProvider) -> None:
        dispute(cards, 314)
        assert find() == {Name.CARD_DISPUTE_UNHEARD}
        take_back(314, kind=Reversal.Kind.DISPUTE, name="dp_1")
        assert find() == set()

    @pytest.mark.parametrize("kind", [Reversal.Kind.REFUND, Reversal.Kind.DISPUTE])
    def test_knows_nothing_of_what_was_taken_back(self, topup: TopUp, kind: Reversal.Kind) -> None:
        take_back(100, kind=kind)
        assert find() == {Name.CARD_REVERSAL_UNKNOWN}

    def test_could_not_give_it_back_after_all(self, topup: TopUp, cards: stubs.CardProvider) -> None:
        take_back(100)
        cards.move("refund", "pi_1", -100, NOW)
        assert find() == set()
        cards.move("refund_failure", "pi_1", 100, NOW)
        assert find() == {Name.CARD_REVERSAL_UNKNOWN}
        take_back(100, name="re_1", reinstated=True)
        assert find() == set()
        assert selectors.list_differences().count() == 0

    @pytest.mark.parametrize("mood", ["down", "locked"])
    def test_out_of_reach_is_no_difference_and_ends_none(
        self, topup: TopUp, cards: stubs.CardProvider, mood: str
    ) -> None:
        cards.move("charge", "pi_9", 100, NOW)
        assert find() == {Name.CARD_CHARGE_NOT_CREDITED}
        cards.mood = mood
        cards.balance.clear()
        assert find(now=LATER + timedelta(hours=3)) == {Name.CARD_CHARGE_NOT_CREDITED}
        first, last = Reconciliation.objects.order_by("id")
        assert (first.provider_until, last.provider_until) == (NOW + timedelta(hours=1), None)
        gauges = selectors.list_gauges(now=LATER + timedelta(hours=4))
        assert gauges["provider_comparison_age_seconds"][1] == 4 * 3600
        assert gauges["ledger_reconciliation_age_seconds"][1] == 3600

    def test_that_is_none_is_not_asked(self, account: Account, settings: Any) -> None:
        assert find() == set()
        assert selectors.list_gauges(now=LATER)["provider_comparison_age_seconds"][1] == 0
        settings.STRIPE_SECRET_KEY = "sk_test_x"
        assert selectors.list_gauges(now=LATER)["provider_comparison_age_seconds"][1] == -1


@pytest.mark.django_db(transaction=True)  # settling wants to be outside any transaction
class TestTheChain:
    @pytest.fixture
    def payment(self, node: stubs.Node) -> Payment:
        """A payment that was made, mined and booked; what it bought is still owed."""
        made = accept()
        checkout.settle(made, now=NOW)
        node.block = 200
        return made

    def transfer(self, node: stubs.Node, name: str, amount: int = 31_400, event: str = PLAIN, **more: Any) -> str:
        """Another transfer to us on the chain; returns its hash."""
        [first, *_] = node.logs
        made = "0x" + name * 64
        topics = [event, *first["topics"][1:]]
        log = {**first, "transactionHash": made, "data": f"0x{amount:064x}", "topics": topics, **more}
        node.logs.append(log)
        node.receipts[made] = {
            "transactionHash": made,
            "blockNumber": log["blockNumber"],
            "status": "0x1",
            "logs": [log],
        }
        return made

    def test_in_order_differs_in_nothing(self, payment: Payment, node: stubs.Node) -> None:
        node.logs.append({**node.logs[0], "topics": [PLAIN, *node.logs[0]["topics"][1:]]})  # it tells by both events
        self.transfer(node, "a", address="0x" + "11" * 20)
        self.transfer(node, "b", topics=[PLAIN, "0x00", "0x" + "00" * 31 + "05"])
        assert find() == set()
        assert node.read == [(100, 100), (100, 180)]  # where the first payment is, then from there on
        assert Reconciliation.objects.get().chain_until == 180
        assert find(now=LATER + timedelta(hours=1)) == set()

    @pytest.mark.parametrize("event", [PLAIN, WITH_MEMO])
    def test_has_a_transfer_that_is_no_payment(self, payment: Payment, node: stubs.Node, event: str) -> None:
        name = self.transfer(node, "a", event=event)
        assert find() == {Name.TRANSFER_WITHOUT_PAYMENT}
        row = selectors.list_differences().get()
        assert (row.subject, row.numbers) == (name, {"chain": 314, "payment": 0, "token_units": 31_400})
        node.block = 90_000  # far beyond the overlap it is still looked at
        assert find(now=LATER + timedelta(days=1), whole=False) == {Name.TRANSFER_WITHOUT_PAYMENT}
        assert find(now=LATER + timedelta(days=2), whole=False) == {Name.TRANSFER_WITHOUT_PAYMENT}
        pay()
        Payment.objects.filter(reference="ref_1").update(reference=name)
        assert find(now=LATER + timedelta(days=3), whole=False) == set()

    def test_has_a_transfer_that_is_not_confirmed_yet(self, payment: Payment, node: stubs.Node) -> None:
        self.transfer(node, "a", blockNumber=hex(190))
        assert find() == set()
        node.block = 300
        assert find() == {Name.TRANSFER_WITHOUT_PAYMENT}

    def test_has_a_transfer_whose_payment_is_being_settled(self, payment: Payment, node: stubs.Node) -> None:
        Payment.objects.update(state="settling", settling_at=LATER - timedelta(minutes=5), ended_at=None)
        assert Name.TRANSFER_WITHOUT_PAYMENT not in find()
        assert Name.TRANSFER_WITHOUT_PAYMENT in find(now=LATER + timedelta(hours=1))

    def test_was_paid_another_amount(self, payment: Payment, node: stubs.Node) -> None:
        node.logs[0]["data"] = f"0x{31_399:064x}"
        assert find() == {Name.TRANSFER_DIFFERS}
        assert selectors.list_differences().get().numbers == {"chain": 313, "payment": 314, "token_units": 31_399}

    def test_was_paid_once_for_two_payments(self, payment: Payment, node: stubs.Node) -> None:
        pay()
        Payment.objects.filter(reference="ref_1").update(reference=payment.reference)
        assert find() == {Name.TRANSFER_DIFFERS}

    @pytest.mark.parametrize("reference", ["0x" + "9" * 64, "made up", ""])
    def test_was_never_paid(self, payment: Payment, node: stubs.Node, reference: str) -> None:
        pay()
        Payment.objects.filter(reference="ref_1").update(reference=reference)
        assert find() == {Name.PAYMENT_WITHOUT_TRANSFER}
        assert find(now=LATER + timedelta(days=2)) == {Name.PAYMENT_WITHOUT_TRANSFER}

    def test_was_never_paid_since_a_clock_that_was_a_day_ahead_compared_last(
        self, payment: Payment, node: stubs.Node
    ) -> None:
        assert find(now=LATER + timedelta(days=1)) == set()
        pay()
        Payment.objects.filter(reference="ref_1").update(reference="made up", ended_at=LATER - timedelta(minutes=20))
        assert find(whole=False) == {Name.PAYMENT_WITHOUT_TRANSFER}

    def test_has_undone_a_transfer(self, payment: Payment, node: stubs.Node) -> None:
        node.logs.clear()
        node.receipts.clear()
        assert find() == {Name.PAYMENT_WITHOUT_TRANSFER}

    @pytest.mark.parametrize("mood", ["down", "locked"])
    def test_out_of_reach_is_no_difference_and_ends_none(self, payment: Payment, node: stubs.Node, mood: str) -> None:
        self.transfer(node, "a")
        assert find() == {Name.TRANSFER_WITHOUT_PAYMENT}
        node.mood = mood
        node.logs.clear()
        assert find() == {Name.TRANSFER_WITHOUT_PAYMENT}
        assert list(Reconciliation.objects.order_by("id").values_list("chain_until", flat=True)) == [180, None]
        assert selectors.list_gauges(now=LATER + timedelta(hours=4))["chain_comparison_age_seconds"][1] == 4 * 3600

    def test_is_read_in_parts_and_on_from_there(
        self, payment: Payment, node: stubs.Node, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(transfers, "BLOCKS_AT_ONCE", 30)
        monkeypatch.setattr(transfers, "MOST_CALLS", 2)
        monkeypatch.setattr(transfers, "OVERLAP_BLOCKS", 10)
        find()
        find()
        assert node.read[:5] == [(100, 100), (100, 129), (130, 159), (150, 179), (180, 180)]
        assert node.read[5:] == [(100, 100)]  # a payment of the last hours, by its name
