"""Closes a month of the books, and writes its journal: for accountants, and for a clock of the operator's own."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from datetime import date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from billing import money
from billing.accounting import closing


class Command(BaseCommand):
    """`manage.py close_month [YYYY-MM] [--journal]`: the month before this one where none is named."""

    help = "Close a month of the books; with --journal print its entries as CSV."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("month", nargs="?", help="YYYY-MM; the last one that has ended where none is named")
        parser.add_argument("--journal", action="store_true", help="print the month's journal as CSV, closed or not")

    def handle(self, *, month: str | None, journal: bool, **_: Any) -> None:
        now = timezone.now()
        try:
            wanted = date.fromisoformat(f"{month}-01") if month else now.date().replace(day=1) - timedelta(days=1)
            closing.bounds(wanted)
        except (ValueError, OverflowError) as error:  # after the last month that there can be
            raise CommandError("Name a month as YYYY-MM.") from error
        if journal:
            for line in closing.write_journal(wanted):
                self.stdout.write(line, ending="")
            return
        try:
            closed = closing.close(wanted, operator="manage.py", now=now)
        except closing.NotYet as early:
            raise CommandError(str(early)) from early
        self.stdout.write(f"{closed}: {closed.entries} entries, closed {closed.closed_at:%Y-%m-%d %H:%M} UTC")
        for account, (debit, credit) in closed.totals.items():
            sides = (money.to_decimal_string(debit), money.to_decimal_string(credit))
            self.stdout.write(f"  {account:<20} debit {sides[0]:>16}  credit {sides[1]:>16}")
        if closed in closing.list_changed():
            self.stdout.write("The month has changed since it was closed.")
            sys.exit(1)
