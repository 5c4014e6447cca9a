"""The simulator as a bulk job needs it: each state's golden company stands for thousands that differ by a number.

A golden case answers one name. Here a mark ("Q0012") in a name is taken out of every request, so that the golden
pages answer, and is put back behind the company's name on the way out: the state's own reader meets its own pages, and
finds another company for each row of the job. One connection is one lookup, so later pages know the mark as well.
"""

from __future__ import annotations

import multiprocessing
import re
import threading
import time
from multiprocessing.connection import Connection
from urllib.parse import quote, unquote_plus, urlsplit

from scrapers.normalize import names
from tests.portals.simulator import Conversation, Simulator
from tests.scrapers.golden import list_cases

_MARK = re.compile(r"(?:[ +%]|%20|%25)*\bQ(\d{5})\b")


class ManyCompanies(Simulator):
    """`seconds` says how long a request to a host takes; `asked` counts the requests."""

    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__()
        self.RequestHandlerClass = Marked
        self.asked = multiprocessing.Value("l", 0)
        self.seconds: dict[str, float] = {}
        bases = sorted({names.without_suffix(name) for name in golden_companies().values()}, key=len, reverse=True)
        self.shown = re.compile("|".join(map(re.escape, bases)).encode(), flags=re.IGNORECASE)


class Marked(Conversation):
    """One connection: one lookup of one company."""

    server: ManyCompanies
    mark = b""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        url = "https://" + self.path.lstrip("/")
        host = urlsplit(url).netloc
        with self.server.asked.get_lock():
            self.server.asked.value += 1
        text = body.decode("utf-8", errors="replace")
        found = _MARK.search(unquote_plus(url)) or _MARK.search(unquote_plus(text))
        if found:
            self.mark = b" Q" + found[1].encode()
        time.sleep(self.server.seconds.get(host, 0.0))
        plain = quote(_MARK.sub("", unquote_plus(urlsplit(url).query)), safe="=&")
        asked = urlsplit(url)._replace(path=_MARK.sub("", urlsplit(url).path), query=plain).geturl()
        step = self.server.find(self.command, asked, _MARK.sub("", text).encode(), self.headers.get("content-type", ""))
        if step is None:
            self._send(404, b"no golden case has this request: " + asked.encode(), "text/plain")
            return
        told = self.server.shown.sub(lambda shown: shown.group() + self.mark, step.body)
        self._send(step.status, told, extra=dict(step.headers))


def golden_companies() -> dict[str, str]:
    """The name that each state's golden company was asked for by."""
    active = [case for case in list_cases() if case.situation == "active"]
    return {case.state: case.content["question"]["name"] for case in active if "name" in case.content["question"]}


def numbered(name: str, number: int) -> str:
    """The name of the `number`th namesake of a golden company."""
    base = names.without_suffix(name)
    return f"{base} Q{number:05}{name[len(base) :]}"


class Registries:
    """The server in a process of its own, so that its work is not counted as ours."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("fork")  # before there are threads, and with the port already known
        server = ManyCompanies()
        self.url, self._asked = server.url, server.asked
        self._orders, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(server, theirs), daemon=True)
        self._process.start()
        server.server_close()

    @property
    def asked(self) -> int:
        """Requests so far."""
        return int(self._asked.value)

    def slow_down(self, seconds: dict[str, float]) -> None:
        """From now on a request to a host takes so long."""
        self._orders.send(seconds)
        self._orders.recv()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join(5)


def _serve(server: ManyCompanies, orders: Connection) -> None:
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    while True:
        server.seconds = orders.recv()
        orders.send("done")
