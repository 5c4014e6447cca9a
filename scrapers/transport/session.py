"""The only sender of requests to portals: identity, TLS, time-outs, size limits, redirects, retries, walls.

A portal's reader says what to ask; how it is sent is decided here, the same for every state. Each question has one
total deadline, because a thread can not be stopped from outside (Celery threads have no task time limit).
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote_plus, urlsplit

import requests
import urllib3
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from scrapers.failures import Failure, PageChanged, PortalBlocked, PortalError, PortalUnavailable
from scrapers.transport.challenge import refuse_walls
from scrapers.transport.exchanges import Exchange, sent_with
from scrapers.transport.pace import NoPacer, Pace, Pacer
from scrapers.transport.page import Page, joined
from scrapers.transport.wire import TimedAdapter, seen_on_wire

_CHUNK = 16 * 1024
_MAX_REDIRECTS = 5
_RETRY_AFTER_STATUS = frozenset({502, 503, 504})
_BLOCKED_STATUS = frozenset({401, 403, 405, 406, 407, 429, 451})


@dataclass(frozen=True, slots=True)
class TransportSettings:
    """How the service shows itself and how patient it is (seconds, bytes)."""

    user_agent: str
    connect_seconds: float = 5.0
    read_seconds: float = 15.0
    max_bytes: int = 10 * 1024 * 1024
    portals_url: str = ""  # tests and benchmarks: every portal is reached below this address
    keys: Mapping[str, str] = field(default_factory=dict)  # keys an operator got from a registry, by name


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of an attempt, for operators: what was done, how long it took (ms), what came of it."""

    name: str
    ms: int
    detail: str


class Trace:
    """Collects the stages of one attempt, and its exchanges with the portal."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self.exchanges: list[Exchange] = []
        self.waited = 0.0  # seconds, until requests might go out at the portal's pace
        self.searches = 0  # how often the registry was searched for a name, the narrow search included

    def add(self, name: str, started: float, detail: str) -> None:
        """Note a stage that began at `started` (time.monotonic())."""
        self.stages.append(Stage(name, round((time.monotonic() - started) * 1000), detail))


class PortalSession:
    """One conversation with one portal: cookies live as long as the question, and every page is kept as evidence.

    `hosts` are the only machines it talks to; a link or redirect elsewhere is refused (a page is hostile input).
    """

    def __init__(
        self,
        *,
        portal: str,
        hosts: tuple[str, ...],
        settings: TransportSettings,
        pace: Pace | None = None,
        pacer: Pacer | None = None,
        deadline: float,
        trace: Trace | None = None,
        adapter: BaseAdapter | None = None,
    ) -> None:
        self._portal, self._hosts, self._settings = portal, hosts, settings
        self._pace, self._pacer = pace or Pace(), pacer or NoPacer()
        self._deadline = deadline
        self.trace = trace or Trace()
        self.pages: list[Page] = []
        self._http = _Sender()
        self._http.trust_env = False  # no proxy and no netrc from the environment
        self._http.headers.update({"User-Agent": settings.user_agent, "Accept-Language": "en-US,en;q=0.8"})
        sender = adapter or TimedAdapter()
        self._wire = sender if isinstance(sender, TimedAdapter) else None
        for scheme in ("https://", "http://"):
            self._http.mount(scheme, sender)

    def get(
        self,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        expect: tuple[int, ...] = (200,),
    ) -> Page:
        """Fetch one page. `expect`: the statuses that carry an answer; all others end in a PortalError."""
        return self._ask("GET", url, expect=expect, params=params, headers=headers)

    def post(
        self,
        url: str,
        *,
        form: Mapping[str, Any] | list[tuple[str, str]] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Page:
        """Send a search form or JSON question; all posts to portals are reads, so they may be repeated once."""
        return self._ask("POST", url, expect=(200,), data=form, json=json, headers=headers)

    def read_from_file(self, page: Page, *, file: Mapping[str, str | None]) -> None:
        """Note rows of a published file that was loaded before, as if it had been asked: they are all that is read."""
        self.pages.append(page)
        heard = Exchange("COPY", page.url, time.monotonic(), page.status, page.headers, page.body, file=file)
        self.trace.exchanges.append(heard)

    def key(self, name: str) -> str | None:
        """Return the operator's key of that name, if one is set."""
        return self._settings.keys.get(name) or None

    def close(self) -> None:
        """Drop the connections and cookies."""
        self._http.close()

    def _ask(self, method: str, url: str, *, expect: tuple[int, ...], **parts: Any) -> Page:
        for attempt in (1, 2):
            try:
                page = self._follow(method, url, **parts)
            except PortalUnavailable as error:
                if attempt == 2 or not error.reason.facts.repeats or not self._time_for_retry(error):
                    raise
                continue
            closed = page.status in _RETRY_AFTER_STATUS and page.status not in expect
            if closed and attempt == 1 and self._time_for_retry(None, page):
                continue
            break
        self._judge(page, expect, asked=_asked(url, parts))
        self.pages.append(page)
        return page

    def _time_for_retry(self, error: PortalUnavailable | None, page: Page | None = None) -> bool:
        asked = _retry_after(page.headers) if page else (error.retry_after if error else None)
        wait = asked if asked is not None else random.uniform(0.3, 0.9)  # noqa: S311 - jitter, no secret
        if wait > 5 or time.monotonic() + wait + 1 > self._deadline:
            return False
        time.sleep(wait)
        return True

    def _follow(self, method: str, url: str, **parts: Any) -> Page:
        for _ in range(_MAX_REDIRECTS + 1):
            page = self._send(method, url, **parts)
            location = page.headers.get("location")
            if page.status not in (301, 302, 303, 307, 308) or not location:
                return page
            url = joined(page.url, location)
            if page.status in (307, 308):
                parts.pop("params", None)
            else:
                method, parts = "GET", {"headers": parts.get("headers")}
        raise PageChanged(f"more than {_MAX_REDIRECTS} redirects from {url}")

    def _wait_turn(self) -> None:
        began = time.monotonic()
        try:
            self._pacer.wait_turn(self._portal, self._pace, deadline=self._deadline)
        finally:
            self.trace.waited += time.monotonic() - began

    def _send(self, method: str, url: str, **parts: Any) -> Page:
        self._allow(url)
        self._wait_turn()
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise PortalUnavailable("the time allowed is used up", reason=Failure.TIMEOUT)
        started = time.monotonic()
        heard = Exchange(method, url, started)
        self.trace.exchanges.append(heard)
        try:
            with (
                self._cut_off(),
                self._http.request(
                    method,
                    self._address(url),
                    timeout=(min(self._settings.connect_seconds, left), min(self._settings.read_seconds, left)),
                    allow_redirects=False,
                    stream=True,
                    **parts,
                ) as response,
            ):
                headers = {name.lower(): value for name, value in response.headers.items()}
                heard.url, heard.status = self._true_url(url, response), response.status_code
                heard.headers, heard.sent = headers, sent_with(response.request)
                heard.peer, heard.certificate = seen_on_wire(response)
                page = Page(heard.url, heard.status, headers, self._read(response, heard))
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError) as error:
            self.trace.add("request", started, f"{method} {url}: {type(error).__name__}")
            raise _portal_error(error, url, late=time.monotonic() >= self._deadline) from error
        self.trace.add("request", started, f"{method} {url}: {page.status}, {len(page.body)} bytes")
        return page

    def _read(self, response: requests.Response, heard: Exchange) -> bytes:
        heard.body = body = bytearray()
        # read1 hands out what has come; a plain read waits for a full piece, and a slow drip outlives any deadline.
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            body += chunk
            if len(body) > self._settings.max_bytes:
                raise PageChanged(f"the answer is longer than {self._settings.max_bytes} bytes")
            if time.monotonic() > self._deadline:
                break
        if time.monotonic() > self._deadline:  # also when the wire was cut: what came is no whole answer
            raise PortalUnavailable("the answer came too slowly", reason=Failure.TIMEOUT)
        heard.body = whole = bytes(body)
        return whole

    def _cut_off(self) -> AbstractContextManager[object]:
        return self._wire.cutter.until(self._deadline) if self._wire else nullcontext()

    def _allow(self, url: str) -> None:
        """Refuse an address elsewhere, as `urlsplit` reads it and as it is sent: "https://a\\@b" is on a, or on b."""
        parts, sent_to = urlsplit(joined(url, "")), _machine_of(url)
        if {parts.hostname, sent_to}.difference(self._hosts) or parts.scheme != "https":
            place = f"{parts.scheme}://{sent_to or parts.hostname}"
            raise PageChanged(f"the portal led to {place}, which is not its own machine")

    def _address(self, url: str) -> str:
        base = self._settings.portals_url
        return f"{base.rstrip('/')}/{url.removeprefix('https://')}" if base else url

    def _true_url(self, asked: str, response: requests.Response) -> str:
        base = self._settings.portals_url
        shown = response.url or asked
        return "https://" + shown.removeprefix(base.rstrip("/") + "/") if base else shown

    def _judge(self, page: Page, expect: tuple[int, ...], *, asked: str) -> None:
        kind = page.headers.get("content-type", "")
        text = page.text if not kind.startswith(("application/zip", "application/octet-stream")) else ""
        refuse_walls(status=page.status, headers=page.headers, text=text, asked=asked)
        if page.status in expect:
            return
        answered = f"{page.url} answered {page.status}"
        if page.status in _BLOCKED_STATUS:
            raise PortalBlocked(
                answered,
                reason=Failure.RATE_LIMITED if page.status == 429 else None,
                retry_after=_retry_after(page.headers),
            )
        if page.status >= 500 or page.status == 408:
            raise PortalUnavailable(answered, retry_after=_retry_after(page.headers))
        raise PageChanged(answered)


class _Sender(requests.Session):
    """Merges no settings that nobody made, which takes as long as the rest of a request, and never looks at redirects:
    even when asked not to follow, `requests` reads their whole body, without a limit."""

    def prepare_request(self, request: requests.Request) -> requests.PreparedRequest:
        """With the conversation's own headers and cookies; of what else `requests` would merge, it has nothing."""
        prepared, headers = requests.PreparedRequest(), CaseInsensitiveDict(self.headers)
        headers.update(request.headers)
        prepared.prepare(
            method=request.method,
            url=request.url,
            headers=headers,
            data=request.data,
            params=request.params,
            cookies=self.cookies,
            json=request.json,
        )
        return prepared

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Redirects are PortalSession's to follow."""
        return None


def _machine_of(url: str) -> str | None:
    """The machine that an address leads to, by those who send it there."""
    try:
        return urllib3.util.parse_url(url).host
    except urllib3.exceptions.LocationParseError:
        return None


def _asked(url: str, parts: Mapping[str, Any]) -> str:
    """The words of the question, which a page may repeat."""
    sent = [parts.get(name) for name in ("params", "data", "json")]
    return f"{unquote_plus(url)} {sent}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the portal asked for, written as a number or as a moment (read against the portal's own clock)."""
    raw = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,6}", raw):
        return float(raw)
    try:
        wait = parsedate_to_datetime(raw) - parsedate_to_datetime(headers.get("date", ""))
    except (TypeError, ValueError, OverflowError):
        return None
    return min(max(0.0, wait.total_seconds()), 999_999.0)


def _portal_error(error: Exception, url: str, *, late: bool) -> PortalError:
    """Sort what `requests` and `urllib3` raise into the four errors; `late`: the deadline has passed."""
    if isinstance(error, requests.exceptions.SSLError) and not late:
        return PortalUnavailable(f"{url}: the TLS certificate could not be verified")
    if late or isinstance(error, (requests.exceptions.Timeout, urllib3.exceptions.TimeoutError)):
        return PortalUnavailable(f"{url}: no answer in time", reason=Failure.TIMEOUT)
    if isinstance(error, (requests.exceptions.ContentDecodingError, urllib3.exceptions.DecodeError)):
        return PageChanged(f"{url}: the answer could not be unpacked")
    return PortalUnavailable(f"{url}: {type(error).__name__}")
