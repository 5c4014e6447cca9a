"""An account that is erased while somebody is about to do something with what belongs to it: neither fails."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from billing import accounts, locks
from billing.members import addresses, arrival, links, team
from billing.models import Account, Member, Payment
from lookups.bulk import drafts
from lookups.jobs import lifecycle
from lookups.lookup import rows, settlement
from lookups.lookup.asks import Ask, Stopwatch
from lookups.lookup.outcomes import Failed, NothingFound
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkDraft, Delivery, Job, Lookup, WebhookSecret
from lookups.notifications import deliveries
from lookups.privacy import erasure
from lookups.verdicts import Breakdown
from tests.billing.conftest import count_waiting, set_once_somebody_waits
from tests.lookups.conftest import Customer
from tests.lookups.messages import wait_for

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgres"),
]
AtOnce = Callable[..., list[Any]]


def join(account: Account, role: str, email: str) -> Member:
    user = User.objects.create(username=addresses.name_of(email), email=email, password="!")
    return Member.objects.create(user=user, account=account, role=role, joined_at=timezone.now())


def keep_draft(customer: Customer, **more: Any) -> BulkDraft:
    now = timezone.now()
    known = {"name": "a.csv", "table": {}, "mapping": {}, "created_at": now, "changed_at": now}
    return BulkDraft.objects.create(account=customer.account, **known | more)


def keep_failed_job(customer: Customer, **more: Any) -> Job:
    now = timezone.now()
    ask = Ask(question=Question(state="NY", name="Acme Corp"), payer=KeyPayer(customer.key))
    lookup = rows.draft(ask, now=now, verdict="failed", reason="broken", ended_at=now, duration_ms=1)
    lookup.save()
    mine: dict[str, Any] = {"account": customer.account, "key": customer.key, "lookup": lookup, "ask_id": ask.ask_id}
    times = {"created_at": now, "deadline": now, "ended_at": now, **more}
    return Job.objects.create(**mine, **times, state="NY", estimated_seconds=1, status="failed")


def keep_payment(customer: Customer) -> Payment:
    now = timezone.now()
    paid: dict[str, Any] = {"method": "tempo", "purpose": "topup", "amount": 1, "state": "paid", "payer": "0x1"}
    names = {"challenge_id": "n", "proof_hash": "n", "reference": "0x2"}
    return Payment.objects.create(account=customer.account, **paid, **names, created_at=now, ended_at=now)


class TestAnErasure:
    @pytest.mark.parametrize("keep", [keep_draft, keep_failed_job, keep_payment])
    def test_waits_for_whoever_buys_does_over_or_takes_back_what_is_of_it(
        self, customer: Customer, at_once: AtOnce, keep: Callable[[Customer], Any]
    ) -> None:
        """They have the draft, the job or the payment before the account, and it had the account first."""
        row, is_begun, may_go = keep(customer), threading.Event(), threading.Event()

        def act() -> None:
            with transaction.atomic():
                type(row).objects.select_for_update(of=("self",)).get(pk=row.pk)
                is_begun.set()
                assert may_go.wait(60)
                locks.lock_account(customer.account.pk)

        def erase() -> None:
            assert is_begun.wait(60)
            erasure.erase(account=customer.account, give_up_credit=True, now=timezone.now())

        assert at_once(act, erase, lambda: set_once_somebody_waits(may_go))[2] == "seen"
        assert Account.objects.get().name == f"Erased account {customer.account.pk}"

    @pytest.mark.parametrize("of", ["jobs", "tests", "drafts"])
    def test_beside_the_clock_that_forgets_what_is_old_waits_for_it(
        self, customer: Customer, at_once: AtOnce, of: str
    ) -> None:
        """Each took the account's old rows in another order, and waited for those that the other one had."""
        now = timezone.now()
        long_ago, numbers = now - timedelta(days=40), sorted(uuid.uuid4() for _ in range(2))
        if of == "drafts":
            kind, clock = BulkDraft, drafts
            kept = [keep_draft(customer, id=number, changed_at=long_ago) for number in reversed(numbers)]
        else:
            kind, clock = Delivery, lifecycle if of == "jobs" else deliveries
            jobs = [keep_failed_job(customer, ended_at=long_ago) if of == "jobs" else None for _ in numbers]
            mine = {"account": customer.account, "livemode": True, "channel": "webhook", "created_at": long_ago}
            mine |= {"event": "lookup.failed" if of == "jobs" else "webhook.test", "next_at": long_ago}
            named = zip(reversed(numbers), jobs, strict=True)
            kept = [Delivery.objects.create(id=number, job=job, **mine) for number, job in named]
        is_blocked, erases, both_wait = (threading.Event() for _ in range(3))

        def block() -> None:  # so that both have come before either has all of them
            with transaction.atomic():
                kind.objects.select_for_update(of=("self",)).get(pk=numbers[0])
                is_blocked.set()
                assert both_wait.wait(60)

        def erase() -> None:
            assert is_blocked.wait(60)
            erasure.erase(account=customer.account, give_up_credit=True, now=now)

        def prune() -> int:
            assert erases.wait(60)
            return clock.prune(now=now)

        def watch() -> None:
            for number, event in ((1, erases), (2, both_wait)):
                wait_for(lambda number=number: count_waiting() == number)
                event.set()

        at_once(block, erase, prune, watch)
        assert not kind.objects.filter(pk__in=[row.pk for row in kept]).exists()
        assert Account.objects.get().name == f"Erased account {customer.account.pk}"

    def test_while_a_worker_comes_too_late_with_an_answer_fails_neither(
        self, customer: Customer, at_once: AtOnce
    ) -> None:
        """It was ended, and the worker found the row and waited for the account, which had it before its lookups."""
        now, nothing = timezone.now(), NothingFound([], False, None, {})
        ask = Ask(question=Question(state="NY", name="Acme Corp"), payer=KeyPayer(customer.key))
        lookup = rows.draft(ask, now=now)
        rows.accept(ask, lookup, now=now, hold_for=timedelta(minutes=10))
        settlement.end(ask, Lookup.objects.get(), Failed(Breakdown.ENDED), stopwatch=Stopwatch(now))
        WebhookSecret.objects.create(account=customer.account, livemode=True, salt="s", made_at=now)
        is_blocked, erases, both_wait = (threading.Event() for _ in range(3))

        def block() -> None:  # so that it has the account, and is on its way to the lookups
            with transaction.atomic():
                WebhookSecret.objects.select_for_update().get()
                is_blocked.set()
                assert both_wait.wait(60)

        def erase() -> None:
            assert is_blocked.wait(60)
            erasure.erase(account=customer.account, give_up_credit=True, now=now)

        def come() -> str | None:
            assert erases.wait(60)
            return settlement.end(ask, lookup, nothing, stopwatch=Stopwatch(now)).verdict

        def watch() -> None:
            for number, event in ((1, erases), (2, both_wait)):
                wait_for(lambda number=number: count_waiting() == number)
                event.set()

        assert at_once(block, erase, come, watch)[2] == "failed"
        assert Lookup.objects.get().asked == "erased"

    def test_while_somebody_of_it_joins_another_account_leaves_them_there(
        self, customer: Customer, at_once: AtOnce
    ) -> None:
        """It had the audit log and waited for their link, and they had the link and waited for the log."""
        now = timezone.now()
        other = accounts.open_account(name="Quay Street", now=now)
        eve = join(customer.account, "owner", "eve@quay.test")
        place = team.invite(by=join(other, "owner", "ada@quay.test"), email="eve@quay.test", role="viewer", now=now)
        _, token = links.make(email="eve@quay.test", then="", now=now)
        is_begun, may_go = threading.Event(), threading.Event()

        def come() -> None:
            with transaction.atomic():
                assert links.use(token, now=now)
                is_begun.set()
                assert may_go.wait(60)
                arrival.arrive(email="eve@quay.test", invitation_id=place.pk, network="", now=now)

        def erase() -> None:
            assert is_begun.wait(60)
            erasure.erase(account=customer.account, give_up_credit=True, now=now)

        assert at_once(come, erase, lambda: set_once_somebody_waits(may_go))[2] == "seen"
        assert list(Member.objects.filter(user=eve.user).values_list("account", flat=True)) == [other.pk]
