"""A real HTTP server on loopback whose every answer the test writes itself, byte by byte where it matters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.serving import in_background


@dataclass(frozen=True)
class Received:
    """One request as it came over the wire; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Wire(BaseHTTPRequestHandler):
    """One request in the hands of the test: `say` a whole answer, or write to `wfile` what no server should."""

    protocol_version = "HTTP/1.1"
    server: Loopback

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def say(self, status: int = 200, body: bytes | str = b"", **headers: str) -> None:
        """A whole answer; `content_type` stands for Content-Type."""
        raw = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        told.setdefault("content-type", "text/html; charset=utf-8")
        for name, value in (told | {"content-length": str(len(raw))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def raw(self, data: bytes) -> None:
        """Bytes as they are, and the end of the connection."""
        self.close_connection = True
        self.wfile.write(data)
        self.wfile.flush()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append(Received(self.command, self.path, headers, body))
        path = self.path.partition("?")[0]
        answers = self.server.answers[path]
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)


Answer = Callable[[Wire], None]


class Loopback(ThreadingHTTPServer):
    """The server. `answers` by path ("/host/path"): one answer after the other, the last one for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Wire)
        self.answers: dict[str, list[Answer]] = {}
        self.received: list[Received] = []

    @property
    def url(self) -> str:
        """What PORTALS_URL must be."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def on(self, path: str, *answers: Answer) -> None:
        """What to answer at a path of portal.example."""
        self.answers[f"/portal.example{path}"] = list(answers)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is not worth a line."""


def serving() -> AbstractContextManager[Loopback]:
    """A server in the background."""
    return in_background(Loopback())


def says(status: int = 200, body: bytes | str = b"<p>ok</p>", **headers: str) -> Answer:
    """The same whole answer each time."""
    return lambda wire: wire.say(status, body, **headers)
