"""Kentucky's pages where a saved one would say little."""

from __future__ import annotations

import pytest

from scrapers.failures import PageChanged
from scrapers.normalize import types
from scrapers.records import Candidate
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.golden import FOLDER

SEARCH = "https://sosbes.sos.ky.gov/BusSearchNProfile/search.aspx"
LIENS = "https://web.sos.ky.gov/ftucc/search.aspx"


def page(state: str, name: str) -> str:
    """A saved page."""
    return (FOLDER / "KY" / state / name).read_text(encoding="utf-8")


def talk(*pages: str) -> Conversation:
    """The form and what pressing its button brings."""
    first, *rest = pages
    return Conversation("KY", answer("GET", SEARCH, first), *(answer("POST", SEARCH, body) for body in rest))


class TestAList:
    """Rows of four cells, the first with a link."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Profile.aspx?ctr=111", "Profile.aspx?id=111"),
            ("<td>0912345</td>", ""),
            ('<a href="Profile.aspx?ctr=111">', "<a>"),
            ('id="MainContent_gvSearchResults"', 'id="MainContent_results"'),
        ],
    )
    def test_of_another_shape_is_a_changed_page(self, old: str, new: str) -> None:
        form, listed = page("active", "1-form.html"), page("active", "2-list.html")
        assert old in listed
        with pytest.raises(PageChanged):
            talk(form, listed.replace(old, new)).ask(name="Limestone Lantern Distilling")

    def test_tells_an_assumed_name_from_the_company_that_uses_it(self) -> None:
        form, listed = page("active", "1-form.html"), page("active", "2-list.html")
        old = "KLC - Kentucky Limited Liability Company"
        assert old in listed
        talked = talk(form, listed.replace(old, "ASN - Assumed Name"))
        found = talked.portal.search(talked.session, "Limestone Lantern Distilling")
        assert [row.name_kind for row in found.candidates] == ["assumed", "legal"]

    def test_tells_a_fictitious_name_from_a_company(self) -> None:
        form, listed = page("active", "1-form.html"), page("active", "2-list.html")
        old = "<td>0912345</td><td>A - Active</td>"
        assert old in listed
        talked = talk(form, listed.replace(old, "<td>0912345</td><td>F - Fictitious</td>"))
        found = talked.portal.search(talked.session, "Limestone Lantern Distilling")
        ranked = talked.portal.choose("Limestone Lantern Distilling, LLC", found, threshold=0.92).ranked
        assert (ranked[0].candidate.entity_id, ranked[0].kind) == ("0912345", "former_name")

    def test_prefers_the_company_that_has_ended_to_a_cross_reference(self) -> None:
        form, listed = page("active", "1-form.html"), page("active", "2-list.html")
        row = listed[listed.index("<tr><td>") : listed.index("</tr>", listed.index("<tr><td>")) + 5]
        assert "<td>0912345</td><td>A - Active</td>" in row
        reference = row.replace("<td>0912345</td><td>A - Active</td>", "<td>0111111</td><td>C - Cross Reference</td>")
        talked = talk(form, listed.replace(row, reference + row.replace("A - Active", "I - Inactive")))
        found = talked.portal.search(talked.session, "Limestone Lantern Distilling")
        chosen = talked.portal.choose("Limestone Lantern Distilling, LLC", found, threshold=0.92).candidate
        assert chosen is not None
        assert (chosen.entity_id, chosen.status) == ("0912345", "I - Inactive")

    def test_that_is_empty_must_say_so(self) -> None:
        said = page("no-match", "2-none.html")
        with pytest.raises(PageChanged):
            talk(page("active", "1-form.html"), said.replace("No matching", "Some")).ask(name="Unwritten")


class TestAProfile:
    """Labels and values."""

    def test_of_a_nonprofit_says_so_beside_the_type_of_company(self) -> None:
        shown = page("active", "3-profile.html")
        for old, new in (
            ("P - Profit", "N - Non-profit"),
            ("KLC - Kentucky Limited Liability Company", "KCO - Kentucky Corporation"),
            ("MainContent_BtnCurrent", "MainContent_BtnNobody"),
        ):
            assert old in shown
            shown = shown.replace(old, new)
        url = "https://sosbes.sos.ky.gov/BusSearchNProfile/Profile.aspx?ctr=111"
        talked = Conversation("KY", answer("GET", url, shown))
        row = Candidate("LIMESTONE LANTERN DISTILLING, LLC", "0912345", handle={"href": url})
        found = talked.portal.detail(talked.session, row)
        assert found.entity_type == "KCO - Kentucky Corporation (N - Non-profit)"
        assert types.to_class(found.entity_type) == "nonprofit_corporation"


class TestALien:
    """Two tables, or a sentence."""

    def ask(self, body: str) -> None:
        form = page("ucc-debtor", "2-form.html")
        steps = (answer("GET", LIENS, form), answer("POST", LIENS, body))
        Conversation("KY", *steps).ask(kind="ucc", name="Unwritten Harbour Whisky Inc")

    def test_page_without_tables_and_words_is_a_changed_page(self) -> None:
        with pytest.raises(PageChanged):
            self.ask("<html><body><form><h1>Welcome</h1></form></body></html>")

    def test_table_with_other_columns_is_a_changed_page(self) -> None:
        listed = page("ucc-debtor", "3-filings.html")
        with pytest.raises(PageChanged):
            self.ask(listed.replace("Lapse Date", "Expires"))
