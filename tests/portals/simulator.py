"""A server on loopback that speaks every registry's protocol, from the golden cases, and fails on demand.

`PORTALS_URL` (tests and benchmarks only) points the service at it: `https://host/path` is asked for as
`http://127.0.0.1:port/host/path`. Only what a golden case recorded is answered; anything else is a 404 that says so,
which the service must report as a changed page, never as "not found".
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from scrapers.transport.recording import Step, load_steps
from tests.portals.faults import Faults
from tests.scrapers.golden import list_cases
from tests.serving import in_background

Plant = Callable[[str, Step | None], Step | str | None]


class Simulator(ThreadingHTTPServer):
    """The server. Set `fault` to make every answer fail, `latency` (seconds) to make it slow.

    `plant` changes what is answered: it gets the address and the step, if one is known, and returns another step, a
    fault's name, or None for the answer as it is. `play` lets one conversation alone answer, its steps in their order:
    portals keep sessions.
    """

    daemon_threads = True
    fault: str | None = None
    latency: float = 0.0
    plant: Plant | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.requests: list[str] = []
        self.heard: list[tuple[float, str, str]] = []  # when, from which host's portal, by whom
        self._played: list[Step] | None = None
        self._steps: dict[tuple[str, str, str], list[Step]] = {}
        for case in list_cases():
            if case.expected.get("outcome") in ("found", "not_found"):
                for step in load_steps(case.folder):
                    self._steps.setdefault(_place(step.method, step.url), []).append(step)

    @property
    def url(self) -> str:
        """What PORTALS_URL must be."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def play(self, steps: list[Step] | None) -> None:
        """Answer with these alone from now on; from all cases again with None."""
        self._played = steps

    def find(self, method: str, url: str, body: bytes, kind: str) -> Step | None:
        """The recorded answer to a request; the one whose form fits before one that does not look at it."""
        asked = sorted(parse_qsl(urlsplit(url).query, keep_blank_values=True))
        sent = _sent(body, kind)
        place = _place(method, url)
        known = self._steps.get(place, ())
        if self._played is not None:
            known = [step for step in self._played if _place(step.method, step.url) == place]
        fitting = [
            step
            for step in known
            if sorted(parse_qsl(urlsplit(step.url).query, keep_blank_values=True)) == asked
            and (step.sent is None or dict(step.sent) == sent)
        ]
        found = min(fitting, key=lambda step: step.sent is None, default=None)
        if self._played is not None and found is not None:
            self._played.remove(found)
        return found

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is not worth a line."""


def _place(method: str, url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return method, parts.netloc, parts.path


def _sent(body: bytes, kind: str) -> dict[str, Any]:
    text = body.decode("utf-8", errors="replace")
    return dict(json.loads(text)) if "json" in kind else dict(parse_qsl(text, keep_blank_values=True))


class Conversation(Faults):
    """One connection."""

    server: Simulator

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        url = "https://" + self.path.lstrip("/")
        self.server.requests.append(f"{self.command} {url}")
        self.server.heard.append((time.monotonic(), urlsplit(url).netloc, self.headers.get("user-agent", "")))
        if self.server.latency:
            time.sleep(self.server.latency)
        if self.server.fault:
            self.fail(self.server.fault)
            return
        step = self.server.find(self.command, url, body, self.headers.get("content-type", ""))
        planted = self.server.plant(url, step) if self.server.plant else None
        if isinstance(planted, str):
            self.fail(planted)
            return
        step = planted or step
        if step is None:
            self._send(404, b"no golden case has this request: " + url.encode(), "text/plain")
        else:
            self._send(step.status, step.body, extra=dict(step.headers))


def running() -> AbstractContextManager[Simulator]:
    """A simulator in the background."""
    return in_background(Simulator())
