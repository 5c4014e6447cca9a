"""Florida's page of an entity ("Sunbiz"): sections told apart by the text of their first span.

Source: the pages as several public readers describe them (2026-05), and one recorded detail; that a limited partnership
has a section of general partners one of them says alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.normalize import addresses
from scrapers.normalize.addresses import one_line
from scrapers.normalize.placeholders import stated
from scrapers.parsing.fields import Labels, listed, note_unread
from scrapers.parsing.html import lines_of, maybe, missing_result, one, select, text_of
from scrapers.records import Address, EntityRecord, Filing, Officer
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession

# With the title of those who have none of their own
_OFFICERS = {
    "Officer/Director Detail": None,
    "Authorized Person(s) Detail": None,
    "General Partner Detail": "General Partner",  # with a document number, where it is a company
}
_READ = listed("Principal Address | Mailing Address | Registered Agent Name & Address")
_SECTIONS = listed("Filing Information | Annual Reports | Document Images")
_IGNORED = listed("EffectiveDate | EventEffectiveDate")


def read(page: Page, session: PortalSession) -> EntityRecord:
    """Read the sections of a detail page; PageChanged when one that every entity has is missing."""
    tree = page.html()
    shown = maybe(tree, "div.searchResultDetail")
    if shown is None:
        raise missing_result(page, "detail of the entity")
    title = [text_of(line) for line in select(one(shown, "div.corporationName"), "p", least=2)]
    filed = _labels(one(shown, "div.filingInformation"))
    parts = select(shown, "div.detailSection")
    sections = {text_of(found[0]): part for part in parts if (found := part.xpath("./span[1]"))}
    if "Principal Address" not in sections:
        raise PageChanged(f"{page.url}: no principal address among the sections {sorted(sections)}")
    record = EntityRecord(
        entity_name=title[1],
        entity_id=filed.one("DocumentId"),
        status=filed.one("Status"),
        entity_type=title[0],
        formation_date=filed.maybe("FileDate"),
        jurisdiction=filed.maybe("EntityStateCountry"),
        fei_ein_number=filed.maybe("FeiEinNumber"),
        principal_address=_address(sections.pop("Principal Address")),
        mailing_address=_address(sections.pop("Mailing Address", None)),
        officers=tuple(who for name, title in _OFFICERS.items() for who in _officers(sections.pop(name, None), title)),
        filings=_last_event(filed),
        sos_url=page.url,
    )
    agent = sections.pop("Registered Agent Name & Address", None)
    filed.ignore(*_IGNORED)
    _refuse_unread(shown, parts)
    note_unread([*filed.unread, *(name for name in sections if name not in _SECTIONS)], session)
    if agent is None:
        return record
    return replace(record, agent_name=_agent_name(agent), agent_address=_address(agent))


def _refuse_unread(shown: HtmlElement, parts: list[HtmlElement]) -> None:
    """PageChanged where one of the sections is not among those with their class, or stands under another heading."""
    titles = {text_of(found[0]) for part in parts if (found := part.xpath("./span[1]"))}
    known = {*_READ, *_OFFICERS, *_SECTIONS}
    lost = {title for span in select(shown, "span") if (title := text_of(span)) in known} - titles
    is_whole = titles.issuperset(_READ) and not titles.isdisjoint(_OFFICERS)
    if lost or (titles - known and not is_whole):
        raise PageChanged(f"sections may have been renamed: {sorted(lost)}, {sorted(titles - known)}")


def _labels(section: HtmlElement) -> Labels:
    """Values by the field's own name ("Detail_DocumentId"), each in the span behind its label."""
    pairs = []
    for label in select(section, "label", least=3):
        value = label.getnext()
        if value is None or value.tag != "span":
            raise PageChanged(f"no value behind the label {text_of(label)!r}")
        pairs.append(((label.get("for") or text_of(label)).removeprefix("Detail_"), text_of(value) or None))
    if len(pairs) != len(section.xpath(".//span[../label]")):
        raise PageChanged("a value of the entity stands behind no label")
    return Labels(pairs)


def _last_event(filed: Labels) -> tuple[Filing, ...]:
    """What was filed last beside the annual reports ("REINSTATEMENT"): something that happened, and no standing."""
    event, day = stated(filed.maybe("LastEvent")), stated(filed.maybe("LastEventFileDate"))
    return (Filing(day, event),) if event else ()


def _address(section: HtmlElement | None) -> Address:
    if section is None:
        return Address()
    box = maybe(section, "span > div")
    return addresses.from_lines(lines_of(box)) if box is not None else Address()


def _agent_name(section: HtmlElement) -> str | None:
    spans = section.xpath("./span")
    if len(spans) < 2 or spans[1].xpath("./div"):  # which is the address
        raise PageChanged("the agent's section has no name")
    return text_of(spans[1]) or None


def _officers(section: HtmlElement | None, usual: str | None) -> Iterator[Officer]:
    """ "Title P", a name as loose text, an address: repeated; `usual` is the title of who has none."""
    title, name = usual, ""
    for child in section if section is not None else ():
        text = text_of(child)
        if child.tag == "span" and child.xpath(".//div"):
            if not name:
                raise PageChanged(f"an address without an officer: {text!r}")
            yield Officer(name, title, one_line(addresses.from_lines(lines_of(child))))
            title, name = usual, ""
        elif child.tag == "span" and text.startswith("Title"):
            title = text.removeprefix("Title").strip() or None
        elif (
            child.tag == "span"
            and text not in (*_OFFICERS, "Name & Address", "")
            and not text.startswith("Document Number")
        ):
            raise PageChanged(f"{text!r} stands among the officers")
        name = f"{name} {' '.join((child.tail or '').split())}".strip()
    if name:
        raise PageChanged(f"an officer without an address: {name!r}")
