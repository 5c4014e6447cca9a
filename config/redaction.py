"""Cuts secrets out of what is logged, whoever put them there: by how they look, and the installation's own by value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.signals import setting_changed
from django.dispatch import receiver

from config import env
from scrapers.transport.exchanges import HIDDEN, spellings

# API keys and webhook secrets of ours, keys of the card provider, credentials of a request, passwords in addresses.
# Before each stands what a text has that holds one: looking for that first takes a twentieth of the time
PATTERNS = (
    (
        ("osd_", "whsec_", "k_live_", "k_test_"),
        re.compile(r"\b(osd_(?:test_)?|whsec_|[rsp]k_(?:live|test)_)[A-Za-z0-9+/=_-]{6,}"),
    ),
    (("payment", "bearer", "basic"), re.compile(r"(?i)\b((?:payment|bearer|basic)\s+)[a-z0-9._~+/=-]{12,}")),
    (("://",), re.compile(r"([a-z][a-z0-9+.-]*://[^\s/:@\"']*:)[^\s/@\"']+(?=@)")),
    (
        ("sessionid", "csrftoken", "x-api-key", "passw"),
        re.compile(
            r"(?i)\b((?:sessionid|csrftoken|x-api-key|password|passwd)[\"']?\s*[=:]\s*)"
            r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;,\"'&]{6,})"
        ),
    ),
    (("workspace=",), re.compile(r"\b(workspace=)[A-Za-z0-9_:.-]{16,}")),  # a member's session
    # Django names the address of what it refuses, or what broke
    (("/app/sign-in/",), re.compile(r"(/app/sign-in/)[A-Za-z0-9_-]{20,}")),
)
SHORTEST = 6  # shorter values are words that stand everywhere
NAMES = tuple(name for name in vars(env) if re.search(r"_(KEY|SECRET|TOKEN|PREVIOUS|PASSPHRASE|DSN|FALLBACKS)$", name))


def redact(text: str) -> str:
    """The text without secrets: a message, a traceback."""
    for spelling in _list_spellings() if settings.configured else ():
        text = text.replace(spelling, HIDDEN)
    small = text.casefold()
    for words, pattern in PATTERNS:
        if any(word in small for word in words):
            text = pattern.sub(rf"\1{HIDDEN}", text)
    return text


@cache  # each text of each line is read so, and the settings stay as a process has found them
def _list_spellings() -> list[str]:
    return spellings(value for value in _list_values() if len(value) >= SHORTEST)


@receiver(setting_changed)
def _forget(**_: Any) -> None:
    _list_spellings.cache_clear()


def _list_values() -> Iterator[str]:
    for name in NAMES:
        value = getattr(settings, name, "")
        yield from value if isinstance(value, list) else [value]
    for database in (*settings.DATABASES.values(), settings.MIGRATION_DATABASE):
        yield str(database.get("PASSWORD") or "")
    yield unquote(urlsplit(settings.REDIS_URL).password or "")
    yield settings.EMAIL_HOST_PASSWORD or ""  # a mail server that asks for none
