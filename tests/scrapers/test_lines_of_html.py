"""The lines a person sees on a page, out of its markup."""

from __future__ import annotations

import pytest
from lxml import html

from scrapers.parsing.html import lines_of


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
