"""Four states' open data on one loopback socket: counts every question, and may be slow, shut, or hang.

While it is shut, whoever asks is kept on the line by a blank now and then: a fetch then lasts as long as the story
wants it to, on however busy a machine. One that falls silent is given up after 15 s, which is a constant of the
product. Who has hung up, or was killed, is not counted as waiting any more.

Any name is known ("PETREL A1 N00001 LLC"), unless it has the word MISSING in it: no story has to prepare companies.
Of a state's data sets one is played; those beside it answer at once that they have nothing, and are not counted, nor
are trade names and the wider searches for what nobody has.
"""

from __future__ import annotations

import json
import re
import select
import socket
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import ThreadingHTTPServer
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.portals.faults import Faults
from tests.serving import in_background

HOSTS = {
    "data.ny.gov": "NY",
    "data.colorado.gov": "CO",
    "data.pa.gov": "PA",
    "data.oregon.gov": "OR",
    "data.ct.gov": "CT",
}
PLAYED = ("n9v6-gdp6", "4ykn-tg5h", "xvd7-5r2c", "tckn-sxa6", "n7gp-d28j")
STATES = ("NY", "CO", "PA", "OR")  # each may be asked twice a second (`tests.failures.settings`), by four at a time
ASKED_FOR = re.compile(r"(?:PETREL|MISSING) \S+ N\d{4,5}")  # a whole name, and no part of one
HANGS = "CT"  # for the stories of a registry that never answers: nobody else's pace or health suffers
BLANK_EVERY = 2.0  # seconds


class Registries(ThreadingHTTPServer):
    """The server. `seconds`: how long each answer takes; `asked`: requests by state and words; `fault`: what every
    request meets instead of an answer (`tests.portals.faults`), which is counted nowhere.

    `hanging`: whether the registry that hangs does; `silent`: whether it does so without a word. `long`: whether every
    other answer is too long, even compressed, to lie beside its row.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.seconds = 0.0
        self.fault: str | None = None
        self.asked: Counter[tuple[str, str]] = Counter()
        self.inside: Counter[str] = Counter()
        self.hanging = self.silent = True
        self.ended = self.long = False
        self.lock = threading.Condition()
        self._answers_left: int | None = None  # None: as many as are wanted

    @property
    def url(self) -> str:
        """What PORTALS_URL must be."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def shut(self) -> None:
        """Let nobody have an answer for now: whoever asks is in the middle of a fetch."""
        self.answer(0)

    def open(self) -> None:
        """Answer everybody again."""
        self.answer(None)

    def answer(self, number: int | None) -> None:
        """Give so many more answers and then none."""
        with self.lock:
            self._answers_left = number
            self.lock.notify_all()

    def release_hanging(self) -> None:
        """Let the registry that hangs answer from now on."""
        with self.lock:
            self.hanging = False
            self.lock.notify_all()

    def count(self, mark: str) -> Counter[tuple[str, str]]:
        """Requests by question, of the questions that carry `mark`."""
        with self.lock:
            return Counter({asked: number for asked, number in self.asked.items() if mark in asked[1]})

    def waiting(self, *states: str) -> int:
        """Conversations in which these registries (none named: any) owe an answer to somebody who is there for it."""
        with self.lock:
            return sum(number for state, number in self.inside.items() if not states or state in states)

    def lets_answer(self, state: str, *, patience: float) -> bool:
        """Whether this conversation may have its answer now; waits a moment for it."""
        with self.lock:
            if not self._is_free(state):
                self.lock.wait(patience)
            if not self._is_free(state):
                return False
            if self._answers_left is not None and state != HANGS:
                self._answers_left -= 1
            return True

    def _is_free(self, state: str) -> bool:
        return self.ended or (not self.hanging if state == HANGS else self._answers_left != 0)

    def speaks(self, state: str) -> bool:
        """Whether those who wait hear something now and then."""
        return state != HANGS or not self.silent

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is not worth a line."""


class _Conversation(Faults):  # a connection serves all questions of a conversation, as with registries
    server: Registries
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.server.fault:
            self.fail(self.server.fault)
            return
        parts = urlsplit(self.path)
        self._begun = False
        where = parse_qs(parts.query).get("$where", [""])[0]
        words = _words(where)
        beside = not any(dataset in parts.path for dataset in PLAYED) or "REGISTRANT" in where
        if beside or (" like " in where and not ASKED_FOR.fullmatch(words)):
            self._say(b"[]")
            self._end()
            return
        state = HOSTS[parts.path.split("/")[1]]
        with self.server.lock:
            self.server.asked[state, words] += 1
            self.server.inside[state] += 1
        try:
            waits_for_it = self._linger(state)
        finally:
            with self.server.lock:
                self.server.inside[state] -= 1
        if waits_for_it:
            blanks = _blanks(words) if self.server.long and zlib.crc32(words.encode()) % 2 else b""
            self._say(json.dumps([] if "MISSING" in words else [_row(state, words)]).encode() + blanks)
            self._end()
        else:
            self.close_connection = True

    def _linger(self, state: str) -> bool:
        """Take as long as this state takes at the moment; whether the one who asked is still there."""
        blank_at = time.monotonic() + BLANK_EVERY
        while not self.server.lets_answer(state, patience=0.1):
            if self._has_hung_up():
                return False
            if self.server.speaks(state) and time.monotonic() >= blank_at:
                self._say(b" ")
                blank_at = time.monotonic() + BLANK_EVERY
        time.sleep(self.server.seconds)
        return True

    def _has_hung_up(self) -> bool:
        """Whether the other side has closed its end, as the kernel does for a process that is killed."""
        try:
            heard, _, _ = select.select([self.connection], [], [], 0)
            return bool(heard) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _say(self, part: bytes) -> None:
        """Send this part of the answer; JSON may have blanks before it."""
        with suppress(OSError):
            if not self._begun:
                self._begun = True
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
            self._write(b"%x\r\n%s\r\n" % (len(part), part))

    def _end(self) -> None:
        with suppress(OSError):
            self._write(b"0\r\n\r\n")

    def _write(self, part: bytes) -> None:
        self.wfile.write(part)
        self.wfile.flush()


def _words(where: str) -> str:
    """The words of a search ("...like '%PETREL%A1%N00001%'"), or the whole condition when it is none."""
    pattern = re.search(r"like '([^']*)'", where)
    return " ".join(filter(None, pattern[1].split("%"))) if pattern else where


def _blanks(words: str) -> bytes:
    """Blanks that JSON may end with, in an order that nothing packs well: 8 kB of chance."""
    return Random(words).randbytes(8 * 4096).translate(bytes(b" \t\n\r"[byte % 4] for byte in range(256)))


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
    with in_background(Registries()) as server:
        try:
            yield server
        finally:
            with server.lock:
                server.ended = True
                server.lock.notify_all()
