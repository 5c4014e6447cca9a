"""How commands are told a moment."""

from argparse import ArgumentTypeError
from datetime import UTC, datetime


def parse_moment(text: str) -> datetime:
    """Return "2026-11-01" or "2026-11-01T13:00" as a moment, in UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no day or moment such as 2026-11-01T13:00.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
