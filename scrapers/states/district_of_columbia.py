"""District of Columbia: the corporations layer of the District's map service (ArcGIS), all statuses, live, without key.

Evidence: answers of the layer, recorded (2026-09-18: companies active and revoked, none, an error), and the platform's
published API with the whole list of statuses. Errors come with HTTP 200 and an `error` object; a cut list says
`exceededTransferLimit`; days are milliseconds since 1970, negative before it; every attribute is always there. Not
seen: whether the name already holds the suffix, so it is put behind the name only where it is missing. Gaps: officers
are published by the portal behind a login alone; trade names are another layer, joined by `INITIAL_FILENUMBER`, and not
asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.normalize import addresses, dates, names
from scrapers.parsing.fields import is_domestic, listed, need, need_list, need_text, note_unread, text
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, ResultList
from scrapers.search import signs
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.statuses import meanings
from scrapers.transport import conditions
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession

_LAYER = "https://maps2.dcgis.dc.gov/dcgis/rest/services/DCGIS_DATA/Business_Licensing_and_Grants_WebMercator/FeatureServer/0"
_MOST = 500
_READ = frozenset(
    listed(
        "FILE_NUMBER | ENTITY_STATUS | LOCALE | MODELTYPE | BUSINESS_NAME | SUFFIX | BUSINESS_CITY | BUSINESS_STATE | "
        "ZIPCODE | BUSINESS_COUNTRY | RA_NAME | RA_CITY | RA_STATE | RA_ZIPCODE | EFFECTIVE_DATE"
    )
) | {f"{line}{number}" for line in ("BUSNIESS_ADDRESS_LINE", "RA_ADDRESS") for number in range(1, 5)}
_IGNORED = frozenset(
    listed(
        "FOREIGN_DATEOF_ORGANIZATION | NEXT_REPORTYEAR_DUE | NEXT_REPORTYEAR | DCS_LAST_MOD_DTTM | "
        "DATE_LAST_REPORT_FILED | LATESTREPORT_YEARFILED | LATESTFILED_REPORTDATE | OBJECTID | GLOBALID"
    )
)
_Row = Mapping[str, Any]


class DistrictOfColumbia(Portal):
    """Department of Licensing and Consumer Protection, Corporations Division."""

    code = "DC"
    hosts = ("maps2.dcgis.dc.gov",)
    sources = (_LAYER, "https://corponline.dlcp.dc.gov")
    id_pattern = r"(US-DC-)?[A-Z]{0,3}\d{5,14}"
    capabilities = Capabilities(agent=True, addresses=True)
    published = frozenset(
        listed("entity_type | status | formation_date | agent_name | agent_address | principal_address")
    )
    statuses = meanings(
        "Active - In Good Standing | Active - Not in Good Standing | Consolidated | Converted | Dissolved | "
        "Domesticated | Inactive - Cancelled | Merged | Revoked | Terminated | Withdrawn"
    )
    name_search = NameSearch(
        mode="word_pattern",
        mode_basis="documented",
        narrow="spellings",
        shortest=1,
        shortest_basis="documented",
        ignores_signs=True,
        cap=_MOST,
        cap_basis="documented",
        evidence="The platform's published API: our own condition over the name attribute; a cut list also says so.",
    )
    pace = Pace(seconds=0.5, concurrency=4)
    terms = Terms("allowed", robots="the map service has none", note="Open data of the District (CC BY 4.0).")
    on_by_default = True

    def check_id(self, entity_id: str) -> str:
        """Letters of a file number are capitals."""
        return super().check_id(entity_id).upper()

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The usual terms, then one with room for the signs that callers leave out."""
        return signs.plan(name, self.name_search)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name holds the words of the term in this order."""
        return self._ask(session, conditions.name_fits("BUSINESS_NAME", term))

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Rows with just this name, in every spelling of the legal form."""
        found = self._ask(session, conditions.is_in("upper(BUSINESS_NAME)", names.spellings(name)))
        return ResultList(found.candidates, complete=False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row with this file number."""
        return self._ask(session, f"FILE_NUMBER={conditions.quoted(entity_id)}")

    def _ask(self, session: PortalSession, where: str) -> ResultList:
        page = session.get(
            f"{_LAYER}/query",
            params={
                "where": where,
                "outFields": "*",
                "returnGeometry": "false",
                "resultRecordCount": _MOST,
                "resultOffset": 0,
                "orderByFields": "BUSINESS_NAME ASC",
                "f": "json",
            },
            headers={"Accept": "application/json"},
        )
        body = page.json()
        _refuse_errors(body, page.url)
        rows = [need(feature, "attributes") for feature in need_list(need(body, "features"), "'features'")]
        if not all(isinstance(row, Mapping) for row in rows):
            raise PageChanged("the attributes of a feature are no object")
        note_unread({name for row in rows for name in row} - _READ - _IGNORED, session)
        cut = body.get("exceededTransferLimit") is True or not self.name_search.whole(len(rows))
        return ResultList(tuple(Candidate.of(self.record(row)) for row in rows), complete=not cut)

    def record(self, row: _Row) -> EntityRecord:
        """One row is one entity; for a foreign one the day is that of its registration in the District."""
        return EntityRecord(
            entity_name=_with_suffix(need_text(row, "BUSINESS_NAME"), _value(row, "SUFFIX")),
            entity_id=need_text(row, "FILE_NUMBER"),
            status=_value(row, "ENTITY_STATUS"),
            entity_type=_value(row, "MODELTYPE"),
            formation_date=_day(row, "EFFECTIVE_DATE"),
            domestic=is_domestic(_value(row, "LOCALE")),
            agent_name=_value(row, "RA_NAME"),
            agent_address=_address(row, "RA_ADDRESS", "RA_CITY", "RA_STATE", "RA_ZIPCODE"),
            principal_address=_address(
                row, "BUSNIESS_ADDRESS_LINE", "BUSINESS_CITY", "BUSINESS_STATE", "ZIPCODE", "BUSINESS_COUNTRY"
            ),
            sos_url=self.sources[1],
        )


def _refuse_errors(body: Any, url: str) -> None:
    error = body.get("error") if isinstance(body, Mapping) else None
    if error is None:
        return
    code = error.get("code") if isinstance(error, Mapping) else None
    detail = f"{url}: the service answered with an error: {str(error)[:300]}"
    if isinstance(code, int) and code >= 500:
        raise PortalUnavailable(detail)
    raise PageChanged(detail)


def _value(row: _Row, name: str) -> str | None:
    """An attribute that must be there and may be empty."""
    return text(need(row, name))


def _day(row: _Row, name: str) -> str | None:
    """A day, written YYYY-MM-DD; None when it is empty."""
    raw = need(row, name)
    if raw is not None and (isinstance(raw, bool) or not isinstance(raw, int | float)):
        raise PageChanged(f"{name!r} is no moment: {raw!r}")
    return dates.from_epoch_ms(raw)


def _with_suffix(name: str, suffix: str | None) -> str:
    if not suffix or names.legal_form(name) or names.plain(name).endswith(names.plain(suffix)):
        return name
    return f"{name} {suffix}"


def _address(row: _Row, street: str, city: str, state: str, zip_code: str, country: str = "") -> Address:
    return addresses.from_parts(
        *(_value(row, f"{street}{number}") for number in range(1, 5)),
        city=_value(row, city),
        state=_value(row, state),
        zip=_value(row, zip_code),
        country=_value(row, country) if country else None,
    )
