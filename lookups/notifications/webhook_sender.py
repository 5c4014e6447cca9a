"""Sends one webhook to an address that a customer chose, without being led into a network of ours.

The name is resolved once, every address it has is judged, and the connection is made to a judged address: nothing
resolves the name again, so an answer of the DNS that changes meanwhile changes nothing. TLS is still spoken with the
name: its certificate is checked, and the Host header says it. Redirects are not followed. Proxies, netrc files and
cookies do not exist for the standard library's plain HTTP client, which is why it is used here.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import certifi
from django.conf import settings

from lookups.notifications import webhook_addresses
from lookups.notifications.webhook_addresses import IPAddress, Refused, Target
from scrapers.transport.deadline import DeadlineCutter, in_time

SECONDS = 10.0  # for everything together: name, connection, TLS, sending, the head of the answer
MOST_ADDRESSES = 4  # tried one after the other while there is time
LONGEST_READ = 4096  # bytes of the body of an answer that is no success
LONGEST_EXCERPT = 200

NO_SUCH_NAME = "the name of the address was not found"
NO_CONNECTION = "no connection: the server does not accept any"
NOT_TRUSTED = "certificate not trusted"
NO_TLS = "the server does not speak TLS as it should"
NOT_HTTP = "the answer is not HTTP"
BROKEN_OFF = "the server broke the connection off"


@dataclass(frozen=True, slots=True)
class Sent:
    """How a delivery went. `status` is None without an answer; `error` is empty exactly when it was a success (2xx).

    `error` is for customers and operators to read; `excerpt` is the beginning of the body of another answer, one line
    of printable text (escape it all the same: a stranger wrote it). `duration_ms` counts from the call.
    `retry_after` is what an answer that is no success asked for, in seconds.
    """

    status: int | None
    error: str
    duration_ms: int
    excerpt: str = ""
    retry_after: int | None = None

    @property
    def delivered(self) -> bool:
        """True when the other side accepted it."""
        return not self.error


class _Failed(Exception):
    """No answer; the text says why."""


def post(
    *,
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    seconds: float = SECONDS,
    tls: ssl.SSLContext | None = None,
) -> Sent:
    """POST `body` to `url` and tell how it went; nothing is raised for what the other side does.

    `seconds` limits all of it, also an answer that drips. `tls` replaces the trusted authorities (tests).
    Holds no transaction and reads no table: call it outside of one, for it may take all of `seconds`.
    """
    started = time.monotonic()
    deadline = started + seconds
    status, excerpt, retry_after = None, "", None
    try:
        target = webhook_addresses.read(url, to_loopback=settings.WEBHOOKS_TO_LOOPBACK)
        found = _look_up(target, deadline)
        allowed = webhook_addresses.check(target, found, to_loopback=settings.WEBHOOKS_TO_LOOPBACK)
        status, excerpt, retry_after = _exchange(target, allowed, body, headers, deadline, tls or _authorities())
        error = _judge(status)
    except (Refused, _Failed) as failure:
        error = str(failure)
    except TimeoutError:
        error = f"no answer within {seconds:g} s"
    return Sent(status, error, round((time.monotonic() - started) * 1000), excerpt, retry_after)


def _judge(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"answered {status}, a redirect; redirects are not followed"
    return f"answered {status}"


def _look_up(target: Target, deadline: float) -> list[str]:
    """Resolve the name, once."""
    ask = functools.partial(socket.getaddrinfo, target.host, target.port, type=socket.SOCK_STREAM)
    try:
        found = in_time(ask, deadline=deadline)
    except TimeoutError:
        raise
    except (OSError, UnicodeError) as error:
        raise _Failed(NO_SUCH_NAME) from error
    if not found:
        raise _Failed(NO_SUCH_NAME)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _exchange(
    target: Target,
    addresses: list[IPAddress],
    body: bytes,
    headers: Mapping[str, str],
    deadline: float,
    tls: ssl.SSLContext,
) -> tuple[int, str, int | None]:
    """Connect to one of the checked addresses, send, and read as much of the answer as is needed."""
    with (
        _connected(addresses, target.port, deadline) as plain,
        contextlib.closing(DeadlineCutter()) as cutter,
        cutter.until(deadline) as cut,
    ):
        cutter.watch(plain)
        try:
            with _wrapped(plain, target, tls) as ready:
                return _ask(target, ready, body, headers, cut)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if cut.is_set() or isinstance(error, TimeoutError):
                raise TimeoutError from error
            raise _Failed(_describe(error)) from error


def _ask(
    target: Target, ready: socket.socket, body: bytes, headers: Mapping[str, str], cut: threading.Event
) -> tuple[int, str, int | None]:
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.default_port = 443 if target.secure else 80  # the Host header leaves out the usual port
    connection.sock = ready  # so it never makes a connection of its own
    connection.auto_open = 0
    connection.request(
        "POST", target.path, body=body, headers={"User-Agent": _name(), "Connection": "close", **headers}
    )
    with connection.getresponse() as answer:
        if cut.is_set():
            raise TimeoutError  # the head was cut while it dripped in: for the HTTP client that is just its end
        if 200 <= answer.status < 300:
            return answer.status, "", None  # what a success says beside is not read
        wait = (answer.getheader("Retry-After") or "").strip()
        # Its other form, a date, is left to the ordinary pauses: two clocks would have to agree.
        seconds = int(wait) if wait.isascii() and wait.isdigit() and len(wait) < 10 else None
        return answer.status, _excerpt(answer), seconds


def _excerpt(answer: http.client.HTTPResponse) -> str:
    """The beginning of the body as one line of printable text; whatever has come by the deadline."""
    body = bytearray()
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        while len(body) < LONGEST_READ and (piece := answer.read1(LONGEST_READ - len(body))):
            body += piece
    text = "".join(sign if sign.isprintable() else " " for sign in body.decode("utf-8", "replace"))
    return " ".join(text.split())[:LONGEST_EXCERPT]


@contextlib.contextmanager
def _connected(addresses: list[IPAddress], port: int, deadline: float) -> Iterator[socket.socket]:
    """A connection to the first of the addresses that accepts one."""
    waiting, failure = addresses[:MOST_ADDRESSES], OSError()
    while waiting:
        address, patience = waiting.pop(0), _left(deadline) / (len(waiting) + 1)
        try:
            made = _connect(address, port, patience)  # a machine that is gone leaves time for the next one
        except OSError as error:
            failure = error
            continue
        with made as plain:
            plain.settimeout(_left(deadline))
            yield plain
            return
    if isinstance(failure, TimeoutError):
        raise failure
    raise _Failed(NO_CONNECTION) from failure


def _connect(address: IPAddress, port: int, patience: float) -> socket.socket:
    plain = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        plain.settimeout(patience)
        plain.connect((str(address), port))
    except BaseException:
        plain.close()
        raise
    return plain


def _wrapped(plain: socket.socket, target: Target, tls: ssl.SSLContext) -> socket.socket:
    return tls.wrap_socket(plain, server_hostname=target.host) if target.secure else plain


def _describe(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"{NOT_TRUSTED} ({error.verify_message.rstrip('.')})"[:LONGEST_EXCERPT]
    if isinstance(error, ssl.SSLError):
        return NO_TLS
    if isinstance(error, (ConnectionError, http.client.IncompleteRead, http.client.RemoteDisconnected)):
        return BROKEN_OFF
    return NOT_HTTP if isinstance(error, (http.client.HTTPException, ValueError)) else BROKEN_OFF


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _name() -> str:
    return f"SOS-Lookup-Webhooks/1 (+{settings.PUBLIC_URL})"


@functools.cache
def _authorities() -> ssl.SSLContext:
    """The certificate authorities that `requests` brings, the same that portals are held against."""
    return ssl.create_default_context(cafile=certifi.where())
