"""What becomes of somebody who has just shown that an address is theirs: a place they have, one they were invited to,
or an account of their own, as far as the operator lets strangers in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from billing import accounts, audit, locks
from billing.members import addresses, free_lookups, team
from billing.models import Account, Invitation, Member

OPEN, CLOSED = "open", "closed"


class SignUpClosed(Exception):
    """Nobody of this address is known, and nobody has invited them."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Who has come. `without_free`: a new account without free lookups, and why."""

    member: Member
    is_new: bool = False
    without_free: free_lookups.Refusal | None = None


def arrive(*, email: str, invitation_id: int | None, network: str, now: datetime) -> Arrival:
    """Return the member to sign in as; join the account of the invitation where one is named.

    Raises SignUpClosed for a stranger where the operator has not opened the door.
    """
    with transaction.atomic():
        invitation = _hold_invitation(email, invitation_id)
        known = addresses.find_user(email)
        if known is not None:
            User.objects.select_for_update(no_key=True).get(pk=known.pk)  # two links at once open one account
        member = find_member(known)
        if invitation is None and member is not None:
            return Arrival(member)
        if not may_sign_up(invited=invitation is not None) and known is None:
            raise SignUpClosed
        try:
            user = addresses.get_or_make_user(email)
        except User.DoesNotExist as gone:
            raise SignUpClosed from gone
        if invitation is not None:
            return Arrival(team.join(invitation=invitation, user=user, now=now))
        if not may_sign_up(invited=False):
            raise SignUpClosed
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        return _already(user) or _open(user, network=network, now=now)


def may_sign_up(*, invited: bool) -> bool:
    """Whether somebody new is let in."""
    return bool(settings.SIGN_UP == OPEN or (invited and settings.SIGN_UP != CLOSED))


def find_member(user: User | None) -> Member | None:
    """The place that somebody took last, in an account that is open before one that is closed."""
    if user is None:
        return None
    return user.memberships.select_related("account").order_by("-account__is_active", "-joined_at", "-pk").first()


def list_invitations(email: str) -> list[Invitation]:
    """The places that wait for an address."""
    return list(Invitation.objects.filter(email=email, account__is_active=True).select_related("account"))


def find_invitation(email: str, invitation_id: int | None) -> Invitation | None:
    """One of them, or none."""
    return next((one for one in list_invitations(email) if one.pk == invitation_id), None)


def _hold_invitation(email: str, invitation_id: int | None) -> Invitation | None:
    """It, with its account locked: of two links at once the second finds the place taken, and the member there."""
    found = find_invitation(email, invitation_id)
    if found is None:
        return None
    locks.lock_account(found.account_id)
    return find_invitation(email, invitation_id)


def _already(user: User) -> Arrival | None:
    member = find_member(user)
    return Arrival(member) if member else None


def _open(user: User, *, network: str, now: datetime) -> Arrival:
    refusal = free_lookups.claim(email=user.email, network=network, now=now)
    name = user.email[: Account._meta.get_field("name").max_length]  # an address may be longer than a name
    account = accounts.open_account(name=name, email=user.email, now=now, free_lookups=refusal is None)
    member = Member.objects.create(user=user, account=account, role=Member.Role.OWNER, joined_at=now)
    audit.record(audit.Kind.MEMBER_JOINED, subject=member, detail="Signed up, as owner.", now=now)
    return Arrival(member, is_new=True, without_free=refusal)
