"""California: the official API (CALICO) when the operator has its free key, else the search page's own JSON.

The page's list (2026-05; since 2026-09 with a token for a number) and UCC answers are recorded; its drawer is
documented by its labels, and so is the API. The page stands behind Imperva (403 with an empty body); the API does not.
Partnerships (LLP, general) are not in the page's search. One UCC box finds debtors and secured parties alike. A lien
that was terminated is "Active" in its list (recorded), so one is called active only where its history was read.
"""

from __future__ import annotations

from typing import Any

from scrapers.parsing.fields import listed
from scrapers.platforms.fileone import questions
from scrapers.platforms.fileone.calico import API, CalicoPortal
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings


class California(CalicoPortal):
    """Secretary of State, bizfile and CALICO."""

    code, host = "CA", "bizfileonline.sos.ca.gov"
    hosts, sources = (host, "calico.sos.ca.gov"), (f"https://{host}/search/business", API)
    numbered = primed = True
    id_pattern = r"C?\d{4,7}|\d{8}|\d{12}|[A-Z]\d{11}"
    capabilities = Capabilities(agent=True, addresses=True, ucc=True, ucc_secured_party=True, ucc_date_filter=True)
    statuses = meanings(
        "Active | Terminated | Canceled | Cancelled | Dissolved | Merged Out | Converted Out | Surrender | "
        "Surrendered | Term Expired | Inactive | Suspended | Pending Cancellation",
        suspended=(
            "Suspended - FTB | Suspended - SOS | Suspended - FTB/SOS | Suspended - SOS/FTB | FTB Suspended | "
            "SOS Suspended | SOS/FTB Suspended | Forfeited | Forfeited - FTB | Forfeited - SOS | Forfeited - FTB/SOS"
        ),
    )
    terms = Terms("unstated", note="CALICO is the state's own API, with a free key from calicodev.sos.ca.gov.")
    verification = "recorded"
    off_reason = (
        "The registry's data service wants a key that is not set up here; without it the portal's bot wall (Imperva) "
        "refuses programs."
    )
    would_change = "A free CALICO key (calicodev.sos.ca.gov): set CALICO_KEY and switch California on."
    columns = frozenset({"FORMED_IN", "ENTITY_TYPE"})
    type_key, type_labels = "ENTITY_TYPE", ("Entity Type",)
    twice = {"Initial Filing Date": "FILING_DATE", "Formed In": "FORMED_IN"}
    headed_agent, agent_labels = True, ("Agent",)
    standing_labels = listed("Standing - SOS | Standing - FTB | Standing - Agent | Standing - VCFCF")
    ignored = listed(
        "Inactive Date | Foreign Name | Statement of Info Due Date | "
        "CA Registered Corporate (1505) Agent Authorized Employee(s)"
    )

    def check_id(self, entity_id: str) -> str:
        """Without the C and the zeros before older numbers: what was C0806592 in 2017 is shown as 806592 (GLEIF)."""
        number = super().check_id(entity_id).removeprefix("C")
        return number.lstrip("0").zfill(4) if len(number) < 8 else number

    def question(self, term: str, *, starts_with: bool) -> dict[str, Any]:
        """The page knows no search for a beginning."""
        return questions.disclosures(term)
