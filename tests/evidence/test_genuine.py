"""What is genuine is said to be so, whatever a registry or its pages are like; and what it is of, in plain words."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from warcio.archiveiterator import ArchiveIterator

from jurisdictions import canonical
from lookups.evidence import bundle, signing, verify, warc
from lookups.evidence.bundle import Exchange
from scrapers.evidence import bodies
from scrapers.transport import exchanges
from tests.evidence.conftest import UNKNOWN, file_of
from tests.evidence.test_file import list_valid, run_program
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register

pytestmark = pytest.mark.django_db


class TestAFileOfATest:
    """Anybody has a test key, and may ask the fictional registry about a real company."""

    def test_says_that_its_registry_is_fictional(
        self, tester: Customer, customer: Customer, register: Register, tmp_path: Path
    ) -> None:
        """ "The answer was: not_found", good and signed, of a company that every registry knows."""
        told = []
        for who in (tester, customer):
            raw = file_of(who, who.lookup(UNKNOWN, "NY"))
            (tmp_path / "keys.json").write_text(json.dumps(signing.list_published()))
            done = run_program(raw, tmp_path, "--keys", "keys.json")
            assert done.returncode == 0, done.stdout + done.stderr
            told.append("by a fictional registry" in done.stdout)
        assert told == [True, False]


class TestAFileOfNoAnswer:
    """The registry was asked, and nobody was there."""

    def test_says_that_no_source_has_answered(
        self, customer: Customer, register: Register, settings: Any, tmp_path: Path
    ) -> None:
        """ "No source was asked", it said."""
        settings.PORTALS_URL = "http://127.0.0.1:9"
        reply = customer.lookup()
        assert reply.status_code == 503
        raw = file_of(customer, reply)
        (tmp_path / "keys.json").write_text(json.dumps(signing.list_published()))
        done = run_program(raw, tmp_path, "--keys", "keys.json")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "exchanges: No source answered." in done.stdout
        assert "The answer was: unavailable." in done.stdout
        assert list_valid([raw], tmp_path) == [True]


class TestBytesThatNeverCame:
    """An exchange that nobody answered."""

    def test_are_none_though_an_empty_page_is_kept(self) -> None:
        """The hash of nothing is that of the empty page of another exchange."""
        bodies.keep([b""], until=timezone.now() + timedelta(days=1))
        record = exchanges.to_kept(exchanges.Exchange("GET", "https://r.invalid/", 0.0), [], at="2026-11-30").record
        assert bodies.read(record["body"]["sha256"]) == b""
        found = bundle._exchange(record, "NY", is_withheld=False)
        assert (found.body, found.state) == (None, "not_kept")


class TestAnArchive:
    """The web archive within a file."""

    def test_has_an_address_in_any_letters_that_nobody_answered(self) -> None:
        """A page's link, as the page writes it, of a machine that answered the second time: nothing was handed out."""
        asked = ("https://registry.invalid/firma?name=Müller", "https://registry.invalid/firma?name=M%C3%BCller")
        heard = [
            exchanges.Exchange("GET", asked[0], 0.0),
            exchanges.Exchange("GET", asked[1], 0.0, 200, {"content-type": "text/plain"}, b"M\xc3\xbcller GmbH"),
        ]
        kept = [exchanges.to_kept(one, [], at="2026-11-30T12:00:00.000Z") for one in heard]
        held = [
            Exchange(one.record, canonical.to_bytes(one.record), one.body if one.record["status"] else None, "kept")
            for one in kept
        ]
        content = warc.write(held, software="a test").content
        lines = b"".join(one.document + b"\n" for one in held)
        good, text = verify._check_records({f"{verify.OURS}exchanges.jsonl": lines, verify.WARC: content}, set())
        assert (good, text) == (True, "The bytes of 1 of 2 exchanges are here, and are those that were signed.")
        named = [
            (one.rec_type, one.rec_headers.get_header("WARC-Target-URI"))
            for one in ArchiveIterator(io.BytesIO(content), check_digests="raise")
        ]
        assert named[1:] == [
            ("metadata", asked[0]),
            *((kind, asked[1]) for kind in ("metadata", "request", "response")),
        ]

    @pytest.mark.parametrize(
        ("url", "headers", "body", "most"),
        [
            ("https://r.invalid", {}, b"", None),
            ("https://r.invalid?q=a", {"content-type": ""}, b"\r\n\r\nWARC/1.1\r\n\r\n", None),
            ("https://r.invalid/?", {"etag": "a\x01b", "location": "/caf\u00e9", "date": "now"}, b"\xff\xfe\0", None),
            ("https://r.invalid/a/b?c#d", {"content-type": "text/html; charset=x"}, b"long", 2),
        ],
        ids=["nothing", "a page like an archive", "headers that programs write otherwise", "the beginning of a page"],
    )
    def test_is_as_it_was_signed_whatever_a_registry_sends(
        self, url: str, headers: dict[str, str], body: bytes, most: int | None
    ) -> None:
        heard = exchanges.Exchange("GET", url, 0.0, 599, headers, body)
        kept = exchanges.to_kept(heard, [], at="2026-11-30T12:00:00.000Z", most=most)
        one = Exchange(kept.record, canonical.to_bytes(kept.record), kept.body, "kept")
        content = warc.write([one], software="a test").content
        files = {f"{verify.OURS}exchanges.jsonl": one.document + b"\n", verify.WARC: content}
        assert verify._check_records(files, set())[0]
        for read in ArchiveIterator(io.BytesIO(content), check_digests="raise"):
            if read.rec_type == "response":
                assert read.content_stream().read() == kept.body
                assert read.rec_headers.get_header("WARC-Truncated") == ("length" if most else None)
                shown = {name for name, _ in read.http_headers.headers} - {"content-length"}
                assert shown == {name for name, text in headers.items() if text.isprintable() and text.isascii()}

    @pytest.mark.parametrize("most", [4, 8, 12, 40])
    def test_has_no_piece_of_a_key_where_the_end_of_a_page_is_cut_off(self, most: int) -> None:
        heard = exchanges.Exchange(
            "GET", "https://r.invalid/", 0.0, 503, {}, b"<p> k3y-0f-0urs was refused, and why</p>"
        )
        kept = exchanges.to_kept(heard, ["k3y-0f-0urs"], at="2026-11-30T12:00:00.000Z", most=most)
        assert b"k3y" not in kept.body
        assert len(kept.body) <= most
        assert not kept.record["body"]["whole"] or most == 40
        assert all(kept.body[at : at + size].decode() == exchanges.HIDDEN for at, size in kept.record["body"]["cuts"])

    def test_has_an_answer_where_programs_look_for_it(self) -> None:
        """In their index: by the address from its widest part on, and the second."""
        heard = exchanges.Exchange("GET", "https://www.Registry.invalid/Search?Name=A", 0.0, 404, {}, b"A")
        kept = exchanges.to_kept(heard, [], at="2026-11-30T12:00:01.000Z")
        one = Exchange(kept.record, canonical.to_bytes(kept.record), kept.body, "kept")
        (answer,) = warc.write([one], software="a test").answers
        assert answer.line.split(" ", 2)[:2] == ["invalid,registry)/search?name=a", "20261130120001"]
        place = json.loads(answer.line.split(" ", 2)[2])
        assert (place["status"], place["mime"]) == ("404", "application/octet-stream")
