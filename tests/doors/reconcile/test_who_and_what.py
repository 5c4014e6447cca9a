"""What a spreadsheet is given, and what not: people left out, names that are not quite the one, too many rows."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from billing import keys
from billing.models import ApiKey
from lookups.models import Heartbeat, Lookup, Suppression
from lookups.privacy import suppression
from tests.doors.reconcile.program import Program
from tests.doors.reconcile.test_reconciling import FOUND, program, row, worked
from tests.lookups.conftest import Customer
from tests.lookups.registry_server import Register

__all__ = ["program", "worked"]  # fixtures
pytestmark = pytest.mark.django_db
HERON = "Blue Heron Logistics LLC"


class TestAPersonLeftOut:
    def test_is_in_no_column_of_a_company_that_was_looked_up_before(self, program: Program) -> None:
        columns = ("officers", "status", "registeredAgentName")
        found = program.reconcile(q0=row(HERON))["q0"][0]["id"]
        before = program.extend([found], *columns)[found]
        assert "ADA MERRILL" in json.dumps(before)
        person = Suppression(reason="Asked.", kind="person", person="Ada Merrill")
        suppression.add(person, operator=AnonymousUser(), now=timezone.now())
        after = program.extend([found], *columns)[found]
        assert "MERRILL" not in json.dumps(after)
        assert [after[name] for name in columns[1:]] == [before[name] for name in columns[1:]]


class TestACandidate:
    """That is chosen by itself where it is a match, and by a person where it is none."""

    def test_is_a_match_by_its_very_name_alone(self, program: Program) -> None:
        found = program.reconcile(
            q0=row(HERON),
            q1=row("Blue Heron Freight"),
            q2=row("Blue Herron Logistic LLC"),
            q3=row("Magic Ambiguous LLC"),
        )
        assert [[one["match"] for one in found[name]] for name in ("q0", "q1")] == [[True], [False]]
        assert found["q0"][0]["id"] == found["q1"][0]["id"]
        assert 50 < found["q1"][0]["score"] < 100
        assert {(one["match"], one["score"]) for one in found["q2"]} == {(False, 30.0)}
        assert {(one["match"], one["score"]) for one in found["q3"]} == {(False, 50.0)}

    def test_is_one_of_as_many_as_are_wanted(self, program: Program) -> None:
        found = program.reconcile(q0=row("Magic Ambiguous LLC", limit=1), q1=row("Magic Ambiguous LLC", limit=2))
        assert [len(found[name]) for name in ("q0", "q1")] == [1, 2]

    def test_is_among_all_where_none_or_fewer_are_wanted(self, program: Program) -> None:
        asked = {f"q{limit}": row("Magic Ambiguous LLC", limit=limit) for limit in (10, 0, -1)}
        found = program.client.post(f"{program.root}/", {"queries": json.dumps(asked)}).json()
        assert found["q0"] == found["q-1"] == found["q10"]


class TestABatch:
    def test_of_more_rows_than_it_may_have_asks_and_pays_for_none(self, program: Program) -> None:
        queries = {f"q{number}": row(f"Nobody's Company {number} LLC") for number in range(51)}
        reply = program.client.post(f"{program.root}/", {"queries": json.dumps(queries)})
        assert (reply.status_code, list(reply.json()["details"])) == (400, ["queries"])
        assert not Lookup.objects.exists()
        del queries["q50"]
        assert len(program.reconcile(**queries)) == 50

    def test_is_counted_as_a_request_of_its_key(self, program: Program) -> None:
        ApiKey.objects.update(rate_limit_per_minute=1)
        replies = [
            program.client.post(f"{program.root}/", {"queries": json.dumps({"q0": row(FOUND)})}) for _ in range(3)
        ]  # a minute of the clock may begin in between
        assert [one.status_code for one in replies].count(429) >= 1
        assert Lookup.objects.count() < 3

    def test_answers_each_row_by_its_name(self, program: Program) -> None:
        """Also where rows between cannot be asked."""
        asked: dict[str, Any] = {"q0": row(FOUND, None), "q1": row(FOUND, "NV"), "q2": row(""), "q3": row(HERON)}
        found = program.reconcile(**asked)
        assert [[one["id"].partition(":")[0] for one in found[name]] for name in asked] == [[], ["NV"], [], ["DE"]]

    def test_may_stand_in_the_address_as_the_specification_has_it(self, program: Program) -> None:
        queries = {"q0": row(HERON), "q1": row(FOUND, "NV")}
        found = program.read(queries=json.dumps(queries))
        assert [found[name]["result"][0]["id"].partition(":")[0] for name in queries] == ["DE", "NV"]

    @pytest.mark.parametrize("kind", ["NV", ["NV"], ["NV", "DE"]], ids=str)
    def test_names_its_type_alone_or_first_in_a_list(self, program: Program, kind: Any) -> None:
        found = program.reconcile(q0=row(FOUND, None, type=kind))["q0"]
        assert [one["id"].partition(":")[0] for one in found] == ["NV"]

    def test_that_nobody_would_work_on_is_to_come_again_and_costs_nothing(self, customer: Customer) -> None:
        _, secret = keys.issue(account=customer.account, name="sheet", scopes=["reconcile"], now=timezone.now())
        Heartbeat.objects.filter(role="bulk").delete()
        asked = {"queries": json.dumps({"q0": row("Acme Corp", "NY")})}
        reply = Client().post(f"/reconcile/{secret}/", asked)
        assert (reply.status_code, reply["Retry-After"], reply.json()["retryable"]) == (503, "30", True)
        assert (Lookup.objects.count(), customer.balance.held) == (0, 0)

    def test_beside_as_many_as_may_wait_is_to_come_again(
        self, program: Program, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("lookups.reconcile.views.seat", lambda: nullcontext(False))
        reply = program.client.post(f"{program.root}/", {"queries": json.dumps({"q0": row(FOUND)})})
        assert (reply.status_code, reply["Retry-After"], reply.json()["code"]) == (429, "5", "rate_limited")
        assert not Lookup.objects.exists()

    def test_is_asked_with_cells_that_were_reconciled_before(self, program: Program) -> None:
        """Another service's number was taken for a state, and ours, with the state in it, for the state's own."""
        state, number = (
            {"id": "Q1393", "name": "Delaware"},
            {"id": "DE:SB-DE-000123", "name": "BLUE HERON LOGISTICS LLC"},
        )
        cells: dict[str, Any] = {
            "q0": {"state": state},
            "q1": {"state": [state]},
            "q2": {"state": {"id": "DE"}},
            "q3": {"state": {"name": "DE"}},
            "q4": {"state": "DE", "entityId": number},
            "q5": {"state": "DE", "entityId": number["id"]},
            "q6": {"state": "DE", "entityId": {"name": "SB-DE-000123"}},
            "q7": {"state": "DE", "entityId": {}},
            "q8": {"state": "NV", "entityId": number},
        }
        queries = {
            name: {"query": HERON, "properties": [{"pid": pid, "v": value} for pid, value in one.items()]}
            for name, one in cells.items()
        }
        found = program.client.post(f"{program.root}/", {"queries": json.dumps(queries)}).json()
        ids = {name: [one["id"] for one in found[name]["result"]] for name in queries}
        assert ids == {name: [number["id"]] for name in queries} | {"q8": []}


class TestAColumn:
    def test_is_given_for_what_can_be_read_among_nonsense(self, program: Program) -> None:
        asked = {"ids": [7, None, [], {}, "DE:SB-DE-000123"], "properties": [7, "id", {"x": 1}, {"id": "status"}]}
        reply = program.client.post(f"{program.root}/", {"extend": json.dumps(asked)})
        assert reply.status_code == 200
        assert reply.json()["rows"] == {"DE:SB-DE-000123": {"status": [{"str": "Good Standing"}]}}

    def test_is_given_and_paid_for_of_no_company_whose_number_a_long_one_begins_with(
        self, customer: Customer, register: Register, worked: None
    ) -> None:
        """It was cut after 200 characters, and what was left is, without its zeros, another company's number."""
        _, secret = keys.issue(account=customer.account, name="sheet", scopes=["reconcile"], now=timezone.now())
        long = "NY:" + "100001".zfill(200) + "999"
        assert Program(secret).extend([long], "status") == {long: {"status": []}}
        assert not Lookup.objects.exists()
