"""An agent that writes its messages by hand, in either era of the protocol."""

from __future__ import annotations

import itertools
import json
from typing import Any

from django.test import Client

from lookups.mcp import protocol

_numbers = itertools.count(1)
META = {
    f"{protocol.META}protocolVersion": protocol.STATELESS,
    f"{protocol.META}clientInfo": {"name": "test", "version": "1"},
    f"{protocol.META}clientCapabilities": {},
}


class Agent:
    """Speaks the stateless revision; `secret`: its API key, if it has one."""

    def __init__(self, secret: str = "") -> None:
        self.client, self.secret = Client(), secret

    def send(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> Any:
        """One message; Django's reply."""
        params = {"_meta": META} | (params or {})
        message = {"jsonrpc": "2.0", "id": next(_numbers), "method": method, "params": params}
        sent = {"MCP-Protocol-Version": protocol.STATELESS, "Mcp-Method": method}
        if "name" in params:
            sent["Mcp-Name"] = params["name"]
        return self.post(message, **(sent | headers))

    def post(self, message: Any, **headers: str) -> Any:
        """Whatever it is, as JSON."""
        if self.secret:
            headers["x-api-key"] = self.secret
        body = message if isinstance(message, bytes) else json.dumps(message)
        return self.client.post("/mcp", body, content_type="application/json", headers=headers)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result."""
        reply = self.send("tools/call", {"name": tool, "arguments": arguments})
        assert reply.status_code == 200, reply.content
        result: dict[str, Any] = reply.json()["result"]
        return result
