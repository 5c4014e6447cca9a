"""Puerto Rico: the JSON API behind the registry's own page.

Source: one recorded search row (an expired partnership); the detail is documented by the keys that three published
clients read, two of which disagree on where the main address stands (`corpStreetAddress` or `mainLocation`), so both
are read. `matchType` 4 finds names holding all words; at most `limit` rows come, with no pages, and `totalRecords`
beside them counts all. How "nothing found" looks was not seen: only an empty `records` list is taken for it. Annual
filings and changes of name are two further answers, free to read and not asked (docs/truth.md has the reasons).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.parsing.fields import (
    coded,
    is_domestic,
    listed,
    need,
    need_number,
    need_rows,
    need_text,
    note_unread_keys,
    optional_object,
    optional_rows,
    refuse_renamed,
    text,
)
from scrapers.portal import Canaries, Capabilities, Portal, Terms
from scrapers.records import Address, Candidate, EntityRecord, Officer, PartyKind, ResultList
from scrapers.search.terms import NameSearch
from scrapers.statuses import meanings
from scrapers.transport.session import PortalSession

_API, _JSON = "https://rceapi.estado.pr.gov/api/corporation", {"Accept": "application/json"}
_ROW = frozenset(
    listed(
        "businessEntityId | registrationNumber | registrationIndex | corpName | classEs | classEn | profitTypeEs | "
        "profitTypeEn | statusId | statusEs | statusEn"
    )
)
_KINDS = {"1": True, "2": False, "3": False}  # domestic; of another state; of another country ("No Estadounidense")
_ADDRESS = frozenset(listed("address1 | address2 | city | state | stateAbbreviation | zip | countryAbbreviation"))
_TITLES = coded("incorporators: Incorporator | publicBenefitExecutives: Public Benefit Executive")
_OTHERS = listed("corporation | mainLocation | corpStreetAddress | mailingAddress | residentAgent | officers")
_SECTIONS = frozenset({*_OTHERS, *_TITLES, "administrators"})


class PuertoRico(Portal):
    """Departamento de Estado, Registro de Corporaciones y Entidades."""

    code, hosts, sources = "PR", ("rceapi.estado.pr.gov",), ("https://rcp.estado.pr.gov/en/search",)
    id_pattern, capabilities = r"-?\d{1,9}-\d{1,6}", Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "status | entity_type | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | officers | jurisdiction"
        )
    )
    statuses = meanings(
        "ACTIVE | EXPIRED | CANCELLED | CANCELED | DISSOLVED | MERGED | REVOKED | CONVERTED | RESERVED | "
        "IN PROCESS | SUSPENDED",
        neutral="AMENDED | CONVERSION",
    )
    name_search = NameSearch(
        mode="all_words",
        mode_basis="documented",
        narrow="exact",
        cap=250,
        cap_basis="documented",
        says_total=True,
        evidence="Public clients: matchType 4 finds names holding the words; we ask for 250 rows of a thousand.",
    )
    terms = Terms("unstated", note="The API asks for no key; some clients went through a proxy service.")
    verification, on_by_default = "recorded", True
    canaries = Canaries(active="Evertec Group, LLC")  # a well-known company of the island; not yet confirmed

    def search(self, session: PortalSession, term: str) -> ResultList:
        """Names that hold every word of the term."""
        return self._list(session, corpName=term, matchType=4)

    def narrow(self, session: PortalSession, name: str) -> ResultList:
        """Just this name."""
        return self._list(session, corpName=name, matchType=2)

    def find(self, session: PortalSession, entity_id: str) -> ResultList:
        """The number before the dash is shared by entities of different classes; the whole index is one of them."""
        return self._list(session, registryNumber=int(entity_id.rpartition("-")[0])).only(entity_id.__eq__)

    def detail(self, session: PortalSession, candidate: Candidate) -> EntityRecord:
        """The whole entity by its index."""
        found = _response(session.get(f"{_API}/info/{candidate.entity_id}", headers=_JSON).json())
        corporation = need(found, "corporation")
        note_unread_keys([found], _SECTIONS, session)
        if "corpStreetAddress" not in found:  # one of the two places must have it
            need(need(found, "mainLocation"), "streetAddress")
        agent = optional_object(need(found, "residentAgent"), "residentAgent")
        jurisdiction, domestic = _origin(corporation, found)
        return EntityRecord(
            entity_name=need_text(corporation, "corpName"),
            entity_id=need_text(corporation, "corpRegisterIndex"),
            status=need_text(corporation, "statusEn"),
            entity_type=candidate.entity_type or text(need(corporation, "classEn")),
            formation_date=text(need(corporation, "dateFormed")),
            jurisdiction=jurisdiction,
            domestic=domestic,
            agent_name=_party(agent)[0] if agent is not None else None,
            agent_address=_address(need(agent, "streetAddress")) if agent is not None else Address(),
            principal_address=_address(_main(found, "corpStreetAddress", "streetAddress")),
            mailing_address=_address(_main(found, "mailingAddress", "mailingAddress")),
            officers=_people(found),
            sos_url=candidate.sos_url,
        )

    def _list(self, session: PortalSession, **asked: Any) -> ResultList:
        question = dict.fromkeys(listed("corpName | method | registryNumber | advanceSearch")) | {
            "cancellationMode": False,
            "comparisonType": 1,
            "isWorkFlowSearch": False,
            "limit": self.name_search.cap or 1,
            "matchType": 4,
            "onlyActive": False,
        }
        found = _response(session.post(f"{_API}/search", json=question | asked, headers=_JSON).json())
        rows = need_rows(need(found, "records"), "records")
        note_unread_keys(rows, _ROW, session)
        whole = need_number(found.get("totalRecords", len(rows)), "totalRecords") <= len(rows)
        whole = whole and ("totalRecords" in found or self.name_search.whole(len(rows)))
        return ResultList(tuple(_candidate(row) for row in rows), whole)


def _candidate(row: Any) -> Candidate:
    index = need_text(row, "registrationIndex")
    url = f"https://rcp.estado.pr.gov/en/entity-information?c={index}"
    name, status, kind = need_text(row, "corpName"), need_text(row, "statusEn"), text(need(row, "classEn"))
    profit = text(need(row, "profitTypeEn"))  # "For Profit", which goes without saying
    kind = f"{kind} ({profit})" if kind and profit and profit.casefold() != "for profit" else kind
    return Candidate(name, index, status, kind, sos_url=url)


def _response(answer: Any) -> Any:
    """The contents of the envelope; PageChanged when the API says no, or says nothing."""
    if need(answer, "success") is not True:
        raise PageChanged(f"the API refused: code {answer.get('code')!r}, {answer.get('info')!r}")
    return need(answer, "response")


def _origin(corporation: Any, found: Mapping[str, Any]) -> tuple[str | None, bool | None]:
    """Its home state, or the country of an address abroad, never a mere "Foreign", and whether it is of the island."""
    word, kind = text(need(corporation, "jurisdictionEn")), text(corporation.get("corporationJurisdictionTypeId"))
    abroad = optional_object(_main(found, "foreignDomicileAddress", "foreignDomicileAddress"), "the address abroad")
    country = text(need(abroad, "province")) if abroad is not None else None
    domestic = _KINDS.get(kind or "", is_domestic(word))
    return text(need(corporation, "homeState")) or country or ("Puerto Rico" if domestic else None), domestic


def _main(found: Mapping[str, Any], direct: str, inside: str) -> Any:
    """The main address stands at the top, or inside `mainLocation`."""
    main = optional_object(found.get("mainLocation"), "mainLocation") or {}
    return main.get(inside) if found.get(direct) in (None, "") else found[direct]


def _address(raw: Any) -> Address:
    if optional_object(raw, "an address") is None:
        return Address()
    refuse_renamed(raw, () if "state" in raw else ("stateAbbreviation",), known=_ADDRESS)
    return addresses.from_parts(
        text(need(raw, "address1")),
        text(need(raw, "address2")),
        city=text(need(raw, "city")),
        state=text(raw.get("stateAbbreviation")) or text(raw.get("state")),
        zip=text(need(raw, "zip")),
    )


def _party(party: Any) -> tuple[str | None, PartyKind, str | None]:
    """Name, kind, and a person's family name, to which both `lastName` and `surName` belong."""
    person, company = optional_object(need(party, "individualName"), "a name"), need(party, "organizationName")
    if company and not party.get("isIndividual"):
        return text(need(company, "name") if isinstance(company, Mapping) else company), "organization", None
    parts = ("firstName", "middleName", "lastName", "surName") if person is not None else ()
    shown = [text(need(person, part)) or "" for part in parts]
    name, family = (" ".join(filter(None, some)) for some in (shown, shown[2:]))
    return name or None, "person", family if " " in family else None


def _people(found: Mapping[str, Any]) -> tuple[Officer, ...]:
    strange = [key for key in set(found) - _SECTIONS if "individualName" in str(found[key])]
    if strange and not _TITLES.keys() <= found.keys():  # which are there where they are null, too
        raise PageChanged(f"a list of people may have been renamed to one of {strange}")
    people = []
    for section, title in (("officers", None), ("administrators", "Administrator"), *_TITLES.items()):
        for row in optional_rows(found.get(section) if title else need(found, section), section):
            name, kind, family = _party(row)
            if name:
                where = addresses.one_line(_address(need(row, "streetAddress")))
                people.append(Officer(name, title or text(need(row, "titleEn")), where, kind, family))
    return tuple(people)
