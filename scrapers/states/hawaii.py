"""Hawaii: on Salesforce since 2026.

Evidence: the page stands behind a reCAPTCHA (2026-09); the calls it makes were never recorded.
"""

from __future__ import annotations

from scrapers.platforms.unsupported.portal import UnsupportedPortal
from scrapers.portal import Terms


class Hawaii(UnsupportedPortal):
    """Department of Commerce and Consumer Affairs, Business Registration Division."""

    code = "HI"
    sources = ("https://hbe.dcca.hawaii.gov/search-and-buy",)
    id_pattern = r"\d{1,7}\s?([A-Z]\d|ZZ)"
    terms = Terms(
        "unstated", robots="disallows everything", note="A paid list builder is the office's way for many records."
    )
    off_reason = "The portal asks for a captcha, and how its page searches is not known."
    would_change = (
        "Recorded calls of the page without a captcha, or fresh open data: the set of 2022 (9k54-ztb8) has no license."
    )
