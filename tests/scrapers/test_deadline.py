"""One cutter ends what is on the wire at the deadline; portals and webhooks have their own tests of its worth."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from scrapers.transport.deadline import DeadlineCutter, in_time


@pytest.fixture
def wire() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    here.settimeout(60)
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
        with cutter.until(time.monotonic() + 0.2) as late:
            assert wire[0].recv(1) == b""
        assert late.is_set()

    def test_is_left_alone_when_it_ends_in_time(
        self, wire: tuple[socket.socket, socket.socket], cutter: DeadlineCutter
    ) -> None:
        cutter.watch(wire[0])
        with cutter.until(time.monotonic() + 60) as late:
            pass
        cutter.cut(late)  # as the clock does when the time is over
        wire[1].send(b"x")
        assert (late.is_set(), wire[0].recv(1)) == (False, b"x")

    def test_that_begins_while_the_time_runs_out_is_cut_too(
        self, wire: tuple[socket.socket, socket.socket], cutter: DeadlineCutter
    ) -> None:
        with cutter.until(time.monotonic()) as late:
            assert late.wait(30)
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


class TestManyConversations:
    """At once, each with a deadline of its own."""

    def test_share_one_thread_and_end_in_the_order_of_their_deadlines(self) -> None:
        with contextlib.ExitStack() as under_way:
            start = time.monotonic()
            late = [
                under_way.enter_context(DeadlineCutter().until(start + seconds)) for seconds in (60, 0.4, 60, 0.2, 60)
            ]
            assert [one.name for one in threading.enumerate()].count("deadlines") == 1
            assert late[3].wait(30)
            assert time.monotonic() >= start + 0.2
            assert late[1].wait(30)
            assert time.monotonic() >= start + 0.4
            assert [one.is_set() for one in late] == [False, True, False, True, False]

    def test_that_have_ended_are_not_cut_by_the_deadline_of_the_one_before(
        self, wire: tuple[socket.socket, socket.socket], cutter: DeadlineCutter
    ) -> None:
        cutter.watch(wire[0])
        with cutter.until(time.monotonic() + 0.1):
            pass
        with cutter.until(time.monotonic() + 60) as late:
            time.sleep(0.3)
            wire[1].send(b"x")
            assert (late.is_set(), wire[0].recv(1)) == (False, b"x")

    @pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
    def test_are_cut_in_a_process_that_was_forked_as_well(self) -> None:
        with DeadlineCutter().until(time.monotonic() + 60):
            forked = multiprocessing.get_context("fork").Process(target=_be_late)
            forked.start()
            forked.join(60)
        assert forked.exitcode == 0


def _be_late() -> None:
    with DeadlineCutter().until(time.monotonic() + 0.1) as late:
        os._exit(0 if late.wait(30) else 1)


class TestAPieceOfWork:
    """That nothing can end from outside."""

    def test_is_handed_over_when_it_is_done_in_time(self) -> None:
        assert in_time(lambda: "done", deadline=time.monotonic() + 60) == "done"
        assert in_time(lambda: "done", deadline=float("inf")) == "done"

    def test_fails_as_it_would_have_failed_alone(self) -> None:
        with pytest.raises(socket.gaierror, match="unknown"):
            in_time(lambda: _fail(socket.gaierror("unknown")), deadline=time.monotonic() + 60)

    def test_that_hangs_is_left_behind_and_what_it_makes_later_is_dropped(self) -> None:
        may_go_on, dropped = threading.Event(), threading.Event()
        with pytest.raises(TimeoutError):
            in_time(lambda: may_go_on.wait(60), deadline=time.monotonic() + 0.1, drop=lambda _: dropped.set())
        assert not dropped.is_set()
        may_go_on.set()
        assert dropped.wait(60)


def _fail(error: Exception) -> None:
    raise error
