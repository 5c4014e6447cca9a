"""Ends whatever is on a wire at a deadline, whatever the other side does: for portals and for webhooks alike.

A read time-out starts anew with every byte, so a server that drips its answer could hold a thread for hours, and
nothing ends a read that has begun but the end of its socket. A timer shuts that down from outside. The resolver of
names has no socket of ours and no time-out: a thread of its own waits for it, and is left behind when it hangs.
"""

from __future__ import annotations

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


class DeadlineCutter:
    """Knows the sockets of one conversation, and shuts them down when its time is over."""

    def __init__(self) -> None:
        self._handles: list[tuple[socket.socket, Callable[[], bool]]] = []
        self._late = threading.Event()
        self.deadline = float("inf")

    def watch(self, made: socket.socket, *, in_use: Callable[[], bool] = lambda: True) -> None:
        """Cut this socket too; `in_use` says whether it is still worth knowing when a piece of work has ended.

        A second handle of it is kept, because TLS takes the first one away into an object of its own.
        """
        self._handles.append((made.dup(), in_use))
        if self._late.is_set():  # it was made while the time ran out
            self._cut()

    @contextmanager
    def until(self, deadline: float) -> Iterator[threading.Event]:
        """Cut at `deadline` (time.monotonic()) if the block has not ended by then, which the event tells afterwards."""
        self._late = late = threading.Event()
        self.deadline = deadline
        timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()
            timer.join()  # a handle must not be closed while it is being shut down
            self._forget(lambda in_use: not in_use())

    def close(self) -> None:
        """Forget all of them."""
        self._forget(lambda _: True)

    def _cut(self) -> None:
        self._late.set()
        for handle, _ in list(self._handles):
            with suppress(OSError):
                handle.shutdown(socket.SHUT_RDWR)

    def _forget(self, is_done: Callable[[Callable[[], bool]], bool]) -> None:
        for entry in list(self._handles):
            if is_done(entry[1]):
                entry[0].close()
                self._handles.remove(entry)
