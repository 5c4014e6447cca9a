"""The web server: gunicorn looks after the processes, waitress in each of them after the connections.

A thread is given to a request that has come in whole, and is free again once the reply is written down, however slowly
a client sends or reads: none of gunicorn's own workers can say that (docs/adr/0024). What waitress leaves open is
closed here: a client that takes too long over a request or a reply, and, where there are too many connections, those
that have kept us waiting longest. Asked to stop, a process takes no new connection and ends what it has begun.
"""

from __future__ import annotations

import os
import select
import time
from typing import Any

from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask

REQUEST_SECONDS = 30.0  # for a whole request to come in, also the next one on the same connection
REPLY_SECONDS = 120.0  # for a reply to be taken
MOST_CONNECTIONS = 800  # of a process: a file each, of the 1,024 that most systems allow
LARGEST_HEADER = 32 * 1024
LARGEST_BODY = 6 * 1024 * 1024  # the admin's forms may have 5 MB; the API refuses far smaller bodies itself
LIVE = "/livez"
LAST_CALL_SECONDS = 1.0  # what was connected just before a stop still gets its request in


class _Answer(WSGITask):
    """What the application answers; to HEAD without the body, which waitress leaves to us.

    A client reads none there, and would take it for the beginning of its next reply on the same connection.
    """

    def write(self, data: bytes) -> None:
        """Write the head, and the body unless only the head was asked for."""
        if self.request.command != "HEAD":
            super().write(data)
            return
        super().write(b"")
        self.chunked_response = False  # no last chunk either

    def get_environment(self) -> dict[str, Any]:
        """What the application is asked; a file is not to be sent past `write`."""
        environ: dict[str, Any] = super().get_environment()
        if self.request.command == "HEAD":
            environ.pop("wsgi.file_wrapper", None)
        return environ


class _Error(ErrorTask):
    """What is refused before the application sees it, in the API's one shape; what a browser may send, as a page."""

    def execute(self) -> None:
        """Write the reply and close."""
        from lookups.api import errors  # not before Django is ready: gunicorn's parent imports this module too
        from lookups.api.wire.shape import encode
        from lookups.pages import views

        refused = self.request.error
        error = errors.for_status(refused.code)
        if refused.code in (413, 431) and _is_of_browser(self.request):
            body = views.write_too_large(self.request.path) if refused.code == 413 else views.write_too_long()
            kind = "text/html; charset=utf-8"
            self.response_headers.append(("Content-Security-Policy", views.POLICY))
        else:
            body, kind = encode(error.body(os.urandom(16).hex())), error.content_type
        self.status = f"{refused.code} {refused.reason}"
        self.response_headers.append(("Content-Type", kind))
        self.response_headers.append(("X-Content-Type-Options", "nosniff"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


def _is_of_browser(request: Any) -> bool:
    """Of a head that is too long nothing was read: what came of it before the last piece says whose it is."""
    if request.error.code == 431:
        line, _, fields = request.header_plus.lower().partition(b"\r\n")
        accepted = (field for field in fields.split(b"\r\n") if field.startswith(b"accept:"))
        return any(b"text/html" in field for field in accepted) and b" /v1/" not in line
    return "text/html" in request.headers.get("ACCEPT", "") and not request.path.startswith("/v1/")


class _Connection(HTTPChannel):
    """One client. `begun`: since when we wait for its request, or it takes its reply."""

    task_class = _Answer
    error_task_class = _Error

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.begun = time.monotonic()
        super().__init__(*arguments, **named)

    def received(self, data: bytes) -> bool:
        """Take what came in; the clock of a request starts with its first byte."""
        if self.request is None:
            self.begun = time.monotonic()
        return bool(super().received(data))

    def write_soon(self, data: Any) -> int:
        """In a thread: what is written now can be taken from now on, however long the answer has taken."""
        if not self.total_outbufs_len:
            self.begun = time.monotonic()
        return int(super().write_soon(data))

    def service(self) -> None:
        """In a thread: answer; from here on the client takes what is left of its reply."""
        super().service()
        self.begun = time.monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether a request of this client is being answered, or its reply not yet taken."""
        return bool(self.requests or self.total_outbufs_len)

    def is_too_slow(self, now: float) -> bool:
        """Whether the client has kept us waiting longer than anybody may."""
        if self.total_outbufs_len:
            return now - self.begun > REPLY_SECONDS
        return not self.requests and now - self.begun > REQUEST_SECONDS


class _Threads(ThreadedTaskDispatcher):
    """So many for requests, and one beside them that says that the process lives while all of them wait for something.

    Whoever starts again what does not answer would cut off every customer otherwise, for a database that is slow.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self._spare = ThreadedTaskDispatcher()
        self._spare.set_thread_count(1)
        self.set_thread_count(number)

    def add_task(self, task: _Connection) -> None:
        """Leave the next request of a connection to a thread."""
        request = task.requests[0]
        if request.error is None and request.path == LIVE:
            self._spare.add_task(task)
        else:
            super().add_task(task)


class BufferingWorker(Worker):
    """gunicorn's worker process with waitress inside."""

    def run(self) -> None:
        """Serve until told to stop, then end what has begun."""
        connections: dict[int, Any] = {}
        create_server(
            self.wsgi,
            map=connections,
            sockets=[listener.sock for listener in self.sockets],
            _dispatcher=_Threads(self.cfg.threads),
            connection_limit=MOST_CONNECTIONS + 100,
            max_request_header_size=LARGEST_HEADER,
            max_request_body_size=LARGEST_BODY,
            clear_untrusted_proxy_headers=False,  # which of them are believed is the service's setting
            log_socket_errors=False,  # a client that leaves is nobody's fault
            ident=None,
        )
        listeners = [one for one in connections.values() if hasattr(one, "channel_class")]
        for one in listeners:
            one.channel_class = _Connection
        while self.alive and self.ppid == os.getppid():
            self._turn(connections)
        for one in listeners:
            _close(one)
        self._end_what_has_begun(connections)
        wasyncore.close_all(connections)

    def _turn(self, connections: dict[int, Any], seconds: float = 1.0) -> None:
        """Wait so long for anything to happen, do it, and close what has waited too long."""
        self.notify()
        wasyncore.loop(timeout=seconds, use_poll=True, map=connections, count=1)
        clients, now = _list_clients(connections), time.monotonic()
        late = [client for client in clients if client.is_too_slow(now)]
        idle = sorted((client for client in clients if not client.is_busy), key=_begun)
        for client in [*late, *idle[: max(0, len(clients) - MOST_CONNECTIONS)]]:
            client.handle_close()

    def _end_what_has_begun(self, connections: dict[int, Any]) -> None:
        begun = time.monotonic()
        last_call, deadline = begun + LAST_CALL_SECONDS, begun + self.cfg.graceful_timeout
        while (now := time.monotonic()) < deadline:
            if now > last_call and not any(client.is_busy for client in _list_clients(connections)):
                return
            self._turn(connections, 0.1)


def _close(listener: Any) -> None:
    """Take in who has knocked, and hear no more: at a reload others do, else a proxy is refused and turns elsewhere.

    Who was left knocking would be cut off at the end, and nobody could tell whether the request had been begun.
    """
    while select.select([listener.socket], [], [], 0)[0]:
        listener.handle_accept()
    wasyncore.dispatcher.close(listener)  # not the listener's own: that closes what wakes us for the threads, too


def _list_clients(connections: dict[int, Any]) -> list[_Connection]:
    return [one for one in connections.values() if isinstance(one, _Connection)]


def _begun(client: _Connection) -> float:
    return client.begun
