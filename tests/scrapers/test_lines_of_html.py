"""The lines a person sees on a page, out of its markup."""

from __future__ import annotations

import pytest
from lxml import html

from scrapers.parsing.html import lines_of, offers_next, visible_text


@pytest.mark.parametrize(
    ("markup", "lines"),
    [
        ("<td>1 Main St<br>Suite 4<br/>Albany, NY</td>", ["1 Main St", "Suite 4", "Albany, NY"]),
        ("<div><b>Label</b>: value<div>block</div>after</div>", ["Label: value", "block", "after"]),
        ("<div><div><span>A</span> 1</div>\n<div><span>B</span> 2</div></div>", ["A 1", "B 2"]),
        ("<div>one<!-- note --> two</div>", ["one two"]),
        ("<div><p>nested <i>deep <b>down</b></i> text</p>tail</div>", ["nested deep down text", "tail"]),
    ],
)
def test_lines_stand_in_the_order_a_person_reads_them(markup: str, lines: list[str]) -> None:
    assert lines_of(html.fragment_fromstring(markup)) == lines


class TestTheVisibleText:
    """What may be believed when it says that there is nothing."""

    def test_leaves_out_what_nobody_sees(self) -> None:
        page = html.fromstring(
            "<div><script>var none = 'No records found';</script><p style='display: none'>No records found</p>"
            "<div hidden><b>No records found</b></div><p>3&nbsp;records <i>found</i></p></div>"
        )
        assert visible_text(page) == "3 records found"


@pytest.mark.parametrize(
    ("markup", "more"),
    [
        ("<a href='?page=2'>Next</a>", True),
        ("<button>Next &raquo;</button>", True),
        ("<input type='submit' value='Next Page'>", True),
        ("<ul><li class='disabled'><a href='#'>Next</a></li></ul>", False),
        ("<button disabled>Next</button>", False),
        ("<a href='/x'>Next steps for new businesses</a>", False),
        ("<p>Next</p>", False),
    ],
)
def test_a_list_is_whole_only_without_a_way_on(markup: str, more: bool) -> None:
    assert offers_next(html.fragment_fromstring(markup, create_parent="div")) is more
