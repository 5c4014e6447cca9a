"""American Samoa: no search to ask.

Evidence: public material of 2026-11 shows no search of registered companies; a demo of a new system is no registry.
"""

from __future__ import annotations

from scrapers.platforms.unsupported.portal import UnsupportedPortal
from scrapers.portal import Terms


class AmericanSamoa(UnsupportedPortal):
    """Territorial Registrar."""

    code = "AS"
    sources = ("https://www.doc.as.gov",)
    terms = Terms(
        "unstated", robots="not known", note="Business licences are listed elsewhere, and are another register."
    )
    off_reason = "The Territorial Registrar has no online search."
    would_change = "A search of companies, or a list of them, by the Territorial Registrar."
