"""Trade names and reservations that stand as rows among the companies: what their type says they are."""

from __future__ import annotations

import pytest

from scrapers.records import Answer, Found
from scrapers.transport.recording import UnexpectedRequest
from tests.scrapers.states.test_nothing_shown import put

# The list's page in the saved answers of an active company, and the words of its type there.
LISTS = [
    ("VI", 1, "Limited Liability Company"),
    ("MO", 1, "Limited Liability Company"),
    ("NE", 1, "Domestic LLC"),
    ("WI", 0, "12 - Domestic Limited Liability Company"),
    ("UT", 1, "Domestic Limited Liability Company"),
    ("SD", 1, "Domestic Limited Liability Company"),
    ("WY", 1, "(LLC)"),
    ("OK", 1, "Domestic Limited Liability Company"),
    ("LA", 1, "Limited Liability Company"),
    ("WV", 1, "LLC | Limited Liability Company"),
    ("NH", 1, "Domestic Limited Liability Company"),
]


def listed_as(state: str, page: int, shown: str, kind: str) -> Answer | str:
    """The saved answer, with a row of another type."""
    kind = f"({kind.partition(' (')[0]})" if shown.startswith("(") else kind  # in brackets behind the number
    return put(state, "active", (shown, kind), page=page)


@pytest.mark.parametrize(("state", "page", "shown"), LISTS)
class TestARow:
    """It is no company of that name."""

    @pytest.mark.parametrize("kind", ["Trade Name", "Assumed Name (DBA)"])  # the latter is Utah's
    def test_of_a_trade_name_is_found_as_a_trade_name(self, state: str, page: int, shown: str, kind: str) -> None:
        answer = listed_as(state, page, shown, kind)
        assert isinstance(answer, Found), answer
        assert "assumed_name" in answer.match.features

    def test_of_a_reservation_is_no_company(self, state: str, page: int, shown: str) -> None:
        with pytest.raises(UnexpectedRequest):  # the company is looked for in other words, of which nothing is saved
            listed_as(state, page, shown, "Name Reservation")


@pytest.mark.parametrize(
    ("state", "page", "lives", "reserved"),
    [
        ("SC", 0, "<td>Good Standing<", "<td>Reserved<"),
        ("SC", 0, "<td>Good Standing<", "<td>Registered Name<"),
        ("PR", 0, '"ACTIVE"', '"RESERVED"'),
        ("NV", 1, "<td>Active<", "<td>Name Reserved<"),
    ],
)
class TestANameThatIsReserved:
    """As its status says, where the type of its row does not."""

    def test_is_no_company(self, state: str, page: int, lives: str, reserved: str) -> None:
        with pytest.raises(UnexpectedRequest):  # the company is looked for in other words, of which nothing is saved
            put(state, "active", (lives, reserved), page=page)


@pytest.mark.parametrize(
    ("state", "kind", "trade_name", "company"),
    [
        ("PA", "typeofbusinessregistration", "Fictitious Names", "0000400003"),
        ("OR", "entity_type", "ASSUMED BUSINESS NAME", "100000288"),
    ],
)
class TestARowWithoutItsType:
    """In a data set that tells trade names from companies by it."""

    @pytest.mark.parametrize("shown", ["null", '""'])
    def test_goes_behind_the_company_as_the_trade_name_does(
        self, state: str, kind: str, trade_name: str, company: str, shown: str
    ) -> None:
        for known in (f'"{trade_name}"', shown):
            answer = put(state, "several-matches", (f'"{kind}": "{trade_name}"', f'"{kind}": {known}'))
            assert isinstance(answer, Found), answer
            assert answer.record.entity_id == company
