"""Guam: no search to ask.

Evidence: a registered agent's page, read in 2026-11, says that no online name search exists.
"""

from __future__ import annotations

from scrapers.platforms.unsupported.portal import UnsupportedPortal
from scrapers.portal import Terms


class Guam(UnsupportedPortal):
    """Department of Revenue and Taxation, General Licensing and Registration."""

    code = "GU"
    sources = ("https://www.guamtax.com",)
    terms = Terms("unstated", robots="not known", note="Ask the office by mail.")
    off_reason = "The Department of Revenue and Taxation has no online name search."
    would_change = "An online name search, or a list of companies, by the Department."
