"""A profile of South Carolina: what it says of a company's home."""

from __future__ import annotations

from scrapers.records import Found
from tests.scrapers.states.test_nothing_shown import put


class TestAForeignCompany:
    """The profile calls it so, and need not say from which state it comes."""

    def test_is_called_foreign_though_its_home_state_is_not_shown(self) -> None:
        answer = put(
            "SC",
            "active",
            ('<span class="data">Domestic</span>', '<span class="data">Foreign</span>'),
            ('<div><span class="label">Incorporated State</span><span class="data">South Carolina</span></div>', ""),
        )
        assert isinstance(answer, Found), answer
        assert (answer.record.domestic, answer.record.jurisdiction) == (False, None)
