"""Whose LEI it is: codes of registries, check digits, and names that agree."""

from __future__ import annotations

import pytest

from scrapers.identities.agreement import choose_lei
from scrapers.identities.authorities import AUTHORITIES, CODES, find_authority
from scrapers.identities.gleif import LeiRecord, is_lei

CONFIRMED = {
    "CA": 598, "CO": 599, "DC": 601, "DE": 602, "FL": 603, "IL": 608, "MA": 613, "MD": 614, "NJ": 625, "NV": 627,
    "NY": 628, "OH": 629, "SD": 635, "TX": 637,
}  # fmt: skip


def held(name: str, number: int = 1, status: str = "ISSUED") -> LeiRecord:
    return LeiRecord(f"LEI{number}", name, "RA000628", "100001", "ACTIVE", status, None)


class TestTheCodesOfRegistries:
    """Of GLEIF's."""

    def test_are_those_that_were_seen(self) -> None:
        assert {state: f"RA{number:06}" for state, number in CONFIRMED.items()} == {
            state: one.code for state, one in AUTHORITIES.items() if one.is_confirmed
        }

    def test_go_in_the_order_of_postal_codes_from_alaska_to_wyoming(self) -> None:
        assert [one.code for _, one in sorted(AUTHORITIES.items())] == [f"RA{number:06}" for number in range(594, 645)]
        assert find_authority("AK") == AUTHORITIES["AK"]
        assert not AUTHORITIES["WY"].is_confirmed

    def test_are_no_placeholders_and_none_of_territories(self) -> None:
        assert CODES.isdisjoint({"RA777777", "RA888888", "RA999999"})
        assert find_authority("PR") is None


class TestAnLei:
    """By itself."""

    @pytest.mark.parametrize(
        ("text", "good"),
        [
            ("549300DTUYXVMJXZNY75", True),
            ("549300DTUYXVMJXZNY57", False),
            ("549300dtuyxvmjxzny75", False),
            ("549300DTUYXVMJXZNY7", False),
            ("", False),
        ],
    )
    def test_is_known_by_its_check_digits(self, text: str, good: bool) -> None:
        assert is_lei(text) is good


class TestTheNameOfARecord:
    """Beside the right number."""

    @pytest.mark.parametrize(
        "name", ["ACME CORP.", "Acme Corporation", "The Acme Corp", "Acme", "Old Acme Trading Inc."]
    )
    def test_agrees_in_spelling_or_as_the_company_was_called_before(self, name: str) -> None:
        chosen = choose_lei([held(name)], name="Acme Corp.", former_names=["Old Acme Trading, Inc."])
        assert chosen == held(name)

    @pytest.mark.parametrize(
        "name", ["Acme LLC", "Acme Holdings Corp.", "Acmee Corp.", "Acme Corp. II", "Old Acme Inc."]
    )
    def test_of_a_sister_or_a_stranger_does_not(self, name: str) -> None:
        assert choose_lei([held(name)], name="Acme Corp.", former_names=["Old Acme Trading, Inc."]) == "name_disagrees"

    def test_decides_among_several(self) -> None:
        records = [held("Zenith Inc.", 1), held("Acme Corp.", 2)]
        assert choose_lei(records, name="Acme Corp.", former_names=[]) == records[1]

    def test_of_one_that_was_issued_by_mistake_gives_way(self) -> None:
        records = [held("Acme Corp.", 1, "DUPLICATE"), held("Acme Corp.", 2, "LAPSED")]
        assert choose_lei(records, name="Acme Corp.", former_names=[]) == records[1]

    def test_of_two_that_are_as_good_is_nobodys(self) -> None:
        records = [held("Acme Corp.", 1), held("Acme Corp.", 2)]
        assert choose_lei(records, name="Acme Corp.", former_names=[]) == "ambiguous"
