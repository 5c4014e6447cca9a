"""Gives a new installation somebody to log in as and two keys to try, and remembers them for the next start.

The database keeps only hashes of passwords and keys. For the person who tries the service on their own machine,
they stand once more in `first_accounts.json` in the var folder, readable by its owner alone. Whoever runs the
service for others starts it without them (`manage.py up --no-first-accounts`, or the compose file).
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path

from django.contrib.auth import get_user_model
from django.db import transaction

from billing import accounts, keys

FILE = "first_accounts.json"
HERE = ip_address("127.0.0.1")  # where the keys are tried from
USERNAME = "admin"


@dataclass(frozen=True)
class FirstAccounts:
    """The secrets of a new installation. `password` is None once the person has chosen one of their own."""

    username: str
    password: str | None
    test_key: str
    live_key: str


def prepare(*, folder: Path, now: datetime) -> FirstAccounts:
    """Return the login and the keys of this installation; make what is missing or no longer works."""
    kept = _read(folder / FILE)
    with transaction.atomic():  # whoever is killed before the file is there leaves no password that nobody knows
        test_key, live_key = _working_keys(kept, now=now)
        first = FirstAccounts(USERNAME, _working_password(kept.get("password")), test_key, live_key)
        _write(folder / FILE, first)
    return first


def _read(path: Path) -> dict[str, str]:
    try:
        kept = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return {name: value for name, value in kept.items() if isinstance(value, str)} if isinstance(kept, dict) else {}


def _write(path: Path, first: FirstAccounts) -> None:
    """Replace the file as a whole; it is never readable by others, not even for a moment."""
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(first), file, indent=1)
    part.replace(path)


def _working_password(kept: str | None) -> str | None:
    """Return the password of the first staff user, whom this creates when there is none; None when it was changed."""
    users = get_user_model()
    user = users.objects.filter(username=USERNAME).first()
    if user is None:
        password = kept or secrets.token_urlsafe(12)
        users.objects.create_superuser(username=USERNAME, email="", password=password)
        return password
    return kept if kept and user.check_password(kept) else None


def _working_keys(kept: dict[str, str], *, now: datetime) -> tuple[str, str]:
    """Return a test key and a live key; both belong to one account, opened with its free lookups when missing."""
    account, found = None, {}
    for mode in ("test", "live"):
        try:
            key = keys.verify(secret=kept.get(f"{mode}_key", ""), now=now, address=HERE)
        except keys.InvalidKey:
            continue
        account, found[mode] = key.account, kept[f"{mode}_key"]
    account = account or accounts.open_account(name="First account", now=now)
    for mode in ("test", "live"):
        if mode not in found:
            found[mode] = keys.issue(account=account, name=f"First {mode} key", mode=mode, now=now)[1]
    return found["test"], found["live"]
