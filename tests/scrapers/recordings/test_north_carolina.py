"""North Carolina's recorded result list and profile texts, field by field."""

from __future__ import annotations

import time
from pathlib import Path

from lxml import html

from scrapers.records import Address, EntityRecord
from scrapers.states.north_carolina import NorthCarolina
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession, TransportSettings


def session() -> PortalSession:
    """A conversation that never leaves the room."""
    settings = TransportSettings(user_agent="recordings")
    return PortalSession(portal="NC", hosts=(), settings=settings, deadline=time.monotonic() + 60)


def profile(recordings: Path, name: str) -> tuple[EntityRecord, PortalSession]:
    """A recorded text."""
    return read((recordings / "NC" / f"{name}.innertext.txt").read_text(encoding="utf-8"))


def read(text: str) -> tuple[EntityRecord, PortalSession]:
    """The text of a profile put back into the element it came from, each line a block."""
    section = html.fromstring(f"<section>{''.join(f'<div>{line}</div>' for line in text.splitlines())}</section>")
    talk = session()
    return NorthCarolina().profile([section], url="https://www.sosnc.gov/x", entity_type=None, session=talk), talk


class TestTheRecordedList:
    """ "Db Homes", five found, three kept in the recording."""

    def test_is_read_row_by_row(self, recordings: Path) -> None:
        body = (recordings / "NC" / "search-list.html").read_bytes()
        talk = session()
        results = NorthCarolina().rows(Page("https://www.sosnc.gov/r", 200, {}, body), talk)
        rows = [(row.name, row.entity_id, row.status, row.entity_type) for row in results.candidates]
        assert rows == [
            ("DB Homes, Inc.", "0665525", "Dissolved", "Business Corporation"),
            ("DB HOMES LLC", "1618927", "Current - Active", "Limited Liability Company"),
            ("DB HOME SERVICES LLC", "1241624", "Admin. Dissolved", "Limited Liability Company"),
        ]
        assert results.candidates[0].handle["profile"].endswith("/Business_Registration_profile/5619430")
        assert not results.complete, "three of five rows"
        assert talk.trace.stages == [], "no label is left unread"

    def test_has_no_status_word_that_is_not_understood(self, recordings: Path) -> None:
        body = (recordings / "NC" / "search-list.html").read_bytes()
        results = NorthCarolina().rows(Page("https://www.sosnc.gov/r", 200, {}, body), session())
        classes = [NorthCarolina().status_meaning(row.status).status_class for row in results.candidates]
        assert classes == ["inactive", "active", "inactive"]


class TestARecordedProfile:
    """The texts of two profiles."""

    def test_of_a_foreign_partnership_is_read(self, recordings: Path) -> None:
        record, talk = profile(recordings, "detail-foreign-lp")
        assert (record.entity_name, record.entity_id) == ("Pk Ventures I Limited Partnership", "0000021")
        assert NorthCarolina().check_id(" 21 ") == record.entity_id
        assert (record.status, record.formation_date, record.jurisdiction) == ("Current-Active", "9/24/1986", "DE")
        assert record.domestic is False
        assert record.agent_name == "U S Corporation Co"
        assert record.agent_address == Address("327 Hillsborough", "Raleigh", "NC", "27602")
        assert record.mailing_address.city == "Dover"
        assert talk.trace.stages == []

    def test_without_an_agent_names_none(self, recordings: Path) -> None:
        record, talk = profile(recordings, "detail-agent-not-listed")
        assert record.agent_name is None
        assert record.principal_address == Address("155 Garrison Branch Road", "Weaverville", "NC", "28787")
        assert record.domestic is True
        assert talk.trace.stages == []

    def test_keeps_an_address_apart_under_a_heading_that_nobody_knows(self, recordings: Path) -> None:
        file = recordings / "NC" / "detail-foreign-lp.innertext.txt"
        lines = file.read_text(encoding="utf-8").replace("Registered Mailing address", "Agent Mailing address")
        record, talk = read(lines)
        assert record.agent_address == Address("327 Hillsborough", "Raleigh", "NC", "27602")
        assert [stage.name for stage in talk.trace.stages] == ["unread_labels"]
        assert "Agent Mailing address" in talk.trace.stages[0].detail

    def test_has_no_former_name_where_its_line_stands_empty(self, recordings: Path) -> None:
        text = (recordings / "NC" / "detail-foreign-lp.innertext.txt").read_text(encoding="utf-8")
        line = "Secretary of State Identification"
        assert read(text.replace(line, f"Prev Legal name:\n{line}"))[0].former_names == ()
        assert read(text.replace(line, f"Prev Legal name:  Pk Fund\n{line}"))[0].former_names == ("Pk Fund",)
