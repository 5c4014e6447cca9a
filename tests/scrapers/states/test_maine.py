"""Maine's pages, where a saved one would say little: words that several public clients of ICRS wait for."""

from __future__ import annotations

from scrapers.records import Address, Found, NotFound
from tests.scrapers.states.test_nothing_shown import put

AGENT = "<td>JORDAN SAMPLE<br>10 EXAMPLE AVENUE"


class TestASearchThatFoundNobody:
    """The page says "Nothing found" where "Showing ..." stands else; its search button carries a captcha."""

    def test_is_no_wall(self) -> None:
        said = '<b>Nothing found</b><button class="g-recaptcha button blue">Search</button>'
        assert isinstance(put("ME", "no-match", ("No records found matching your query.", said)), NotFound)


class TestACompanyWithoutAnAgent:
    """Whoever may be written to stands in the agent's place, under a line that there is none."""

    def test_has_none(self) -> None:
        shown = "<td>No Clerk/Registered Agent on file -- Contact Name<br>JORDAN SAMPLE<br>10 EXAMPLE AVENUE"
        found = put("ME", "active", (AGENT, shown))
        assert isinstance(found, Found), found
        assert (found.record.agent_name, found.record.agent_address) == (None, Address())
