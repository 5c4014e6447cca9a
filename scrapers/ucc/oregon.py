"""Oregon's liens, from two sources that each show one side.

Secured parties: the open data sets "UCC Secured Parties List" (2kf7-i54h, all active filings) and "filings entered last
month" (snfi-f79b, both roles), so it shows debtors only of liens with a document of last month. Debtors: no open data
set lists them, so the filing office's own search is asked (secure.sos.state.or.us/ucc: form, anti-forgery token, one
table of at most 500 rows), and the secured parties of its liens are taken from the open data.

Evidence: ten recorded rows of each data set (2017); the search is documented, its page for "nothing found" is not:
only an empty table or a sentence that says so counts. A number with a hyphen ("104134-3") is a later document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, dates
from scrapers.normalize.liens import is_termination
from scrapers.parsing.columns import PlaceColumns
from scrapers.parsing.fields import listed, need_text, note_unread
from scrapers.parsing.html import (
    body_rows,
    hidden_inputs,
    maybe,
    missing_result,
    offers_next,
    one,
    table_rows,
    text_of,
    visible_text,
)
from scrapers.parsing.lists import refuse_excuse
from scrapers.portal import Portal
from scrapers.records import Address, Query, UccAmendment, UccFiling, UccParty
from scrapers.transport import conditions, soda
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value
from scrapers.ucc import parties

_SEARCH = "https://secure.sos.state.or.us/ucc"
_ACTIVE, _LAST_MONTH = "2kf7-i54h", "snfi-f79b"
_LISTED, _LIENS, _BATCH, _TABLE = 1000, 160, 80, 500
_NONE = re.compile(r"(?<!if )\bno (matching )?(records|results|filings|liens) (were )?found\b", flags=re.IGNORECASE)
_PLACES = {
    _ACTIVE: PlaceColumns("addr1 | addr2", "city", "state", "postalcode", "country"),
    _LAST_MONTH: PlaceColumns("mail_addr_1 | mail_addr_2", "city_descr", "st_cd_txt", "zip_code_txt", "cntry_cd_txt"),
}
_COLUMNS = {
    _ACTIVE: "lt_cd | filenumber | filing_date | lapse_date | secured_party | image_link",
    _LAST_MONTH: (
        "lien_type | original_file_number | file_number | file_type | filing_date | lapse_date | party_type | "
        "entity_type | entity"
    ),
}


@dataclass
class _Lien:
    """One lien while it is put together; `documents` by number: day and type."""

    number: str
    documents: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    debtors: list[UccParty] = field(default_factory=list)
    secured: list[UccParty] = field(default_factory=list)
    lapses: list[str | None] = field(default_factory=list)
    kind: str | None = None
    status: str | None = None

    def add(self, side: list[UccParty], who: UccParty) -> None:
        """Each party once, though one source writes the country and the other does not."""
        if not any(who.name == known.name and _bare(who.address) == _bare(known.address) for known in side):
            side.append(who)


class OregonLiens(Portal):
    """Liens by secured party from the open data, by debtor from the filing office's search."""

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """The liens on which such a party stands, with what both sources show of them."""
        if query.search_by == "debtor":
            liens, complete = _by_debtor(session, query)
        else:
            liens, complete = _by_secured_party(session, query)
        numbers = list(liens)[:_LIENS]
        for batch in conditions.batches(numbers, size=_BATCH):
            active = _ask(session, _ACTIVE, conditions.one_of("filenumber", batch))
            recent = _ask(session, _LAST_MONTH, conditions.one_of("original_file_number", batch))
            _add_active(liens, active)
            _add_recent(liens, recent)
            complete = complete and max(len(active), len(recent)) < _LISTED  # else some of their parties are left out
        found = parties.newest_first((_filing(liens[number]) for number in numbers), query)
        # In either role people stand under their last name ("SAMPLE, JORDAN"), for which nobody asked
        return found, parties.is_whole(found, complete and len(liens) <= _LIENS, query, state="Oregon")


def _by_secured_party(session: PortalSession, query: Query) -> tuple[dict[str, _Lien], bool]:
    liens: dict[str, _Lien] = {}
    active = _ask(session, _ACTIVE, parties.companies(query, "secured_party"))
    _add_active(liens, (row for row in active if parties.fits(_secured(row), query)))
    recent = _ask(session, _LAST_MONTH, f"party_type='SP' and ({parties.companies(query, 'entity')})")
    _add_recent(liens, (row for row in recent if parties.fits(_recent_party(row), query)))
    return liens, max(len(active), len(recent)) < _LISTED


def _add_active(liens: dict[str, _Lien], rows: Iterable[Row]) -> None:
    for row in rows:
        number = need_text(row, "filenumber")
        lien = liens.setdefault(_base(number), _Lien(_base(number)))
        lien.documents.setdefault(number, (value(row, "filing_date"), "AMENDMENT" if "-" in number else "INITIAL"))
        lien.lapses.append(value(row, "lapse_date"))
        lien.kind = lien.kind or value(row, "lt_cd")
        lien.add(lien.secured, _secured(row))


def _add_recent(liens: dict[str, _Lien], rows: Iterable[Row]) -> None:
    for row in rows:
        base, number = need_text(row, "original_file_number"), need_text(row, "file_number")
        lien = liens.setdefault(base, _Lien(base))
        lien.documents[number] = (value(row, "filing_date"), need_text(row, "file_type"))
        lien.lapses.append(value(row, "lapse_date"))
        lien.kind = lien.kind or value(row, "lien_type")
        role = need_text(row, "party_type")
        if role not in ("DB", "SP"):
            raise PageChanged(f"party type {role!r} is neither DB nor SP")
        lien.add(lien.debtors if role == "DB" else lien.secured, _recent_party(row))


def _by_debtor(session: PortalSession, query: Query) -> tuple[dict[str, _Lien], bool]:
    """The filing office's own search: its form for the token, then one table."""
    lists = [_list_debtors(session, query, text) for text in parties.texts(query)]
    liens: dict[str, _Lien] = {}
    for cells in (cells for rows, _ in lists for cells in rows):
        who = UccParty(cells["Name"], addresses.from_text(cells["Address"]), parties.kind(cells["Name"]))
        if parties.fits(who, query):
            number = cells["Lien Number"]
            lien = liens.setdefault(_base(number), _Lien(_base(number)))
            lien.documents.setdefault(number, (cells["Filed"] or None, "AMENDMENT" if "-" in number else "INITIAL"))
            lien.lapses.append(cells["Lapse Date"] or None)
            lien.kind = lien.kind or cells["Type"] or None
            lien.status = lien.status or ("Terminated" if _is_day(cells["Terminate"]) else None)
            lien.add(lien.debtors, who)
    return liens, all(whole for _, whole in lists)


def _is_day(shown: str) -> bool:
    """Whether a lien has a day on which it was terminated; PageChanged for a word, which may say that it was not."""
    if shown and dates.to_iso(shown) is None and not dates.is_placeholder(shown):
        raise PageChanged(f"{shown!r} stands where a lien's day of termination does")
    return dates.to_iso(shown) is not None


def _list_debtors(session: PortalSession, query: Query, text: str) -> tuple[list[dict[str, str]], bool]:
    """The table of debtors whose name begins with a text, and whether it is all of it."""
    form = session.get(f"{_SEARCH}/searchHome.action")
    token = hidden_inputs(form.html()).get("CSRFToken")
    if not token:
        raise missing_result(form, "anti-forgery token")
    page = session.post(
        f"{_SEARCH}/nsSearch.action",
        form={
            "nonStandardEntityType": "Organization",
            "nonStandardSearchOrgName": text,
            "assocNameType": "Search by Debtor",
            "beginningDate": _us(query.date_after),
            "endingDate": _us(query.date_before),
            "CSRFToken": token,
        },
        headers={"Referer": f"{_SEARCH}/searchHome.action"},
    )
    rows = _table(page)
    return rows, len(rows) < _TABLE and not offers_next(page.html())


def _table(page: Page) -> list[dict[str, str]]:
    tree = page.html()
    table = maybe(tree, "#securedTable")
    if table is None:
        if _NONE.search(visible_text(one(tree, "body"))):
            return []
        raise missing_result(page, "table of liens")
    body_rows(table)  # an empty table is an answer, one whose rows lost their cells is none
    wanted = ("Name", "Address", "Lien Number", "Type", "Filed", "Terminate", "Lapse Date")
    rows = [{head: text_of(cell) for head, cell in row.items()} for row in table_rows(table, wanted)]
    if not rows:
        refuse_excuse(page, table, _NONE)
    if any(not row["Name"] or not row["Lien Number"] for row in rows):
        raise PageChanged("a lien has no name or no number")
    return rows


def _filing(lien: _Lien) -> UccFiling:
    initial = lien.documents.get(lien.number)
    ended = any(is_termination(kind) for _, kind in lien.documents.values())
    later = sorted((d for d in lien.documents.items() if d[0] != lien.number), key=lambda d: _order(d[0]))
    return UccFiling(
        file_number=lien.number,
        filed=initial[0] if initial else None,
        debtors=tuple(lien.debtors),
        secured_parties=tuple(lien.secured),
        status=lien.status or ("Terminated" if ended else None),
        lapse_date=parties.latest(lien.lapses),
        filing_type=lien.kind,
        amendments=tuple(UccAmendment(number, filed, kind) for number, (filed, kind) in later),
    )


def _bare(address: Address) -> Address:
    return replace(address, country=None)


def _base(number: str) -> str:
    return number.partition("-")[0]


def _order(number: str) -> tuple[int, str]:
    return len(number), number


def _us(day: date | None) -> str:
    return day.strftime("%m/%d/%Y") if day else ""


def _secured(row: Row) -> UccParty:
    name = need_text(row, "secured_party")
    return UccParty(name, _PLACES[_ACTIVE].read(row), parties.kind(name))


def _recent_party(row: Row) -> UccParty:
    kind = value(row, "entity_type")
    if kind not in ("ORG", "IND"):
        raise PageChanged(f"entity type {kind!r} is neither ORG nor IND")
    where = _PLACES[_LAST_MONTH].read(row)
    return UccParty(need_text(row, "entity"), where, "organization" if kind == "ORG" else "person")


def _ask(session: PortalSession, dataset: str, where: str) -> list[Row]:
    rows = soda.ask_rows(
        session, domain="data.oregon.gov", dataset=dataset, where=where, order="filing_date DESC", limit=_LISTED
    )
    shown = {name for row in rows for name in row if not name.startswith(":")}
    note_unread(shown.difference(listed(_COLUMNS[dataset]), _PLACES[dataset].names), session)
    return rows
