"""The platform's older generation, QuickStart (New Hampshire): a long search form, a panel of principals.

Source: a recorded detail (2018); the form's fields from public clients. Guessed: how "Contains" and the search by
number are spelled, and how a listed principal looks ("NAME / TITLE", then the address).
"""

from __future__ import annotations

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.fields import fold, listed
from scrapers.parsing.html import select, text_of
from scrapers.platforms.civix.portal import CivixPortal, Mode
from scrapers.platforms.civix.sections import NO_PRINCIPALS, QUICKSTART, stated
from scrapers.records import Officer

_BLANK = listed(
    "txtHomeStateBusiness | txtFilingNumber | txtBusCreationDate | ddlBusinessType | ddlBusinessStatus | txtCity | "
    "txtZipCode | County | txtAgentName | txtPrincipalName | txtCaptcha | hdnMessage"
)
_UNCHECKED = listed(
    "chkWithSimilarSoundingBusinessNames | chkWithSoundingBusinessHomeStateNames | "
    "chkWithSimilarSoundingAgentNames | chkWithSimilarSoundingPrincipalNames"
)


class QuickStartPortal(CivixPortal):
    """A host of this generation."""

    grid, markup, needs_token = "xhtml_grid", QUICKSTART, True
    # The recorded page writes "N/A", "NONE", "Not Stated" or "Not Available" under seven labels that do not apply.
    always = {
        "entity": (
            ("Business Type",),
            ("Business Creation Date",),
            ("Principal Office Address",),
            ("Mailing Address",),
            ("Citizenship / State of Formation",),
        ),
        "agent": (("Name",), ("Registered Office Address",)),
    }

    def question(self, *, name: str = "", entity_id: str = "", mode: Mode = "Contains") -> dict[str, str]:
        """Every field the form sends, for a search by name or by business id."""
        return {
            **dict.fromkeys(_BLANK, ""),
            **dict.fromkeys(_UNCHECKED, "false"),
            "rbBusinessNameSearch": mode,
            "rbBasicSearch": "BusinessName" if name else "BusinessID",
            "txtBusinessName": name,
            "txtBusinessID": entity_id,
            "btnSearch": "Search",
        }

    def officers(self, tree: HtmlElement) -> tuple[Officer, ...]:
        """Rows "NAME / TITLE | address", or the sentence that there are none, in the panel that each page has."""
        titles = [head for head in select(tree, ".page_subtitle_12") if fold(text_of(head)) == "principals information"]
        if not titles:
            raise PageChanged("no panel of principals")
        found = []
        for row in next(titles[-1].iterancestors("table")).xpath("./tr | ./*/tr"):
            cells = [text_of(cell) for cell in row.xpath("./td | ./th")]
            if len(cells) == 2 and " / " in cells[0]:
                name, _, title = cells[0].rpartition(" / ")
                found.append(Officer(name, title or None, stated(cells[1])))
            elif NO_PRINCIPALS.match(text_of(row)):
                return ()
            elif titles[-1].getparent() is not row and cells != ["Name/Title", "Business Address"]:
                raise PageChanged(f"a row of principals reads {text_of(row)[:80]!r}")
        if not found:
            raise PageChanged("the panel of principals names nobody, and does not say so")
        return tuple(found)
