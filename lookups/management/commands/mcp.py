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


def _answer(line: bytes) -> Any:
    """The answer to one line, or the answers where it has a list; nothing to notifications."""
    sent: Any = None
    try:
        sent = protocol.read(line)
        return (protocol.answer_each(sent, _answer_one) or None) if isinstance(sent, list) else _answer_one(sent)
    except Wrong as wrong:
        return wrong.body(protocol.find_number(sent))


def _answer_one(sent: Any) -> dict[str, Any] | None:
    message = protocol.check(sent)
    return protocol.answer(message, caller=_caller()) if "id" in message else None


def _caller() -> WSGIRequest:
    """Who asks: a program on this machine, with the operator's key."""
    key = {"HTTP_X_API_KEY": settings.SOS_LOOKUP_KEY} if settings.SOS_LOOKUP_KEY else {}
    environ = {"REQUEST_METHOD": "POST", "REMOTE_ADDR": "127.0.0.1", "SERVER_NAME": "localhost", "SERVER_PORT": "80"}
    request = WSGIRequest(environ | {"wsgi.input": sys.stdin.buffer, "wsgi.url_scheme": "http"} | key)
    request.request_id = request_ids.choose("")  # type: ignore[attr-defined]
    return request
