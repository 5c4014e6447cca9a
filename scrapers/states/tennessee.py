"""Tennessee: TNCaB, behind a Turnstile.

Evidence: the page of one entity is documented (2026-11); the address that its list is read from is not recorded.
"""

from __future__ import annotations

from scrapers.platforms.unsupported.portal import UnsupportedPortal
from scrapers.portal import Terms


class Tennessee(UnsupportedPortal):
    """Secretary of State, TNCaB."""

    code = "TN"
    sources = ("https://tncab.tnsos.gov/business-entity-search",)
    id_pattern = r"\d{9}"
    terms = Terms("unstated", robots="not known", note="The older TNBear search is gone.")
    off_reason = "The portal asks for a captcha (Turnstile), and the address of its list is not known."
    would_change = "A recorded answer of the list and no Turnstile before it, or the paid bulk files with their layout."
