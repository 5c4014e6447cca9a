"""Judges that others wrote: the conformance suite in both eras, the official client, the inspector."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.lookups.conftest import Customer

HERE = Path(__file__).parent
NODE = HERE.parents[2] / ".venv/node/node_modules"
SUITE = NODE / "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = NODE / "@modelcontextprotocol/inspector-cli/build/index.js"

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.mark.skipif(not SUITE.exists(), reason="needs npm")
@pytest.mark.parametrize(("revision", "name"), [("2026-07-28", "stateless"), ("2025-11-25", "handshake")])
class TestTheConformanceSuite:
    """Its whole list for a revision; what is about servers of another kind stands in a file that may only shrink."""

    def test_finds_nothing_but_what_is_not_ours(
        self, live_server: Any, switches: None, tmp_path: Path, revision: str, name: str
    ) -> None:
        baseline = HERE / f"not_ours_{name}.yaml"
        command = ["node", "--import", str(HERE / "older_node.mjs"), str(SUITE), "server"]
        command += ["--url", f"{live_server.url}/mcp", "--requirements", revision, "--expected-failures", str(baseline)]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stdout[-900:] + ended.stderr[-900:]
        for scenario in ("tools-list", "dns-rebinding-protection"):
            assert f"✓ {scenario}" in ended.stdout

    def test_would_find_a_door_that_is_none(self, live_server: Any, tmp_path: Path, revision: str, name: str) -> None:
        command = ["node", "--import", str(HERE / "older_node.mjs"), str(SUITE), "server"]
        command += ["--url", f"{live_server.url}/robots.txt", "--scenario", "tools-list", "--spec-version", revision]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert ended.returncode != 0


class TestTheOfficialClient:
    """Of whichever era it speaks first."""

    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_lists_and_calls_the_tools(self, live_server: Any, tester: Customer, mode: str) -> None:
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        async def play() -> tuple[set[str], Any]:
            headers = {"x-api-key": tester.secret}
            async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http:
                transport = streamable_http_client(f"{live_server.url}/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    listed = await client.list_tools()
                    arguments = {"entity_name": "Magic Found LLC", "state": "DE"}
                    return {one.name for one in listed.tools}, await client.call_tool("look_up_company", arguments)

        names, result = anyio.run(play)
        assert {"look_up_company", "get_result", "list_states"} <= names
        assert result.structured_content["verdict"] == "found"
        assert not result.is_error


@pytest.mark.skipif(not INSPECTOR.exists(), reason="needs npm")
class TestTheInspector:
    """Its command line, which sends no key: what is free."""

    def test_calls_a_tool(self, live_server: Any, switches: None) -> None:
        command = ["node", str(INSPECTOR), f"{live_server.url}/mcp", "--transport", "http"]
        command += ["--method", "tools/call", "--tool-name", "list_states"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stderr
        assert len(json.loads(ended.stdout)["structuredContent"]["items"]) == 56
