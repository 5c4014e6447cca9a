"""A customer's server that webhooks are sent to: it keeps what it was sent, and answers as a test wants."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Answer = Callable[[socket.socket, threading.Event], None]


@dataclass
class Request:
    """One request as it came: the first line, headers in lower case, the body, and the name TLS was asked for."""

    line: str
    headers: dict[str, str]
    body: bytes
    sni: str | None


@dataclass
class Receiver:
    """Listens on one loopback address. `stopped` is set when the test is over: an answer that drips ends by it."""

    listener: socket.socket
    port: int
    tls: ssl.SSLContext | None
    answer: Answer
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    names: list[str | None] = field(default_factory=list)

    def serve(self) -> None:
        """Take one connection after the other until the listener is closed."""
        while not self.stopped.is_set():
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with suppress(OSError, ValueError), plain:
                self._talk(plain)

    def _talk(self, plain: socket.socket) -> None:
        plain.settimeout(30)
        if self.tls is None:
            self._one(plain)
            return
        self.tls.sni_callback = lambda _socket, name, _context: self.names.append(name)
        with self.tls.wrap_socket(plain, server_side=True) as safe:
            self._one(safe)

    def _one(self, ready: socket.socket) -> None:
        raw = ready.makefile("rb")
        line = raw.readline().decode().strip()
        headers: dict[str, str] = {}
        while text := raw.readline().decode().strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        body = raw.read(int(headers.get("content-length", 0)))
        self.requests.append(Request(line, headers, body, self.names[-1] if self.names else None))
        self.answer(ready, self.stopped)


def says(status: int, body: bytes = b"", **headers: str) -> Answer:
    """An ordinary answer."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def raw(sent: bytes) -> Answer:
    """These bytes."""
    return lambda ready, _stopped: ready.sendall(sent)


@contextmanager
def receiving(
    answer: Answer, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1", port: int = 0
) -> Iterator[Receiver]:
    """A server that runs while the block does."""
    listener = socket.create_server((host, port))
    receiver = Receiver(listener, int(listener.getsockname()[1]), tls, answer)
    thread = threading.Thread(target=receiver.serve, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.stopped.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(30)
