"""`manage.py backup /backups/2026-11-22.sos`: what the service cannot be made again from, in one file, while it runs.

Encrypted when BACKUP_PASSPHRASE (or BACKUP_PASSPHRASE_FILE) is set. It needs room for two copies of the database where
the archive goes: one is there, unencrypted and for its owner alone, until the command ends.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from config.backup import Refused, archive, databases, files, manifest
from config.backup.manifest import Manifest


class Command(BaseCommand):
    """Writes the archive and says what is in it, and what is not."""

    help = "Write database and kept files into one archive, under load. Never overwrites."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to, and whether the secrets go along."""
        parser.add_argument("archive", type=Path)
        parser.add_argument("--with-secrets", action="store_true", help="Only into an encrypted archive.")

    def handle(self, *, archive: Path, with_secrets: bool, **options: Any) -> None:
        """Write it."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is half written is removed, as for Ctrl-C
        passphrase = settings.BACKUP_PASSPHRASE
        if with_secrets and not passphrase:
            raise CommandError("Secrets go into an encrypted archive only: set BACKUP_PASSPHRASE_FILE.")
        try:
            about = write(archive, passphrase=passphrase, with_secrets=with_secrets)
        except (Refused, OSError, DatabaseError) as problem:
            raise CommandError(" ".join(str(problem).split())) from problem
        self.stdout.write(about.describe())
        self.stdout.write(f"{archive} is written, {'encrypted' if passphrase else 'NOT encrypted'}.")


def write(path: Path, *, passphrase: str, with_secrets: bool) -> Manifest:
    """Write an archive; returns what it says of itself."""
    now = timezone.now()
    if not path.name:
        raise Refused(f"{path} is a folder: name a file in it.")
    files.require_elsewhere(path)
    with (
        archive.writing(path, passphrase=passphrase) as writer,
        tempfile.TemporaryDirectory(prefix=".backup-", dir=path.parent) as folder,  # its owner alone gets into it
    ):
        snapshot = databases.dump(Path(folder) / "database")
        writer.add("database", Path(folder) / "database")
        for name, file in files.list_kept():
            writer.add(f"files/{name}", file)
        if with_secrets:
            writer.add_bytes("secrets.json", files.secrets_as_json())
            for file in files.list_secret_files():
                writer.add(f"secrets/{file.name}", file)
        left_out = files.list_left_out() | ({} if with_secrets else files.NO_SECRETS)
        about = manifest.make(snapshot, parts=dict(writer.parts), left_out=left_out, now=now)
        writer.add_bytes(archive.MANIFEST, about.to_json())
    return about
