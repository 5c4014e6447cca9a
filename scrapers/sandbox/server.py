"""The sandbox registry's server, played in the process: takes the place of the network below PortalSession.

What goes through it is what goes through a real portal: addresses, statuses, headers, bytes.
"""

from __future__ import annotations

import time
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter
from requests.exceptions import ReadTimeout

from jurisdictions.codes import PLACES
from scrapers.failures import PortalUnavailable
from scrapers.sandbox import book, pages
from scrapers.sandbox.magic import FAILURES, at_once, comes_later, find_outcome
from scrapers.transport.recording import answer

HOST = "sandbox.registry.invalid"  # a name that can never be anybody's (RFC 2606)
SLOW_SECONDS = 3.0
_HTML, _JSON = "text/html; charset=utf-8", "application/json; charset=utf-8"


class Reply(NamedTuple):
    """What the server says."""

    status: int
    body: str
    kind: str = _HTML
    retry_after: int | None = None


_FAULTS: dict[str, Reply] = {
    "fails": Reply(500, pages.BROKEN),
    "portal_down": Reply(503, pages.DOWN, retry_after=300),
    "blocked": Reply(200, pages.WALL),
    "rate_limited": Reply(429, pages.SLOW_DOWN, retry_after=60),
}
_PLAYED = {*_FAULTS, "timeout", "page_changed", "too_many"}


class SandboxServer(BaseAdapter):
    """Answers the requests of one conversation."""

    def send(self, request: PreparedRequest, *_: Any, timeout: Any = None, **__: Any) -> Response:
        """Answer one request; a slow answer that would outlive the caller's patience times out as on a wire."""
        parts = urlsplit(request.url or "")
        path = (parts.netloc + parts.path).partition(HOST)[2]  # tests may reach every portal below another address
        fields = {name: values[0] for name, values in parse_qs(parts.query).items()}
        played = find_outcome(fields.get("name", ""))
        outcome = at_once(played)
        if outcome == "timeout":
            raise ReadTimeout("the sandbox registry does not answer", request=request)
        if outcome in FAILURES and outcome not in _PLAYED:  # a failure that nobody has written a page for
            raise PortalUnavailable("the sandbox registry fails so", reason=FAILURES[outcome])
        if outcome == "slow" or comes_later(played):
            _sleep(request, timeout)
        reply = _FAULTS[outcome] if outcome in _FAULTS else _route(path, fields)
        headers = {"content-type": reply.kind}
        if reply.retry_after is not None:
            headers["retry-after"] = str(reply.retry_after)
        return answer(request, status=reply.status, headers=headers, body=reply.body.encode())

    def close(self) -> None:
        """Nothing to close."""


def _sleep(request: PreparedRequest, timeout: Any) -> None:
    patience = timeout[1] if isinstance(timeout, tuple) else timeout
    if patience is not None and patience < SLOW_SECONDS:
        time.sleep(patience)
        raise ReadTimeout("the sandbox registry was too slow", request=request)
    time.sleep(SLOW_SECONDS)


def _route(path: str, fields: dict[str, str]) -> Reply:
    match path.strip("/").split("/"):
        case [state, "search"] if state in PLACES and "name" in fields:
            return _search(state, fields["name"])
        case [state, "entity", number] if state in PLACES:
            entry = book.find_entry(state, number)
            return Reply(200, pages.entity(entry)) if entry else Reply(404, pages.no_entity(state, number))
        case [state, "ucc"] if state in PLACES and "name" in fields:
            return _liens(state, fields)
    return Reply(404, "<html><body><h1>Not Found</h1></body></html>")


def _search(state: str, term: str) -> Reply:
    if at_once(find_outcome(term)) == "page_changed":
        return Reply(200, pages.NEW_LAYOUT)
    return Reply(200, pages.results(state, term, book.find_listings(state, term)))


def _liens(state: str, fields: dict[str, str]) -> Reply:
    if at_once(find_outcome(fields["name"])) == "page_changed":
        return Reply(200, pages.new_lien_layout(), _JSON)
    found = book.find_liens(
        state,
        fields["name"],
        party="secured" if fields.get("party") == "secured" else "debtor",
        after=_day(fields.get("from")),
        before=_day(fields.get("to")),
    )
    return Reply(200, pages.liens(found), _JSON)


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
