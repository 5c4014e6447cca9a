"""Texas: the Comptroller's account status, because the Secretary of State's own search asks for a login and a dollar.

Evidence: recorded list, account, empty list, error, and one row of the open data (2026-09). Identifiers are the
Comptroller's 11-digit taxpayer numbers, which every account has; the Secretary of State's file number is shown beside
it, and asked by. A name too wide answers HTTP 413. The account lacks the day of formation (its "effective" date is a
renewal stamp) and the kind of entity: both come from the Comptroller's open data set of active franchise tax permits
(9cir-efmm), the names of its stores, under which it trades, from that of sales tax permits (jrea-zgmq), where the
account is in them; of a foreign company the day is that of its registration in Texas. The list shows no status, so
accounts with just the name asked for are opened, at most four. A lookup costs four requests, or three without permits,
and one for every further account of the name. The set's codes of status and right to transact are not read: the account
says both in words, of today. Gaps: assumed names that are no store's, and finding a company by them.

Documented: with the operator's key the same questions go to the Comptroller's official API, free on registration (that
its answers have the same form is assumed, and checked strictly); the status words but "ACTIVE", which is recorded; the
published list of codes of organization types. Entities that are no taxpayers (some general partnerships) are not in it.
The host's robots file does not open /data-search/ to crawlers; one lookup on a person's demand is no crawl, and the
pace is slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.name_rules.rules import RULES
from scrapers.name_rules.same_names import clerk_key
from scrapers.parsing import franchise_tax
from scrapers.parsing.fields import listed, need, need_rows, need_text, note_unread_keys, text
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Candidate, EntityRecord, ResultList
from scrapers.search import matching
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.session import PortalSession

_SOURCE = "https://comptroller.texas.gov/taxes/franchise/account-status/search"
_PAGE = "https://comptroller.texas.gov/data-search/franchise-tax"
_API = "https://api.comptroller.texas.gov/public-data/v1/public/franchise-tax"
_ROW = frozenset(listed("name | taxpayerId | mailingAddressZip"))
_NAMESAKES = 4
_ENDED = "FRANCHISE TAX INVOLUNTARILY ENDED | FORFEITED | FORFEITED EXISTENCE | FORFEITED RIGHTS | INACTIVE"


class Texas(Portal):
    """Comptroller of Public Accounts, for the Secretary of State."""

    code = "TX"
    hosts = ("comptroller.texas.gov", "api.comptroller.texas.gov", "data.texas.gov")
    sources = (_SOURCE,)
    id_pattern = r"\d{4,11}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, assumed_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | mailing_address | "
            "officers | fei_ein_number"
        )
    )
    statuses = meanings(
        f"ACTIVE | IN EXISTENCE | {_ENDED} | TAX FORFEITURE | TERMINATED | DISSOLVED | VOLUNTARILY DISSOLVED | "
        "WITHDRAWN | MERGED | CONSOLIDATED | CONVERTED | CANCELLED | EXPIRED | NOT ESTABLISHED | "
        "FRANCHISE TAX NOT ESTABLISHED | NOT REGISTERED",
        active="ACTIVE - ELIGIBLE FOR TERMINATION/WITHDRAWAL",
        inactive="FRANCHISE TAX ENDED",
    )
    bad_standings = frozenset(word.casefold() for word in (*listed(_ENDED), "FRANCHISE TAX ENDED"))
    name_search = NameSearch(
        mode="unknown",
        narrow="exact",
        says_total=True,
        evidence=(
            "Recorded: the answer counts its rows; documented: 413 for a name too wide; how it compares is not told."
        ),
    )
    estimated_seconds = 5
    terms = Terms(
        "unstated",
        robots="does not open /data-search/ to crawlers",
        note="The Comptroller also offers a keyed API of the same accounts, free on registration.",
    )
    verification, on_by_default = "recorded", True

    def check_id(self, entity_id: str) -> str:
        """Eleven digits are a taxpayer's; a file number has ten, of which callers leave the leading zeros out."""
        return super().check_id(entity_id).zfill(10)

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Accounts with such a name; those with just this name are opened, because the list shows no status."""
        found = _listed(session, name=term)
        same = [row for row in found.candidates if matching.compare(term, row.name).kind != "close"]
        return _with_opened(session, found, same) if len(same) <= _NAMESAKES else found

    def narrow(self, session: PortalSession, name: str) -> ResultList | None:
        """The whole name as it was given, when the name without its legal form was too wide."""
        if name in self.search_plan(session, name).terms:
            return None
        return replace(_listed(session, name=name), complete=False)

    def names_taken(self, session: PortalSession, name: str) -> ResultList:
        """Names like this one with their status: one that was not opened can not be said to be free."""
        results = super().names_taken(session, name)
        rule = RULES[self.code]
        alike = [row for row in results.candidates if clerk_key(row.name, rule) == clerk_key(name, rule)]
        known = {row.entity_id: row for row in alike if row.record is not None}
        waiting = list({row.entity_id: row for row in alike if row.entity_id not in known}.values())
        left = max(0, _NAMESAKES - len(known))
        results = _with_opened(session, results, [*known.values(), *waiting[:left]])
        return replace(results, complete=results.complete and len(waiting) <= left)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The account of a taxpayer number (11 digits) or of the Secretary of State's file number (10 digits)."""
        if len(entity_id) == 11:
            return _listed(session, taxpayerId=entity_id)
        found = _listed(session, fileNumber=entity_id)
        return replace(found, candidates=tuple(replace(r, handle={"file": entity_id}) for r in found.candidates))

    def ids_of(self, row: Candidate) -> tuple[str, ...]:
        """The taxpayer number, and the file number it was asked for by (checked when the account is opened)."""
        asked = row.handle.get("file")
        return (self.check_id(row.entity_id), *((asked,) if asked else ()))

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The account, and what the open data of permit holders say of it where it is listed."""
        record = candidate.record or _account(session, candidate.entity_id)
        asked = candidate.handle.get("file")
        if asked and record.identifiers.get("sosFileNumber") != asked:
            raise PageChanged(f"asked for file number {asked}, the portal showed {dict(record.identifiers)}")
        return franchise_tax.with_permits(record, session)


def _listed(session: PortalSession, **question: str) -> ResultList:
    body = _ask(session, "", question)
    if body is None:
        return ResultList((), complete=False)
    rows = need_rows(need(body, "data"), "'data'")
    note_unread_keys(rows, _ROW, session)
    found = [Candidate(name=need_text(row, "name"), entity_id=need_text(row, "taxpayerId")) for row in rows]
    count = need(body, "count")
    if not isinstance(count, int) or count < len(found):
        raise PageChanged(f"'count' is {count!r} for {len(found)} rows")
    return ResultList(tuple(found), complete=count == len(found))


def _with_opened(session: PortalSession, found: ResultList, rows: Iterable[Candidate]) -> ResultList:
    """The list with the accounts of these rows, wherever in it they stand."""
    records = {row.entity_id: row.record or _account(session, row.entity_id) for row in rows}
    opened = (
        replace(row, status=record.status, record=record) if (record := records.get(row.entity_id)) else row
        for row in found.candidates
    )
    return replace(found, candidates=tuple(opened))


def _account(session: PortalSession, taxpayer: str) -> EntityRecord:
    record = franchise_tax.account(need(_ask(session, f"/{taxpayer}", {}), "data"), session)
    if record.entity_id != taxpayer:  # its status decides which of several is meant, before anything is opened
        raise PageChanged(f"asked for the account of {taxpayer}, the portal showed {record.entity_id}")
    return replace(record, sos_url=_SOURCE)


def _ask(session: PortalSession, path: str, question: Mapping[str, str]) -> Any:
    """The answer's JSON; None when the portal finds the name too wide."""
    key = session.key("comptroller")
    address = _PAGE + path if not key else _API + (path or "-list")
    headers = {"Accept": "application/json"} | ({"x-api-key": key} if key else {})
    page = session.get(address, params=question, headers=headers, expect=(200, 400, 413))
    if page.status == 413:
        return None
    body = page.json()
    if need(body, "success") is True:
        return body
    reason = text(body.get("error")) or "no reason given"
    if page.status == 400 or "not allowed" in reason:
        raise PageChanged(f"{page.url}: the portal refused the question: {reason}")
    raise PortalUnavailable(f"{page.url}: the portal failed: {reason}")
