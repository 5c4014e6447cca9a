"""Asks a running service how it is: for `manage.py up` while it starts, and for a container's health check.

`python -m config.probe [URL]` exits 0 when the service at URL answers `/readyz` with yes. It is not `curl`, because a
slim image has none, and because the service answers only to its own host names, which stand in ALLOWED_HOSTS.
`python -m config.probe worker|bulk|beat` exits 0 when such a process of this machine has said lately that it lives.
"""

from __future__ import annotations

import http.client
import json
import os
import platform
import sys
from typing import Any
from urllib.parse import urlsplit

from config import env

TIMEOUT_SECONDS = 5.0


PROCESSES = ("worker", "bulk", "beat")


def ask(url: str, path: str, *, host: str | None = None) -> dict[str, Any] | None:
    """Return the document at `path` of the service at `url`, or None when it does not answer 200 with one.

    `host` is the host name to ask for, when it differs from the address.
    """
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", path, headers={"Host": host or address.netloc})
        answer = connection.getresponse()
        body = answer.read()
        document = json.loads(body) if answer.status == http.client.OK else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return document if isinstance(document, dict) else None


def find_host() -> str | None:
    """Return a host name the service answers to, or None when it answers to any."""
    return next((name.removeprefix(".") for name in env.ALLOWED_HOSTS if "*" not in name), None)


def main(arguments: list[str]) -> int:
    """Print one line on the service at the given address, or the given process; return 0 only when it is well."""
    asked = arguments[0] if arguments else "http://127.0.0.1:8000"
    is_well, words = _look_at_process(asked) if asked in PROCESSES else _look_at_service(asked)
    sys.stdout.write(f"{asked}: {words}\n")
    return 0 if is_well else 1


def _look_at_service(url: str) -> tuple[bool, str]:
    answer = ask(url, "/readyz", host=find_host())
    return answer is not None, "ready" if answer else "not ready"


def _look_at_process(role: str) -> tuple[bool, str]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    from django.db import DatabaseError

    from lookups.operations import heartbeats

    try:
        beat = heartbeats.find_own(role, host=platform.node())
    except DatabaseError as problem:
        return False, f"the database cannot be asked: {str(problem).strip().partition(chr(10))[0]}"
    if beat is None:
        return False, "no heartbeat"
    return beat.is_alive, f"last heartbeat {beat.age.total_seconds():.0f} s ago"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
