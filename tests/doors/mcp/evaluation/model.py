"""A model behind an address that speaks chat-completions with tools, and its conversation about one question."""

from __future__ import annotations

from typing import Any

import requests

from tests.doors.mcp.evaluation import transcripts
from tests.doors.mcp.evaluation.questions import Question
from tests.doors.mcp.evaluation.transcripts import Door, Losing, Messages

TURNS = 12  # calls of the model for a question; a right answer needs five at most
SENT = ("role", "content", "tool_calls", "tool_call_id")  # what others' servers know of a message
MANNER = (
    "You answer people's questions about companies with the tools you have. Answer in a few plain sentences and ask "
    "back only when nothing can be answered. Give each company's number with its state, and days in full."
)


class NotMeasured(Exception):
    """The model's server did not answer as such a server does: that says nothing about the model."""


class Model:
    """`address`: the one to which `/chat/completions` is added."""

    def __init__(self, address: str, name: str, key: str = "", *, seconds: float = 180) -> None:
        self.name = name
        self._url, self._seconds = f"{address.rstrip('/')}/chat/completions", seconds
        self._session = requests.Session()
        if key:
            self._session.headers["Authorization"] = f"Bearer {key}"

    def complete(self, messages: Messages, tools: list[dict[str, Any]]) -> dict[str, Any]:
        """Its next message. Raises NotMeasured."""
        sent = [{name: one[name] for name in SENT if name in one} for one in messages]
        body = {"model": self.name, "messages": sent, "tools": [_to_function(tool) for tool in tools]}
        try:
            reply = self._session.post(self._url, json=body, timeout=self._seconds)
            reply.raise_for_status()
            said = reply.json()["choices"][0]["message"]
            asked = [_read_call(one) for one in said.get("tool_calls") or ()]
            return {"role": "assistant", "content": said.get("content")} | ({"tool_calls": asked} if asked else {})
        except (requests.RequestException, ValueError, LookupError, TypeError, AttributeError) as failure:
            raise NotMeasured(f"{type(failure).__name__}: {failure}"[:300]) from failure


def ask(
    question: Question, model: Model, door: Door, *, tools: list[dict[str, Any]], instructions: str
) -> tuple[Messages, str]:
    """The whole conversation, and why it could not be had; empty when it could."""
    door = Losing(door, question.loses) if question.loses else door
    messages: Messages = [
        {"role": "system", "content": f"{MANNER}\n\n{instructions}".strip()},
        {"role": "user", "content": question.asks},
    ]
    try:
        for _ in range(TURNS):
            said = model.complete(messages, tools)
            messages.append(said)
            if "tool_calls" not in said:
                break
            messages += [_carry_out(asked, door) for asked in said["tool_calls"]]
    except (NotMeasured, requests.RequestException) as failure:
        return messages, str(failure)
    return messages, ""


def _read_call(asked: dict[str, Any]) -> dict[str, Any]:
    function = {"name": str(asked["function"]["name"]), "arguments": asked["function"].get("arguments") or "{}"}
    return {"id": str(asked["id"]), "type": "function", "function": function}


def _carry_out(asked: dict[str, Any], door: Door) -> dict[str, Any]:
    arguments = transcripts.read_arguments(asked)
    if arguments is None:
        result = {"content": [{"type": "text", "text": "The arguments are no JSON object."}], "isError": True}
    else:
        result = door.call(asked["function"]["name"], **arguments)
    return transcripts.to_message(result, asked["id"])


def _to_function(tool: dict[str, Any]) -> dict[str, Any]:
    described = {"name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"]}
    return {"type": "function", "function": described}
