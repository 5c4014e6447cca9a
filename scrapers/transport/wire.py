"""The network of one conversation with a portal, which can be cut at a deadline."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable
from typing import Any

from requests import Response
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError

from scrapers.transport.deadline import DeadlineCutter, in_time


class TimedAdapter(HTTPAdapter):
    """The network, for one conversation; its `cutter` knows every socket that is on the wire."""

    def __init__(self) -> None:
        self.cutter = DeadlineCutter()
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make pools whose connections hand their sockets over."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _pools(self.cutter)

    def close(self) -> None:
        """Drop all connections."""
        super().close()
        self.cutter.close()


def seen_on_wire(response: Response) -> tuple[str | None, str | None]:
    """The machine that answers, and the SHA-256 of the certificate it showed (DER, hex); None where none is known.

    Asked while the answer is still being read: afterwards the connection may be gone.
    """
    wire = getattr(getattr(response.raw, "connection", None), "sock", None)
    if wire is None:
        return None, None
    try:
        host, port = wire.getpeername()[:2]
    except OSError:
        return None, None
    shown = wire.getpeercert(binary_form=True) if hasattr(wire, "getpeercert") else None
    peer = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return peer, hashlib.sha256(shown).hexdigest() if shown else None


def _pools(cutter: DeadlineCutter) -> dict[str, type[HTTPConnectionPool]]:
    """Pools whose every new socket can be cut, for as long as its connection holds it."""

    def connect(connection: HTTPConnection, usual: Callable[[], socket.socket]) -> socket.socket:
        try:
            made = in_time(usual, deadline=cutter.deadline, drop=socket.socket.close)
        except TimeoutError as late:
            raise ConnectTimeoutError(connection, f"no connection to {connection.host} in time") from late
        cutter.watch(made, in_use=lambda: connection.sock is not None)
        return made

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return connect(self, super()._new_conn)

    class Secure(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return connect(self, super()._new_conn)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}
