"""People at work: an owner, a clerk and a viewer of one account, each in a browser of their own."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from billing import accounts, ledger, money
from billing.members import sessions
from billing.models import Account, Member
from tests.lookups.conftest import at_once  # noqa: F401  (used by pytest)


class Browser(Client):
    """A browser in which a member is signed in."""

    def __init__(self, member: Member) -> None:
        super().__init__(enforce_csrf_checks=False)
        self.member, self.user, self.account = member, member.user, member.account
        token = sessions.begin(member=member, address="192.0.2.7", browser="Firefox", now=timezone.now())
        self.cookies[settings.WORKSPACE_COOKIE_NAME] = token

    def work_in(self, mode: str) -> Browser:
        """Switch to "live" or "sandbox"."""
        self.post("/app/mode/", {"mode": mode})
        return self


def join(account: Account, role: str, email: str) -> Member:
    """A person who may do what the role may."""
    user = User.objects.create(username=f"member-{email}", email=email, password="!")
    return Member.objects.create(user=user, account=account, role=role, joined_at=timezone.now())


def open_office(name: str = "Quay Street Compliance", email: str = "ada@quay.test") -> Browser:
    """A new account with 100 USD of credit, and its owner's browser."""
    account = accounts.open_account(name=name, email=email, now=timezone.now())
    ledger.deposit(
        account_id=account.pk,
        amount=money.from_dollars("100"),
        idempotency_key="for-tests",
        source="grant",
        operator="staff",
        reason="goodwill",
        now=timezone.now(),
    )
    account.refresh_from_db()
    return Browser(join(account, "owner", email))


def spend_all(browser: Browser) -> None:
    """Leave the account the free lookups alone."""
    ledger.adjust(
        account_id=browser.account.pk,
        amount=-money.from_dollars("100"),
        idempotency_key="spent",
        operator="staff",
        reason="correction",
        now=timezone.now(),
    )


@pytest.fixture
def office(switches: None) -> Browser:
    """The owner, in an account with 100 USD of credit beside the free lookups."""
    return open_office()


@pytest.fixture
def clerk(office: Browser) -> Browser:
    """Somebody of the same account who asks and spends."""
    return Browser(join(office.account, "member", "jonas@quay.test"))


@pytest.fixture
def viewer(office: Browser) -> Browser:
    """Somebody of the same account who only reads."""
    return Browser(join(office.account, "viewer", "vera@quay.test"))
