"""An account that is erased while somebody is about to do something with what belongs to it: neither fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from billing import accounts
from billing.members import addresses, arrival, links, team
from billing.models import Account, Member
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


class TestAnErasure:
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
