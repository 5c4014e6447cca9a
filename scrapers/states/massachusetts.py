"""Massachusetts: Secretary of the Commonwealth, Corporations Division.

Evidence: public clients of the portal (read in 2026-11; no recorded page at hand); programs get an Imperva challenge or
an empty page. Guessed: that the identification box stands in the form from the start, and the list's pager.
"""

from __future__ import annotations

from scrapers.bulk_data.layouts import massachusetts
from scrapers.parsing.fields import listed
from scrapers.platforms.corpweb.portal import CorpWebPortal
from scrapers.portal import Terms


class Massachusetts(CorpWebPortal):
    """Secretary of the Commonwealth, Corporations Division."""

    code, bulk_data = "MA", massachusetts.BULK_DATA
    hosts = ("corp.sec.state.ma.us",)
    home = "https://corp.sec.state.ma.us/CorpWeb/CorpSearch/"
    sources = ("https://corp.sec.state.ma.us/CorpWeb/CorpSearch/CorpSearch.aspx",)
    id_pattern = r"\d{9}|\d{6}"  # six in the sold file, for the few that have no number of nine
    published = frozenset(
        listed(
            "entity_type | status | formation_date | agent_name | agent_address | principal_address | officers | "
            "former_names"
        )
    )
    terms = Terms("unstated")
    verification, on_by_default = "documented", False
    off_reason = "The portal answers programs with an Imperva challenge; the register is sold as files."
    would_change = "A loaded copy of the files on sale, or an answer to programs."
