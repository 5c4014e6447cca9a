"""What a registry in trouble does instead of answering; of the product nothing is needed."""

from __future__ import annotations

import gzip
import io
import socket
import struct
import time
from functools import lru_cache
from http.server import BaseHTTPRequestHandler
from typing import Any

WALL = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body class='no-js'>Checking</body></html>"
CAPTCHA = b"<html><body><form action='/'><div class='g-recaptcha' data-sitekey='x'></div></form></body></html>"
NEW_LAYOUT = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Our new home</h1></body></html>"
MAINTENANCE = b"<html><body><h1>The system is down for maintenance until Monday.</h1></body></html>"
FAULTS = (
    "error",
    "reset",
    "hang",
    "drip",
    "wall",
    "captcha",
    "forbidden",
    "too-many-requests",
    "maintenance",
    "layout",
    "wrong-type",
    "empty",
    "bomb",
    "endless",
    "cut-off",
)


@lru_cache(maxsize=1)
def bomb() -> bytes:
    """500 MB of nothing in half a megabyte."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as file:
        for _ in range(500):
            file.write(bytes(1_000_000))
    return packed.getvalue()


class Faults(BaseHTTPRequestHandler):
    """One connection to a registry in trouble."""

    protocol_version = "HTTP/1.1"

    def fail(self, fault: str) -> None:
        """Answer as one of `FAULTS` does."""
        getattr(self, "_" + fault.replace("-", "_"))()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def _send(self, status: int, body: bytes, kind: str = "text/html", extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        headers = {name.lower(): value for name, value in (extra or {}).items()}
        headers.setdefault("content-type", kind)
        headers["content-length"] = str(len(body))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _error(self) -> None:
        self._send(500, b"<html><body>Server Error in '/' Application.</body></html>")

    def _forbidden(self) -> None:
        self._send(403, b"")

    def _too_many_requests(self) -> None:
        self._send(429, b"slow down", extra={"retry-after": "120"})

    def _wall(self) -> None:
        self._send(200, WALL)

    def _captcha(self) -> None:
        self._send(200, CAPTCHA)

    def _maintenance(self) -> None:
        self._send(200, MAINTENANCE)

    def _layout(self) -> None:
        self._send(200, NEW_LAYOUT)

    def _wrong_type(self) -> None:
        self._send(200, b"%PDF-1.7 ...", "application/pdf")

    def _empty(self) -> None:
        self._send(200, b"")

    def _bomb(self) -> None:
        self._send(200, bomb(), extra={"content-encoding": "gzip"})

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def _hang(self) -> None:
        time.sleep(30)

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.close_connection = True
        for _ in range(300):
            self.wfile.write(b"<p>")
            self.wfile.flush()
            time.sleep(0.1)

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.close_connection = True
        while True:
            self.wfile.write(b"[" * 65536)

    def _cut_off(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "100000")
        self.end_headers()
        self.wfile.write(b"<html><body><table>")
        self.close_connection = True
