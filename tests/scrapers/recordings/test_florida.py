"""Sunbiz' recorded detail page, field by field."""

from __future__ import annotations

import time
from pathlib import Path

from scrapers.parsing import sunbiz
from scrapers.records import Address, Filing
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession, TransportSettings


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
