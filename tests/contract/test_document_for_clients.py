"""What people and generators of clients need of the document: words, bounds, one class a list of words, examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from billing import keys
from billing.models import ApiKey, LedgerEntry
from lookups.api.requests.serializers import LookupRequest
from lookups.api.schema import document as built
from lookups.api.views import paging
from lookups.api.wire import words
from lookups.models import Delivery, Job

OPEN_TO_ALL = {"listStates", "getHealth", "getEventTaxonomy"}
Schema = dict[str, Any]


def operations(document: Schema) -> Iterator[tuple[str, Schema]]:
    """Every operation with its name."""
    for operations in [*document["paths"].values(), *document["webhooks"].values()]:
        for operation in operations.values():
            yield operation["operationId"], operation


def properties(document: Schema) -> Iterator[tuple[str, Schema]]:
    """Every property of every component."""
    for name, schema in document["components"]["schemas"].items():
        for field, about in schema.get("properties", {}).items():
            yield f"{name}.{field}", about


def undescribed(document: Schema) -> list[str]:
    """Properties, parameters and operations that nothing is said of."""
    found = [name for name, about in properties(document) if not about.get("description")]
    for name, operation in operations(document):
        found += [name] if not (operation.get("summary") and operation.get("description")) else []
        found += [f"{name} {one['name']}" for one in operation.get("parameters", []) if not one.get("description")]
    return found


def inline_enums(value: Any, at: str = "") -> list[str]:
    """Lists of words that are no component of their own: each would become a class more in a client."""
    if isinstance(value, dict):
        found = [at] if "enum" in value and at.count("/") != 3 else []
        return found + [one for name, inner in value.items() for one in inline_enums(inner, f"{at}/{name}")]
    if isinstance(value, list):
        return [one for number, inner in enumerate(value) for one in inline_enums(inner, f"{at}/{number}")]
    return []


def modeless(operation: Schema, document: Schema) -> list[str]:
    """The shapes of its good replies that do not say whether they are live or of a test key."""
    schemas = [
        reply["content"]["application/json"]["schema"]
        for status, reply in operation["responses"].items()
        if status.startswith("2") and "application/json" in reply.get("content", {})
    ]
    options = [one.get("items", one) for schema in schemas for one in schema.get("anyOf", [schema])]
    names = [one["$ref"].rpartition("/")[2] for one in options]
    return [name for name in names if "livemode" not in document["components"]["schemas"][name]["properties"]]


class TestTheWords:
    """Descriptions, and lists of words."""

    def test_describe_everything(self, document: Schema) -> None:
        assert undescribed(document) == []

    def test_say_what_stands_behind_a_name_that_has_to_stay(self, document: Schema) -> None:
        checks = document["components"]["schemas"]["HealthChecks"]["properties"]
        described = {name: about["description"] for name, about in checks.items()}
        assert "SQLite" in described["postgres"]
        assert "folder" in described["redis"]
        assert "those of test keys do not count" in described["lookups_today"]

    def test_that_are_missing_are_noticed(self) -> None:
        schema = {"components": {"schemas": {"A": {"properties": {"b": {"type": "string"}}}}}}
        assert undescribed({"paths": {}, "webhooks": {}, **schema}) == ["A.b"]

    def test_of_a_list_are_declared_once(self, document: Schema) -> None:
        assert inline_enums(document) == []

    def test_of_a_list_elsewhere_are_noticed(self) -> None:
        assert inline_enums({"components": {"schemas": {"A": {"properties": {"b": {"enum": ["c"]}}}}}}) != []

    def test_of_a_list_that_may_be_null_are_the_same_component(self, document: Schema) -> None:
        kind = document["components"]["schemas"]["Party"]["properties"]["kind"]
        assert {"$ref": "#/components/schemas/PartyKind"} in kind["anyOf"]
        assert {"type": "null"} in kind["anyOf"]

    @pytest.mark.parametrize(
        ("wire", "kept"),
        [
            (words.EntryKind, LedgerEntry.Kind),
            (words.JobState, Job.Status),
            (words.KeyMode, ApiKey.Mode),
            (words.EventType, Delivery.Event),
        ],
    )
    def test_of_a_list_are_those_that_are_kept(self, wire: Any, kept: Any) -> None:
        assert {word.value for word in wire} == set(kept.values)

    def test_of_what_a_key_may_do_are_those_that_are_judged(self) -> None:
        assert [word.value for word in words.Scope] == list(keys.SCOPES)

    def test_explain_every_code_and_reason(self, document: Schema) -> None:
        for name, table in words.TABLES.items():
            schema = document["components"]["schemas"][name]
            assert set(schema["enum"]) == set(table)
            assert all(f"* `{word}` - " in schema["description"] for word in table)


class TestARequest:
    """What it may hold, where it goes, and with which key."""

    def test_has_its_bounds(self, document: Schema) -> None:
        shapes = document["components"]["schemas"]
        state = shapes["LookupRequest"]["properties"]["state"]
        assert (state["minLength"], state["maxLength"], state["pattern"]) == (2, 2, "^[A-Za-z]{2}$")
        entities = shapes["BulkRequest"]["properties"]["entities"]
        assert (entities["minItems"], entities["maxItems"]) == (1, 1000)
        amount = shapes["TopUpRequest"]["properties"]["amount"]
        assert (amount["minimum"], amount["maximum"]) == (0.5, 10_000)
        address = shapes["SettingsRequest"]["properties"]["webhookUrl"]
        assert (address["format"], address["maxLength"]) == ("uri", 500)
        assert shapes["LookupRequest"]["properties"]["fresh"]["deprecated"] is True

    def test_has_bounds_in_its_parameters(self, document: Schema) -> None:
        for name, operation in operations(document):
            for one in operation.get("parameters", []):
                schema = one["schema"]
                if one["name"] in ("Idempotency-Key", "cursor"):
                    assert schema["minLength"] >= 1, name
                    assert schema["maxLength"] <= 255, name
                if one["name"] == "fresh":
                    assert one["deprecated"] is True

    def test_says_with_which_key(self, document: Schema) -> None:
        both = [{"ApiKeyAuth": []}, {"BearerAuth": []}]
        assert document["security"] == both
        said = {name: operation["security"] for name, operation in operations(document)}
        assert said.pop("lookup") == [*both, {}]
        open_to_all = {name for name, security in said.items() if security == []}
        assert {name for name in open_to_all if not name.startswith("on")} == OPEN_TO_ALL
        assert all(security == both for name, security in said.items() if name not in open_to_all)

    def test_of_a_bulk_job_needs_its_body(self, document: Schema) -> None:
        assert document["paths"]["/v1/bulk-lookup"]["post"]["requestBody"]["required"] is True

    @pytest.mark.parametrize(("waits", "right"), [(60, True), (Decimal("60.0"), True), (Decimal("60.5"), False)])
    def test_has_whole_numbers_as_json_knows_them(self, waits: Any, right: bool) -> None:
        asked = LookupRequest(data={"entity_name": "Acme Corp", "state": "NY", "max_wait_seconds": waits})
        assert asked.is_valid() is right

    @pytest.mark.parametrize("day", ["1999-12-31", "2000-01-01", "2199-12-31", "2200-01-01"])
    def test_names_days_of_the_years_it_says(self, document: Schema, day: str) -> None:
        parameters = document["paths"]["/v1/lookups"]["get"]["parameters"]
        described = next(one["schema"] for one in parameters if one["name"] == "day")
        wrong = paging.Wrong()
        paging.read_day(day, "day", wrong)
        assert bool(re.match(described["pattern"], day)) is not bool(wrong)

    @pytest.mark.parametrize("cursor", ["0", "007", "7", "9" * 18, "9" * 19])
    def test_names_the_cursors_it_says(self, document: Schema, cursor: str) -> None:
        parameters = document["paths"]["/v1/lookups"]["get"]["parameters"]
        described = next(one["schema"] for one in parameters if one["name"] == "cursor")
        wrong = paging.Wrong()
        paging.read_number(cursor, "cursor", wrong, most=paging.LAST)
        fits = re.match(described["pattern"], cursor) and len(cursor) <= described["maxLength"]
        assert bool(fits) is not bool(wrong)

    def test_may_be_a_table(self, document: Schema) -> None:
        operation = document["paths"]["/v1/bulk-lookup"]["post"]
        kinds = operation["requestBody"]["content"]
        assert kinds["text/csv"]["schema"] == {"type": "string", "format": "binary"}
        beside = set(document["components"]["schemas"]["BulkRequest"]["properties"]) - {"entities"}
        assert beside == {one["name"] for one in operation["parameters"] if one["in"] == "query"}

    def test_may_ask_several_states_in_a_row(self, document: Schema) -> None:
        row = document["components"]["schemas"]["BulkEntity"]
        assert {"state", "states"} <= set(row["properties"])
        assert "state" not in row.get("required", [])

    def test_names_a_job_as_the_contract_does(self, document: Schema) -> None:
        assert "/v1/lookup/status/{jobId}" in document["paths"]
        assert "/v1/bulk-lookup/{job_id}" in document["paths"]


class TestAReply:
    """What a generated client makes of it."""

    def test_is_json_before_anything_else(self, document: Schema) -> None:
        several = 0
        for name, operation in operations(document):
            for status, reply in operation["responses"].items():
                kinds = list(reply.get("content", {}))
                if len(kinds) > 1:
                    several += 1
                    assert kinds[0] == "application/json", f"{name} {status}"
        assert several >= 5

    def test_may_always_be_a_refusal(self, document: Schema) -> None:
        for operations in document["paths"].values():
            for operation in operations.values():
                assert "406" in operation["responses"], operation["operationId"]

    def test_that_may_be_one_of_several_never_claims_to_fit_one_alone(self, document: Schema) -> None:
        for name, operation in operations(document):
            for reply in operation["responses"].values():
                for content in reply.get("content", {}).values():
                    assert "oneOf" not in content["schema"], name

    def test_to_a_cancelled_bulk_job_is_json_alone(self, document: Schema) -> None:
        replies = document["paths"]["/v1/bulk-lookup/{job_id}"]["delete"]["responses"]
        assert {kind for reply in replies.values() for kind in reply["content"]} == {"application/json"}

    def test_has_typed_data(self, document: Schema) -> None:
        shapes = document["components"]["schemas"]
        for name, field in (("JobStatus", "result"), ("JobStatus", "data"), ("BulkRow", "data")):
            options = shapes[name]["properties"][field]["anyOf"]
            assert len([one for one in options if "$ref" in one]) >= 2, name

    def test_says_of_which_mode_it_is(self, document: Schema) -> None:
        said = {name: modeless(operation, document) for name, operation in operations(document)}
        assert {name for name, without in said.items() if without} == OPEN_TO_ALL

    def test_that_says_later_leads_to_the_answer(self, document: Schema) -> None:
        known = {name for name, _ in operations(document)}
        for path, names in (("/v1/lookup", {"getJob"}), ("/v1/bulk-lookup", {"getBulkJob", "cancelBulkJob"})):
            links = document["paths"][path]["post"]["responses"]["202"]["links"]
            assert {link["operationId"] for link in links.values()} == names
            assert names <= known


class TestTheRest:
    """Events, and who stands behind the document."""

    def test_describes_every_event(self, document: Schema) -> None:
        mailed_alone = {words.EventType.WATCH_DIGEST.value}
        assert set(document["webhooks"]) == {kind.value for kind in words.EventType} - mailed_alone

    def test_names_license_and_contact(self, document: Schema) -> None:
        assert document["info"]["license"]["identifier"] == "Apache-2.0"
        assert document["info"]["contact"]["email"] == "tests@example.test"
        assert {tag["name"] for tag in document["tags"]} == set(built.TAGS)
        assert all(tag["description"] for tag in document["tags"])

    def test_shows_an_example_of_every_operation(self, document: Schema) -> None:
        for name, operation in operations(document):
            bodies = [operation.get("requestBody", {"content": {}})]
            bodies += [reply for status, reply in operation["responses"].items() if status.startswith("2")]
            assert any(content.get("examples") for body in bodies for content in body.get("content", {}).values()), name
            if "requestBody" in operation:
                assert operation["requestBody"]["content"]["application/json"]["examples"], name
