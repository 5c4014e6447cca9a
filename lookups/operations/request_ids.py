"""Which request is being worked on: its id goes with it through queue and portal to the webhook, and is in every line.

A job and a bulk job keep it in their rows; who works on them says so here, and the log reads it (`config.logging`).
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def choose(given: str) -> str:
    """The caller's own id, if it is well-formed; else a new one."""
    return given if _WELL_FORMED.fullmatch(given) else uuid.uuid4().hex


def current() -> str:
    """The id of the request that is being worked on here; empty when it is none."""
    return _current.get()


@contextmanager
def working_on(request_id: str) -> Iterator[None]:
    """What is done within belongs to this request."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)
