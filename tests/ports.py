"""A loopback port for a server that is started later, or stopped and started again."""

from __future__ import annotations

import random
import socket

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
