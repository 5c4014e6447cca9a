"""A server's connection that is cut at one command: before the server has it, or once it is done and before its reply.

For clients that wait for a reply before they ask again, and whose commands are short enough to come in one piece.
"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class Cutter:
    """Stands before a Redis. `cut` names a command by words of it; `cuts` is how often that was done."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname or "127.0.0.1", parts.port or 6379)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = parts._replace(netloc=f"127.0.0.1:{self._listener.getsockname()[1]}").geturl()
        self.cuts = 0
        self._next: tuple[bytes, bool] | None = None

    def cut(self, words: bytes, *, done: bool) -> None:
        """Cut the connection at the next command with these words. `done`: only its reply is lost."""
        self._next = (words, done)

    def accept(self) -> None:
        """Pass on, until the listener is closed."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with suppress(OSError), client, socket.create_connection(self._server) as server:
            while True:
                heard, _, _ = select.select([client, server], [], [])
                if server in heard:
                    reply = server.recv(65536)
                    if not reply:
                        return
                    client.sendall(reply)
                elif not self._ask(client.recv(65536), server):
                    return

    def _ask(self, command: bytes, server: socket.socket) -> bool:
        """Pass a command on; False where the connection ends with it."""
        cut, done = self._judge(command)
        if not command or (cut and not done):
            return False
        server.sendall(command)
        if cut:
            server.recv(65536)
        return not cut

    def _judge(self, command: bytes) -> tuple[bool, bool]:
        words, done = self._next or (b"", False)
        if not words or words not in command:
            return False, False
        self._next = None
        self.cuts += 1
        return True, done

    def close(self) -> None:
        """Let nobody in any more."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@contextmanager
def cutting(url: str) -> Iterator[Cutter]:
    """A way to the server at `url`, open while the block runs."""
    cutter = Cutter(url)
    thread = threading.Thread(target=cutter.accept, daemon=True)
    thread.start()
    try:
        yield cutter
    finally:
        cutter.close()
        thread.join(5)
