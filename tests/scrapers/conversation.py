"""A conversation with a state's portal from answers at hand: for recordings and for protocol tests."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from scrapers import discovery
from scrapers.records import Answer, Query
from scrapers.search.pipeline import ask
from scrapers.transport.recording import Replay, Step
from scrapers.transport.session import PortalSession, TransportSettings
from tests.scrapers.golden import NOW, THRESHOLD


def answer(method: str, url: str, body: Any, *, status: int = 200, sent: dict[str, Any] | None = None) -> Step:
    """One request and its answer; `body` is a file, text, or anything JSON can hold."""
    if isinstance(body, Path):
        raw = body.read_bytes()
    else:
        raw = (body if isinstance(body, str) else json.dumps(body)).encode()
    kind = "text/html" if raw.lstrip().startswith(b"<") else "application/json"
    return Step(method, url, status, {"content-type": f"{kind}; charset=utf-8"}, raw, sent)


def turned(page: str, number: int) -> str:
    """A recorded first page of a grid as its pager would show it on another one: without a link to that."""
    return page.replace(f"Page${number}'", "Page$1'")


class Conversation:
    """A state's portal and the answers it will get; `unread` are the labels nobody read."""

    def __init__(self, state: str, *steps: Step, keys: dict[str, str] | None = None) -> None:
        found = discovery.find_portal(state)
        assert found is not None
        self.portal = found
        self.replay = Replay(list(steps))
        self.session = PortalSession(
            portal=state,
            hosts=found.hosts,
            settings=TransportSettings(user_agent="test", keys=keys or {}),
            deadline=time.monotonic() + 30,
            adapter=self.replay,
        )

    def ask(self, **question: Any) -> Answer:
        """Put a question; the fields are those of `Query`."""
        query = Query(state=self.portal.code, **question)
        return ask(self.portal, self.session, query, now=NOW, threshold=THRESHOLD)

    @property
    def unread(self) -> list[str]:
        """What the pages hold and nobody read or ignored by name."""
        return [stage.detail for stage in self.session.trace.stages if stage.name == "unread_labels"]
