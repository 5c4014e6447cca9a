"""Clients who send one request after the other on connections that stay open, and how long each was answered in."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Load:
    """What so many connections came to."""

    seconds: float = 0.0
    cpu: float = 0.0  # seconds that the server's processes worked
    waits: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.waits) / self.seconds

    @property
    def cpu_ms(self) -> float:
        """Of the server's processes, an answer."""
        return self.cpu / len(self.waits) * 1000

    def wait_ms(self, part: float) -> float:
        """The wait that so large a part of the requests did not exceed."""
        return statistics.quantiles(self.waits, n=1000)[round(part * 1000) - 1] * 1000


class _Client(asyncio.Protocol):
    """One connection. With `every` it sends so often, whether or not that is fast; else as soon as it is answered."""

    def __init__(self, load: Load, write: Callable[[], bytes], until: float, every: float | None) -> None:
        self.load, self.write, self.until, self.every = load, write, until, every
        self.read = bytearray()
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.due = time.perf_counter()
        self.send()

    def send(self) -> None:
        self.begun = self.due if self.every else time.perf_counter()  # a late one has waited since it was due
        self.transport.write(self.write())

    def data_received(self, data: bytes) -> None:
        self.read += data
        head = self.read.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self.read.lower().index(b"content-length:")
        size = int(self.read[at + 15 : self.read.index(b"\r\n", at)])
        if len(self.read) < head + 4 + size:
            return
        now = time.perf_counter()
        self.load.waits.append(now - self.begun)
        self.load.statuses[int(self.read[9:12])] += 1
        self.read.clear()
        if now >= self.until:
            self.transport.close()
            self.ended.set_result(None)
        elif self.every:
            self.due += self.every
            asyncio.get_running_loop().call_later(max(0.0, self.due - now), self.send)
        else:
            self.send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(error or ConnectionError("the server hung up"))


def measure(
    port: int,
    write: Callable[[], bytes],
    *,
    pid: int,
    connections: int,
    seconds: float,
    rate: float | None = None,
    begin_in: float = 0.0,
) -> Load:
    """Send what `write` returns for so long; `rate`: so many a second in all, else as many as are answered.

    The connections begin one after the other in `begin_in` seconds, else at once, or in the time of the rate.
    """
    load, every = Load(), connections / rate if rate else None
    begin_in = every or begin_in

    async def run() -> None:
        loop, clients = asyncio.get_running_loop(), []
        until = time.perf_counter() + seconds
        for _ in range(connections):
            _, client = await loop.create_connection(lambda: _Client(load, write, until, every), "127.0.0.1", port)
            clients.append(client)
            if begin_in:
                await asyncio.sleep(begin_in / connections)
        await asyncio.gather(*(client.ended for client in clients))

    began, worked = time.perf_counter(), read_cpu(pid)
    asyncio.run(run())
    load.seconds, load.cpu = time.perf_counter() - began, read_cpu(pid) - worked
    return load


def read_cpu(pid: int) -> float:
    """Seconds that a process and its children have worked so far."""
    total = 0.0
    for each in (pid, *_children(pid)):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


def read_memory(pid: int) -> list[float]:
    """Resident megabytes of each of its children."""
    found = []
    for each in _children(pid):
        pages = int(Path(f"/proc/{each}/statm").read_text().split()[1])
        found.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
    return found


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def request(method: str, path: str, *, key: str = "", body: bytes = b"") -> bytes:
    """One request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"x-api-key: {key}"] if key else []
    lines += ["Content-Type: application/json"] if body else []
    return "\r\n".join([*lines, "", ""]).encode() + body
