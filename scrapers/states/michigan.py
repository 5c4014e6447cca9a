"""Michigan: MI Business Registry Portal (LARA). Nothing recorded.

Documented by one client's labels and columns (2026-11). Cloudflare lets only a browser in. Officers are not shown. The
assumed name of a row is kept; the history of assumed names would be one more request and is not read.
"""

from __future__ import annotations

from scrapers.parsing.fields import Labels, listed
from scrapers.platforms.fileone import drawer
from scrapers.platforms.fileone.second_generation import SecondGeneration
from scrapers.portal import Capabilities, Terms
from scrapers.records import Address
from scrapers.statuses import meanings, prefixes


class Michigan(SecondGeneration):
    """Department of Licensing and Regulatory Affairs, Corporations Division."""

    code, host = "MI", "mibusinessregistry.lara.state.mi.us"
    hosts, sources = (host,), (f"https://{host}/search/business",)
    id_pattern = r"[A-Z]?\d{4,9}"
    capabilities = Capabilities(by_id=False, agent=True)
    published = frozenset(listed("status | entity_type | formation_date | agent_name | agent_address | jurisdiction"))
    statuses = meanings(
        "Active | Rescinded | Converted | Expired | Not Registered | Other",
        involuntarily_dissolved="Dissolved - Court Order",
        expired="Dissolved - Term Expired | Cancelled - Term Expired",
        merged="Existence Ceased - Merged | Existence Ceased - Consolidated",
    )
    status_prefixes = prefixes(  # "Dissolved - Operation of Law" and others: the words before the dash decide
        "Dissolved | Revoked | Withdrawn | Cancelled", inactive="Existence Ceased"
    )
    terms = Terms("unstated", note="Cloudflare challenge. Michigan.gov's terms forbid automated access.")
    off_reason = "The portal's bot wall (Cloudflare) refuses programs."
    would_change = "An answer to plain clients, or a file that the department hands out: none is on sale."
    name_label, number_label = "Entity Name", "Identification #"
    type_labels, status_labels = ("Entity Type",), ("Entity Status",)
    more_parameters = {"SearchByOption": -1}
    ignored = ("Inactive Date", "AR Standing", "AR Due Date", "Management Type", "Resident Agent Mailing Address")

    def agent(self, labels: Labels) -> tuple[str | None, Address]:
        """Name and office stand under two labels."""
        office = drawer.lines(labels.maybe("Registered Office Street Address"))
        return drawer.line(labels.maybe("Resident Agent Name")), drawer.address(office)
