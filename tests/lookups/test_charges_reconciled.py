"""What was sold and what was charged are held against each other: a lookup, a bulk row, a name check, a payment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import ledger, prices, reconciliation, selectors
from billing.models import Difference, LedgerEntry, Payment
from billing.payments import booking
from lookups.models import Lookup
from lookups.reconciling import charges
from tests.billing import tampering
from tests.billing.test_differences import pay
from tests.lookups.conftest import Customer, anew, open_customer
from tests.lookups.test_bulk import ask, calls, rested, work

__all__ = ["calls", "rested"]  # fixtures
Name = Difference.Name


def find(*, whole: bool = True) -> set[str]:
    reconciliation.run(now=timezone.now(), whole=whole)
    return set(selectors.list_differences().values_list("name", flat=True))


def capture_of(lookup: Lookup) -> LedgerEntry:
    return LedgerEntry.objects.get(account=lookup.account, kind="capture")


def forge(lookup: Lookup, key: str) -> None:
    assert lookup.account_id is not None
    now = timezone.now()
    ledger.charge(account_id=lookup.account_id, amount=314, idempotency_key=key, reference="forged", now=now)


@pytest.fixture
def sold(customer: Customer, register: Any) -> Lookup:
    """A lookup that was found and paid."""
    assert customer.lookup().status_code == 200
    return Lookup.objects.get()


class TestABusyLedger:
    def test_in_order_differs_in_nothing(
        self, customer: Customer, register: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Live and stored answers, misses, bulk rows, a payment with its request; customers, tests and ourselves."""
        monkeypatch.setattr(prices, "STORED", 100)
        ours, tester = open_customer(kind="internal", name="Ourselves"), open_customer(mode="test", name="Tester")
        for one in (customer, ours, tester):
            one.lookup(headers=anew())
            one.lookup("Nobody Inc", headers=anew())
            one.lookup(headers=anew(), source="cache")
        rows = [{"state": "NY", "entity_name": name} for name in ("Acme Corp", "Zebra Inc", "Acme Corp", "Nobody")]
        assert ask(customer, rows).status_code == 202
        assert work() == 3
        paid = pay()
        booking.deliver(paid, now=timezone.now())
        by_request = Lookup.objects.filter(cost=0, verdict="found")[0]
        Lookup.objects.filter(pk=by_request.pk).update(account=None, key=None, payment=paid)
        sold = LedgerEntry.objects.filter(kind__in=["capture", "charge"], amount__gt=0)
        assert {entry.idempotency_key.rpartition(":")[2] for entry in sold} == {"capture", "taken", "charge", "lookup"}
        assert find() == set()
        assert find(whole=False) == set()

    @pytest.mark.django_db(transaction=True)
    def test_that_runs_on_raises_no_alarm(
        self, customer: Customer, register: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A lookup is settled between every two readings of a comparison."""
        names = iter(range(1000))
        real = charges.in_batches

        def busy(rows: Any) -> Any:
            for batch in real(rows):
                assert customer.lookup(headers=anew()).status_code == 200, next(names)
                yield batch

        customer.lookup()
        monkeypatch.setattr(charges, "in_batches", busy)
        assert find() == set()
        assert Lookup.objects.filter(cost__gt=0).count() == 3


class TestACharge:
    def test_that_is_missing(self, sold: Lookup) -> None:
        tampering.remove(capture_of(sold))
        assert find() == {Name.LOOKUP_NOT_CHARGED, Name.ACCOUNT_SUMS}

    @pytest.mark.parametrize("days", [0, 2])
    def test_that_is_missing_since_the_last_time(self, sold: Lookup, days: int) -> None:
        """Of a lookup that ended since, also where it was asked days before."""
        find()
        now = timezone.now()
        Lookup.objects.update(created_at=now - timedelta(days=days), ended_at=now)
        tampering.remove(capture_of(sold))
        assert Name.LOOKUP_NOT_CHARGED in find(whole=False)

    def test_of_another_amount(self, sold: Lookup) -> None:
        tampering.change(capture_of(sold), amount=1, held_change=-1, spent_change=1)
        assert find() == {Name.LOOKUP_CHARGE_DIFFERS, Name.ACCOUNT_SUMS}

    @pytest.mark.parametrize("key", ["lookup:{}:charge", "lookup:{}:charge:again"])
    @pytest.mark.parametrize("whole", [True, False])
    def test_that_is_doubled(self, sold: Lookup, key: str, whole: bool) -> None:
        find()
        forge(sold, key.format(sold.ask_id))
        assert find(whole=whole) == {Name.LOOKUP_CHARGED_TWICE}

    @pytest.mark.parametrize("key", ["lookup:00000000-0000-4000-8000-000000000000:charge", "anything"])
    def test_for_no_lookup(self, sold: Lookup, key: str) -> None:
        forge(sold, key)
        assert find() == {Name.CHARGE_WITHOUT_LOOKUP}

    @pytest.mark.parametrize("whole", [True, False])
    def test_of_another_account_for_the_same_lookup(self, sold: Lookup, whole: bool) -> None:
        find()
        other = open_customer(name="Another").account
        key, now = f"lookup:{sold.ask_id}:charge", timezone.now()
        ledger.charge(account_id=other.pk, amount=314, idempotency_key=key, reference="forged", now=now)
        assert find(whole=whole) == {Name.CHARGE_WITHOUT_LOOKUP}

    def test_for_a_lookup_that_found_nothing(self, customer: Customer, register: Any) -> None:
        customer.lookup("Nobody Inc")
        nothing = Lookup.objects.get()
        forge(nothing, f"lookup:{nothing.ask_id}:charge")
        assert find() == {Name.CHARGE_WITHOUT_LOOKUP}

    def test_whose_lookup_was_made_free_by_hand(self, sold: Lookup) -> None:
        Lookup.objects.update(cost=0)
        assert find() == {Name.CHARGE_WITHOUT_LOOKUP}

    def test_whose_lookup_was_made_dear_by_hand(self, sold: Lookup) -> None:
        Lookup.objects.update(cost=prices.LOOKUP + 1)
        assert find() == {Name.LOOKUP_CHARGE_DIFFERS}


class TestAPaymentThatIsDelivered:
    """With its request."""

    @pytest.mark.parametrize(("verdict", "differing"), [("found", set()), ("not_found", {Name.PAYMENT_WITHOUT_LOOKUP})])
    def test_has_an_answer_that_costs_something(
        self, customer: Customer, register: Any, verdict: str, differing: set[str]
    ) -> None:
        payments = [pay(), pay()]
        for one in payments:
            booking.deliver(one, now=timezone.now())
            customer.lookup(headers=anew())
        charges_of = LedgerEntry.objects.filter(account=customer.account, kind="capture")
        for lookup, payment, entry in zip(
            Lookup.objects.order_by("pk"), payments, list(charges_of.order_by("pk")), strict=True
        ):
            tampering.remove(entry)
            Lookup.objects.filter(pk=lookup.pk).update(account=None, key=None, payment=payment, cost=0)
        Lookup.objects.filter(payment=payments[1]).update(verdict=verdict)
        assert find() - {Name.ACCOUNT_SUMS} == differing

    @pytest.mark.parametrize("changed", [{"state": "failed"}, {"is_sandbox": True}, {"delivered_at": None}])
    def test_is_one_that_was_paid_with_real_money(self, db: None, changed: dict[str, Any]) -> None:
        """Otherwise what was earned with it was not."""
        paid = pay()
        booking.deliver(paid, now=timezone.now())
        Payment.objects.filter(pk=paid.pk).update(**changed)
        assert Name.CHARGE_WITHOUT_LOOKUP in find()
