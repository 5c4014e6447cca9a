"""Models that the tests play: a server in the form of chat-completions on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.doors.mcp.evaluation.questions import WAIT, load
from tests.doors.mcp.evaluation.transcripts import Messages, fill, list_calls
from tests.serving import in_background

Says = Callable[[Messages], dict[str, Any]]


def know_everything(messages: Messages) -> dict[str, Any]:
    """The next step of what was written by hand for the question."""
    asked = next(one["content"] for one in messages if one["role"] == "user")
    (question,) = (one for one in load() if one.asks == asked)
    steps = [step for step in question.right if step != WAIT]
    done = list_calls(messages)
    step = fill(steps[len(done)], done)
    if isinstance(step, str):
        return {"role": "assistant", "content": step}
    ((tool, arguments),) = step.items()
    called = {"id": f"call-{len(done)}", "type": "function"}
    called |= {"function": {"name": tool, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [called]}


def know_nothing(messages: Messages) -> dict[str, Any]:
    """Calls one tool that nobody has with what is no JSON, and then guesses."""
    if messages[-1]["role"] == "user":
        asked = [{"id": "a", "type": "function", "function": {"name": "search", "arguments": "{}"}}]
        asked += [{"id": "b", "type": "function", "function": {"name": "look_up_company", "arguments": "{name"}}]
        return {"role": "assistant", "content": None, "tool_calls": asked}
    return {"role": "assistant", "content": "There is no such company."}


def call_without_end(messages: Messages) -> dict[str, Any]:
    """The same free call again and again."""
    asked = {"id": str(len(messages)), "type": "function", "function": {"name": "get_balance", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [asked]}


@contextmanager
def serving(says: Says) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Its address, and what it was sent: the headers and the body of each request."""
    heard: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.append({"path": self.path, "authorization": self.headers.get("Authorization"), **body})
            raw = json.dumps({"choices": [{"message": says(body["messages"])}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}/v1", heard
