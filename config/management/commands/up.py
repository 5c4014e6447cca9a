"""`manage.py up`: the whole service with one command, on this machine, stopped by Ctrl-C.

SQLite and a folder as queue unless DATABASE_URL and REDIS_URL say otherwise.
"""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.utils import timezone

from config.launch import first_accounts, preflight, startup_message, watch
from scrapers import sandbox


class Command(BaseCommand):
    """Checks what has to be there, prepares the database, and becomes what starts and watches web, worker and clock."""

    help = "Start the whole service here: web, worker and clock. Ctrl-C stops it."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stop_signals = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--no-first-accounts", action="store_true", help="Create no staff user and no keys to try the service with."
        )

    def handle(self, *, host: str, port: int, no_first_accounts: bool, **options: Any) -> None:
        """Run until a signal comes or a process ends."""
        for number in watch.STOPPING:
            signal.signal(number, self.note_signal)
        preflight.require_writable(settings.VAR_DIR)
        with preflight.occupied(settings.VAR_DIR) as lock:
            preflight.require_free_port(host=host, port=port)
            if silence := preflight.find_silence(settings.REDIS_URL):
                self.stdout.write(silence)
            self.prepare_database()
            first = None if no_first_accounts else first_accounts.prepare(folder=settings.VAR_DIR, now=timezone.now())
            connection.close()
            if not self.stop_signals:
                message = self.startup_message(watch.address_of(host, port), first)
                watch.become(host=host, port=port, message=message, lock=lock)

    def note_signal(self, number: int, frame: FrameType | None) -> None:
        """Remember that somebody wants an end: nothing is started then."""
        self.stop_signals += 1

    def prepare_database(self) -> None:
        """Bring the tables and the list of jurisdictions up to date."""
        try:
            call_command("migrate", interactive=False, verbosity=0)
        except OperationalError as problem:
            reason = str(problem).strip().splitlines()[0]
            raise CommandError(f"The database at DATABASE_URL cannot be used: {reason}") from problem
        call_command("sync_jurisdictions", verbosity=0)
        settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # else the static file server complains

    def startup_message(self, address: str, first: first_accounts.FirstAccounts | None) -> str:
        """Return what the person reads."""
        return startup_message.text(
            prints_links=settings.PRINT_SIGN_IN_LINKS,
            address=address,
            first=first,
            sandbox_question=sandbox.DEMO_QUESTION,
            free_lookups=settings.FREE_LOOKUPS,
            logs=settings.VAR_DIR / "log",
        )
