"""New Hampshire: Secretary of State, Corporation Division (QuickStart, the platform's older generation).

Evidence: a recorded detail (2018); the search's fields and the grid's columns from public clients. Guessed: the
spelling of "Contains" and of the search by number, the grid's heading words, and how a listed principal looks
("NAME / TITLE", then the address). E-mail addresses and telephone numbers are personal data: they are not kept.
"""

from __future__ import annotations

from scrapers.parsing.fields import listed
from scrapers.platforms.civix.portal import Columns
from scrapers.platforms.civix.quickstart import QuickStartPortal
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings

_HOST = "https://quickstart.sos.nh.gov/online/BusinessInquire"


class NewHampshire(QuickStartPortal):
    """Secretary of State, Corporation Division."""

    code = "NH"
    hosts = ("quickstart.sos.nh.gov",)
    sources = (_HOST,)
    home, results, pager = _HOST, f"{_HOST}/BusinessSearch", f"{_HOST}/BusinessSearchList"
    columns = Columns("Business Name", "Business ID", "Status", "Business Type", previous_name="Previous Name")
    id_pattern = r"\d{1,7}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | jurisdiction | officers"
        )
    )
    statuses = meanings(
        "Good Standing | Active | Not In Good Standing | Pending | Administratively Dissolved | "
        "Administratively Suspended | Admin Dissolution | Dissolved | Administratively Dissolved/Suspended | Merged | "
        "Withdrawn | Cancelled | Expired | Revoked | Forfeited"
    )
    ignored = listed(
        "Management Style | Principal Purpose | Name in State of Formation | Date of Formation in Jurisdiction | "
        "Last Annual Report Year | Next Report Year | Duration | Business Email | Phone # | Notification Email | "
        "Fiscal Year End Date | Registered Mailing Address"
    )
    terms = Terms("unstated", robots="answers 403", note="No public statement on automated search was found.")
    verification = "recorded"
    off_reason = "The portal refuses plain clients (403)."
    would_change = "An answer to plain clients, or the paid lists that the law provides for, with their layout."
