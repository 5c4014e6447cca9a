"""Vermont: the portal of 2025, behind a captcha and Imperva.

Evidence: its question's address is documented (2026-11); neither the body of a search nor an answer was recorded.
"""

from __future__ import annotations

from scrapers.platforms.unsupported.portal import UnsupportedPortal
from scrapers.portal import Terms


class Vermont(UnsupportedPortal):
    """Secretary of State, Business Services."""

    code = "VT"
    sources = ("https://bizfilings.vermont.gov/business/businesssearch",)
    id_pattern = r"\d{5,8}"
    terms = Terms("unstated", robots="not known", note="The whole register is free every week, behind an account.")
    off_reason = "The portal asks for a captcha behind Imperva, and its question is not known."
