"""The platform's older generation, QuickStart: its long search form and its panel of principals."""

from __future__ import annotations

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.parsing.html import text_of
from scrapers.platforms.civix.sections import said
from scrapers.records import Officer

_BLANK = ("txtHomeStateBusiness", "txtFilingNumber", "txtBusCreationDate", "ddlBusinessType", "ddlBusinessStatus",
          "txtCity", "txtZipCode", "County", "txtAgentName", "txtPrincipalName", "txtCaptcha",
          "hdnMessage")  # fmt: skip
_UNCHECKED = ("chkWithSimilarSoundingBusinessNames", "chkWithSoundingBusinessHomeStateNames",
              "chkWithSimilarSoundingAgentNames", "chkWithSimilarSoundingPrincipalNames")  # fmt: skip


def question(*, name: str, entity_id: str, mode: str) -> dict[str, str]:
    """Every field the form sends, for a search by name or by business id."""
    return dict.fromkeys(_BLANK, "") | dict.fromkeys(_UNCHECKED, "false") | {
        "rbBusinessNameSearch": mode, "rbBasicSearch": "BusinessName" if name else "BusinessID",
        "txtBusinessName": name, "txtBusinessID": entity_id, "btnSearch": "Search",
    }  # fmt: skip


def principals(tree: HtmlElement) -> tuple[Officer, ...]:
    """Rows "NAME / TITLE | address" under the heading, or the sentence that there are none."""
    panels = tree.xpath("//table[.//th[normalize-space()='Principals Information']]")
    if not panels:
        return ()
    found = []
    for row in panels[-1].xpath(".//tr[td]"):
        cells = row.xpath("./td")
        if len(cells) == 2 and " / " in text_of(cells[0]):
            name, _, title = text_of(cells[0]).rpartition(" / ")
            found.append(Officer(name, title or None, said(text_of(cells[1]))))
        elif len(cells) != 1 and [text_of(cell) for cell in cells] != ["Name/Title", "Business Address"]:
            raise PageChanged(f"a row of principals reads {text_of(row)[:80]!r}")
    return tuple(found)
