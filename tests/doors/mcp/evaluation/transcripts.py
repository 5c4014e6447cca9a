"""Transcripts: messages as chat-completions have them, from a model or played from what was written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from tests.doors.mcp.evaluation.questions import WAIT, Question, Step

LOST = "The connection broke before an answer came. Whether the call was carried out is not known."
Messages = list[dict[str, Any]]
_FROM = re.compile(r"\$\{(\d+)\.([\w.]+)\}")


class Door(Protocol):
    """Calls a tool; the result is the protocol's."""

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The tool's result."""


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked of a tool, and what it answered: its text, and the JSON in it."""

    tool: str
    arguments: dict[str, Any]
    text: str
    is_error: bool

    @property
    def body(self) -> Any:
        """The API's own answer; None where there is none."""
        for line in self.text.split("\n"):  # a record may hold other signs that end lines
            if line.startswith(("{", "[")):
                return json.loads(line)
        return None


class Losing:
    """A door on which the first answer of one tool gets lost, after the call was carried out."""

    def __init__(self, door: Door, tool: str) -> None:
        self._door, self._tool = door, tool

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The tool's result, or word that it is lost."""
        result = self._door.call(tool, **arguments)
        if tool != self._tool:
            return result
        self._tool = ""
        return {"content": [{"type": "text", "text": LOST}], "isError": True}


def play(question: Question, steps: Iterable[Step], door: Door, *, wait: Callable[[], None]) -> Messages:
    """Carry out the calls of a hand-written transcript, so that every result in it is the service's own.

    `${1.lookupId}` in arguments and in the answer is what stands there in the result of the first call.
    """
    door = Losing(door, question.loses) if question.loses else door
    messages: Messages = [{"role": "user", "content": question.asks}]
    for step in steps:
        if step == WAIT:
            wait()
        elif isinstance(step, str):
            messages.append({"role": "assistant", "content": fill(step, list_calls(messages))})
        else:
            ((tool, arguments),) = step.items()
            messages += carry_out(door, tool, fill(arguments, list_calls(messages)), number=str(len(messages)))
    return messages


def carry_out(door: Door, tool: str, arguments: dict[str, Any], *, number: str) -> Messages:
    """The message of a call, and the one of its result."""
    asked = {"id": number, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        to_message(door.call(tool, **arguments), number),
    ]


def to_message(result: dict[str, Any], number: str) -> dict[str, Any]:
    """A tool's result, as a model reads it; `isError` is for the judge."""
    text = "\n".join(part["text"] for part in result["content"])
    return {"role": "tool", "tool_call_id": number, "content": text, "isError": bool(result["isError"])}


def list_calls(messages: Messages) -> list[Call]:
    """Every call that got a result, in their order; results follow their calls, and ids may come again."""
    found: list[Call] = []
    asked: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] != "tool":
            asked = list(message.get("tool_calls") or ())
        elif asked:
            one = asked.pop(0)
            arguments, text = read_arguments(one) or {}, str(message["content"])
            found.append(Call(one["function"]["name"], arguments, text, bool(message.get("isError"))))
    return found


def read_arguments(asked: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments that a model wrote; None for what is no JSON object."""
    try:
        arguments = json.loads(asked["function"].get("arguments") or "{}")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def read_answer(messages: Messages) -> str:
    """What the person reads: the last message, unless it asks for more."""
    last = messages[-1]
    spoken = last["role"] == "assistant" and not last.get("tool_calls")
    return str(last.get("content") or "") if spoken else ""


def fill(part: Any, calls: list[Call]) -> Any:
    """A step with what it takes from earlier results."""
    if isinstance(part, dict):
        return {name: fill(value, calls) for name, value in part.items()}
    if isinstance(part, list):
        return [fill(one, calls) for one in part]
    if not isinstance(part, str):
        return part

    def read(found: re.Match[str]) -> str:
        value = calls[int(found[1]) - 1].body
        for name in found[2].split("."):
            value = value[int(name)] if isinstance(value, list) else value[name]
        return str(value)

    return _FROM.sub(read, part)
