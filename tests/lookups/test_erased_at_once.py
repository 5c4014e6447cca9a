"""An account that is erased while somebody is about to do something with what belongs to it: neither fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from billing import accounts, locks
from billing.members import addresses, arrival, links, team
from billing.models import Account, Member, Payment
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkDraft, Job
from lookups.privacy import erasure
from tests.billing.conftest import set_once_somebody_waits
from tests.lookups.conftest import Customer

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("on_postgres"),
]
AtOnce = Callable[..., list[Any]]


def join(account: Account, role: str, email: str) -> Member:
    user = User.objects.create(username=addresses.name_of(email), email=email, password="!")
    return Member.objects.create(user=user, account=account, role=role, joined_at=timezone.now())


def keep_draft(customer: Customer) -> BulkDraft:
    now = timezone.now()
    return BulkDraft.objects.create(
        account=customer.account, name="a.csv", table={}, mapping={}, created_at=now, changed_at=now
    )


def keep_failed_job(customer: Customer) -> Job:
    now = timezone.now()
    ask = Ask(question=Question(state="NY", name="Acme Corp"), payer=KeyPayer(customer.key))
    lookup = rows.draft(ask, now=now, verdict="failed", reason="broken", ended_at=now, duration_ms=1)
    lookup.save()
    mine: dict[str, Any] = {"account": customer.account, "key": customer.key, "lookup": lookup, "ask_id": ask.ask_id}
    times = {"created_at": now, "deadline": now, "ended_at": now}
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
