"""Finds out before anything is started what would stop it, and says so in one line.

A taken port or a read-only folder shows up otherwise as a traceback from the depth of a server, a queue or a
database driver, long after the person has looked away.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

SECONDS = 2.0  # that Redis is given to answer


class NotReady(CommandError):
    """The service cannot start here; the message is one line for the person who started it."""


def require_writable(folder: Path) -> None:
    """Create `folder` when missing and prove by doing that files can be written there.

    It is closed to strangers: the database in it holds password hashes and sessions. A folder of another user, and one
    that is everybody's (/tmp), are left as they are.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        now = folder.stat()
        if now.st_uid == os.geteuid() and not now.st_mode & stat.S_ISVTX:
            folder.chmod(stat.S_IMODE(now.st_mode) & ~0o007)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise NotReady(
            f"The folder {folder} cannot be written ({reason}): make it writable, or name another one with VAR_DIR."
        ) from problem


@contextmanager
def occupied(folder: Path) -> Iterator[int]:
    """Hold the folder: of two services in one, each would have a clock and write over the other's logs.

    The lock is an open file, which this yields: it goes with the process, however that ends.
    """
    with (folder / "up.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise NotReady(
                f"The service runs already, with the folder {folder}: stop it, or name another folder with VAR_DIR."
            ) from problem
        yield lock.fileno()


def find_silence(redis_url: str) -> str:
    """What everything will wait for, in one line, where Redis does not answer; "" where it does, or none is used."""
    if not redis_url:
        return ""
    import redis  # here: without Redis its client is 6 MB for nothing

    try:
        with redis.Redis.from_url(redis_url, socket_connect_timeout=SECONDS, socket_timeout=SECONDS) as client:
            client.ping()
    except redis.RedisError as problem:
        return f"Waiting for Redis at REDIS_URL, which the workers and the clock need: {problem}"
    return ""


def require_free_port(*, host: str, port: int) -> None:
    """Prove by listening for a moment that nobody else listens on `host`:`port`."""
    if not 0 < port < 65536:
        raise NotReady(f"The port must be from 1 to 65535, not {port}.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as problem:
        raise NotReady(f"The address {host} port {port} cannot be used: {problem}") from problem
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as problem:
            if problem.errno == errno.EADDRINUSE:
                text = f"Port {port} on {host} is taken: stop what uses it, or choose another one with PORT={port + 1}."
            else:
                text = f"The address {host} port {port} cannot be used: {problem.strerror}"
            raise NotReady(text) from problem
