"""Starts web, workers and clock, shows how to use them, watches over them, and ends all of them whatever happens.

`manage.py up` becomes this (`become`) once the tables are ready: it watches for days, and the hundred megabytes of
Django that it needed until then would do nothing meanwhile.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from argparse import ArgumentParser
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from config import env, probe
from config.launch import commands, processes

START_SECONDS = 90.0
LOOK_SECONDS = 0.2
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def become(*, host: str, port: int, message: str, lock: int) -> NoReturn:
    """Replace this process. `message`: for the person, once the service answers; `lock`: a file that stays open.

    Whoever wants an end meanwhile is heard by the one that comes.
    """
    reading, writing = os.pipe()  # it has keys and a password: no argument, which everybody here could list
    os.write(writing, message.encode())
    os.close(writing)
    for kept in (reading, lock):
        os.set_inheritable(kept, True)
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    command = [sys.executable, "-m", "config.launch.watch", "--host", host, "--port", str(port)]
    os.chdir(env.BASE_DIR)
    os.execv(sys.executable, [*command, "--message", str(reading)])  # noqa: S606  (our own command line)


class Watch:
    """The processes of the service, from their start to their end."""

    def __init__(self, *, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.address = address_of(host, port)
        self.children: list[processes.Child] = []
        self.stop_signals = 0
        self.links, self.to_links = os.pipe()
        for end in (self.links, self.to_links):
            os.set_blocking(end, False)

    def note_signal(self, number: int, frame: FrameType | None) -> None:
        """Remember that somebody wants an end; a second signal ends at once what is still running."""
        self.stop_signals += 1

    def run(self, message: str) -> None:
        """Run until a signal comes or a process ends; SystemExit says why it ended by itself."""
        killed: list[str] = []
        try:
            self.start()
            if self.wait_for_health():
                _say(message)
            while not self.stop_signals:
                self.refuse_ended()
                self.print_links()
                time.sleep(LOOK_SECONDS)
        finally:
            if self.children:
                with suppress(OSError):  # nobody may be reading any more
                    _say("Stopping.")
                before = self.stop_signals
                killed = processes.stop(
                    self.children, grace_seconds=commands.stop_seconds() + 2, hurry=lambda: self.stop_signals > before
                )
        _say("Stopped." + (f" Had to be killed: {', '.join(killed)}." if killed else ""))

    def start(self) -> None:
        """Start them one by one, each noted as soon as it runs."""
        environment = env.inherited()
        environment.setdefault("PUBLIC_URL", self.address)
        for owners in ("MIGRATION_DATABASE_URL", "BACKUP_PASSPHRASE"):  # what runs needs neither
            environment.pop(owners, None)
            environment.pop(f"{owners}_FILE", None)
        if not env.PROMETHEUS_MULTIPROC_DIR:
            environment |= commands.count_together(env.VAR_DIR)
        logs = env.VAR_DIR / "log"
        for name, command in commands.list_all(host=self.host, port=self.port).items():
            handed = {"SIGN_IN_LINKS_FD": str(self.to_links)} if name == "web" else {}
            child = processes.start(
                name=name,
                command=command,
                folder=env.BASE_DIR,
                logs=logs,
                environment=environment | handed,
                files=tuple(map(int, handed.values())),
            )
            self.children.append(child)

    def wait_for_health(self) -> bool:
        """Return True once the service can serve and each of its processes lives; False when asked to stop before."""
        deadline = time.monotonic() + START_SECONDS
        while not self.stop_signals:
            self.refuse_ended()
            health = probe.ask(self.address, "/v1/health", host=probe.find_host())
            down = [one["name"] for one in health["components"] if one["status"] == "down"] if health else ["web"]
            if not down:
                return True
            if time.monotonic() > deadline:
                late = next(child for child in self.children if child.name == down[0])
                output = "\n".join(late.last_lines())
                sys.exit(f"The process {late.name} did not answer within {START_SECONDS:.0f} s. It said:\n{output}")
            time.sleep(LOOK_SECONDS)
        return False

    def print_links(self) -> None:
        """Show who wants to sign in where nobody mails it: here and in no log, for a link that works is a secret."""
        with suppress(BlockingIOError):
            _say(os.read(self.links, 1 << 16).decode(errors="replace").rstrip("\n"))

    def refuse_ended(self) -> None:
        """End with the last words of a process that has ended by itself."""
        if ended := processes.find_ended(self.children):
            output = "\n".join(ended.last_lines())
            code = ended.process.returncode
            sys.exit(f"The process {ended.name} ended (exit code {code}), so all are stopped. It said:\n{output}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def address_of(host: str, port: int) -> str:
    """Return the address at which a service that listens on `host` is reached from this machine."""
    if host in {"0.0.0.0", "", "::"}:  # noqa: S104  (compared, not listened on)
        host = "127.0.0.1" if host != "::" else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def main(arguments: list[str]) -> None:
    """What `become` has written down."""
    parser = ArgumentParser(prog="python -m config.launch.watch")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--message", type=int, required=True)
    chosen = parser.parse_args(arguments)
    watch = Watch(host=chosen.host, port=chosen.port)
    for number in STOPPING:
        signal.signal(number, watch.note_signal)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    with os.fdopen(chosen.message) as file:
        message = file.read()
    watch.run(message)


if __name__ == "__main__":
    main(sys.argv[1:])
