"""Colorado: "Business Entities in Colorado" (data set 4ykn-tg5h), all statuses, renewed daily.

Evidence: three recorded rows; columns and the complete list of statuses from the data set. The words for the codes of
entity types are ours after the state's own terms (DLLC and FPC recorded, the rest agreed by two public descriptions;
codes beyond the table stay codes). Gap: Colorado publishes no officers; trade names are another set and not asked.
"""

from __future__ import annotations

import re

from scrapers.normalize import addresses, names
from scrapers.parsing.fields import listed, need_text
from scrapers.platforms.socrata.portal import joined
from scrapers.platforms.socrata.whole import WholeSet
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address, EntityRecord
from scrapers.statuses import meanings
from scrapers.transport import conditions
from scrapers.transport.soda import Row, value
from scrapers.ucc.colorado import ColoradoLiens

_KINDS = {
    "LLC": "Limited Liability Company",
    "PC": "Profit Corporation",
    "NC": "Nonprofit Corporation",
    "LP": "Limited Partnership",
    "LLP": "Limited Liability Partnership",
    "COOP": "Cooperative",
    "LLLP": "Limited Liability Limited Partnership",
    "LPA": "Limited Partnership Association",
}
_TYPES = {
    f"{mark}{kind}": f"{word} {words}"
    for kind, words in _KINDS.items()
    for mark, word in (("D", "Domestic"), ("F", "Foreign"))
}
# The data appends what happened to an inactive entity's name: "6301 EXAMPLE LLC, Delinquent May 1, 2022".
_EVENT = re.compile(
    r",\s*(?P<event>[A-Za-z()][A-Za-z() ]{3,50}\s(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\s\d{1,2},\s\d{4})$",
    flags=re.IGNORECASE,
)
_ADDRESS = ("address1", "address2", "city", "state", "zipcode", "country")


class Colorado(ColoradoLiens, WholeSet):
    """Secretary of State, Business Division."""

    code = "CO"
    domain, dataset = "data.colorado.gov", "4ykn-tg5h"
    hosts = ("data.colorado.gov",)
    sources = (
        "https://data.colorado.gov/resource/4ykn-tg5h.json",
        "https://www.coloradosos.gov/biz/BusinessEntityCriteriaExt.do",
    )
    least_rows = 1_500_000
    name_column, id_column, id_pattern = "entityname", "entityid", r"\d{11}"
    capabilities = Capabilities(agent=True, addresses=True, ucc=True, ucc_secured_party=True, ucc_date_filter=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address"
        )
    )
    statuses = meanings(
        active="Good Standing | Exists",
        warning="Delinquent | Noncompliant | Registered Agent Resigned",
        neutral="Effectiveness Prevented",
        inactive=(
            "Administratively Dissolved | Consolidated | Converted | Dissolved (Term Expired) | "
            "Judicially Dissolved | Merged | Revoked | Voluntarily Dissolved | Withdrawn"
        ),
    )
    terms = Terms("allowed", robots="allows /resource/", note="Public-domain open data of the State of Colorado.")
    verification, on_by_default = "recorded", True
    always = ("entitystatus", "entitytype", "entityformdate")
    read = (
        "entityid",
        "entityname",
        "entitystatus",
        "entitytype",
        "entityformdate",
        "jurisdictonofformation",
        "agentfirstname",
        "agentmiddlename",
        "agentlastname",
        "agentsuffix",
        "agentorganizationname",
        *(f"{who}{part}" for who in ("principal", "mailing", "agentprincipal", "agentmailing") for part in _ADDRESS),
    )

    def record(self, row: Row) -> EntityRecord:
        """One row is one entity; the name without the event that the data appends to it."""
        name, event = split_event(need_text(row, "entityname"))
        entity_id, code = need_text(row, "entityid"), value(row, "entitytype")
        person = joined(row, "agentfirstname", "agentmiddlename", "agentlastname", "agentsuffix")
        return EntityRecord(
            entity_name=name,
            entity_id=entity_id,
            status=value(row, "entitystatus"),
            standing=event,
            entity_type=_TYPES.get(code or "", code),
            formation_date=value(row, "entityformdate"),
            jurisdiction=value(row, "jurisdictonofformation"),
            agent_name=value(row, "agentorganizationname") or person,
            agent_address=_address(row, "agentprincipal") or _address(row, "agentmailing"),
            principal_address=_address(row, "principal"),
            mailing_address=_address(row, "mailing"),
            sos_url=_LINK.format(id=entity_id),
        )

    def just_this(self, name: str) -> str:
        """Also the names that carry an event: they begin with the name asked for."""
        base = names.without_suffix(name).upper()
        begins = [
            f"{base}{form}, " for form in ("", " LLC", ", LLC", " INC", ", INC.", " INC.", " CORPORATION", " CO.")
        ]
        starts = " or ".join(f"starts_with(upper(entityname),{conditions.quoted(text)})" for text in begins)
        exact = super().just_this(name)
        return f"{exact} or {starts}" if len(base) <= 60 else exact


_LINK = (
    "https://www.coloradosos.gov/biz/BusinessEntityDetail.do?quitButtonDestination=BusinessEntityResults&nameTyp=ENT"
    "&srchTyp=ENTITY&masterFileId={id}&entityId2={id}&fileId={id}"
)


def split_event(name: str) -> tuple[str, str | None]:
    """ "ACME LLC, Delinquent May 1, 2022" as the name and what happened to it."""
    found = _EVENT.search(name)
    return (name[: found.start()].rstrip(), found["event"]) if found else (name, None)


def _address(row: Row, prefix: str) -> Address:
    parts = {part: value(row, f"{prefix}{part}") for part in _ADDRESS}
    return addresses.from_parts(
        parts["address1"],
        parts["address2"],
        city=parts["city"],
        state=parts["state"],
        zip=parts["zipcode"],
        country=parts["country"],
    )
