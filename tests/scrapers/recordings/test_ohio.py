"""What Ohio's name search really answered, read field by field."""

from __future__ import annotations

from pathlib import Path

from tests.scrapers.conversation import Conversation, answer

API = "https://businesssearchapi.ohiosos.gov"
ROUTES = {"data": [{"NS": f"{API}/NS_"}, {"VD": f"{API}/VD_"}]}


class TestOhiosList:
    """One company with a sign in its name that the page writes by a code."""

    def test_is_read_field_by_field(self, recordings: Path) -> None:
        talk = Conversation(
            "OH",
            answer("GET", "https://businesssearch.ohiosos.gov/ajax/endPoints.json", ROUTES),
            answer("GET", f"{API}/NS_PCS%20$A29%20BUILD_X", recordings / "OH/search-NS.json"),
        )
        found = talk.portal.search(talk.session, "PCS & Build")
        assert found.complete
        (row,) = found.candidates
        assert (row.name, row.entity_id, row.status) == ("PCS & BUILD, LLC", "1680646", "Active")
        assert row.entity_type == "DOMESTIC LIMITED LIABILITY COMPANY"
        assert row.handle == {"agent": "CT CORPORATION SYSTEM", "state": ""}
        assert talk.portal.status_meaning(row.status).status_class == "active"
        assert talk.unread == []
