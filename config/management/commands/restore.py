"""`manage.py restore /backups/2026-11-22.sos`: puts back what `manage.py backup` wrote, with the service stopped.

    manage.py restore ARCHIVE --check      read all of it, compare every hash, change nothing
    manage.py restore ARCHIVE              into an empty installation
    manage.py restore ARCHIVE --replace    in the place of what is there

Nothing is touched before every hash fits. Ends with 1 when the ledger that came back is not as it was written.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from billing.verification import Verification
from config.backup import Refused, archive, databases, files
from config.backup.manifest import Manifest

BY_HAND = """To be done by hand, before it is started:
  - the variables: those of before, {secrets}{evidence}
  - proxy, TLS, DNS and the addresses that the card provider and customers call, where the machine is another one
  - `manage.py erase_account` again for the accounts that were erased since the backup: their people are back
After it is started:
  - revoke the keys again that were revoked since the backup; close the accounts again that were closed
  - leave out again who and what was left out since (Admin -> Suppressions); switch the states off again that were
  - let the card provider send its messages since the backup again, then `manage.py reconcile`: what was paid and
    answered since then is missing here; the chain's transfers are compared from where the backup left off
  - `manage.py verify_ledger --anchors LOG` with the log that was kept elsewhere, up to the time of the backup
  - webhooks and mails that were due at the backup are sent, some for the second time, under the same webhook-id"""
EVIDENCE = "\n  - the evidence's files, into {place}: of bytes that are missing there it says that they are not kept"


class Command(BaseCommand):
    """Unpacks beside the data, checks, puts in place, migrates, verifies the ledger."""

    help = "Restore what `manage.py backup` wrote."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which archive, and how far to go."""
        parser.add_argument("archive", type=Path)
        parser.add_argument("--check", action="store_true", help="Only read it and compare every hash.")
        parser.add_argument("--replace", action="store_true", help="In the place of what is there.")

    def handle(self, *, archive: Path, check: bool, replace: bool, **options: Any) -> None:
        """Restore it."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is unpacked is removed, as for Ctrl-C
        try:
            self.restore(archive, check=check, replace=replace)
        except (Refused, OSError, DatabaseError) as problem:
            raise CommandError(" ".join(str(problem).split())) from problem

    def restore(self, path: Path, *, check: bool, replace: bool) -> None:
        """Unpack into a folder beside the data, so that putting it in place is a rename."""
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="restore-", dir=settings.VAR_DIR) as folder:
            unpacked = Path(folder)
            about = archive.unpack(path, into=unpacked, passphrase=settings.BACKUP_PASSPHRASE)
            self.stdout.write(about.describe())
            if check:
                self.stdout.write("Everything is in it as it was written.")
                return
            about.require_fit()
            is_aside = self.put_in_place(unpacked, about, replace=replace)
            call_command("migrate", interactive=False, verbosity=0)
            secrets = self.put_secrets(unpacked)
            self.verify()
            if is_aside:  # what an earlier restore has left there is somebody's to look at
                databases.forget_replaced()
        apart = any(what.startswith("evidence ") for what in about.left_out)
        evidence = EVIDENCE.format(place=settings.EVIDENCE_STORE or settings.VAR_DIR / "evidence") if apart else ""
        self.stdout.write(BY_HAND.format(secrets=secrets, evidence=evidence))

    def put_in_place(self, unpacked: Path, about: Manifest, *, replace: bool) -> bool:
        """The database first: it says whether there is room. Returns whether what was there is set aside."""
        names = [name for name in about.parts if name.startswith("files/")]
        targets = {unpacked / name: settings.VAR_DIR / name.removeprefix("files/") for name in names}
        if not replace and (there := next((str(target) for target in targets.values() if target.exists()), None)):
            raise Refused(f"{there} is there: name an empty VAR_DIR, or say --replace.")
        is_aside = databases.load(unpacked / "database", rows=about.rows, replace=replace)
        for source, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            source.chmod(0o600)
            source.replace(target)
        return is_aside

    def put_secrets(self, unpacked: Path) -> str:
        """Put back the secrets that are files; the others are the operator's to set. Returns what to do about them."""
        if not (unpacked / "secrets.json").exists():
            return "with their secrets, which are not in this backup"
        for source in (unpacked / "secrets").glob("*"):
            source.chmod(0o600)
            source.replace(settings.VAR_DIR / source.name)
        path = files.write_restored_secrets((unpacked / "secrets.json").read_bytes())
        return f"with the secrets in {path}; then remove that file"

    def verify(self) -> None:
        """Read the ledger that came back; what was replaced stays set aside when it is not as it was written."""
        verification = Verification()
        differences = list(verification.list_differences())
        for line in differences:
            self.stdout.write(line)
        if differences:
            raise CommandError(
                f"Restored, and the ledger is not as it was written: {len(differences)} differences, see above."
            )
        self.stdout.write(f"Restored. The ledger is as it was written: {verification.entries} entries, 0 differences.")
