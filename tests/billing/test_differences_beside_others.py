"""What is in order is no difference beside what looks like it, and a difference is found beside what is in order."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from billing import accounts, ledger, reversals
from billing.models import Account, Difference, LedgerEntry, Payment, Reversal, TopUp
from billing.payments import booking, checkout
from tests.billing import stubs, tampering
from tests.billing.conftest import NOW
from tests.billing.test_differences import entry, find, pay, put, topup
from tests.billing.test_differences_outside import LATER
from tests.billing.test_differences_outside import find as find_outside
from tests.billing.test_tempo import accept, node
from tests.billing.test_topups import cards

__all__ = ["cards", "node", "topup"]  # fixtures
Name = Difference.Name
DAY = timedelta(days=1)


def top_up(intent: str, account: Account, *, cents: int = 314, at: Any = NOW) -> TopUp:
    """Another top-up of 3.14 USD that was paid and credited, under a name of its own."""
    made = TopUp.objects.create(
        account=account,
        amount=cents * 100,
        state=TopUp.State.PAID,
        session_id=f"cs_{intent}",
        payment_intent=intent,
        created_at=at,
        paid_at=at,
    )
    put(account, f"topup:{made.pk}", amount=made.amount, reference=intent, now=at)
    return made


def pretend(state: str, **more: Any) -> Payment:
    """A payment that moved nothing, or only pretends to have."""
    number = Payment.objects.count()
    has_ended = state in ("paid", "failed", "abandoned")
    return Payment.objects.create(
        challenge_id=f"c{number}",
        proof_hash=f"p{number}",
        **{"method": "tempo", "purpose": "lookup", "amount": 314, "reference": f"ref_{number}"} | more,
        state=state,
        created_at=NOW,
        ended_at=NOW if has_ended else None,
    )


class TestWhatMovedNothing:
    """And stands among what did."""

    def test_is_no_difference(self, account: Account, topup: TopUp) -> None:
        accounts.open_account(name="Another with free lookups", now=NOW)
        TopUp.objects.create(account=account, amount=31_400, created_at=NOW, session_id="cs_left")
        for state in ("accepted", "settling", "unknown", "failed", "abandoned"):
            pretend(state)
        Payment.objects.filter(pk=pretend("paid", is_sandbox=True).pk).update(delivered_at=NOW)
        booking.deliver(pay("stripe"), now=NOW)
        pay("tempo", purpose="topup", account=account)
        assert find() == {Name.PAYMENT_WITHOUT_LOOKUP}, "of the one that is delivered here without its lookup"

    @pytest.mark.parametrize(
        "made",
        [{"state": "accepted"}, {"state": "failed"}, {"state": "paid", "is_sandbox": True}],
        ids=["is open", "has failed", "is pretended"],
    )
    def test_is_nothing_that_a_deposit_may_stand_for(self, account: Account, made: dict[str, Any]) -> None:
        payment = pretend(**made, purpose="topup", account=account)
        put(account, f"payment:{payment.pk}", "tempo", 314, reference=payment.reference)
        assert find() == {Name.DEPOSIT_WITHOUT_PAYMENT}


class TestADeposit:
    def test_of_another_way_to_pay_than_its_top_up(self, account: Account, topup: TopUp) -> None:
        top_up("pi_2", account)
        tampering.change(entry(f"topup:{topup.pk}"), source="tempo")
        assert find() == {Name.DEPOSIT_WITHOUT_PAYMENT}

    def test_of_a_payment_in_place_of_its_lookup_goes_to_nobody_else(self, account: Account, internal: Account) -> None:
        """What was paid with a request is booked on the common account, a top-up on its own: on no other."""
        bought = entry(f"payment:{pay('stripe', purpose='topup', account=account).pk}")
        asked = entry(f"payment:{pay().pk}")
        assert find() == set()
        common = asked.account
        for one, right, wrong in ((asked, common, internal), (bought, account, common), (bought, account, internal)):
            tampering.change(one, account=wrong)
            assert {Name.PAYMENT_NOT_BOOKED, Name.DEPOSIT_TWICE} <= find()
            tampering.change(one, account=right)
            assert find() == set()


class TestAnEntryThatIsMissing:
    def test_is_found_by_the_hourly_reading(self, account: Account, topup: TopUp) -> None:
        assert find() == set()
        tampering.remove(entry(f"payment:{pay().pk}"))
        tampering.remove(entry(f"topup:{top_up('pi_2', account).pk}"))
        assert find(now=NOW + timedelta(hours=1), whole=False) >= {Name.PAYMENT_NOT_BOOKED, Name.TOPUP_NOT_BOOKED}


class TestASale:
    def test_that_is_not_booked_is_found_by_the_hourly_reading_however_old_its_payment_is(self, db: None) -> None:
        made = pay()
        assert find() == set()
        Payment.objects.filter(pk=made.pk).update(delivered_at=NOW + 5 * DAY)
        assert find(now=NOW + 5 * DAY) >= {Name.PAYMENT_NOT_CHARGED}
        Difference.objects.all().delete()
        assert Name.PAYMENT_NOT_CHARGED in find(now=NOW + 5 * DAY + timedelta(hours=1), whole=False)


class TestCreditThatIsGivenBack:
    """For a charge."""

    @pytest.fixture
    def charged(self, account: Account) -> LedgerEntry:
        return self.charge(account, "c")

    def charge(self, account: Account, key: str, amount: int = 314) -> LedgerEntry:
        return ledger.charge(account_id=account.pk, amount=amount, idempotency_key=key, reference="", now=NOW)

    def back(self, charged: LedgerEntry, key: str, amount: int) -> LedgerEntry:
        return ledger.refund(entry_id=charged.pk, idempotency_key=key, amount=amount, reason="goodwill", now=NOW)

    def test_is_no_difference_in_parts_beside_that_of_another_charge(
        self, account: Account, charged: LedgerEntry
    ) -> None:
        for one in (charged, self.charge(account, "d")):
            for number in range(2):
                self.back(one, f"{one.pk} {number}", 157)
        assert Name.REFUND_WITHOUT_CHARGE not in find()

    def test_is_one_in_parts_that_are_together_too_much(self, account: Account, charged: LedgerEntry) -> None:
        _, second = self.back(charged, "1", 157), self.back(charged, "2", 100)
        tampering.change(second, amount=158)
        assert Name.REFUND_WITHOUT_CHARGE in find()

    def test_is_one_for_the_charge_of_another_account(self, charged: LedgerEntry) -> None:
        other = self.charge(accounts.open_account(name="Another", now=NOW), "theirs")
        back = self.back(charged, "1", 314)
        assert (other.amount, Name.REFUND_WITHOUT_CHARGE in find()) == (314, False)
        tampering.change(back, refunds=other)
        assert Name.REFUND_WITHOUT_CHARGE in find()

    def test_is_one_for_what_is_no_charge(self, account: Account, charged: LedgerEntry) -> None:
        back = self.back(charged, "1", 314)
        assert Name.REFUND_WITHOUT_CHARGE not in find()
        tampering.change(back, refunds=entry("free-grant"))
        assert Name.REFUND_WITHOUT_CHARGE in find()


class TestWhatWasTakenBack:
    """Of one top-up beside another."""

    def hear(self, intent: str, amount: int, kind: Reversal.Kind = Reversal.Kind.REFUND, **more: Any) -> None:
        name = more.pop("name", intent)
        reversals.hear(reversals.Heard(intent, kind, name, amount, **more), now=NOW)

    def test_is_each_ones_own(self, account: Account, topup: TopUp) -> None:
        other, third = top_up("pi_2", account), top_up("pi_3", account)
        self.hear("pi_1", 100)
        self.hear("pi_2", 2_000)
        self.hear("pi_2", 3_000, Reversal.Kind.DISPUTE, name="dp_1")
        self.hear("pi_3", 700, Reversal.Kind.DISPUTE, name="dp_2", withdrawn=False)
        self.hear("pi_3", 900, Reversal.Kind.DISPUTE, name="dp_3")
        self.hear("pi_3", 900, Reversal.Kind.DISPUTE, name="dp_3", reinstated=True)
        booked = [TopUp.objects.get(pk=one.pk).taken_back for one in (topup, other, third)]
        assert booked == [100, 5_000, 0]
        assert find() == set()
        TopUp.objects.filter(pk=other.pk).update(taken_back=4_999)
        assert find() == {Name.REVERSAL_DIFFERS}
        assert Difference.objects.get().numbers == {"heard": 5_000, "row": 4_999, "ledger": 5_000}

    def test_of_a_number_that_begins_alike_is_not_its(self, account: Account, topup: TopUp) -> None:
        self.hear("pi_1", 100)
        ledger.reverse(
            account_id=account.pk,
            amount=-5,
            idempotency_key=f"reversal:topup:{topup.pk}1:1",
            source="card",
            reason="x",
            reference="",
            now=NOW,
        )
        assert find() == {Name.REVERSAL_WITHOUT_PAYMENT}

    def test_of_another_account_is_of_nothing(self, internal: Account, topup: TopUp) -> None:
        self.hear("pi_1", 100)
        ledger.reverse(
            account_id=internal.pk,
            amount=-50,
            idempotency_key=f"reversal:topup:{topup.pk}:1",
            source="card",
            reason="x",
            reference="",
            now=NOW,
        )
        assert find() == {Name.REVERSAL_WITHOUT_PAYMENT}

    def test_is_booked_where_it_came_in(self, account: Account, topup: TopUp) -> None:
        """Of a lookup that was paid with its request on the common account, of a top-up on its own."""
        for one in (pay(), pay("stripe", purpose="topup", account=account)):
            reversals.enter(one, amount=300, note=f"undone {one.pk}", now=NOW)
        assert LedgerEntry.objects.filter(kind="reversal", account=account).count() == 1
        assert find() == set()

    def test_is_settled_within_an_hour(self, account: Account, topup: TopUp) -> None:
        """What was heard of at the very moment of its payment waits for the sweep; what waits for longer is found."""
        self.hear("pi_1", 100)
        Reversal.objects.create(
            payment_reference="pi_1",
            kind=Reversal.Kind.STAFF,
            name="by letter",
            amount=50,
            withdrawn=True,
            heard_at=NOW,
        )
        assert find(now=NOW + timedelta(minutes=59)) == set()
        assert find(now=NOW + timedelta(minutes=61)) == {Name.REVERSAL_DIFFERS}


class TestTheCardProvider:
    """Beside what it has no part in, and what it may not have told yet."""

    def test_has_no_part_in_what_came_another_way(
        self, account: Account, internal: Account, cards: stubs.CardProvider
    ) -> None:
        top_up("pi_1", account)
        cards.move("charge", "pi_1", 314, NOW)
        TopUp.objects.create(account=account, amount=1_000, created_at=NOW, session_id="cs_left")
        pay("tempo", purpose="topup", account=account)
        pretend("failed", method="stripe", reference="pi_8")
        pretend("paid", method="stripe", reference="pi_9", is_sandbox=True)
        dispute = reversals.Heard("pi_1", Reversal.Kind.DISPUTE, "dp_1", 100, withdrawn=False)
        reversals.hear(dispute, now=NOW)
        assert find_outside() == set()

    def test_has_an_hour_to_know_of_what_we_know(self, account: Account, cards: stubs.CardProvider) -> None:
        top_up("pi_1", account)
        cards.move("charge", "pi_1", 314, NOW)
        late = LATER - timedelta(minutes=30)
        top_up("pi_2", account, at=late)
        made = pay("stripe", purpose="topup", account=account)
        Payment.objects.filter(pk=made.pk).update(ended_at=late)
        reversals.hear(reversals.Heard("pi_1", Reversal.Kind.REFUND, "pi_1", 100), now=late)
        assert find_outside() == set()
        assert find_outside(now=LATER + timedelta(hours=1)) == {Name.CARD_CREDIT_UNKNOWN, Name.CARD_REVERSAL_UNKNOWN}
        assert Difference.objects.filter(name=Name.CARD_CREDIT_UNKNOWN).count() == 2

    def test_may_have_charged_days_before_we_heard_of_it(self, account: Account, cards: stubs.CardProvider) -> None:
        top_up("pi_1", account)
        cards.move("charge", "pi_1", 314, NOW)
        assert find_outside() == set()
        cards.move("charge", "pi_2", 314, NOW + DAY)
        assert find_outside(now=NOW + 3 * DAY, whole=False) == {Name.CARD_CHARGE_NOT_CREDITED}
        top_up("pi_2", account, at=NOW + 4 * DAY)
        assert Name.CARD_CREDIT_UNKNOWN not in find_outside(now=NOW + 4 * DAY + timedelta(hours=2), whole=False)
        assert find_outside(now=NOW + 5 * DAY) == set()

    def test_gave_back_of_late_a_part_of_what_was_heard_of(self, account: Account, cards: stubs.CardProvider) -> None:
        """By the hourly reading, which sees of the parts before ours alone."""
        top_up("pi_1", account)
        cards.move("charge", "pi_1", 314, NOW)
        for day, name in ((0, "re_1"), (10, "re_2")):
            at = NOW + day * DAY
            reversals.hear(reversals.Heard("pi_1", Reversal.Kind.REFUND, name, 10_000), now=at)
            cards.move("refund", "pi_1", -100, at)
            assert find_outside(now=at + timedelta(hours=2), whole=False) == set()
            assert find_outside(now=at + 9 * DAY) == set()

    def test_gave_each_payment_back_what_was_heard_of_it(self, account: Account, cards: stubs.CardProvider) -> None:
        for intent, cents in (("pi_1", 100), ("pi_2", 200)):
            top_up(intent, account)
            cards.move("charge", intent, 314, NOW)
            reversals.hear(reversals.Heard(intent, Reversal.Kind.REFUND, intent, cents * 100), now=NOW)
            cards.move("refund", intent, -cents, NOW)
        assert find_outside() == set()
        cards.move("refund", "pi_2", -1, NOW)
        assert find_outside() == {Name.CARD_REFUND_UNHEARD}
        row = Difference.objects.get()
        assert (row.subject, row.numbers) == ("pi_2", {"provider": 20_100, "heard": 20_000})


@pytest.mark.django_db(transaction=True)  # settling wants to be outside any transaction
class TestTheChain:
    """Beside what it has no part in, and what may not be on it yet."""

    def test_has_no_part_in_what_came_another_way(self, account: Account, node: stubs.Node) -> None:
        checkout.settle(accept(), now=NOW)
        node.block = 200
        pay("stripe", purpose="topup", account=account)
        for state in ("accepted", "failed", "abandoned"):
            pretend(state, reference="")
        assert find_outside() == set()

    def test_has_some_minutes_to_show_a_payment(self, node: stubs.Node) -> None:
        checkout.settle(accept(), now=NOW)
        node.block = 200
        pay()
        Payment.objects.filter(reference="ref_1").update(reference="0x" + "7" * 64)
        assert find_outside(now=NOW + timedelta(minutes=9)) == set()
        assert find_outside(now=NOW + timedelta(minutes=11)) == {Name.PAYMENT_WITHOUT_TRANSFER}
