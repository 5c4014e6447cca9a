"""District of Columbia: layers of the District's map service, live, without key: the corporations (all statuses), and
the trade names beside them, which their owner's file number joins.

Evidence: answers of both layers, recorded (2026-09-18: companies active and revoked, a trade name, none, an error), and
the platform's published API with the whole list of statuses. Days are milliseconds since 1970, negative before it; a
number may begin with US-DC-. Not seen: whether the name already holds the suffix, so it is put behind the name only
where it is missing. Two requests; four where no company's name is near, to look for a trade name. Trade names take
nobody's name away here, so name checks leave them out. Gaps: officers are published by the portal behind a login alone;
the layer of beneficial owners names people without what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, dates, names
from scrapers.parsing.fields import is_domestic, listed, need, need_text, note_unread, text
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, ResultList
from scrapers.search import signs
from scrapers.search.signs import is_near
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.statuses import meanings
from scrapers.transport import arcgis, conditions
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession

_SERVICE = (
    "https://maps2.dcgis.dc.gov/dcgis/rest/services/DCGIS_DATA/Business_Licensing_and_Grants_WebMercator/FeatureServer"
)
_MOST, _OWNERS = 500, 40
_TRADE_NAME = "TRADE_NAME,TRADENAME_STATUS,FILE_NUMBER,INITIAL_FILENUMBER"
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
    sources = (f"{_SERVICE}/0", "https://corponline.dlcp.dc.gov")
    id_pattern = r"(US-DC-)?[A-Z]{0,3}\d{5,14}"
    capabilities = Capabilities(agent=True, addresses=True, assumed_names=True)
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
    verification, on_by_default = "recorded", True

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The usual terms, then one with room for the signs that callers leave out."""
        return signs.plan(name, self.name_search)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name holds the words of the term in this order; trade names where none of them is near."""
        found = self._ask(session, conditions.name_fits("BUSINESS_NAME", term))
        if any(is_near(term, row.name) for row in found.candidates):
            return found
        more = self._by_trade_name(session, term)
        return ResultList(found.candidates + more.candidates, found.complete and more.complete)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Rows with just this name, in every spelling of the legal form."""
        found = self._ask(session, conditions.is_in("upper(BUSINESS_NAME)", names.spellings(name)))
        return ResultList(found.candidates, complete=False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row with this file number."""
        return self._ask(session, f"FILE_NUMBER={conditions.quoted(entity_id)}")

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """Names of companies alone."""
        found = super().names_taken(session, name)
        return replace(found, candidates=tuple(row for row in found.candidates if row.name_kind != "assumed"))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The company's row with its trade names."""
        record = super().detail(session, candidate)
        where = f"INITIAL_FILENUMBER={conditions.quoted(record.entity_id)}"
        rows, _ = self._trade_names(session, where)
        if any(need_text(row, "INITIAL_FILENUMBER") != record.entity_id for row in rows):
            raise PageChanged(f"asked for the trade names of {record.entity_id}, got somebody else's")
        return replace(record, assumed_names=tuple(dict.fromkeys(need_text(row, "TRADE_NAME") for row in rows)))

    def _ask(self, session: PortalSession, where: str) -> ResultList:
        rows, whole = arcgis.ask_rows(session, layer=f"{_SERVICE}/0", where=where, order="BUSINESS_NAME", limit=_MOST)
        note_unread({name for row in rows for name in row} - _READ - _IGNORED, session)
        complete = whole and self.name_search.whole(len(rows))
        return ResultList(tuple(Candidate.of(self.record(row)) for row in rows), complete)

    def _trade_names(self, session: PortalSession, where: str) -> tuple[list[_Row], bool]:
        """Trade names that are in force."""
        rows, whole = arcgis.ask_rows(
            session, layer=f"{_SERVICE}/1", where=where, order="TRADE_NAME", limit=_MOST, fields=_TRADE_NAME
        )
        in_force = [row for row in rows if (_value(row, "TRADENAME_STATUS") or "").startswith("Active")]
        return in_force, whole and len(rows) < _MOST

    def _by_trade_name(self, session: PortalSession, term: str) -> ResultList:
        """The companies that have a trade name which could be the one asked for, each under it."""
        rows, whole = self._trade_names(session, conditions.name_fits("TRADE_NAME", term))
        pairs = ((need_text(row, "INITIAL_FILENUMBER"), need_text(row, "TRADE_NAME")) for row in rows)
        near = [(number, name) for number, name in pairs if is_near(term, name)]
        numbers = list(dict.fromkeys(number for number, _ in near))
        found = self._ask(session, conditions.one_of("FILE_NUMBER", numbers[:_OWNERS])) if numbers else ResultList(())
        owners = {row.entity_id: row for row in found.candidates}
        if strange := owners.keys() - set(numbers):
            raise PageChanged(f"asked for {numbers[:3]}, got {sorted(strange)[:3]}")
        rows_found = (replace(owners[one], name=name, name_kind="assumed") for one, name in near if one in owners)
        return ResultList(tuple(rows_found), whole and len(numbers) <= _OWNERS)

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
    if not suffix or names.legal_form(name) or f" {names.plain(name)}".endswith(f" {names.plain(suffix)}"):
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
