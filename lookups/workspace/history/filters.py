"""What the address of the history says: read strictly: a filter that is not understood never passes for none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lookups.api.views import paging
from lookups.models import Lookup
from lookups.verdicts import Verdict

OPEN = "open"
VERDICTS = (OPEN, *(one.value for one in Verdict))
KINDS = {"business_entity": "Company", "ucc": "Liens (UCC)", "name_check": "Name check"}
_WHO = re.compile(r"(user|key):([1-9][0-9]{0,17})")
_PLACE = re.compile(r"([0-9]{1,17})-([0-9]{1,18})")
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)

Place = tuple[datetime, int]
"""Where a page ends: when its last row was asked, and the row's number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What is looked for; None and empty: whichever. `until` is when the day after the last one begins."""

    state: str | None = None
    verdict: str | None = None
    kind: str | None = None
    origin: str | None = None
    who: tuple[str, int] | None = None
    ref: str = ""
    name: str = ""
    since: datetime | None = None
    until: datetime | None = None


def read(asked: Mapping[str, str], wrong: paging.Wrong) -> Filter:
    """The filter of an address; what is wrong is added by its field. Blanks are single ones, as in what is kept."""
    given = {name: " ".join(text.split()) for name, text in asked.items() if text.strip()}
    until = paging.read_day(given.get("until"), "until", wrong)
    who = _WHO.fullmatch(given.get("who", ""))
    if "who" in given and who is None:
        wrong["who"] = ["Choose one from the list."]
    return Filter(
        state=paging.read_state(given.get("state"), wrong),
        verdict=paging.read_word(given.get("verdict"), "verdict", VERDICTS, wrong),
        kind=paging.read_word(given.get("kind"), "kind", KINDS, wrong),
        origin=paging.read_word(given.get("origin"), "origin", Lookup.Origin.values, wrong),
        who=(who[1], int(who[2])) if who else None,
        ref=_read_text(given, "ref", wrong),
        name=_read_text(given, "name", wrong),
        since=paging.read_day(given.get("since"), "since", wrong),
        until=until + timedelta(days=1) if until is not None else None,
    )


def read_place(text: str | None, wrong: paging.Wrong) -> Place | None:
    """Where the page before ended."""
    found = _PLACE.fullmatch(text) if text else None
    if text and found is None:
        wrong["cursor"] = ["Open the page again from its beginning."]
    return (_EPOCH + int(found[1]) * _MICROSECOND, int(found[2])) if found else None


def write_place(place: Place) -> str:
    """The same place, for an address."""
    return f"{(place[0] - _EPOCH) // _MICROSECOND}-{place[1]}"


def _read_text(given: Mapping[str, str], name: str, wrong: paging.Wrong) -> str:
    text = given.get(name, "")
    if len(text) > 200 or not text.isprintable():
        wrong[name] = ["Send at most 200 characters that can be seen."]
        return ""
    return text
