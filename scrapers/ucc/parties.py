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
from scrapers.refusals import QueryRefused, Refusal
from scrapers.transport import conditions

_PREFIXES = {"o", "d", "l", "mc", "mac"}
_PREFIXED = re.compile(r"([ODL]|MA?C|VAN|D[EIU]|L[AE]|ST)(\w{4,})")


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
    given = person[0].upper()
    begins = re.split(r"[^A-Z]", given)[0] or given  # "MARY-ANN" may stand as MARY ANN, "JOSÉ" as JOSE
    surnames = dict.fromkeys(way for one in _surnames(query.name or "") for way in _spellings(one))
    bears = conditions.one_of(f"upper({last})", surnames)
    return f"{found} or {bears} and starts_with(upper({first}),{conditions.quoted(begins)})"


def _surnames(name: str) -> list[str]:
    """A person's last name, its last word alone ("VAN DYKE" may stand under DYKE), and "O BRIEN" as one word."""
    given, family = officers.split(name)
    found = [" ".join(family), *family[-1:]]
    if len(given) > 1 and names.plain(given[-1]) in _PREFIXES:
        found.append(given[-1] + family[0])
    return found


def _spellings(surname: str) -> list[str]:
    """As registries may hold it: O'BRIEN, OBRIEN and O BRIEN, MCDONALD and MC DONALD, NUÑEZ and NUNEZ."""
    plain = names.plain(surname).upper()
    joined = plain.replace(" ", "")
    found = [surname.upper(), plain, plain.replace(" ", "-"), joined]
    if prefixed := _PREFIXED.fullmatch(joined):
        found += [f"{prefixed[1]}{sign}{prefixed[2]}" for sign in "' "]
    return found


def texts(query: Query) -> tuple[str, ...]:
    """What to ask an index for that lists the names beginning with a text, letter by letter; all of it, each apart.

    Without the legal form, of which there are other spellings, with "The" and without, "&" for "and", without signs.
    """
    base = names.without_suffix(query.name or "")
    bare = re.sub(r"^the\s+", "", base, flags=re.IGNORECASE)
    others = (bare, *names.respelled(bare)) if kind(query.name or "") != "person" else ()
    return tuple(dict.fromkeys((base, *filter(names.words, others))))


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
    if party.kind == "person" and officers.person_in(query.name or ""):
        return _is_of_both(query.name or "", party.name)
    return bool(asked) and (shown == asked or shown.startswith(f"{asked} "))


def _is_of_both(asked: str, shown: str) -> bool:
    """Whether a person is shown with this first name, or a longer one, and with the last word of the last name.

    Nobody can tell "PAT O BRIEN" from a Brien with a middle initial, so it is listed for both.
    """
    (first, *_), (*_, last) = officers.split(asked)
    given, family = (names.plain(" ".join(words)) for words in officers.split(shown))
    first, last = names.plain(first), names.plain(last)
    bears = f" {family}".endswith(f" {last}") or not _joined(asked).isdisjoint(_joined(shown))
    return f"{given} ".startswith(f"{first} ") and bears


def _joined(name: str) -> set[str]:
    """The last names a person may have, without blanks and signs."""
    longest = _surnames(name)
    return {names.plain(one).replace(" ", "") for one in (longest[0], longest[-1])}


def is_whole(found: tuple[UccFiling, ...], whole: bool, query: Query, *, state: str) -> bool:
    """Whether liens of companies, `whole` as those, are all on a name: not where that may be a person's.

    A company that is called just so, without a legal form ("Friends of Lantern Park"), is meant itself. QueryRefused
    where nothing is found, and the name may be a person's.
    """
    if not officers.person_in(query.name or ""):
        return whole
    if not found:
        raise QueryRefused(Refusal.COMPANIES_ALONE, state=state)
    asked = names.plain(query.name or "")
    bearers = (one for filing in found for one in (*filing.debtors, *filing.secured_parties))
    return whole and any(names.plain(one.name) == asked for one in bearers)


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


def shown_day(filing: UccFiling) -> date:
    """The day it was first filed; the first day there is where none is shown, PageChanged where one cannot be read."""
    return date.min if filing.filed is None or dates.is_placeholder(filing.filed) else _day(filing)


def _day(filing: UccFiling) -> date:
    day = dates.to_date(filing.filed)
    if day is None:
        raise PageChanged(f"the filing date {filing.filed!r} of {filing.file_number} cannot be read")
    return day


def newest_first(filings: Iterable[UccFiling], query: Query) -> tuple[UccFiling, ...]:
    """The liens of the days asked for, newest first."""
    kept = [filing for filing in filings if within(filing, query)]
    return tuple(sorted(kept, key=shown_day, reverse=True))


def dated_newest_first(filings: Iterable[UccFiling], query: Query) -> tuple[UccFiling, ...]:
    """The same of a list that shows a day in every row; PageChanged where one cannot be read."""
    kept = [filing for filing in filings if query.covers(_day(filing))]
    return tuple(sorted(kept, key=_day, reverse=True))


def latest(days: Iterable[str | None]) -> str | None:
    """The latest of some days, as written: a continuation moves the day a lien lapses."""
    return max((day for day in days if day), key=lambda day: dates.to_date(day) or date.min, default=None)
