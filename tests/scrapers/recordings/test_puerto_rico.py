"""What Puerto Rico's registry really answered, read field by field."""

from __future__ import annotations

from pathlib import Path

from tests.scrapers.conversation import Conversation, answer


class TestPuertoRicosList:
    """One expired partnership."""

    def test_is_read_field_by_field(self, recordings: Path) -> None:
        talk = Conversation(
            "PR",
            answer("POST", "https://rceapi.estado.pr.gov/api/corporation/search", recordings / "PR/search.json"),
        )
        found = talk.portal.search(talk.session, "Central Radiology Services")
        assert found.complete
        (row,) = found.candidates
        assert row.name == "CENTRAL RADIOLOGY SERVICES LLP"
        assert row.entity_id == "1-811"
        assert row.status == "EXPIRED"
        assert talk.portal.status_meaning(row.status).status_class == "inactive"
        assert row.entity_type == "L.L.P."
        assert talk.unread == []
