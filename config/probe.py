"""Asks a running service how it is: for `manage.py up` while it starts, and for a container's health check.

`python -m config.probe [URL]` exits 0 when the service answers that it can serve. It is not `curl`, because a slim
image has none, and because the service answers only to its own host names, which stand in ALLOWED_HOSTS.
"""

from __future__ import annotations

import http.client
import json
import sys
from urllib.parse import urlsplit

from config import env

TIMEOUT_SECONDS = 5.0


def ask_health(url: str, *, host: str | None = None) -> dict[str, object] | None:
    """Return the health document of the service at `url`, or None when it does not answer that it can serve.

    `host` is the host name to ask for, when it differs from the address.
    """
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/v1/health", headers={"Host": host or address.netloc})
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
    """Print one line on the service at the given address; return 0 only when it can serve."""
    url = arguments[0] if arguments else "http://127.0.0.1:8000"
    health = ask_health(url, host=find_host())
    print(f"{url}: {health['status'] if health else 'no answer'}")  # noqa: T201
    return 0 if health else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
