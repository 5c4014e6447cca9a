"""njportal.com: a token and a cookie from the form, one POST, all rows on one page.

Source: public clients of the Business Name Search (form fields, table classes, columns), in use in October 2026.
An empty table is how the portal says "none"; a page without the table is a changed page.
"""

from __future__ import annotations

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.html import hidden_inputs, maybe, missing_result, one, select, table_rows, text_of
from scrapers.portal import Portal
from scrapers.records import Address, Candidate, EntityRecord, Query, ResultList, UccFiling
from scrapers.search.terms import NameSearch
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import new_jersey

_HOME = "https://www.njportal.com"
_SEARCH = f"{_HOME}/DOR/BusinessNameSearch/Search/"
_COLUMNS = ("Business Name", "Entity Id", "City", "Type", "Incorporated Date")
_TOKEN = "__RequestVerificationToken"  # noqa: S105 - the name of a form field


class NjPortal(Portal):
    """The Business Name Search of the Division of Revenue and Enterprise Services."""

    name_search = NameSearch(
        mode="starts_with",
        mode_basis="documented",
        evidence=(
            "Public clients: a prefix search with all rows on one page; guides for people say the same, and "
            "leave signs but . , - & and apostrophes out."
        ),
    )

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
        page = session.get(url)
        answer = session.post(
            url, form={_TOKEN: token_of(page), field: value}, headers={"Origin": _HOME, "Referer": url}
        )
        table = maybe(answer.html(), "table.table-data.js-data-table")
        if table is None:
            raise missing_result(answer, "the table of names")
        rows = table_rows(table, _COLUMNS)
        if not rows and text_of(table).replace(" ", "") != "".join(_COLUMNS).replace(" ", ""):
            raise PageChanged(f"{url}: a table without rows, but with more than its header")
        found = tuple(_candidate(row, self.sources[0]) for row in rows)
        return ResultList(found, complete=self.name_search.whole(len(rows)))


def token_of(page: Page) -> str:
    """The anti-forgery token of the first form that has one."""
    for form in select(page.html(), "form"):
        token = hidden_inputs(form).get(_TOKEN)
        if token:
            return token
    raise missing_result(page, "the search form's token")


def _candidate(row: dict[str, HtmlElement], source: str) -> Candidate:
    kind = row["Type"]
    long = one(kind, "abbr").get("title") if maybe(kind, "abbr") is not None else None
    city = text_of(row["City"])
    record = EntityRecord(
        entity_name=text_of(row["Business Name"]),
        entity_id=text_of(row["Entity Id"]),
        entity_type=long or text_of(kind) or None,
        formation_date=text_of(row["Incorporated Date"]) or None,
        principal_address=Address(city=city or None),
        domestic=_DOMESTIC.get(text_of(kind)),
        sos_url=source,
    )
    return Candidate(
        name=record.entity_name, entity_id=record.entity_id, entity_type=record.entity_type, record=record,
        sos_url=source,
    )  # fmt: skip


_DOMESTIC = {"DP": True, "NP": True, "LLC": True, "LLP": True, "LP": True,
             "FR": False, "FN": False, "FLC": False, "FLP": False}  # fmt: skip
