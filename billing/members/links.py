"""Links that sign somebody in: one use, a quarter of an hour, for whoever reads the mail of an address.

A link is made for every address that asks, known or not, so that asking tells nobody who has an account here.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.encoding import force_bytes

from billing import audit
from billing.keys import hash_secret
from billing.models import SignInLink

WORKS_FOR = timedelta(minutes=15)
KEPT_FOR = timedelta(hours=1)  # a link that is over, to say of it that it is
TOKEN_BYTES = 32


def make(*, email: str, then: str, now: datetime) -> tuple[SignInLink, str]:
    """Make a link that leads to the page `then`; return it with its secret."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = SignInLink.objects.create(
        email=email,
        token_hash=hash_secret(token),
        sealed=_seal().encrypt(token.encode()).decode(),
        next=then[:500],
        created_at=now,
        expires_at=now + WORKS_FOR,
    )
    return link, token


def find(token: str, *, now: datetime) -> SignInLink | None:
    """The link of that secret while it works."""
    return list_waiting(now=now).filter(token_hash=hash_secret(token)).first()


def use(token: str, *, now: datetime) -> SignInLink | None:
    """Use the link up; None when it does not work, or somebody was quicker."""
    link = find(token, now=now)
    if link is None:
        return None
    with transaction.atomic():
        hold([link.email])
        if not list_waiting(now=now).filter(pk=link.pk).update(used_at=now, sealed=""):
            return None
        # Others that were asked for by the same address would sign in as well, from wherever their mails are by now
        list_waiting(now=now).filter(email=link.email).update(expires_at=now, sealed="")
    return link


def hold(emails: Iterable[str]) -> None:
    """Wait for whoever signs in with these addresses just now; in one order, lest two wait for each other."""
    list(SignInLink.objects.select_for_update().filter(email__in=list(emails)).order_by("pk"))


def find_known(token: str) -> SignInLink | None:
    """The link of that secret, also where it is over; None where nothing is known of it."""
    return SignInLink.objects.filter(token_hash=hash_secret(token)).first()


def list_waiting(*, now: datetime) -> QuerySet[SignInLink]:
    """Links that work."""
    return SignInLink.objects.filter(used_at=None, expires_at__gt=now)


def list_unmailed(*, now: datetime) -> QuerySet[SignInLink]:
    """Links that work and were not mailed yet."""
    return list_waiting(now=now).filter(mailed_at=None).exclude(sealed="")


def read(link: SignInLink) -> str:
    """The secret of a link that somebody still has to get; empty when it is not kept any more."""
    try:
        return _seal().decrypt(link.sealed.encode()).decode() if link.sealed else ""
    except InvalidToken:  # SECRET_KEY was changed meanwhile
        return ""


def show(link: SignInLink, *, now: datetime) -> str:
    """The secret for a member of staff who hands it on, which stands in the audit log."""
    token = read(link) if link.used_at is None and link.expires_at > now else ""
    if token:
        audit.record(audit.Kind.LINK_SHOWN, subject=link, now=now)
    return token


def prune(*, now: datetime) -> int:
    """Forget links that are over; return how many."""
    SignInLink.objects.filter(Q(expires_at__lte=now) & ~Q(sealed="")).update(sealed="")
    return SignInLink.objects.filter(expires_at__lte=now - KEPT_FOR).delete()[0]


def _seal() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    made = (hashlib.sha256(b"sign-in links: " + force_bytes(key)).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in made])
