"""Where a page of a registry was recorded, the golden pages are built as it is, element for element.

`tests/portals/test_conformance.py` compares ids, labels and keys; here it is the nesting: a golden page that was
written to fit its reader agrees with the reader's mistakes. What a state's other pages show beyond the recorded ones
(the line that there is nothing) stands in its `beyond_recording.json` under `elements`. Inserted `tbody` do not count.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml.html import HtmlElement

from tests.scrapers.golden import FOLDER, list_cases
from tests.variations.places import parse


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded page, and the part of it that golden pages show too; `with_` marks the pages of its kind."""

    state: str
    file: str
    part: str
    with_: str = ""

    def __str__(self) -> str:
        return f"{self.state}-{self.part}"


RECORDED = (
    Recorded("FL", "detail-L15000063512.html", "div.searchResultDetail"),
    Recorded("KS", "search-list.html", "#divgvSearchResults", "#divgvSearchResults *"),
    Recorded("KS", "detail.html", "#MainContent_pnlEntityData"),
    Recorded("KS", "detail.html", "#MainContent_gvEntityFilings"),
    Recorded("MN", "detail-filingSummary-excerpt.html", "dl"),
    Recorded("NC", "search-list.html", "#resultsSection"),
    Recorded("NH", "detail.html", "div.data_pannel"),
    Recorded("NJ", "ucc-results.html", "table[id$=orgResultsGridView]"),
    Recorded("UT", "search-form.html", "#frm_BusinessSearch"),
    Recorded("UT", "search-list.html", "#businessSearchResult"),
    Recorded("UT", "detail.html", "div.panel", "div.label-side"),
    Recorded("VA", "detail.html", "div.data_pannel0"),
)
UNSEEN = ("script", "style")


def paths(part: HtmlElement, above: str = "") -> set[str]:
    """The ways from a part of a page down to each of its elements: "table/tr/td"."""
    own = f"{above}/{part.tag}" if above else str(part.tag)
    found = {own}
    for inner in part:
        if isinstance(inner.tag, str) and inner.tag not in UNSEEN:
            found |= paths(inner, own)
    return found


def built(tree: HtmlElement, page: Recorded) -> set[str]:
    """How the part of a page is built; empty where it is a page of another kind."""
    if page.with_ and not tree.cssselect(page.with_):
        return set()
    found = (paths(part) for part in tree.cssselect(page.part))
    return {path.replace("/tbody/", "/") for one in found for path in one if not path.endswith("/tbody")}


def golden(page: Recorded) -> dict[str, set[str]]:
    """How the golden pages of this kind are built, but for those that show a changed page."""
    found = {}
    for case in list_cases():
        if case.state == page.state and case.expected["outcome"] in ("found", "not_found", "QueryRefused"):
            for file in sorted(case.folder.glob("*.html")):
                if ways := built(parse(file.read_bytes()), page):
                    found[f"{case.situation}/{file.name}"] = ways
    return found


def beyond(state: str) -> set[str]:
    """The elements that no recorded page of a state shows."""
    path = FOLDER / state / "beyond_recording.json"
    return set(json.loads(path.read_text(encoding="utf-8")).get("elements", ())) if path.is_file() else set()


@pytest.mark.parametrize("page", RECORDED, ids=str)
class TestGoldenPagesOfARecordedKind:
    """The pages of a state that were recorded once."""

    def test_have_no_element_that_the_recorded_one_lacks(self, page: Recorded, recordings: Path) -> None:
        known = built(parse((recordings / page.state / page.file).read_bytes()), page) | beyond(page.state)
        strange = {name: sorted(ways - known) for name, ways in golden(page).items() if ways - known}
        assert strange == {}

    def test_have_every_element_of_the_recorded_one(self, page: Recorded, recordings: Path) -> None:
        recorded = built(parse((recordings / page.state / page.file).read_bytes()), page)
        assert recorded
        assert recorded - set().union(*golden(page).values()) == set()


class TestTheRule:
    """It notices what is built otherwise."""

    def test_notices_one_more_box_around_an_address(self) -> None:
        page = Recorded("XX", "detail.html", "dl")
        real = built(parse(b"<dl><dt>Manager</dt><dd>NAME</dd><dd><address>1 ST</address></dd></dl>"), page)
        assert built(parse(b"<dl><dt>Manager</dt><dd>NAME<br>1 ST</dd></dl>"), page) - real == {"dl/dd/br"}

    def test_lets_inserted_bodies_of_tables_pass(self) -> None:
        page = Recorded("XX", "list.html", "table")
        ways = built(parse(b"<table><tbody><tr><td>1</td></tr></tbody></table>"), page)
        assert ways == {"table", "table/tr", "table/tr/td"}
