"""What a query string says of a list: which page of it, how long, of which day. Read strictly, told field by field."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import TypeVar

from django.db.models import Model, QuerySet

from jurisdictions.codes import PLACES
from lookups.api.requests.fields import DAY
from lookups.models.places import Place

PAGE, LONGEST_PAGE = 100, 500
LONGEST_TABLE = 10_000
"""Lines of a table that names no limit, below its header."""
LAST = 10**18 - 1
"""The largest number of a row that a cursor may name: as many digits as the document says."""
Row = TypeVar("Row", bound=Model)
Wrong = dict[str, list[str]]
"""What does not fit, by parameter: every reader adds to it, and the view refuses when there is any."""

_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_PLACE = re.compile(r"([0-9]{1,17})-([0-9a-f]{32})")  # when it was written, in microseconds, and its name
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


def read_limit(text: str | None, wrong: Wrong) -> int:
    """How many a page has."""
    return read_number(text, "limit", wrong, most=LONGEST_PAGE) or PAGE


def take(rows: QuerySet[Row], limit: int) -> tuple[list[Row], bool]:
    """A page of these, and whether there are more."""
    page = list(rows[: limit + 1])
    return page[:limit], len(page) > limit


def read_number(text: str | None, name: str, wrong: Wrong, *, most: int) -> int | None:
    """A number of the query string; None where there is none, or none that is right: then `wrong` says so."""
    if text is None:
        return None
    if _NUMBER.fullmatch(text) and int(text) <= most:
        return int(text)
    wrong[name] = [f"Send a whole number from 1 to {most}."]
    return None


def read_word(text: str | None, name: str, words: Iterable[str], wrong: Wrong) -> str | None:
    """One of a few words; None where there is none, or none that is right: then `wrong` says so."""
    if text is not None and text not in [str(word) for word in words]:
        wrong[name] = [f"Use one of: {', '.join(map(str, words))}."]
        return None
    return text


def read_state(text: str | None, wrong: Wrong) -> str | None:
    """A jurisdiction's code in any case; None where there is none, or none that is right: then `wrong` says so."""
    if text is not None and text.upper() not in PLACES:
        wrong["state"] = ["No such jurisdiction."]
    return text.upper() if text else None


def read_day(text: str | None, name: str, wrong: Wrong) -> datetime | None:
    """When a day begins (UTC); None where there is none, or none that is right: then `wrong` says so."""
    if text is None:
        return None
    try:
        day = datetime.fromisoformat(text).date()
        if DAY.fullmatch(text) and 2000 <= day.year < 2200:
            return datetime.combine(day, time(), tzinfo=UTC)
    except ValueError:
        pass
    wrong[name] = ["Send a day as YYYY-MM-DD."]
    return None


def read_bom(text: str | None, wrong: Wrong) -> bool:
    """Whether a table is for a spreadsheet that has to be told that it is UTF-8."""
    return read_word(text, "bom", ("true", "false"), wrong) == "true"


def read_place(text: str | None, wrong: Wrong, *, written_as: str) -> Place | None:
    """Where the page before ended; `written_as` is the field that said so."""
    found = _PLACE.fullmatch(text) if text is not None else None
    if text is not None and found is None:
        wrong["cursor"] = [f"Send the {written_as} of the page before."]
    return (_EPOCH + int(found[1]) * _MICROSECOND, uuid.UUID(found[2])) if found else None


def write_place(created_at: datetime, name: uuid.UUID) -> str:
    """The same place, for the next request."""
    return f"{(created_at - _EPOCH) // _MICROSECOND}-{name.hex}"
