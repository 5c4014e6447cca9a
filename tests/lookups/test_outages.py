"""An outage in one act: its answers are paid back once and its failed jobs asked again once, however often pressed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from celery import current_app
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from billing import grants, ledger, outage_refunds, prices, reconciliation, tasks
from billing.ledger_errors import IdempotencyConflict
from billing.models import AuditEvent, LedgerEntry, OutageRefund
from lookups.jobs import operator_actions, runner
from lookups.lookup.outcomes import Cancelled
from lookups.models import BulkJob, Job, Lookup
from lookups.operations import outages
from lookups.operations.outages import Outage
from lookups.privacy import erasure
from scrapers.models import Breaker
from scrapers.states.new_york import NewYork
from tests.billing.test_differences import pay
from tests.lookups.conftest import PRICE, Customer, anew, open_customer
from tests.lookups.registry_server import Register

REFUND, ASK = "/admin/lookups/lookup/refund-outage/", "/admin/lookups/job/ask-outage-again/"


def staff(name: str = "dana", *rights: str) -> Client:
    users, client = get_user_model().objects, Client()
    if rights:
        user = users.create_user(name, is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    else:
        user = users.create_superuser(name)
    client.force_login(user)
    return client


def span(**more: str) -> dict[str, str]:
    now = timezone.now()
    since, until = (now + timedelta(hours=hours) for hours in (-1, 1))
    return {"state": "NY", "since": f"{since:%Y-%m-%dT%H:%M}", "until": f"{until:%Y-%m-%dT%H:%M}", **more}


def press(client: Client, address: str, sent: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Fill in and go on; return the page that says what will happen, and what its button sends."""
    page = client.get(address).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(token|as_of)" value="([^"]+)"', page))
    assert set(hidden) == {"token", "as_of"}
    sent = {**sent, **hidden}
    page = client.post(address, sent).content.decode()
    return page, {**sent, "confirm": "1"}


@pytest.fixture
def sold(customer: Customer, register: Register) -> list[Customer]:
    """Two customers; the first has paid for two answers and for nothing found, the second for one."""
    other = open_customer(name="Bolt")
    for one, name in ((customer, "Acme Corp"), (customer, "Zebra"), (customer, "Nobody At All"), (other, "Acme Corp")):
        one.lookup(name, headers=anew())
    assert [customer.balance.spent, other.balance.spent] == [2 * PRICE, PRICE]
    return [customer, other]


def list_sold() -> list[LedgerEntry]:
    """The charges of all that was sold."""
    return list(LedgerEntry.objects.filter(kind="capture", amount__gt=0).order_by("pk"))


def begin(charges: list[LedgerEntry], *, token: str, subject: str = "New York") -> OutageRefund:
    """What dana's form does when it is confirmed."""
    how: dict[str, Any] = {"operator": "dana", "reason": "outage", "note": "", "now": timezone.now()}
    return outage_refunds.begin(subject=subject, found=outage_refunds.count(charges), token=token, **how)


@pytest.mark.django_db
class TestAnOutageRefund:
    def test_says_first_how_much_of_how_many_and_then_gives_it_back(self, sold: list[Customer]) -> None:
        dana = staff()
        page, sent = press(dana, REFUND, span(reason="outage", note="wrong officers"))
        for words in ("0.0942 USD for 3 lookups", "2 accounts", "1 cost nothing", "at once"):
            assert words in page, words
        assert sold[0].balance.spent == 2 * PRICE  # asked, and nothing done
        done = dana.post(REFUND, sent, follow=True).content.decode()
        assert "0.0942 USD for 3 lookups of 2 accounts (New York" in done
        assert [one.balance.spent for one in sold] == [0, 0]
        assert OutageRefund.objects.get().refunded == 3 * PRICE
        assert reconciliation.run(now=timezone.now()).differences == 0
        entries = LedgerEntry.objects.filter(kind="refund")
        assert set(entries.values_list("reason", "note", "operator")) == {("outage", "wrong officers", "dana")}
        event = AuditEvent.objects.filter(kind="money_moved", detail__contains="Asked for the refund").get()
        assert event.actor == "dana"

    def test_pressed_twice_or_asked_for_again_gives_nothing_twice(self, sold: list[Customer]) -> None:
        dana = staff()
        _, sent = press(dana, REFUND, span(reason="outage", note=""))
        for _ in range(2):
            assert dana.post(REFUND, sent).status_code == 302
        again, _ = press(dana, REFUND, span(reason="outage", note=""))
        assert "none has anything left to be given back" in again
        assert OutageRefund.objects.count() == 1
        assert LedgerEntry.objects.filter(kind="refund").count() == 3

    def test_leaves_out_what_was_given_back_before_and_gives_the_rest_of_a_part(self, sold: list[Customer]) -> None:
        first, second = LedgerEntry.objects.filter(kind="capture", amount__gt=0, account=sold[0].account.pk)
        by: dict[str, Any] = {"reason": "goodwill", "now": timezone.now()}
        ledger.refund(entry_id=first.pk, idempotency_key="a", **by)
        ledger.refund(entry_id=second.pk, idempotency_key="b", amount=14, **by)
        page, sent = press(staff(), REFUND, span(reason="outage", note=""))
        assert "0.0614 USD for 2 lookups" in page
        assert "1 given back before" in page
        assert staff("sam").post(REFUND, sent).status_code == 302
        assert [one.balance.spent for one in sold] == [0, 0]

    def test_gives_nothing_to_an_account_that_was_erased(self, sold: list[Customer]) -> None:
        """Nobody could ever spend it."""
        erasure.erase(account=sold[0].account, give_up_credit=True, now=timezone.now())
        dana = staff()
        page, sent = press(dana, REFUND, span(reason="outage", note=""))
        assert "0.0314 USD for 1 lookup" in page
        assert "1 account<" in page
        assert "cost nothing" not in page
        dana.post(REFUND, sent)
        assert [one.balance.spent for one in sold] == [2 * PRICE, 0]
        page, _ = press(dana, REFUND, span(reason="outage", note=""))
        assert "Of 1 lookups none has anything left" in page

    def test_does_not_mean_what_ends_after_it_was_asked_for(self, sold: list[Customer]) -> None:
        dana = staff()
        _, sent = press(dana, REFUND, span(reason="outage", note=""))
        sold[1].lookup("Zebra", headers=anew())
        dana.post(REFUND, sent)
        assert sold[1].balance.spent == PRICE

    def test_means_what_was_asked_of_its_state_in_its_time_alone(self, sold: list[Customer]) -> None:
        """From its first moment on, and not any more at its last."""
        now, moment = timezone.now(), timedelta(microseconds=1)
        since, until, sold_one = now - timedelta(hours=2), now - timedelta(hours=1), Lookup.objects.latest("pk")
        outage = Outage(now, "NY", since, until)
        for asked_at, state, sandbox, is_meant in (
            (since, "NY", False, True),
            (until - moment, "NY", False, True),
            (since - moment, "NY", False, False),
            (until, "NY", False, False),
            (since, "CA", False, False),
            (since, "NY", True, False),
        ):
            cost = 0 if sandbox else PRICE
            Lookup.objects.filter(pk=sold_one.pk).update(created_at=asked_at, state=state, sandbox=sandbox, cost=cost)
            assert list(outage.list_lookups()) == [sold_one] * is_meant, (asked_at, state, sandbox)

    def test_tells_what_was_paid_with_its_request_from_what_cost_nothing(self, sold: list[Customer]) -> None:
        now = timezone.now()
        for verdict in ("found", "not_found"):
            asked = {"state": "NY", "kind": "business_entity", "asked": "Acme", "created_at": now, "ended_at": now}
            Lookup.objects.create(payment=pay(), verdict=verdict, **asked)
        found = outages.count_answers(Outage(now, "NY", now - timedelta(hours=1), now + timedelta(hours=1)))
        assert (found.lookups, found.free, found.by_request, len(found.refundable.charges)) == (6, 2, 1, 3)

    def test_of_chosen_lookups_is_confirmed_at_once(self, sold: list[Customer]) -> None:
        dana, chosen = staff(), Lookup.objects.filter(account=sold[1].account.pk).get()
        sent = {"action": "refund_chosen", "_selected_action": [chosen.pk]}
        page = dana.post("/admin/lookups/lookup/", sent, follow=True)
        assert "0.0314 USD for 1 lookup" in page.content.decode()
        address = page.redirect_chain[-1][0]
        hidden = dict(re.findall(r'name="(token|as_of|ids)" value="([^"]+)"', page.content.decode()))
        dana.post(address, {**hidden, "reason": "outage", "note": "", "confirm": "1"})
        assert [one.balance.spent for one in sold] == [2 * PRICE, 0]

    def test_that_broke_off_is_gone_on_with_by_the_clock(self, sold: list[Customer]) -> None:
        now = timezone.now()
        outage = Outage(now, "NY", now - timedelta(hours=1), now)
        found = outages.count_answers(outage).refundable
        row = outage_refunds.begin(
            subject="x", found=found, token="t", operator="dana", reason="outage", note="", now=now
        )
        outage_refunds._give_back(row, found.charges[0], now)  # and the process was killed
        tasks.expire_holds()
        row.refresh_from_db()
        assert (row.state, row.refunded, row.count) == ("done", 3 * PRICE, 3)
        assert [one.balance.spent for one in sold] == [0, 0]

    def test_that_has_had_its_time_goes_on_until_the_last_charge(self, sold: list[Customer]) -> None:
        now = timezone.now()
        row = begin(list_sold(), token="t")
        assert outage_refunds.carry_out(row, now=now, seconds=0).state == "under_way"
        assert [one.balance.spent for one in sold] == [2 * PRICE, PRICE]
        tasks.expire_holds()
        row.refresh_from_db()
        assert (row.state, row.refunded) == ("done", 3 * PRICE)
        assert [one.balance.spent for one in sold] == [0, 0]

    def test_that_is_done_ends_no_other_that_is_under_way(self, sold: list[Customer]) -> None:
        first, *others = list_sold()
        one, other = begin([first], token="one"), begin(others, token="other")
        assert outage_refunds.carry_out(one, now=timezone.now()).refunded == PRICE
        other.refresh_from_db()
        assert (other.state, sum(each.balance.spent for each in sold)) == ("under_way", 2 * PRICE)
        tasks.expire_holds()
        other.refresh_from_db()
        assert (other.state, other.refunded) == ("done", 2 * PRICE)
        assert [each.balance.spent for each in sold] == [0, 0]

    def test_that_cannot_go_on_keeps_no_other_and_no_hold_waiting(self, sold: list[Customer]) -> None:
        """Both are the clock's work of one minute, and money of customers."""
        first, *others = list_sold()
        damaged, other = begin([first], token="damaged"), begin(others, token="other")
        OutageRefund.objects.filter(pk=damaged.pk).update(charges=[0])
        due: dict[str, Any] = {"reference": "x", "expires_at": timezone.now(), "now": timezone.now()}
        ledger.hold(account_id=sold[1].account.pk, amount=314, idempotency_key="h", **due)
        assert tasks.expire_holds() == 1
        other.refresh_from_db()
        damaged.refresh_from_db()
        assert (damaged.state, other.state, other.refunded) == ("under_way", "done", 2 * PRICE)
        assert (sold[1].balance.held, sold[1].balance.spent) == (0, 0)

    def test_of_a_form_that_was_confirmed_with_something_else_in_it_is_refused(self, sold: list[Customer]) -> None:
        first, *others = list_sold()
        begin([first], token="t", subject="New York")
        with pytest.raises(IdempotencyConflict):
            begin(others, token="t", subject="Ohio")
        assert OutageRefund.objects.get().charges == [first.pk]

    def test_of_nothing_that_is_left_is_refused(self, sold: list[Customer]) -> None:
        outage_refunds.carry_out(begin(list_sold(), token="t"), now=timezone.now())
        with pytest.raises(grants.GrantRefused, match="Nothing of these lookups is left"):
            begin(list_sold(), token="again")
        assert OutageRefund.objects.count() == 1

    def test_beyond_one_persons_ceiling_waits_for_a_second_one(self, sold: list[Customer], settings: Any) -> None:
        settings.GRANT_CEILING = "0.05"
        dana, sam = staff("dana"), staff("sam")
        page, sent = press(dana, REFUND, span(reason="outage", note=""))
        assert "when a second person who may move money approves it" in page
        dana.post(REFUND, sent)
        row = OutageRefund.objects.get()
        address = f"/admin/billing/outagerefund/{row.pk}"
        assert "Somebody else has to approve it" in dana.post(f"{address}/approve/", follow=True).content.decode()
        assert sold[0].balance.spent == 2 * PRICE
        sam.post(f"{address}/approve/")
        row.refresh_from_db()
        assert (row.state, row.decided_by, [one.balance.spent for one in sold]) == ("done", "sam", [0, 0])
        notes = LedgerEntry.objects.filter(kind="refund").values_list("operator", "note")
        assert set(notes) == {("dana", "(approved by sam)")}

    def test_that_was_rejected_is_approved_by_nobody_any_more(self, sold: list[Customer], settings: Any) -> None:
        settings.GRANT_CEILING = "0.05"
        row = begin(list_sold(), token="t")
        outage_refunds.reject(refund_id=row.pk, operator="sam", now=timezone.now())
        for operator in ("sam", "robin"):
            with pytest.raises(grants.GrantRefused, match="It is rejected"):
                outage_refunds.approve(refund_id=row.pk, operator=operator, now=timezone.now())
        row.refresh_from_db()
        assert outage_refunds.carry_out(row, now=timezone.now()).state == "rejected"
        assert [one.balance.spent for one in sold] == [2 * PRICE, PRICE]

    def test_that_is_rejected_by_two_clicks_is_kept_once(self, sold: list[Customer], settings: Any) -> None:
        settings.GRANT_CEILING = "0.05"
        dana, sam = staff("dana"), staff("sam")
        dana.post(REFUND, press(dana, REFUND, span(reason="outage", note=""))[1])
        row = OutageRefund.objects.get()
        for _ in range(2):
            page: Any = sam.post(f"/admin/billing/outagerefund/{row.pk}/reject/", follow=True)
            assert "It is rejected." in page.content.decode()
        kept = AuditEvent.objects.filter(subject=f"billing.outagerefund {row.pk}", actor="sam")
        assert kept.count() == 1

    def test_counts_towards_what_one_person_gives_in_a_day(self, sold: list[Customer], settings: Any) -> None:
        settings.GRANT_CEILING = "0.1"
        dana = staff()
        _, sent = press(dana, REFUND, span(reason="outage", note=""))
        dana.post(REFUND, sent)
        sold[0].lookup("Acme Corp", headers=anew())
        page, _ = press(dana, REFUND, span(reason="outage", note=""))
        assert "when a second person" in page

    def test_counts_once_for_a_day_and_for_nobody_else(self, sold: list[Customer], settings: Any) -> None:
        settings.GRANT_CEILING = "0.15"
        row = outage_refunds.carry_out(begin(list_sold(), token="t"), now=timezone.now())
        assert row.refunded == 3 * PRICE

        def may_give(operator: str, amount: int, **later: int) -> bool:
            return grants.may_give_alone(operator=operator, amount=amount, now=row.asked_at + timedelta(**later))

        left = 1500 - 3 * PRICE
        assert may_give("dana", left, hours=1)
        assert not may_give("dana", left + 1, hours=1)
        assert may_give("sam", 1500, hours=1)
        assert may_give("dana", 1500, hours=24)

    def test_is_refused_above_what_even_two_may_give(self, sold: list[Customer], settings: Any) -> None:
        settings.GRANT_MAXIMUM = "0.05"
        dana = staff()
        _, sent = press(dana, REFUND, span(reason="outage", note=""))
        assert "choose a shorter time" in dana.post(REFUND, sent).content.decode()
        assert not OutageRefund.objects.exists()

    def test_is_not_for_staff_who_may_not_move_money(self, sold: list[Customer]) -> None:
        clerk = staff("clerk", "view_lookup", "change_job")
        assert [clerk.get(REFUND).status_code, clerk.post(REFUND, {}).status_code] == [403, 403]

    @pytest.mark.parametrize(
        "wrong", [{"state": ""}, {"since": ""}, {"since": "2026-01-01T00:00"}, {"until": "2020-01-01T00:00"}]
    )
    def test_wants_a_state_and_a_time_that_is_bounded(self, switches: None, wrong: dict[str, str]) -> None:
        page, _ = press(staff(), REFUND, span(reason="outage", note="") | wrong)
        assert "errorlist" in page


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres
@pytest.mark.usefixtures("on_postgres")
class TestTwoAtOnce:
    def test_give_back_an_outage_once(self, sold: list[Customer], at_once: Callable[..., list[Any]]) -> None:
        """The same form twice, and a colleague who wants the same: every charge goes back once, in whoever's name."""
        for name in ("dana", "sam"):
            staff(name)
        now = timezone.now()
        outage = Outage(now, "NY", now - timedelta(hours=1), now)
        found = outages.count_answers(outage).refundable

        def refund(operator: str, token: str) -> OutageRefund:
            row = outage_refunds.begin(
                subject=str(outage), found=found, token=token, operator=operator, reason="outage", note="", now=now
            )
            return outage_refunds.carry_out(row, now=now)

        at_once(*[lambda: refund("dana", "a")] * 3, *[lambda: refund("sam", "b")] * 3)
        rows = OutageRefund.objects.all()
        assert {row.state for row in rows} == {"done"}
        assert sum(row.refunded for row in rows) == 3 * PRICE
        assert LedgerEntry.objects.filter(kind="refund").count() == 3
        assert [one.balance.spent for one in sold] == [0, 0]
        assert reconciliation.run(now=timezone.now()).differences == 0

    def test_ask_a_failed_job_again_once(
        self,
        customer: Customer,
        register: Register,
        monkeypatch: pytest.MonkeyPatch,
        at_once: Callable[..., list[Any]],
    ) -> None:
        fail(customer, register, monkeypatch)
        now = timezone.now()
        outage = Outage(now, "NY", now - timedelta(hours=1), now)
        done = at_once(*[lambda: outages.ask_again(outage, now=now, note=Mock())] * 4)
        assert sum(len(asked) for asked, _ in done) == 1
        assert customer.balance.held == PRICE


def fail(customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    """One live job that New York refuses."""
    monkeypatch.setattr(NewYork, "slow", True)
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    register.status = 403
    assert customer.lookup().status_code == 202
    runner.run(job_id=Job.objects.latest("created_at").pk, now=timezone.now())
    assert Job.objects.latest("created_at").status == "failed"


@pytest.mark.django_db
class TestAskingAnOutageAgain:
    def test_says_first_what_it_costs_whom_and_asks_each_once(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fail(customer, register, monkeypatch)
        dana = staff()
        page, sent = press(dana, ASK, span())
        for words in ("1 of New York", "1 account", f"{prices.display(PRICE).split()[0].lstrip('$')}"):
            assert words in page, words
        assert customer.balance.held == 0
        done = dana.post(ASK, sent, follow=True).content.decode()
        assert "1 job is asked again." in done
        assert customer.balance.held == PRICE
        runner.run(job_id=Job.objects.get().pk, now=timezone.now())  # it fails once more, and the form is sent again
        assert "0 jobs are asked again." in dana.post(ASK, sent, follow=True).content.decode()
        assert customer.balance.held == 0
        assert AuditEvent.objects.filter(detail__contains="Asked again; it was failed").count() == 1

    def test_of_one_job_is_asked_on_a_page_of_its_own_before_anything_is_paid(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fail(customer, register, monkeypatch)
        dana, job = staff(), Job.objects.get()
        page = dana.post(f"/admin/lookups/job/{job.pk}/act/", {"job_action": "do_over"}, follow=True)
        assert "0.0314 USD; customers pay for what is answered" in page.content.decode()
        assert customer.balance.held == 0
        hidden = dict(re.findall(r'name="(token|as_of|ids)" value="([^"]+)"', page.content.decode()))
        dana.post(page.redirect_chain[-1][0], {**hidden, "confirm": "1"})
        assert customer.balance.held == PRICE

    def test_leaves_out_the_sandbox(self, tester: Customer, switches: None) -> None:
        page, _ = press(staff(), ASK, span())
        assert "No live job that failed there is left" in page

    def test_leaves_out_what_its_customer_has_cancelled(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who had given it up was asked for, and paid for it."""
        fail(customer, register, monkeypatch)
        rows = [{"entity_name": name, "state": "NY"} for name in ("Acme Corp", "Zebra Inc")]
        bulk = customer.post("/v1/bulk-lookup", {"entities": rows}).json()["job_id"]
        runner.run(job_id=Job.objects.get(lookup__asked="Zebra Inc").pk, now=timezone.now())
        Client().delete(f"/v1/bulk-lookup/{bulk}", headers={"x-api-key": customer.secret})
        verdicts = BulkJob.objects.get().lookups.values_list("verdict", flat=True)
        assert sorted(verdicts) == ["cancelled", "unavailable"]
        assert customer.lookup("Otter Holdings").status_code == 202
        assert runner.stop(Job.objects.get(status="pending"), because=Cancelled(), now=timezone.now())
        dana = staff()
        page, sent = press(dana, ASK, span())
        assert "1 of New York" in page
        assert "1 job is asked again." in dana.post(ASK, sent, follow=True).content.decode()
        assert customer.balance.held == PRICE

    def test_leaves_out_what_was_asked_anew_and_answered_since(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who had asked a second time, and paid, paid for the first time as well."""
        fail(customer, register, monkeypatch)
        register.status = 200
        Breaker.objects.all().delete()
        assert customer.lookup(ref="another purpose").status_code == 202
        assert customer.lookup("Zebra Inc").status_code == 202
        assert customer.lookup(include=["identifiers"]).status_code == 202
        page, _ = press(staff(), ASK, span())
        assert "1 of New York" in page  # none of them is the same
        assert customer.lookup().status_code == 202
        for answered in (False, True):
            if answered:
                runner.run(
                    job_id=Job.objects.latest("created_at").pk,
                    now=timezone.now(),
                )
                assert customer.balance.spent == PRICE
            page, _ = press(staff(f"sam {answered}"), ASK, span())
            assert "No live job that failed there is left" in page

    def test_asks_once_what_one_customer_has_asked_until_he_gave_up(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each of his tries was asked again, and he paid for each."""
        other = open_customer(name="Bolt")
        for one in (customer, customer, other, customer):
            fail(one, register, monkeypatch)
        dana = staff()
        page, sent = press(dana, ASK, span())
        assert "2 of New York" in page
        assert "2 jobs are asked again." in dana.post(ASK, sent, follow=True).content.decode()
        assert [one.balance.held for one in (customer, other)] == [PRICE, PRICE]
        assert Job.objects.latest("created_at").status == "pending"

    def test_that_breaks_off_is_kept_as_far_as_it_came(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Credit was held again, and nothing said who had wanted it."""
        for one in (customer, open_customer(name="Bolt")):
            fail(one, register, monkeypatch)
        dana, do_over, calls = staff(), operator_actions.do_over, itertools.count()

        def break_off(job: Job, **more: Any) -> bool:
            if next(calls):
                raise OperationalError("the connection is lost")
            return do_over(job, **more)

        monkeypatch.setattr(operator_actions, "do_over", break_off)
        _, sent = press(dana, ASK, span())
        dana.raise_request_exception = False
        assert dana.post(ASK, sent).status_code == 503
        assert Job.objects.filter(status="pending").count() == 1
        assert AuditEvent.objects.filter(detail__contains="Asked again; it was failed", actor="dana").count() == 1

    def test_leaves_out_and_counts_who_cannot_pay(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        poor = open_customer(name="Bolt")
        for one in (poor, customer):
            fail(one, register, monkeypatch)
        every, key = poor.balance.available, {"idempotency_key": "spent", "reference": ""}
        ledger.charge(account_id=poor.account.pk, amount=every, now=timezone.now(), **key)
        dana = staff()
        _, sent = press(dana, ASK, span())
        assert "1 job is asked again. 1 could not be paid for." in dana.post(ASK, sent, follow=True).content.decode()
        assert [one.balance.held for one in (poor, customer)] == [0, PRICE]

    def test_means_the_jobs_of_its_state_and_its_time_alone(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fail(customer, register, monkeypatch)
        now, hour = timezone.now(), timedelta(hours=1)
        for state, since, jobs in (("NY", now - hour, 1), ("CA", now - hour, 0), ("NY", now - 2 * hour, 0)):
            assert outages.count_failed_jobs(Outage(now, state, since, since + hour)).jobs == jobs
