"""Who is in an account and as what: invitations, roles, leaving. There is always an owner.

Everything is decided under the account's lock, with whoever does it read anew: two owners who remove each other do not
both succeed, and who was just removed changes nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from billing import audit, limits, locks
from billing.members import addresses, links
from billing.models import Account, Invitation, Member, SignInLink

Role = Member.Role
MOST = 100  # members and waiting invitations of one account
INVITATIONS_PER_DAY = 50  # a mail each, to whomever a stranger names
DAY = 24 * 3600


class NotAllowed(Exception):
    """It is not done; the message says why."""


def list_members(account: Account) -> QuerySet[Member]:
    """Everybody of an account, who came first before the others."""
    return Member.objects.filter(account=account).select_related("user").order_by("pk")


def list_invitations(account: Account) -> QuerySet[Invitation]:
    """Whoever is awaited."""
    return Invitation.objects.filter(account=account)


def invite(*, by: Member, email: str, role: str, now: datetime) -> Invitation:
    """Keep a place for an address; again, with another role, the place is that one. Raises NotAllowed."""
    with _deciding(by) as asker:
        _check_above(asker, role)
        if settings.SIGN_UP == "closed":
            raise NotAllowed("Nobody new is let in here: the operator has closed sign-up.")
        if Member.objects.filter(account=asker.account_id, user__email=email).exists():
            raise NotAllowed("This address is in the team already.")
        known = Invitation.objects.filter(account=asker.account_id, email=email).first()
        if known is not None:
            _check_above(asker, known.role)
        elif list_members(asker.account).count() + list_invitations(asker.account).count() >= MOST:
            raise NotAllowed(f"A team has at most {MOST} people, the invited among them.")
        rate = limits.count(subject=f"invitations:{asker.account_id}", limit=INVITATIONS_PER_DAY, now=now, seconds=DAY)
        if not rate.allowed:
            raise NotAllowed(f"At most {INVITATIONS_PER_DAY} people are invited in a day.")
        values = {"role": role, "invited_by": asker.user.email, "created_at": now, "mailed_at": None}
        invitation, _ = Invitation.objects.update_or_create(account=asker.account, email=email, defaults=values)
        audit.record(audit.Kind.MEMBER_INVITED, subject=invitation, detail=f"As {role}.", now=now)
    return invitation


def withdraw(*, by: Member, invitation_id: int, now: datetime) -> None:
    """Keep the place no longer. Raises NotAllowed."""
    with _deciding(by) as asker:
        invitation = list_invitations(asker.account).filter(pk=invitation_id).first()
        if invitation is None:
            raise NotAllowed("This invitation is no longer open.")
        _check_above(asker, invitation.role)
        audit_name = str(invitation)
        invitation.delete()
        audit.record(audit.Kind.MEMBER_INVITED, subject=audit_name, detail="Withdrawn.", now=now)


def join(*, invitation: Invitation, user: User, now: datetime) -> Member:
    """Take the place; in the caller's transaction, which knows that the address is the user's.

    Who is in the account already stays what they are.
    """
    locks.lock_account(invitation.account_id)
    place = Invitation.objects.filter(pk=invitation.pk).first()  # with the role that it has by now
    if place is None:
        raise NotAllowed("This invitation is no longer open.")
    if not User.objects.select_for_update(no_key=True).filter(pk=user.pk).exists():
        raise NotAllowed("You were removed from your team a moment ago: sign in by e-mail to take the place.")
    place.delete()
    member, is_new = Member.objects.get_or_create(
        user=user, account=invitation.account, defaults={"role": place.role, "joined_at": now}
    )
    if is_new:
        audit.record(audit.Kind.MEMBER_JOINED, subject=member, detail=f"Invited, as {member.role}.", now=now)
    return member


def change_role(*, by: Member, member_id: int, role: str, now: datetime) -> Member:
    """Give a member another role. Raises NotAllowed."""
    with _deciding(by) as asker:
        member = _get(asker, member_id)
        _check_above(asker, member.role)
        _check_above(asker, role)
        if member.role == role:
            return member
        if role != Role.OWNER:
            _check_not_last(member)
        before, member.role = member.role, Role(role)
        member.save(update_fields=["role"])
        detail = f"From {before} to {member.role}."
        audit.record(audit.Kind.MEMBER_CHANGED, subject=member, detail=detail, now=now)
    return member


def remove(*, by: Member, member_id: int, now: datetime) -> None:
    """Take a member, or oneself, out of the account; they are signed out of it at once. Raises NotAllowed.

    Mails of the account (results, digests) that went to them go to an owner from now on.
    """
    with _deciding(by, role=Role.VIEWER) as asker:
        member = _get(asker, member_id)
        check_removal(member, by=asker)
        name = str(member)
        links.hold([member.user.email])  # who signs in just now would wait for the place that is taken from them
        member.delete()
        detail = "Left." if member_id == asker.pk else "Removed."
        if _hand_mail_on(member):
            detail += " The account's mail goes to an owner."
        audit.record(audit.Kind.MEMBER_REMOVED, subject=name, detail=detail, now=now)
    _forget_if_nowhere(member.user)  # without the account: who ends a lookup of theirs has that, and waits for it


def check_removal(member: Member, *, by: Member) -> None:
    """Raise NotAllowed where this member is not taken out by that one."""
    if member.pk != by.pk:
        _check_above(by, Role.ADMIN)
        _check_above(by, member.role)
    _check_not_last(member)


def _hand_mail_on(gone: Member) -> bool:
    """Have an owner get the mail of the account where it went to who is not in it any more."""
    owner = Member.objects.select_related("user").filter(account=gone.account_id, role=Role.OWNER).first()
    theirs = Account.objects.filter(pk=gone.account_id, email__iexact=gone.user.email).exclude(email="")
    return owner is not None and bool(theirs.update(email=owner.user.email))


def forget(account: Account) -> int:
    """Take everybody out of an account that is erased, with who they are where they have no other; return how many.

    Links that still work for them are gone as well.
    """
    people = list(User.objects.filter(memberships__account=account).distinct())
    links.hold(user.email for user in people)
    account.members.all().delete()
    account.invitations.all().delete()
    for user in people:
        _forget_if_nowhere(user)
    return len(people)


def prune(*, now: datetime) -> int:
    """Forget who is in no account because a removal broke off before it came to that; return how many."""
    left = list(User.objects.filter(username__startswith=addresses.PREFIX, memberships=None))
    for user in left:
        _forget_if_nowhere(user)
    return len(left)


def _forget_if_nowhere(user: User) -> None:
    """Who has a place in no account any more is nobody here: address, passkeys and waiting links go."""
    with transaction.atomic():
        links.hold([user.email])  # who signs in just now may take a place
        if not (user.is_staff or user.is_superuser or user.memberships.exists()):
            SignInLink.objects.filter(email=user.email).delete()
            user.delete()


@contextmanager
def _deciding(by: Member, *, role: str = Role.ADMIN) -> Iterator[Member]:
    with transaction.atomic():
        locks.lock_account(by.account_id)
        asker = Member.objects.select_related("account", "user").filter(pk=by.pk).first()
        if asker is None or not asker.can(role):
            raise NotAllowed("Your role does not allow this any more.")
        yield asker


def _get(asker: Member, member_id: int) -> Member:
    member = Member.objects.select_related("user").filter(account=asker.account_id, pk=member_id).first()
    if member is None:
        raise NotAllowed("This member is no longer in the team.")
    return member


def _check_above(asker: Member, role: str) -> None:
    """Nobody gives, or takes away, a role above their own."""
    if not asker.can(role):
        raise NotAllowed(f"Only an owner decides about the role “{role}”." if role == Role.OWNER else "Not your role.")


def _check_not_last(member: Member) -> None:
    others = Member.objects.filter(account=member.account_id, role=Role.OWNER).exclude(pk=member.pk)
    if member.role == Role.OWNER and not others.exists():
        raise NotAllowed("An account has an owner: make somebody else one first.")
