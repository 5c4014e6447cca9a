"""The network of one conversation with a portal, which can be cut at a deadline."""

from __future__ import annotations

import socket
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from scrapers.transport.deadline import DeadlineCutter


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


def _pools(cutter: DeadlineCutter) -> dict[str, type[HTTPConnectionPool]]:
    """Pools whose every new socket can be cut, for as long as its connection holds it."""

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            made = super()._new_conn()
            cutter.watch(made, in_use=lambda: self.sock is not None)
            return made

    class Secure(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            made = super()._new_conn()
            cutter.watch(made, in_use=lambda: self.sock is not None)
            return made

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}
