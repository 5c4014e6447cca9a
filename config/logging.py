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


def logging_config(*, level: str, style: str) -> dict[str, Any]:
    """Return the `dictConfig` for `style` "text" (people) or "json" (log collectors)."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"hide_secrets": {"()": "config.logging.HideSecrets"}},
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
            "django.request": {"level": "ERROR"},
        },
    }
