"""A page that differs from the saved one gives the same answer or none: never another one."""

from __future__ import annotations

import pytest

from scrapers.transport.recording import Step
from tests.variations import figures
from tests.variations.outcomes import PAGES, try_state, vary
from tests.variations.places import parse, write

SHOWN = figures.PAGE.read_text(encoding="utf-8").splitlines()
LIST = b"""<html><body><div class='row'><span class='label'>Agent:</span><span>JORDAN SAMPLE</span></div>
<table><tr><th>Name</th><th>Number</th><th>Filed</th></tr><tr><td>ACME LLC</td><td>12</td><td>3/4/2015</td></tr>
</table><dl><dt>Office</dt><dd>1 MAIN ST<br>ALBANY, NY</dd></dl><a href='/'>Home</a></body></html>"""


@pytest.mark.parametrize("state", figures.list_states())
class TestAState:
    """A jurisdiction with saved pages."""

    def test_gives_no_other_answer_from_a_page_that_differs(self, state: str) -> None:
        assert [str(one) for one in try_state(state) if one.is_different] == []

    def test_stands_in_the_docs_with_its_figures(self, state: str) -> None:
        assert figures.row(state, try_state(state)) in SHOWN, "run python -m tests.variations --write"


class TestThePageOfFigures:
    """docs/variations.md."""

    def test_is_as_the_command_writes_it(self) -> None:
        start = SHOWN.index("|---|---|---|---|---|---|") + 1
        rows = SHOWN[start : start + len(figures.list_states())]
        assert [line.split(" | ")[0].strip("| ") for line in rows] == figures.list_states()
        assert figures.PAGE.read_text(encoding="utf-8") == figures.page(rows)


class TestTheTool:
    """What varies the pages."""

    @pytest.mark.parametrize("name", PAGES)
    def test_changes_a_page_that_has_a_place_for_it(self, name: str) -> None:
        tree = parse(LIST)
        elsewhere = name in NEED_ANOTHER_PAGE
        assert PAGES[name](tree) is not elsewhere
        assert (write(tree) == write(parse(LIST))) is elsewhere

    def test_leaves_the_page_it_was_given_alone(self) -> None:
        step = Step("GET", "https://example.gov/", 200, {}, LIST)
        assert len({body for _, body in vary(step)}) == len(PAGES) - len(NEED_ANOTHER_PAGE)
        assert step.body == LIST
