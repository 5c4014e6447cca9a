"""Maine's pages, where a saved one would say little: words that several public clients of ICRS wait for."""

from __future__ import annotations

from scrapers.records import NotFound
from tests.scrapers.states.test_nothing_shown import put


class TestASearchThatFoundNobody:
    """The page says "Nothing found" where "Showing ..." stands else; its search button carries a captcha."""

    def test_is_no_wall(self) -> None:
        said = '<b>Nothing found</b><button class="g-recaptcha button blue">Search</button>'
        assert isinstance(put("ME", "no-match", ("No records found matching your query.", said)), NotFound)
