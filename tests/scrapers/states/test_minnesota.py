"""Minnesota's list where a saved one would say little."""

from __future__ import annotations

import pytest

from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation, answer
from tests.scrapers.golden import FOLDER

SAVED = FOLDER / "MN" / "several-matches"


class TestARow:
    """Status, type and kind of name."""

    @pytest.mark.parametrize(
        ("entity_type", "shown", "kind"),
        [
            ("Business Corporation (Domestic)", "Minnesota Business Name", "legal"),
            ("Assumed Name", "Minnesota Business Name", "assumed"),
            ("Assumed Name", "Assumed Name", "assumed"),
            ("Assumed Name", "Prior Business Name", "former"),
            ("Reserved Name", "Minnesota Business Name", "reserved"),
            ("Business Corporation (Foreign)", "Home Business Name", "foreign"),
        ],
    )
    def test_says_whose_name_it_is(self, entity_type: str, shown: str, kind: str) -> None:
        active, inactive = load_steps(SAVED)
        old = "<span>Business Corporation (Domestic)</span> | <span>Minnesota Business Name</span>"
        body = active.body.decode()
        assert old in body
        listed = body.replace(old, f"<span>{entity_type}</span> | <span>{shown}</span>")
        steps = (answer("GET", active.url, listed), answer("GET", inactive.url, inactive.body.decode()))
        talk = Conversation("MN", *steps)
        found = talk.portal.search(talk.session, "Harbor Point Holdings")
        assert [row.name_kind for row in found.candidates] == ["legal", kind]
