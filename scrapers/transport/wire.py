"""Ends a request at its deadline whatever the server does.

A read time-out starts anew with every byte, so a server that drips its headers could hold a thread for hours, and
nothing ends a read that has begun but the end of its socket. A timer shuts that down from outside.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool


class TimedAdapter(HTTPAdapter):
    """The network, for one conversation: what is on the wire can be cut."""

    def __init__(self) -> None:
        self._handles: list[tuple[HTTPConnection, socket.socket]] = []
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make pools whose connections hand their sockets over."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _pools(self._handles)

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """Cut whatever is on the wire at `deadline` (time.monotonic()), if the block has not ended by then."""
        timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._forget(only_closed=True)

    def close(self) -> None:
        """Drop all connections."""
        super().close()
        self._forget(only_closed=False)

    def _cut(self) -> None:
        for _, handle in list(self._handles):
            with suppress(OSError):
                handle.shutdown(socket.SHUT_RDWR)

    def _forget(self, *, only_closed: bool) -> None:
        for entry in list(self._handles):
            if not only_closed or entry[0].sock is None:
                entry[1].close()
                self._handles.remove(entry)


def _pools(handles: list[tuple[HTTPConnection, socket.socket]]) -> dict[str, type[HTTPConnectionPool]]:
    """Pools whose every new socket is kept twice: TLS takes the first one away into its own object."""

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            made = super()._new_conn()
            handles.append((self, made.dup()))
            return made

    class Secure(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            made = super()._new_conn()
            handles.append((self, made.dup()))
            return made

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}
