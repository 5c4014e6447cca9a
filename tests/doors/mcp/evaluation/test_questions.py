"""Every question can be answered with the tools as they are, and the judge notices when it is answered wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from lookups.bulk import queue
from lookups.jobs import runner
from lookups.mcp import tools
from lookups.models import Heartbeat, Job
from tests.doors.mcp.agents import Agent
from tests.doors.mcp.evaluation import table, wording
from tests.doors.mcp.evaluation.__main__ import LISTED, PAGE
from tests.doors.mcp.evaluation.judge import PAID, judge
from tests.doors.mcp.evaluation.questions import Question, Step, list_kinds, load
from tests.doors.mcp.evaluation.transcripts import Messages, carry_out, fill, list_calls, play
from tests.lookups.conftest import open_customer

Play = Callable[[Question, Iterable[Step]], Messages]
MISUSED = ("Unknown arguments", "Missing arguments", "An id begins", "Unknown tool")


@pytest.fixture
def in_the_sandbox(switches: None, monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Play:
    """Carries a transcript out, each with a test key of its own; what is answered later is done where it waits."""
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)

    def carry(question: Question, steps: Iterable[Step]) -> Messages:
        Heartbeat.objects.update(beat_at=Now())
        door = Agent(open_customer(mode="test", name=question.id).secret)
        return play(question, steps, door, wait=work)

    return carry


def work() -> None:
    """What the workers do."""
    now = timezone.now()
    for job in Job.objects.open().filter(bulk=None):
        runner.run(job_id=job.pk, now=now)
    queue.work(now=now)


def list_of(kind: str) -> list[Question]:
    return [one for one in load() if one.kind == kind]


def list_becauses(question: Question, messages: Messages) -> set[str]:
    return {finding.because for finding in judge(question, messages)}


def answering(messages: Messages, answer: str) -> Messages:
    """The same calls, and another answer."""
    return [*messages[:-1], {"role": "assistant", "content": answer}]


def repeated(messages: Messages, number: int) -> Messages:
    """With a call made once more, under another key."""
    at = 2 * number + 1  # the question, then two messages a call
    asked = json.loads(json.dumps(messages[at]))
    (called,) = asked["tool_calls"]
    arguments = json.loads(called["function"]["arguments"]) | {"idempotency_key": "another"}
    called |= {"id": "again", "function": {**called["function"], "arguments": json.dumps(arguments)}}
    return [*messages[:-1], asked, messages[at + 1] | {"tool_call_id": "again"}, messages[-1]]


def assert_right(question: Question, messages: Messages) -> None:
    """The answer and other ways of saying it; each of its facts was read from the tools, and none was misused."""
    calls = list_calls(messages)
    read = " ".join(call.text for call in calls)
    assert judge(question, messages) == [], (question.id, read[:1500])
    assert not [call.text for call in calls if call.text.startswith(MISUSED)], question.id
    assert [fact for fact in question.facts if not wording.holds(read, fact)] == [], (question.id, read[:1500])
    for other in question.also:
        said = fill(other, calls)
        assert judge(question, answering(messages, said)) == [], (question.id, said)


class Watched:
    """A door that only ever says that the company is watched now."""

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": '{"success": true}'}], "isError": False}


def spoil(question: Question, messages: Messages) -> dict[str, tuple[str, Messages]]:
    """What can go wrong with any question: what the judge has to find → the transcript."""
    answer = messages[-1]["content"]
    watched = carry_out(Watched(), "watch_company", {"state": "DE", "entity_id": "1"}, number="watched")
    spoiled = {
        "silence": ("no answer", messages[:-1]),
        "a number of its own": ("made up", answering(messages, f"{answer} Its number is SB-DE-999999.")),
        "a day of its own": ("made up", answering(messages, f"{answer} That was on March 4, 1903.")),
        "nothing said": ("missing fact", answering(messages, "Yes, it is.")),
    }
    if not question.none:
        spoiled["none"] = ("claims nothing is there", answering(messages, f"{answer} But no such company exists."))
    if question.calls:
        spoiled["no calls"] = ("missing call", [messages[0], messages[-1]])
    if "watch_company" not in {needed.tool for either in question.calls for needed in either}:
        spoiled["a watch"] = ("wrong call", [*messages[:-1], *watched, messages[-1]])
    for number, call in enumerate(list_calls(messages)):
        known = call.body if isinstance(call.body, dict) else {}
        if call.tool in PAID and not call.is_error and known.get("verdict") not in ("not_found", "ambiguous"):
            spoiled[f"paid again {number}"] = ("unsafe repetition", repeated(messages, number))
    return spoiled


@pytest.mark.django_db
@pytest.mark.parametrize("kind", list_kinds())
class TestTheQuestions:
    """Of one kind: what was written by hand is carried out against the sandbox registry."""

    def test_tell_right_answers_from_wrong_ones(self, kind: str, in_the_sandbox: Play) -> None:
        for question in list_of(kind):
            messages = in_the_sandbox(question, question.right)
            assert_right(question, messages)
            for what, (because, spoiled) in spoil(question, messages).items():
                assert because in list_becauses(question, spoiled), (question.id, what)
            for wrong in question.wrong:
                *does, answer = wrong.steps
                same = does == list(question.right[:-1])
                said = answering(messages, fill(answer, list_calls(messages))) if same else None
                found = list_becauses(question, said or in_the_sandbox(question, wrong.steps))
                assert wrong.because in found, (question.id, wrong, found)


class TestTheSet:
    """All of them."""

    def test_has_none_twice(self) -> None:
        asked = load()
        assert len({one.id for one in asked}) == len({one.asks for one in asked}) == len(asked) > 60
        assert all(one.wrong for one in asked)

    def test_needs_every_tool(self) -> None:
        needed = {each.tool for one in load() for either in one.calls for each in either}
        assert needed == {tool.name for tool in tools.TOOLS}

    def test_knows_what_costs(self) -> None:
        assert set(PAID) == {tool.name for tool in tools.TOOLS if tool.costs} - {"get_history"}

    def test_stands_in_the_documentation(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        assert page.partition(LISTED)[2] == table.write_page(), "run python -m tests.doors.mcp.evaluation page"
