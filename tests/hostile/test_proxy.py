"""The proxy that is shipped, with the files that are shipped, in front of two real web servers."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest
import trustme

from tests import plain_http
from tests.bench.slow_clients import KINDS, PROBE, SlowClients, ask
from tests.failures.books import wait_until
from tests.failures.customers import Customer
from tests.hostile.conftest import Web
from tests.packaging import proxies
from tests.packaging.proxies import Proxy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("hostile"),
    pytest.mark.skipif(
        proxies.NGINX is None, reason="nginx is not on this machine (Debian: apt-get install nginx-light)"
    ),
]
HELD = float(os.environ.get("SOS_HELD_SECONDS", "15"))  # the long variant: 600
ATTACKERS = 160  # ten for each of a process's threads


@pytest.fixture(scope="module")
def servers(web: Web, port: int) -> list[int]:
    """Two web servers of one installation, the one that is there for all stories and one beside it."""
    return [port, web.start()]


@pytest.fixture(scope="module")
def proxy(servers: list[int], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """Before it, TLS has ended already."""
    with proxies.nginx(tmp_path_factory.mktemp("proxy"), servers=servers, limited=False) as running:
        yield running


@pytest.fixture(scope="module")
def edge(servers: list[int], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Proxy, Path]]:
    """It ends TLS itself, and limits everybody; beside it the authority that its certificate is from."""
    folder = tmp_path_factory.mktemp("edge")
    (folder / "tls").mkdir()
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(folder / "tls" / "certificate.pem", append=True)
    certificate.private_key_pem.write_to_path(folder / "tls" / "key.pem")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    with proxies.nginx(folder, servers=servers, edge="tls") as running:
        yield running, folder / "ca.pem"


@pytest.fixture
def customer(web: Web, proxy: Proxy) -> Customer:
    """Somebody whose requests come through the proxy."""
    return web.new_customer(proxy.port)


class TestUnderSlowClients:
    """Ten times as many as there are threads, of five kinds; `SOS_HELD_SECONDS=600` holds them for ten minutes."""

    @pytest.mark.timeout(HELD + 300)
    def test_the_service_lives_and_honest_callers_get_their_answers(
        self, proxy: Proxy, customer: Customer, record_property: object
    ) -> None:
        waits: list[float] = []
        said: Counter[int | None] = Counter()
        with SlowClients(proxy.port, list(KINDS), ATTACKERS) as slow:
            end = time.monotonic() + HELD
            while time.monotonic() < end:
                waits.append(ask(proxy.port) or 5.0)
                said.update(call.status for call in customer.ask(customer.questions(2), at_once=2))
                time.sleep(0.3)
            closed = slow.closed
        waits.sort()
        usual, most = waits[len(waits) // 2], waits[int(len(waits) * 0.95) - 1]
        told = f"{len(waits)} probes, half within {usual:.2f} s, 95 % within {most:.2f} s, lookups {dict(said)}"
        print(f"{HELD:.0f} s: {told}, hung up on {closed}/{ATTACKERS}")  # noqa: T201
        assert usual < 1.0, told  # a busy machine stumbles now and then, and
        assert most < 5.0, told  # answers all the same
        assert set(said) <= {200, 202, 404}, told
        if HELD > 15:
            assert closed >= ATTACKERS // 5 * 2  # slow headers and idle ones, for good

    def test_who_sends_no_header_is_hung_up_on(self, proxy: Proxy) -> None:
        with SlowClients(proxy.port, ["headers", "idle"], 20) as slow:
            wait_until(lambda: slow.closed == 20, what="all are hung up on", seconds=40)


class TestABody:
    """Of a lookup, through the proxy."""

    def test_in_chunks_is_read(self, proxy: Proxy, customer: Customer) -> None:
        (call,) = customer.questions(1)
        body = json.dumps({"entity_name": call.name, "state": call.state}).encode()
        headers = {"x-api-key": customer.secret, "content-type": "application/json"}
        pieces = iter([body[:9], body[9:]])
        reply = plain_http.post(f"http://127.0.0.1:{proxy.port}/v1/lookup", content=pieces, headers=headers, timeout=30)
        assert "transfer-encoding" in reply.request.headers
        assert reply.status_code in (200, 202), reply.text

    @pytest.mark.parametrize(
        ("size", "says"), [(70_000, "At most 64 KB"), (7_000_000, "too large")], ids=["us", "proxy"]
    )
    @pytest.mark.parametrize("chunked", [True, False], ids=["chunked", "whole"])
    def test_that_is_too_large_is_refused_in_the_one_shape(
        self, proxy: Proxy, customer: Customer, size: int, says: str, chunked: bool
    ) -> None:
        body = b'{"entity_name": "' + b"x" * size + b'"}'
        content = iter([body[:50_000], body[50_000:]]) if chunked else body
        headers = {"x-api-key": customer.secret, "content-type": "application/json"}
        reply = plain_http.post(
            f"http://127.0.0.1:{proxy.port}/v1/lookup", content=content, headers=headers, timeout=30
        )
        assert reply.status_code == 413
        assert (reply.json()["success"], reply.json()["code"]) == (False, "payload_too_large")
        assert says in reply.text
        assert reply.json()["requestId"]


class TestAForm:
    """Of a page, through the proxy."""

    def test_with_far_too_large_a_file_is_answered_by_a_page_that_says_so(self, proxy: Proxy) -> None:
        reply = plain_http.post(f"http://127.0.0.1:{proxy.port}/app/bulk/", content=b"x" * 7_000_000, timeout=30)
        assert (reply.status_code, reply.headers["content-type"]) == (413, "text/html; charset=utf-8")
        assert "may have 5 MB" in reply.text
        assert '<a href="">Back to the form</a>' in reply.text


class TestACaller:
    """Who says to be somebody else."""

    def test_is_counted_by_the_address_the_proxy_saw(self, edge: tuple[Proxy, Path]) -> None:
        """Thirty requests without a good key are an address's own; another name for each of them changes nothing."""
        with self.browser(edge) as client:
            statuses = [
                client.get(
                    "/v1/account/balance",
                    headers={"x-forwarded-for": f"203.0.113.{n}", "forwarded": f"for=198.51.100.{n}"},
                ).status_code
                for n in range(70)
            ]
        assert set(statuses) == {401, 429}
        assert statuses.count(401) <= 60  # the minute may turn once

    def test_is_refused_when_it_asks_too_fast(self, edge: tuple[Proxy, Path]) -> None:
        """Fifty a second, and two hundred at once, are an address's: what comes beyond does not reach the service."""
        with self.browser(edge) as client:
            replies = []
            end = time.monotonic() + 30
            while time.monotonic() < end and not any(reply.status_code == 429 for reply in replies):
                with self.burst(edge), self.burst(edge), self.burst(edge):
                    replies += [client.get("/v1/states") for _ in range(5)]
        refused = [reply for reply in replies if reply.status_code == 429]
        assert refused
        assert refused[0].json()["code"] == "rate_limited"
        assert refused[0].headers["retry-after"] == "1"

    def test_came_by_tls_when_the_proxy_ends_it(self, edge: tuple[Proxy, Path]) -> None:
        proxy, _ = edge
        plain = plain_http.get(f"http://127.0.0.1:{proxy.port}/pricing/?a=1")
        assert plain.status_code == 308
        assert plain.headers["location"] == "https://127.0.0.1/pricing/?a=1"

    @pytest.mark.parametrize(
        ("version", "ciphers", "is_taken"),
        [
            (ssl.TLSVersion.TLSv1_3, "", True),
            (ssl.TLSVersion.TLSv1_2, "ECDHE+AESGCM", True),
            (ssl.TLSVersion.TLSv1_2, "ECDHE+AES+SHA", False),
            (ssl.TLSVersion.TLSv1_1, "ALL:@SECLEVEL=0", False),
        ],
    )
    @pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
    def test_speaks_tls_of_recent_versions_and_ciphers_alone(
        self, edge: tuple[Proxy, Path], version: ssl.TLSVersion, ciphers: str, is_taken: bool
    ) -> None:
        proxy, authority = edge
        trusting = ssl.create_default_context(cafile=str(authority))
        trusting.minimum_version = trusting.maximum_version = version
        if ciphers:
            trusting.set_ciphers(ciphers)
        with (
            contextlib.nullcontext() if is_taken else pytest.raises(OSError),
            socket.create_connection(("127.0.0.1", proxy.tls_port), timeout=30) as line,
            trusting.wrap_socket(line, server_hostname="127.0.0.1") as client,
        ):
            assert client.version() == version.name.replace("_", ".")

    def browser(self, edge: tuple[Proxy, Path]) -> httpx.Client:
        """A client that trusts the edge's certificate."""
        proxy, authority = edge
        trusting = ssl.create_default_context(cafile=str(authority))
        return httpx.Client(base_url=f"https://127.0.0.1:{proxy.tls_port}", verify=trusting, timeout=30)

    @contextlib.contextmanager
    def burst(self, edge: tuple[Proxy, Path]) -> Iterator[None]:
        """A hundred requests in one go."""
        proxy, authority = edge
        trusting = ssl.create_default_context(cafile=str(authority))
        with (
            socket.create_connection(("127.0.0.1", proxy.tls_port), timeout=30) as line,
            trusting.wrap_socket(line, server_hostname="127.0.0.1") as client,
        ):
            client.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 100)
            yield


class TestARollingRestart:
    """One web server after the other, while customers ask for what takes a second and a half."""

    def test_fails_no_request(self, web: Web, servers: list[int], proxy: Proxy, customer: Customer) -> None:
        web.registries.seconds = 1.5
        over, asked = Event(), []

        def keep_asking() -> None:
            while not over.is_set():
                asked.extend(customer.ask(customer.questions(1, missing=0), at_once=1, timeout=60))

        def keep_probing() -> Counter[int]:
            said: Counter[int] = Counter()
            while not over.is_set():
                said[plain_http.get(f"http://127.0.0.1:{proxy.port}{PROBE}", timeout=30).status_code] += 1
                time.sleep(0.05)
            return said

        with ThreadPoolExecutor(6) as pool:
            running = [pool.submit(keep_asking) for _ in range(5)]
            probing = pool.submit(keep_probing)
            time.sleep(2.0)
            for port in servers:
                web.stop(port)
                web.start(port)
            over.set()
            for one in running:
                one.result()
        web.registries.seconds = 0.0
        assert len(asked) >= 5
        assert [(call.status, call.body) for call in asked if call.status not in (200, 202)] == []
        assert set(probing.result()) == {200}


class TestItsLog:
    """Of a request whose address holds a secret: a spreadsheet's key, a link that signs in."""

    @pytest.mark.parametrize(
        ("room", "secret", "status"),
        [("/reconcile/", f"osd_{'abcdefg2' * 4}", 503), ("/app/sign-in/", "Zb3-xYq_" * 5, 503)],
        ids=["a spreadsheet's key", "a link that signs in"],
    )
    def test_tells_no_secret_of_it_also_when_something_went_wrong(
        self, tmp_path: Path, room: str, secret: str, status: int
    ) -> None:
        with proxies.nginx(tmp_path, servers=[1]) as running:
            where = f"http://127.0.0.1:{running.port}"
            assert plain_http.get(f"{where}{room}{secret}/", timeout=20).status_code == status
            plain_http.post(f"{where}/{room}{secret}", content=b"x" * 100_000, timeout=20)
            wait_until(lambda: running.log.read_text().count(f" {status} ") >= 2, what="both are logged", seconds=20)
            told = running.log.read_text()
        assert secret not in told
        assert f"GET {room}[hidden]/ {status}" in told


LONG = b"a" * 20_000
NO_REQUESTS = {
    "an address too long": (b"GET %s?ref=" + LONG + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    "a header too long": (b"GET %s HTTP/1.1\r\nHost: a\r\nCookie: " + LONG + b"\r\n\r\n", 431),
    "a header that is none": (b"GET %s HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n", 400),
    "no host": (b"GET %s HTTP/1.1\r\n\r\n", 400),
}


class TestWhatIsNoRequest:
    """It is refused by the proxy itself, in the same words as by the service."""

    @pytest.mark.parametrize("what", NO_REQUESTS)
    @pytest.mark.parametrize("door", [b"/v1/lookups", b"/mcp", b"/reconcile/osd_key/"])
    def test_at_a_door_of_programs_comes_in_the_one_shape(self, proxy: Proxy, door: bytes, what: str) -> None:
        sent, status = NO_REQUESTS[what]
        head, body = self.send(proxy, sent % door)
        assert head.split()[1] == str(status)
        assert "content-type: application/json" in head.lower()
        assert (json.loads(body)["success"], json.loads(body)["code"]) == (False, "invalid_request")

    @pytest.mark.parametrize("sent", [b"GET /v1/ states HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n"])
    def test_without_an_address_comes_in_the_one_shape(self, proxy: Proxy, sent: bytes) -> None:
        head, body = self.send(proxy, sent)
        assert (head.split()[1], json.loads(body)["code"]) == ("400", "invalid_request")

    def test_by_a_method_of_proxies_comes_in_the_one_shape(self, proxy: Proxy) -> None:
        head, body = self.send(proxy, b"TRACE /v1/states HTTP/1.1\r\nHost: a\r\n\r\n")
        assert (head.split()[1], json.loads(body)["code"]) == ("405", "method_not_allowed")

    @pytest.mark.parametrize("what", NO_REQUESTS)
    def test_of_a_browser_is_a_page(self, proxy: Proxy, what: str) -> None:
        sent, status = NO_REQUESTS[what]
        head, body = self.send(proxy, sent % b"/app/history/")
        assert head.split()[1] == str(status)
        assert "content-type: text/html; charset=utf-8" in head.lower()
        assert "Nothing was done" in body
        assert "nginx" not in body

    def send(self, proxy: Proxy, sent: bytes) -> tuple[str, str]:
        """Its head and its body."""
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as connection:
            connection.sendall(sent.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            head, _, body = b"".join(iter(lambda: connection.recv(65_536), b"")).decode().partition("\r\n\r\n")
        return head, body


class TestNoServer:
    """All of them are away."""

    @pytest.mark.parametrize("door", ["/v1/states", "/mcp", "/reconcile/osd_key/"])
    def test_comes_in_the_one_shape(self, tmp_path: Path, door: str) -> None:
        with proxies.nginx(tmp_path, servers=[1]) as running:
            reply = plain_http.get(f"http://127.0.0.1:{running.port}{door}", timeout=20)
        assert reply.status_code == 503
        assert reply.headers["retry-after"] == "10"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert (reply.json()["code"], reply.json()["retryable"]) == ("internal_error", True)

    @pytest.mark.parametrize("door", ["/", "/app/balance/", "/app/sign-in/a-link/", "/admin/"])
    def test_is_a_page_that_says_what_to_do_for_people(self, tmp_path: Path, door: str) -> None:
        with proxies.nginx(tmp_path, servers=[1]) as running:
            reply = plain_http.get(f"http://127.0.0.1:{running.port}{door}", timeout=20)
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "10")
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert "look first whether it was done" in reply.text
        assert "nginx" not in reply.text
