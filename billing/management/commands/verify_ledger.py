"""Find out whether anybody changed the books: `manage.py verify_ledger`.

    manage.py verify_ledger --account 17              one account
    manage.py verify_ledger --since 2026-11-01        what was written since (UTC)
    manage.py verify_ledger --anchors service.log     compare with a log that was kept elsewhere (-: standard input)

Only reads, while the service runs. Prints one line for each difference; ends with 0 when there is none, else with 1.
"""

from __future__ import annotations

import sys
from argparse import FileType
from datetime import datetime
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing import anchors
from billing.management.moments import parse_moment
from billing.models import Account
from billing.verification import Verification


class Command(BaseCommand):
    """Reads every chain, the accounts' heads and sums, the audit log, and the anchors."""

    help = "Find changes of the ledger, also those made by the database's owner with triggers off."

    def add_arguments(self, parser: CommandParser) -> None:
        """What to read, and the witness to compare with."""
        parser.add_argument("--account", type=int, help="The number of one account.")
        parser.add_argument("--since", type=parse_moment, help="A day or moment in UTC, as 2026-11-01T13:00.")
        parser.add_argument("--anchors", type=FileType("rb"), help="A log of the service, kept elsewhere.")

    def handle(self, *, account: int | None, since: datetime | None, anchors: BinaryIO | None, **options: Any) -> None:
        """Print the differences and a closing line."""
        if account is not None and not Account.objects.filter(pk=account).exists():
            raise CommandError(f"There is no account {account}.")
        verification = Verification(account_id=account, since=since)
        count = 0
        for line in verification.list_differences(_read(anchors) if anchors else ()):
            count += 1
            self.stdout.write(line)
        read = f"{verification.entries} entries, {verification.accounts} accounts, {verification.anchors} anchors"
        read += f" and {verification.events} audit events"
        self.stdout.write(f"{read} read, {count} differences.")
        if count:
            sys.exit(1)


def _read(log: BinaryIO) -> list[tuple[int, str]]:
    with log:  # of many programs, perhaps: what is no text in it is no anchor either
        found = anchors.read_log(line.decode(errors="replace") for line in log)
    if not found:
        raise CommandError(f"{log.name} tells of no anchor: nothing to compare with.")
    return found
