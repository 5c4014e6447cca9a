"""Ends whatever is on a wire at a deadline, whatever the other side does: for portals and for webhooks alike.

A read time-out starts anew with every byte, so a server that drips its answer could hold a thread for hours, and
nothing ends a read that has begun but the end of its socket. A timer shuts that down from outside. The resolver of
names has no socket of ours and no time-out: a thread of its own waits for it, and is left behind when it hangs.
"""

from __future__ import annotations

import heapq
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

Made = TypeVar("Made")


def in_time(work: Callable[[], Made], *, deadline: float, drop: Callable[[Made], object] = lambda _: None) -> Made:
    """What `work` comes to, or TimeoutError at `deadline` (time.monotonic()); what it makes later is dropped."""
    waiting = _Waiting(work, drop)
    thread = threading.Thread(target=waiting.run, name="in-time", daemon=True)
    thread.start()
    thread.join(min(threading.TIMEOUT_MAX, max(0.0, deadline - time.monotonic())))
    return waiting.take()


class _Waiting(Generic[Made]):
    """A piece of work whose result is either taken or dropped, never both."""

    def __init__(self, work: Callable[[], Made], drop: Callable[[Made], object]) -> None:
        self._work, self._drop, self._lock = work, drop, threading.Lock()
        self._made: list[Made] = []
        self._error: BaseException = TimeoutError()
        self._is_over = False

    def run(self) -> None:
        try:
            made = self._work()
        except BaseException as error:
            self._error = error
            return
        with self._lock:
            if not self._is_over:
                self._made.append(made)
                return
        self._drop(made)

    def take(self) -> Made:
        with self._lock:
            self._is_over = True
        if not self._made:
            raise self._error
        return self._made[0]


class _Alarm:
    """One thread that cuts whatever is due: a thread for each deadline would cost more than most requests do."""

    def __init__(self) -> None:
        self._set: list[tuple[float, int, DeadlineCutter, threading.Event]] = []  # the next one first
        self._numbers = itertools.count()
        self._earlier = threading.Condition()
        self._thread: threading.Thread | None = None

    def set(self, deadline: float, cutter: DeadlineCutter, late: threading.Event) -> None:
        """Have the cutter asked at `deadline`; it knows itself what has ended by then."""
        with self._earlier:
            entry = (deadline, next(self._numbers), cutter, late)
            heapq.heappush(self._set, entry)
            if self._thread is None or not self._thread.is_alive():  # nor is that of the process this was forked from
                self._thread = threading.Thread(target=self._watch, name="deadlines", daemon=True)
                self._thread.start()
            elif self._set[0] is entry:
                self._earlier.notify()

    def _watch(self) -> None:
        while True:
            with self._earlier:
                while (left := self._set[0][0] - time.monotonic() if self._set else threading.TIMEOUT_MAX) > 0:
                    self._earlier.wait(min(left, threading.TIMEOUT_MAX))
                _, _, cutter, late = heapq.heappop(self._set)
            cutter.cut(late)


_alarm = _Alarm()


class DeadlineCutter:
    """Knows the sockets of one conversation, and shuts them down when its time is over."""

    def __init__(self) -> None:
        self._handles: list[tuple[socket.socket, Callable[[], bool]]] = []
        self._late: threading.Event | None = None  # of what is under way
        self._lock = threading.Lock()  # a handle must not be closed while it is being shut down
        self.deadline = float("inf")

    def watch(self, made: socket.socket, *, in_use: Callable[[], bool] = lambda: True) -> None:
        """Cut this socket too; `in_use` says whether it is still worth knowing when a piece of work has ended.

        A second handle of it is kept, because TLS takes the first one away into an object of its own.
        """
        with self._lock:
            self._handles.append((made.dup(), in_use))
            if self._late and self._late.is_set():  # it was made while the time ran out
                self._shut_down()

    @contextmanager
    def until(self, deadline: float) -> Iterator[threading.Event]:
        """Cut at `deadline` (time.monotonic()) if the block has not ended by then, which the event tells afterwards."""
        self._late = late = threading.Event()
        self.deadline = deadline
        _alarm.set(deadline, self, late)
        try:
            yield late
        finally:
            self._forget(lambda in_use: not in_use(), is_over=True)

    def cut(self, late: threading.Event) -> None:
        """End what the event belongs to, if it has not ended."""
        with self._lock:
            if self._late is late:
                late.set()
                self._shut_down()

    def close(self) -> None:
        """Forget all of them."""
        self._forget(lambda _: True)

    def _shut_down(self) -> None:
        for handle, _ in self._handles:
            with suppress(OSError):
                handle.shutdown(socket.SHUT_RDWR)

    def _forget(self, is_done: Callable[[Callable[[], bool]], bool], *, is_over: bool = False) -> None:
        with self._lock:
            if is_over:
                self._late = None
            for entry in list(self._handles):
                if is_done(entry[1]):
                    entry[0].close()
                    self._handles.remove(entry)
