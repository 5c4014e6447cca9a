"""What is logged and what never is: one line an event, no header, body, key or credential."""

from __future__ import annotations

import logging
import re
from typing import Any

SECRETS = re.compile(r"(osd_(?:test_)?)[A-Za-z0-9_-]{6,}|((?:Payment|Bearer)\s+)[A-Za-z0-9._~+/=-]{12,}")


class HideSecrets(logging.Filter):
    """Cuts API keys and payment credentials out of a message, whoever put them there."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record when it carries a secret; always let it pass."""
        message = record.getMessage()
        cleaned = SECRETS.sub(lambda found: (found[1] or found[2]) + "[hidden]", message)
        if cleaned != message:
            record.msg, record.args = cleaned, ()
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
            "hide_secrets": {"()": "config.logging.HideSecrets"},
            "crashes_alone": {"()": "config.logging.CrashesAlone"},
        },
        "formatters": {
            "text": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"},
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
            },
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "json" if style == "json" else "text",
                "filters": ["hide_secrets"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "urllib3": {"level": "WARNING"},
            "stripe": {"level": "WARNING"},  # at DEBUG it writes the forms it sends, payment tokens included
            "django.request": {"level": "ERROR", "filters": ["crashes_alone"]},
        },
    }
