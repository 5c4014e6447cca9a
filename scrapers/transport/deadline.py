"""Ends whatever is on a wire at a deadline, whatever the other side does: for portals and for webhooks alike.

A read time-out starts anew with every byte, so a server that drips its answer could hold a thread for hours, and
nothing ends a read that has begun but the end of its socket. A timer shuts that down from outside.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class DeadlineCutter:
    """Knows the sockets of one conversation, and shuts them down when its time is over."""

    def __init__(self) -> None:
        self._handles: list[tuple[socket.socket, Callable[[], bool]]] = []
        self._late = threading.Event()

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
