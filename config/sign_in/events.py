"""What Django, its admin and allauth tell of signing in, factors and changes, as the audit log has it."""

from __future__ import annotations

from typing import Any

from allauth.account.signals import authentication_step_completed
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from django.contrib.admin.models import LogEntry
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from billing import audit, proof
from config.sign_in.middleware import actor_of, begin

Kind = audit.Kind
# How a change in the admin is called: by its table, and by the first words of the sentence about it.
CHANGES = (
    ("billing.account", ("A grant of", "An adjustment by", "Refunded", "Approved by", "Rejected by"), Kind.MONEY_MOVED),
    ("billing.account", ("The monthly budget is",), Kind.BUDGET_SET),
    ("billing.account", (), Kind.SETTINGS_CHANGED),
    ("billing.outagerefund", (), Kind.MONEY_MOVED),
    ("billing.topup", (), Kind.MONEY_MOVED),
    ("billing.payment", (), Kind.MONEY_MOVED),
    ("billing.apikey", ("The monthly budget is",), Kind.BUDGET_SET),
    ("billing.apikey", (), Kind.SETTINGS_CHANGED),
    ("jurisdictions.jurisdiction", (), Kind.SWITCHED),
    ("billing.invitation", (), Kind.MEMBER_INVITED),
    ("auth.user", (), Kind.USER_CHANGED),
    ("auth.group", (), Kind.ROLE_CHANGED),
)


@receiver(authentication_step_completed)
def note_step(request: HttpRequest, user: AbstractBaseUser, method: str, **more: Any) -> None:
    """A password or a code was right; alone it may not have signed anybody in."""
    proof.note(request, user, factor=method == "mfa")
    if more.get("reauthenticated"):
        _record(Kind.CONFIRMED, request, user, "By a second factor." if method == "mfa" else "By password.")


@receiver(user_logged_in)
def note_sign_in(request: HttpRequest, user: AbstractBaseUser, **_: Any) -> None:
    """The session begins."""
    begin(request)
    proof.note(request, user, factor=False)
    seen = proof.find(request, user)
    _record(Kind.SIGNED_IN, request, user, "With a second factor." if seen and seen["factor"] else "By password.")


@receiver(user_logged_out)
def note_sign_out(request: HttpRequest, user: AbstractBaseUser | None, **_: Any) -> None:
    """By the person, or because the session was over."""
    if user is not None:
        _record(Kind.SIGNED_OUT, request, user)


@receiver(authenticator_added)
def note_shown(request: HttpRequest, user: AbstractBaseUser, **_: Any) -> None:
    """Whoever adds a factor has just shown it."""
    proof.note(request, user, factor=True)


@receiver(post_save, sender=Authenticator)
def note_added(instance: Authenticator, created: bool, **_: Any) -> None:
    """In the transaction that adds it."""
    if created:
        _record_factor(Kind.FACTOR_ADDED, instance)


@receiver(post_delete, sender=Authenticator)
def note_removed(instance: Authenticator, **_: Any) -> None:
    """By its owner, or by somebody who resets it."""
    _record_factor(Kind.FACTOR_REMOVED, instance)


@receiver(post_save, sender=LogEntry)
def note_change(instance: LogEntry, **_: Any) -> None:
    """Everything that the admin keeps in an object's history."""
    table = ".".join(instance.content_type.natural_key()) if instance.content_type else ""
    sentence = instance.get_change_message()
    kinds = (kind for name, words, kind in CHANGES if name == table and sentence.startswith(words or ("",)))
    audit.record(
        next(kinds, Kind.DONE),
        subject=f"{table} {instance.object_id}",
        detail=f"{instance.get_action_flag_display()}: {sentence}",
        now=instance.action_time,
    )


def _record_factor(kind: audit.Kind, factor: Authenticator) -> None:
    user = factor.user
    who = user.get_username() if user.is_staff else audit.name_of(user)  # a member's may have to be forgotten
    detail = f"{factor.get_type_display()} of {who}."
    audit.record(kind, subject=factor.user, detail=detail, now=timezone.now())


def _record(kind: audit.Kind, request: HttpRequest, user: AbstractBaseUser, detail: str = "") -> None:
    actor = actor_of(request)._replace(name=user.get_username())
    audit.record(kind, subject=user, detail=detail, actor=actor, now=timezone.now())
