"""What people asked to be left out is not handed out in bytes either, and what is left can still be checked."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from lookups.evidence import signing, verify
from lookups.models import Suppression
from lookups.privacy import suppression
from tests.evidence.conftest import FOUND, file_of, proof_of
from tests.evidence.forging import read_files
from tests.lookups.conftest import NOW, Customer
from tests.lookups.registry_server import Register, company

pytestmark = pytest.mark.django_db
ADA = {"kind": "person", "person": "Ada Merrill"}


def leave_out(**wanted: Any) -> None:
    suppression.add(Suppression(reason="Asked.", **wanted), operator=AnonymousUser(), now=NOW)


def open_parts(raw: bytes) -> dict[str, bool | None]:
    found = verify.judge(raw, verify.Trusted(signing.list_published()))
    assert verify.is_good(found), found
    return {one.part: one.holds for one in found}


class TestAPersonLeftOut:
    """Since the answer, or before it."""

    def test_is_in_no_byte_of_the_file_and_of_the_reply(self, tester: Customer) -> None:
        reply = tester.lookup(FOUND, "DE")
        assert b"MERRILL" in b"".join(bodies_of(file_of(tester, reply)))
        leave_out(**ADA)
        proof, raw = proof_of(tester, reply), file_of(tester, reply)
        assert proof["facts"] is None
        # Also where the page writes the name in a way that no search for its words finds
        assert {one["bytes"] for one in proof["exchanges"]} == {"withheld"}
        assert "MERRILL" not in json.dumps(proof).upper()
        for name, content in read_files(raw).items():
            assert b"MERRILL" not in content.upper(), name
        assert b"MERRILL" not in b"".join(bodies_of(raw)).upper()

    def test_leaves_the_rest_to_be_checked(self, tester: Customer) -> None:
        reply = tester.lookup(FOUND, "DE")
        leave_out(**ADA)
        parts = open_parts(file_of(tester, reply))
        assert parts["signature"] is parts["chain"] is parts["exchanges"] is True
        assert parts["facts"] is parts["bytes"] is None

    def test_before_the_answer_leaves_the_facts_that_were_given(self, tester: Customer) -> None:
        leave_out(**ADA)
        reply = tester.lookup(FOUND, "DE")
        proof = proof_of(tester, reply)
        assert hashlib.sha256(proof["facts"].encode()).hexdigest() == proof["manifest"]["facts"]["sha256"]
        assert "MERRILL" not in json.dumps(proof).upper()
        assert b"MERRILL" not in b"".join(bodies_of(file_of(tester, reply))).upper()

    def test_is_in_no_page_of_a_search_that_chose_nobody_either(self, customer: Customer, register: Register) -> None:
        register.rows = [company("ACME CORP.", number, dos_process_name="QUINCY A. SAMPLE") for number in ("1", "2")]
        reply = customer.lookup()
        assert reply.json()["code"] == "ambiguous_name"
        assert any(b"QUINCY" in one for one in bodies_of(file_of(customer, reply)))
        leave_out(kind="person", person="Sample, Quincy A.")
        raw = file_of(customer, reply)
        for one in bodies_of(raw):
            assert b"QUINCY" not in one
        told = {one.text.partition(" are ")[2] for one in verify.judge(raw) if (one.part, one.holds) == ("bytes", None)}
        assert told == {"left out at the request of a person they are about."}

    @pytest.mark.parametrize(
        ("charset", "shown"),
        [("windows-1252", "JOSÉ NÚÑEZ".encode("windows-1252")), ("utf-8", rb"JOS\u00c9 N\u00da\u00d1EZ")],
        ids=["in its letters", "in the numbers of its letters"],
    )
    def test_is_in_no_page_that_is_written_in_another_charset(
        self, customer: Customer, register: Register, charset: str, shown: bytes
    ) -> None:
        register.charset = charset
        register.rows = [company("ACME CORP.", number, dos_process_name="JOSÉ NÚÑEZ") for number in ("1", "2")]
        reply = customer.lookup()
        assert any(shown in one for one in bodies_of(file_of(customer, reply)))
        leave_out(kind="person", person="José Núñez")
        assert not any(shown in one for one in bodies_of(file_of(customer, reply)))

    @pytest.mark.parametrize("written", ["QUINCY%20A.%20S%C3%84MPLE", "QUINCY+A.+S%C4MPLE"])
    def test_is_in_no_link_of_a_page(self, customer: Customer, register: Register, written: str) -> None:
        link = f"/search?agent={written}"
        register.rows = [company("ACME CORP.", number, dos_process_name=link) for number in ("1", "2")]
        reply = customer.lookup()
        assert any(written.encode() in one for one in bodies_of(file_of(customer, reply)))
        leave_out(kind="person", person="Sämple, Quincy A.")
        assert not any(written.encode() in one for one in bodies_of(file_of(customer, reply)))


class TestACompanyLeftOut:
    """A field of it, or its page."""

    @pytest.mark.parametrize(
        "wanted", [{"kind": "company"}, {"kind": "field", "field": "principalAddress"}], ids=["company", "field"]
    )
    def test_has_no_page_in_the_file(self, tester: Customer, wanted: dict[str, str]) -> None:
        reply = tester.lookup(FOUND, "DE")
        leave_out(state="DE", entity_id="SB-DE-000123", **wanted)
        raw = file_of(tester, reply)
        assert bodies_of(raw) == []
        open_parts(raw)

    @pytest.mark.parametrize(
        ("kept", "written"),
        [
            ("6512345", "6 512 345"),
            ("6512345", "6512-345"),
            ("6512345", "6.512.345"),
            ("65-12345", "6512345"),
            ("0012347", "12347"),
        ],
    )
    def test_is_found_where_a_page_writes_its_number_in_groups_or_without_zeros(
        self, customer: Customer, register: Register, kept: str, written: str
    ) -> None:
        """Several readers write a number as long as its registry's longest: Kentucky's 12347 is 0012347 here."""
        register.rows = [company("ACME CORP.", one, dos_process_name=f"IN CARE OF {written}") for one in ("1", "2")]
        reply = customer.lookup()
        assert any(written.encode() in one for one in bodies_of(file_of(customer, reply)))
        leave_out(kind="company", state="NY", entity_id=kept)
        assert not any(written.encode() in one for one in bodies_of(file_of(customer, reply)))

    def test_of_a_short_number_is_not_taken_for_every_longer_one(self, customer: Customer, register: Register) -> None:
        register.rows = [company("ACME CORP.", one, dos_process_name="SUITE 417") for one in ("1231", "1232")]
        reply = customer.lookup()
        shown = bodies_of(file_of(customer, reply))
        assert any(b"1231" in one for one in shown)
        leave_out(kind="company", state="NY", entity_id="31")
        assert bodies_of(file_of(customer, reply)) == shown
        leave_out(kind="company", state="NY", entity_id="1231")
        assert not any(b"1231" in one for one in bodies_of(file_of(customer, reply)))

    def test_does_not_take_others_with_it(self, tester: Customer) -> None:
        reply = tester.lookup(FOUND, "DE")
        leave_out(kind="company", state="DE", entity_id="SB-DE-999999")
        leave_out(kind="person", person="Somebody Elsewhere")
        leave_out(**ADA, state="OH")
        leave_out(kind="company", state="OH", entity_id="SB-DE-000123")
        assert proof_of(tester, reply)["facts"] is not None
        assert {one["bytes"] for one in proof_of(tester, reply)["exchanges"]} == {"kept"}


class TestAPartyOfALienLeftOut:
    """Whose name stays, without an address."""

    def test_has_none_in_any_byte_of_the_file_and_of_the_reply(self, tester: Customer) -> None:
        reply, other = (tester.lookup("Magic Found LLC", state, searchType="ucc") for state in ("DE", "NV"))
        assert "QUAY STREET" in proof_of(tester, reply)["facts"]
        leave_out(kind="person", person="Magic Found LLC", state="DE")
        proof, raw = proof_of(tester, reply), file_of(tester, reply)
        assert (proof["facts"], bodies_of(raw)) == (None, [])
        assert "QUAY STREET" not in json.dumps(proof)
        assert not any(b"QUAY STREET" in content for content in read_files(raw).values())
        open_parts(raw)
        assert "QUAY STREET" in proof_of(tester, other)["facts"]


class TestBytesThatAreNotKept:
    """Any more."""

    def test_are_named_and_the_rest_is_good(self, tester: Customer) -> None:
        from scrapers.models import Body

        reply = tester.lookup(FOUND, "DE")
        Body.objects.all().delete()
        assert {one["bytes"] for one in proof_of(tester, reply)["exchanges"]} == {"not_kept"}
        parts = open_parts(file_of(tester, reply))
        assert (parts["facts"], parts["bytes"]) == (True, None)


def bodies_of(raw: bytes) -> list[bytes]:
    """The answers in the file, unpacked."""
    return [block for kind, _, block in verify._list_records(read_files(raw)[verify.WARC]) if kind == "response"]
