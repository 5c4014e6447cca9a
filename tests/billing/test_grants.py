"""What staff give: alone up to a ceiling, above it with a second person, and never above the maximum."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.test import Client

from billing import grants, reconciliation, selectors
from billing.ledger_errors import LedgerError
from billing.models import Account, AuditEvent, LedgerEntry, WaitingGrant
from tests.billing.conftest import NOW, in_parallel
from tests.billing.test_admin import VIEWS, move, staff, url

DOLLAR = 10_000
RIGHTS = [*VIEWS, "view_waitinggrant", "move_money", "change_account"]


@pytest.fixture(autouse=True)
def ceilings(settings: Any) -> None:
    settings.GRANT_CEILING, settings.GRANT_MAXIMUM = 1000, 100_000


@pytest.fixture
def dana(db: None) -> Client:
    return staff("dana", *RIGHTS)


@pytest.fixture
def robin(db: None) -> Client:
    """A second person who may move money."""
    return staff("robin", *RIGHTS)


def give(account: Account, dollars: int, token: str, *, operator: str = "dana", now: Any = NOW, **more: Any) -> Any:
    named = {"kind": "grant", "reason": "goodwill", "note": "", "operator": operator, "token": token, "now": now}
    return grants.give(account_id=account.pk, amount=dollars * DOLLAR, **{**named, **more})


def grant_in_admin(client: Client, account: Account, dollars: str) -> Any:
    return move(client, url("account_grant_credit", account.pk), dollars=dollars, reason="invoice")


def given(account: Account) -> int:
    """Dollars beyond the free lookups."""
    return (selectors.get_balance(account.pk).available - 3140) // DOLLAR


def decide(client: Client, verb: str) -> str:
    """Press the button on the page of the one grant there is; what the page says afterwards."""
    address = url(f"waitinggrant_{verb}", WaitingGrant.objects.get().pk)
    assert client.get(address).status_code == 200
    text: str = client.post(address, follow=True).content.decode()
    return text


class TestAGrantAboveTheCeiling:
    def test_waits_for_a_second_person(self, dana: Client, account: Account) -> None:
        page = grant_in_admin(dana, account, "1000.0001").content.decode()
        assert "when a second person who may move money approves it" in page
        waits = WaitingGrant.objects.get()
        assert (waits.amount, waits.asked_by, waits.state, waits.reason) == (10_000_001, "dana", "waiting", "invoice")
        assert (given(account), account.entries.count()) == (0, 1)
        assert "1000.0001" in dana.get(url("waitinggrant_changelist")).content.decode()
        assert "1 grant waits for a second person" in dana.get(url("account_changelist")).content.decode()
        assert "waits for a second person" in dana.get(url("account_history", account.pk)).content.decode()

    def test_is_given_once_by_whoever_approves_it(self, dana: Client, robin: Client, account: Account) -> None:
        grant_in_admin(dana, account, "5000")
        page = url("waitinggrant_change", WaitingGrant.objects.get().pk)
        buttons = [url(f"waitinggrant_{verb}", WaitingGrant.objects.get().pk) for verb in ("approve", "reject")]
        assert all(button in robin.get(page).content.decode() for button in buttons)
        for _ in range(2):  # a double click
            assert "Approved by robin: 5000.0000 USD" in decide(robin, "approve")
        assert not any(button in robin.get(page).content.decode() for button in buttons)
        entry = LedgerEntry.objects.get(kind="deposit")
        assert (entry.amount, entry.operator, entry.reference) == (5000 * DOLLAR, "dana", "approved by robin")
        assert (entry.source, entry.reason) == ("staff", "invoice")
        waited = WaitingGrant.objects.get()
        assert (waited.state, waited.decided_by, waited.entry) == ("approved", "robin", entry)
        assert "Approved by robin" in dana.get(url("account_history", account.pk)).content.decode()
        assert reconciliation.run(now=NOW).mismatches == []

    def test_is_decided_alone_and_keeps_its_note(self, account: Account, internal: Account) -> None:
        """By its note a customer knows the invoice that is paid so: it stands on the receipt."""
        others = [give(internal, 5000, "1", note="PO 77"), give(account, 7000, "3", note="PO 79")]
        meant = give(account, 6000, "2", note="PO 78")
        entry = grants.approve(grant_id=meant.pk, operator="robin", now=NOW).entry
        assert entry is not None
        assert (entry.account, entry.amount, entry.note) == (account, 6000 * DOLLAR, "PO 78")
        grants.reject(grant_id=others[0].pk, operator="robin", now=NOW)
        states = dict(WaitingGrant.objects.values_list("pk", "state"))
        assert states == {meant.pk: "approved", others[0].pk: "rejected", others[1].pk: "waiting"}

    @pytest.mark.parametrize(("verb", "done"), [("approve", "Approved"), ("reject", "Rejected")])
    def test_stands_once_in_the_audit_log_by_the_accounts_number(
        self, dana: Client, robin: Client, account: Account, verb: str, done: str
    ) -> None:
        """Nothing leaves the audit log, so nobody's name may stand in it."""
        Account.objects.filter(pk=account.pk).update(name="Quay Street")
        grant_in_admin(dana, account, "5000")
        asked = AuditEvent.objects.latest("pk").pk
        assert "Quay Street" in decide(robin, verb)
        decided = AuditEvent.objects.get(pk__gt=asked)
        assert (decided.kind, decided.subject) == ("money_moved", f"billing.account {account.pk}")
        number = WaitingGrant.objects.get().pk
        assert decided.detail == f"Change: {done} by robin: grant #{number} of 5000.0000 USD, asked for by dana."

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("Acme", "Acme (#{})"),
            ("\u05e9\u05dc", "\u2068\u05e9\u05dc\u2069 (#{})"),
            ("A\u202eB\u2069", "\u2068AB\u2069 (#{})"),
        ],
    )
    def test_names_its_account_apart_from_what_stands_after_it(
        self, dana: Client, account: Account, name: str, shown: str
    ) -> None:
        Account.objects.filter(pk=account.pk).update(name=name)
        grant_in_admin(dana, account, "5000")
        page = dana.get(url("waitinggrant_approve", WaitingGrant.objects.get().pk)).content.decode()
        assert f"5000.0000 USD to {shown.format(account.pk)}, asked for by dana" in page

    def test_is_not_approved_by_whoever_asked_for_it(self, dana: Client, account: Account) -> None:
        grant_in_admin(dana, account, "5000")
        assert "Somebody else has to approve it" in decide(dana, "approve")
        assert (WaitingGrant.objects.get().state, given(account)) == ("waiting", 0)
        decided = {"state": "approved", "decided_by": "dana", "decided_at": NOW, "entry": account.entries.get()}
        with pytest.raises(IntegrityError), transaction.atomic():  # nor behind the service's back
            WaitingGrant.objects.update(**decided)

    def test_is_not_approved_by_staff_who_may_only_look(self, dana: Client, account: Account) -> None:
        grant_in_admin(dana, account, "5000")
        sam, grant = staff("sam", *VIEWS, "view_waitinggrant"), WaitingGrant.objects.get()
        for verb in ("approve", "reject"):
            address = url(f"waitinggrant_{verb}", grant.pk)
            assert [sam.get(address).status_code, sam.post(address).status_code] == [403, 403]
        assert sam.get(url("waitinggrant_change", grant.pk)).status_code == 200
        assert dana.post(url("waitinggrant_change", grant.pk), {"amount": "1"}).status_code == 403
        assert dana.post(url("waitinggrant_delete", grant.pk)).status_code == 403
        assert given(account) == 0

    def test_that_is_rejected_is_not_given_afterwards(self, dana: Client, robin: Client, account: Account) -> None:
        grant_in_admin(dana, account, "5000")
        assert "Rejected by robin" in decide(robin, "reject")
        assert "It was rejected by robin" in decide(robin, "approve")
        assert given(account) == 0

    def test_that_was_approved_is_not_rejected_afterwards(self, dana: Client, robin: Client, account: Account) -> None:
        grant_in_admin(dana, account, "5000")
        decide(robin, "approve")
        assert "It was approved by robin" in decide(dana, "reject")
        assert given(account) == 5000

    def test_confirmed_twice_waits_once(self, dana: Client, account: Account) -> None:
        data = {"dollars": "5000", "reason": "trial", "token": "abc", "confirm": "1"}
        assert [dana.post(url("account_grant_credit", account.pk), data).status_code for _ in range(2)] == [302, 302]
        assert WaitingGrant.objects.count() == 1
        other = dana.post(url("account_grant_credit", account.pk), {**data, "dollars": "6000"})
        assert "with something else in it" in other.content.decode()

    def test_may_be_an_adjustment_upwards(self, dana: Client, robin: Client, account: Account) -> None:
        move(dana, url("account_adjust_balance", account.pk), dollars="2000", reason="correction")
        assert given(account) == 0
        decide(robin, "approve")
        entry = LedgerEntry.objects.get(kind="adjust")
        assert (entry.amount, entry.operator, entry.reference) == (2000 * DOLLAR, "dana", "approved by robin")


class TestTheCeiling:
    def test_is_what_one_person_gives_within_24_hours_to_whomever(self, account: Account, internal: Account) -> None:
        assert isinstance(give(account, 600, "1"), LedgerEntry)
        assert isinstance(give(internal, 400, "2"), LedgerEntry)
        assert isinstance(give(account, 1, "3"), WaitingGrant)
        assert isinstance(give(account, 1, "4", kind="adjust"), WaitingGrant)
        assert isinstance(give(account, 1000, "5", operator="robin"), LedgerEntry)
        assert isinstance(give(account, 1000, "6", now=NOW + timedelta(hours=24)), LedgerEntry)

    def test_counts_nothing_twice_that_was_confirmed_twice(self, account: Account) -> None:
        first = give(account, 1000, "1")
        assert give(account, 1000, "1") == first
        assert given(account) == 1000

    def test_counts_nothing_that_a_second_person_approved(self, account: Account) -> None:
        waits = give(account, 5000, "1")
        grants.approve(grant_id=waits.pk, operator="robin", now=NOW)
        assert isinstance(give(account, 1000, "2"), LedgerEntry)
        assert given(account) == 6000

    def test_leaves_corrections_downwards_alone(self, account: Account) -> None:
        give(account, 1000, "1")
        assert isinstance(give(account, -1000, "2", kind="adjust"), LedgerEntry)
        assert isinstance(give(account, 1, "3"), WaitingGrant)  # what was taken again was given


class TestTheMaximum:
    @pytest.mark.parametrize("name", ["account_grant_credit", "account_adjust_balance"])
    def test_is_passed_by_nobody(self, dana: Client, account: Account, name: str) -> None:
        data = {"dollars": "100000.0001", "reason": "", "token": "t"}
        data["reason"] = "invoice" if "grant" in name else "correction"
        for confirmed in ({}, {"confirm": "1"}):
            page = dana.post(url(name, account.pk), data | confirmed).content.decode()
            assert "At most 100000 USD" in page
            assert "This is what will happen" not in page
        assert (WaitingGrant.objects.count(), given(account)) == (0, 0)
        assert isinstance(give(account, 100_000, "1"), WaitingGrant)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("on_postgres")
class TestManyPersonsAtOnce:
    """Claims about row locks, hence proven on PostgreSQL."""

    def test_approve_and_reject_one_grant_and_it_is_decided_once(self, account: Account) -> None:
        for number in range(10):
            waits = give(account, 5000, f"g{number}")
            before = given(account)

            def decide_it(caller: int, grant_id: int = waits.pk) -> str:
                decide = grants.reject if caller % 3 == 0 else grants.approve
                try:
                    return str(decide(grant_id=grant_id, operator=f"robin {caller}", now=NOW).state)
                except LedgerError:
                    return "refused"

            words = set(in_parallel(decide_it, 12, threads=12)) - {"refused"}
            waits.refresh_from_db()
            assert words == {waits.state}
            assert given(account) - before == (5000 if waits.state == "approved" else 0)
        assert reconciliation.run(now=NOW).mismatches == []

    def test_of_one_name_give_no_more_than_the_ceiling(self, account: Account) -> None:
        get_user_model().objects.create_user("dana")
        in_parallel(lambda number: give(account, 300, f"g{number}"), 32, threads=16)
        assert given(account) == 900
        assert WaitingGrant.objects.count() == 29

    def test_confirm_one_form_and_it_waits_once(self, account: Account) -> None:
        get_user_model().objects.create_user("dana")
        made = in_parallel(lambda _: give(account, 5000, "the same").pk, 16, threads=16)
        assert (len(set(made)), WaitingGrant.objects.count()) == (1, 1)
