"""California: the official API (CALICO) when the operator has its free key, else the search page's own JSON.

The page's list and UCC answers are recorded (2026-05); its drawer is documented by its labels and one published page;
the API is documented. The page stands behind Imperva (403 with an empty body for most programs); the API does not.
Partnerships (LLP, general) are not in the page's search. One UCC box finds debtors and secured parties alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scrapers.parsing.fields import Labels, text
from scrapers.platforms.fileone import drawer
from scrapers.platforms.fileone.calico import API, CalicoPortal
from scrapers.platforms.fileone.portal import Row
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address
from scrapers.statuses import StatusMeaning, meanings

_SUSPENDED = (
    "suspended - ftb",
    "suspended - sos",
    "suspended - ftb/sos",
    "suspended - sos/ftb",
    "suspended",
    "ftb suspended",
    "sos suspended",
    "sos/ftb suspended",
    "forfeited - ftb/sos",
    "forfeited - ftb",
    "forfeited - sos",
    "forfeited",
)


class California(CalicoPortal):
    """Secretary of State, bizfile and CALICO."""

    name_search = replace(
        CalicoPortal.name_search,
        cap_basis="documented",
        evidence="Public clients: at most 500 rows from the page, 150 from CALICO, which also takes begins-with.",
    )
    code, host = "CA", "bizfileonline.sos.ca.gov"
    hosts, sources = (host, "calico.sos.ca.gov"), (f"https://{host}/search/business", API)
    numbered = True
    id_pattern = r"C?\d{7}|\d{12}|[A-Z]\d{11}"
    capabilities = Capabilities(agent=True, addresses=True, ucc=True, ucc_secured_party=True, ucc_date_filter=True)
    statuses = meanings(
        active="Active",
        inactive=(
            "Terminated | Canceled | Cancelled | Dissolved | Merged Out | Converted Out | Surrender | "
            "Surrendered | Term Expired | Inactive"
        ),
        neutral="Pending Cancellation",
    ) | {word: StatusMeaning("inactive", "suspended") for word in _SUSPENDED}
    terms = Terms("unstated", note="CALICO is the state's own API, with a free key from calicodev.sos.ca.gov.")
    verification = "recorded"
    off_reason = (
        "Get a free CALICO key (calicodev.sos.ca.gov), set CALICO_KEY and switch California on; without the key the "
        "portal's bot wall (Imperva) refuses programs."
    )
    primed = True
    columns = frozenset({"FORMED_IN", "ENTITY_TYPE"})
    type_labels = ("Entity Type",)
    ignored = (
        "Standing - SOS",
        "Standing - FTB",
        "Standing - Agent",
        "Standing - VCFCF",
        "Inactive Date",
        "Foreign Name",
        "Statement of Info Due Date",
        "CA Registered Corporate (1505) Agent Authorized Employee(s)",
    )

    def check_id(self, entity_id: str) -> str:
        """Without the C that older numbers are written with."""
        return super().check_id(entity_id).upper().removeprefix("C")

    def question(self, term: str, *, starts_with: bool) -> dict[str, Any]:
        """Every one of these keys must be sent."""
        return {
            "SEARCH_VALUE": term,
            "SEARCH_FILTER_TYPE_ID": "0",
            "SEARCH_TYPE_ID": "1",
            "FILING_TYPE_ID": "",
            "STATUS_ID": "",
            "FILING_DATE": {"start": None, "end": None},
            "CORPORATION_BANKRUPTCY_YN": False,
            "CORPORATION_LEGAL_PROCEEDINGS_YN": False,
            "OFFICER_OBJECT": {"FIRST_NAME": "", "MIDDLE_NAME": "", "LAST_NAME": ""},
            "NUMBER_OF_FEMALE_DIRECTORS": "99",
            "NUMBER_OF_UNDERREPRESENTED_DIRECTORS": "99",
            "COMPENSATION_FROM": "",
            "COMPENSATION_TO": "",
            "SHARES_YN": False,
            "OPTIONS_YN": False,
            "BANKRUPTCY_YN": False,
            "FRAUD_YN": False,
            "LOANS_YN": False,
            "AUDITOR_NAME": "",
        }

    def row_type(self, row: Row, title: list[str | None]) -> str | None:
        """A column of its own."""
        return text(row.get("ENTITY_TYPE"))

    def agent(self, labels: Labels) -> tuple[str | None, Address]:
        """The first line always says the agent's kind ("Individual", "1505 Corporation")."""
        rows = drawer.lines(labels.maybe("Agent"))[1:]
        return (rows[0], drawer.address(rows[1:])) if rows else (None, Address())
