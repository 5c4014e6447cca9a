"""The web server's process, as gunicorn starts it: slow clients, full houses, whole bodies, and an end without loss."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest

from config import env
from config.launch import commands
from tests import plain_http
from tests.bench.slow_clients import KINDS, SlowClients
from tests.journeys.checkout import ROOT, clean_environment
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("web server")]
THREADS = 4


class WebServer:
    """A running one."""

    def __init__(self, folder: Path, processes: int = 1) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "web.log"
        command = commands.web(host="127.0.0.1", port=self.port, production=False)
        for option, value in (
            ("--workers", str(processes)),
            ("--threads", str(THREADS)),
            ("--worker-class", "tests.config.hurried_server.HurriedWorker"),
        ):
            command[command.index(option) + 1] = value
        command[command.index("config.wsgi:application")] = "tests.config.hurried_server:application"
        environment = clean_environment({"VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings.dev"})
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        self.wait_until(self.answers, seconds=60)

    def answers(self) -> bool:
        """Whether it does."""
        with contextlib.suppress(httpx.HTTPError):
            return plain_http.get(self.url, timeout=5).status_code == 200
        return False

    def wait_until(self, state: Callable[[], bool], *, seconds: float = 30) -> None:
        """Wait for a state."""
        deadline = time.monotonic() + seconds
        while not state():
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def connect(self, first: bytes = b"") -> socket.socket:
        """A client that has said this much."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        client.sendall(first)
        return client

    def end(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def starting(folder: Path) -> Iterator[Callable[..., WebServer]]:
    """Start servers, and end them."""
    running: list[WebServer] = []

    def start(**how: int) -> WebServer:
        running.append(WebServer(folder, **how))
        return running[-1]

    try:
        yield start
    finally:
        for one in running:
            one.end()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., WebServer]]:
    """Starts servers of a story's own."""
    with starting(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """One process with four threads."""
    with starting(tmp_path_factory.mktemp("web")) as start:
        yield start()


@pytest.fixture
def server(lasting: WebServer) -> WebServer:
    """The same for all who neither end it nor leave it work to do; it has lived through the story before."""
    assert lasting.answers()
    return lasting


class TestTheWebServer:
    """Four threads, and clients who take their time."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_answers_while_five_times_as_many_are_slow(self, server: WebServer, kind: str) -> None:
        with SlowClients(server.port, [kind], 5 * THREADS):
            for _ in range(4):
                assert plain_http.get(server.url, timeout=30).text == "well"

    @pytest.mark.parametrize(
        "first", [b"", b"GET / HTTP/1.1\r\nX: ", b"POST /echo HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"], ids=repr
    )
    def test_hangs_up_on_a_request_that_does_not_come_in(self, server: WebServer, first: bytes) -> None:
        with server.connect(first) as client:
            assert client.recv(100) == b""

    def test_says_that_it_lives_while_all_threads_wait_and_others_for_them(
        self, started: Callable[..., WebServer]
    ) -> None:
        """In its turn it would come after the last of them has been begun: eight would have their answers."""
        server = started()
        slow = [server.connect(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") for _ in range(3 * THREADS)]
        assert plain_http.get(f"{server.url}/livez", timeout=30).status_code == 200
        answered, _, _ = select.select(slow, [], [], 0)
        assert len(answered) < 2 * THREADS
        for client in slow:
            client.close()

    def test_hangs_up_on_one_that_comes_byte_by_byte(self, server: WebServer) -> None:
        with SlowClients(server.port, ["headers"], 3) as slow:
            server.wait_until(lambda: slow.closed == 3)

    def test_hangs_up_on_who_does_not_take_the_reply(self, server: WebServer) -> None:
        """What the kernel holds for the client can still be read; then the line is dead, before the reply's end."""
        with server.connect(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n") as client:
            time.sleep(6)  # twice as long as a client may take; nothing tells from outside when it is over
            got = 0
            with contextlib.suppress(ConnectionResetError):
                while piece := client.recv(65536):
                    got += len(piece)
        assert got < 8 * 1024 * 1024

    def test_gives_who_waited_long_the_whole_time_to_take_the_reply(self, server: WebServer) -> None:
        with server.connect(b"GET /late HTTP/1.0\r\n\r\n") as client:
            client.recv(1)
            time.sleep(1.5)  # the kernel is full by now, and the reply has not been written to its end
            assert len(_read_all(client)) > 8 * 1024 * 1024

    def test_keeps_a_connection_for_who_asks_now_and_then(self, server: WebServer) -> None:
        with httpx.Client(timeout=30) as client:
            for _ in range(4):
                assert client.get(server.url).text == "well"
                time.sleep(0.6)

    def test_makes_room_when_it_is_full(self, server: WebServer) -> None:
        """Thirty connections are its bound, and three times as many come and say nothing."""
        idle = [server.connect() for _ in range(90)]
        assert plain_http.get(server.url, timeout=30).text == "well"
        for client in idle:
            client.close()

    def test_hands_a_body_in_chunks_on_as_a_whole(self, server: WebServer) -> None:
        reply = plain_http.post(f"{server.url}/echo", content=iter([b"a" * 9, b"b" * 70_000]), headers={"host": "a"})
        assert reply.text.split()[0] == "70009"

    @pytest.mark.parametrize("path", ["/echo", "/file", "/pieces"])
    def test_sends_no_body_to_who_asks_for_the_head_alone(self, server: WebServer, path: str) -> None:
        """A client would take it for the beginning of its next reply; here the server may also hang up instead."""
        asked = f"HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        with server.connect(asked.encode()) as client:
            head, _, after = _read_all(client).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        if path == "/pieces":
            assert (b"Connection: close" in head, after) == (True, b"")
        else:
            assert b"Content-Length: " in head
            assert after.startswith(b"HTTP/1.1 200 ")
            assert after.endswith(b"well")

    def test_leaves_it_to_the_service_which_proxies_are_believed(self, server: WebServer) -> None:
        assert plain_http.get(f"{server.url}/echo", headers={"X-Forwarded-For": "1.2.3.4"}).text == "0 1.2.3.4"

    @pytest.mark.parametrize(
        ("request_", "status", "code"),
        [
            (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n", 413, "payload_too_large"),
            (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 11_000 + b"\r\n\r\n", 431, "invalid_request"),
            (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400, "invalid_request"),
            (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "internal_error"),
        ],
        ids=["body too large", "header too large", "bad header", "unknown encoding"],
    )
    def test_refuses_in_the_one_error_shape(self, server: WebServer, request_: bytes, status: int, code: str) -> None:
        with server.connect(request_) as client:
            head, _, body = _read_all(client).partition(b"\r\n\r\n")
        assert head.split()[1] == str(status).encode()
        assert b"application/json" in head
        assert b"X-Content-Type-Options: nosniff" in head
        told = json.loads(body)
        assert (told["success"], told["code"], told["cost"]) == (False, code, 0)

    def test_refuses_too_large_a_body_in_chunks(self, server: WebServer) -> None:
        reply = plain_http.post(server.url, content=iter([b"a" * 60_000, b"b" * 60_000]))
        assert (reply.status_code, reply.json()["code"]) == (413, "payload_too_large")

    @pytest.mark.parametrize(("path", "kind"), [("/states/", b"text/html"), ("/v1/states", b"application/json")])
    def test_shows_a_browser_a_page_where_its_cookies_are_too_long(
        self, server: WebServer, path: str, kind: bytes
    ) -> None:
        asked = f"GET {path} HTTP/1.1\r\nHost: a\r\nAccept: text/html,*/*;q=0.8\r\nCookie: a={'x' * 11_000}\r\n\r\n"
        with server.connect(asked.encode()) as client:
            head, _, body = _read_all(client).partition(b"\r\n\r\n")
        assert head.split()[1] == b"431"
        assert b"Content-Type: " + kind in head
        assert (b"Remove the cookies" in body) == (kind == b"text/html")

    def test_shows_a_browser_a_page_where_its_file_is_far_too_large(self, server: WebServer) -> None:
        asked = "POST /app/bulk/ HTTP/1.1\r\nHost: a\r\nAccept: text/html,*/*;q=0.8\r\nContent-Length: 100001\r\n\r\n"
        with server.connect(asked.encode()) as client:
            head, _, body = _read_all(client).partition(b"\r\n\r\n")
        assert head.split()[1] == b"413"
        assert b"Content-Type: text/html" in head
        assert b"Content-Security-Policy: default-src 'none'" in head
        assert "may have 5 MB" in body.decode()
        assert '<a class="button" href="/app/bulk/">' in body.decode()


class TestAStop:
    """SIGTERM, as a service manager sends it."""

    def test_ends_what_has_begun(self, started: Callable[..., WebServer]) -> None:
        server = started()
        with contextlib.ExitStack() as clients:
            request = b"GET /slow HTTP/1.0\r\n\r\n"
            asked = [clients.enter_context(server.connect(request)) for _ in range(2 * THREADS)]
            plain_http.get(f"{server.url}/livez", timeout=30)  # all others are being answered, or wait for a thread
            server.process.terminate()
            assert [_read_all(one).rpartition(b"\r\n\r\n")[2] for one in asked] == [b"well"] * 2 * THREADS
        assert server.process.wait(20) == 0

    def test_waits_for_no_slow_client(self, started: Callable[..., WebServer]) -> None:
        server = started()
        with SlowClients(server.port, ["headers", "idle", "bodies"], 12):
            server.process.terminate()
            assert server.process.wait(10) == 0

    def test_may_take_as_long_as_a_lookup_may(self) -> None:
        command = commands.web(host="127.0.0.1", port=1, production=True)
        assert int(command[command.index("--graceful-timeout") + 1]) >= env.SYNC_BUDGET_SECONDS + 5


class TestAReload:
    """SIGHUP: new processes take over at the same socket; also when a process dies."""

    def test_fails_no_request(self, started: Callable[..., WebServer]) -> None:
        server, over, statuses = started(processes=2), Event(), []

        def keep_asking(path: str) -> None:
            while not over.is_set():
                statuses.append(plain_http.get(server.url + path, timeout=30).status_code)

        with ThreadPoolExecutor(6) as pool:
            asked = [pool.submit(keep_asking, path) for path in ("/", "/", "/slow", "/slow", "/echo", "/")]
            for _ in range(3):
                booted = server.log.read_text().count("Booting worker")
                server.process.send_signal(signal.SIGHUP)
                server.wait_until(lambda booted=booted: server.log.read_text().count("Booting worker") >= booted + 2)
                time.sleep(2.5)  # the old ones end within: two seconds of work, and half a second
            over.set()
            for one in asked:
                one.result()
        assert len(statuses) > 20
        assert set(statuses) == {200}


def _read_all(client: socket.socket) -> bytes:
    got = b""
    while piece := client.recv(65536):
        got += piece
    return got
