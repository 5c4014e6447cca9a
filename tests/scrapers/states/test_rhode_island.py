"""Rhode Island: whether an entity still is may stand among its filings alone."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from scrapers.failures import PageChanged
from scrapers.records import Found
from scrapers.transport.recording import Step, load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER

NUMBER = "000455003"
REVOKED = re.compile(rb'<tr class="GridRow"><th scope="row">Revocation.*?</tr>')
PAGER = '<tr class="GridPager"><td colspan="4"><table><tr>%s</tr></table></td></tr></table>'
LINK = "<td><a href=\"javascript:__doPostBack('ctl00$MainContent$grdSearchResults','Page$%s')\">%s</a></td>"


def status_of(*steps: Step) -> str | None:
    """What is said of the entity after this conversation."""
    told = Conversation("RI", *steps).ask(entity_id=NUMBER)
    assert isinstance(told, Found)
    return told.record.status


def paged(step: Step, number: int, *, pages: int) -> Step:
    """A page of the filings as it stands on a list of several: without a link to itself."""
    links = "".join(LINK % (one, one) for one in range(1, pages + 1) if one != number)
    return replace(step, body=step.body.replace(b"</table>", (PAGER % links).encode()))


def emptied(step: Step, row: bytes) -> Step:
    """The list of filings with this in place of all its rows."""
    body = re.sub(rb'(<tr class="GridRow">.*</tr>)</table>', row + b"</table>", step.body)
    assert b"Revocation" not in body
    return replace(step, body=body)


class TestTheFilingsOfARevokedEntity:
    """Two: what made it, and what ended it."""

    @pytest.fixture
    def pages(self) -> list[Step]:
        return load_steps(FOLDER / "RI" / "revoked-among-filings")

    def test_are_read_to_the_end_of_their_list(self, pages: list[Step]) -> None:
        summary, whole = pages
        first = paged(replace(whole, body=REVOKED.sub(b"", whole.body)), 1, pages=2)
        second = replace(paged(whole, 2, pages=2), url=whole.url.replace("CorpSummary", "CorpSearchViewPDF"), sent=None)
        assert status_of(summary, first, second) == "Inactive: Revocation Certificate For Failure to File Annual Report"

    def test_tell_nothing_where_their_list_goes_on(self, pages: list[Step]) -> None:
        summary, whole = pages
        shown = replace(whole, body=REVOKED.sub(b"", whole.body))
        turned = replace(shown, url=whole.url.replace("CorpSummary", "CorpSearchViewPDF"), sent=None)
        later = [paged(turned, number, pages=9) for number in (2, 3, 4)]
        assert status_of(summary, paged(shown, 1, pages=9), *later) is None

    @pytest.mark.parametrize("row", [b"", b'<tr><td colspan="4">No filings were found.</td></tr>'])
    def test_do_not_make_it_active_where_none_is_shown(self, pages: list[Step], row: bytes) -> None:
        summary, whole = pages
        assert status_of(summary, emptied(whole, row)) is None

    def test_are_not_none_where_they_could_not_be_loaded(self, pages: list[Step]) -> None:
        summary, whole = pages
        excuse = b'<tr><td colspan="4">The filings could not be loaded.</td></tr>'
        with pytest.raises(PageChanged):
            status_of(summary, emptied(whole, excuse))

    @pytest.mark.parametrize("title", ["Certificate of Revocation", "REVOKED - Failure to Maintain an Agent"])
    def test_do_not_make_it_active_where_a_revocation_is_titled_otherwise(self, pages: list[Step], title: str) -> None:
        summary, whole = pages
        told = b"Revocation Certificate For Failure to File Annual Report"
        assert told in whole.body
        assert status_of(summary, replace(whole, body=whole.body.replace(told, title.encode()))) is None

    def test_make_it_active_where_the_registry_gave_notice_of_a_revocation_alone(self, pages: list[Step]) -> None:
        summary, whole = pages
        told, notice = b"Revocation Certificate For", b"Revocation Notice For"
        assert status_of(summary, replace(whole, body=whole.body.replace(told, notice))) == "Active"


class TestTheFilingsOfAReinstatedEntity:
    """What made it, what ended it in 2012, and what took that back in 2013."""

    REVIVED = b"Application for Reinstatement"

    @pytest.fixture
    def pages(self) -> list[Step]:
        return load_steps(FOLDER / "RI" / "reinstated")

    def titled(self, pages: list[Step], title: str, day: str = "02/04/2013") -> list[Step]:
        """The same with another title, or day, of what took it back."""
        summary, whole = pages
        assert self.REVIVED in whole.body
        body = whole.body.replace(self.REVIVED, title.encode()).replace(b"02/04/2013", day.encode())
        return [summary, replace(whole, body=body)]

    @pytest.mark.parametrize(
        "title",
        [
            "Reinstatement",
            "APPLICATION FOR REINSTATEMENT",
            "Certificate of Reinstatement",
            "Application for Reinstatement Following Administrative Dissolution",
        ],
    )
    def test_make_it_active(self, pages: list[Step], title: str) -> None:
        assert status_of(*self.titled(pages, title)) == "Active"

    @pytest.mark.parametrize(
        "title",
        [
            "Application for Reinstatement - Rejected",
            "Denial of Reinstatement",
            "Notice of Right to Reinstatement",
            "Withdrawal of Revocation Certificate",  # the statute's own word for it
        ],
    )
    def test_tell_nothing_where_it_may_have_been_taken_back_or_not(self, pages: list[Step], title: str) -> None:
        assert status_of(*self.titled(pages, title)) is None

    @pytest.mark.parametrize("title", ["Application for Reinstatement", "Withdrawal of Revocation Certificate"])
    def test_do_not_take_a_later_revocation_back(self, pages: list[Step], title: str) -> None:
        earlier = self.titled(pages, title, "06/17/2012")
        assert status_of(*earlier) == "Inactive: Revocation Certificate For Failure to File Annual Report"

    def test_make_it_active_where_it_asked_twice(self, pages: list[Step]) -> None:
        summary, whole = self.titled(pages, "Application for Reinstatement - Rejected", "01/04/2013")
        row = b'<tr class="GridRow"><th scope="row">Reinstatement</th><td>2013</td><td>02/04/2013</td><td>2</td></tr>'
        assert status_of(summary, replace(whole, body=whole.body.replace(b"</table>", row + b"</table>"))) == "Active"
