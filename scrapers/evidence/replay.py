"""Reads what a registry once answered again, with today's reader.

No network, pace, breaker or attempt has a part in it, and a reader gets the mark in place of a key. Whoever wants to
know what a mended reader makes of old pages, or whether a registry changed or only our reading of it, asks here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.conf import settings

from scrapers import discovery, gateway
from scrapers.evidence import bodies, readings
from scrapers.gateway import NameReply, Reply
from scrapers.models import ANSWERED, Reading
from scrapers.portal import Portal
from scrapers.records import Answer, Evidence, NameVerdict
from scrapers.search.pipeline import ask, ask_name
from scrapers.transport.exchanges import HIDDEN
from scrapers.transport.recording import Replay, Step, UnexpectedRequest
from scrapers.transport.session import PortalSession, Trace, TransportSettings

SECONDS = 60.0
FindBody = Callable[[str], bytes | None]  # the bytes with this hash; None: not kept


class Obstacle(StrEnum):
    """Why what was kept cannot be read again, in words for an operator."""

    NO_READER = "no reader for this registry is known today"
    COPY = "rows of a loaded copy were read, and no pages of the registry"
    FORGOTTEN = "its bytes are not kept any more"
    DAMAGED = "its bytes are not what they were"
    CUT = "its pages were not kept whole"
    OTHER_REQUESTS = "today's reader asks for something else"
    UNREADABLE = "today's reader cannot read its pages"


class NotReplayed(Exception):
    """What was kept gives no answer now. `failure`: what today's reader ended in, where the pages are at fault."""

    def __init__(self, obstacle: Obstacle, detail: str = "", *, failure: Exception | None = None) -> None:
        super().__init__(f"{obstacle}: {detail}" if detail else str(obstacle))
        self.obstacle, self.failure = obstacle, failure


@dataclass(slots=True)
class Playback:
    """What today's reader made of it: an answer, or what it failed with.

    `keys`: those it was given, `left`: the steps that it did not ask for.
    """

    keys: Mapping[str, str]
    left: list[Step]
    trace: Trace = field(default_factory=Trace)
    answer: Answer | None = None
    verdict: tuple[NameVerdict, Evidence] | None = None
    failure: Exception | None = None


def read(reading: Reading) -> Reply | NameReply:
    """The answer that it gives now, as `gateway.fetch` or `fetch_name` returns it. Raises NotReplayed."""
    portal = get_portal(reading)
    played = play(reading, portal=portal)
    if played.verdict is not None:
        return NameReply(*played.verdict, reading)
    if played.answer is not None:
        return gateway.to_reply(played.answer, portal, readings.to_query(reading), reading)
    failure = played.failure
    raise NotReplayed(Obstacle.UNREADABLE, f"{type(failure).__name__}: {failure}", failure=failure) from failure


def play(reading: Reading, *, portal: Portal, find_body: FindBody = bodies.read) -> Playback:
    """Put the question of then to the portal's reader of today, and play the registry's part.

    Raises NotReplayed where that part cannot be played. Whether a key was set then is not known: the reader is asked
    without one first.
    """
    steps = list(_steps(reading, find_body))
    try:
        return _play(reading, portal, steps, keys={})
    except UnexpectedRequest:
        pass
    try:
        return _play(reading, portal, steps, keys=dict.fromkeys(gateway.transport_settings().keys, HIDDEN))
    except UnexpectedRequest as error:
        raise NotReplayed(Obstacle.OTHER_REQUESTS, str(error)[:300]) from error


def _play(reading: Reading, portal: Portal, steps: list[Step], *, keys: Mapping[str, str]) -> Playback:
    """Raises UnexpectedRequest."""
    network, query, now = Replay(steps), readings.to_query(reading), reading.read_at
    played = Playback(keys, network.left)
    session = open_session(portal, network, trace=played.trace, keys=keys)
    try:
        if reading.kind == "name_check":
            played.verdict = ask_name(portal, session, query, now=now)
        else:
            played.answer = ask(portal, session, query, now=now, threshold=settings.MATCH_THRESHOLD)
    except UnexpectedRequest:
        raise
    except Exception as error:  # also what a reader trips over on a page
        played.failure = error
    finally:
        session.close()
    return played


def open_session(portal: Portal, network: Replay, *, trace: Trace, keys: Mapping[str, str]) -> PortalSession:
    """A conversation with what was recorded of a portal, at no pace."""
    return PortalSession(
        portal=portal.code or "sandbox",
        hosts=portal.hosts,
        settings=TransportSettings(user_agent="replay", keys=keys),
        deadline=time.monotonic() + SECONDS,
        trace=trace,
        adapter=network,
    )


def get_portal(reading: Reading) -> Portal:
    """The portal whose reader reads it today, whether or not its registry may be asked. Raises NotReplayed."""
    portal = discovery.find_portal(reading.state, sandbox=reading.sandbox)
    if portal is None:
        raise NotReplayed(Obstacle.NO_READER)
    return portal


def _steps(reading: Reading, find_body: FindBody) -> Iterator[Step]:
    records: Sequence[Mapping[str, Any]] = reading.exchanges
    if any(one["method"] == "COPY" for one in records):
        raise NotReplayed(Obstacle.COPY)
    for place, record in enumerate(records):
        came = record["status"] is not None and record["body"]["whole"]
        if not came and record["status"] is not None and reading.outcome not in ANSWERED:
            raise NotReplayed(Obstacle.CUT)
        if came:
            body = _get_body(record["body"]["sha256"], find_body)
            headers = record["headers"]
            yield Step(record["method"], record["url"], record["status"], headers, body, record["sent"])
        elif not any(_is_same(record, other) for other in records[place + 1 : place + 2]):
            # What was sent once more after it is all that its reader heard of
            yield Step(record["method"], record["url"], 0, {}, b"")


def _is_same(record: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the other is the same request once more: of one without an answer no query is known."""
    ways = [(one["method"], one["url"].partition("?")[0]) for one in (record, other)]
    return ways[0] == ways[1]


def _get_body(sha256: str, find_body: FindBody) -> bytes:
    try:
        body = find_body(sha256)
    except bodies.DamagedBody as error:
        raise NotReplayed(Obstacle.DAMAGED, sha256) from error
    if body is None:
        raise NotReplayed(Obstacle.FORGOTTEN)
    return body
