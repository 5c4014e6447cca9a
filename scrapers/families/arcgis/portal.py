"""ArcGIS feature service: a name search on a published layer, live, without a key.

Source: the platform's published API. Errors come with HTTP 200 and an `error` object; a cut list says
`exceededTransferLimit`; days are milliseconds since 1970, negative before it; every attribute is always there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.normalize import dates, names
from scrapers.parsing.fields import need, need_list, note_unread, text
from scrapers.portal import Portal
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.search import terms
from scrapers.search.terms import NameSearch, SearchPlan
from scrapers.transport import conditions
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession

Attributes = Mapping[str, Any]


class ArcgisPortal(Portal):
    """One layer of one service. A state names its attributes in `record`."""

    layer: ClassVar[str] = ""  # the address of the layer, without "/query"
    name_attribute: ClassVar[str] = ""
    id_attribute: ClassVar[str] = ""
    read: ClassVar[frozenset[str]] = frozenset()
    ignored: ClassVar[frozenset[str]] = frozenset()
    pace: ClassVar[Pace] = Pace(seconds=0.5, concurrency=4)
    name_search = NameSearch(
        mode="word_pattern", mode_basis="documented", narrow="spellings", shortest=1, shortest_basis="documented",
        ignores_signs=True, cap=500, cap_basis="documented",
        evidence="The platform's published API: our own condition over the name attribute; a cut list also says so.",
    )  # fmt: skip

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name holds the words of the term in this order."""
        return self._listed(session, conditions.name_fits(self.name_attribute, term))

    def search_plan(self, session: PortalSession, name: str) -> SearchPlan:
        """The usual terms, then one with room for the signs that callers leave out."""
        plan = terms.plan(name, self.name_search)
        loose, most = conditions.loosened(plan.terms[-1]), self.name_search.most_terms
        if loose == " ".join(names.words(plan.terms[-1])):
            return plan
        return replace(plan, terms=(*plan.terms[: most - 1], loose))

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Rows with just this name, in every spelling of the legal form."""
        found = self._listed(session, conditions.is_in(f"upper({self.name_attribute})", names.spellings(name)))
        return ResultList(found.candidates, complete=False)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row with this identifier."""
        return self._listed(session, f"{self.id_attribute}={conditions.quoted(entity_id)}")

    def _listed(self, session: PortalSession, where: str) -> ResultList:
        page = session.get(
            f"{self.layer}/query",
            params={
                "where": where, "outFields": "*", "returnGeometry": "false",
                "resultRecordCount": self.name_search.cap or 1,
                "resultOffset": 0, "orderByFields": f"{self.name_attribute} ASC", "f": "json",
            },
            headers={"Accept": "application/json"},
        )  # fmt: skip
        body = page.json()
        _refuse_errors(body, page.url)
        rows = [need(feature, "attributes") for feature in need_list(need(body, "features"), "'features'")]
        if not all(isinstance(row, Mapping) for row in rows):
            raise PageChanged("the attributes of a feature are no object")
        note_unread({name for row in rows for name in row} - self.read - self.ignored, session)
        cut = body.get("exceededTransferLimit") is True or not self.name_search.whole(len(rows))
        return ResultList(tuple(Candidate.of(self.record(row)) for row in rows), complete=not cut)

    def record(self, row: Attributes) -> EntityRecord:
        """Read one row; each state names its attributes."""
        raise NotImplementedError


def _refuse_errors(body: Any, url: str) -> None:
    error = body.get("error") if isinstance(body, Mapping) else None
    if error is None:
        return
    code = error.get("code") if isinstance(error, Mapping) else None
    told = f"{url}: the service answered with an error: {str(error)[:300]}"
    if isinstance(code, int) and code >= 500:
        raise PortalUnavailable(told)
    raise PageChanged(told)


def value(row: Attributes, name: str) -> str | None:
    """An attribute that must be there and may be empty."""
    return text(need(row, name))


def day(row: Attributes, name: str) -> str | None:
    """A day, written YYYY-MM-DD; None when it is empty."""
    raw = need(row, name)
    if raw is not None and (isinstance(raw, bool) or not isinstance(raw, int | float)):
        raise PageChanged(f"{name!r} is no moment: {raw!r}")
    return dates.from_epoch_ms(raw)
