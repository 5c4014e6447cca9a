"""A loopback port for a server that is started later, or stopped and started again."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager

# The kernel hands ports from 32768 on to whoever connects, and a busy suite connects often: one of those, given back
# until the server has started, or while it is stopped, may be somebody's when it is wanted.
BELOW_THOSE_HANDED_OUT = range(20_000, 32_000)


def free_port() -> int:
    """Return a loopback port that was free a moment ago."""
    chance = random.SystemRandom()  # pytest-randomly begins every test of every worker with the same numbers
    while True:
        port = chance.choice(BELOW_THOSE_HANDED_OUT)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


@contextmanager
def reserved_port() -> Iterator[int]:
    """A loopback port that nobody else is given while the block runs; a server that reuses addresses may listen there.

    All do: `socket.create_server`, asyncio's, socketserver's.
    """
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", free_port()))
        yield reserved.getsockname()[1]
