"""A page of the admin was opened, and when it is sent its person may not do that any more: nothing is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.utils import timezone

from billing.models import Account, ApiKey, Invitation, LedgerEntry, MonthClose, OutageRefund, WaitingGrant
from jurisdictions.models import Jurisdiction
from lookups.models import Job, RemovalRequest, Suppression
from tests.admin.conftest import ask
from tests.sign_in.people import Browser, make_user

pytestmark = pytest.mark.django_db

NOT_TAKEN = "What you just sent was not accepted"
Lose = Callable[[User], Any]
WAYS: dict[str, Lose] = {
    "the role": lambda user: user.groups.clear(),
    "the staff": lambda user: User.objects.filter(pk=user.pk).update(is_staff=False),
    "the user": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "the sign-in": lambda user: Session.objects.all().delete(),
}
MOVED = {"reason": "goodwill", "note": "", "token": "abc", "confirm": "1"}
OUTAGE = {"as_of": "2026-11-29T12:00:00+00:00", "token": "abc", "confirm": "1"}
FORMS: dict[str, dict[str, str]] = {
    "billing/account/{account}/grant/": {**MOVED, "dollars": "5"},
    "billing/account/{account}/adjust/": {**MOVED, "dollars": "-0.01", "reason": "correction"},
    "billing/account/{account}/issue-key/": {"name": "server", "mode": "live"},
    "billing/account/{account}/change/": {"name": "Renamed", "email": "", "kind": "internal"},
    "billing/apikey/{key}/rotate/": {"grace_hours": "1"},
    "billing/apikey/{key}/revoke/": {},
    "billing/ledgerentry/{charge}/refund/": MOVED,
    "billing/waitinggrant/{grant}/approve/": {},
    "billing/waitinggrant/{grant}/reject/": {},
    "billing/monthclose/close-last/": {},
    "billing/invitation/add/": {"account": "{account}", "email": "eve@evil.test", "role": "owner"},
    "jurisdictions/jurisdiction/NY/switch/": {"to": "off", "sentence": "Gone.", "why": ""},
    "lookups/job/{job}/act/": {"job_action": "do_over"},
    "lookups/job/ask-outage-again/": {**OUTAGE, "ids": "{job_lookup}"},
    "lookups/lookup/refund-outage/": {**OUTAGE, "ids": "{lookup}", "reason": "outage"},
    "lookups/removalrequest/{request}/change/": {"state": "done", "answer": "Done."},
    "lookups/suppression/add/": {"kind": "company", "state": "NY", "entity_id": "1", "reason": "Asked for."},
    "auth/user/{user}/reset-factors/": {},
}


@pytest.fixture
def known(acme: Account, failed_job: Job) -> dict[str, Any]:
    """A day's work, by what it is called in the addresses above."""
    now = timezone.now()
    lookup = ask(acme, "Acme Corp", "found")
    waiting = {"kind": "grant", "amount": 314, "token": "t", "asked_by": "kim", "asked_at": now, "reason": "goodwill"}
    asked = {"kind": "removal", "about": "Acme", "name": "A", "email": "a@b.test", "received_at": now, "due_at": now}
    return {
        "account": acme.pk,
        "key": ApiKey.objects.filter(account=acme)[0].pk,
        "charge": LedgerEntry.objects.get(account=acme, kind="charge").pk,
        "grant": WaitingGrant.objects.create(account=acme, **waiting).pk,
        "job": failed_job.pk,
        "job_lookup": failed_job.lookup_id,
        "lookup": lookup.pk,
        "request": RemovalRequest.objects.create(**asked).pk,
        "user": make_user().pk,
    }


@pytest.fixture
def dana() -> Browser:
    """Signed in as an owner."""
    user, browser = make_user(), Browser()
    user.groups.add(Group.objects.get(name="owner"))
    browser.sign_in(user.username)
    assert browser.get("/admin/").status_code == 200
    return browser


def look() -> list[Any]:
    """Everything that these forms could have changed."""
    tables = (LedgerEntry, ApiKey, Invitation, MonthClose, OutageRefund, Suppression)
    return [
        *(table.objects.count() for table in tables),
        list(Account.objects.order_by("pk").values_list("name", "kind", "available")),
        ApiKey.objects.filter(revoked_at=None).count(),
        WaitingGrant.objects.get().state,
        Jurisdiction.objects.get(pk="NY").enabled,
        sorted(Job.objects.values_list("status", flat=True)),
        RemovalRequest.objects.get().state,
    ]


class TestAForm:
    @pytest.mark.parametrize("lose", WAYS.values(), ids=WAYS)
    @pytest.mark.parametrize("path", FORMS)
    def test_does_nothing_and_says_so(self, known: dict[str, Any], dana: Browser, path: str, lose: Lose) -> None:
        lose(User.objects.get(pk=dana.session["_auth_user_id"]))
        before = look()
        form = {name: value.format(**known) for name, value in FORMS[path].items()}
        reply = dana.post(f"/admin/{path.format(**known)}", form, follow=True)
        assert look() == before
        assert NOT_TAKEN in reply.content.decode()
        assert reply.status_code in (200, 403)

    def test_that_was_confirmed_comes_back_with_another_sum_and_moves_none(
        self, known: dict[str, Any], dana: Browser
    ) -> None:
        """By the Back button."""
        address, form = f"/admin/billing/account/{known['account']}/grant/", {**MOVED, "dollars": "5"}
        assert dana.post(address, form).status_code == 302
        before = look()
        page = dana.post(address, form | {"dollars": "7"})
        assert (
            "This form was confirmed before, with something else in it. Nothing was moved now" in page.content.decode()
        )
        assert look() == before
