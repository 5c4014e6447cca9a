"""The lines a person sees on a page, out of its markup."""

from __future__ import annotations

import time

import pytest
from lxml import html

from scrapers.failures import PageChanged
from scrapers.parsing.fields import refuse_renamed
from scrapers.parsing.html import lines_of, offers_next, table_rows, text_of, visible_text, worded_rows


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


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<td>ACME<br>LLC</td>", "ACME LLC"),
        ("<td>ACME <b>LLC</b></td>", "ACME LLC"),
        ("<td>AC<b>ME</b> LLC</td>", "ACME LLC"),
        ("<td><div>ACME</div><div>LLC</div></td>", "ACME LLC"),
        ("<table><tr><td>ACME</td><td>LLC</td></tr></table>", "ACME LLC"),
        ("<td>ACME<script>var x = 1</script></td>", "ACME"),
    ],
)
def test_what_stands_apart_is_no_single_word(markup: str, text: str) -> None:
    assert text_of(html.fragment_fromstring(markup)) == text


class TestRowsOfATable:
    """Rows read by their headings."""

    def table(self, rows: str) -> html.HtmlElement:
        return html.fragment_fromstring(f"<table>{rows}</table>")

    def names(self, rows: str, **further: tuple[str, ...]) -> list[str]:
        return [text_of(row["Name"]) for row in table_rows(self.table(rows), ("Name", "Status"), **further)]

    @pytest.mark.parametrize(
        "rows",
        [
            "<tr><th>Name</th><th>Status</th></tr><tr><td>ACME</td><td>Active</td></tr>",
            "<tr><th>STATUS</th><th>NAME:</th></tr><tr><td>Active</td><td>ACME</td></tr>",
            "<tr><td>Name</td><td>Status</td></tr><tr><th>ACME</th><td>Active</td></tr>",
            "<tr><th colspan=2>Results</th></tr><tr><th>Name</th><th>Status</th></tr><tr><td>ACME</td><td>A</td></tr>",
            "<tr><th>Name</th><th>Status</th></tr><tr><td>ACME</td><td>A</td></tr><tr><td colspan=2>1 2 3</td></tr>",
            "<tr><th>Name</th><th>Status</th></tr><tr><td>ACME</td><td>A</td></tr><tr><th>Name</th><th>Status</th></tr>",
        ],
    )
    def test_are_found_whatever_else_stands_there(self, rows: str) -> None:
        assert self.names(rows) == ["ACME"]

    @pytest.mark.parametrize(
        "rows",
        [
            "<tr><th>Name</th></tr><tr><td>ACME</td></tr>",
            "<tr><th>Name</th><th>Name</th><th>Status</th></tr><tr><td>A</td><td>B</td><td>C</td></tr>",
            "<tr><th>Name</th><th>Status</th></tr><tr><td>ACME</td><td>A</td><td>more</td></tr>",
            "<tr><th>Name</th><th>Status</th><th>City</th><th>City</th></tr><tr><td>A</td><td>B</td><td>C</td></tr>",
        ],
    )
    def test_are_a_changed_page_where_they_do_not_fit(self, rows: str) -> None:
        with pytest.raises(PageChanged):
            self.names(rows, optional=("City",))

    def test_are_found_by_a_word_of_one_heading_alone(self) -> None:
        heads = "<tr><th>Individual Name</th><th>Title</th></tr>"
        rows = worded_rows(self.table(f"{heads}<tr><td>RILEY SAMPLE</td><td>Manager</td></tr>"), "name", "title")
        assert [(text_of(row["name"]), text_of(row["title"])) for row in rows] == [("RILEY SAMPLE", "Manager")]
        with pytest.raises(PageChanged):
            worded_rows(
                self.table("<tr><th>First name</th><th>Last name</th></tr><tr><td>A</td><td>B</td></tr>"), "name"
            )


class TestARenamedKey:
    """A key that need not be there, missing beside one that nobody knows."""

    def test_is_a_changed_page(self) -> None:
        with pytest.raises(PageChanged):
            refuse_renamed({"STATUS": "Active", "STANDING_2": "Good"}, ("STANDING",), known={"STATUS", "STANDING"})

    @pytest.mark.parametrize("row", [{"STATUS": "Active"}, {"STATUS": "Active", "STANDING": None, "NEW": 1}])
    def test_is_not_seen_in_one_that_is_missing_or_new_alone(self, row: dict[str, object]) -> None:
        refuse_renamed(row, ("STANDING",), known={"STATUS", "STANDING"})


class TestTheVisibleText:
    """What may be believed when it says that there is nothing."""

    def test_leaves_out_what_nobody_sees(self) -> None:
        page = html.fromstring(
            "<div><script>var none = 'No records found';</script><p style='display: none'>No records found</p>"
            "<div hidden><b>No records found</b></div><p>3&nbsp;records <i>found</i></p></div>"
        )
        assert visible_text(page) == "3 records found"
        assert visible_text(page.xpath("//b")[0]) == ""
        assert visible_text(page.xpath("//i")[0]) == "found"


class TestAPageOfManyPieces:
    """A registry's page may have ten megabytes, and nothing ends a reader from outside."""

    def test_is_read_in_the_time_that_its_length_takes(self) -> None:
        cell = html.fragment_fromstring(f"<td>{'<b>ab</b>' * 500_000}</td>")
        began = time.process_time()
        assert text_of(cell) == "ab" * 500_000
        assert time.process_time() - began < 4.0

    def test_is_seen_as_soon_whatever_class_is_around_it(self) -> None:
        page = html.fragment_fromstring(f"<div class='{'non ' * 25_000}'>{'<b>ab</b>' * 20_000}</div>")
        began = time.process_time()
        assert visible_text(page) == " ".join(["ab"] * 20_000)
        assert time.process_time() - began < 2.0


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
