"""Anybody asks a model of theirs: a played one on loopback, and the service as it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.evaluation import __main__ as command
from tests.doors.mcp.evaluation import model, played_model
from tests.doors.mcp.evaluation.door import TRIES, NetworkDoor
from tests.doors.mcp.evaluation.played_model import Says, serving
from tests.lookups.conftest import Customer

pytestmark = pytest.mark.django_db(transaction=True)
ASKED = ("status", "ambiguous-chosen", "lost-answer", "price-first", "what-is-an-agent")


@pytest.fixture
def ask(live_server: Any, tester: Customer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs the command against a played model; its exit status, its table, and what the model was sent."""
    monkeypatch.setenv("SOS_LOOKUP_KEY", tester.secret)
    monkeypatch.setenv("MODEL_API_KEY", "sk-played")

    def run(says: Says, *only: str) -> tuple[int, str, list[dict[str, Any]]]:
        with serving(says) as (address, heard):
            words = ["ask", "--service", live_server.url, "--model-url", address, "--model", "played"]
            status = command.main([*words, "--out", str(tmp_path), "--at-least", str(len(only)), "--only", *only])
        return status, (tmp_path / "table.md").read_text(), heard

    return run


class TestAModel:
    """Of somebody's own."""

    def test_that_knows_everything_is_right(self, ask: Any, tmp_path: Path) -> None:
        status, table, heard = ask(played_model.know_everything, *ASKED)
        assert status == 0, table
        assert f"| **all** | {len(ASKED)} | {len(ASKED)} |" in table
        assert "| question |" not in table
        assert {one["path"] for one in heard} == {"/v1/chat/completions"}
        assert {one["authorization"] for one in heard} == {"Bearer sk-played"}
        assert {"look_up_company", "get_balance"} < {tool["function"]["name"] for tool in heard[0]["tools"]}
        assert "Read `verdict` before anything else" in heard[0]["messages"][0]["content"]
        assert {name for one in heard for message in one["messages"] for name in message} <= set(model.SENT)
        kept = json.loads((tmp_path / "status.json").read_text())
        assert (kept["model"], kept["failure"], kept["messages"][-1]["role"]) == ("played", "", "assistant")

    def test_that_knows_nothing_is_wrong(self, ask: Any, tmp_path: Path) -> None:
        status, table, _ = ask(played_model.know_nothing, "status")
        assert status == 1
        assert "| **all** | 0 | 1 |" in table
        assert "claims nothing is there" in table
        read = [one["content"] for one in json.loads((tmp_path / "status.json").read_text())["messages"]]
        assert read[3:5] == ["Unknown tool: search", "The arguments are no JSON object."]

    def test_that_calls_without_end_is_stopped(self, ask: Any) -> None:
        status, table, heard = ask(played_model.call_without_end, "what-is-an-agent")
        assert (status, len(heard)) == (1, model.TURNS)
        assert "no answer: It ends without an answer." in table

    def test_that_cannot_be_asked_is_not_measured(self, ask: Any) -> None:
        status, table, _ = ask(lambda _: {"role": "assistant", "tool_calls": [{"id": "1"}]}, "status")
        assert status == 1
        assert "| not measured: KeyError" in table
        assert "**all**" not in table

    def test_is_judged_again_without_being_asked(self, ask: Any, tmp_path: Path) -> None:
        _, table, _ = ask(played_model.know_everything, "status")
        assert command.main(["judge", "--out", str(tmp_path), "--at-least", "1"]) == 0
        assert (tmp_path / "table.md").read_text() == table


class TestTheDoor:
    """Of a running service."""

    def test_is_tried_again_where_calls_come_too_soon(
        self, live_server: Any, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waited: list[float] = []
        monkeypatch.setattr("time.sleep", waited.append)
        door = NetworkDoor(live_server.url, tester.secret)
        result = door.call("look_up_company", entity_name="Magic Too Many Requests LLC", state="DE")
        assert result["isError"] is True
        assert len([seconds for seconds in waited if 0 < seconds <= 60]) == TRIES


class TestALiveKey:
    """Would pay for invented companies at real registries."""

    def test_is_not_used(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("SOS_LOOKUP_KEY", "osd_live_x")
        words = ["--service", "http://127.0.0.1:1", "--model-url", "http://127.0.0.1:1", "--model", "x"]
        with pytest.raises(SystemExit, match="test key"):
            command.main(["ask", *words, "--out", str(tmp_path)])
