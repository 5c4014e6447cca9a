"""The platform's newer generation (Nevada, then Utah): one search over entities and marks, details opened by POST.

Source: Utah's recorded form, grid and detail; the form a public client sends to Nevada. That Utah takes the same fields
is a guess: its page composes them by script.
"""

from __future__ import annotations

from collections.abc import Mapping

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.fields import listed
from scrapers.platforms.civix import quick_search
from scrapers.platforms.civix.links import arguments
from scrapers.platforms.civix.portal import CivixPortal, Mode
from scrapers.platforms.civix.sections import PANELS
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

_EMPTY = listed(
    "QuickSearch.NVBusinessNumber | QuickSearch.PrincipalName | QuickSearch.AgentName | QuickSearch.MarkNumber | "
    "QuickSearch.Classification | QuickSearch.Goods | QuickSearch.ApplicantName | AdvancedSearch.BusinessTypeID | "
    "AdvancedSearch.BusinessStatusID | g-recaptcha-response"
)


class EsosPortal(CivixPortal):
    """A host of this generation."""

    markup = PANELS

    def question(self, *, name: str = "", entity_id: str = "", mode: Mode = "Contains") -> dict[str, str]:
        """The fields of the quick search, over entities and marks at once."""
        return {
            **dict.fromkeys(_EMPTY, ""),
            **quick_search.flags(mode, "Allwords"),
            "QuickSearch.BusinessId": entity_id,
            "QuickSearch.BusinessName": name,
            "QuickSearch.All": "true",
            "QuickSearch.EntitySearch": "false",
            "QuickSearch.MarkSearch": "false",
        }

    def handle(self, link: HtmlElement, page: Page) -> Mapping[str, str] | None:
        """A row names its entity in a script call; rows of trade marks call another function."""
        if arguments(link, "GetMarkSearchResultById") is not None:
            return None
        found = arguments(link, "GetBusinessSearchResultById")
        if not found or len(found) != 2:
            raise PageChanged(f"{page.url}: a row calls {link.get('onclick')!r}")
        return {"businessId": found[0], "businessReservationNumber": found[1]}

    def open(self, session: PortalSession, handle: Mapping[str, str]) -> Page:
        """The page of an entity, by its internal number."""
        return session.post(self.detail_url, form=dict(handle), headers={"Referer": self.results})
