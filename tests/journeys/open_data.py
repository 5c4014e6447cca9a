"""A stand-in for New York's open data site on loopback: the portal is the one thing a journey does not reach."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.serving import in_background

# The columns and forms of the data set; the company's name is the one in the printed question.
ROW = {
    "dos_id": "9000001",
    "current_entity_name": "INTERNATIONAL BUSINESS MACHINES CORPORATION",
    "initial_dos_filing_date": "1911-06-16T00:00:00",
    "county": "WESTCHESTER",
    "jurisdiction": "NEW YORK",
    "entity_type": "DOMESTIC BUSINESS CORPORATION",
    "dos_process_name": "A PROCESS AGENT",
    "dos_process_address_1": "1 EXAMPLE STREET",
    "dos_process_city": "ALBANY",
    "dos_process_state": "NEW YORK",
    "dos_process_zip": "12207",
}


class _OpenData(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.path.startswith("/data.ny.gov/resource/")
        found = [ROW] if "/n9v6-gdp6.json" in self.path else []  # the histories beside the list have nothing
        body = json.dumps(found if known else {"error": True}).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json;charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the test says what it asked."""


@contextmanager
def running() -> Iterator[str]:
    """Serve for as long as the block lasts; gives the address for PORTALS_URL."""
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), _OpenData)) as server:
        yield f"http://127.0.0.1:{server.server_port}"
