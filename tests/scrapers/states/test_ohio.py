"""Ohio's agents: a row of the list names one beside what has become of it."""

from __future__ import annotations

from scrapers.records import Found
from tests.scrapers.states.test_nothing_shown import put

NAMED = '"agent_status": "Active"'
IN_OFFICE = '"effective_date_time": "2019-05-22T16:08:18Z",\n     "status": "Active"'


class TestACompanyWhoseAgentHasResigned:
    """The list goes on naming who it was, as the company's own page does."""

    def test_names_nobody(self) -> None:
        changes = (NAMED, NAMED.replace("Active", "Resigned")), (IN_OFFICE, IN_OFFICE.replace("Active", "Resigned"))
        found = put("OH", "active", *changes)
        assert isinstance(found, Found), found
        assert found.record.agent_name is None
