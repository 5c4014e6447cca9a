"""What the service keeps in VAR_DIR beside the database, and its secrets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import connection

from config import env, redaction
from config.backup import Refused

SECRET_FILES = ("secret_key", "first_accounts.json")
REMADE = {  # what is left out of VAR_DIR, by its first name, and why
    "log": "ship logs elsewhere; the ledger's anchors in them are worth most where the backup is not",
    "static": "collected again from the product",
    "broker": "a message only wakes a worker; the database has the work",
    "pace": "how the registries were asked in the last minutes",
    "bulk_data": "published files on their way into the database, which has the copies made of them",
    "beat": "when the clock did what last",
    "metrics": "counted anew after each start",
    "backups": "earlier backups",
    "up.lock": "held by the service that runs here",
}
LEFT_OUT = {
    "settings": "variables and .env that are no secrets: keep them with what deploys the service",
    "Redis": "may be lost at any time",
    "proxy, TLS, DNS, mail": "not part of the service",
    "what VAR_DIR has that is made again": ", ".join(sorted(REMADE)),
}
NO_SECRETS = {"secrets": "say --with-secrets, with BACKUP_PASSPHRASE, to have them in an encrypted archive"}
ADDRESSES = ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL", "EMAIL_URL")  # with passwords in them
RESTORED_SECRETS = "restored_secrets.env"


def list_left_out() -> dict[str, str]:
    """What is in no archive, and why."""
    if settings.EVIDENCE_STORE == "database":
        return LEFT_OUT
    why = (
        "what registries sent, up to EVIDENCE_MOST_BYTES of files that never change: copy what is new after each backup"
    )
    return LEFT_OUT | {f"evidence ({settings.EVIDENCE_STORE or settings.VAR_DIR / 'evidence'})": why}


def list_kept() -> Iterator[tuple[str, Path]]:
    """Every file of VAR_DIR that cannot be made again, with its name there; what nobody knows is kept.

    Evidence is apart: there is too much of it to be copied as a whole each time.
    """
    folder: Path = settings.VAR_DIR
    apart, evidence = ["beat", "restore-"], Path(settings.EVIDENCE_STORE or folder / "evidence")
    if connection.vendor == "sqlite":  # elsewhere it is the name of no file
        apart.append(Path(str(connection.settings_dict["NAME"])).name)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        first = name.parts[0]
        ours = first in SECRET_FILES or first == RESTORED_SECRETS or first.startswith(tuple(apart))
        ours = ours or evidence in path.parents
        if first not in REMADE and not ours and path.is_file() and not path.is_symlink():
            yield name.as_posix(), path


def require_elsewhere(archive: Path) -> None:
    """Raise Refused when the archive would become a part of itself."""
    folder, place = settings.VAR_DIR.resolve(), archive.resolve()
    if folder in place.parents and place.relative_to(folder).parts[0] not in REMADE:
        raise Refused(f"{archive} is among the files that are kept: name one outside of VAR_DIR, or in its backups/.")


def list_secret_files() -> list[Path]:
    """The files that hold secrets."""
    return [path for name in SECRET_FILES if (path := settings.VAR_DIR / name).is_file()]


def secrets_as_json() -> bytes:
    """The secrets among the variables, as they are set. The path of a SQLite file is none: a restore has another."""
    names = [name for name in redaction.NAMES if name != "BACKUP_PASSPHRASE"]
    addresses = {name: url for name in ADDRESSES if not (url := getattr(env, name)).startswith("sqlite:")}
    found = {name: getattr(settings, name, "") for name in names} | addresses
    given = {name: ",".join(value) if isinstance(value, list) else value for name, value in found.items() if value}
    return json.dumps(given, indent=1).encode()


def write_restored_secrets(data: bytes) -> Path:
    """Put the secrets of a backup where the operator finds them, for their owner alone: a `.env`, or for a shell."""
    path: Path = settings.VAR_DIR / RESTORED_SECRETS
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        for name, value in json.loads(data).items():
            if not value.startswith("sqlite:"):  # archives of 1.3.0 name the file that was backed up
                file.write(f"{name}={_quoted(value)}\n")
    return path


def _quoted(value: str) -> str:
    """As shells and django-environ read it alike; without quotes where none are needed: some take them literally."""
    if re.fullmatch(r"[\w.,:/@%+=-]*", value, re.ASCII):
        return value
    return '"' + re.sub(r'([\\"$`])', r"\\\1", value) + '"'
