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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engines.programs import Programs

START_SECONDS = 30.0
USERS_FOR_ROOT = ("postgres", "nobody")


class NotStarted(Exception):
    """A server did not come up; the message carries what it said."""


@dataclass(frozen=True)
class Addresses:
    """Where the two servers are, in the form of the service's own variables."""

    database_url: str
    redis_url: str


@contextmanager
def running(programs: Programs) -> Iterator[Addresses]:
    """Run both servers for as long as the block lasts."""
    identity = _identity()
    folder = Path(tempfile.mkdtemp(prefix="sos-lookup-engines-", dir=_place_for(identity)))
    started: list[subprocess.Popen[bytes]] = []
    try:
        if identity:
            shutil.chown(folder, identity["user"], identity["group"])
        database_url = _start_postgres(programs, folder, identity, started)
        redis_url = _start_redis(programs, folder, identity, started)
        yield Addresses(database_url, redis_url)
    finally:
        for process in started:
            _end(process)
        shutil.rmtree(folder, ignore_errors=True)


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


def _start_postgres(
    programs: Programs, folder: Path, identity: dict[str, Any], started: list[subprocess.Popen[bytes]]
) -> str:
    data = folder / "postgres"
    command = [programs.initdb, "--pgdata", data, "--username", "sos", "--auth", "trust", "--encoding", "UTF8"]
    made = subprocess.run(
        [*command, "--no-locale", "--no-sync"], cwd=folder, env=_plain(), capture_output=True, text=True, **identity
    )
    if made.returncode != 0:
        raise NotStarted(f"PostgreSQL's cluster could not be made: {made.stderr}")
    port = _free_port()
    settings = {
        "listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": folder, "max_connections": 200,
        "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "timezone": "UTC",
    }  # fmt: skip
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    _start([programs.postgres, "-D", data, *options], folder / "postgres.log", identity, started)
    _wait_for(port, started[-1], folder / "postgres.log", ready=_postgres_ready)
    return f"postgres://sos@127.0.0.1:{port}/postgres"


def _start_redis(
    programs: Programs, folder: Path, identity: dict[str, Any], started: list[subprocess.Popen[bytes]]
) -> str:
    port = _free_port()
    command = [programs.redis, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    _start([*command, "--dir", folder], folder / "redis.log", identity, started)
    _wait_for(port, started[-1], folder / "redis.log", ready=_redis_ready)
    return f"redis://127.0.0.1:{port}/0"


def _start(command: list[Any], log: Path, identity: dict[str, Any], started: list[subprocess.Popen[bytes]]) -> None:
    """Start a server in a session of its own, so that Ctrl-C ends the tests first and the servers after them."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command], cwd=log.parent, env=_plain(), stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **identity,
        )  # fmt: skip
    started.append(process)


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path, *, ready: Any) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                if ready(connection):
                    return
        except OSError:
            pass
        time.sleep(0.05)
    raise NotStarted(f"{log.stem} did not come up: {log.read_text(errors='replace')}")


def _postgres_ready(connection: socket.socket) -> bool:
    """Ask with a start-up packet; a cluster that still recovers refuses with an error, a ready one asks who we are."""
    body = b"\x00\x03\x00\x00user\x00sos\x00database\x00postgres\x00\x00"
    connection.sendall((len(body) + 4).to_bytes(4, "big") + body)
    return connection.recv(1) == b"R"


def _redis_ready(connection: socket.socket) -> bool:
    connection.sendall(b"PING\r\n")
    return connection.recv(7) == b"+PONG\r\n"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask for a fast shutdown (both servers read SIGINT so), then insist."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _plain() -> dict[str, str]:
    """Return an environment without PG* variables or a locale that this machine may not have."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
