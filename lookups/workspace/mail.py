"""Mails of the entrance: the link that signs in, and that somebody was invited. The row is the truth; a worker sends.

The request that asks for a link never waits for the mail server, so that it takes as long for every address.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic

from django.conf import settings
from django.urls import reverse
from django.utils.html import strip_tags

from billing import limits, mail_server
from billing.members import links
from billing.models import Invitation, SignInLink
from lookups.jobs.calls import call

log = logging.getLogger(__name__)
AT_ONCE = 50
PLACES = 100  # so many can be mailed at the same moment; a row waits a minute where another one has its place
SENDERS = 2  # threads of all workers that may wait for the mail server, each of whose steps takes 20 s where it hangs
ROUND_SECONDS = 60.0
TRIED_FOR = timedelta(days=1)  # an address that the server never takes; whoever invites again begins anew


def wake() -> None:
    """Call a worker to what waits."""
    if settings.MAIL_CONFIGURED:
        call("mail_entrance", queue="upkeep")


def url_of(token: str) -> str:
    """Where the link leads."""
    return settings.PUBLIC_URL + reverse("workspace:sign-in-link", args=[token])


def show(link: SignInLink, token: str) -> None:
    """Show a link that nobody mails where `make run` was typed: in no log, for a link that works is a secret."""
    if settings.PRINT_SIGN_IN_LINKS and settings.SIGN_IN_LINKS_FD:
        line = f"Sign in as {link.email} until {link.expires_at:%H:%M} UTC: {url_of(token)}\n"
        with suppress(OSError):  # nobody reads; staff find it in the admin
            os.write(settings.SIGN_IN_LINKS_FD, line.encode())


def send_waiting(*, now: datetime) -> int:
    """Mail what waits; returns how many mails the server took. What it did not take is tried each minute for a day.

    Whoever finds others at it leaves it to them, for they look again before they end: where the server says nothing,
    everybody who asks for a link would cost another thread of a worker.
    """
    if not settings.MAIL_CONFIGURED:
        return 0
    with limits.freeing(limits.occupy(subject="mail:entrance", limit=SENDERS, now=now)) as may_send:
        return _send_each(now) if may_send else 0


def _send_each(now: datetime) -> int:
    until, taken = monotonic() + ROUND_SECONDS, 0
    tried: set[SignInLink | Invitation] = set()
    while waiting := _list_waiting(now, tried):
        for row in waiting:
            if monotonic() > until:
                return taken  # the clock calls again
            tried.add(row)
            taken += _mail(row, now=now)
    return taken


def _list_waiting(now: datetime, tried: Iterable[SignInLink | Invitation]) -> list[SignInLink | Invitation]:
    """The newest that were not tried in this round: those that the server refuses keep no other out of it."""
    asked, invited = ([row.pk for row in tried if isinstance(row, of)] for of in (SignInLink, Invitation))
    waiting = Invitation.objects.filter(mailed_at=None, created_at__gt=now - TRIED_FOR).select_related("account")
    newest = links.list_unmailed(now=now).exclude(pk__in=asked)[:AT_ONCE]
    return [*newest, *waiting.exclude(pk__in=invited)[:AT_ONCE]]


def _mail(row: SignInLink | Invitation, *, now: datetime) -> bool:
    if isinstance(row, Invitation):
        return _send(row, f"An invitation to {_host()}", _text_of_invitation(row), now=now, then={})
    token = links.read(row)
    if not token:  # SECRET_KEY was changed since
        return False
    text = _text_of_link(url_of(token))
    return _send(row, f"Your sign-in link for {_host()}", text, now=now, then={"sealed": ""})


def _send(row: SignInLink | Invitation, subject: str, text: str, *, now: datetime, then: dict[str, str]) -> bool:
    """Mail one row that nobody else mails meanwhile; what the server has not taken is tried again."""
    # As it was read: whoever was invited anew meanwhile, as something else, is waiting for another mail
    rows = type(row)._default_manager.filter(pk=row.pk, created_at=row.created_at)
    with limits.alone(subject=f"mail:{row._meta.model_name}:{row.pk % PLACES}", now=now) as may_mail:
        if not may_mail or not rows.filter(mailed_at=None).exists():
            return False
        error = mail_server.post_text(to=row.email, subject=subject, text=text)
        if error:
            log.warning("Mail of %s: %s", row, error)
            return False
        rows.update(mailed_at=now, **then)
    return True


def _host() -> str:
    return settings.PUBLIC_URL.partition("://")[2]


def _text_of_link(url: str) -> str:
    minutes = int(links.WORKS_FOR.total_seconds()) // 60
    return (
        f"Somebody, hopefully you, wants to sign in at {settings.PUBLIC_URL} with this address.\n\n{url}\n\n"
        f"The link works once, for {minutes} minutes. If it was not you, you need not do anything: "
        "nobody can sign in without this mail.\n"
    )


def _text_of_invitation(invitation: Invitation) -> str:
    account = " ".join(strip_tags(invitation.account.name).split())[:80]
    return (
        f"{invitation.invited_by or 'The staff'} has invited you to the account “{account}” as {invitation.role}.\n\n"
        f"Sign in with this address, and you are asked whether you join:\n\n"
        f"{settings.PUBLIC_URL}{reverse('workspace:sign-in')}\n"
    )
