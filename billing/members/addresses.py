"""E-mail addresses: which are the same person's, for signing in and for what is given away once."""

from __future__ import annotations

import hashlib
import re

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.crypto import get_random_string, salted_hmac

ONE_MAILBOX = {"googlemail.com": "gmail.com"}  # two names of one host, where dots in the name mean nothing
DOTLESS = {"gmail.com"}
PREFIX = "member-"  # of the names of those who come by link


def in_small_letters(address: str) -> str:
    """An address as it is kept. Raises ValidationError where a letter has no small one (İ becomes two signs), and for
    what steers a terminal, which may stand between quotation marks: a link is shown with its address where `make run`
    was typed."""
    small = address.lower()
    if len(small) != len(address) or re.search(r"[\x00-\x1f\x7f-\x9f]", small):
        raise ValidationError(validate_email.message)
    return small


def mailbox_of(address: str) -> str:
    """What all spellings of one mailbox have in common: no tag after a plus, no dots where they mean nothing, no
    quotation marks, and its host as it is written in ASCII."""
    name, _, host = address.lower().rpartition("@")
    if name.startswith('"'):
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    name, host = name.partition("+")[0] or name, _in_ascii(host)
    host = ONE_MAILBOX.get(host, host)
    return f"{name.replace('.', '') if host in DOTLESS else name}@{host}"


def is_disposable(address: str) -> bool:
    """Whether the operator has named its host, or one above it, as one that gives addresses away."""
    host = _in_ascii(address.rpartition("@")[2])
    named = [_in_ascii(one) for one in settings.DISPOSABLE_MAIL_HOSTS]
    return any(host == one or host.endswith(f".{one}") for one in named)


def _in_ascii(host: str) -> str:
    """As mail programs ask for it: wide letters and signs that are not shown make no other host."""
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:  # no mail is sent there
        return host


def hashes_of(address: str) -> list[str]:
    """What a mailbox is remembered by, today's key first: nobody reads an address from it without the key."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    mailbox = mailbox_of(address)
    return [salted_hmac("free lookups", mailbox, secret=key, algorithm="sha256").hexdigest() for key in keys]


def find_user(address: str) -> User | None:
    """The person of that address; never one of the staff, who have a door of their own."""
    return User.objects.filter(username=name_of(address), is_staff=False, is_superuser=False, is_active=True).first()


def get_or_make_user(address: str) -> User:
    """The person of that address, made now if there is none: without a password and without rights.

    Raises User.DoesNotExist for one who was switched off, or works here.
    """
    made = {"email": address, "password": UNUSABLE_PASSWORD_PREFIX + get_random_string(40)}
    User.objects.get_or_create(username=name_of(address), defaults=made)
    user = find_user(address)
    if user is None:
        raise User.DoesNotExist
    return user


def name_of(address: str) -> str:
    """Users are unique by their name, so that two links used at once make one person.

    The audit log has names of users, and nobody can take an address out of it: this is none.
    """
    return f"{PREFIX}{hashlib.sha256(address.encode()).hexdigest()[:40]}"
