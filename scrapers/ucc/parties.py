"""What the lien data sets have in common: whom a question means, which days it allows, in what order it is answered.

Lien indexes list names that begin with the name asked for; so do we, at the end of a word, and the parties of each
filing are named so that the caller sees whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Literal

from scrapers.failures import PageChanged
from scrapers.normalize import dates, names, officers
from scrapers.records import Address, Query, UccFiling, UccParty
from scrapers.transport import conditions


def companies(query: Query, column: str) -> str:
    """A condition for a column that holds whole names."""
    base = re.sub(r"^the\s+", "", names.without_suffix(query.name or ""), flags=re.IGNORECASE)
    terms = dict.fromkeys((base, f"The {base}", conditions.loosened(base)))
    return " or ".join(dict.fromkeys(conditions.name_fits(column, term, begins=True) for term in terms))


def named(query: Query, *, company: str, last: str, first: str) -> str:
    """A condition for parties of this name: a company's column, or a person's two."""
    found = companies(query, company)
    person = officers.person_in(query.name or "")
    if not person:
        return found
    given, surname = (conditions.quoted(part.upper()) for part in person)
    return f"{found} or upper({last})={surname} and starts_with(upper({first}),{given})"


def kind(name: str) -> Literal["organization", "person"] | None:
    """What a name without further marks shows: a company's words, a person's comma, or neither."""
    if officers.is_organization(name):
        return "organization"
    return "person" if officers.turned(name) != name else None


def listed_party(name: str, address: Address | None = None) -> UccParty:
    """A party of a list that does not say what it is: a company when its name has a company's words."""
    return UccParty(name, address or Address(), "organization" if officers.is_organization(name) else None)


def fits(party: UccParty, query: Query) -> bool:
    """Whether a party bears the name, or one that begins with it."""
    asked, shown = names.key(query.name or ""), names.key(party.name)
    person = officers.person_in(query.name or "")
    if person and party.kind == "person":
        words = names.plain(officers.turned(party.name)).split()
        return words[:1] == [names.plain(person[0])] and words[-1:] == [names.plain(person[1])]
    return bool(asked) and (shown == asked or shown.startswith(f"{asked} "))


def party(company: str | None, given: Iterable[str | None], address: Address) -> UccParty | None:
    """A company, or a person from the parts of the name; None for a row without either."""
    if company:
        return UccParty(company, address, "organization")
    person = " ".join(part for part in given if part)
    return UccParty(person, address, "person") if person else None


def needed(who: UccParty | None, row: Mapping[str, object]) -> UccParty:
    """The party of a row that must have one: dropped without its name, its lien would read as "none"."""
    if who is None:
        raise PageChanged(f"a row names no party that it is listed for; its columns are {sorted(row)}")
    return who


def within(filing: UccFiling, query: Query) -> bool:
    """Whether the lien was first filed in the days asked for; one whose first filing is not listed is not hidden."""
    if filing.filed is None or (query.date_after is None and query.date_before is None):
        return True
    return query.covers(_day(filing))


def _day(filing: UccFiling) -> date:
    day = dates.to_date(filing.filed)
    if day is None:
        raise PageChanged(f"the filing date {filing.filed!r} of {filing.file_number} cannot be read")
    return day


def newest_first(filings: Iterable[UccFiling], query: Query) -> tuple[UccFiling, ...]:
    """The liens of the days asked for, newest first."""
    kept = [filing for filing in filings if within(filing, query)]
    return tuple(sorted(kept, key=lambda filing: dates.to_date(filing.filed) or date.min, reverse=True))


def dated_newest_first(filings: Iterable[UccFiling], query: Query) -> tuple[UccFiling, ...]:
    """The same of a list that shows a day in every row; PageChanged where one cannot be read."""
    kept = [filing for filing in filings if query.covers(_day(filing))]
    return tuple(sorted(kept, key=_day, reverse=True))


def latest(days: Iterable[str | None]) -> str | None:
    """The latest of some days, as written: a continuation moves the day a lien lapses."""
    return max((day for day in days if day), key=lambda day: dates.to_date(day) or date.min, default=None)
