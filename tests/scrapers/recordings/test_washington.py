"""What Washington's list really answered, read field by field."""

from __future__ import annotations

import json
from pathlib import Path

from tests.scrapers.conversation import Conversation, answer

LIST = "https://ccfs-api.prod.sos.wa.gov/api/BusinessSearch/GetBusinessSearchDetails"


class TestWashingtonsList:
    """Five rows of 7918; the total stands in the first row only."""

    def test_is_read_field_by_field(self, recordings: Path) -> None:
        rows = json.loads((recordings / "WA/search-list.json").read_text(encoding="utf-8"))
        pages = [answer("POST", LIST, rows), *(answer("POST", LIST, rows[1:]) for _ in range(3))]
        talk = Conversation("WA", *pages)
        found = talk.portal.search(talk.session, "Homeowners")
        assert not found.complete, "four pages of 7918 rows prove no absence"
        told = [(row.name, row.entity_id, row.status, row.handle["id"]) for row in found.candidates[:5]]
        assert told == [
            ("MEADOWVIEW COMMUNITY HOMEOWNERS ASSOCIATION", "605 545 143", "Active", "1775997"),
            ('"THE LAKES" HOMEOWNERS ASSOCIATION', "602 197 789", "Active", "3042"),
            ("105TH STREET HOMES CONDOMINIUM HOMEOWNERS ASSOCIATION", "602 717 002", "Inactive", "1040"),
            ("10TH AVE HOMEOWNERS' ASSOCIATION", "605 644 452", "Active", "1829904"),
            ("1111 EAST JOHN HOMEOWNERS ASSOCIATION", "601 797 393", "Administratively Dissolved", "1753"),
        ]
        assert found.candidates[3].entity_type == "WA MISCELLANEOUS AND MUTUAL CORPORATION"
        classes = [talk.portal.status_meaning(row.status).status_class for row in found.candidates[:5]]
        assert classes == ["active", "active", "inactive", "active", "inactive"]
        assert talk.unread == []
