"""Alabama's page of a company, where a saved page would say little."""

from __future__ import annotations

from dataclasses import replace

from scrapers.records import Filing, Found
from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER


class TestTheTransactions:
    """A day, and what happened in the row after it."""

    def test_end_before_the_documents_that_were_scanned(self) -> None:
        *before, page = load_steps(FOLDER / "AL" / "active")
        heading = b'<tr><td class="aiSosDetailDesc">Scanned Documents</td></tr>'
        document = (
            b'<tr><td class="aiSosDetailDesc">Document Date / Type / Pages</td>'
            b'<td class="aiSosDetailValue">03/04/2019 Certificate of Formation 3 pgs.</td></tr>'
        )
        assert heading in page.body
        page = replace(page, body=page.body.replace(heading, heading + document))
        talk = Conversation("AL", *before, page)
        told = talk.ask(name="Blue Heron Logistics LLC")
        assert isinstance(told, Found)
        assert told.record.filings == (Filing("05/06/2021", "Legal Name Changed From: Tern Freight, LLC"),)
        assert talk.unread == ["Document Date / Type / Pages"]
