"""New York's open data on a loopback socket: the one thing these tests stand in for. It counts and may dawdle.

Of its data sets only the list of active companies is played. The histories beside it answer at once that they have
nothing, and are not counted: `asked` is the number of questions that reached the registry.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.lookups.gleif_server import PlayedGleif
from tests.serving import in_background

LIST = "n9v6-gdp6"


def company(name: str, dos_id: str = "4264790", **more: Any) -> dict[str, Any]:
    """A row of the register."""
    return {
        "current_entity_name": name,
        "dos_id": dos_id,
        "initial_dos_filing_date": "2012-06-28T00:00:00",
        "county": "KINGS",
        "jurisdiction": "NEW YORK",
        "entity_type": "DOMESTIC BUSINESS CORPORATION",
        "dos_process_name": name,
        "dos_process_address_1": "382 REMSEN AVE",
        "dos_process_city": "BROOKLYN",
        "dos_process_state": "NEW YORK",
        "dos_process_zip": "11212",
        **more,
    }


@dataclass
class Register:
    """What the register holds and how it behaves; `asked` counts its requests."""

    url: str = ""
    rows: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    seconds: float = 0.0
    charset: str = "utf-8"
    asked: int = 0
    in_there: threading.Event = field(default_factory=threading.Event)
    may_go: threading.Event | None = None
    gleif: PlayedGleif = field(default_factory=PlayedGleif)

    def find(self, where: str) -> list[dict[str, Any]]:
        """Rows by identifier, by a LIKE pattern on the name, or with just one of several names; 500 at most."""
        by_id = re.search(r"dos_id='([^']*)'", where)
        if by_id:
            return [row for row in self.rows if row["dos_id"] == by_id[1]]
        just = re.search(r"upper\(current_entity_name\) in\((.*)\)", where)
        if just:
            named = re.findall(r"'([^']*)'", just[1])
            return [row for row in self.rows if row["current_entity_name"].upper() in named]
        pattern = re.search(r"like '([^']*)'", where)
        assert pattern, where
        wanted = re.compile(".*".join(map(re.escape, pattern[1].split("%"))))
        return [row for row in self.rows if wanted.search(row["current_entity_name"].upper())][:500]


@contextmanager
def serving() -> Iterator[Register]:
    """Serve a register until the block ends."""
    register = Register()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/api.gleif.org/"):
                self.say(*register.gleif.answer(self.path))
                return
            if LIST not in self.path:
                self.say(200, b"[]")
                return
            register.asked += 1
            register.in_there.set()
            if register.may_go is not None:
                register.may_go.wait(20)
            time.sleep(register.seconds)
            where = parse_qs(urlsplit(self.path).query).get("$where", [""])[0]
            ok = register.status == 200
            rows = json.dumps(register.find(where), ensure_ascii=register.charset == "utf-8")
            body = rows.encode(register.charset) if ok else b'{"error": true}'
            self.say(register.status, body)

        def say(self, status: int, body: bytes) -> None:
            """Send one answer."""
            self.send_response(status)
            self.send_header("Content-Type", f"application/json; charset={register.charset}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        register.url = f"http://127.0.0.1:{server.server_port}"
        yield register
