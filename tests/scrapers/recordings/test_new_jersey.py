"""What New Jersey's lien wizard really answered: both forms, and the first page of 469 debtors (2026-05)."""

from __future__ import annotations

import re
from pathlib import Path

from scrapers.records import FoundFilings
from scrapers.ucc.new_jersey import URL
from tests.scrapers.conversation import Conversation, answer, turned


def ask(recordings: Path, *pages: str) -> tuple[Conversation, FoundFilings]:
    """Walk the wizard to these pages of results."""
    folder = recordings / "NJ"
    steps = [answer("GET", URL, folder / "ucc-step1.html"), answer("POST", URL, folder / "ucc-step2.html")]
    talk = Conversation("NJ", *steps, *(answer("POST", URL, page) for page in pages))
    told = talk.ask(kind="ucc", name="A")
    assert isinstance(told, FoundFilings)
    return talk, told


class TestALongListOfLiens:
    """Its pager is a row within a row, of 22 cells, that also says how many debtors there are."""

    def page(self, recordings: Path) -> str:
        return (recordings / "NJ" / "ucc-results.html").read_text(encoding="utf-8")

    def test_is_read_row_by_row_up_to_five_pages_and_is_not_called_whole(self, recordings: Path) -> None:
        first = self.page(recordings)
        talk, told = ask(recordings, first, *(turned(first, number) for number in range(2, 6)))
        assert not told.complete
        assert talk.replay.left == []
        # A row a debtor, the same page five times; AAMCO, ACE and three more only begin with the letter
        assert sorted(lien.file_number for lien in told.filings) == [
            "1520523",
            "1520524",
            "1702535",
            "1804194",
            "24761345",
        ]
        newest = told.filings[0]
        assert (newest.filed, newest.status, newest.debtors[0].name, newest.debtors[0].address.city) == (
            "05/28/2008",
            "Active",
            "A STRATEGIC PLAN BEAUTY SPOT, LLC",
            "PATERSON",
        )

    def test_is_not_whole_either_when_its_pager_lost_the_links(self, recordings: Path) -> None:
        _, told = ask(recordings, re.sub(r"Page\$\w+", "", self.page(recordings)))
        assert len(told.filings) == 5
        assert not told.complete

    def test_is_whole_when_all_that_it_counts_were_read(self, recordings: Path) -> None:
        page = re.sub(r"Page\$\w+", "", self.page(recordings)).replace("Total Debtors 469", "Total Debtors 10")
        _, told = ask(recordings, page)
        assert told.complete
