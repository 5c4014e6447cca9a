"""Colorado's liens: four data sets (filings wffy-3uut, debtors 8upq-58vz, secured parties ap62-sav4, collateral
4am6-w6u4) joined by `fileid`; the documents of one lien share `masterdocumentid`.

Evidence: documented; the values of `transactiontype`, `documenttype`, `recordstatus` and the two flags as a public
reader of the sets describes them. Colorado writes no status: "Terminated" is ours, where a termination is on file.
Parties that a later document removed are marked as not active and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scrapers.failures import PageChanged
from scrapers.normalize import dates
from scrapers.normalize.liens import is_termination
from scrapers.parsing.columns import PlaceColumns
from scrapers.parsing.fields import listed, need_text, note_unread, refuse_renamed
from scrapers.portal import Portal
from scrapers.records import Query, UccAmendment, UccFiling, UccParty
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, flag, value
from scrapers.ucc import parties

_DOMAIN = "data.colorado.gov"
_FILINGS, _DEBTORS, _SECURED, _COLLATERAL = "wffy-3uut", "8upq-58vz", "ap62-sav4", "4am6-w6u4"
_LISTED, _LIENS, _BATCH, _MOST = 1000, 100, 80, 5000
_NAME = ("firstname", "middlename", "lastname")
_PLACE = PlaceColumns("address1 | address2", "city", "state", "zipcode")
_COLUMNS = {
    _FILINGS: listed(
        "transactionid | masterdocumentid | transactiontype | filingdate | lapsedate | filingtype | documenttype | "
        "continuation | terminationflag | fileid | manufacturedhometransactions"
    ),
    _COLLATERAL: listed(
        "collateralid | fileid | collateraldescription | additionalcollateraldescription | actiontype | recordstatus"
    ),
}
_PARTY_COLUMNS = _PLACE.names.union(
    listed(
        "debtorid | spid | fileid | recordstatus | organizationname | firstname | middlename | lastname | suffix | "
        "country | actiontype | assignor | efsuniqueid"
    )
)


@dataclass
class _Lien:
    """One lien while it is put together."""

    number: str
    documents: list[Row] = field(default_factory=list)
    debtors: list[UccParty] = field(default_factory=list)
    secured: list[UccParty] = field(default_factory=list)
    collateral: list[str] = field(default_factory=list)


class ColoradoLiens(Portal):
    """Filings by debtor or secured party, with everything that followed each."""

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """The parties of this name, their liens' documents, and the liens' parties and collateral."""
        is_debtor = query.search_by == "debtor"
        dataset = _DEBTORS if is_debtor else _SECURED
        where = parties.named(query, company="organizationname", last="lastname", first="firstname")
        found = _ask(session, dataset, where=where, order="organizationname,fileid", limit=_LISTED)
        files = [need_text(row, "fileid") for row in found if (who := _party(row, _NAME)) and parties.fits(who, query)]
        documents = _by_keys(session, _FILINGS, ("fileid",), files)
        if missing := set(files) - {need_text(row, "fileid") for row in documents}:
            raise PageChanged(f"parties are listed of files {sorted(missing)[:3]}, of which there is no document")
        masters = list(dict.fromkeys(_master(row) for row in _newest(documents)))
        liens = {number: _Lien(number) for number in masters[:_LIENS]}
        for row in _by_keys(session, _FILINGS, ("masterdocumentid", "transactionid"), liens):
            if (lien := liens.get(_master(row))) is not None:
                lien.documents.append(row)
        _fill(session, liens)
        if bare := [lien.number for lien in liens.values() if not (lien.debtors if is_debtor else lien.secured)]:
            raise PageChanged(f"the liens {bare[:3]} name nobody in the role in which somebody is listed on them")
        complete = len(found) < _LISTED and len(masters) <= _LIENS
        return parties.newest_first((_filing(lien) for lien in liens.values()), query), complete


def _fill(session: PortalSession, liens: dict[str, _Lien]) -> None:
    """Put debtors, secured parties and collateral to the liens whose documents name them."""
    owner = {need_text(row, "fileid"): lien for lien in liens.values() for row in lien.documents}
    for dataset in (_DEBTORS, _SECURED):
        for row in _by_keys(session, dataset, ("fileid",), owner):
            lien, who = _owner(owner, row), _party(row)
            side = lien.debtors if dataset == _DEBTORS else lien.secured
            if who and who not in side:
                side.append(who)
    for row in _by_keys(session, _COLLATERAL, ("fileid",), owner):
        if _is_active(row):
            texts = (value(row, "collateraldescription"), value(row, "additionalcollateraldescription"))
            _owner(owner, row).collateral.extend(text for text in texts if text)


def _owner(liens: Mapping[str, _Lien], row: Row) -> _Lien:
    """The lien whose document a row belongs to."""
    number = need_text(row, "fileid")
    if number not in liens:
        raise PageChanged(f"a row of file {number}, which nobody asked for")
    return liens[number]


def _filing(lien: _Lien) -> UccFiling:
    ordered = sorted(lien.documents, key=lambda row: value(row, "filingdate") or "")
    initial = next((row for row in ordered if need_text(row, "transactionid") == lien.number), None)
    ended = any(flag(row, "terminationflag") or is_termination(_kind(row)) for row in ordered)
    return UccFiling(
        file_number=lien.number,
        filed=value(initial, "filingdate") if initial else None,
        debtors=tuple(lien.debtors),
        secured_parties=tuple(lien.secured),
        collateral="; ".join(dict.fromkeys(lien.collateral)) or None,
        status="Terminated" if ended else None,
        lapse_date=parties.latest(value(row, "lapsedate") for row in ordered),
        filing_type=_kind(initial) if initial else None,
        amendments=tuple(
            UccAmendment(need_text(row, "transactionid"), value(row, "filingdate"), _kind(row))
            for row in ordered
            if row is not initial
        ),
    )


def _kind(row: Row) -> str:
    found = value(row, "documenttype") or value(row, "transactiontype")
    if found is None:
        raise PageChanged(f"document {row.get('transactionid')!r} has no type")
    return found


def _master(row: Row) -> str:
    return value(row, "masterdocumentid") or need_text(row, "transactionid")


def _newest(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: dates.to_iso(value(row, "filingdate")) or "", reverse=True)


def _is_active(row: Row) -> bool:
    return (value(row, "recordstatus") or "active").casefold() == "active"


def _party(row: Row, name: Iterable[str] = (*_NAME, "suffix")) -> UccParty | None:
    """The party of a row; None for one that a later document removed. A question is compared without the suffix."""
    if not _is_active(row):
        return None
    given = (value(row, column) for column in name)
    return parties.needed(parties.party(value(row, "organizationname"), given, _PLACE.read(row)), row)


def _by_keys(session: PortalSession, dataset: str, columns: Sequence[str], keys: Iterable[str]) -> list[Row]:
    found: list[Row] = []
    for batch in conditions.batches(keys, size=_BATCH):
        where = " or ".join(conditions.one_of(column, batch) for column in columns)
        rows = _ask(session, dataset, where=where, order=":id", limit=_MOST)
        if len(rows) >= _MOST:
            raise PageChanged(f"{dataset}: {len(rows)} rows for {len(batch)} keys")
        found.extend(rows)
    return found


def _ask(session: PortalSession, dataset: str, *, where: str, order: str, limit: int) -> list[Row]:
    rows = soda.ask_rows(session, domain=_DOMAIN, dataset=dataset, where=where, order=order, limit=limit)
    shown = {name: row for row in rows for name in row if not name.startswith(":")}
    known = frozenset(_COLUMNS.get(dataset, _PARTY_COLUMNS))
    note_unread(shown.keys() - known, session)
    refuse_renamed(shown, ("terminationflag" if dataset == _FILINGS else "recordstatus",), known=known)
    return rows
