"""Every form of date a registry writes, as ISO; the raw text is kept beside it by the caller."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from scrapers.normalize.hidden import visible

_FORMS = (
    "%m/%d/%Y",
    "%m-%d-%Y",
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%m/%d/%y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%d-%b-%Y",
    "%d %b %Y",
    "%b %d %Y",
    "%d %B %Y",
    "%b. %d, %Y",
    "%Y%m%d",
    "%d-%b-%y",
)
_NAMED, _IN_DIGITS = ([form for form in _FORMS if ("%b" in form.lower()) is named] for named in (True, False))
_TIME = re.compile(
    r"[T\s]+\d{1,2}:\d{2}(:\d{2})?(\.\d+)?\s*([AP]\.?M\.?)?\s*(Z|UTC|[+-]\d{2}:?\d{2}|[ECMP][SD]T)?$", re.I
)
_PLACEHOLDERS = frozenset({date(1753, 1, 1)})  # the earliest day a common database can write
_EARLIEST, _LATEST = date(1600, 1, 1), date(2200, 1, 1)
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ODD_YEAR = re.compile(r"(?<!\d)(?:0\d|1[0-5]|2[2-9]|[3-9]\d)\d\d|1753")  # what lies beyond these, and one between


def to_date(raw: str | None, *, years_ahead: int = 10) -> date | None:
    """Read a date; None when there is none, when it is a placeholder ("0001-01-01"), or when the form is unknown.

    A year of two digits lies at most so many `years_ahead`: "12/31/30" is when a lien lapses, no company's beginning.
    """
    found = _read(raw, years_ahead=years_ahead)
    return found if found and not _is_placeholder(found) else None


def is_placeholder(raw: str | None) -> bool:
    """Whether a date stands for none: "00/00/0000"; "01/01/0001" and "9999-12-31", the least and the most there is."""
    if not raw:
        return False
    if not raw.strip(" 0/-.:TZ"):
        return True
    found = _read(raw, years_ahead=0) if _ODD_YEAR.search(raw) else None  # few have one, and to read a day takes long
    return found is not None and _is_placeholder(found)


def _is_placeholder(found: date) -> bool:
    return not _EARLIEST <= found <= _LATEST or found in _PLACEHOLDERS


def _read(raw: str | None, *, years_ahead: int) -> date | None:
    if not raw:
        return None
    text = _TIME.sub("", " ".join(visible(str(raw)).split())).strip()
    text = re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", text, flags=re.I)
    text = re.sub(r"\bsept\b", "Sep", text, flags=re.I)
    if _ISO.fullmatch(text):
        with suppress(ValueError):
            return date.fromisoformat(text)  # a tenth of the time below, and most registries' own form of data
    named = any(map(str.isalpha, text))
    text = text.title() if named else text
    for form in _NAMED if named else _IN_DIGITS:
        try:
            found = datetime.strptime(text, form).date()  # noqa: DTZ007
        except ValueError:
            continue
        if "%y" in form and found > date.today() + timedelta(days=366 * years_ahead):  # noqa: DTZ011 - two digits only
            found = found.replace(year=found.year - 100)
        return found
    return None


def to_iso(raw: str | None, *, years_ahead: int = 10) -> str | None:
    """Read a date and write it as YYYY-MM-DD; None when it cannot be read."""
    found = to_date(raw, years_ahead=years_ahead)
    return found.isoformat() if found else None


def from_epoch_ms(value: int | float | None) -> str | None:
    """Read epoch milliseconds (negative before 1970) as YYYY-MM-DD in UTC; None for a placeholder, as in text."""
    if value is None:
        return None
    try:
        return to_iso((datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value)).date().isoformat())
    except (OverflowError, ValueError):
        return None
