"""Where members are signed in: a row for each browser, so that any of them can be ended from any other.

They are kept apart from the sessions of staff: no page of the admin knows this cookie, so nothing that signs a member
in can sign anybody into the admin.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from billing.keys import hash_secret
from billing.models import Member, MemberSession

NOTED_EVERY = timedelta(minutes=5)  # a session is written so often, not with every request
FRESH = timedelta(hours=1)
TOKEN_BYTES = 32


def begin(*, member: Member, address: str, browser: str, now: datetime) -> str:
    """Sign the member in; return what the browser's cookie is to hold, which cannot be read again.

    Raises Member.DoesNotExist for who was removed a moment ago.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with transaction.atomic():
        Member.objects.select_for_update(no_key=True).get(pk=member.pk)
        MemberSession.objects.create(
            member=member,
            token_hash=hash_secret(token),
            began_at=now,
            seen_at=now,
            address=address[:50],
            browser=browser.replace("\x00", "")[:200],
        )
    return token


def find(token: str, *, now: datetime) -> MemberSession | None:
    """The session of that cookie with its member, user and account; None when it is over, or was never begun."""
    rows = MemberSession.objects.select_related("member__user", "member__account")
    who = {"is_active": True, "is_staff": False, "is_superuser": False}
    is_member = {f"member__user__{name}": value for name, value in who.items()}
    session = rows.filter(_lasting(now), token_hash=hash_secret(token), **is_member).first()
    if session is not None and now - session.seen_at >= NOTED_EVERY:
        MemberSession.objects.filter(pk=session.pk).update(seen_at=now)
    return session


def list_lasting(*, user_id: int, now: datetime) -> list[MemberSession]:
    """Where this person is signed in, last seen first."""
    return list(MemberSession.objects.filter(_lasting(now), member__user=user_id).select_related("member__account"))


def end(*, user_id: int, session_id: int | None = None) -> int:
    """Sign the person out of one session, or of all of them; return of how many."""
    rows = MemberSession.objects.filter(member__user=user_id)
    return (rows if session_id is None else rows.filter(pk=session_id)).delete()[0]


def switch(session: MemberSession, *, livemode: bool) -> None:
    """Work with the real registries from now on, or in the sandbox."""
    session.livemode = livemode
    MemberSession.objects.filter(pk=session.pk).update(livemode=livemode)  # which may have ended meanwhile


def move(session: MemberSession, *, member_id: int) -> bool:
    """Go on in another account of the same person; False when they have no place there."""
    with transaction.atomic():
        places = Member.objects.select_for_update(no_key=True).filter(user=session.member.user_id)
        member = places.filter(pk=member_id).first()
        if member is not None:
            session.member = member
            MemberSession.objects.filter(pk=session.pk).update(member=member)
    return member is not None


def is_fresh(session: MemberSession, *, now: datetime) -> bool:
    """Whether this person has signed in a moment ago: what outlasts a borrowed browser asks for that."""
    return now - session.began_at < FRESH


def prune(*, now: datetime) -> int:
    """Forget the sessions that are over; return how many."""
    return MemberSession.objects.exclude(_lasting(now)).delete()[0]


def _lasting(now: datetime) -> Q:
    idle, longest = timedelta(hours=settings.WORKSPACE_IDLE_HOURS), timedelta(days=settings.WORKSPACE_SESSION_DAYS)
    return Q(seen_at__gt=now - idle, began_at__gt=now - longest)
