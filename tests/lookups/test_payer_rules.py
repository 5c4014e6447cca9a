"""Who pays for a question: what is held, captured, charged and released of a key's balance, and of a credential."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger
from billing.models import Hold, LedgerEntry, Payment
from billing.payments import checkout
from lookups.lookup.payers import FREE, Bill, CredentialPayer, KeyPayer, Paid, Payer
from lookups.models import Lookup
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.test_pay_per_request import credential

pytestmark = pytest.mark.django_db
FREE_GRANT = 10 * PRICE
MINUTE = timedelta(minutes=1)
NOW = timezone.now() + timedelta(days=1)  # later than its customer was opened: entries never go back in time


@pytest.fixture
def bill() -> Bill:
    return Bill(ask_id=uuid.uuid4(), price=PRICE, reference="NY Acme Corp", request_id="")


@pytest.fixture
def payer(customer: Customer) -> KeyPayer:
    return KeyPayer(customer.key)


def held(payer: Payer, bill: Bill) -> Hold:
    made = payer.hold(bill, now=NOW)
    assert made is not None
    return made


def held_for_three(payer: KeyPayer) -> Hold:
    """The hold of a bulk job with three questions."""
    return ledger.hold(
        account_id=payer.account.pk,
        amount=3 * PRICE,
        idempotency_key="bulk",
        reference="bulk",
        expires_at=NOW + MINUTE,
        now=NOW,
        key=payer.key,
    )


def places(payer: Payer, number: int) -> list[bool]:
    """What so many get that ask for a place one after the other, nobody leaving."""
    if number == 0:
        return []
    with payer.place(now=NOW) as is_free:
        return [is_free, *places(payer, number - 1)]


class TestAKey:
    def test_pays_from_its_account_and_may_wait(self, payer: KeyPayer, customer: Customer) -> None:
        assert (payer.key, payer.account, payer.payment) == (customer.key, customer.account, None)
        assert (payer.waits, payer.sandbox) == (True, False)

    def test_of_the_sandbox_reaches_nothing_else(self, tester: Customer) -> None:
        assert KeyPayer(tester.key).sandbox is True

    def test_pays_within_its_balance_and_has_no_receipt(self, payer: KeyPayer, bill: Bill) -> None:
        payer.collect(bill, now=NOW)
        assert (payer.receipt, payer.is_owed) == (None, False)
        assert Lookup(verdict="found", cost=PRICE, price=PRICE).charged == PRICE

    def test_has_so_many_places_and_each_is_free_again(self, customer: Customer) -> None:
        customer.key.concurrent_lookups = 2
        payer = KeyPayer(customer.key)
        assert payer.limit == 2
        assert places(payer, 3) == [True, True, False]
        with pytest.raises(ZeroDivisionError), payer.place(now=NOW):
            raise ZeroDivisionError
        assert places(payer, 3) == [True, True, False]

    def test_has_a_hold_made_for_ten_minutes(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        made = held(payer, bill)
        assert (made.account, made.key, made.amount, made.reference) == (
            customer.account,
            customer.key,
            PRICE,
            "NY Acme Corp",
        )
        assert (made.state, made.expires_at) == ("open", NOW + 10 * MINUTE)
        longer = payer.hold(replace(bill, ask_id=uuid.uuid4()), now=NOW, hold_for=30 * MINUTE)
        assert longer is not None
        assert longer.expires_at == NOW + 30 * MINUTE

    def test_finds_its_hold_again_and_makes_another_when_that_has_ended(self, payer: KeyPayer, bill: Bill) -> None:
        made = held(payer, bill)
        assert held(payer, bill) == made
        payer.release(bill, made, reason="crashed", now=NOW)
        second = held(payer, bill)
        assert (second.pk != made.pk, second.state) == (True, "open")
        assert held(payer, bill) == second
        payer.release(bill, second, reason="crashed", now=NOW)
        assert held(payer, bill).pk not in (made.pk, second.pk)

    def test_pays_what_was_held(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        made = held(payer, bill)
        assert payer.capture(bill, made, now=NOW) == Paid(PRICE, FREE_GRANT - PRICE)
        assert payer.capture(bill, made, now=NOW) == Paid(PRICE, FREE_GRANT - PRICE)
        assert LedgerEntry.objects.get(kind="capture").reference == "NY Acme Corp"
        assert (customer.balance.spent, customer.balance.held) == (PRICE, 0)

    def test_pays_its_part_of_a_larger_hold_once(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        bill, whole = replace(bill, shares_hold=True), held_for_three(payer)
        for _ in range(2):
            assert payer.capture(bill, whole, now=NOW).cost == PRICE
            assert (customer.balance.spent, customer.balance.held) == (PRICE, 2 * PRICE)
        payer.capture(replace(bill, ask_id=uuid.uuid4()), whole, now=NOW)
        assert (customer.balance.spent, customer.balance.held) == (2 * PRICE, PRICE)
        entries = LedgerEntry.objects.filter(kind="capture").order_by("pk")
        assert {entry.reference for entry in entries} == {"NY Acme Corp"}
        assert entries[0].idempotency_key == f"lookup:{bill.ask_id}:taken"  # also after an update of the service

    def test_is_given_back_its_part_of_a_larger_hold_once(
        self, payer: KeyPayer, customer: Customer, bill: Bill
    ) -> None:
        bill, whole = replace(bill, shares_hold=True), held_for_three(payer)
        for _ in range(2):
            payer.release(bill, whole, reason="not_found", now=NOW)
            assert (customer.balance.available, customer.balance.held) == (FREE_GRANT - 2 * PRICE, 2 * PRICE)
        payer.release(replace(bill, ask_id=uuid.uuid4()), whole, reason="not_found", now=NOW)
        assert customer.balance.held == PRICE

    def test_pays_anew_and_once_for_a_hold_that_has_ended(
        self, payer: KeyPayer, customer: Customer, bill: Bill
    ) -> None:
        made = held(payer, bill)
        payer.release(bill, made, reason="expired", now=NOW)
        for _ in range(2):
            assert payer.capture(bill, made, now=NOW) == Paid(PRICE, FREE_GRANT - PRICE)
        assert customer.balance.spent == PRICE

    def test_cannot_pay_anew_without_money(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        made = held(payer, bill)
        payer.release(bill, made, reason="expired", now=NOW)
        payer.charge(replace(bill, ask_id=uuid.uuid4(), price=FREE_GRANT), now=NOW)
        with pytest.raises(ledger.InsufficientFunds):
            payer.capture(bill, made, now=NOW)
        assert customer.balance.spent == FREE_GRANT

    def test_pays_the_price_of_the_bill(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        made = held(payer, replace(bill, price=100))
        assert (made.amount, customer.balance.held) == (100, 100)
        assert payer.charge(replace(bill, price=5), now=NOW) == Paid(5, FREE_GRANT - 105)
        part = replace(bill, price=7, shares_hold=True)
        payer.capture(part, held_for_three(payer), now=NOW)
        assert customer.balance.spent == 12

    def test_pays_nothing_for_what_is_free_and_learns_its_balance(
        self, payer: KeyPayer, customer: Customer, bill: Bill
    ) -> None:
        before = LedgerEntry.objects.count()
        payer.charge(replace(bill, price=5), now=NOW)
        free = replace(bill, ask_id=uuid.uuid4(), price=0)
        assert payer.charge(free, now=NOW) == Paid(0, FREE_GRANT - 5)
        assert LedgerEntry.objects.count() == before + 1

    def test_pays_nothing_where_nothing_was_held(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        assert payer.capture(bill, None, now=NOW) == FREE == Paid(0, None)
        assert customer.balance.spent == 0

    def test_pays_at_once_and_once_for_an_ask(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        for _ in range(2):
            assert payer.charge(bill, now=NOW) == Paid(PRICE, FREE_GRANT - PRICE)
        payer.charge(replace(bill, ask_id=uuid.uuid4()), now=NOW)
        assert customer.balance.spent == 2 * PRICE
        entry = LedgerEntry.objects.filter(kind="charge").earliest("pk")
        assert (entry.reference, entry.key, entry.created_at) == ("NY Acme Corp", customer.key, NOW)

    def test_is_given_back_what_was_held_and_why(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        made = held(payer, bill)
        payer.release(bill, made, reason="not_found", now=NOW)
        assert (customer.balance.available, customer.balance.held) == (FREE_GRANT, 0)
        entry = LedgerEntry.objects.get(kind="release")
        assert (entry.reason, entry.created_at) == ("not_found", NOW)
        payer.release(bill, None, reason="not_found", now=NOW)
        assert LedgerEntry.objects.filter(kind="release").count() == 1

    def test_that_was_paid_is_given_nothing_back(self, payer: KeyPayer, customer: Customer, bill: Bill) -> None:
        made = held(payer, bill)
        payer.capture(bill, made, now=NOW)
        payer.release(bill, made, reason="not_found", now=NOW)
        assert (customer.balance.spent, customer.balance.available) == (PRICE, FREE_GRANT - PRICE)

    def test_of_a_test_pays_nothing(self, tester: Customer, bill: Bill) -> None:
        payer = KeyPayer(tester.key)
        assert payer.hold(bill, now=NOW) is None
        assert payer.capture(bill, None, now=NOW) == payer.charge(bill, now=NOW) == Paid(0, None)
        assert payer.charge(replace(bill, price=0), now=NOW) == Paid(0, None)
        assert not LedgerEntry.objects.exclude(kind="free_grant").exists()


class TestACredential:
    @pytest.fixture
    def purchase(self, settings: Any, switches: None) -> checkout.Purchase:
        settings.SANDBOX_PAYMENTS = True
        return checkout.Purchase("lookup", PRICE, "POST /v1/lookup", b"{}", "One lookup")

    @pytest.fixture
    def paying(self, purchase: checkout.Purchase) -> CredentialPayer:
        offer = checkout.demand(purchase, now=NOW)
        payer = CredentialPayer(purchase, credential(offer.headers))
        payer.claim(now=NOW)
        return payer

    def kept(self) -> Payment:
        return Payment.objects.get()

    def test_has_no_account_no_limit_and_cannot_wait(self, paying: CredentialPayer) -> None:
        assert (paying.account, paying.key, paying.waits, paying.limit) == (None, None, False, 0)
        assert places(paying, 3) == [True, True, True]

    def test_is_claimed_before_the_work_and_moves_nothing(self, paying: CredentialPayer) -> None:
        assert (paying.payment, paying.sandbox) == (self.kept(), True)
        assert (self.kept().state, self.kept().created_at) == ("accepted", NOW)

    def test_has_nothing_to_do_with_a_balance(self, paying: CredentialPayer, bill: Bill) -> None:
        assert paying.hold(bill, now=NOW) is None
        assert paying.capture(bill, None, now=NOW) == paying.charge(bill, now=NOW) == Paid(0, None)
        paying.release(bill, None, reason="not_found", now=NOW)
        assert (LedgerEntry.objects.count(), self.kept().state, paying.is_owed) == (0, "accepted", False)

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("verdict", ["found", "free", "taken", "cannot_say"])
    def test_pays_for_what_is_delivered(self, paying: CredentialPayer, bill: Bill, verdict: str) -> None:
        paying.collect(bill, now=NOW + MINUTE)
        assert (bool(paying.receipt), paying.is_owed, self.kept().delivered_at) == (True, True, None)
        assert (self.kept().state, self.kept().settling_at) == ("paid", NOW + MINUTE)
        assert paying.capture(bill, None, now=NOW + 2 * MINUTE) == FREE
        assert self.kept().delivered_at == NOW + 2 * MINUTE
        lookup = Lookup(payment=paying.payment, verdict=verdict, price=PRICE)
        assert (lookup.charged, lookup.cost) == (PRICE, 0)

    @pytest.mark.parametrize("verdict", ["not_found", "ambiguous", "refused", "unavailable", "failed"])
    def test_pays_nothing_where_nothing_is_delivered(self, paying: CredentialPayer, verdict: str) -> None:
        assert Lookup(payment=paying.payment, verdict=verdict, price=PRICE).charged == 0

    def test_keeps_the_money_where_what_is_delivered_is_free(self, paying: CredentialPayer, bill: Bill) -> None:
        paying.collect(replace(bill, price=0), now=NOW)
        assert paying.charge(replace(bill, price=0), now=NOW) == FREE
        assert (paying.receipt, self.kept().state, self.kept().delivered_at) == (None, "accepted", None)

    def test_keeps_the_money_when_the_work_broke_down(self, paying: CredentialPayer) -> None:
        paying.abandon(reason="internal_error", now=NOW + MINUTE)
        assert (self.kept().state, self.kept().detail) == ("abandoned", "internal_error")
