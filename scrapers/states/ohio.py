"""Ohio: the JSON host behind the business search page.

Source: one recorded search answer; the detail as four published clients read it (documented). The page publishes its
routes in a file of its own, because they have changed before, so that file is read first. Cloudflare stands before
both hosts and may even serve a decoy of a maintenance page: the reader is whole, but meets the wall.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.normalize import addresses, types
from scrapers.parsing.fields import (
    listed,
    need,
    need_number,
    need_rows,
    need_text,
    note_unread,
    note_unread_keys,
    text,
)
from scrapers.portal import Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Filing, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.session import PortalSession

_PAGE, _API = "https://businesssearch.ohiosos.gov", "https://businesssearchapi.ohiosos.gov"
_SIGNS = {"-": "$H31", "_": "$U28", "%": "$P26", "&": "$A29"}  # the page's own way to write them in a path
_ROW = frozenset(
    listed(
        "result_count | processing_id | business_name | business_type | business_location | state_name | "
        "county_name | status | tran_code | charter_num | agent_effective_date | effect_date | agent_name | "
        "agent_status"
    )
)


class Ohio(Portal):
    """Secretary of State, Business Search."""

    code = "OH"
    hosts = ("businesssearch.ohiosos.gov", "businesssearchapi.ohiosos.gov")
    sources, id_pattern = (f"{_PAGE}/",), r"\d{1,8}"
    capabilities = Capabilities(agent=True, filings=True)
    published = frozenset(listed("status | entity_type | formation_date | agent_name | agent_address | jurisdiction"))
    statuses = meanings("Active | Cancelled | Dead | Fraudulent | Hold")
    name_search = NameSearch(
        mode="unknown",
        narrow="exact",
        says_total=True,
        evidence=(
            "Recorded: each row counts the results; public clients: a search by name (NS) and an exact one "
            "(EN), neither described."
        ),
    )
    terms = Terms("unstated", note="Cloudflare waiting room and Turnstile, the strictest of the walls.")
    verification = "recorded"
    off_reason = "The portal's bot wall (Cloudflare Turnstile) refuses programs."
    would_change = "An answer to plain clients, or the paid file with its layout: the free lists are of filings alone."

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold the term, of every status (X)."""
        return self._list(session, "NS", f"{spelled(term)}_X")

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Just this name."""
        return self._list(session, "EN", f"{spelled(name)}_X")

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """Open the entity itself; an empty panel is the answer for an unknown number."""
        panel, sections = self._sections(session, entity_id)
        return ResultList((Candidate.of(_record(panel, sections)),) if panel else ())

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The entity's sections; agent and place stand in the row."""
        if candidate.record:
            return candidate.record
        panel, sections = self._sections(session, candidate.entity_id)
        if panel is None:
            raise PageChanged(f"{candidate.entity_id} is listed, and its detail is empty")
        return _record(panel, sections, agent=candidate.handle["agent"], state=candidate.handle["state"])

    def _list(self, session: PortalSession, prefix: str, question: str) -> ResultList:
        answer = self._get(session, prefix, question)
        rows = need_rows(need(answer, "data"), "data")
        if not rows:
            _refuse_more(answer)
        note_unread_keys(rows, _ROW, session)
        complete = all(need_number(need(row, "result_count"), "result_count") == len(rows) for row in rows)
        return ResultList(tuple(_candidate(row) for row in rows), complete)

    def _sections(
        self, session: PortalSession, number: str
    ) -> tuple[Mapping[str, Any] | None, dict[str, list[Mapping[str, Any]]]]:
        """The sections of a detail by name: their order has changed before."""
        sections: dict[str, list[Mapping[str, Any]]] = {}
        answer = self._get(session, "VD", number)
        for section in need_rows(need(answer, "data"), "data"):
            sections.update({name: need_rows(rows, name) for name, rows in section.items()})
        note_unread(set(sections) - {"firstpanel", "registrant", "listing"}, session)
        panel, *more = (need(sections, name) for name in ("firstpanel", "registrant", "listing"))  # also empty ones
        if not panel and any(more):
            raise PageChanged(f"{number} has an agent or filings, and no panel of its own")
        if not panel:
            _refuse_more(answer)
        return (panel[0] if panel else None), sections

    def _get(self, session: PortalSession, prefix: str, question: str) -> Any:
        headers = {"Accept": "application/json", "Origin": _PAGE, "Referer": f"{_PAGE}/"}
        routes = session.get(f"{_PAGE}/ajax/endPoints.json", headers=headers) if not session.pages else session.pages[0]
        known = [url for row in need_rows(need(routes.json(), "data"), "data") for url in row.values()]
        if f"{_API}/{prefix}_" not in known:
            raise PageChanged(f"the page's routes do not hold {prefix}_")
        answer = session.get(f"{_API}/{prefix}_{quote(question, safe='$')}", headers=headers).json()
        if isinstance(answer, Mapping) and answer.get("success") is False:
            raise PortalUnavailable(f"the registry says that it failed: {answer.get('message')!r}"[:300])
        return answer


def _refuse_more(answer: Mapping[str, Any]) -> None:
    """PageChanged where an empty answer says more than that it is empty: recorded answers hold `data` alone."""
    more = {key: value for key, value in answer.items() if key not in ("data", "success") and value}
    if more or answer.get("success", True) is not True:
        raise PageChanged(f"nothing is listed, and beside it stands {more!r}"[:300])


def spelled(name: str) -> str:
    """A name as the page writes it into a path: capitals, few signs, four of them by a code of their own."""
    kept = re.sub(r"[^a-zA-Z0-9_%& -]", "", name)
    return " ".join(re.sub(r"[-_%&]", lambda sign: _SIGNS[sign.group()], kept).split()).upper()


def _candidate(row: Any) -> Candidate:
    agent = _shown(row, "agent_name") if _shown(row, "agent_status") == "Active" else None  # named on when resigned
    return Candidate(
        name=need_text(row, "business_name"),
        entity_id=need_text(row, "charter_num"),
        status=need_text(row, "status"),
        entity_type=_shown(row, "business_type"),
        name_kind=types.name_kind(_shown(row, "business_type")),
        handle={"agent": agent or "", "state": _shown(row, "state_name") or ""},
        sos_url=_link(need_text(row, "charter_num")),
    )


def _record(
    panel: Mapping[str, Any], sections: Mapping[str, list[Mapping[str, Any]]], *, agent: str = "", state: str = ""
) -> EntityRecord:
    number, entity_type = need_text(panel, "charter_num"), _shown(panel, "business_type")
    contact = _agent(sections["registrant"], number, entity_type)
    named = _shown(contact, "contact_name") if contact else None
    return EntityRecord(
        entity_name=need_text(panel, "business_name"),
        entity_id=number,
        entity_type=entity_type,
        status=need_text(panel, "status"),
        formation_date=_shown(panel, "effect_date"),
        jurisdiction=state or None,
        agent_name=named or agent or None,
        agent_address=_address(contact) if contact and named else Address(),  # of whom the list names nobody knows
        filings=tuple(
            Filing(_shown(row, "effect_date"), need_text(row, "tran_code_desc")) for row in sections["listing"]
        ),
        sos_url=_link(number),
    )


def _agent(contacts: list[Mapping[str, Any]], number: str, entity_type: str | None) -> Mapping[str, Any] | None:
    """The active registrant; for other kinds than corporations and LLCs it may be an applicant, so nobody is named."""
    kind = types.to_class(entity_type)
    if kind not in ("corporation", "nonprofit_corporation", "professional_corporation", "llc", "professional_llc"):
        return None
    active = [row for row in contacts if _shown(row, "status") == "Active" and _shown(row, "charter_num") == number]
    return active[0] if len(active) == 1 else None


def _address(contact: Mapping[str, Any]) -> Address:
    return addresses.from_parts(
        _shown(contact, "contact_addr1"),
        _shown(contact, "contact_addr2"),
        city=_shown(contact, "contact_city"),
        state=_shown(contact, "contact_state"),
        zip=_shown(contact, "contact_zip9"),
    )


def _shown(row: Mapping[str, Any], key: str) -> str | None:
    """A value of the API; "-" is its word for nothing."""
    value = text(need(row, key))
    return None if value == "-" else value


def _link(number: str) -> str:
    return f"{_PAGE}/?=businessDetails/{number}"
