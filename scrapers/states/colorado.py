"""Colorado: "Business Entities in Colorado" (data set 4ykn-tg5h), all statuses, renewed daily, with the trade names
(u7sb-g482) and events (casm-dbbj) of the company that was chosen. Trade names are searched where no entity's is near.

Evidence: three recorded rows; columns from the data set. The statuses are those that public readers list, and those
that the data appends to names: what stands there may stand in the column. Gap: Colorado publishes no
officers; former names, since the events do not say which name is which.
"""

from __future__ import annotations

from scrapers.bulk_data import socrata
from scrapers.bulk_data.layouts import colorado
from scrapers.parsing.fields import listed
from scrapers.platforms.socrata.colorado_rows import ColoradoRows
from scrapers.portal import Capabilities, Terms
from scrapers.records import EntityRecord
from scrapers.statuses import meanings
from scrapers.transport.soda import Row
from scrapers.ucc.colorado import ColoradoLiens


class Colorado(ColoradoLiens, ColoradoRows):
    """Secretary of State, Business Division."""

    code = "CO"
    domain, dataset = "data.colorado.gov", "4ykn-tg5h"
    hosts = ("data.colorado.gov",)
    sources = (f"https://{domain}/resource/{dataset}.json", colorado.SEARCH)
    name_column, id_column, id_pattern = "entityname", "entityid", r"\d{11}"
    capabilities = Capabilities(
        agent=True,
        addresses=True,
        filings=True,
        assumed_names=True,
        ucc=True,
        ucc_secured_party=True,
        ucc_date_filter=True,
    )
    published = frozenset(
        listed(
            "entity_type | status | formation_date | jurisdiction | agent_name | agent_address | "
            "principal_address | mailing_address"
        )
    )
    statuses = meanings(
        "Good Standing | Exists | Delinquent | Noncompliant | Registered Agent Resigned | Effectiveness Prevented | "
        "Administratively Dissolved | Consolidated | Converted | Dissolved (Term Expired) | Judicially Dissolved | "
        "Merged | Revoked | Voluntarily Dissolved | Withdrawn | Dissolved | Expired | Relinquished | Terminated | "
        "Colorado Authority Relinquished | Colorado Authority Terminated"
    )
    terms = Terms("allowed", robots="allows /resource/", note="Public-domain open data of the State of Colorado.")
    verification, on_by_default = "recorded", True
    always, read = ("entitystatus", "entitytype", "entityformdate"), colorado.READ
    bulk_data = socrata.export(
        domain, dataset, least_rows=1_500_000, columns=(name_column, id_column, *always), record=colorado.record
    )

    def record(self, row: Row) -> EntityRecord:
        """One row is one entity."""
        return colorado.record(row)
