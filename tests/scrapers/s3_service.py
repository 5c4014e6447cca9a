"""An S3 service on loopback, as far as evidence needs one: objects are put, looked for, read and deleted."""

from __future__ import annotations

import hashlib
import re
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.serving import in_background


class S3Service(ThreadingHTTPServer):
    """`objects`: bytes by "/bucket/key"; `asked`: "PUT /bucket/key", in order; `is_away`: it fails them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.objects: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.is_away = False

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: S3Service

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_PUT(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        chunked = "aws-chunked" in self.headers.get("content-encoding", "")
        if self._may_answer():
            self.server.objects[self._key] = body = _unchunked(raw) if chunked else raw
            self._say(200, etag=f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"')

    def do_HEAD(self) -> None:
        self._hand_out()

    def do_GET(self) -> None:
        self._hand_out()

    def do_DELETE(self) -> None:
        if self._may_answer():
            self.server.objects.pop(self._key, None)
            self._say(204)

    @property
    def _key(self) -> str:
        return self.path.partition("?")[0]

    def _may_answer(self) -> bool:
        self.server.asked.append(f"{self.command} {self._key}")
        if self.server.is_away:
            self._say(503)
        return not self.server.is_away

    def _hand_out(self) -> None:
        if not self._may_answer():
            return
        body = self.server.objects.get(self._key)
        self._say(404) if body is None else self._say(200, body)

    def _say(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        more = {"last-modified": "Sun, 22 Nov 2026 12:00:00 GMT", "etag": '"0"'} | headers
        for name, value in (more | {"content-length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _unchunked(raw: bytes) -> bytes:
    """A body in AWS's own chunks, its check sum after the last of them."""
    body = b""
    while size := int(re.match(rb"[0-9a-fA-F]+", raw)[0], 16):  # type: ignore[index]
        start = raw.index(b"\r\n") + 2
        body, raw = body + raw[start : start + size], raw[start + size + 2 :]
    return body


def running() -> AbstractContextManager[S3Service]:
    """Serve until the block ends."""
    return in_background(S3Service())
