"""What a person reads when the service has come up: where it is, how to get in, and two lines to paste."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from config.launch.first_accounts import FirstAccounts

REAL_QUESTION = {"entity_name": "International Business Machines Corporation", "state": "NY"}  # since 1911


def curl(*, address: str, key: str, question: dict[str, str]) -> str:
    """Return one line for a shell that asks `question` with `key`."""
    headers = (f"x-api-key: {key}", "content-type: application/json")
    parts = ["curl", "-sS", f"{address}/v1/lookup"]
    for header in headers:
        parts += ["-H", header]
    return shlex.join([*parts, "-d", json.dumps(question)])


def text(
    *,
    address: str,
    first: FirstAccounts | None,
    sandbox_question: dict[str, str],
    free_lookups: int,
    logs: Path,
    prints_links: bool = False,
) -> str:
    """Return the whole message for a service at `address` (no trailing slash)."""
    lines = [f"SOS Lookup is running at {address}", "", f"  API documentation   {address}/docs/"]
    if first:
        login = f"{first.username} / {first.password or '(the password you chose)'}"
        lines += [f"  Admin               {address}/admin/   login: {login}"]
    if prints_links:
        lines += [f"  Workspace           {address}/app/   sign up with any e-mail address; the link is printed here"]
    lines += [f"  Logs                {logs}/"]
    if first:
        lines += [
            "",
            "Test key, costs nothing, asks the fictional sandbox registry (works offline):",
            "",
            "  " + curl(address=address, key=first.test_key, question=sandbox_question),
            "",
            f"Live key, starts with {free_lookups} free lookups; asks New York's open data about a real company"
            " (needs the internet):",
            "",
            "  " + curl(address=address, key=first.live_key, question=REAL_QUESTION),
        ]
    return "\n".join([*lines, "", "Ctrl-C stops everything."])
