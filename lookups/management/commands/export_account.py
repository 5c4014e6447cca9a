"""Writes everything that is kept about one account, for whoever asks for it."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from billing import audit
from billing.models import Account
from lookups.privacy import account_data


class Command(BaseCommand):
    """`manage.py export_account 7 --output acme.json`: one JSON object, a list of rows for each table."""

    help = "Write everything that is kept about an account as JSON; the file is for its owner alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("account", type=int, help="the account's number")
        parser.add_argument("--output", type=Path, required=True, help="a file that is not there yet")

    def handle(self, *, account: int, output: Path, **_: Any) -> None:
        """Find, write, record."""
        found = Account.objects.filter(pk=account).first()
        if found is None:
            raise CommandError(f"There is no account {account}.")
        try:
            descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as problem:
            raise CommandError(f"{output} cannot be written: {problem.strerror}.") from problem
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.writelines(account_data.write_json(found))
            audit.record(audit.Kind.DONE, now=timezone.now(), subject=f"account {found.pk}", detail="Exported.")
        except BaseException as problem:
            output.unlink(missing_ok=True)  # half of it would be handed on as all, and the next try would find it there
            if isinstance(problem, OSError):
                raise CommandError(f"{output} cannot be written: {problem.strerror}.") from problem
            raise
        for model, rows in account_data.list_rows(found):
            if number := rows.count():
                self.stdout.write(f"{model._meta.label_lower}: {number}")
