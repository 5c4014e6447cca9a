"""What is logged and what never is: one line an event, no header, body, key or credential."""

from __future__ import annotations

import logging
from typing import Any

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

from config.redaction import redact
from lookups.operations import request_ids


class TextLine(logging.Formatter):
    """A line for people, with the request's id behind it; its traceback is redacted with it."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named, defaults={"behind": ""})

    def format(self, record: logging.LogRecord) -> str:
        """The whole of what is written, without secrets."""
        return redact(super().format(record))


class JsonLine(JsonFormatter):
    """The same for log collectors."""

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Each text of the line without secrets, before it is quoted as JSON."""
        told = super().process_log_record(log_data)
        return {name: redact(value) if isinstance(value, str) else value for name, value in told.items()}


class WithRequest(logging.Filter):
    """Adds the request that is being worked on, wherever in its work the line is written."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Name the request; let every record pass."""
        if request_id := request_ids.current():
            record.request_id, record.behind = request_id, f" [{request_id}]"
        return True


class WithoutStrangersTracebacks(logging.Filter):
    """What a request did wrong (an unknown host name, a body too large) is a line: its traceback is our own code's."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the traceback from it; let every record pass."""
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True


class CrashesAlone(logging.Filter):
    """Lets a reply of 500 or more be logged as an error only when something broke here.

    The contract answers 503 for a registry that is down and 500 for a job that failed: replies like any other, which
    would bury the crashes an operator has to see. Attempts, jobs and lookups keep them all.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether an exception is behind this record."""
        return bool(record.exc_info)


def logging_config(*, level: str, style: str) -> dict[str, Any]:
    """Return the `dictConfig` for `style` "text" (people) or "json" (log collectors)."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "with_request": {"()": "config.logging.WithRequest"},
            "without_strangers_tracebacks": {"()": "config.logging.WithoutStrangersTracebacks"},
            "crashes_alone": {"()": "config.logging.CrashesAlone"},
        },
        "formatters": {
            "text": {
                "()": "config.logging.TextLine",
                "fmt": "{asctime} {levelname:<7} {name}: {message}{behind}",
                "style": "{",
            },
            "json": {
                "()": "config.logging.JsonLine",
                "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
                "reserved_attrs": [*RESERVED_ATTRS, "behind"],
            },
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "json" if style == "json" else "text",
                "filters": ["with_request", "without_strangers_tracebacks"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "urllib3": {"level": "WARNING"},
            "stripe": {"level": "WARNING"},  # at DEBUG it writes the forms it sends, payment tokens included
            "django.request": {"level": "ERROR", "filters": ["crashes_alone"]},
        },
    }
