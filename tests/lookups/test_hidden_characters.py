"""Characters that nobody sees: refused in what is asked, left out of what a registry says, and never in silence."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from lookups.models import RecordVersion
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register, company

BACKWARDS = "\u202e"

pytestmark = pytest.mark.django_db


class TestWhatIsAsked:
    """Is what the caller sees on the screen, or a 400 that names the character."""

    @pytest.mark.parametrize(
        ("sign", "named"),
        [("\u202e", "U+202E"), ("\u200b", "U+200B"), ("\ufeff", "U+FEFF"), ("\u0007", "U+0007"), ("\u00ad", "U+00AD")],
    )
    @pytest.mark.parametrize("field", ["entity_name", "ref"])
    def test_with_one_of_them_is_refused(self, customer: Customer, field: str, sign: str, named: str) -> None:
        reply = customer.lookup(**{"entity_name": "Acme Corp", field: f"Ac{sign}me"})
        assert reply.status_code == 400
        assert reply.json()["details"] == {field: [f"Characters that cannot be seen are not allowed: {named}."]}
        assert customer.balance.held == 0

    def test_of_a_name_check_and_of_a_bulk_row_too(self, customer: Customer) -> None:
        body = {"entity_name": f"Acme{BACKWARDS}", "state": "NY"}
        for reply in (
            customer.post("/v1/name-availability", body),
            customer.post("/v1/bulk-lookup", {"entities": [body]}),
            customer.post("/v1/bulk-lookup", f"entity_name,state\nAcme{BACKWARDS},NY\n", content_type="text/csv"),
        ):
            assert reply.status_code == 400
            assert "U+202E" in reply.content.decode()

    def test_may_be_in_any_script(self, customer: Customer, register: Register) -> None:
        assert customer.lookup("Zoë & Søn 家").status_code == 404

    def test_finds_a_name_whose_accents_were_typed_apart(self, customer: Customer, register: Register) -> None:
        register.rows = [company("CAFÉ ÑANDÚ CORP.", "100001")]
        apart = unicodedata.normalize("NFD", "Café Ñandú Corp")
        assert customer.lookup(apart).json()["data"]["entityName"] == "CAFÉ ÑANDÚ CORP."

    def test_finds_a_number_in_wide_digits_and_takes_none_of_another_script(
        self, customer: Customer, register: Register
    ) -> None:
        wide, arabic = ("".join(chr(zero + int(digit)) for digit in "100001") for zero in (0xFF10, 0x0660))
        assert customer.lookup(entity_id=wide).json()["data"]["entityId"] == "100001"
        refused = customer.lookup(entity_id=arabic)
        assert (refused.status_code, list(refused.json()["details"])) == (400, ["entity_id"])


class TestWhatARegistrySays:
    """Is told without them, and which they were."""

    @pytest.fixture(autouse=True)
    def turned(self, register: Register) -> None:
        register.rows = [company(f"ACME{BACKWARDS} CORP.", "100001", jurisdiction="\u2066NEW YORK\u2069")]

    def test_now_and_when_it_is_asked_for_again(self, customer: Customer) -> None:
        for source in ("live", "cache"):
            told = customer.lookup(source=source).json()
            assert (told["data"]["entityName"], told["data"]["jurisdiction"]) == ("ACME CORP.", "NEW YORK")
            assert told["data"]["evidence"]["leftOut"] == ["U+202E", "U+2066", "U+2069"]
            assert told["data"]["normalized"]["match"]["kind"] == "exact"
        kept = RecordVersion.objects.get()
        assert not any(BACKWARDS in json.dumps(part, ensure_ascii=False) for part in (kept.data, kept.normalized))

    def test_of_a_name_that_is_taken(self, customer: Customer) -> None:
        told = customer.post("/v1/name-availability", {"entity_name": "Acme Corp", "state": "NY"}).json()
        assert (told["available"], told["conflictingEntities"][0]["entityName"]) == (False, "ACME CORP.")
        assert "U+202E" in told["evidence"]["leftOut"]

    def test_says_nothing_of_them_where_there_are_none(self, customer: Customer, register: Register) -> None:
        register.rows = [company("ACME CORP.", "100001")]
        assert "leftOut" not in customer.lookup().json()["data"]["evidence"]


class TestANameOfTwentyThousandCharacters:
    """From a registry: its page has changed, the caller pays nothing and is not told that nobody is there."""

    def test_is_a_503(self, customer: Customer, register: Register) -> None:
        register.rows = [company("ACME CORP " * 2_000, "100001")]
        reply: Any = customer.lookup()
        assert (reply.status_code, reply.json()["reason"]) == (503, "layout_changed")
        assert customer.balance.spent == 0
