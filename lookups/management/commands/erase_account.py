"""Erases who a customer is and what they asked; the books stay."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from billing.models import Account
from lookups.privacy import erasure


class Command(BaseCommand):
    """`manage.py erase_account 7 --confirm "Acme"`: not to be undone, so the account's name is asked for as well."""

    help = "Erase an account's personal data; entries of the ledger stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("account", type=int, help="the account's number")
        parser.add_argument("--confirm", required=True, metavar="NAME", help="its name, exactly: this cannot be undone")
        parser.add_argument("--give-up-credit", action="store_true", help="the customer gives up what is left")

    def handle(self, *, account: int, confirm: str, give_up_credit: bool, **_: Any) -> None:
        """Find, compare, erase."""
        found = Account.objects.filter(pk=account).first()
        if found is None or found.name != confirm:
            raise CommandError(f"There is no account {account} of this name.")
        try:
            changed = erasure.erase(account=found, give_up_credit=give_up_credit, now=timezone.now())
        except erasure.NotErasable as problem:
            raise CommandError(str(problem)) from problem
        for what, number in changed.items():
            self.stdout.write(f"{what}: {number}")
