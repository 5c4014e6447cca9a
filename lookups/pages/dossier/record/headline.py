"""What a dossier begins with: the state's own word for the company, what it means, and how old the reading is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from lookups.pages.dossier.record.words import clip

Level = Literal["fresh", "recent", "old"]
Kind = Literal["good", "warn", "bad", "neutral"]
RECENT_DAYS = 30  # from then on what was read may well have changed

_MEANINGS = {"active": "active", "inactive": "inactive", "neutral": "neither active nor inactive"}
_LISTED = "listed_in_active_register"
_REASONS = {
    _LISTED: "listed in the register of active entities",
    "unrecognised_status": "a word that we do not know",
    "name_only": "a name, and no company",
}


@dataclass(frozen=True, slots=True)
class Status:
    """`word` is the state's own where `is_quoted`; `meaning` is our reading of it, `reason` what qualifies that."""

    word: str
    is_quoted: bool
    meaning: str
    reason: str
    kind: Kind

    @property
    def quoted(self) -> str:
        """The word, in quotes where it is the state's."""
        return f"“{self.word}”" if self.is_quoted else self.word

    @property
    def explained(self) -> str:
        """What it means and what qualifies that, unless the word says so itself."""
        return ", ".join(
            text for text in (self.meaning, self.reason) if text.casefold() not in ("", self.word.casefold())
        )


@dataclass(frozen=True, slots=True)
class Age:
    """How long ago the data was read, in words, and the day; `at` is the moment, for whoever bought it."""

    words: str
    level: Level
    day: date
    at: datetime | None


def read_status(data: Mapping[str, Any], normalized: Mapping[str, Any]) -> Status:
    """The status of a record."""
    status_class = str(normalized.get("statusClass") or "neutral")
    meaning = _MEANINGS.get(status_class, _MEANINGS["neutral"])
    code = str(normalized.get("statusReason") or "")
    reason = _REASONS.get(code, code.replace("_", " "))
    own = str(data.get("status") or "")
    word = own or (_REASONS[_LISTED] if code == _LISTED else meaning).capitalize()
    return Status(clip(word, 200) or meaning, bool(own), meaning, reason, find_kind(normalized))


def find_kind(normalized: Mapping[str, Any]) -> Kind:
    """How a status looks wherever it is shown: a company that exists with a reservation is not simply good."""
    status_class = normalized.get("statusClass")
    if status_class == "inactive":
        return "bad"
    if status_class != "active":
        return "neutral"
    return "good" if normalized.get("statusReason") in (None, "", _LISTED) else "warn"


def read_age(*, read_at: datetime, as_of: datetime | None, now: datetime, to_the_minute: bool) -> Age:
    """How old a reading is, or what the source says of its own data where that is older.

    Strangers are given days of the calendar (UTC), and not the minute at which somebody asked.
    """
    from_data = as_of is not None and as_of < read_at - timedelta(days=1)
    since = as_of if as_of is not None and from_data else read_at
    passed = max(now - since, timedelta())
    days = passed.days if to_the_minute else max(0, (now.astimezone(UTC).date() - since.astimezone(UTC).date()).days)
    level: Level = "fresh" if days < 1 else "recent" if days <= RECENT_DAYS else "old"
    long_ago = _long_ago(days, passed if to_the_minute else None)
    words = f"from the registry's data of {long_ago}" if from_data else f"read {long_ago}"
    if level == "old":
        words += ": may have changed"
    return Age(words, level, since.astimezone(UTC).date(), since if to_the_minute else None)


def _long_ago(days: int, passed: timedelta | None) -> str:
    if days > 1 or (days and passed is not None):
        return _ago(days, "day")
    if passed is None:
        return "yesterday" if days else "today"
    minutes = int(passed.total_seconds() // 60)
    if minutes < 1:
        return "just now"
    return _ago(minutes // 60, "hour") if minutes >= 60 else _ago(minutes, "minute")


def _ago(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'} ago"
