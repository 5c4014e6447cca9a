"""Four states' open data on one loopback socket: counts every question, and may be slow, held at the door, or hang.

Any name is known ("PETREL A1 N00001 LLC"), unless it has the word MISSING in it: no story has to prepare companies.
"""

from __future__ import annotations

import json
import re
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

HOSTS = {
    "data.ny.gov": "NY",
    "data.colorado.gov": "CO",
    "data.pa.gov": "PA",
    "data.oregon.gov": "OR",
    "data.ct.gov": "CT",
}
STATES = ("NY", "CO", "PA", "OR")  # one request answers; each may be asked twice a second, by four at a time
HANGS = "CT"  # for the stories of a registry that never answers: nobody else's pace or health suffers
LONGEST_HELD = 90.0


class Registries(ThreadingHTTPServer):
    """The server. `seconds`: how long each answer takes; `asked`: requests by state and words."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.seconds = 0.0
        self.asked: Counter[tuple[str, str]] = Counter()
        self.inside: Counter[str] = Counter()
        self.hanging = True
        self._open = threading.Event()
        self._open.set()
        self.ended = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """What PORTALS_URL must be."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def shut(self) -> None:
        """Let nobody have an answer for now: whoever asks is in the middle of a fetch."""
        self._open.clear()

    def open(self) -> None:
        """Answer everybody again."""
        self._open.set()

    def count(self, mark: str) -> Counter[tuple[str, str]]:
        """Requests by question, of the questions that carry `mark`."""
        with self.lock:
            return Counter({asked: number for asked, number in self.asked.items() if mark in asked[1]})

    def waiting(self) -> int:
        """Conversations in which the registry owes an answer at this moment."""
        with self.lock:
            return sum(self.inside.values())

    def linger(self, state: str) -> None:
        """Take as long as this state takes at the moment."""
        if state == HANGS:
            while self.hanging and not self.ended.wait(0.1):
                pass
            return
        self._open.wait(LONGEST_HELD)
        time.sleep(self.seconds)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is not worth a line."""


class _Conversation(BaseHTTPRequestHandler):
    server: Registries

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        state = HOSTS[parts.path.split("/")[1]]
        where = parse_qs(parts.query).get("$where", [""])[0]
        words = _words(where)
        with self.server.lock:
            self.server.asked[state, words] += 1
            self.server.inside[state] += 1
        try:
            self.server.linger(state)
        finally:
            with self.server.lock:
                self.server.inside[state] -= 1
        body = json.dumps([] if "MISSING" in words else [_row(state, words)]).encode()
        with suppress(OSError):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def _words(where: str) -> str:
    """The words of a search ("...like '%PETREL%A1%N00001%'"), or the whole condition when it is none."""
    pattern = re.search(r"like '([^']*)'", where)
    return " ".join(filter(None, pattern[1].split("%"))) if pattern else where


def _row(state: str, words: str) -> dict[str, str]:
    """The one company with these words in its name, as the state's data set writes it."""
    name = f"{words} LLC"
    number = str(1_000_000 + zlib.crc32(words.encode()) % 9_000_000)
    rows: dict[str, dict[str, str]] = {
        "NY": {
            "current_entity_name": name,
            "dos_id": number,
            "initial_dos_filing_date": "2012-06-28T00:00:00",
            "entity_type": "DOMESTIC LIMITED LIABILITY COMPANY",
            "jurisdiction": "NEW YORK",
            "county": "KINGS",
        },
        "CO": {
            "entityname": name,
            "entityid": f"2015{number}",
            "entitystatus": "Good Standing",
            "entitytype": "DLLC",
            "entityformdate": "2015-04-02T00:00:00.000",
            "jurisdictonofformation": "CO",
        },
        "PA": {
            "business_name": name,
            "filing_number": f"000{number}",
            "creationdate": "2021-10-12T00:00:00.000",
            "typeofbusinessregistration": "Domestic Limited Liability Company",
        },
        "OR": {
            "business_name": name,
            "registry_number": number,
            "registry_date": "2010-05-17T00:00:00.000",
            "entity_type": "DOMESTIC LIMITED LIABILITY COMPANY",
            "associated_name_type": "MAILING ADDRESS",
            "address": "PO BOX 446",
            "city": "SALEM",
            "state": "OR",
            "zip": "97301",
        },
    }
    return rows[state]


@contextmanager
def running() -> Iterator[Registries]:
    """Serve until the block ends."""
    server = Registries()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
