"""Cuts secrets out of what is logged, whoever put them there: by how they look, and the installation's own by value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from django.conf import settings

from config import env
from scrapers.transport.exchanges import HIDDEN, hide

# API keys and webhook secrets of ours, keys of the card provider, credentials of a request, passwords in addresses
PATTERNS = (
    re.compile(r"\b(osd_(?:test_)?|whsec_|[rsp]k_(?:live|test)_)[A-Za-z0-9+/=_-]{6,}"),
    re.compile(r"(?i)\b((?:payment|bearer|basic)\s+)[a-z0-9._~+/=-]{12,}"),
    re.compile(r"([a-z][a-z0-9+.-]*://[^\s/:@\"']*:)[^\s/@\"']+(?=@)"),
    re.compile(
        r"(?i)\b((?:sessionid|csrftoken|x-api-key|password|passwd)[\"']?\s*[=:]\s*)"
        r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;,\"'&]{6,})"
    ),
    re.compile(r"(/app/sign-in/)[A-Za-z0-9_-]{20,}"),  # Django names the address of what it refuses, or what broke
)
SHORTEST = 6  # shorter values are words that stand everywhere
NAMES = tuple(name for name in vars(env) if re.search(r"_(KEY|SECRET|TOKEN|PREVIOUS|PASSPHRASE|DSN|FALLBACKS)$", name))


def redact(text: str) -> str:
    """The text without secrets: a message, a traceback."""
    text = hide(text, list_secrets())
    for pattern in PATTERNS:
        text = pattern.sub(rf"\1{HIDDEN}", text)
    return text


def list_secrets() -> list[str]:
    """The secrets of this installation as they are set; none before the settings are read."""
    return [value for value in _list_values() if len(value) >= SHORTEST] if settings.configured else []


def _list_values() -> Iterator[str]:
    for name in NAMES:
        value = getattr(settings, name, "")
        yield from value if isinstance(value, list) else [value]
    for database in (*settings.DATABASES.values(), settings.MIGRATION_DATABASE):
        yield str(database.get("PASSWORD") or "")
    yield unquote(urlsplit(settings.REDIS_URL).password or "")
    yield settings.EMAIL_HOST_PASSWORD or ""  # a mail server that asks for none
