"""How commands are told a moment."""

from datetime import UTC, datetime


def parse_moment(text: str) -> datetime:
    """Return "2026-11-01" or "2026-11-01T13:00" as a moment, in UTC unless it says otherwise."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
