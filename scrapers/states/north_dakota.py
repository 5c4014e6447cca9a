"""North Dakota: FirstStop. List recorded (2024, 20 rows), detail documented by its labels.

The search also lists rows whose name does not hold the term at all. The recorded ones look like companies that once
had such a name (CONDUENT was Xerox, GXO and RXO were parts of XPO), so a list may hold the company under another
name; it is then offered as a suggestion, never as a match, because the list does not say why a row is in it. The
agent's block begins with the name (public clients); that blank lines divide owners' blocks is guessed.
"""

from __future__ import annotations

from dataclasses import replace

from scrapers.normalize import addresses
from scrapers.parsing.fields import Labels, listed
from scrapers.platforms.fileone import drawer
from scrapers.platforms.fileone.portal import FileOnePortal
from scrapers.portal import Capabilities, Terms
from scrapers.records import Officer
from scrapers.statuses import meanings


class NorthDakota(FileOnePortal):
    """Secretary of State, FirstStop."""

    name_search = replace(
        FileOnePortal.name_search,
        mode_basis="recorded",
        shortest=1,
        shortest_basis="recorded",
        evidence=(
            "Recorded: a list for the one letter X, names that only hold it included; no cap was seen (203 rows came)."
        ),
    )
    code, host = "ND", "firststop.sos.nd.gov"
    hosts, sources = (host,), (f"https://{host}/search/business",)
    id_pattern = r"\d{4,10}"
    capabilities = Capabilities(agent=True, officers=True, addresses=True, assumed_names=True)
    published = FileOnePortal.published | {"officers"}
    statuses = meanings(
        "Active | Inactive | Inactive - Involuntary | Inactive - Voluntary | Inactive - Cancelled | "
        "Inactive - Expired | Inactive - Merged | Inactive - Consolidated | Inactive - Converted Out | "
        "Inactive - Domesticated | Inactive - Terminated by Court Order | Active / Not Good Standing | Pending | "
        "Suspended | Revoked"
    )
    terms = Terms("unstated", note="Plain HTTP clients worked 2019-2024; a captcha screen was reported once in 2026.")
    verification, on_by_default = "recorded", True
    ignored = listed(
        "Standing - AR | Standing - RA | Standing - Other | Term of Duration | AR Due Date | Nature of Business | "
        "Expiration Date"
    )

    def check_id(self, entity_id: str) -> str:
        """Ten digits."""
        return super().check_id(entity_id).zfill(10)

    def officers(self, labels: Labels) -> tuple[Officer, ...]:
        """Owners of trade names and partnerships; companies show none."""
        owner, where = drawer.line(labels.maybe("Owner Name")), drawer.lines(labels.maybe("Owner Address"))
        single = (Officer(owner, "Owner", addresses.one_line(drawer.address(where))),) if owner else ()
        return single + drawer.people(labels.maybe("Owners"), title="Owner")
