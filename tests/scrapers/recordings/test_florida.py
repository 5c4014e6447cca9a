"""Sunbiz' recorded detail page, field by field."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from scrapers.failures import PageChanged
from scrapers.parsing import sunbiz
from scrapers.records import Address, EntityRecord, Filing
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession, TransportSettings


def read(recordings: Path, *changes: tuple[str, str]) -> EntityRecord:
    """The recorded detail, with some of its words changed."""
    text = (recordings / "FL" / "detail-L15000063512.html").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    settings = TransportSettings(user_agent="recordings")
    talk = PortalSession(portal="FL", hosts=(), settings=settings, deadline=time.monotonic() + 60)
    return sunbiz.read(Page("https://search.sunbiz.org/x", 200, {}, text.encode()), talk)


class TestAPageThatDiffersFromTheRecordedOne:
    """In a word that a value is found by."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("<span>Mailing Address</span>", "<span>Post</span>"),
            ("<span>Registered Agent Name & Address</span>", "<span>Contact</span>"),
            ("<span>Registered Agent Name & Address</span>", ""),
            ("<span>PERSON, EXAMPLE\n", "<br>\n"),  # whose address stands in the place of the name
            ("<span>Authorized Person(s) Detail</span>", "<span>People</span>"),
            ("<span>Title&nbsp;MGR</span>", "<span>Rank&nbsp;MGR</span>"),
            ('<label for="Detail_FileDate">Date Filed</label>', ""),
            ('<div class="detailSection">', '<div class="section">'),
        ],
    )
    def test_tells_no_less(self, recordings: Path, old: str, new: str) -> None:
        assert read(recordings).agent_name == "PERSON, EXAMPLE"
        with pytest.raises(PageChanged):
            read(recordings, (old, new))

    def test_tells_the_partners_of_a_limited_partnership(self, recordings: Path) -> None:
        record = read(
            recordings,
            ("Authorized Person(s) Detail", "General Partner Detail"),
            ("<span>Title&nbsp;MGR</span>", "<span>Document Number L15000000001</span>"),
        )
        assert [(one.name, one.title) for one in record.officers] == [("PERSON, EXAMPLE", "General Partner")]


class TestTheRecordedDetail:
    """An LLC that was reinstated in 2020."""

    def test_is_read_with_what_happened_last_and_no_label_is_left(self, recordings: Path) -> None:
        body = (recordings / "FL" / "detail-L15000063512.html").read_bytes()
        settings = TransportSettings(user_agent="recordings")
        talk = PortalSession(portal="FL", hosts=(), settings=settings, deadline=time.monotonic() + 60)
        record = sunbiz.read(Page("https://search.sunbiz.org/x", 200, {}, body), talk)
        assert (record.entity_id, record.status, record.standing) == ("L15000063512", "ACTIVE", None)
        assert record.filings == (Filing("10/08/2020", "REINSTATEMENT"),)
        assert (record.agent_name, record.agent_address) == (
            "PERSON, EXAMPLE",
            Address("1 Example Ct", "Miami Lakes", "FL", "33016"),
        )
        assert [(one.name, one.title) for one in record.officers] == [("PERSON, EXAMPLE", "MGR")]
        assert talk.trace.stages == []
