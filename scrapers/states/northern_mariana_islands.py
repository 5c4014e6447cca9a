"""Northern Mariana Islands: no search to ask.

Evidence: the registrar's portal exists (2026-11); of a public search nothing is known.
"""

from __future__ import annotations

from scrapers.platforms.unsupported.portal import UnsupportedPortal
from scrapers.portal import Terms


class NorthernMarianaIslands(UnsupportedPortal):
    """Department of Commerce, Registrar of Corporations."""

    code = "MP"
    sources = ("https://registrar.cnmi.gov/",)
    terms = Terms("unstated", robots="not known", note="Its use policy forbids only unlawful and disruptive use.")
    off_reason = "No public search of the Registrar's portal is known."
    would_change = "A public search of the Registrar's portal."
