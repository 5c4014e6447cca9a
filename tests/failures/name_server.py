"""A name server of a story's own, which a process asks within a mount namespace: it is silent, away, or answers."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ADDRESS = "127.0.0.53", 53  # a name server is asked at port 53
PRIVATE = ("unshare", "--mount", "--propagation", "private")


@dataclass(frozen=True)
class NameServer:
    """`inside`: the command within which a process asks it. Once `answers` is set, each name is this machine's."""

    inside: list[str]
    answers: threading.Event = field(default_factory=threading.Event)

    def serve(self, server: socket.socket) -> None:
        """Answer from the event on, until the socket is shut; what was asked before gets nothing."""
        while True:
            query, asker = server.recvfrom(4096)
            if not query:
                return
            if self.answers.is_set():
                server.sendto(_reply(query), asker)


@contextmanager
def running(folder: Path) -> Iterator[NameServer]:
    """Have one that says nothing as yet; after the block nobody is at its address."""
    if os.geteuid() != 0 or subprocess.run([*PRIVATE, "true"], capture_output=True).returncode:
        pytest.skip("a process gets a name server of its own in a mount namespace, which root alone may make")
    written = folder / "resolv.conf"
    written.write_text(f"nameserver {ADDRESS[0]}\noptions timeout:30 attempts:2\n")
    names = NameServer([*PRIVATE, "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', str(written)])
    with socket.socket(type=socket.SOCK_DGRAM) as server:
        try:
            server.bind(ADDRESS)
        except OSError as taken:
            pytest.skip(f"{ADDRESS[0]}:{ADDRESS[1]} cannot be had: {taken}")
        thread = threading.Thread(target=names.serve, args=(server,), daemon=True)
        thread.start()
        try:
            yield names
        finally:
            with socket.socket(type=socket.SOCK_DGRAM) as last:
                last.sendto(b"", ADDRESS)
            thread.join()


def _reply(query: bytes) -> bytes:
    """127.0.0.1 when an address of version 4 is asked for, else none; RFC 1035, 4.1."""
    end = query.index(b"\0", 12) + 5
    is_v4 = query[end - 4 : end - 2] == b"\0\1"
    address = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" if is_v4 else b""
    return query[:2] + b"\x81\x80" + b"\0\1" + bytes([0, is_v4]) + b"\0\0\0\0" + query[12:end] + address
