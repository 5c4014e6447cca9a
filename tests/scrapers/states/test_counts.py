"""A list that a registry counts is whole where it counts just the rows shown: any other number tells of a cut list."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapers.failures import PortalError
from scrapers.records import FoundFilings, ResultList
from scrapers.transport.recording import Step, UnexpectedRequest, load_steps
from scrapers.transport.session import PortalSession
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER, Case

Change = tuple[str, str]


def changed_steps(case: str, change: Change) -> list[Step]:
    """The conversation of a case, with words of its pages replaced."""
    old, new = (word.encode() for word in change)
    steps = load_steps(FOLDER / case)
    assert any(old in step.body for step in steps), change
    return [replace(step, body=step.body.replace(old, new)) for step in steps]


def question_of(case: str) -> dict[str, str]:
    """What is asked in a case."""
    state, situation = case.split("/")
    asked: dict[str, str] = Case(state, situation, FOLDER / case).content["question"]
    return asked


def is_whole(case: str, change: Change, monkeypatch: pytest.MonkeyPatch) -> bool | str:
    """Whether the first list of companies is taken for whole; else the reason of the portal's error."""
    talk, lists = Conversation(case.split("/")[0], *changed_steps(case, change)), list[ResultList]()
    search = talk.portal.search

    def keeping(session: PortalSession, term: str) -> ResultList:
        lists.append(search(session, term))
        return lists[-1]

    monkeypatch.setattr(talk.portal, "search", keeping)
    try:
        talk.ask(**question_of(case))
    except PortalError as error:
        return lists[0].complete if lists else error.reason
    except UnexpectedRequest:  # of a cut list, just the name is asked for next
        pass
    return lists[0].complete


@pytest.mark.parametrize(
    ("case", "count", "fewer", "a_range"),
    [
        ("AR/several-matches", "Records Returned: 3", "Records Returned: 1", "Records Returned: 1 - 3 of 300"),
        ("WI/several-matches", "2 records for", "1 records for", "1 to 2 records for"),
        ("OK/several-matches", "Total Results: 2", "Total Results: 1", "Total Results: 1-2 of 611"),
        ("VI/several-matches", "3 Results", "1 Result", "1 - 3 Results"),
        ("LA/several-matches", 'lblTotalResults">2<', 'lblTotalResults">1<', 'lblTotalResults">1 - 2 of 300<'),
        (
            "MO/several-matches",
            "<strong>2</strong> items",
            "<strong>1</strong> items",
            "<strong>1</strong> - <strong>2</strong> items",
        ),
        ("MA/several-matches", "Number of records: 5", "Number of records: 2", "Number of records: 1 - 5 of 300"),
    ],
)
class TestACountOfCompanies:
    """Beside a list."""

    def test_holds_the_list_whole_where_it_counts_its_rows(
        self, case: str, count: str, fewer: str, a_range: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert is_whole(case, (count, count), monkeypatch) is True

    def test_that_is_smaller_is_of_something_else(
        self, case: str, count: str, fewer: str, a_range: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert is_whole(case, (count, fewer), monkeypatch) is False

    def test_is_not_the_end_of_a_range(
        self, case: str, count: str, fewer: str, a_range: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert is_whole(case, (count, a_range), monkeypatch) == "layout_changed"


@pytest.mark.parametrize(
    ("case", "count", "fewer"),
    [
        ("WA/several-matches", '"TotalRowCount": 27', '"TotalRowCount": 0'),
        ("WA/several-matches", '"TotalRowCount": 27', '"TotalRowCount": 20'),
        ("OH/several-matches", '"result_count": 3', '"result_count": 1'),
        ("UT/several-matches", "records 1 to 4 of 4", "records 1 to 4 of 2"),
    ],
)
class TestACountInAnAnswerForPrograms:
    """Or in a pager."""

    def test_that_is_smaller_is_of_something_else(
        self, case: str, count: str, fewer: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert is_whole(case, (count, count), monkeypatch) is True
        assert is_whole(case, (count, fewer), monkeypatch) is False


class TestSouthDakotasTable:
    """Counts nothing: a script divides it into pages, all of which have come."""

    @pytest.mark.parametrize(
        ("control", "whole"),
        [
            ("", True),
            ('<ul><li class="paginate_button next disabled"><a href="#">Next</a></li></ul>', True),
            ('<a href="javascript:__doPostBack(1,2)">Next</a>', False),
        ],
    )
    def test_is_whole_where_no_control_leads_on(
        self, control: str, whole: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ends = "</tbody></table></div>"
        assert is_whole("SD/several-matches", (ends, ends + control), monkeypatch) is whole


@pytest.mark.parametrize(
    ("case", "count", "fewer"),
    [
        ("RI/ucc-debtor", "Number of records: 4", "Number of records: 1"),
        ("NJ/ucc-two-pages", "</form>", "<p>Total Debtors 1, Showing Page 1/1</p></form>"),
        ("CA/ucc-debtor", '"total": 2', '"total": 1'),
        ("CA/ucc-debtor", '"total": 2', '"total": 60'),
    ],
)
class TestACountOfLiens:
    """Beside a list."""

    def test_other_than_of_its_rows_is_of_a_cut_list(self, case: str, count: str, fewer: str) -> None:
        told = [
            Conversation(case.split("/")[0], *changed_steps(case, change)).ask(**question_of(case))
            for change in ((count, count), (count, fewer))
        ]
        assert [one.complete for one in told if isinstance(one, FoundFilings)] == [True, False]
