"""New Jersey: Department of the Treasury, Division of Revenue and Enterprise Services, Business Name Search.

New Jersey publishes no status, agent or officers for free: a name in the list may be dissolved. Evidence: public
clients of both searches, in use in October 2026 (documented: form fields, table classes, columns; a token and a cookie
from the form, one POST, all rows on one page). An empty list is the table without rows, or with the one line that
there are none; a page without the table is a changed page. Numbers begin 0000, 0100, 0400, 0450, 0900 and otherwise;
a row may show no city. Liens show debtor, city, status and date; the secured party costs a report.
"""

from __future__ import annotations

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.cells import shown
from scrapers.parsing.fields import listed
from scrapers.parsing.html import form_token, maybe, missing_result, one, table_rows, text_of
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Query, ResultList, UccFiling
from scrapers.search.terms import NameSearch
from scrapers.transport.pace import Pace
from scrapers.transport.session import PortalSession
from scrapers.ucc import new_jersey

_HOME = "https://www.njportal.com"
_SEARCH = f"{_HOME}/DOR/BusinessNameSearch/Search/"
_COLUMNS = listed("Business Name | Entity Id | City | Type | Incorporated Date")
_NOTHING = "NoResultsFound"
_DOMESTIC = dict.fromkeys(listed("DP | NP | LLC | LLP | LP"), True)
_DOMESTIC |= dict.fromkeys(listed("FR | FN | FLC | FLP"), False)


class NewJersey(Portal):
    """Division of Revenue and Enterprise Services."""

    code = "NJ"
    hosts = ("www.njportal.com",)
    sources = (f"{_SEARCH}BusinessName", new_jersey.URL)
    id_pattern = r"\d{10}"
    capabilities = Capabilities(status=False, addresses=True, ucc=True, ucc_date_filter=True)
    published = frozenset({"entity_type", "formation_date", "principal_address"})
    paywalled = frozenset(listed("status | agent_name | agent_address | officers"))
    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        evidence=(
            "Public clients: a prefix search with all rows on one page; guides for people say the same, and "
            "leave signs but . , - & and apostrophes out."
        ),
    )
    pace = Pace(seconds=1.5, concurrency=1)
    terms = Terms("unstated", robots="not found (404)", note="Free form without captcha.")
    verification, on_by_default = "documented", True

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Rows whose name begins with the term."""
        return self._ask(session, "BusinessName", term)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The row with this ten-digit number."""
        return self._ask(session, "EntityId", entity_id)

    def check_id(self, entity_id: str) -> str:
        """Numbers are ten digits; callers leave leading zeros out."""
        return super().check_id(entity_id.strip().zfill(10))

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens on a debtor, from the UCC wizard of the same portal."""
        return new_jersey.ask(session, query)

    def _ask(self, session: PortalSession, field: str, value: str) -> ResultList:
        url = _SEARCH + field
        form = form_token(session.get(url)) | {field: value}
        answer = session.post(url, form=form, headers={"Origin": _HOME, "Referer": url})
        table = maybe(answer.html(), "table.table-data.js-data-table")
        if table is None:
            raise missing_result(answer, "the table of names")
        rows = table_rows(table, _COLUMNS)
        if not rows and text_of(table).replace(" ", "").removesuffix(_NOTHING) != "".join(_COLUMNS).replace(" ", ""):
            raise PageChanged(f"{url}: a table without rows, but with more than its header")
        found = tuple(Candidate.of(self._record(row)) for row in rows)
        return ResultList(found, complete=self.name_search.whole(len(rows)))

    def _record(self, row: dict[str, HtmlElement]) -> EntityRecord:
        """A row is all there is; its type is a short word, mostly with the long one as a tool tip."""
        kind = row["Type"]
        long = one(kind, "abbr").get("title") if maybe(kind, "abbr") is not None else None
        return EntityRecord(
            entity_name=text_of(row["Business Name"]),
            entity_id=text_of(row["Entity Id"]),
            entity_type=long or shown(kind),
            formation_date=shown(row["Incorporated Date"]),
            principal_address=Address(city=shown(row["City"])),
            domestic=_DOMESTIC.get(text_of(kind)),
            sos_url=self.sources[0],
        )
