"""What is kept of a refund or a dispute that is heard of: its name, whose it is, who said so, how long it waits."""

from __future__ import annotations

from datetime import timedelta

import pytest

from billing import giving_back, reversals
from billing.models import Account, LedgerEntry, Payment, Reversal, TopUp
from billing.reversals import Heard
from tests.billing.conftest import NOW

pytestmark = pytest.mark.django_db
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


@pytest.fixture
def credited(account: Account) -> TopUp:
    """A top-up by card of 3.14 USD, which is on the balance."""
    return TopUp.objects.create(
        account=account, amount=31_400, created_at=NOW, paid_at=NOW, state=TopUp.State.PAID, payment_intent="pi_1"
    )


def hear_dispute(name: str, *, payment: str = "pi_1") -> str:
    return reversals.hear(Heard(payment, Reversal.Kind.DISPUTE, name, 100), now=NOW)


class TestADispute:
    """Of which an older version has kept no name."""

    @pytest.fixture
    def unnamed(self, credited: TopUp) -> Reversal:
        return Reversal.objects.create(
            name="before: pi_1", payment_reference="pi_1", kind=Reversal.Kind.DISPUTE, amount=100, heard_at=NOW
        )

    def test_gets_its_name_from_the_first_message_that_has_one(self, unnamed: Reversal) -> None:
        hear_dispute("dp_1")
        assert [(row.pk, row.name) for row in Reversal.objects.all()] == [(unnamed.pk, "dp_1")]

    def test_keeps_its_own_where_the_message_is_of_another_payment(self, unnamed: Reversal) -> None:
        Reversal.objects.filter(pk=unnamed.pk).update(payment_reference="pi_2")
        hear_dispute("dp_1")
        assert set(Reversal.objects.values_list("name", flat=True)) == {"before: pi_1", "dp_1"}

    def test_of_a_name_that_is_known_names_no_other(self, unnamed: Reversal) -> None:
        Reversal.objects.create(
            name="dp_1", payment_reference="pi_1", kind=Reversal.Kind.DISPUTE, amount=50, heard_at=NOW
        )
        hear_dispute("dp_1")
        assert set(Reversal.objects.values_list("name", flat=True)) == {"before: pi_1", "dp_1"}

    def test_keeps_none_where_a_refund_is_heard_of(self, unnamed: Reversal) -> None:
        reversals.hear(Heard("pi_1", Reversal.Kind.REFUND, "re_1", 100), now=NOW)
        assert set(Reversal.objects.values_list("name", flat=True)) == {"before: pi_1", "re_1"}

    def test_is_known_by_as_much_of_its_payment_as_a_name_holds(self, unnamed: Reversal) -> None:
        payment = "p" * 255
        Reversal.objects.update(payment_reference=payment, name=f"before: {payment}"[:255])
        hear_dispute("dp_1", payment=payment)
        assert Reversal.objects.get().name == "dp_1"

    def test_that_took_nothing_before_is_gone_once_it_is_withdrawn(self, credited: TopUp) -> None:
        kind = Reversal.Kind.DISPUTE
        Reversal.objects.create(
            name="dp_1", payment_reference="pi_1", kind=kind, amount=100, withdrawn=False, heard_at=NOW
        )
        assert hear_dispute("dp_1") == reversals.TAKEN_BACK
        assert Reversal.objects.get().withdrawn


class TestRefunds:
    def test_of_which_the_sum_is_known_and_one_by_its_name_are_all_gone(self, credited: TopUp) -> None:
        reversals.hear(Heard("pi_1", Reversal.Kind.REFUND, "re_1", 100), now=NOW)
        reversals.hear(Heard("pi_1", Reversal.Kind.REFUND, "pi_1", 150), now=NOW)
        credited.refresh_from_db()
        assert credited.taken_back == 150

    def test_of_which_one_has_failed_are_gone_but_for_that_one(self, credited: TopUp) -> None:
        reversals.hear(Heard("pi_1", Reversal.Kind.REFUND, "pi_1", 150), now=NOW)
        reversals.hear(Heard("pi_1", Reversal.Kind.REFUND, "re_1", 100, reinstated=True), now=NOW)
        credited.refresh_from_db()
        assert credited.taken_back == 50


class TestWhatStaffEnters:
    def test_names_nobody_where_nobody_is_named(self, credited: TopUp) -> None:
        reversals.enter(credited, amount=100, note="by letter", now=NOW)
        assert LedgerEntry.objects.get(kind="reversal").operator == ""

    def test_names_who_has_entered_it(self, credited: TopUp) -> None:
        reversals.enter(credited, amount=100, note="by letter", now=NOW, operator="dana")
        assert LedgerEntry.objects.get(kind="reversal").operator == "dana"

    def test_is_named_by_as_much_of_its_note_as_a_name_holds(self, credited: TopUp) -> None:
        reversals.enter(credited, amount=100, note="n" * 300, now=NOW)
        assert len(Reversal.objects.get().name) == 255

    def test_is_known_by_its_payment_and_its_note(self, credited: TopUp) -> None:
        reversals.enter(credited, amount=100, note="by letter", now=NOW)
        assert Reversal.objects.get().name == "pi_1: by letter"

    def test_of_what_was_never_paid_is_of_nothing(self, account: Account) -> None:
        unpaid = TopUp.objects.create(account=account, amount=31_400, created_at=NOW)
        assert reversals.enter(unpaid, amount=100, note="by letter", now=NOW) == reversals.WAITING
        assert Reversal.objects.get().name == ": by letter"


class TestWhatTheProviderTells:
    def test_names_nobody(self, credited: TopUp) -> None:
        hear_dispute("dp_1")
        reversals.hear(Heard("pi_1", Reversal.Kind.DISPUTE, "dp_1", 100, reinstated=True), now=NOW)
        assert set(LedgerEntry.objects.filter(kind="reversal").values_list("operator", flat=True)) == {""}

    def test_and_is_settled_later_names_nobody(self, credited: TopUp) -> None:
        TopUp.objects.update(payment_intent=None)
        hear_dispute("dp_1")
        TopUp.objects.update(payment_intent="pi_1")
        assert reversals.settle("pi_1", now=NOW) == reversals.TAKEN_BACK
        assert LedgerEntry.objects.get(kind="reversal").operator == ""

    def test_of_one_payment_settles_nothing_of_another(self, credited: TopUp) -> None:
        hear_dispute("dp_9", payment="pi_9")
        hear_dispute("dp_1")
        assert dict(Reversal.objects.values_list("name", "is_settled")) == {"dp_9": False, "dp_1": True}


class TestWhatBelongsToNoPaymentOfOurs:
    def test_is_counted_after_an_hour(self, db: None) -> None:
        hear_dispute("dp_1", payment="pi_9")
        assert reversals.count_unmatched(now=NOW + HOUR) == 0
        assert reversals.count_unmatched(now=NOW + HOUR + SECOND) == 1

    def test_is_not_counted_once_it_is_settled(self, credited: TopUp) -> None:
        hear_dispute("dp_1")
        assert reversals.count_unmatched(now=NOW + 2 * HOUR) == 0


class TestAPaymentThatIsGivenBack:
    """A lookup that was paid by request and not delivered."""

    @pytest.fixture
    def owed(self, db: None) -> Payment:
        return Payment.objects.create(
            challenge_id="c",
            proof_hash="p",
            method="tempo",
            purpose=Payment.Purpose.LOOKUP,
            state=Payment.State.PAID,
            amount=314,
            created_at=NOW,
            ended_at=NOW,
            reference="0xabc",
        )

    def test_is_not_meant_by_a_message_of_another(self, owed: Payment) -> None:
        assert hear_dispute("dp_9", payment="0xother") == reversals.WAITING
        owed.refresh_from_db()
        assert owed.taken_back == 0

    def test_is_taken_back_by_its_own_way_of_paying(self, owed: Payment) -> None:
        reversals.enter(owed, amount=100, note="block 7 undone", now=NOW)
        assert LedgerEntry.objects.get(kind="reversal").source == "tempo"

    def test_is_so_once_and_never_once_it_is_delivered(self, owed: Payment) -> None:
        Payment.objects.update(delivered_at=NOW)
        with pytest.raises(giving_back.GivenBack, match="paid and not delivered"):
            giving_back.enter(owed, reference="0xdef", operator="dana", now=NOW)
        assert not Reversal.objects.exists()

    @pytest.mark.parametrize("state", [state for state in Payment.State if state != Payment.State.PAID])
    def test_is_one_whose_money_has_come(self, owed: Payment, state: str) -> None:
        Payment.objects.update(state=state)
        assert hear_dispute("dp_1", payment="0xabc") == reversals.WAITING
        assert not reversals.list_returnable().exists()

    def test_is_no_pretended_one(self, owed: Payment) -> None:
        Payment.objects.update(is_sandbox=True)
        assert hear_dispute("dp_1", payment="0xabc") == reversals.WAITING

    def test_is_no_lookup_that_was_delivered_but_a_top_up_always(self, owed: Payment) -> None:
        Payment.objects.update(delivered_at=NOW)
        assert hear_dispute("dp_1", payment="0xabc") == reversals.WAITING
        Payment.objects.update(purpose=Payment.Purpose.TOPUP)
        assert list(reversals.list_returnable()) == [owed]

    def test_is_known_by_as_much_of_its_name_as_is_kept(self, owed: Payment) -> None:
        Payment.objects.update(reference="p" * 200)
        assert hear_dispute("dp_1", payment="p" * 250) == reversals.TAKEN_BACK
        assert LedgerEntry.objects.get(kind="reversal").reference == "p" * 200

    def test_keeps_as_much_of_the_names_of_what_took_it_back_as_a_note_holds(self, credited: TopUp) -> None:
        TopUp.objects.update(state=TopUp.State.CREATED)
        for number in range(3):
            hear_dispute(f"{number}" * 255)
        TopUp.objects.update(state=TopUp.State.PAID)
        assert reversals.settle_late(now=NOW) == 1
        note = LedgerEntry.objects.get(kind="reversal").note
        assert note == ", ".join(f"{number}" * 255 for number in range(3))[:500]

    def test_is_not_meant_by_what_staff_knows_to_be_gone_of_it(self, owed: Payment) -> None:
        reversals.enter(owed, amount=100, note="block 7 undone", now=NOW)
        assert giving_back.find_unseen(owed) is None

    def test_may_be_entered_again_by_the_same_transfer(self, owed: Payment) -> None:
        seen = [giving_back.enter(owed, reference="0xdef", operator="dana", now=NOW) for _ in range(2)]
        assert seen == [False, False]  # no node is asked here
        assert Reversal.objects.get().name == "given back: 0xdef"

    def test_is_named_by_as_much_of_a_transfer_as_a_name_holds(self, owed: Payment) -> None:
        giving_back.enter(owed, reference="0x" + "d" * 300, operator="dana", now=NOW)
        assert len(Reversal.objects.get().name) == 255
