"""Whether a transcript answers its question: the calls, the money, the answer. It asks nobody, and throws no dice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tests.doors.mcp.evaluation import wording
from tests.doors.mcp.evaluation.questions import Needed, Question
from tests.doors.mcp.evaluation.transcripts import LOST, Call, Messages, list_calls, read_answer

PAID = ("look_up_company", "look_up_liens", "check_name", "find_where_registered", "watch_company")
KEY = "idempotency_key"
Because = Literal[
    "no answer", "missing call", "wrong call", "paid too much", "unsafe repetition", "missing fact", "false fact",
    "claims nothing is there", "made up",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, as a word and as a sentence."""

    because: Because
    text: str


def judge(question: Question, messages: Messages) -> list[Finding]:
    """Everything that is wrong; nothing for a right answer."""
    calls, answer = list_calls(messages), read_answer(messages)
    if not answer.strip():
        return [Finding("no answer", "It ends without an answer.")]
    return [
        *_judge_calls(question, calls),
        *_judge_money(question, calls),
        *_judge_answer(question, answer),
        *_judge_sources(messages, answer),
    ]


def _judge_calls(question: Question, calls: list[Call]) -> Iterator[Finding]:
    begin = 0
    for either in question.calls:
        places = [
            place
            for place, call in enumerate(calls)
            if place >= begin and any(_is(call, needed, calls[:place]) for needed in either)
        ]
        if not places:
            yield Finding("missing call", f"It needs {' or '.join(map(_describe, either))}.")
        elif question.in_order:
            begin = places[0] + 1
    for call in calls:
        if any(_is(call, one, []) for one in question.unwanted) or _is_out_of_place(question, call):
            yield Finding("wrong call", f"Nobody asked for {call.tool} {json.dumps(call.arguments)}.")


def _is_out_of_place(question: Question, call: Call) -> bool:
    """A watch that nobody wanted goes on costing; a question that needs no tool needs none that costs."""
    wanted = {needed.tool for either in question.calls for needed in either}
    return call.tool in PAID and (not wanted or (call.tool == "watch_company" and call.tool not in wanted))


def _judge_money(question: Question, calls: list[Call]) -> Iterator[Finding]:
    paid = [call for call in calls if call.tool in PAID]
    charged = [call for call in paid if _is_charged(call)]
    asked: dict[str, str | None] = {}
    for call in charged:
        bare = {name: value for name, value in call.arguments.items() if name != KEY}
        same = json.dumps([call.tool, bare], sort_keys=True)
        if same not in asked:
            asked[same] = call.arguments.get(KEY)
        elif asked[same] is None or asked[same] != call.arguments.get(KEY):
            yield Finding("unsafe repetition", f"{call.tool} is called again without the first call's idempotency_key.")
    needed = sum(either[0].tool in PAID for either in question.calls)
    most = needed if question.pays is None else question.pays
    if len(asked) > most:
        yield Finding("paid too much", f"{len(asked)} charged answers, and {most} would do.")
    if question.most is not None and len(paid) > question.most:
        yield Finding("paid too much", f"{len(paid)} calls that could cost, and {question.most} would do.")


def _is_charged(call: Call) -> bool:
    verdict = call.body.get("verdict") if isinstance(call.body, dict) else None
    return call.text == LOST or not (call.is_error or verdict in ("not_found", "ambiguous"))


def _judge_answer(question: Question, answer: str) -> Iterator[Finding]:
    text = wording.plain(answer)
    for fact in question.facts:
        if not wording.holds(answer, fact):
            yield Finding("missing fact", f"It does not say {fact}.")
    for pattern in question.says:
        if not re.search(pattern, text):
            yield Finding("missing fact", f"It says nothing like {pattern}.")
    claims = wording.list_claims(answer)
    for pattern in question.never:
        if any(re.search(pattern, claim) for claim in claims):
            yield Finding("false fact", f"It says {pattern}.")
    if not question.none and wording.claims_nothing(answer):
        yield Finding("claims nothing is there", "That is not what was answered.")


def _judge_sources(messages: Messages, answer: str) -> Iterator[Finding]:
    read = wording.plain(" ".join(str(one.get("content")) for one in messages if one["role"] != "assistant"))
    for known in dict.fromkeys(wording.list_found_out(answer)):
        if known not in read:
            yield Finding("made up", f"Nobody answered {known}.")


def _is(call: Call, needed: Needed, before: list[Call]) -> bool:
    return call.tool == needed.tool and _fits(call.arguments, dict(needed.arguments), before)


def _fits(value: Any, wanted: Any, before: list[Call]) -> bool:
    """`wanted`: a regular expression for a text, `{from: name}` for what stood under that name in an earlier result."""
    if isinstance(wanted, dict) and set(wanted) == {"from"}:
        return any(value in _list_values(call.body, wanted["from"]) for call in before)
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(_fits(value.get(name), one, before) for name, one in wanted.items())
    if isinstance(wanted, list):
        pairs = isinstance(value, list) and len(value) == len(wanted)
        return pairs and all(any(_fits(one, each, before) for one in value) for each in wanted)
    if isinstance(wanted, str):
        return value is not None and bool(re.fullmatch(wanted, wording.plain(str(value)), re.IGNORECASE))
    return bool(value == wanted)


def _list_values(part: Any, name: str) -> list[Any]:
    if isinstance(part, list):
        return [value for one in part for value in _list_values(one, name)]
    if not isinstance(part, dict):
        return []
    own = [part[name]] if name in part else []
    return own + [value for one in part.values() for value in _list_values(one, name)]


def _describe(needed: Needed) -> str:
    return f"{needed.tool} {json.dumps(needed.arguments)}"
