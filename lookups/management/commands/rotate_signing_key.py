"""Make a new key for evidence: `manage.py rotate_signing_key --reason "…"`. Everybody may read the reason.

What was signed stays good; the key before vouches for the new one in the public list, and then ends in two minutes.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from lookups.evidence import signing
from lookups.models import SigningKey


class Command(BaseCommand):
    """Asks for the reason, and says which key signs from now on."""

    help = "Make a new key for signing evidence, vouched for by the one in use."

    def add_arguments(self, parser: CommandParser) -> None:
        """Why."""
        length = SigningKey._meta.get_field("reason").max_length
        parser.add_argument("--reason", required=True, help=f"Why, for everybody to read; at most {length} characters.")

    def handle(self, *, reason: str, **options: Any) -> None:
        """Rotate."""
        if not reason.strip():
            raise CommandError("Say why: everybody may read it.")
        longest = SigningKey._meta.get_field("reason").max_length or 0
        if len(reason) > longest:
            raise CommandError(f"The reason has {len(reason)} characters, and {longest} at most are kept.")
        if not reason.isprintable():  # also what the shell passed on that is no UTF-8
            raise CommandError("The reason has signs that cannot be read; write it in one line of UTF-8.")
        made = signing.rotate(reason=reason, now=timezone.now())
        self.stdout.write(f"Evidence is signed with the key {made.pk} (number {made.number}) within a minute.")
