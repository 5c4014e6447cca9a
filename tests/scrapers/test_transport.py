"""What happens to a request on the wire: met on a real socket, where servers do what no server should."""

from __future__ import annotations

import gzip
import hashlib
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from scrapers.failures import Failure, PageChanged, PortalBlocked, PortalError, PortalUnavailable
from scrapers.transport.session import PortalSession, Trace, TransportSettings
from tests.scrapers.loopback import Loopback, Wire, says, serving

HOME = "https://portal.example"
Opener = Callable[..., PortalSession]


@pytest.fixture
def portal() -> Iterator[Loopback]:
    with serving() as server:
        yield server


@pytest.fixture
def open_session(portal: Loopback) -> Iterator[Opener]:
    opened: list[PortalSession] = []

    def opener(
        *, seconds: float = 10.0, hosts: tuple[str, ...] = ("portal.example",), **settings: Any
    ) -> PortalSession:
        session = PortalSession(
            portal="test",
            hosts=hosts,
            settings=TransportSettings(user_agent="SOS-Lookup/test (+who)", portals_url=portal.url, **settings),
            deadline=time.monotonic() + seconds,
            trace=Trace(),
        )
        opened.append(session)
        return session

    yield opener
    for session in opened:
        session.close()


def failure(session: PortalSession, path: str = "/", **asked: Any) -> PortalError:
    """The error that a request ends in."""
    with pytest.raises(PortalError) as caught:
        session.get(HOME + path, **asked)
    return caught.value


@contextmanager
def silence(portal: Loopback) -> Iterator[threading.Event]:
    """The portal says nothing for a minute, or until the block has ended; the event tells that this is over."""
    is_over, may_go = threading.Event(), threading.Event()

    def say_nothing(_: Wire) -> None:
        may_go.wait(60)
        is_over.set()

    portal.on("/", say_nothing)
    try:
        yield is_over
    finally:
        may_go.set()


def reset(wire: Wire) -> None:
    wire.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.close_connection = True
    wire.connection.close()


class TestAServerInTrouble:
    """5xx, resets, cut answers: worth one more try, never two."""

    @pytest.mark.parametrize("status", [502, 503, 504])
    def test_is_asked_once_more(self, portal: Loopback, open_session: Opener, status: int) -> None:
        portal.on("/", says(status), says(200, "<p>better</p>"))
        assert open_session().get(f"{HOME}/").text == "<p>better</p>"
        assert len(portal.received) == 2

    def test_is_asked_no_third_time(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(503))
        error = failure(open_session())
        assert (type(error), error.reason, len(portal.received)) == (PortalUnavailable, "down", 2)

    def test_that_only_said_500_is_not_asked_again(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(500))
        assert isinstance(failure(open_session()), PortalUnavailable)
        assert len(portal.received) == 1

    def test_is_given_the_time_it_asked_for(self, portal: Loopback, open_session: Opener, naps: list[float]) -> None:
        portal.on("/", says(503, retry_after="2"), says(200))
        open_session().get(f"{HOME}/")
        assert naps == [2]

    def test_that_asks_for_an_hour_gets_it(self, portal: Loopback, open_session: Opener, naps: list[float]) -> None:
        portal.on("/", says(503, retry_after="3600"))
        assert failure(open_session()).retry_after == 3600
        assert naps == []
        assert len(portal.received) == 1

    def test_may_name_the_moment_instead(self, portal: Loopback, open_session: Opener) -> None:
        def later(wire: Wire) -> None:
            wire.raw(
                b"HTTP/1.1 503 x\r\nDate: Fri, 20 Nov 2026 08:00:00 GMT\r\nContent-Length: 0\r\n"
                b"Retry-After: Fri, 20 Nov 2026 08:02:00 GMT\r\n\r\n"
            )

        portal.on("/", later)
        assert failure(open_session()).retry_after == 120

    @pytest.mark.parametrize("nonsense", ["\u00b2", "soon", "-5", "9" * 400, "1e9", ""])
    def test_may_write_nonsense_there(self, portal: Loopback, open_session: Opener, nonsense: str) -> None:
        portal.on("/", says(429, retry_after=nonsense))
        assert failure(open_session()).retry_after is None

    def test_is_not_waited_for_beyond_the_deadline(
        self, portal: Loopback, open_session: Opener, naps: list[float]
    ) -> None:
        portal.on("/", says(503, retry_after="4"))
        failure(open_session(seconds=3))
        assert (naps, len(portal.received)) == ([], 1)

    def test_that_resets_the_connection_is_asked_once_more(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", reset, says(200))
        assert open_session().get(f"{HOME}/").status == 200

    def test_that_always_resets_is_unavailable(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", reset)
        error = failure(open_session())
        assert (type(error), error.reason) == (PortalUnavailable, "down")

    def test_that_is_not_there_is_unavailable(self, open_session: Opener) -> None:
        session = open_session()
        session._settings = TransportSettings(user_agent="x", portals_url="http://127.0.0.1:9")
        assert isinstance(failure(session), PortalUnavailable)

    @pytest.mark.parametrize(
        "cut",
        [
            b"HTTP/1.1 200 x\r\nContent-Length: 9000\r\n\r\n<table>",
            b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n<table>",
            b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n<table>\r\n",
            b"HTTP/1.1 200 x\r\nContent-Length: 40\r\nContent-Encoding: gzip\r\n\r\n"
            + gzip.compress(b"<table>", mtime=0)[:12],
            b"",
        ],
    )
    def test_that_hangs_up_in_the_middle_never_counts_as_an_answer(
        self, portal: Loopback, open_session: Opener, cut: bytes
    ) -> None:
        portal.on("/", lambda wire: wire.raw(cut))
        assert isinstance(failure(open_session()), PortalUnavailable)

    def test_that_talks_another_language_is_unavailable(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", lambda wire: wire.raw(b"220 mail.example ESMTP\r\n\r\n"))
        assert isinstance(failure(open_session()), PortalUnavailable)


class TestAWall:
    """Whoever is turned away says so, and does not try again."""

    @pytest.mark.parametrize(("status", "reason"), [(403, "blocked"), (401, "blocked"), (429, "rate_limited")])
    def test_may_be_a_status(self, portal: Loopback, open_session: Opener, status: int, reason: str) -> None:
        portal.on("/", says(status, retry_after="90"))
        error = failure(open_session())
        assert (type(error), error.reason, error.retry_after) == (PortalBlocked, reason, 90)
        assert len(portal.received) == 1

    @pytest.mark.parametrize(
        "page",
        [
            "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>",
            "<html><script src='/_Incapsula_Resource?SWJIYLWA=1'></script></html>",
            "<html><head><title>Access Denied</title></head><body>Reference #18.2</body></html>",
            "<html><body>The requested URL was rejected. Please consult with your administrator.</body></html>",
        ],
    )
    def test_may_be_served_as_200(self, portal: Loopback, open_session: Opener, page: str) -> None:
        portal.on("/", says(200, page))
        assert failure(open_session()).reason == "blocked"

    def test_may_be_told_by_a_header(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(403, "", cf_mitigated="challenge"))
        assert "Cloudflare" in failure(open_session()).detail

    def test_may_be_a_closed_door(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(200, "<h1>We are down for maintenance</h1>"))
        assert isinstance(failure(open_session()), PortalUnavailable)

    @pytest.mark.parametrize(
        "name", ["AZURE WAF CONSULTING LLC", "PARDON OUR INTERRUPTION INC", "SERVICE UNAVAILABLE LLC"]
    )
    def test_is_not_a_company_of_such_a_name(self, portal: Loopback, open_session: Opener, name: str) -> None:
        portal.on("/", says(200, f'[{{"name":"{name}"}}]', content_type="application/json"))
        assert open_session().get(f"{HOME}/").json() == [{"name": name}]

    @pytest.mark.parametrize("asked", ["Azure WAF", "frmCaptcha", "cf-turnstile", "Down for Maintenance LLC"])
    def test_is_not_made_by_the_question(self, portal: Loopback, open_session: Opener, asked: str) -> None:
        portal.on("/", says(200, f"<p>No results for {asked}</p>"))
        session = open_session()
        assert asked in session.get(f"{HOME}/", params={"q": asked}).text
        assert asked in session.post(f"{HOME}/", form={"q": asked}).text
        assert asked in session.post(f"{HOME}/", json={"deep": [{"q": asked}]}).text


class TestAnAnswerWithoutEnd:
    """Size and time are limited whatever the server does."""

    def test_is_cut_at_the_limit(self, portal: Loopback, open_session: Opener) -> None:
        def endless(wire: Wire) -> None:
            wire.raw(b"HTTP/1.1 200 x\r\nContent-Type: text/html\r\n\r\n")
            while True:
                wire.wfile.write(b"<p>" * 4096)

        portal.on("/", endless)
        error = failure(open_session(max_bytes=200_000))
        assert isinstance(error, PageChanged)
        assert "200000 bytes" in error.detail

    def test_is_cut_when_it_is_packed(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(200, gzip.compress(bytes(50_000_000)), content_encoding="gzip"))
        assert isinstance(failure(open_session(max_bytes=200_000)), PageChanged)

    def test_is_no_answer_when_it_cannot_be_unpacked(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(200, b"not gzip at all", content_encoding="gzip"))
        assert isinstance(failure(open_session()), PageChanged)

    def test_whose_name_nobody_resolves_is_left_at_the_deadline(
        self, open_session: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hangs = threading.Event()
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: hangs.wait(60) and [])
        error = failure(open_session(seconds=0.5))
        hangs.set()
        assert (type(error), error.reason) == (PortalUnavailable, Failure.TIMEOUT)

    @pytest.mark.parametrize("part", ["head", "line", "body"])
    def test_ends_at_the_deadline_when_it_drips(self, portal: Loopback, open_session: Opener, part: str) -> None:
        def drip(wire: Wire) -> None:
            wire.raw({"head": b"HTTP/1.1 200 x\r\n", "line": b"HT", "body": b"HTTP/1.1 200 x\r\n\r\n"}[part])
            for turn in range(600):
                wire.wfile.write({"head": f"X-{turn}: 1\r\n".encode(), "line": b"T", "body": b"."}[part])
                wire.wfile.flush()
                time.sleep(0.1)
            said_all.set()

        said_all = threading.Event()
        portal.on("/", drip)
        error = failure(open_session(seconds=1))
        assert (type(error), error.reason) == (PortalUnavailable, "timeout")
        assert not said_all.is_set()

    def test_ends_at_the_deadline_when_nothing_comes(self, portal: Loopback, open_session: Opener) -> None:
        with silence(portal) as is_over:
            assert failure(open_session(seconds=0.5)).reason == "timeout"
            assert not is_over.is_set()

    def test_ends_when_the_reading_time_is_over(self, portal: Loopback, open_session: Opener) -> None:
        with silence(portal) as is_over:
            assert failure(open_session(seconds=60, read_seconds=0.3)).reason == "timeout"
            assert (is_over.is_set(), len(portal.received)) == (False, 1)

    def test_is_not_begun_after_the_deadline(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(200))
        assert failure(open_session(seconds=0)).reason == "timeout"
        assert portal.received == []


class TestARedirect:
    """Followed within the portal, refused outside."""

    def test_is_followed_on_its_own_machine(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/old", says(302, location="/new?x=1"))
        portal.on("/new", says(200, "<p>here</p>"))
        page = open_session().get(f"{HOME}/old")
        assert (page.url, page.text) == (f"{HOME}/new?x=1", "<p>here</p>")

    @pytest.mark.parametrize(
        "place",
        [
            "https://evil.example/",
            "//evil.example/x",
            "http://portal.example/",
            "https://portal.example@evil.example/",
            "file:///etc/passwd",
            "https://127.0.0.1/",
            "https://portal.example.evil.example/",
            "https://evil.example\\@portal.example/",  # on the machine before the stroke, as it is sent
            "https://evil.example:8443\\@portal.example/",
            "javascript:alert(1)",
            "https://[::1",
            "https://[/",
        ],
    )
    def test_to_another_machine_is_refused(self, portal: Loopback, open_session: Opener, place: str) -> None:
        portal.on("/", says(302, location=place))
        portal.answers["/"] = [says(404)]
        assert isinstance(failure(open_session()), PageChanged)
        assert len(portal.received) == 1 or place.startswith("\\")

    def test_in_a_circle_ends(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/a", says(302, location=f"{HOME}/b"))
        portal.on("/b", says(302, location=f"{HOME}/a"))
        error = failure(open_session(), "/a")
        assert isinstance(error, PageChanged)
        assert len(portal.received) == 6

    def test_may_carry_no_endless_body(self, portal: Loopback, open_session: Opener) -> None:
        def endless(wire: Wire) -> None:
            wire.raw(b"HTTP/1.1 302 x\r\nLocation: /\r\n\r\n")
            while True:
                wire.wfile.write(b"<p>" * 4096)

        portal.on("/", endless)
        assert "longer than" in failure(open_session(max_bytes=200_000)).detail

    def test_to_nowhere_is_a_changed_page(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(302))
        assert isinstance(failure(open_session()), PageChanged)

    def test_after_a_form_is_a_plain_look(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/search", says(303, location=f"{HOME}/list"))
        portal.on("/list", says(200))
        open_session().post(f"{HOME}/search", form={"name": "Acme"})
        assert [(r.method, r.body) for r in portal.received] == [("POST", b"name=Acme"), ("GET", b"")]

    def test_that_keeps_the_method_keeps_the_form(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/search", says(307, location=f"{HOME}/v2"))
        portal.on("/v2", says(200))
        open_session().post(f"{HOME}/search", form={"name": "Acme"})
        assert [(r.method, r.body) for r in portal.received] == [("POST", b"name=Acme")] * 2


class TestAConversation:
    """What belongs together: cookies, evidence, identity."""

    def test_keeps_cookies_from_page_to_page_and_no_longer(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(200, set_cookie="sid=41; Path=/"))
        session = open_session()
        session.get(f"{HOME}/")
        session.get(f"{HOME}/")
        open_session().get(f"{HOME}/")
        assert [r.headers.get("cookie") for r in portal.received] == [None, "sid=41", None]

    def test_says_honestly_who_it_is(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(200))
        open_session().get(f"{HOME}/", headers={"Accept": "application/json"})
        headers = portal.received[0].headers
        assert headers["user-agent"] == "SOS-Lookup/test (+who)"
        assert headers["accept"] == "application/json"
        assert not [name for name in headers if name.startswith("sec-")]

    def test_takes_no_proxy_and_no_password_from_the_environment(
        self, portal: Loopback, open_session: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
    ) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        (tmp_path / "netrc").write_text("default login me password secret\n")
        monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        portal.on("/", says(200))
        assert open_session().get(f"{HOME}/").status == 200
        assert "authorization" not in portal.received[0].headers

    def test_keeps_every_page_it_read_and_every_request_it_made(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/1", says(200, "<p>one</p>"))
        portal.on("/2", says(503), says(200, "<p>two</p>"))
        session = open_session()
        session.get(f"{HOME}/1")
        session.get(f"{HOME}/2")
        assert [page.body for page in session.pages] == [b"<p>one</p>", b"<p>two</p>"]
        assert [stage.detail for stage in session.trace.stages] == [
            f"GET {HOME}/1: 200, 10 bytes",
            f"GET {HOME}/2: 503, 9 bytes",
            f"GET {HOME}/2: 200, 10 bytes",
        ]

    def test_never_speaks_to_a_machine_that_is_not_the_portals(self, portal: Loopback, open_session: Opener) -> None:
        elsewhere = ("https://elsewhere.example/", "https://elsewhere.example\\@portal.example/")
        for url in (*elsewhere, "http://portal.example/", "ftp://portal.example/"):
            with pytest.raises(PageChanged):
                open_session().get(url)
        assert portal.received == []

    def test_takes_a_status_that_carries_an_answer(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says(404, '{"message":"none"}', content_type="application/json"))
        assert open_session().get(f"{HOME}/", expect=(200, 404)).json() == {"message": "none"}
        assert isinstance(failure(open_session()), PageChanged)


class TestAPage:
    """The bytes of an answer, read strictly."""

    def read(self, portal: Loopback, open_session: Opener, body: bytes, kind: str) -> Any:
        portal.on("/", says(200, body, content_type=kind))
        return open_session().get(f"{HOME}/")

    @pytest.mark.parametrize(
        "body", [b"<html><body>Welcome</body></html>", b"", b"{", b"[" * 100_000, b"\xff\xfe", b"NaN,"]
    )
    def test_is_changed_when_it_should_be_json_and_is_not(
        self, portal: Loopback, open_session: Opener, body: bytes
    ) -> None:
        page = self.read(portal, open_session, body, "application/json")
        with pytest.raises(PageChanged):
            page.json()

    def test_is_changed_when_nested_too_deeply_even_where_a_library_has_raised_pythons_limit(
        self, portal: Loopback, open_session: Opener
    ) -> None:
        page = self.read(portal, open_session, b'{"a":' * 50_000, "application/json")
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(10**6)
        try:
            with pytest.raises(PageChanged):
                page.json()
        finally:
            sys.setrecursionlimit(before)

    def test_is_changed_when_nested_too_deeply_behind_a_sign_that_is_half_a_quotation_mark(
        self, portal: Loopback, open_session: Opener
    ) -> None:
        body = ('{"\N{FOR ALL}": ' + "[" * 300 + "]" * 300 + "}").encode("utf-16-le")
        page = self.read(portal, open_session, body, "application/json; charset=utf-16-le")
        with pytest.raises(PageChanged):
            page.json()

    def test_gives_text_that_any_database_can_keep(self, portal: Loopback, open_session: Opener) -> None:
        body = rb'{"a\u0000b": ["CAF\u00c9 \ud83d\ude00", "cut \ud83d", "nul \u0000 nul", "\\u0000 \\ud83d"]}'
        read = self.read(portal, open_session, body, "application/json").json()
        assert read == {"ab": ["CAFÉ 😀", "cut \ufffd", "nul  nul", r"\u0000 \ud83d"]}
        str(read).encode()

    @pytest.mark.parametrize("kind", ["text/html", "application/pdf", "image/png"])
    def test_is_changed_when_it_should_be_html_and_is_nothing(
        self, portal: Loopback, open_session: Opener, kind: str
    ) -> None:
        page = self.read(portal, open_session, b"", kind)
        with pytest.raises(PageChanged):
            page.html()

    def test_is_changed_when_it_ends_before_its_end(self, portal: Loopback, open_session: Opener) -> None:
        whole = b"<!DOCTYPE html>\n<HTML lang='en'><body><table><tr><td>ACME LLC</td></tr></table></body></HTML>\n"
        assert self.read(portal, open_session, whole, "text/html").html().xpath("string(//td)") == "ACME LLC"
        for cut in (whole[:60], whole[:-9]):
            page = self.read(portal, open_session, cut, "text/html")
            with pytest.raises(PageChanged, match="before its end"):
                page.html()

    @pytest.mark.parametrize(
        ("kind", "body"),
        [
            ("text/html; charset=utf-8", "<p>CAFÉ ÑANDÚ</p>".encode()),
            ("text/html", "<p>CAFÉ ÑANDÚ</p>".encode()),
            ("text/html; charset=ISO-8859-1", "<p>CAFÉ ÑANDÚ</p>".encode("latin-1")),
            ('text/html; charset="windows-1252"', "<p>CAFÉ ÑANDÚ</p>".encode("cp1252")),
            ("text/html", b'<meta charset="iso-8859-1">' + "<p>CAFÉ ÑANDÚ</p>".encode("latin-1")),
            ("text/html", "<p>CAFÉ ÑANDÚ</p>".encode("cp1252")),
            ("text/html; charset=no-such-thing", "<p>CAFÉ ÑANDÚ</p>".encode()),
            ("text/html; charset=idna", "<p>CAFÉ ÑANDÚ</p>".encode()),
            ("text/html; charset=undefined", "<p>CAFÉ ÑANDÚ</p>".encode()),
            ("text/html; charset=base64", "<p>CAFÉ ÑANDÚ</p>".encode()),
            ("text/html", b"\xef\xbb\xbf" + "<p>CAFÉ ÑANDÚ</p>".encode()),
        ],
    )
    def test_is_read_in_the_alphabet_it_is_written_in(
        self, portal: Loopback, open_session: Opener, kind: str, body: bytes
    ) -> None:
        page = self.read(portal, open_session, body, kind)
        assert page.html().xpath("string(//p | self::p)") == "CAFÉ ÑANDÚ"


class TestTheOtherEnd:
    """Which machine answered is part of the evidence, and which certificate it showed."""

    @pytest.fixture
    def shown(self, portal: Loopback, open_session: Opener, tmp_path: Path) -> bytes:
        """The portal speaks TLS, and the session trusts who vouches for it; the certificate that the portal shows."""
        authority = trustme.CA()
        authority.cert_pem.write_to_path(tmp_path / "authority.pem")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        own = authority.issue_cert("127.0.0.1")
        own.configure_cert(context)
        portal.socket = context.wrap_socket(portal.socket, server_side=True)
        portal.on("/", says())
        return ssl.PEM_cert_to_DER_cert(own.cert_chain_pems[0].bytes().decode())

    def open_secured(self, portal: Loopback, open_session: Opener) -> PortalSession:
        portals = portal.url.replace("http:", "https:")
        session = open_session()
        session._settings = TransportSettings(user_agent="SOS-Lookup/test (+who)", portals_url=portals)
        return session

    def test_is_kept_with_its_certificate(
        self, portal: Loopback, open_session: Opener, shown: bytes, tmp_path: Path
    ) -> None:
        session = self.open_secured(portal, open_session)
        session._http.verify = str(tmp_path / "authority.pem")
        session.get(HOME + "/")
        heard = session.trace.exchanges[0]
        assert heard.peer == f"127.0.0.1:{portal.server_address[1]}"
        assert heard.certificate == hashlib.sha256(shown).hexdigest()

    def test_that_nobody_vouches_for_says_nothing(self, portal: Loopback, open_session: Opener, shown: bytes) -> None:
        assert "certificate" in str(failure(self.open_secured(portal, open_session)))

    def test_without_tls_shows_none(self, portal: Loopback, open_session: Opener) -> None:
        portal.on("/", says())
        session = open_session()
        session.get(HOME + "/")
        assert session.trace.exchanges[0].peer == f"127.0.0.1:{portal.server_address[1]}"
        assert session.trace.exchanges[0].certificate is None
