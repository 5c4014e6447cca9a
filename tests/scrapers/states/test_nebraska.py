"""Nebraska's page of a company, where a saved one would say little."""

from __future__ import annotations

from scrapers.records import Found
from tests.scrapers.states.test_nothing_shown import put

DOCUMENTS = "<table><tr><th>Document</th>"
ROW = "<td>1903684002</td><td>BLUE HERON FREIGHT</td><td>Trade Name</td><td>Active</td>"


def with_table(*heads: str) -> object:
    """The answer to the saved question, with a further table on the company's page."""
    shown = "".join(f"<th>{head}</th>" for head in heads)
    return put("NE", "active", (DOCUMENTS, f"<table><tr>{shown}</tr><tr>{ROW}</tr></table>{DOCUMENTS}"), page=2)


class TestACompanyWithAssociatedEntities:
    """Its page lists them in a table of their own."""

    def test_is_found_like_one_without(self) -> None:
        plain, told = put("NE", "active"), with_table("Account Number", "Name", "Type", "Status")
        assert isinstance(plain, Found)
        assert isinstance(told, Found), told
        assert told.record == plain.record

    def test_is_a_changed_page_where_the_table_is_another_one(self) -> None:
        assert with_table("Account Number", "Name", "Owner", "Status") == "layout_changed"
        assert with_table("Owner", "Name", "Type", "Status") == "layout_changed"


class TestACorporationsOfficers:
    """Under "Corporation Position", as two public clients write the heading."""

    def test_are_read(self) -> None:
        found = put("NE", "inactive")
        assert isinstance(found, Found), found
        assert [(who.title, who.name) for who in found.record.officers] == [("President", "ROBIN SAMPLE")]
