"""The UCC side of FileOne: one row a lien, its parties as "NAME - CITY, ST", a drawer with their addresses, a history.

Source: California's recorded search, drawer and history (2026); the row's keys in Idaho and New Mexico as clients
read them. Collateral is on the images only, so it stays None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from scrapers.failures import PageChanged
from scrapers.normalize import names
from scrapers.parsing.fields import listed, need, need_text, note_unread, refuse_renamed, text
from scrapers.platforms.fileone import drawer, history
from scrapers.records import Address, Query, UccAmendment, UccFiling, UccParty
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

Row = Mapping[str, Any]
COLUMNS = frozenset(
    listed(
        "SORT_INDEX | ID | RECORD_NUM | RECORD_TYPE | TITLE | DEBTOR | SEC_PARTY | STATUS | FILING_DATE | "
        "LAPSE_DATE | ALERT | PAGE_COUNT"
    )
)
_PLACED = re.compile(r"(?P<name>.+) - (?P<city>[^-]*?),\s*(?P<state>[A-Z]{2})")


def read(rows: Iterable[Row], query: Query, session: PortalSession, *, debtor: str = "TITLE") -> list[UccFiling]:
    """Filings of a list within the dates asked for, newest first; rows of one number are one filing."""
    found: dict[str, UccFiling] = {}
    seen: set[str] = set()
    for row in rows:
        seen |= set(row)
        filing = _filing(row, debtor)
        known = found.get(filing.file_number)
        found[filing.file_number] = _joined(known, filing) if known else filing
    note_unread(seen - COLUMNS, session)
    kept = [filing for filing in found.values() if parties.within(filing, query)]
    return sorted(kept, key=parties.shown_day, reverse=True)


def fits(filing: UccFiling, query: Query) -> bool:
    """Whether a party of the role asked for bears the name; for a box that searches both roles, and any word.

    Whoever is not surely a company may be written with the last name first: all words of the name are enough.
    """
    wanted = set(names.key(query.name or "").split())
    if query.search_by == "secured_party" and not filing.secured_parties and _holds(filing.debtors, wanted):
        return False  # listed for its debtor
    return any(
        parties.fits(one, query) or (one.kind != "organization" and wanted <= set(names.plain(one.name).split()))
        for one in in_role(filing, query)
    )


def _holds(shown: Iterable[UccParty], words: set[str]) -> bool:
    """Whether a name holds one of the words, or one that begins so."""
    return any(part.startswith(word) for one in shown for part in names.plain(one.name).split() for word in words)


def in_role(filing: UccFiling, query: Query) -> tuple[UccParty, ...]:
    """The parties in the role asked for; PageChanged where none is named: left out, their lien would read as "none"."""
    shown = filing.debtors if query.search_by == "debtor" else filing.secured_parties
    if not shown:
        raise PageChanged(f"the list names nobody whom it lists {filing.file_number} for")
    return shown


def opened(
    session: PortalSession, filing: UccFiling, *, host: str, handle: str, headers: Mapping[str, str]
) -> UccFiling:
    """The filing with its parties' addresses and what was filed on it later (two requests)."""
    labels = drawer.read(session.get(f"https://{host}/api/FilingDetail/ucc/{handle}/false", headers=headers))
    debtors = _parties(labels.all("Debtor Name"), labels.all("Debtor Address"))
    secured = _parties(labels.all("Secured Party Name"), labels.all("Secured Party Address"))
    note_unread(labels.unread, session)
    if not debtors or (filing.secured_parties and not secured):
        raise PageChanged(f"the drawer of {filing.file_number} names no debtor, or no secured party")
    shown = [names.key(who.name) for who in filing.debtors]  # with a place abroad behind it, which is not split off
    if not any(one.startswith(names.key(who.name)) for one in shown for who in debtors):
        raise PageChanged(f"the drawer of {filing.file_number} names none of its debtors: {debtors[0].name}")
    return replace(with_history(session, filing, host=host, headers=headers), debtors=debtors, secured_parties=secured)


def with_history(session: PortalSession, filing: UccFiling, *, host: str, headers: Mapping[str, str]) -> UccFiling:
    """The filing with what was filed on it later (one request); its history names the first document too."""
    entries = history.ask(session, host=host, section="ucc", number=filing.file_number, headers=headers)
    own = _bare(filing.file_number)
    later = [entry for entry in entries if _bare(entry.number) != own]
    if len(later) == len(entries):
        raise PageChanged(f"the history of {filing.file_number} does not name it")
    amendments = (UccAmendment(need_text({"number": one.number}, "number"), one.date, one.title) for one in later)
    return replace(filing, amendments=tuple(amendments))


def _bare(number: str | None) -> str | None:
    """The number without the U that California writes before it in one place and not in the other (seen 2026-07)."""
    return number.removeprefix("U") if number else None


def _filing(row: Row, debtor: str) -> UccFiling:
    refuse_renamed(row, ("LAPSE_DATE",), known=COLUMNS)
    debtors = _listed(need(row, debtor))
    if not debtors:
        raise PageChanged(f"the list names no debtor of {row.get('RECORD_NUM')!r}")
    return UccFiling(
        file_number=need_text(row, "RECORD_NUM"),
        filed=need_text(row, "FILING_DATE"),
        debtors=debtors,
        secured_parties=_listed(need(row, "SEC_PARTY")),
        status=text(need(row, "STATUS")),
        lapse_date=text(row.get("LAPSE_DATE")),
        filing_type=text(need(row, "RECORD_TYPE")),
    )


def _listed(value: Any) -> tuple[UccParty, ...]:
    """Parties of a row: a text or a list of texts."""
    found = []
    for raw in value if isinstance(value, list) else [value]:
        shown = text(raw)
        if shown:
            placed = _PLACED.fullmatch(shown)
            where = Address(city=placed["city"].strip() or None, state=placed["state"]) if placed else Address()
            found.append(_party(placed["name"].strip() if placed else shown, where))
    return tuple(found)


def _parties(shown: list[Any], where: list[Any]) -> tuple[UccParty, ...]:
    if len(shown) != len(where):
        raise PageChanged(f"{len(shown)} names and {len(where)} addresses of parties")
    pairs = ((drawer.line(name), drawer.lines(place)) for name, place in zip(shown, where, strict=True))
    return tuple(_party(name, drawer.address(place)) for name, place in pairs if name)


def _party(name: str, where: Address) -> UccParty:
    """A company by its words, a person by the comma ("SAMPLE, JORDAN"); "EXAMPLE BANK" shows neither."""
    return UccParty(name, where, parties.kind(name))


def _joined(known: UccFiling, more: UccFiling) -> UccFiling:
    return replace(
        known,
        debtors=tuple(dict.fromkeys(known.debtors + more.debtors)),
        secured_parties=tuple(dict.fromkeys(known.secured_parties + more.secured_parties)),
    )
