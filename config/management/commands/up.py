"""`manage.py up`: the whole service with one command, on this machine, stopped by Ctrl-C.

SQLite and a folder as queue unless DATABASE_URL and REDIS_URL say otherwise.
"""

from __future__ import annotations

import signal
import time
from argparse import ArgumentParser
from contextlib import suppress
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.utils import timezone

from config import env, probe
from config.launch import commands, first_accounts, preflight, processes, sign_in_links, startup_message
from scrapers import sandbox

START_SECONDS = 90.0
LINKS_SECONDS = 1.0


class Command(BaseCommand):
    """Checks what has to be there, prepares the database, starts web, worker and clock, and watches over them."""

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
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.note_signal)
        preflight.require_writable(settings.VAR_DIR)
        with preflight.occupied(settings.VAR_DIR):
            preflight.require_free_port(host=host, port=port)
            self.prepare_database()
            first = None if no_first_accounts else first_accounts.prepare(folder=settings.VAR_DIR, now=timezone.now())
            connection.close()
            if not self.stop_signals:
                self.run(host=host, port=port, first=first)

    def note_signal(self, number: int, frame: FrameType | None) -> None:
        """Remember that somebody wants an end; a second signal ends at once what is still running."""
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

    def run(self, *, host: str, port: int, first: first_accounts.FirstAccounts | None) -> None:
        """Start the processes, show how to use them, and end all of them whatever happens."""
        address = f"http://{_reachable(host)}:{port}"
        children: list[processes.Child] = []
        killed: list[str] = []
        try:
            self.start(children, host=host, port=port, address=address)
            if self.wait_for_health(children, address):
                self.stdout.write(self.startup_message(address, first))
                self.stdout.flush()
            self.watch(children, env.inherited().get("PUBLIC_URL") or address)
        finally:
            if children:
                with suppress(OSError):  # nobody may be reading any more
                    self.stdout.write("Stopping.")
                before = self.stop_signals
                killed = processes.stop(
                    children, grace_seconds=commands.stop_seconds() + 2, hurry=lambda: self.stop_signals > before
                )
        self.stdout.write("Stopped." + (f" Had to be killed: {', '.join(killed)}." if killed else ""))

    def start(self, children: list[processes.Child], *, host: str, port: int, address: str) -> None:
        """Start web, the workers and beat one by one, each noted in `children` as soon as it runs."""
        environment = env.inherited()
        environment.setdefault("PUBLIC_URL", address)
        for owners in ("MIGRATION_DATABASE_URL", "BACKUP_PASSPHRASE"):  # what runs needs neither
            environment.pop(owners, None)
            environment.pop(f"{owners}_FILE", None)
        if not env.PROMETHEUS_MULTIPROC_DIR:
            environment |= commands.count_together(settings.VAR_DIR)
        production = connection.vendor != "sqlite" and bool(settings.REDIS_URL)
        lines = {
            "web": commands.web(host=host, port=port, production=production),
            "worker": commands.worker("worker"),
            "bulk": commands.worker("bulk"),
            "beat": commands.beat(folder=settings.VAR_DIR),
        }
        logs = settings.VAR_DIR / "log"
        for name, command in lines.items():
            child = processes.start(name=name, command=command, folder=env.BASE_DIR, logs=logs, environment=environment)
            children.append(child)

    def wait_for_health(self, children: list[processes.Child], address: str) -> bool:
        """Return True once the service can serve and each of its processes lives; False when asked to stop before."""
        deadline = time.monotonic() + START_SECONDS
        while not self.stop_signals:
            self.refuse_ended(children)
            health = probe.ask(address, "/v1/health", host=probe.find_host())
            down = [one["name"] for one in health["components"] if one["status"] == "down"] if health else ["web"]
            if not down:
                return True
            if time.monotonic() > deadline:
                late = next(child for child in children if child.name == down[0])
                output = "\n".join(late.last_lines())
                raise CommandError(
                    f"The process {late.name} did not answer within {START_SECONDS:.0f} s. It said:\n{output}"
                )
            time.sleep(0.2)
        return False

    def watch(self, children: list[processes.Child], address: str) -> None:
        """Return when asked to stop; raise when a process ends by itself. Print who wants to sign in meanwhile."""
        new, looked_at = sign_in_links.NewLinks(), 0.0
        while not self.stop_signals:
            self.refuse_ended(children)
            if settings.PRINT_SIGN_IN_LINKS and time.monotonic() - looked_at >= LINKS_SECONDS:
                looked_at = time.monotonic()
                for line in new.list_lines(address):
                    self.stdout.write(line)
                    self.stdout.flush()
            time.sleep(0.2)

    def refuse_ended(self, children: list[processes.Child]) -> None:
        """Raise with the last words of a process that has ended by itself."""
        if ended := processes.find_ended(children):
            output = "\n".join(ended.last_lines())
            code = ended.process.returncode
            raise CommandError(
                f"The process {ended.name} ended (exit code {code}), so all are stopped. It said:\n{output}"
            )

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


def _reachable(host: str) -> str:
    """Return the name under which a service that listens on `host` is reached from this machine."""
    if host in {"0.0.0.0", "", "::"}:  # noqa: S104  (compared, not listened on)
        return "127.0.0.1" if host != "::" else "[::1]"
    return f"[{host}]" if ":" in host else host
