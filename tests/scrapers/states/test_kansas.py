"""Kansas' words for an empty list: in a span of its own, by its id (a public client), wherever that stands."""

from __future__ import annotations

import pytest

from scrapers.records import NotFound
from tests.scrapers.states.test_nothing_shown import put

INSIDE = '<div class="form-group"><p>No results found.</p></div>'
CAPTCHA = '<span id="MainContent_lblRecaptchaMessage"></span>'


@pytest.mark.parametrize(
    ("shown", "answer"),
    [
        ('<span id="MainContent_lblNoEntitiesFound">No Results Found</span>', NotFound),
        ('<span id="MainContent_lblNoEntitiesFound"></span>', str),
        ('<span id="MainContent_lblNoEntitiesFound" style="display:none">No Results Found</span>', str),
        ("<span>No Results Found</span>", str),
    ],
)
def test_nothing_is_found_where_the_page_says_so_outside_the_list(shown: str, answer: type) -> None:
    empty = (INSIDE, '<div class="form-group"></div>')
    assert isinstance(put("KS", "no-match", empty, (CAPTCHA, f"{CAPTCHA}{shown}")), answer)
