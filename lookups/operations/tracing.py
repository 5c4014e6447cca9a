"""What took how long, for a collector of traces (OpenTelemetry): nothing at all unless `config.reporting` starts it.

The spans of one request share a trace, in whatever process they are: its id is made of the request's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

Value = str | int | float


class Span(Protocol):
    """One stretch of work under way."""

    def note(self, **facts: Value) -> None:
        """Add words to it: routes, states, verdicts. Never a name, a key or a body."""
        ...


class _NoSpan:
    def note(self, **facts: Value) -> None:
        """See Span."""


Opener = Callable[[str], AbstractContextManager[Any]]
_openers: list[Opener] = []


def start(opener: Opener) -> None:
    """Record from now on: `opener` makes a span of a name."""
    _openers[:] = [opener]


@contextmanager
def span(name: str, **facts: Value) -> Iterator[Span]:
    """A stretch of work, from here to the end of the block."""
    if not _openers:
        yield _NoSpan()
        return
    with _openers[0](name) as opened:
        opened.note(**facts)
        yield opened
