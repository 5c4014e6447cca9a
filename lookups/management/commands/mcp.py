"""The door for agents over standard input and output, a message a line, for an agent on this very machine.

The key stands in SOS_LOOKUP_KEY. Without one, only what is free is answered.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.core.management.base import BaseCommand

from lookups.lookup import single_flight
from lookups.mcp import protocol
from lookups.mcp.protocol import Wrong
from lookups.operations import request_ids


class Command(BaseCommand):
    """Answers until its input ends."""

    help = "Serve the Model Context Protocol over standard input and output."

    def handle(self, *args: Any, **options: Any) -> None:
        """Read a line, write a line."""
        for line in sys.stdin.buffer:  # its bytes are UTF-8 whatever the machine's language is
            if line.strip() and (answer := _answer(line)) is not None:
                self.stdout.write(json.dumps(answer))
                self.stdout.flush()
            single_flight.release_connection()  # the next line may be long in coming


def _answer(line: bytes) -> dict[str, Any] | None:
    """The answer to one line; None to a notification."""
    number: Any = None
    try:
        message = protocol.read(line)
        number = message.get("id")
        return None if number is None else protocol.answer(message, caller=_caller())
    except Wrong as wrong:
        return wrong.body(number)


def _caller() -> WSGIRequest:
    """Who asks: a program on this machine, with the operator's key."""
    key = {"HTTP_X_API_KEY": settings.SOS_LOOKUP_KEY} if settings.SOS_LOOKUP_KEY else {}
    environ = {"REQUEST_METHOD": "POST", "REMOTE_ADDR": "127.0.0.1", "SERVER_NAME": "localhost", "SERVER_PORT": "80"}
    request = WSGIRequest(environ | {"wsgi.input": sys.stdin.buffer, "wsgi.url_scheme": "http"} | key)
    request.request_id = request_ids.choose("")  # type: ignore[attr-defined]
    return request
