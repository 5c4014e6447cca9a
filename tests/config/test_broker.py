"""A worker whose broker is away, or whose connection to it went silent."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery.worker.consumer import Consumer
from kombu import Connection

from config.celery import app

HEARD_WITHIN = 24.0  # seconds; 6 to 11 on a quiet machine, 26 to 51 as Celery has it


class Enough(Exception):
    """It has tried for hours, and would go on."""


class Way:
    """A way to a server that can forget the connections it has: they stay open, and nothing comes along any more."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.target = target
        self.open: list[socket.socket] = []
        self.silent: set[socket.socket] = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        """Hand on each connection until the end."""
        with suppress(OSError):
            while True:
                pair = (self.listener.accept()[0], socket.create_connection(self.target))
                self.open += pair
                for source, sink in (pair, pair[::-1]):
                    threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source: socket.socket, sink: socket.socket) -> None:
        """Hand on what comes, unless it is forgotten."""
        with suppress(OSError):
            while data := source.recv(65536):
                if source not in self.silent:
                    sink.sendall(data)

    def forget(self) -> None:
        """Let all that is open go silent; what is opened later works."""
        self.silent.update(self.open)


@contextmanager
def way_to(address: str) -> Iterator[tuple[str, Way]]:
    """A way to Redis, and its address there."""
    parts = urlsplit(address)
    way = Way((str(parts.hostname), parts.port or 6379))
    try:
        yield parts._replace(netloc=f"127.0.0.1:{way.listener.getsockname()[1]}").geturl(), way
    finally:
        for one in (way.listener, *way.open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


class TestAWorker:
    """And its broker."""

    def test_tries_to_reach_it_without_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """After a hundred tries, three quarters of an hour, it ended, and `make run` with it."""
        slept: list[float] = []

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if sum(slept) > 4 * 3600:
                raise Enough

        monkeypatch.setattr("kombu.utils.functional.sleep", sleep)
        worker: Any = Consumer.__new__(Consumer)
        worker.app, worker.first_connection_attempt, worker.broker_connection_retry_attempt = app, False, 0
        with pytest.raises(Enough):
            worker.ensure_connected(Connection("redis://127.0.0.1:1/0", transport_options={"max_retries": 0}))

    def test_hears_a_call_soon_after_its_connection_went_silent(self, on_redis: str) -> None:
        queue = "silent-connection"
        options = app.conf.broker_transport_options
        with way_to(on_redis) as (address, way), Connection(address, transport_options=options) as worker:
            waiting = worker.SimpleQueue(queue)
            with suppress(waiting.Empty):
                waiting.get(timeout=2)
            way.forget()
            with Connection(on_redis, transport_options=options) as caller:
                caller.SimpleQueue(queue).put("first")  # it may go to who does not hear it: the sweep calls again
                until = time.monotonic() + HEARD_WITHIN
                heard = None
                while heard is None and time.monotonic() < until:
                    caller.SimpleQueue(queue).put("again")
                    with suppress(waiting.Empty, *worker.connection_errors):
                        heard = waiting.get(timeout=2)
                caller.SimpleQueue(queue).clear()
            assert heard is not None
