"""A registry without a search for programs: nobody is asked, and the answer is the reason and the page for people.

These are no readers in waiting: of each of them the question, or the answer, is not known from any source. A fake
parser would only hide that.
"""

from __future__ import annotations

from scrapers.portal import Capabilities, Portal


class UnsupportedPortal(Portal):
    """Base: answers nothing (400 `unsupported_state`)."""

    verification = "unsupported"
    capabilities = Capabilities(search=False, by_id=False, status=False)
