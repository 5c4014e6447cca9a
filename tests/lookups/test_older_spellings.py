"""Names that older clients use for what is bought: understood, or refused; never passed over."""

from __future__ import annotations

from typing import Any

import pytest

from lookups.models import Lookup
from scrapers.sandbox.magic import DEMO_QUESTION
from tests.lookups.conftest import Customer
from tests.lookups.test_hostile_bodies import assert_error

pytestmark = pytest.mark.django_db
SPELLINGS = ("searchType", "search_type", "lookup_type", "query_type", "entity_type")


class TestTheKindOfSearch:
    """UCC, or a company."""

    @pytest.mark.parametrize("spelling", SPELLINGS)
    @pytest.mark.parametrize("word", ["ucc", "UCC", " Ucc "])
    def test_is_understood_in_every_spelling_and_case(self, tester: Customer, spelling: str, word: str) -> None:
        reply = tester.post("/v1/lookup", {**DEMO_QUESTION, spelling: word})
        assert "filings" in reply.json()["data"]
        assert Lookup.objects.get().kind == "ucc"

    @pytest.mark.parametrize("word", ["business_entity", "BUSINESS_ENTITY", "Business Entity"])
    def test_may_be_a_company(self, tester: Customer, word: str) -> None:
        assert tester.post("/v1/lookup", {**DEMO_QUESTION, "search_type": word}).json()["data"]["entityId"]

    @pytest.mark.parametrize(
        ("spelling", "word"),
        [
            *((name, "liens") for name in SPELLINGS[:4]),
            ("searchType", "ucc-1"),
            ("entity_type", "UCC-1"),
            ("search_type", 7),
        ],
    )
    def test_that_nobody_understands_is_refused(self, tester: Customer, spelling: str, word: Any) -> None:
        body = assert_error(tester.post("/v1/lookup", {**DEMO_QUESTION, spelling: word}), 400, "invalid_request")
        assert set(body["details"]) == {spelling}
        assert not Lookup.objects.exists()

    def test_may_not_be_two_things(self, tester: Customer) -> None:
        wrong = {**DEMO_QUESTION, "searchType": "business_entity", "lookup_type": "ucc"}
        body = assert_error(tester.post("/v1/lookup", wrong), 400, "invalid_request")
        assert set(body["details"]) == {"lookup_type"}
        assert tester.post("/v1/lookup", {**wrong, "searchType": "UCC"}).status_code == 200

    @pytest.mark.parametrize("form", ["LLC", "corporation", "Successor Trust", None, 7])
    def test_is_not_meant_by_a_companys_legal_form(self, tester: Customer, form: Any) -> None:
        assert tester.post("/v1/lookup", {**DEMO_QUESTION, "entity_type": form}).json()["data"]["entityId"]


class TestTheName:
    """`query`."""

    def test_is_the_companys_name(self, tester: Customer) -> None:
        question = {"query": DEMO_QUESTION["entity_name"], "state": DEMO_QUESTION["state"]}
        assert tester.post("/v1/lookup", question).status_code == 200

    @pytest.mark.parametrize(("query", "beside"), [("x", {}), ("Another Company LLC", DEMO_QUESTION)])
    def test_that_is_wrong_is_named_as_it_was_written(self, tester: Customer, query: str, beside: Any) -> None:
        body = assert_error(
            tester.post("/v1/lookup", {"state": "DE", **beside, "query": query}), 400, "invalid_request"
        )
        assert set(body["details"]) == {"query"}


class TestARowOfABulkRequest:
    """The same words."""

    def test_is_read_in_the_same_way(self, tester: Customer) -> None:
        row = {"query": "Blue Heron Logistics LLC", "state": "DE", "lookup_type": "UCC"}
        assert tester.post("/v1/bulk-lookup", {"entities": [row]}).status_code == 202

    def test_is_refused_in_the_same_way(self, tester: Customer) -> None:
        row = {**DEMO_QUESTION, "lookup_type": "liens"}
        body = assert_error(tester.post("/v1/bulk-lookup", {"entities": [row]}), 400, "invalid_request")
        assert body["details"][0]["error"].startswith("lookup_type: Use one of")

    @pytest.mark.parametrize("header", SPELLINGS)
    def test_of_a_table_is_read_in_the_same_way(self, tester: Customer, header: str) -> None:
        table = f"query,state,{header}\nBlue Heron Logistics LLC,DE,UCC\n"
        accepted = tester.post("/v1/bulk-lookup", table, content_type="text/csv")
        assert accepted.status_code == 202, accepted.json()
        assert Lookup.objects.get().kind == "ucc"

    def test_of_a_table_may_have_a_legal_form_beside_its_name(self, tester: Customer) -> None:
        table = "company,state,Entity Type\nBlue Heron Logistics LLC,DE,Limited Liability Company\n"
        assert tester.post("/v1/bulk-lookup", table, content_type="text/csv").status_code == 202
        assert Lookup.objects.get().kind == "business_entity"
