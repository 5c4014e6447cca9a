"""An agent asks for companies, and can take no kind of answer for another."""

from __future__ import annotations

import io
import json
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command

from billing.models import LedgerEntry
from lookups.mcp import first_line, protocol, tools
from lookups.mcp.calls import Answer
from lookups.models import Lookup
from tests.doors.mcp.agents import META, Agent
from tests.lookups.conftest import PRICE, Customer

pytestmark = pytest.mark.django_db
FOUND = "Magic Found LLC"


@pytest.fixture
def agent(tester: Customer) -> Agent:
    """With a test key, which asks the sandbox registry."""
    return Agent(tester.secret)


def schema_of(name: str) -> dict[str, Any]:
    return next(one["outputSchema"] for one in tools.list_described() if one["name"] == name)


class TestAnAgent:
    """In the stateless revision."""

    @pytest.mark.parametrize(
        ("name", "verdict", "words"),
        [
            (FOUND, "found", "FOUND: "),
            ("Magic Not Found LLC", "not_found", "NOT FOUND: The registry answered in full and has no such record."),
        ],
    )
    def test_reads_the_verdict_first(self, agent: Agent, name: str, verdict: str, words: str) -> None:
        result = agent.call("look_up_company", entity_name=name, state="DE")
        assert result["isError"] is False
        assert result["content"][0]["text"].startswith(words)
        assert result["structuredContent"]["verdict"] == verdict
        jsonschema.validate(result["structuredContent"], schema_of("look_up_company"))
        assert json.loads(result["content"][1]["text"]) == result["structuredContent"]

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("Magic Ambiguous LLC", "AMBIGUOUS: Several records fit the name equally well"),
            ("Magic Fails LLC", "UNAVAILABLE: The registry could not be asked, so nothing is known"),
            ("Magic Too Many LLC", "REFUSED: The question cannot be asked like this"),
            ("Magic No Funds LLC", "NOT ANSWERED: Insufficient balance."),
        ],
    )
    def test_cannot_take_what_is_not_known_for_none(self, agent: Agent, name: str, words: str) -> None:
        result = agent.call("look_up_company", entity_name=name, state="DE")
        assert result["isError"] is True
        assert "structuredContent" not in result
        assert result["content"][0]["text"].startswith(words)
        assert "Nothing was charged." in result["content"][0]["text"]
        assert "not found" not in result["content"][0]["text"].casefold()

    def test_learns_what_to_change_in_a_question_that_is_refused(self, agent: Agent) -> None:
        line = agent.call("look_up_company", entity_name="Magic Too Many LLC", state="DE")["content"][0]["text"]
        assert "There are too many companies of such a name; give more of it, or the entity_id." in line

    def test_is_shown_near_names_beside_none(self, agent: Agent) -> None:
        near = agent.call("look_up_company", entity_name="Blue Herron Logistic LLC", state="DE")
        assert "Near names stand in `suggestions`; none was taken for it." in near["content"][0]["text"]
        none = agent.call("look_up_company", entity_name="Magic Not Found LLC", state="DE")
        assert "suggestions" not in none["content"][0]["text"]

    def test_does_not_take_a_history_that_nobody_read_for_none(self, agent: Agent) -> None:
        line = agent.call("get_history", state="DE", entityId="SB-DE-000124")["content"][0]["text"]
        assert line.startswith("NOT ANSWERED: no reading of this company is kept here, which says nothing of the reg")

    def test_is_never_shown_inventions_as_facts(self, agent: Agent) -> None:
        for name in (FOUND, "Magic Ambiguous LLC", "Magic Not Found LLC", "Magic Fails LLC"):
            line = agent.call("look_up_company", entity_name=name, state="DE")["content"][0]["text"]
            assert line.endswith(" Test mode: all of it is invented.")

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (409, {"code": "idempotency_conflict", "error": "The first request still runs", "retryable": True}),
            (500, {"code": "internal_error", "error": "Internal error"}),
        ],
        ids=["the first call still runs", "it broke"],
    )
    def test_is_not_promised_that_nothing_was_charged(self, status: int, body: dict[str, Any]) -> None:
        line = first_line.write(Answer(status, body, retry_after="1"))
        assert line.startswith("NOT ANSWERED: ")
        assert "Repeat it with the same idempotency_key: it is charged once at most." in line
        assert "Nothing was charged" not in line

    def test_chooses_among_candidates_by_their_id(self, agent: Agent) -> None:
        result = agent.call("look_up_company", entity_name="Magic Ambiguous LLC", state="DE")
        first = json.loads(result["content"][1]["text"])["suggestions"][0]
        chosen = agent.call("look_up_company", entity_id=first["entityId"], state="DE")
        assert chosen["structuredContent"]["data"]["entityId"] == first["entityId"]

    def test_waits_for_a_slow_registry(self, agent: Agent) -> None:
        result = agent.call("look_up_company", entity_name="Magic Later LLC", state="DE")
        assert result["content"][0]["text"].startswith("ACCEPTED: ")
        again = agent.call("get_result", id=result["structuredContent"]["jobId"])
        assert again["content"][0]["text"].startswith("NOT ANSWERED YET: ")
        jsonschema.validate(again["structuredContent"], schema_of("get_result"))
        same = agent.call("get_result", id=result["structuredContent"]["lookupId"])
        assert same["isError"] is False
        assert same["content"][0]["text"].startswith("NOT ANSWERED YET: ")

    def test_pays_once_for_a_call_that_it_repeats(self, agent: Agent) -> None:
        asked = {"entity_name": FOUND, "state": "DE", "idempotency_key": "k-1"}
        first, second = agent.call("look_up_company", **asked), agent.call("look_up_company", **asked)
        assert first["structuredContent"] == second["structuredContent"]
        assert Lookup.objects.count() == 1

    def test_finds_liens_names_and_states(self, agent: Agent) -> None:
        for tool, asked in (
            ("look_up_liens", {"entity_name": FOUND, "state": "DE"}),
            ("check_name", {"entity_name": "Surely Nobody's Name LLC", "state": "DE"}),
            ("find_where_registered", {"entities": [{"entity_name": FOUND, "states": ["DE", "NV"]}]}),
            ("watch_company", {"entity_name": FOUND, "state": "DE"}),
            ("list_changes", {}),
            ("list_states", {}),
            ("get_balance", {}),
        ):
            result = agent.call(tool, **asked)
            assert result["isError"] is False, (tool, result)
            jsonschema.validate(result["structuredContent"], schema_of(tool))

    def test_proves_an_answer_and_reads_its_history(self, agent: Agent) -> None:
        found = agent.call("look_up_company", entity_name=FOUND, state="DE")["structuredContent"]
        evidence = agent.call("get_evidence", id=found["lookupId"])["structuredContent"]
        jsonschema.validate(evidence, schema_of("get_evidence"))
        history = agent.call("get_history", state="DE", entityId=found["data"]["entityId"])
        jsonschema.validate(history["structuredContent"], schema_of("get_history"))

    def test_learns_what_is_wrong_with_its_arguments(self, agent: Agent) -> None:
        for asked, words in (
            ({"entity_name": "A"}, "Missing arguments: state."),
            ({"name": "A", "state": "DE"}, "Unknown arguments: name."),
            ({"entity_name": "A", "state": "ZZ"}, "NOT ANSWERED: "),
            ({"entity_name": ["A"], "state": "DE"}, "NOT ANSWERED: "),
        ):
            result = agent.call("look_up_company", **asked)
            assert result["isError"] is True
            assert result["content"][0]["text"].startswith(words)
        assert "begins with lk_" in agent.call("get_evidence", id="job_1")["content"][0]["text"]

    def test_may_send_numbers_and_signs_that_do_not_fit(self, agent: Agent) -> None:
        wrong = agent.call("look_up_company", entity_name="A", state="DE", max_wait_seconds=1.5)
        assert "max_wait_seconds" in wrong["content"][1]["text"]
        for number in ("A 12/7", "Ñandú", "a?b#c%20"):
            history = agent.call("get_history", state="DE", entityId=number)
            assert history["isError"] or history["structuredContent"]["verdict"] == "not_found"

    def test_without_a_key_gets_what_is_free(self, db: None) -> None:
        nobody = Agent()
        assert nobody.call("list_states")["isError"] is False
        assert nobody.call("get_balance")["isError"] is True
        assert not LedgerEntry.objects.exists()

    def test_that_is_not_of_this_page_is_refused(self, agent: Agent) -> None:
        assert agent.send("tools/list", Origin="https://evil.test").status_code == 403
        assert agent.send("tools/list", Origin="http://127.0.0.1:8000").status_code == 200


class TestAMessage:
    """That says what it is."""

    def test_whose_headers_say_something_else_is_refused(self, agent: Agent) -> None:
        for headers in ({"Mcp-Method": "tools/call"}, {"MCP-Protocol-Version": "2025-11-25"}):
            reply = agent.send("tools/list", **headers)
            assert (reply.status_code, reply.json()["error"]["code"]) == (400, protocol.HEADER_MISMATCH)

    def test_of_a_revision_that_is_not_spoken_names_those_that_are(self, agent: Agent) -> None:
        meta = META | {f"{protocol.META}protocolVersion": "1999-01-01"}
        reply = agent.send("tools/list", {"_meta": meta}, **{"MCP-Protocol-Version": "1999-01-01"})
        assert reply.status_code == 400
        assert reply.json()["error"]["data"]["supported"] == list(protocol.SUPPORTED)

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b"{",
            b"[]",
            b"1",
            b'{"jsonrpc": "2.0"}',
            b"[" * 100_000,
            b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        ],
        ids=["empty", "cut", "list", "number", "no method", "deep", "id", "part of an id"],
    )
    def test_that_is_none_is_refused(self, agent: Agent, raw: bytes) -> None:
        reply = agent.post(raw)
        assert reply.status_code == 400
        assert reply.json()["error"]["code"] in (protocol.PARSE_ERROR, protocol.INVALID_REQUEST)

    def test_that_nobody_knows_is_not_found(self, agent: Agent) -> None:
        assert agent.send("prompts/list").status_code == 404
        assert agent.client.get("/mcp").status_code == agent.client.delete("/mcp").status_code == 405

    def test_that_notifies_is_accepted(self, agent: Agent) -> None:
        assert agent.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202

    def test_of_an_older_client_is_answered_without_a_session(self, agent: Agent) -> None:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
        reply = agent.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        assert reply.json()["result"]["protocolVersion"] == "2025-06-18"
        assert "Mcp-Session-Id" not in reply.headers
        call = {"name": "look_up_company", "arguments": {"entity_name": FOUND, "state": "DE"}}
        reply = agent.post({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
        assert reply.json()["result"]["structuredContent"]["verdict"] == "found"
        assert "resultType" not in reply.json()["result"]


class TestTheList:
    """Of tools."""

    def test_says_what_each_costs_and_takes(self, agent: Agent) -> None:
        result = agent.send("tools/list").json()["result"]
        assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
        for tool in result["tools"]:
            jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
            jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
            assert f"{PRICE / 10_000:.4f}" in tool["description"] or "ree" in tool["description"]
            if not tool["annotations"]["readOnlyHint"]:
                assert "idempotency_key" in tool["inputSchema"]["properties"]

    def test_stays_small_enough_to_be_read(self) -> None:
        assert len(json.dumps(tools.list_described())) < 250_000
        assert all(len(json.dumps(one["inputSchema"])) < 12_000 for one in tools.list_described())


class TestStandardInput:
    """An agent on the same machine."""

    def test_is_answered_a_line_for_a_line(
        self, tester: Customer, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.SOS_LOOKUP_KEY = tester.secret
        call = {"name": "look_up_company", "arguments": {"entity_name": FOUND, "state": "DE"}, "_meta": META}
        lines = [
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        ]
        given = io.TextIOWrapper(
            io.BytesIO(
                "".join(f"{json.dumps(one)}\n" for one in lines).encode()
                + b'{\n{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n'
            )
        )
        monkeypatch.setattr("sys.stdin", given)
        out = io.StringIO()
        call_command("mcp", stdout=out)
        answers = [json.loads(line) for line in out.getvalue().splitlines()]
        assert answers[0]["result"]["structuredContent"]["verdict"] == "found"
        assert answers[1]["error"]["code"] == protocol.PARSE_ERROR
        assert answers[2]["error"]["code"] == protocol.INVALID_REQUEST
        assert len(answers) == 3
