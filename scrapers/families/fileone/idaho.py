"""Idaho: SOSBiz. List and detail recorded (2026-05).

"Active-…" and "Inactive-…" are told by their beginning, as the registry documents it; the words after the dash are
the reason. Assumed business names are rows (and registrations) of their own. No officers are shown. That the search
takes numbers is known of the family, not of Idaho.

Liens: question and row as one client of 2026 sends and reads them, not recorded. Lapsed ones are included. What the
question must say to search by secured party is not known, so that is not offered; later filings on a lien are not
listed. A name that may be a person's is asked for both as a company and as a person.
"""

from __future__ import annotations

from typing import Any

from scrapers.families.fileone import ucc
from scrapers.families.fileone.portal import FileOnePortal, rows_of
from scrapers.portal import Capabilities, StatusMeaning, Terms, meanings
from scrapers.records import Query, UccFiling
from scrapers.transport.session import PortalSession


class Idaho(FileOnePortal):
    """Secretary of State, SOSBiz."""

    code, host = "ID", "sosbiz.idaho.gov"
    hosts, sources = (host,), (f"https://{host}/search/business",)
    id_pattern = r"\d{7,10}"
    capabilities = Capabilities(
        agent=True, addresses=True, ucc=True, ucc_date_filter=True, name_modes=("contains", "starts_with")
    )
    statuses = meanings(active=["Active"], inactive=["Inactive"])
    status_prefixes = (("Active-", StatusMeaning("active")), ("Inactive-", StatusMeaning("inactive")))
    terms = Terms("unstated", robots="permits", note="Passive Cloudflare; plain HTTP answered in 2026.")
    verification, on_by_default = "recorded", True
    ignored = ("Foreign Name", "Term of Duration", "Inactive Filing Date", "AR Due Date")

    def question(self, term: str, *, starts_with: bool) -> dict[str, Any]:
        """As the page sends it."""
        return super().question(term, starts_with=starts_with) | {"CRA_SEARCH_YN": False}

    def check_id(self, entity_id: str) -> str:
        """Ten digits; the list shows the number without its leading zeros too."""
        return super().check_id(entity_id).zfill(10)

    def filings(self, session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
        """Liens by the debtor's name."""
        question: dict[str, Any] = {
            "SEC_PARTY_SEARCH_YN": False, "SEARCH_IS_ORG": True, "SEARCH_LAST_NAME": "", "SEARCH_FIRST_NAME": "",
            "SEARCH_MIDDLE_NAME": "", "SEARCH_SUFFIX": "", "SEARCH_ORG_NAME": query.name, "SEARCH_CITY": "",
            "SEARCH_STATE": "", "SEARCH_LAPSED": True, "SEARCH_TYPE": "DEBTOR", "SEARCH_REQUEST_TYPE": "LIST_ONLY",
            "SEARCH_UCC": True, "SEARCH_GOV": False, "SEARCH_EFS": False, "SEARCH_CROP_LIEN": False,
            "SEARCH_AG_LIEN": False, "SEARCH_MODE": 4, "SEARCH_UCC_NUM": "", "BEGIN_DATE": "",
        }  # fmt: skip
        rows, complete = [], True
        for part in [{}, *_as_person(query.name or "")]:
            url = f"https://{self.host}/api/records/uccinforeqsearch"
            found = rows_of(session.post(url, json=question | part, headers=self.headers("ucc")).json())
            rows += found
            complete = complete and len(found) < self.limit
        return tuple(ucc.read(rows, query, session)), complete


def _as_person(name: str) -> list[dict[str, Any]]:
    person = ucc.person(name)
    if person is None:
        return []
    first, middle, last = person
    return [
        {"SEARCH_IS_ORG": False, "SEARCH_ORG_NAME": "", "SEARCH_LAST_NAME": last, "SEARCH_FIRST_NAME": first,
         "SEARCH_MIDDLE_NAME": middle}
    ]  # fmt: skip
