"""Arkansas' list of names, where a saved page would say little."""

from __future__ import annotations

from dataclasses import replace

from scrapers.records import Found, Query, ResultList
from scrapers.search.pipeline import ask_name
from scrapers.transport.recording import Step, load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER, NOW


class TestAReservedName:
    """A row with the status Reserved: somebody has put the name aside."""

    STATUS = b"<td>Good Standing</td>"

    def listed(self) -> list[Step]:
        """The saved search, in whose list the name is reserved."""
        form, found, _ = load_steps(FOLDER / "AR" / "active")
        assert self.STATUS in found.body
        return [form, replace(found, body=found.body.replace(self.STATUS, b"<td>Reserved</td>"))]

    def test_is_no_company(self) -> None:
        talk = Conversation("AR", *self.listed())
        (row,) = talk.portal.search(talk.session, "Blue Heron Logistics").candidates
        assert talk.portal.choose("Blue Heron Logistics LLC", ResultList((row,)), threshold=0.92).candidate is None

    def test_stands_in_the_way_of_the_same_name(self) -> None:
        form, found = self.listed()
        steps = []
        for name in ("Blue+Heron+Logistics", "The+Blue+Heron+Logistics", "Blue+Heron+Logistic", "Blue"):
            steps += [form, replace(found, url=found.url.replace("=Blue+Heron+Logistics&", f"={name}&"))]
        talk = Conversation("AR", *steps)
        told, _ = ask_name(talk.portal, talk.session, Query("AR", "Blue Heron Logistics LLC"), now=NOW)
        assert told.verdict == "taken"


class TestAnOfficer:
    """In a line of name and title."""

    def test_that_is_a_company_keeps_its_whole_name(self) -> None:
        *before, detail = load_steps(FOLDER / "AR" / "by-number")
        old, new = b"JORDAN EXAMPLE, Manager", b"HERON HOLDINGS, LLC<br>TERN, INC., Manager"
        assert old in detail.body
        told = Conversation("AR", *before, replace(detail, body=detail.body.replace(old, new))).ask(
            entity_id="811223344"
        )
        assert isinstance(told, Found)
        shown = [(officer.name, officer.title) for officer in told.record.officers[1:]]
        assert shown == [("HERON HOLDINGS, LLC", None), ("TERN, INC.", "Manager")]
