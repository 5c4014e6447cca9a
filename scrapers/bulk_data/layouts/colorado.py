"""Colorado's "Business Entities in Colorado": the columns of the data set, asked live and held whole alike.

The words for the codes of entity types are ours after the state's own terms. Sixteen codes stand beside the state's
words in an export of 2018, which still had the column `entitytypeverbatim` (DT "Ditch Company", WC "Water Company",
DC55 "Cooperative Association", DC56 "Cooperative"); two public descriptions agree on the rest; the articles of 55 and
56 are those under which the office's own forms file cooperatives. DPCDT and its like are read as what their two parts
mean. Of some 51 codes, CS, CU, FO and SL stay codes, and so do CU and SL behind another: no two sources agree on them.
"""

from __future__ import annotations

import re

from scrapers.normalize import addresses, names
from scrapers.parsing.fields import coded, listed, need_text
from scrapers.records import Address, EntityRecord
from scrapers.transport import conditions
from scrapers.transport.soda import Row, value

_KINDS = {
    "LLC": "Limited Liability Company",
    "PC": "Profit Corporation",
    "NC": "Nonprofit Corporation",
    "LP": "Limited Partnership",
    "LLP": "Limited Liability Partnership",
    "LCA": "Limited Cooperative Association",
    "LLLP": "Limited Liability Limited Partnership",
    "LPA": "Limited Partnership Association",
}
_TYPES = {
    f"{mark}{kind}": f"{word} {words}"
    for kind, words in _KINDS.items()
    for mark, word in (("D", "Domestic"), ("F", "Foreign"))
} | coded(
    "DPC-PBC: Domestic Public Benefit Corporation | FCOOP: Foreign Cooperative | GP: General Partnership | "
    "DLCA-PBC: Domestic Limited Cooperative Association (Public Benefit Corporation) | SP: Sole Proprietorship | "
    "DC55: Domestic Cooperative Association (Article 55) | DC56: Domestic Cooperative (Article 56) | "
    "DC55-PBC: Domestic Cooperative Association (Article 55, Public Benefit Corporation) | "
    "DC56-PBC: Domestic Cooperative (Article 56, Public Benefit Corporation) | "
    "UNA: Unincorporated Nonprofit Association"
)
_TRADES = coded("DT: Ditch Company | IC: Insurance Company | WC: Water Company")
_TYPES |= _TRADES | {
    f"{code}{trade}": f"{_TYPES[code]} ({words})"
    for code in listed("DPC | DNC | FPC | FNC")
    for trade, words in _TRADES.items()
}
# The data appends what happened to an inactive entity's name: "6301 EXAMPLE LLC, Delinquent May 1, 2022".
_EVENT = re.compile(
    r",\s*(?P<event>[A-Za-z()][A-Za-z() ]{3,50}\s(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\s\d{1,2},\s\d{4})$",
    flags=re.IGNORECASE,
)
_FORMS = ("", " LLC", ", LLC", " INC", ", INC.", " INC.", " CORPORATION", " CO.")
_AGENT = listed("agentfirstname | agentmiddlename | agentlastname | agentsuffix")
_ADDRESS = listed("address1 | address2 | city | state | zipcode | country")
READ = (
    *listed("entityid | entityname | entitystatus | entitytype | entityformdate | jurisdictonofformation"),
    *(*_AGENT, "agentorganizationname"),
    *(f"{who}{part}" for who in listed("principal | mailing | agentprincipal | agentmailing") for part in _ADDRESS),
)
SEARCH = "https://www.coloradosos.gov/biz/BusinessEntityCriteriaExt.do"
_LINK = (
    "https://www.coloradosos.gov/biz/BusinessEntityDetail.do?quitButtonDestination=BusinessEntityResults&nameTyp=ENT"
    "&srchTyp=ENTITY&masterFileId={id}&entityId2={id}&fileId={id}"
)


def record(row: Row) -> EntityRecord:
    """One row is one entity; the name without the event that the data appends to it."""
    name, event = split_event(need_text(row, "entityname"))
    entity_id, code = need_text(row, "entityid"), value(row, "entitytype")
    return EntityRecord(
        entity_name=name,
        entity_id=entity_id,
        status=value(row, "entitystatus"),
        standing=event,
        entity_type=_TYPES.get(code or "", code),
        formation_date=value(row, "entityformdate"),
        jurisdiction=value(row, "jurisdictonofformation"),
        agent_name=value(row, "agentorganizationname") or _person(row),
        agent_address=_address(row, "agentprincipal") or _address(row, "agentmailing"),
        principal_address=_address(row, "principal"),
        mailing_address=_address(row, "mailing"),
        sos_url=_LINK.format(id=entity_id),
    )


def _person(row: Row) -> str | None:
    return " ".join(part for column in _AGENT if (part := value(row, column))) or None


def split_event(name: str) -> tuple[str, str | None]:
    """ "ACME LLC, Delinquent May 1, 2022" as the name and what happened to it."""
    found = _EVENT.search(name)
    return (name[: found.start()].rstrip(), found["event"]) if found else (name, None)


def with_an_event(name: str) -> str:
    """The condition for rows that carry an event: they begin with the name asked for. Empty for a very long name."""
    base = names.without_suffix(name).upper()
    if len(base) > 60:
        return ""
    begins = (conditions.quoted(f"{base}{form}, ") for form in _FORMS)
    return " or ".join(f"starts_with(upper(entityname),{text})" for text in begins)


def _address(row: Row, prefix: str) -> Address:
    street, more, city, state, zip_code, country = (value(row, f"{prefix}{part}") for part in _ADDRESS)
    return addresses.from_parts(street, more, city=city, state=state, zip=zip_code, country=country)
