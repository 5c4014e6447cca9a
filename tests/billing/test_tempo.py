"""Signed transfers: known to be good before any work is done, broadcast once, and found out about afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from billing import challenge, reconciliation, selectors
from billing.models import Account, LedgerEntry, Payment
from billing.payments import checkout, sweep, transactions
from tests.billing import stubs
from tests.billing.conftest import NOW, in_parallel
from tests.billing.test_checkout import LOOKUP, answer, ask, word_of
from tests.billing.test_transactions import TOKEN, US, paying, signed

pytestmark = pytest.mark.django_db(transaction=True)  # settling wants to be outside any transaction
SECOND = int(NOW.timestamp())
SENDER = "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a"


@pytest.fixture
def node(settings: Any) -> Iterator[stubs.Node]:
    made = stubs.Node()
    with stubs.serve(made.answer) as url:
        settings.TEMPO_RPC_URL, settings.TEMPO_RECIPIENT, settings.TEMPO_CURRENCY = url, US, TOKEN
        yield made


def send(offer: dict[str, str], raw: bytes, *, now: Any = NOW, word: str | None = None) -> Payment:
    """Answer a challenge with a transaction."""
    payload = {"type": "transaction", "signature": "0x" + raw.hex()}
    return checkout.accept(LOOKUP, credential=answer(offer, payload), now=now, word=word)


def accept(**changed: Any) -> Payment:
    """A good transfer for a fresh challenge, or one `changed`."""
    offer = ask()
    return send(offer, paying(offer["id"], **{"valid_before": SECOND + 60, **changed}))


class TestWhatIsKnownBeforeAnyWork:
    """`accept`: no registry is asked before it has returned."""

    def test_names_who_pays_and_was_played_through(self, node: stubs.Node) -> None:
        payment = accept(nonce=7)
        assert (payment.payer, payment.state) == (SENDER, "accepted")
        [played] = node.simulated
        assert (played["from"], played["to"], played["nonce"]) == (SENDER, TOKEN.lower(), "0x7")
        assert played["data"].startswith("0x95777d59")

    def test_a_signature_of_65_zero_bytes_is_none(self, node: stubs.Node) -> None:
        offer = ask()
        raw = paying(offer["id"], valid_before=SECOND + 60)
        assert word_of(lambda: send(offer, raw[:-65] + bytes(65))) == "invalid-payload"
        assert (Payment.objects.count(), node.simulated) == (0, [])

    @pytest.mark.parametrize("objection", ["nonce too low", "transfer amount exceeds balance", "unknown fee token"])
    def test_what_the_chain_would_refuse_is_refused(self, node: stubs.Node, objection: str) -> None:
        node.objection = objection
        assert word_of(accept) == "verification-failed"
        assert not Payment.objects.exists()

    @pytest.mark.parametrize("mood", ["down", "locked"])
    def test_a_node_that_cannot_be_asked_is_nobodys_fault_and_uses_nothing_up(
        self, node: stubs.Node, mood: str
    ) -> None:
        offer, node.mood = ask(), mood
        raw = paying(offer["id"], valid_before=SECOND + 60)
        assert word_of(lambda: send(offer, raw)) == "payment-unavailable"
        assert not Payment.objects.exists()
        node.mood = "included"
        assert send(offer, raw).state == "accepted"

    @pytest.mark.parametrize(
        ("changed", "word"),
        [
            ({"chain_id": 1}, "verification-failed"),
            ({"to": "0x" + "11" * 20}, "verification-failed"),
            ({"amount": 31_399}, "payment-insufficient"),
            ({"amount": 31_401}, "verification-failed"),
            ({"valid_before": SECOND + 2}, "verification-failed"),
            ({"valid_after": SECOND + 2}, "verification-failed"),
            ({"valid_before": None}, "verification-failed"),
            ({"valid_before": SECOND + 601}, "verification-failed"),
            ({"memo": bytes(32)}, "verification-failed"),
            ({"memo": b"invoice 7".ljust(32)}, "verification-failed"),
        ],
    )
    def test_what_does_not_pay_us_the_price_in_time_for_this_challenge_is_refused(
        self, node: stubs.Node, changed: dict[str, Any], word: str
    ) -> None:
        assert word_of(lambda: accept(**changed)) == word
        assert not Payment.objects.exists()

    @pytest.mark.parametrize(
        "payload",
        [
            {"type": "hash", "hash": "0x00"},
            {"type": "transaction"},
            {"type": "transaction", "signature": "0xzz"},
            {"type": "transaction", "signature": "76"},
            {"type": "transaction", "signature": "0x" + "7" * 40_001},
        ],
    )
    def test_another_form_is_refused(self, node: stubs.Node, payload: dict[str, Any]) -> None:
        action = partial(checkout.accept, LOOKUP, credential=answer(ask(), payload), now=NOW)
        assert word_of(action) in ("invalid-payload", "malformed-credential")

    def test_the_same_funds_do_not_carry_many_lookups_at_a_time(self, node: stubs.Node) -> None:
        """Funds for two: a third has nothing to pay with, though each of them alone would go through."""
        node.funds = 2 * 31_400 + 1
        first, _ = accept(nonce=0), accept(nonce=1)
        assert word_of(lambda: accept(nonce=2)) == "payment-insufficient"
        checkout.abandon(first, reason="not_found", now=NOW)
        assert accept(nonce=3).state == "accepted"

    def test_the_same_funds_at_once_never_carry_more_than_they_are(self, node: stubs.Node) -> None:
        node.funds = 3 * 31_400 + 1

        def try_it(number: int) -> str:
            try:
                return accept(nonce=number).state
            except challenge.PaymentProblem as problem:
                return problem.word

        outcomes = in_parallel(try_it, 8)
        assert set(outcomes) <= {"accepted", "payment-insufficient"}
        assert outcomes.count("accepted") <= 3


class TestAnOldTransfer:
    """One that was mined for something else, or before anybody asked for it."""

    def test_without_memo_buys_nothing(self, node: stubs.Node) -> None:
        raw = signed(valid_before=SECOND + 60)
        node.include(transactions.read(raw))
        node.mood = "known"
        assert word_of(lambda: send(ask(), raw)) == "verification-failed"

    def test_for_another_challenge_buys_nothing(self, node: stubs.Node) -> None:
        raw = paying(ask()["id"], valid_before=SECOND + 60)
        assert word_of(lambda: send(ask(), raw)) == "verification-failed"

    def test_from_before_its_challenge_buys_nothing(self, node: stubs.Node) -> None:
        offer = ask()
        raw = paying(offer["id"], valid_before=SECOND + 60)
        node.include(transactions.read(raw))
        node.objection, node.block_time = "nonce too low", SECOND - 3600
        assert word_of(lambda: send(offer, raw)) == "verification-failed"
        node.objection = ""
        payment = send(offer, raw)
        node.mood = "known"
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "verification-failed"
        assert not LedgerEntry.objects.exists()

    def test_that_the_client_sent_by_itself_since_then_counts(self, node: stubs.Node) -> None:
        offer = ask()
        raw = paying(offer["id"], valid_before=SECOND + 60)
        node.include(transactions.read(raw))
        node.objection, node.mood = "nonce too low", "known"
        payment = send(offer, raw)
        checkout.settle(payment, now=NOW)
        assert payment.state == "paid"


class TestSettling:
    """The broadcast, when there is something to deliver."""

    def test_broadcasts_once_and_has_one_receipt(self, node: stubs.Node) -> None:
        payment = accept()
        assert node.broadcasts == []
        receipt = json.loads(challenge.decode(checkout.settle(payment, now=NOW)))
        assert node.broadcasts == [receipt["reference"]]
        assert payment.state == "paid"
        checkout.settle(payment, now=NOW)
        assert len(node.broadcasts) == 1

    def test_for_nothing_found_never_begins(self, node: stubs.Node) -> None:
        checkout.abandon(accept(), reason="not_found", now=NOW)
        assert node.broadcasts == []

    def test_is_booked_in_and_with_the_delivery_out(self, node: stubs.Node) -> None:
        payment = accept()
        checkout.settle(payment, now=NOW)
        account = Account.objects.get(role="pay_per_request")
        assert selectors.get_balance(account.pk) == selectors.Balance(available=314, held=0, spent=0, deposited=314)
        for _ in range(2):
            checkout.deliver(payment, now=NOW)
        assert selectors.get_balance(account.pk) == selectors.Balance(available=0, held=0, spent=314, deposited=314)
        assert reconciliation.run(now=NOW).mismatches == []

    def test_of_a_transaction_for_two_challenges_happens_once(self, node: stubs.Node) -> None:
        offer = ask()
        raw = paying(offer["id"], valid_before=SECOND + 60)
        checkout.settle(send(offer, raw), now=NOW)
        assert word_of(lambda: send(ask(), raw)) == "verification-failed"

    @pytest.mark.parametrize("mood", ["refused", "failed", "fee"])
    def test_refused_by_the_chain_may_be_paid_again(self, node: stubs.Node, mood: str) -> None:
        """Also where it says "unknown fee token", which is no "known transaction"."""
        payment = accept()
        node.mood = mood
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "verification-failed"
        assert payment.state == "failed"
        assert not LedgerEntry.objects.exists()

    @pytest.mark.parametrize("mood", ["slow", "known", "broken", "silent", "locked", "elsewhere"])
    def test_whose_fate_is_open_is_never_asked_for_again(self, node: stubs.Node, mood: str) -> None:
        payment = accept()
        node.mood = mood
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        assert payment.state == "unknown"

    def test_of_what_the_chain_has_already_counts(self, node: stubs.Node) -> None:
        offer = ask()
        raw = paying(offer["id"], valid_before=SECOND + 60)
        payment = send(offer, raw)
        node.include(transactions.read(raw))
        node.mood = "known"
        checkout.settle(payment, now=NOW)
        assert payment.state == "paid"


class TestFindingOut:
    """The sweep, after an outcome nobody knew."""

    def open_one(self, node: stubs.Node, mood: str) -> tuple[Payment, bytes]:
        offer = ask()
        raw = paying(offer["id"], valid_before=SECOND + 60)
        payment = send(offer, raw)
        node.mood = mood
        assert word_of(lambda: checkout.settle(payment, now=NOW)) == "internal-payment-error"
        return payment, raw

    def test_that_it_arrived_books_it_once_and_broadcasts_nothing(self, node: stubs.Node) -> None:
        _, raw = self.open_one(node, "slow")
        assert sweep.run(now=NOW) == {"unknown": 1}
        node.mood = "included"
        node.include(transactions.read(raw))
        assert sweep.run(now=NOW) == {"paid": 1}
        assert (LedgerEntry.objects.get().kind, len(node.broadcasts)) == ("deposit", 1)

    def test_comes_to_each_although_others_stay_unknown(self, node: stubs.Node) -> None:
        _, raw = self.open_one(node, "slow")
        self.open_one(node, "slow")
        node.mood = "included"
        node.include(transactions.read(raw))
        assert any(sweep.run(now=NOW, limit=1) == {"paid": 1} for _ in range(200))

    def test_that_it_never_arrived_takes_both_clocks(self, node: stubs.Node) -> None:
        self.open_one(node, "slow")
        node.mood, node.block_time = "included", SECOND
        assert sweep.run(now=NOW + timedelta(minutes=4)) == {"unknown": 1}  # the node is behind: it cannot know
        node.block_time = SECOND + 240
        assert sweep.run(now=NOW) == {"unknown": 1}
        assert sweep.run(now=NOW + timedelta(minutes=4)) == {"failed": 1}
        assert len(node.broadcasts) == 1

    @pytest.mark.parametrize("mood", ["down", "locked"])
    def test_is_not_done_by_a_node_that_does_not_answer(self, node: stubs.Node, mood: str) -> None:
        payment, _ = self.open_one(node, mood)
        assert sweep.run(now=NOW + timedelta(days=2)) == {"unknown": 1}
        payment.refresh_from_db()
        assert payment.proof is not None


class TestAnIdempotencyKey:
    """Without an API key it is the payer's, whom the signature names."""

    def pay(self, word: str, nonce: int, *, now: Any = NOW, key: str = "") -> Payment:
        offer = ask()
        return send(offer, paying(offer["id"], valid_before=SECOND + 60, nonce=nonce), now=now, word=word)

    def test_makes_another_payment_of_the_same_payer_the_first_one(self, node: stubs.Node) -> None:
        first = self.pay("k-1", 0)
        assert word_of(lambda: self.pay("k-1", 1)) == "payment-in-progress"
        receipt = checkout.settle(first, now=NOW)
        again = self.pay("k-1", 2)
        assert (again, checkout.settle(again, now=NOW)) == (first, receipt)
        assert (len(node.broadcasts), Payment.objects.count()) == (1, 1)
        assert self.pay("k-2", 3) != first

    def test_is_free_again_when_nothing_was_paid(self, node: stubs.Node) -> None:
        first = self.pay("k-1", 0)
        checkout.abandon(first, reason="not_found", now=NOW)
        assert self.pay("k-1", 1) != first

    def test_that_is_free_again_frees_no_other(self, node: stubs.Node) -> None:
        """Else who repeats the other one would pay twice."""
        first, other = self.pay("k-1", 0), self.pay("k-2", 1)
        receipt = checkout.settle(other, now=NOW)
        checkout.abandon(first, reason="not_found", now=NOW)
        self.pay("k-1", 2)
        again = self.pay("k-2", 3)
        assert (again, checkout.settle(again, now=NOW)) == (other, receipt)
        assert len(node.broadcasts) == 1

    def test_of_another_body_is_a_conflict(self, node: stubs.Node) -> None:
        self.pay("k-1", 0)
        other = checkout.Purchase("lookup", 314, "POST /v1/lookup", b"{}", "One lookup")
        offer = ask(other)
        payload = {"type": "transaction", "signature": "0x" + paying(offer["id"], valid_before=SECOND + 60).hex()}
        action = partial(checkout.accept, other, credential=answer(offer, payload), now=NOW, word="k-1")
        assert word_of(action) == "idempotency-conflict"

    def test_at_once_is_paid_once(self, node: stubs.Node) -> None:
        def try_it(number: int) -> str:
            try:
                payment = self.pay("k-1", number)
                checkout.settle(payment, now=NOW)
                return "paid"
            except challenge.PaymentProblem as problem:
                return problem.word

        outcomes = in_parallel(try_it, 12)
        assert set(outcomes) <= {"paid", "payment-in-progress", "internal-payment-error"}
        assert (len(node.broadcasts), Payment.objects.count()) == (1, 1)
