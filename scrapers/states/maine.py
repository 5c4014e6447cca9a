"""Maine: Secretary of State, Bureau of Corporations, ICRS.

Evidence: public clients of the portal, which opened summaries by number until 2023 (documented; no recorded page at
hand). Guessed: the form's other fields (they are read from the page), the line that there is nothing, the place of
the addresses, and most status words.
"""

from __future__ import annotations

from scrapers.families.icrs.portal import IcrsPortal
from scrapers.parsing.fields import listed
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings
from scrapers.transport.pace import Pace

_KINDS = "B|D|I|L|M|N|F|R|CP|DC|DP|LP|LN|ND|RC|RD|RI|RN|RP|RR|CR|FC|FP|LF|LR|NF|NR|PR"


class Maine(IcrsPortal):
    """Secretary of State, Bureau of Corporations."""

    code = "ME"
    hosts = ("apps3.web.maine.gov",)
    sources = ("https://apps3.web.maine.gov/nei-sos-icrs/ICRS?MainPage=x",)
    id_pattern = rf"\d{{8}}\s?({_KINDS})"
    capabilities = Capabilities(agent=True, addresses=True, former_names=True)
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | "
            "mailing_address | jurisdiction"
        )
    )
    statuses = meanings(
        active="Good Standing",
        warning="Not in Good Standing",
        inactive=(
            "Administratively Dissolved | Dissolved | Cancelled | Revoked | Withdrawn | Merged | Converted | "
            "Suspended | Terminated"
        ),
        neutral="Reserved | Expired",
    )
    pace, estimated_seconds = Pace(seconds=5.0, concurrency=1), 15
    terms = Terms("forbidden", note="The portal warns that automated tools may be suspended.")
    verification, on_by_default = "documented", False
    off_reason = "The portal warns against automated tools and asks for a captcha before a search."
