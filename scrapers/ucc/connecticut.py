"""Connecticut's liens: one wide data set (xfev-8smz) of active liens, a row for each document and pair of parties.

Evidence: documented. The documents of a lien share `id_lien_flng_nbr`; `cd_flng_type` "ORIG FIN STMT" and "JUDGMENT
LIEN" are first filings as a public reader of the set describes them. `tx_lien_descript` is a code of the lien's type
("OFS", "IRS"), no collateral: the set has none. A lapse in 9999 stands for none: the lien holds until it is released.
Liens stay in the set for a year after they lapsed, and `lien_status` has no word for that: the day decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapers.failures import PageChanged
from scrapers.parsing.columns import PlaceColumns
from scrapers.parsing.fields import listed, need_text, note_unread, refuse_renamed
from scrapers.portal import Portal
from scrapers.records import Query, UccAmendment, UccFiling, UccParty
from scrapers.transport import conditions, soda
from scrapers.transport.session import PortalSession
from scrapers.transport.soda import Row, value
from scrapers.ucc import parties

_DOMAIN, _DATASET = "data.ct.gov", "xfev-8smz"
_LISTED, _LIENS, _BATCH, _MOST = 1000, 200, 80, 5000
_NAME = ("first", "mid", "last")
_NAMES = {"debtor": "debtor_nm", "secured_party": "sec_party_nm"}
_PLACES = {
    role: PlaceColumns(f"{ad}_str1 | {ad}_str2", f"{ad}_city", f"{ad}_state", f"{ad}_zip")
    for role, ad in (("debtor", "debtor_ad"), ("secured_party", "sec_party_ad"))
}
_COLUMNS = frozenset().union(
    listed(
        "id_ucc_flng_nbr | id_lien_flng_nbr | lien_status | cd_flng_type | tx_lien_descript | dt_accept | dt_lapse | "
        "debtor_ad_str3 | debtor_ad_country | sec_party_ad_str3 | sec_party_ad_country | cd_volume | cd_start_page | "
        "qt_pages"
    ),
    (f"{name}_{part}" for name in _NAMES.values() for part in ("bus", "last", "first", "mid", "suff", "pref")),
    *(place.names for place in _PLACES.values()),
)


class ConnecticutLiens(Portal):
    """Filings by debtor or secured party, with everything that followed each."""

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """The liens on which such a party stands, then all their rows."""
        name = _NAMES[query.search_by]
        where = parties.named(query, company=f"{name}_bus", last=f"{name}_last", first=f"{name}_first")
        found = self._ask_liens(session, where=where, limit=_LISTED)
        fitting = [
            row for row in found if parties.fits(parties.needed(_party(row, query.search_by, _NAME), row), query)
        ]
        numbers = list(dict.fromkeys(need_text(row, "id_lien_flng_nbr") for row in fitting))
        liens: dict[str, list[Row]] = {number: [] for number in numbers[:_LIENS]}
        complete = len(found) < _LISTED and len(numbers) <= _LIENS
        for batch in conditions.batches(liens, size=_BATCH):
            rows = self._ask_liens(session, where=conditions.one_of("id_lien_flng_nbr", batch), limit=_MOST)
            complete = complete and len(rows) < _MOST
            for row in rows:
                if (number := need_text(row, "id_lien_flng_nbr")) not in liens:
                    raise PageChanged(f"asked for liens {batch[:3]}, got {number}")
                liens[number].append(row)
        if complete and (bare := [number for number, rows in liens.items() if not rows]):
            raise PageChanged(f"parties are listed of liens {bare[:3]}, of which there is no document")
        return parties.newest_first((_filing(number, rows) for number, rows in liens.items()), query), complete

    def _ask_liens(self, session: PortalSession, *, where: str, limit: int) -> list[Row]:
        order = "dt_accept DESC,id_ucc_flng_nbr"
        rows = soda.ask_rows(session, domain=_DOMAIN, dataset=_DATASET, where=where, order=order, limit=limit)
        shown = {name: row for row in rows for name in row if not name.startswith(":")}
        note_unread(shown.keys() - _COLUMNS, session)
        refuse_renamed(shown, ("lien_status", "dt_lapse"), known=_COLUMNS)
        return rows


def _filing(number: str, rows: list[Row]) -> UccFiling:
    """One lien: its first document, the later ones once each, the parties of all."""
    documents = {need_text(row, "id_ucc_flng_nbr"): row for row in rows}
    ordered = sorted(documents.items(), key=lambda pair: (value(pair[1], "dt_accept") or "", pair[0]))
    first_number = number if number in documents else next((key for key, row in ordered if _is_first(row)), None)
    first = documents.get(first_number or "")
    status = next((found for _, row in reversed(ordered) if (found := value(row, "lien_status"))), None)
    return UccFiling(
        file_number=number,
        filed=value(first, "dt_accept") if first else None,
        debtors=_parties(rows, "debtor"),
        secured_parties=_parties(rows, "secured_party"),
        status=status,
        lapse_date=parties.latest(_lapse(row) for row in rows),
        filing_type=need_text(first, "cd_flng_type") if first else None,
        amendments=tuple(
            UccAmendment(key, value(row, "dt_accept"), need_text(row, "cd_flng_type"))
            for key, row in ordered
            if key != first_number
        ),
        status_omits="lapse" if status else "termination",  # without a word it may have been released
    )


def _lapse(row: Row) -> str | None:
    day = value(row, "dt_lapse")
    return None if day and day.startswith("9999-") else day


def _is_first(row: Row) -> bool:
    return need_text(row, "cd_flng_type") in ("ORIG FIN STMT", "JUDGMENT LIEN")


def _parties(rows: Iterable[Row], role: str) -> tuple[UccParty, ...]:
    return tuple(dict.fromkeys(who for row in rows if (who := _party(row, role))))


def _party(row: Row, role: str, parts: Iterable[str] = (*_NAME, "suff")) -> UccParty | None:
    """The party of a row in this role; a question is compared without the suffix ("JR")."""
    name = _NAMES[role]
    given = (value(row, f"{name}_{part}") for part in parts)
    return parties.party(value(row, f"{name}_bus"), given, _PLACES[role].read(row))
