"""A webhook reaches the customer's server, and no network of ours, however its address is spelled or moved."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest
import trustme

from lookups.notifications import webhook_addresses, webhook_sender
from lookups.notifications.webhook_sender import Sent
from tests.lookups.webhook_receiver import Receiver, raw, receiving, says

BODY = b'{"id":"msg_1"}'
NAME = "hooks.example.com"
OTHER_MACHINES = pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2", "127.0.0.3", "::1"])


@pytest.fixture
def at_home(settings: Any) -> None:
    """The switch of development: this machine may be told."""
    settings.WEBHOOKS_TO_LOOPBACK = True


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """A certificate authority of the test's own."""
    return trustme.CA()


@pytest.fixture(scope="module")
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """What a client needs to trust it."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture
def secured(authority: trustme.CA) -> Callable[[str], ssl.SSLContext]:
    """What a server of a name needs."""

    def make(name: str) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert(name).configure_cert(context)
        return context

    return make


@pytest.fixture
def dns(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[list[str]]]:
    """The resolver of the whole process: name -> what it answers to the first question, the second, and so on."""
    book: dict[str, list[list[str]]] = {}
    real = socket.getaddrinfo

    def answer(host: Any, port: Any, *args: Any, **named: Any) -> Any:
        if host not in book:
            return real(host, port, *args, **named)
        answers = book[host]
        told = answers.pop(0) if len(answers) > 1 else answers[0]
        families = [(socket.AF_INET6 if ":" in one else socket.AF_INET, one) for one in told]
        return [(family, socket.SOCK_STREAM, 6, "", (one, port)) for family, one in families]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return book


def send(url: str, **more: Any) -> Sent:
    """POST the body."""
    return webhook_sender.post(
        url=url, body=BODY, headers={"Content-Type": "application/json", "webhook-id": "m"}, **more
    )


def place(receiver: Receiver, scheme: str = "http", host: str = "127.0.0.1") -> str:
    """The receiver's address."""
    return f"{scheme}://{host}:{receiver.port}/hook?x=1"


@contextmanager
def taking_nobody(host: str, port: int) -> Iterator[None]:
    """A machine that answers to no connection, as one that is gone: its queue of them is full."""
    with ExitStack() as open_ones:
        silent = open_ones.enter_context(socket.socket())
        silent.bind((host, port))
        silent.listen(0)
        for _ in range(4):
            one = open_ones.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex((host, port))
        yield


class TestADelivery:
    """POST to a customer's server."""

    def test_brings_the_body_and_the_headers(self, at_home: None) -> None:
        with receiving(says(200, b"ok")) as receiver:
            sent = send(place(receiver))
        assert (sent.status, sent.error, sent.excerpt, sent.delivered) == (200, "", "", True)
        [request] = receiver.requests
        assert (request.line, request.body) == ("POST /hook?x=1 HTTP/1.1", BODY)
        assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
        assert request.headers["content-type"] == "application/json"
        assert request.headers["webhook-id"] == "m"
        assert request.headers["user-agent"].startswith("SOS-Lookup-Webhooks/")
        assert not {"cookie", "authorization"} & set(request.headers)

    def test_knows_no_proxy_and_no_netrc(self, at_home: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
        (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
        monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        with receiving(says(200)) as receiver, receiving(says(200)) as proxy:
            for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, place(proxy))
            monkeypatch.setenv("no_proxy", "")
            assert send(place(receiver)).delivered
        assert (len(receiver.requests), proxy.connections) == (1, 0)
        assert "authorization" not in receiver.requests[0].headers

    def test_says_the_name_to_tls_and_to_the_server_though_it_connects_to_an_address(
        self, at_home: None, dns: Any, secured: Any, trusting: ssl.SSLContext
    ) -> None:
        dns[NAME] = [["127.0.0.1"]]
        with receiving(says(204), tls=secured(NAME)) as receiver:
            sent = send(place(receiver, "https", NAME.upper()), tls=trusting)
        assert sent == Sent(204, "", sent.duration_ms)
        assert receiver.requests[0].sni == NAME
        assert receiver.requests[0].headers["host"] == f"{NAME}:{receiver.port}"

    @pytest.mark.parametrize("port", ["", ":443"])
    def test_leaves_the_usual_port_out_of_the_name(
        self,
        at_home: None,
        dns: Any,
        secured: Any,
        trusting: ssl.SSLContext,
        monkeypatch: pytest.MonkeyPatch,
        port: str,
    ) -> None:
        dns[NAME] = [["127.0.0.1"]]
        real = webhook_sender._connect
        with receiving(says(204), tls=secured(NAME)) as receiver:  # 443 itself is for the superuser
            monkeypatch.setattr(webhook_sender, "_connect", lambda address, _, wait: real(address, receiver.port, wait))
            assert send(f"https://{NAME}{port}/", tls=trusting).delivered
        assert receiver.requests[0].headers["host"] == NAME

    @OTHER_MACHINES
    def test_tries_the_next_address_when_one_does_not_answer(self, at_home: None, dns: Any) -> None:
        dns[NAME] = [["::1", "127.0.0.3", "127.0.0.2"]]
        with receiving(says(200), host="127.0.0.2") as receiver:
            assert send(place(receiver, "http", NAME)).delivered

    @OTHER_MACHINES
    def test_leaves_time_for_the_next_address_when_one_is_silent(self, at_home: None, dns: Any) -> None:
        dns[NAME] = [["127.0.0.2", "127.0.0.1"], ["127.0.0.2"]]
        with receiving(says(200)) as receiver, taking_nobody("127.0.0.2", receiver.port):
            assert send(place(receiver, "http", NAME), seconds=2).delivered
            assert send(place(receiver, "http", NAME), seconds=0.5).error == "no answer within 0.5 s"

    def test_does_without_ipv6_where_the_machine_has_none(
        self, at_home: None, dns: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = socket.socket

        def without(family: int = socket.AF_INET, *args: Any, **named: Any) -> socket.socket:
            if family == socket.AF_INET6:
                raise OSError(97, "Address family not supported by protocol")
            return real(family, *args, **named)

        dns[NAME] = [["::1", "127.0.0.1"], ["::1"]]
        with receiving(says(200)) as receiver:
            monkeypatch.setattr(socket, "socket", without)
            assert send(place(receiver, "http", NAME)).delivered
            assert send(place(receiver, "http", NAME)).error == webhook_sender.NO_CONNECTION
            monkeypatch.undo()

    @pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
    def test_succeeds_with_every_2xx(self, at_home: None, status: int) -> None:
        with receiving(says(status)) as receiver:
            assert send(place(receiver)).delivered

    @pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 500, 503])
    def test_fails_with_what_was_answered(self, at_home: None, status: int) -> None:
        with receiving(says(status, b"<b>no\x00\x1b[31m \xff thanks</b>\r\n" + b"x" * 10_000)) as receiver:
            sent = send(place(receiver))
        assert (sent.status, sent.error, sent.delivered) == (status, f"answered {status}", False)
        assert sent.excerpt.startswith("<b>no [31m \ufffd thanks</b> xxx")
        assert len(sent.excerpt) <= 200
        assert sent.excerpt.isprintable()


class TestARedirect:
    """3xx."""

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_is_a_failure_that_says_so_and_leads_nowhere(self, at_home: None, status: int) -> None:
        with receiving(says(200)) as inside, receiving(says(status, Location=place(inside))) as receiver:
            sent = send(place(receiver))
        assert (sent.status, sent.error) == (status, f"answered {status}, a redirect; redirects are not followed")
        assert (len(receiver.requests), inside.connections) == (1, 0)


class TestAnAddress:
    """What a customer may name."""

    @pytest.mark.parametrize(
        "url",
        [
            "https://hooks.example.com/x?y=1",
            "https://hooks.example.com",
            "https://hooks.example.com:1024/",
            "https://1.1.1.1/",
            "https://[2606:4700::1111]/",
            "https://xn--bcher-kva.example/",
            "https://a_b.example.org/",
        ],
    )
    def test_on_the_internet_is_read(self, url: str) -> None:
        assert webhook_addresses.read(url, to_loopback=False).secure

    @pytest.mark.parametrize(
        ("url", "why"),
        [
            ("http://hooks.example.com/", webhook_addresses.NOT_HTTPS),
            ("ftp://hooks.example.com/", webhook_addresses.NOT_HTTPS),
            ("file:///etc/passwd", webhook_addresses.NOT_HTTPS),
            ("https://me:pw@hooks.example.com/", webhook_addresses.HAS_PASSWORD),
            ("https://@hooks.example.com/", webhook_addresses.HAS_PASSWORD),
            ("https://hooks.example.com@127.0.0.1/", webhook_addresses.HAS_PASSWORD),
            ("https://localhost/", webhook_addresses.PRIVATE),
            ("https://intranet/", webhook_addresses.PRIVATE),
            ("https://db.internal/", webhook_addresses.PRIVATE),
            ("https://db/", webhook_addresses.PRIVATE),
            ("https://nas.local/", webhook_addresses.PRIVATE),
            ("https://wiki.corp/", webhook_addresses.PRIVATE),
            ("https://127.0.0.1/", webhook_addresses.PRIVATE),
            ("https://10.0.0.1/", webhook_addresses.PRIVATE),
            ("https://169.254.169.254/latest", webhook_addresses.PRIVATE),
            ("https://0.0.0.0/", webhook_addresses.PRIVATE),
            ("https://[::1]/", webhook_addresses.PRIVATE),
            ("https://[::]/", webhook_addresses.PRIVATE),
            ("https://[::ffff:10.0.0.1]/", webhook_addresses.PRIVATE),
            ("https://2130706433/", webhook_addresses.ODD_HOST),
            ("https://0x7f000001/", webhook_addresses.ODD_HOST),
            ("https://0x7f.1/", webhook_addresses.ODD_HOST),
            ("https://0177.0.0.1/", webhook_addresses.ODD_HOST),
            ("https://127.1/", webhook_addresses.ODD_HOST),
            ("https://127.0.0.1./", webhook_addresses.ODD_HOST),
            ("https://hooks.example.com./", webhook_addresses.ODD_HOST),
            ("https://hooks..example.com/", webhook_addresses.ODD_HOST),
            ("https://hooks.example.com%2f@x/", webhook_addresses.HAS_PASSWORD),
            ("https://hooks%2eexample.com/", webhook_addresses.ODD_HOST),
            ("https://[fe80::1%25eth0]/", webhook_addresses.ODD_HOST),
            ("https://[2606:4700::1111%25eth0]/", webhook_addresses.ODD_HOST),
            ("https:///path", webhook_addresses.ODD_HOST),
            ("https://hooks.example.com:22/", webhook_addresses.ODD_PORT),
            ("https://hooks.example.com:0/", webhook_addresses.ODD_PORT),
            ("https://hooks.example.com:80/", webhook_addresses.ODD_PORT),
            ("https://hooks.example.com:1023/", webhook_addresses.ODD_PORT),
            ("https://hooks.example.com:99999/", webhook_addresses.NOT_READABLE),
            ("https://hooks.example.com\\@127.0.0.1/", webhook_addresses.NOT_READABLE),
            ("https://hooks.exa\tmple.com/", webhook_addresses.NOT_READABLE),
            ("https://hooks.example.com/ x", webhook_addresses.NOT_READABLE),
            ("https://hooks.example.com/\r\nX: y", webhook_addresses.NOT_READABLE),
            ("https://h\u00f6\u00f6ks.example.com/", webhook_addresses.NOT_READABLE),
            ("https://\uff11\uff12\uff17.0.0.1/", webhook_addresses.NOT_READABLE),
            ("https://hooks.example.com/" + "x" * 500, webhook_addresses.NOT_READABLE),
            ("", webhook_addresses.NOT_READABLE),
        ],
    )
    def test_elsewhere_or_oddly_spelled_is_refused_with_a_reason(self, url: str, why: str) -> None:
        with pytest.raises(webhook_addresses.Refused, match=f"^{why}$"):
            webhook_addresses.read(url, to_loopback=False)
        sent = send(url)
        assert (sent.status, sent.error, sent.delivered) == (None, why, False)

    @pytest.mark.parametrize(
        "address",
        [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::7f00:1",
            "::10.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fe80::1%eth0",
            "fec0::1",
            "ff02::1",
            "2600::5efe:10.0.0.1",
            "2600::200:5efe:10.0.0.1",
        ],
    )
    def test_whose_name_leads_to_a_private_network_is_refused(self, dns: Any, address: str) -> None:
        for found in ([address], ["93.184.216.34", address], [address, "93.184.216.34"]):
            dns[NAME] = [found]
            assert send(f"https://{NAME}/").error == "the address leads to a private network"

    @pytest.mark.parametrize("address", ["93.184.216.34", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"])
    def test_whose_name_leads_to_the_internet_is_contacted_there(self, dns: Any, address: str) -> None:
        dns[NAME] = [[address], ["127.0.0.1"]]
        with pytest.raises(UserWarning, match=re.escape(f'"{address}"')):  # the tests' own fence says who was called
            send(f"https://{NAME}/")

    def test_nobody_knows_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(*_: Any, **__: Any) -> Any:
            raise socket.gaierror(-2, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        assert send(f"https://{NAME}/").error == webhook_sender.NO_SUCH_NAME


@contextmanager
def two_at_one_port(first: str, second: str) -> Iterator[tuple[Receiver, Receiver]]:
    """A receiver at each address; a port that is free at the one may be anybody's at the other, so another is tried."""
    with ExitStack() as both:
        while True:
            one = both.enter_context(receiving(says(200), host=first))
            with suppress(OSError):
                other = both.enter_context(receiving(says(200), host=second, port=one.port))
                break
        yield one, other


class TestANameThatMoves:
    """The DNS answers one thing when it is checked and another when it is used."""

    @OTHER_MACHINES
    def test_is_contacted_where_it_was_checked(self, at_home: None, dns: Any) -> None:
        dns[NAME] = [["127.0.0.2"], ["127.0.0.1"]]
        with two_at_one_port("127.0.0.2", "127.0.0.1") as (checked, other):
            assert send(place(checked, "http", NAME)).delivered
        assert (len(checked.requests), other.connections) == (1, 0)
        assert dns[NAME] == [["127.0.0.1"]]  # asked once: the second answer is still waiting

    def test_into_a_private_network_is_refused_the_next_time(self, dns: Any) -> None:
        dns[NAME] = [["93.184.216.34"], ["127.0.0.1"]]
        with receiving(says(200)) as inside:
            with pytest.raises(UserWarning, match=r'"93\.184\.216\.34"'):
                send(place(inside, "https", NAME))
            assert send(place(inside, "https", NAME)).error == webhook_addresses.PRIVATE
        assert inside.connections == 0


class TestTheSwitchForThisMachine:
    """WEBHOOKS_TO_LOOPBACK."""

    def test_is_off_by_default(self) -> None:
        with receiving(says(200)) as inside:
            assert send(place(inside, "http")).error == webhook_addresses.NOT_HTTPS
            assert send(place(inside, "https")).error == webhook_addresses.PRIVATE
            assert send(place(inside, "https", "localhost")).error == webhook_addresses.PRIVATE
        assert inside.connections == 0

    def test_lets_localhost_through(self, at_home: None) -> None:
        with receiving(says(200)) as receiver:
            assert send(place(receiver, "http", "localhost")).delivered

    @pytest.mark.parametrize(
        "address",
        [
            "10.0.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "::ffff:127.0.0.1",
            "::ffff:7f00:1",
            "::ffff:127.9.9.9",
            "::ffff:10.0.0.1",
        ],
    )
    def test_lets_nothing_else_through(self, at_home: None, dns: Any, address: str) -> None:
        host = f"[{address}]" if ":" in address else address
        assert send(f"https://{host}/").error == webhook_addresses.PRIVATE
        dns[NAME] = [[address]]
        assert send(f"https://{NAME}/").error == webhook_addresses.PRIVATE
        dns[NAME] = [["127.0.0.1", address]]
        assert send(f"http://{NAME}/").error == webhook_addresses.NOT_HTTPS
        assert send(f"https://{NAME}/").error == webhook_addresses.PRIVATE

    def test_opens_no_plain_http_to_the_internet(self, at_home: None, dns: Any) -> None:
        dns[NAME] = [["93.184.216.34"]]
        assert send(f"http://{NAME}/").error == webhook_addresses.NOT_HTTPS


class TestACertificate:
    """What TLS is held to."""

    def test_of_another_name_is_not_trusted(
        self, at_home: None, dns: Any, secured: Any, trusting: ssl.SSLContext
    ) -> None:
        dns[NAME] = [["127.0.0.1"]]
        with receiving(says(200), tls=secured("other.example.com")) as receiver:
            sent = send(place(receiver, "https", NAME), tls=trusting)
        assert sent.status is None
        assert sent.error.startswith("certificate not trusted (Hostname mismatch")
        assert receiver.requests == []

    def test_of_an_unknown_authority_is_not_trusted(self, at_home: None, dns: Any, secured: Any) -> None:
        dns[NAME] = [["127.0.0.1"]]
        with receiving(says(200), tls=secured(NAME)) as receiver:
            assert send(place(receiver, "https", NAME)).error.startswith("certificate not trusted (")
        assert receiver.requests == []

    def test_of_an_address_is_held_against_the_address(
        self, at_home: None, secured: Any, trusting: ssl.SSLContext
    ) -> None:
        with receiving(says(200), tls=secured("127.0.0.1")) as receiver:
            assert send(place(receiver, "https"), tls=trusting).delivered

    def test_is_missing_where_no_tls_is_spoken(self, at_home: None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as plain:

            def answer() -> None:
                ready, _ = plain.accept()
                with ready:
                    ready.sendall(b"HTTP/1.1 400 Speak up\r\n\r\n")
                    ready.recv(65_536)

            answering = threading.Thread(target=answer)
            answering.start()
            sent = send(f"https://127.0.0.1:{plain.getsockname()[1]}/")
            answering.join(30)
        assert (sent.status, sent.error) == (None, webhook_sender.NO_TLS)


def dripping(first: bytes) -> Any:
    """A byte every twentieth of a second, for ever: no single read ever waits long."""

    def answer(ready: socket.socket, stopped: threading.Event) -> None:
        ready.sendall(first)
        while not stopped.wait(0.05):
            ready.sendall(b"x")

    return answer


class TestAServerThatHoldsUs:
    """The deadline, and how much is read."""

    @pytest.mark.parametrize("first", [b"", b"HTTP/1.1 200 OK\r\nX-Long: "])
    def test_with_a_drip_is_left_at_the_deadline(self, at_home: None, first: bytes) -> None:
        with receiving(dripping(first)) as receiver:
            started = time.monotonic()
            sent = send(place(receiver), seconds=1)
            took = time.monotonic() - started
        assert (sent.status, sent.error) == (None, "no answer within 1 s")
        assert 900 <= sent.duration_ms <= took * 1000 + 1

    def test_over_tls_is_left_as_well(self, at_home: None, secured: Any, trusting: ssl.SSLContext) -> None:
        with receiving(dripping(b"HTTP/1.1 200 OK\r\nX-Long: "), tls=secured("127.0.0.1")) as receiver:
            assert send(place(receiver, "https"), tls=trusting, seconds=1).error == "no answer within 1 s"

    def test_with_a_handshake_that_never_ends_is_left(self, at_home: None, trusting: ssl.SSLContext) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
            assert send(url, tls=trusting, seconds=1).error == "no answer within 1 s"

    def test_with_the_body_of_a_success_is_not_waited_for(self, at_home: None) -> None:
        with receiving(dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")) as receiver:
            started = time.monotonic()
            assert send(place(receiver), seconds=60).delivered
            assert time.monotonic() - started < 60

    def test_with_the_body_of_a_failure_has_still_reported_its_status(self, at_home: None) -> None:
        with receiving(dripping(b"HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n")) as receiver:
            sent = send(place(receiver), seconds=1)
        assert (sent.status, sent.error) == (500, "answered 500")
        assert set(sent.excerpt) == {"x"}

    def test_with_a_resolver_that_hangs_is_left(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ended, answered = threading.Event(), threading.Event()

        def hang(*_: object, **__: object) -> list[object]:
            ended.wait(60)
            answered.set()
            return []

        monkeypatch.setattr(socket, "getaddrinfo", hang)
        assert send(f"https://{NAME}/", seconds=0.5).error == "no answer within 0.5 s"
        assert not answered.is_set()
        ended.set()

    def test_with_an_endless_answer_is_read_a_little(self, at_home: None) -> None:
        poured = []

        def pour(ready: socket.socket, stopped: threading.Event) -> None:
            ready.sendall(b"HTTP/1.1 500 No\r\n\r\n")
            while not stopped.is_set():
                ready.sendall(b"x" * 65_536)
                poured.append(65_536)

        with receiving(pour) as receiver:
            sent = send(place(receiver), seconds=20)
        assert sent.error == "answered 500"
        assert len(sent.excerpt) == 200
        assert sum(poured) < 64 * 1024 * 1024  # the rest met a closed connection

    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            (b"", webhook_sender.BROKEN_OFF),
            (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", webhook_sender.NOT_HTTP),
            (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n", webhook_sender.NOT_HTTP),
            (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", webhook_sender.NOT_HTTP),
            (b"HTTP/1.1 9999 OK\r\n\r\n", webhook_sender.NOT_HTTP),
        ],
    )
    def test_with_nonsense_is_reported_in_words(self, at_home: None, answer: bytes, error: str) -> None:
        with receiving(raw(answer)) as receiver:
            sent = send(place(receiver))
        assert (sent.status, sent.error) == (None, error)

    def test_by_not_listening_is_reported(self, at_home: None) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # bound, not listening: nobody else can have the port
            assert send(f"http://127.0.0.1:{unused.getsockname()[1]}/").error == webhook_sender.NO_CONNECTION
