"""The tools of a running service, over the network, in the stateless revision of the protocol."""

from __future__ import annotations

import itertools
import re
import time
from typing import Any

import requests

REVISION = "2026-07-28"
_META = "io.modelcontextprotocol/"
LONGEST_PAUSE = 10.0  # seconds before a result is asked for again, whatever the service says
TRIES = 3  # of a call that comes too soon after others: no question is about that
_TOO_SOON = re.compile(r"Try again in (\d+) seconds.*\"code\":\"rate_limited\"", re.DOTALL)


class NetworkDoor:
    """`address` of the service, without `/mcp`; `key`: a test key."""

    def __init__(self, address: str, key: str, *, seconds: float = 90) -> None:
        self._url, self._seconds = f"{address.rstrip('/')}/mcp", seconds
        self._session = requests.Session()
        self._session.headers["x-api-key"] = key
        self._numbers = itertools.count(1)
        self._pause = 0.0

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """A tool's result. A model cannot wait: it is waited here, as long as the service asks for."""
        if tool == "get_result":
            time.sleep(self._pause)
        for _ in range(TRIES):
            result = self._send("tools/call", {"name": tool, "arguments": arguments}, name=tool)
            too_soon = _TOO_SOON.search("\n".join(part["text"] for part in result["content"]))
            if too_soon is None:
                break
            time.sleep(int(too_soon[1]))
        body = result.get("structuredContent") or {}
        open_still = body.get("verdict", "") is None or body.get("status") in ("queued", "processing")
        self._pause = min(body.get("pollInterval", 3000) / 1000, LONGEST_PAUSE) if open_still else 0.0
        return result

    def list_tools(self) -> list[dict[str, Any]]:
        """As the protocol lists them."""
        return list(self._send("tools/list", {})["tools"])

    def read_instructions(self) -> str:
        """What the service wants a model to know."""
        return str(self._send("server/discover", {}).get("instructions", ""))

    def _send(self, method: str, params: dict[str, Any], *, name: str = "") -> dict[str, Any]:
        meta = {f"{_META}protocolVersion": REVISION, f"{_META}clientCapabilities": {}}
        headers = {"MCP-Protocol-Version": REVISION, "Mcp-Method": method} | ({"Mcp-Name": name} if name else {})
        message = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": {"_meta": meta, **params}}
        reply = self._session.post(self._url, json=message, headers=headers, timeout=self._seconds)
        body = reply.json()
        if "error" in body:
            return _as_result(body["error"])
        return dict(body["result"])


def _as_result(error: dict[str, Any]) -> dict[str, Any]:
    """A message that the protocol refuses, such as a tool that nobody has: the model reads why."""
    return {"content": [{"type": "text", "text": str(error.get("message"))}], "isError": True}
