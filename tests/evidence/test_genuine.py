"""What is genuine is said to be so, whatever a registry or its pages are like; and what it is of, in plain words."""

from __future__ import annotations

import io

from warcio.archiveiterator import ArchiveIterator

from jurisdictions import canonical
from lookups.evidence import verify, warc
from lookups.evidence.bundle import Exchange
from scrapers.transport import exchanges


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
