"""How commands are told a moment."""

from argparse import ArgumentTypeError
from datetime import UTC, datetime


def parse_moment(text: str) -> datetime:
    """Return "2026-11-01" or "2026-11-01T13:00" as a moment, in UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:  # there is no such moment in UTC
        raise ArgumentTypeError(f"{text!r} is no day or moment such as 2026-11-01T13:00.") from error
