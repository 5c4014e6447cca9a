"""Arizona: the Business Center, which replaced eCorp in 2026-01. Every search wants the answer to a picture.

Evidence: public clients (2026) met the captcha, and a refusal (401) without an account; no answer was recorded.
"""

from __future__ import annotations

from scrapers.platforms.unsupported.portal import UnsupportedPortal
from scrapers.portal import Terms


class Arizona(UnsupportedPortal):
    """Arizona Corporation Commission."""

    code = "AZ"
    sources = ("https://arizonabusinesscenter.azcc.gov/businesssearch",)
    id_pattern = r"[A-Z]?\d{7,8}"
    terms = Terms("unstated", robots="not known", note="The advanced search wants a login.")
    off_reason = "Every search asks for the answer to an image captcha; paid extracts are the only other way."
    would_change = "An API or open data of the Commission, or its paid extracts with their layout."
