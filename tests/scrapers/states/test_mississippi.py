"""Mississippi's page of a company, where a saved one would say little."""

from __future__ import annotations

from scrapers.records import Address, Found
from tests.scrapers.states.test_nothing_shown import put


class TestACompanyWithoutAPrincipalOffice:
    """The page says so in the address's place (a public client, 2025)."""

    def test_has_no_street_of_that_name(self) -> None:
        found = put("MS", "active", ("12 EXAMPLE ST<br/>JACKSON, MS 39201", "No principal office address found"))
        assert isinstance(found, Found), found
        assert found.record.principal_address == Address()
