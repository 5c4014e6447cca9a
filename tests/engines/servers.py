"""Starts a throw-away PostgreSQL cluster and a Redis without memory of the past, and ends exactly these two.

Both listen on loopback only, on ports that were free, and keep what they have under one temporary folder.
PostgreSQL's programs refuse to run as root, so root lends them another user's identity.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engines.programs import Programs
from tests.ports import free_port

START_SECONDS = 120.0
USERS_FOR_ROOT = ("postgres", "nobody")


class NotStarted(Exception):
    """A server did not come up; the message carries what it said."""


@dataclass
class Server:
    """One of the two servers; it may be stopped and started again at its old port, with what it kept on disk."""

    command: list[str]
    port: int
    log: Path
    ready: Callable[[socket.socket], bool]
    identity: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it in a session of its own (Ctrl-C ends the tests first), and wait until it answers."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.log.parent,
                env=_plain(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self.identity,
            )
        deadline = time.monotonic() + START_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                    if self.ready(connection):
                        return
            except OSError:
                pass
            time.sleep(0.05)
        raise NotStarted(f"{self.log.stem} did not come up: {self.log.read_text(errors='replace')}")

    def signal_all(self, number: signal.Signals) -> None:
        """Tell it and every process it has started; PostgreSQL's lead groups of their own."""
        assert self.process is not None
        own = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in (self.process.pid, *map(int, own)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self, number: int = signal.SIGINT) -> None:
        """Ask for an end (SIGINT: both servers' fast shutdown), then insist."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass(frozen=True)
class Addresses:
    """Where the two servers are, in the form of the service's own variables, and the servers themselves."""

    database_url: str
    redis_url: str
    postgres: Server
    redis: Server


@contextmanager
def running(programs: Programs, *, keeps_commits: bool = False, cluster: Path | None = None) -> Iterator[Addresses]:
    """Run both servers for as long as the block lasts.

    `cluster`: a folder of PostgreSQL's to begin with a copy of.
    `keeps_commits`: PostgreSQL may be crashed without losing what it had committed, at the price of some speed.
    """
    identity = _identity()
    folder = Path(tempfile.mkdtemp(prefix="sos-lookup-engines-", dir=_place_for(identity)))
    servers: list[Server] = []
    try:
        if identity:
            shutil.chown(folder, identity["user"], identity["group"])
        servers.append(_postgres(programs, folder, identity, keeps_commits=keeps_commits, cluster=cluster))
        servers.append(_redis(programs, folder, identity))
        for server in servers:
            server.start()
        postgres, redis = servers
        yield Addresses(
            f"postgres://sos@127.0.0.1:{postgres.port}/postgres", f"redis://127.0.0.1:{redis.port}/0", postgres, redis
        )
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def copy_cluster(folder: Path, to: Path) -> None:
    """The folder of a PostgreSQL that does not run, with the owner and the rights of each file."""
    subprocess.run(["cp", "-a", folder, to], check=True)


def _identity() -> dict[str, Any]:
    """Return the `subprocess` arguments that make root somebody else; nothing when not root."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    name = next(name for name in USERS_FOR_ROOT if name in known)
    return {"user": known[name].pw_uid, "group": known[name].pw_gid, "extra_groups": []}


def _place_for(identity: dict[str, Any]) -> str:
    """Return the temporary folder, or /tmp when the other user cannot get into it."""
    place = tempfile.gettempdir()
    reached = subprocess.run(["test", "-x", place], cwd="/", **identity).returncode == 0
    return place if reached else "/tmp"


def _make_cluster(programs: Programs, data: Path, identity: dict[str, Any]) -> None:
    command = [programs.initdb, "--pgdata", data, "--username", "sos", "--auth", "trust", "--encoding", "UTF8"]
    made = subprocess.run(
        [*command, "--no-locale", "--no-sync"],
        cwd=data.parent,
        env=_plain(),
        capture_output=True,
        text=True,
        **identity,
    )
    if made.returncode != 0:
        raise NotStarted(f"PostgreSQL's cluster could not be made: {made.stderr}")


def _postgres(
    programs: Programs, folder: Path, identity: dict[str, Any], *, keeps_commits: bool, cluster: Path | None
) -> Server:
    data = folder / "postgres"
    if cluster:
        copy_cluster(cluster, data)
    else:
        _make_cluster(programs, data, identity)
    port = free_port()
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": folder,
        "max_connections": 400,
        "fsync": "off",
        "synchronous_commit": "on" if keeps_commits else "off",
        "full_page_writes": "off",
        "timezone": "UTC",
        "track_activity_query_size": 16384,  # whole statements, for who waits for what
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    line = [str(part) for part in (programs.postgres, "-D", data, *options)]
    return Server(line, port, folder / "postgres.log", _postgres_ready, identity)


def _redis(programs: Programs, folder: Path, identity: dict[str, Any]) -> Server:
    port = free_port()
    command = [programs.redis, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    line = [str(part) for part in (*command, "--dir", folder)]
    return Server(line, port, folder / "redis.log", _redis_ready, identity)


def _postgres_ready(connection: socket.socket) -> bool:
    """Ask with a start-up packet; a cluster that still recovers refuses with an error, a ready one asks who we are."""
    body = b"\x00\x03\x00\x00user\x00sos\x00database\x00postgres\x00\x00"
    connection.sendall((len(body) + 4).to_bytes(4, "big") + body)
    return connection.recv(1) == b"R"


def _redis_ready(connection: socket.socket) -> bool:
    connection.sendall(b"PING\r\n")
    return connection.recv(7) == b"+PONG\r\n"


def _plain() -> dict[str, str]:
    """Return an environment without PG* variables or a locale that this machine may not have."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
