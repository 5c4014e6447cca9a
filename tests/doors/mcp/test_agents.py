"""An agent asks for companies, and can take no kind of answer for another."""

from __future__ import annotations

import gzip
import io
import itertools
import json
from typing import Any
from unittest.mock import Mock

import jsonschema
import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client

from billing.models import LedgerEntry
from lookups.api.views import lookup as view
from lookups.mcp import first_line, protocol, tools
from lookups.mcp.calls import Answer
from lookups.models import IdempotencyRecord, Lookup
from tests.doors.mcp.agents import META, Agent
from tests.lookups.conftest import PRICE, Customer
from tests.lookups.messages import end_bulk, end_jobs
from tests.lookups.registry_server import Register
from tests.lookups.test_database_away import AWAY

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
        for lookup in Lookup.objects.all():
            again = agent.call("get_result", id=lookup.public_id)
            assert (again["isError"], "structuredContent" in again) == (True, False)
            assert again["content"][0]["text"].startswith(words)
            assert "Nothing was charged." in again["content"][0]["text"]

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("Magic Later Ambiguous LLC", "AMBIGUOUS: "),
            ("Magic Later Too Many LLC", "REFUSED: "),
            ("Magic Later Page Changed LLC", "UNAVAILABLE: "),
        ],
    )
    def test_cannot_take_it_for_none_when_it_comes_later_either(self, agent: Agent, name: str, words: str) -> None:
        taken = agent.call("look_up_company", entity_name=name, state="DE")["structuredContent"]
        end_jobs()
        for number in (taken["jobId"], taken["lookupId"]):
            result = agent.call("get_result", id=number)
            assert (result["isError"], "structuredContent" in result) == (True, False)
            assert result["content"][0]["text"].startswith(words)

    def test_reads_what_it_paid(self, customer: Customer, register: Register) -> None:
        line = Agent(customer.secret).call("look_up_company", entity_name="Acme Corp", state="NY")["content"][0]["text"]
        assert line.startswith("FOUND: ")
        assert line.endswith(" Cost: 0.0314 USD.")

    def test_reads_of_an_answer_that_it_has_paid_that_no_more_was_charged(
        self, customer: Customer, register: Register
    ) -> None:
        asked = {"entity_name": "Acme Corp", "state": "NY", "idempotency_key": "the-same"}
        first, again = (Agent(customer.secret).call("look_up_company", **asked)["content"][0]["text"] for _ in range(2))
        assert first.endswith(" Cost: 0.0314 USD.")
        assert again.endswith(" Cost: 0.0314 USD, charged when it was first answered; now nothing.")
        assert customer.balance.spent == 314

    @pytest.mark.parametrize(
        ("answer", "ending"),
        [
            (
                Answer(503, {"verdict": "unavailable", "error": "x"}, "120"),
                "Nothing was charged. Try again in 120 seconds.",
            ),
            (Answer(503, {"verdict": "unavailable", "error": "x"}, None), "Nothing was charged."),
            (Answer(402, {"error": "Insufficient balance", "code": "x"}, None), "balance. Nothing was charged."),
            (Answer(402, {"challenges": []}, None), f"NOT ANSWERED: {first_line.NO_KEY} Nothing was charged."),
            (Answer(403, {}, None), "NOT ANSWERED: the request was refused. Nothing was charged."),
            (Answer(409, {"error": "Another body", "code": "idempotency_conflict"}, None), "Nothing was charged."),
        ],
    )
    def test_reads_that_nothing_was_charged_and_when_to_come_again(self, answer: Answer, ending: str) -> None:
        assert first_line.write(answer).endswith(ending)

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

    def test_does_not_take_what_a_copy_says_for_the_word_of_the_registry(self, agent: Agent) -> None:
        line = agent.call("look_up_company", entity_name="Magic Copy LLC", state="DE")["content"][0]["text"]
        assert " from a loaded copy of 2026-11-01 of its register; the registry itself was not asked." in line
        evidence = {"fromRegister": True, "dataAsOf": "2026-11-01T00:00:00.000Z"}
        none = first_line.write(Answer(404, {"verdict": "not_found", "evidence": evidence}, None))
        assert none.startswith("NOT FOUND: No such record is in a loaded copy of 2026-11-01 of its register;")

    def test_is_never_shown_inventions_as_facts(self, agent: Agent) -> None:
        for name in (FOUND, "Magic Ambiguous LLC", "Magic Not Found LLC", "Magic Fails LLC"):
            line = agent.call("look_up_company", entity_name=name, state="DE")["content"][0]["text"]
            assert line.endswith(" Test mode: all of it is invented.")

    def test_is_never_shown_a_history_evidence_or_changes_of_inventions_as_facts(self, agent: Agent) -> None:
        found = agent.call("look_up_company", entity_name=FOUND, state="DE")["structuredContent"]
        for tool, asked in (
            ("get_history", {"state": "DE", "entityId": found["data"]["entityId"]}),
            ("get_evidence", {"id": found["lookupId"]}),
            ("list_changes", {}),
        ):
            assert agent.call(tool, **asked)["content"][0]["text"].endswith("Test mode: all of it is invented."), tool

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

    @pytest.mark.parametrize("verdict", ["not_found", "found", "ambiguous"])
    def test_reads_at_once_where_was_not_looked(self, verdict: str) -> None:
        status = 200 if verdict == "found" else 404
        body = {"verdict": verdict, "livemode": True, "cost": 0.0314, "note": "Only active entities can be searched."}
        for told in (body, {"verdict": verdict, "livemode": True, "result": body}):
            line = first_line.write(Answer(status, told, retry_after=None))
            assert line.startswith(verdict.replace("_", " ").upper())
            assert " Only active entities can be searched. " in f"{line} "

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
        asked = {"entity_name": FOUND, "state": "DE", "idempotency_key": "order 7/12"}
        first, second = agent.call("look_up_company", **asked), agent.call("look_up_company", **asked)
        assert first["structuredContent"] == second["structuredContent"]
        assert Lookup.objects.count() == 1

    @pytest.mark.parametrize(("tool", "more"), [("look_up_company", {}), ("check_name", {"source": None})])
    def test_that_sends_null_for_its_key_sends_none(self, agent: Agent, tool: str, more: dict[str, Any]) -> None:
        for name in (FOUND, "Magic Several Corp"):
            result = agent.call(tool, entity_name=name, state="DE", idempotency_key=None, **more)
            assert result["isError"] is False, result
        assert not IdempotencyRecord.objects.exists()

    def test_may_leave_every_filter_null(self, agent: Agent) -> None:
        assert agent.call("list_changes", watch=None, state=None, category=None, cursor=None, limit=None)[
            "structuredContent"
        ]["success"]
        found = agent.call("look_up_company", entity_name=FOUND, state="DE")["structuredContent"]
        for tool, asked in (
            ("get_result", {"id": found["lookupId"], "cursor": None}),
            ("get_history", {"state": "DE", "entityId": found["data"]["entityId"], "as_of": None}),
        ):
            assert agent.call(tool, **asked)["isError"] is False

    @pytest.mark.parametrize(
        ("tool", "asked", "words"),
        [
            (
                "look_up_company",
                {"entity_name": FOUND, "state": "DE", "idempotency_key": True},
                "idempotency_key:",
            ),
            (
                "look_up_company",
                {"entity_name": FOUND, "state": "DE", "idempotency_key": ["a"]},
                "idempotency_key:",
            ),
            ("list_changes", {"category": ["status", "agent"]}, "category: send text"),
            ("get_history", {"state": {"code": "DE"}, "entityId": "1"}, "state: send text"),
            ("get_history", {"state": "DE", "entityId": "A 12/7"}, "No id has a slash: A 12/7."),
            ("get_result", {"id": "lk_../../states"}, "An id begins with"),
            (
                "get_result",
                {"id": "lk_00000000000000000000000000000000", "cursor": "99"},
                "cursor is not for",
            ),
        ],
    )
    def test_learns_what_no_address_or_header_can_say(
        self, agent: Agent, tool: str, asked: dict[str, Any], words: str
    ) -> None:
        result = agent.call(tool, **asked)
        assert result["isError"] is True
        assert result["content"][0]["text"].startswith(words)
        assert not Lookup.objects.exists()

    def test_reads_every_row_of_a_bulk_job(self, agent: Agent) -> None:
        rows = [{"entity_name": f"Nobody's Company {number} LLC", "state": "DE"} for number in range(250)]
        taken = agent.call("find_where_registered", entities=rows)["structuredContent"]
        seen, page = [], agent.call("get_result", id=taken["job_id"])
        while cursor := page["structuredContent"]["next_cursor"]:
            assert f"More rows follow: ask get_result again with cursor {cursor}." in page["content"][0]["text"]
            seen += page["structuredContent"]["results"]
            page = agent.call("get_result", id=taken["job_id"], cursor=cursor)
        seen += page["structuredContent"]["results"]
        assert [row["entity_name"] for row in seen] == [row["entity_name"] for row in rows]
        assert "More rows follow" not in page["content"][0]["text"]

    def test_reads_at_once_which_rows_do_not_fit(self, agent: Agent) -> None:
        wrong = agent.call("find_where_registered", entities=[{"entity_name": FOUND, "state": "ZZ"}, {"state": "DE"}])
        line = wrong["content"][0]["text"]
        assert "Row 0: state: No such jurisdiction. Row 1: entity_name: This field is required." in line
        assert "And others." not in line
        none = agent.call("find_where_registered", entities="DE")["content"][0]["text"]
        assert "Invalid request body. entities: send a list of 1 to 1,000 rows." in none
        many = agent.call("find_where_registered", entities=[{"state": "DE"}] * 900)["content"][0]["text"]
        assert len(many) < 500
        assert " And others. " in many

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

    def test_is_not_led_to_an_owner_of_a_name_that_nobody_has(self, agent: Agent) -> None:
        """A legal form alone is no name: "the name is taken" was said of it, and nobody was listed."""
        result = agent.call("check_name", entity_name="LLC", state="DE")
        assert result["structuredContent"]["conflictingEntities"] == []
        line = result["content"][0]["text"]
        assert line.startswith("CANNOT SAY: ")
        assert "is taken" not in line

    def test_watches_a_company_once_as_often_as_it_asks_for_the_same(self, agent: Agent) -> None:
        watch = {"entity_name": FOUND, "state": "DE", "every": "week", "max_per_month": 2}
        first, second, other = (
            agent.call("watch_company", **one)["structuredContent"]["watch"]["id"]
            for one in (watch, watch, {**watch, "ref": "another"})
        )
        assert first == second != other
        about = next(one["description"] for one in tools.list_described() if one["name"] == "watch_company")
        assert "with the same arguments it stays one watch; with others it is one more, and paid for too" in about
        assert "until end_watch ends it" in about

    def test_ends_a_watch_that_it_finds_again(self, agent: Agent) -> None:
        """The second of two: until then it could begin what costs month after month, and not end it."""
        for company in (FOUND, "Magic Ambiguous LLC"):
            agent.call("watch_company", entity_name=company, state="DE")
        listed = agent.call("list_watches", state="DE")["structuredContent"]
        jsonschema.validate(listed, schema_of("list_watches"))
        first, second = (one["id"] for one in listed["watches"])
        ended = agent.call("end_watch", id=second)
        jsonschema.validate(ended["structuredContent"], schema_of("end_watch"))
        assert (ended["isError"], ended["structuredContent"]["watch"]["nextCheckAt"]) == (False, None)
        assert ended["content"][0]["text"].startswith("ENDED: nothing more is asked or paid for this watch.")
        assert [one["id"] for one in agent.call("list_watches")["structuredContent"]["watches"]] == [first]
        again = agent.call("end_watch", id=second)
        assert (again["isError"], again["content"][0]["text"][:12]) == (True, "NOT ANSWERED")

    def test_counts_every_row_of_a_bulk_job_by_what_came_of_it(self, agent: Agent) -> None:
        names = (FOUND, "Blue Heron Logistics LLC", "Magic Not Found LLC", "Magic Ambiguous LLC", "Magic Too Many LLC")
        rows = [{"entity_name": name, "state": "DE"} for name in names]
        job = agent.call("find_where_registered", entities=rows)["structuredContent"]["job_id"]
        end_bulk()
        line = agent.call("get_result", id=job)["content"][0]["text"]
        assert line == (
            "COMPLETE: 5 of 5 rows have ended: 2 found, 2 not found or ambiguous (the row's `verdict` says which), "
            "1 that nobody could answer. Test mode: all of it is invented."
        )

    def test_counts_every_row_of_a_cancelled_bulk_job(self, agent: Agent) -> None:
        rows = [{"entity_name": f"Nobody's Company {number} LLC", "state": "DE"} for number in range(3)]
        job = agent.call("find_where_registered", entities=rows)["structuredContent"]["job_id"]
        agent.client.delete(f"/v1/bulk-lookup/{job}", headers={"x-api-key": agent.secret})
        line = agent.call("get_result", id=job)["content"][0]["text"]
        assert line.startswith("CANCELLED: 3 of 3 rows have ended: 0 found, ")
        assert "0 that nobody could answer, 3 cancelled." in line

    def test_proves_an_answer_and_reads_its_history(self, agent: Agent) -> None:
        found = agent.call("look_up_company", entity_name=FOUND, state="DE")["structuredContent"]
        evidence = agent.call("get_evidence", id=found["lookupId"])["structuredContent"]
        jsonschema.validate(evidence, schema_of("get_evidence"))
        history = agent.call("get_history", state="DE", entityId=found["data"]["entityId"])
        jsonschema.validate(history["structuredContent"], schema_of("get_history"))

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            ({"entity_name": "Zebra Inc", "entity_id": "SB-DE-000123"}, "Its name is not the one that was sent"),
            ({"entity_name": "Blue Heron Freight"}, "Its name is not quite the one that was asked for"),
            ({"entity_name": "Blue Heron Logistics"}, "Its name is not quite the one that was asked for"),
            ({"entity_name": "Blue Heron Logistics LLC"}, ""),
            ({"entity_id": "SB-DE-000123"}, ""),
        ],
    )
    def test_does_not_take_a_company_for_one_of_the_name_it_sent(
        self, agent: Agent, asked: dict[str, Any], words: str
    ) -> None:
        line = agent.call("look_up_company", state="DE", **asked)["content"][0]["text"]
        assert line.startswith(f"FOUND: The registry has it. {words}")
        assert ("name" in line) == bool(words)

    def test_learns_which_argument_is_wrong(self, agent: Agent) -> None:
        line = agent.call("look_up_company", state="DE")["content"][0]["text"]
        assert "entity_name: This field is required." in line

    def test_may_write_whole_numbers_with_a_point(self, agent: Agent) -> None:
        raw = {"name": "list_changes", "arguments": {"limit": 5.0, "cursor": 0.0}}
        assert agent.send("tools/call", raw).json()["result"]["isError"] is False
        for beyond in (b"5.5", b"1e5000", b"-1e5000"):  # of which the last two would fill a page, or the memory
            params = b'{"name":"list_changes","arguments":{"limit":%s}}' % beyond
            call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}' % params
            wrong = agent.post(call).json()["result"]
            assert (wrong["isError"], wrong["content"][0]["text"]) == (True, "limit: send text or a whole number.")

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

    @pytest.mark.parametrize("more", ["/", "/no/such/place", "/evidence", "/evidence.wacz", "?", "%2F", "\n"])
    def test_leads_nowhere_but_to_what_has_the_id(self, agent: Agent, more: str) -> None:
        found = agent.call("look_up_company", entity_name=FOUND, state="DE")["structuredContent"]
        result = agent.call("get_result", id=found["lookupId"] + more)
        assert result["isError"] is True
        assert "32 digits" in result["content"][0]["text"]

    def test_may_send_numbers_and_signs_that_do_not_fit(self, agent: Agent) -> None:
        wrong = agent.call("look_up_company", entity_name="A", state="DE", max_wait_seconds=1.5)
        assert "max_wait_seconds" in wrong["content"][1]["text"]
        for number in ("A 12/7", "Ñandú", "a?b#c%20"):
            history = agent.call("get_history", state="DE", entityId=number)
            assert history["isError"] or history["structuredContent"]["verdict"] == "not_found"

    def test_without_a_key_gets_what_is_free(self, db: None) -> None:
        nobody = Agent()
        states = nobody.call("list_states")
        assert (states["isError"], len(states["content"])) == (False, 1), "what needs no first line has no empty one"
        for tool, asked in (("get_balance", {}), ("look_up_company", {"entity_name": FOUND, "state": "DE"})):
            refused = nobody.call(tool, **asked)
            assert refused["isError"] is True
            assert "send one as x-api-key with every message" in refused["content"][0]["text"]
        assert not LedgerEntry.objects.exists()

    def test_that_is_not_of_this_page_is_refused(self, agent: Agent) -> None:
        for origin in ("https://evil.test", "null", "http://[::1", ""):
            assert agent.send("tools/list", Origin=origin).status_code == 403
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

    def test_of_a_revision_that_only_its_header_names_is_refused_where_it_is_not_spoken(self, agent: Agent) -> None:
        """Or it would be answered as one of before that header, and understood otherwise than it was meant."""
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for spoken in protocol.HANDSHAKES:
            assert agent.post(ping, **{"MCP-Protocol-Version": spoken}).json()["result"] == {}
        for version, code in (("1999-01-01", -32022), ("", -32022), (protocol.STATELESS, -32602)):
            reply = agent.post(ping, **{"MCP-Protocol-Version": version})
            assert (reply.status_code, reply.json()["error"]["code"]) == (400, code), version

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

    @pytest.mark.parametrize(
        ("method", "params", "status", "code"),
        [
            ("tools/call", {"name": "buy_company"}, 400, -32602),
            ("tools/call", {"name": "list_states", "arguments": []}, 400, -32602),
            ("tools/call", {"name": "list_states", "arguments": "all"}, 400, -32602),
            ("tools/list", {"_meta": {f"{protocol.META}protocolVersion": "2026-07-28"}}, 400, -32602),
            ("tools/list", {"_meta": {f"{protocol.META}clientCapabilities": {}}}, 400, -32602),
            ("ping", {}, 404, -32601),
            ("initialize", {}, 404, -32601),
        ],
    )
    def test_that_lacks_what_its_revision_asks_for_is_refused_by_the_number_for_it(
        self, agent: Agent, method: str, params: dict[str, Any], status: int, code: int
    ) -> None:
        reply = agent.send(method, params)
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)

    @pytest.mark.parametrize("params", [0, False, "", []], ids=str)
    def test_whose_params_are_no_object_is_refused(self, agent: Agent, params: Any) -> None:
        """What is empty was read as an object with nothing in it."""
        for sent, status in ((params, 400), ({}, 200), (None, 200)):
            reply = agent.post({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": sent})
            assert reply.status_code == status
        wrong = agent.post({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": params}).json()["error"]
        assert (wrong["code"], wrong["message"]) == (-32602, "params must be an object.")

    def test_is_refused_by_the_numbers_of_the_specification(self, agent: Agent) -> None:
        meta = META | {f"{protocol.META}protocolVersion": "1999-01-01"}
        large = agent.post(b'{"jsonrpc":"2.0","id":1,"method":"tools/list","x":"' + b"x" * 1024 * 1024 + b'"}')
        replies = {
            -32700: agent.post(b"{"),
            -32600: agent.post({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
            -32020: agent.send("tools/list", **{"Mcp-Method": "tools/call"}),
            -32022: agent.send("tools/list", {"_meta": meta}, **{"MCP-Protocol-Version": "1999-01-01"}),
        }
        assert [one.json()["error"]["code"] for one in replies.values()] == list(replies)
        assert {one.status_code for one in replies.values()} == {400}
        assert (large.status_code, large.json()["error"]["message"]) == (413, "The message is too large.")

    def test_that_was_packed_is_refused_for_that(self, agent: Agent) -> None:
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        reply = agent.post(gzip.compress(message), **{"Content-Encoding": "gzip"})
        assert (reply.status_code, reply.json()["error"]["message"]) == (
            415,
            "Send it as it is, without Content-Encoding.",
        )
        assert agent.post(message, **{"Content-Encoding": "identity"}).status_code == 200

    def test_is_answered_whole_and_by_whom(self, agent: Agent) -> None:
        found, listed = agent.send("server/discover"), agent.send("tools/list")
        for reply in (found, listed):
            result = reply.json()["result"]
            assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 300_000, "public")
            assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "sos-lookup"
            assert reply["Cache-Control"] == "no-store"
        told = found.json()["result"]
        assert told["supportedVersions"] == ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]
        assert (told["capabilities"], "never guess" in told["instructions"]) == ({"tools": {}}, True)

    def test_that_nobody_knows_is_not_found(self, agent: Agent) -> None:
        assert agent.send("prompts/list").status_code == 404
        assert agent.client.get("/mcp").status_code == agent.client.delete("/mcp").status_code == 405
        assert agent.client.get("/mcp")["Allow"] == "POST"

    def test_without_a_key_that_opens_is_counted_against_its_address(self, agent: Agent, settings: Any) -> None:
        settings.KEYLESS_PER_MINUTE = 2
        for stranger in (Agent(), Agent("osd_nobodys")):
            replies = [stranger.send("tools/list") for _ in range(5)]  # a minute of the clock may begin in between
            assert 429 in {one.status_code for one in replies}
        refused = next(one for one in replies if one.status_code == 429)
        assert refused.json()["error"]["message"] == "Rate limit of 2 requests per minute exceeded"
        assert 1 <= int(refused["Retry-After"]) <= 60
        assert agent.send("tools/list").status_code == 200, "a key is counted for itself"

    def test_of_one_key_is_counted_as_its_look(self, agent: Agent, settings: Any) -> None:
        settings.POLLS_PER_MINUTE = 1
        assert 429 in {agent.send("server/discover").status_code for _ in range(3)}
        assert agent.call("look_up_company", entity_name=FOUND, state="DE")["isError"] is False, (
            "it is counted as asked"
        )

    def test_that_notifies_is_accepted(self, agent: Agent) -> None:
        assert agent.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202

    def test_that_has_null_for_its_number_is_refused_and_not_left_without_a_word(self, agent: Agent) -> None:
        reply = agent.post({"jsonrpc": "2.0", "id": None, "method": "tools/list"})
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32600)

    def test_of_an_older_client_is_answered_without_a_session(self, agent: Agent) -> None:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
        reply = agent.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        assert reply.json()["result"]["protocolVersion"] == "2025-06-18"
        assert "Mcp-Session-Id" not in reply.headers
        for unknown in ("2099-01-01", protocol.STATELESS, ["2025-06-18"], None):  # the newest of its era
            asked = hello | {"protocolVersion": unknown}
            reply = agent.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked})
            assert reply.json()["result"]["protocolVersion"] == "2025-11-25", unknown
        call = {"name": "look_up_company", "arguments": {"entity_name": FOUND, "state": "DE"}}
        reply = agent.post({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
        assert reply.json()["result"]["structuredContent"]["verdict"] == "found"
        assert "resultType" not in reply.json()["result"]


class TestSeveralMessagesAtOnce:
    """In a list, which revision 2025-03-26 obliges a server to take."""

    LOOK = {"name": "look_up_company", "arguments": {"entity_name": FOUND, "state": "DE"}}

    def test_are_answered_in_a_list_in_which_no_error_hides_another_answer(self, agent: Agent) -> None:
        reply = agent.post(
            [
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": self.LOOK},
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                {"jsonrpc": "2.0", "id": "two", "method": "prompts/list"},
                "no message",
                {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {}},
                {"jsonrpc": "2.0", "id": 5, "method": "ping"},
            ]
        )
        assert reply.status_code == 200
        answers = reply.json()
        assert [one["id"] for one in answers] == [1, "two", None, 4, 5]
        assert answers[0]["result"]["structuredContent"]["verdict"] == "found"
        codes = [one["error"]["code"] for one in answers[1:4]]
        assert codes == [protocol.NO_METHOD, protocol.INVALID_REQUEST, protocol.INVALID_REQUEST]
        assert answers[4]["result"] == {}

    def test_that_all_notify_are_accepted(self, agent: Agent) -> None:
        reply = agent.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2)
        assert (reply.status_code, reply.content) == (202, b"")

    def test_are_each_counted(self, agent: Agent, settings: Any) -> None:
        settings.POLLS_PER_MINUTE = 2
        answers = agent.post([{"jsonrpc": "2.0", "id": at, "method": "tools/list"} for at in range(5)]).json()
        assert protocol.TOO_MANY in [one["error"]["code"] for one in answers if "error" in one]

    def test_are_not_begun_behind_slow_ones(self, agent: Agent, settings: Any) -> None:
        settings.SYNC_BUDGET_SECONDS = 0.0
        answers = agent.post([{"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": self.LOOK} for at in "ab"])
        assert "Nothing was done" in answers.json()[-1]["error"]["message"]
        assert Lookup.objects.count() < 2

    def test_keep_their_paid_answers_where_a_later_one_breaks(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A page for people was the answer to all of them, and what the first had paid for was lost."""
        agent, write, calls = Agent(customer.secret), first_line.write, itertools.count()

        def break_second(found: Answer) -> str:
            if next(calls) == 1:
                raise RuntimeError("nobody foresaw it")
            return write(found)

        monkeypatch.setattr(first_line, "write", break_second)
        agent.client.raise_request_exception = False
        look = {"name": "look_up_company", "arguments": {"entity_name": "Acme Corp", "state": "NY"}}
        sent = [{"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": look} for at in ("a", "b", "c")]
        reply = agent.post([*sent, {"jsonrpc": "2.0", "id": "d", "method": "ping"}])
        assert reply.status_code == 200
        paid, broken, third, last = reply.json()
        assert paid["result"]["content"][0]["text"].endswith(" Cost: 0.0314 USD.")
        assert (broken["id"], broken["error"]["code"]) == ("b", protocol.INTERNAL_ERROR)
        assert "Repeat it with the same idempotency_key: it is charged once at most." in broken["error"]["message"]
        assert (third["id"], third["result"]["isError"], last["result"]) == ("c", False, {})

    def test_are_not_taken_in_a_later_revision_or_beyond_a_number(self, agent: Agent) -> None:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for sent, headers in (([ping], {"MCP-Protocol-Version": "2025-06-18"}), ([ping] * 51, {})):
            reply = agent.post(sent, **headers)
            assert (reply.status_code, reply.json()["error"]["code"]) == (400, protocol.INVALID_REQUEST)
        assert agent.post([ping], **{"MCP-Protocol-Version": "2025-03-26"}).json()[0]["result"] == {}


class TestTheList:
    """Of tools."""

    def test_says_what_each_costs_and_takes(self, agent: Agent) -> None:
        result = agent.send("tools/list").json()["result"]
        assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
        for tool in result["tools"]:
            jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
            jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
            assert f"{PRICE / 10_000:.4f}" in tool["description"] or "Free" in tool["description"]
            fields = tool["inputSchema"].get("properties", {})
            assert [name for name, field in fields.items() if not field.get("description")] == [], tool["name"]
            if not tool["annotations"]["readOnlyHint"] and tool["name"] != "end_watch":  # which ends it once
                assert "idempotency_key" in tool["inputSchema"]["properties"]

    def test_warns_of_what_takes_something_away(self) -> None:
        hints = {one["name"]: one["annotations"] for one in tools.list_described()}
        assert [name for name, one in hints.items() if one["destructiveHint"]] == ["end_watch"]
        assert not hints["end_watch"]["readOnlyHint"]

    def test_stays_small_enough_to_be_read(self) -> None:
        assert len(json.dumps(tools.list_described())) < 250_000
        assert all(len(json.dumps(one["inputSchema"])) < 12_000 for one in tools.list_described())


class TestWhatBreaks:
    """Where the service itself fails, an agent gets the API's own answer, and the next call is answered again."""

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (OperationalError("database is locked"), "NOT ANSWERED: Service temporarily unavailable."),
            (RuntimeError("nobody foresaw it"), "NOT ANSWERED: Internal error."),
        ],
        ids=["the database is away", "a bug"],
    )
    def test_is_answered_in_the_protocol(
        self, agent: Agent, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
    ) -> None:
        agent.client = Client(raise_request_exception=False)
        with monkeypatch.context() as broken:
            broken.setattr("lookups.api.views.lookup.perform", Mock(side_effect=error))
            result = agent.call("look_up_company", entity_name=FOUND, state="DE", idempotency_key="k-1")
        assert result["isError"] is True
        assert result["content"][0]["text"].startswith(words)
        assert "Repeat it with the same idempotency_key: it is charged once at most." in result["content"][0]["text"]
        body = json.loads(result["content"][1]["text"])
        assert (body["code"], body["retryable"]) == ("internal_error", True)
        again = agent.call("look_up_company", entity_name=FOUND, state="DE", idempotency_key="k-1")
        assert again["structuredContent"]["verdict"] == "found"

    def test_is_no_page_for_people_where_the_door_breaks(self, agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(first_line, "write", Mock(side_effect=RuntimeError("nobody foresaw it")))
        call = {"name": "look_up_company", "arguments": {"entity_name": FOUND, "state": "DE"}}
        reply = agent.post({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call})
        assert (reply.status_code, reply["Content-Type"]) == (500, "application/json")
        assert (reply.json()["id"], reply.json()["error"]["code"]) == (7, protocol.INTERNAL_ERROR)

    @pytest.mark.parametrize("error", AWAY, ids=str)
    def test_keeps_nobody_from_the_list_of_tools(
        self, agent: Agent, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        """Of a database that is open for reading alone an agent was shown a page for people."""
        monkeypatch.setattr("lookups.mcp.views.keys.verify", Mock(side_effect=error))
        assert agent.send("tools/list").json()["result"]["tools"]

    def test_is_waited_for_once_by_a_list_of_messages(self, agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each waited until the database was given up, and the last ones were told that it took too long."""
        waits = Mock(side_effect=OperationalError("is away"))
        monkeypatch.setattr("lookups.mcp.views.keys.verify", waits)
        answers = agent.post([{"jsonrpc": "2.0", "id": at, "method": "ping"} for at in range(50)]).json()
        assert [one["result"] for one in answers] == [{}] * 50
        assert waits.call_count == 1


class TestStandardInput:
    """An agent on the same machine."""

    def test_goes_on_after_what_breaks_and_what_is_no_text(
        self, tester: Customer, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever language the machine speaks: its bytes are UTF-8, and what it writes is read in any language."""
        settings.SOS_LOOKUP_KEY = tester.secret
        call = {"name": "look_up_company", "arguments": {"entity_name": "Café Ñandú del Cantil LLC", "state": "PR"}}
        asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}, ensure_ascii=False)
        line = f"{asked}\n".encode()
        given = io.TextIOWrapper(io.BytesIO(line + b'{"\xff\xfe"}\n' + line), encoding="ascii")
        monkeypatch.setattr("sys.stdin", given)
        perform, calls = view.perform, iter([OperationalError("database is locked")])

        def break_once(*args: Any, **named: Any) -> Any:
            if broken := next(calls, None):
                raise broken
            return perform(*args, **named)

        monkeypatch.setattr(view, "perform", break_once)
        out = io.StringIO()
        call_command("mcp", stdout=out)
        first, second, third = (json.loads(one) for one in out.getvalue().splitlines())
        assert out.getvalue().isascii()
        assert first["result"]["content"][0]["text"].startswith("NOT ANSWERED: Service temporarily unavailable.")
        assert second["error"]["message"] == "Not valid UTF-8 text."
        assert third["result"]["structuredContent"]["data"]["entityName"] == "CAFÉ ÑANDÚ DEL CANTIL LLC"

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
                + b'{\n{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n[{"jsonrpc":"2.0","id":7,"method":"ping"}]\n'
            )
        )
        monkeypatch.setattr("sys.stdin", given)
        out = io.StringIO()
        call_command("mcp", stdout=out)
        answers = [json.loads(line) for line in out.getvalue().splitlines()]
        assert answers[0]["result"]["structuredContent"]["verdict"] == "found"
        assert answers[1]["error"]["code"] == protocol.PARSE_ERROR
        assert answers[2]["error"]["code"] == protocol.INVALID_REQUEST
        assert answers[3] == [{"jsonrpc": "2.0", "id": 7, "result": {}}]
        assert len(answers) == 4
