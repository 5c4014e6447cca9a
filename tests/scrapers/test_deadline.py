"""One cutter ends what is on the wire at the deadline; portals and webhooks have their own tests of its worth."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

import pytest

from scrapers.transport.deadline import DeadlineCutter


@pytest.fixture
def wire() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    here.settimeout(5)
    with here, there:
        yield here, there


@pytest.fixture
def cutter() -> Iterator[DeadlineCutter]:
    with contextlib.closing(DeadlineCutter()) as made:
        yield made


class TestAConversation:
    """On a real socket."""

    def test_is_cut_while_it_reads(self, wire: tuple[socket.socket, socket.socket], cutter: DeadlineCutter) -> None:
        cutter.watch(wire[0])
        started = time.monotonic()
        with cutter.until(started + 0.2) as late:
            assert wire[0].recv(1) == b""
        assert late.is_set()
        assert time.monotonic() - started < 1

    def test_is_left_alone_when_it_ends_in_time(
        self, wire: tuple[socket.socket, socket.socket], cutter: DeadlineCutter
    ) -> None:
        cutter.watch(wire[0])
        with cutter.until(time.monotonic() + 0.1) as late:
            pass
        time.sleep(0.2)
        wire[1].send(b"x")
        assert (late.is_set(), wire[0].recv(1)) == (False, b"x")

    def test_that_begins_while_the_time_runs_out_is_cut_too(
        self, wire: tuple[socket.socket, socket.socket], cutter: DeadlineCutter
    ) -> None:
        with cutter.until(time.monotonic()) as late:
            assert late.wait(1)
            cutter.watch(wire[0])
            assert wire[0].recv(1) == b""

    def test_is_forgotten_once_nobody_uses_it(
        self, wire: tuple[socket.socket, socket.socket], cutter: DeadlineCutter
    ) -> None:
        cutter.watch(wire[0], in_use=lambda: False)
        with cutter.until(time.monotonic() + 5):
            pass
        wire[0].close()
        assert wire[1].recv(1) == b"", "a handle that is kept would hold the connection open"
