"""Alabama's liens: the UCC name search beside the corporate one (the same CGI), a row for each, a page for each.

Evidence: three versions of a public client of 2024 (documented: the post and its two fields, 25 rows a page with a link
to the lien's page, ">>" for more, the classes of labels and values, that a party is a name above its address); the
search loaded free and without a wall in September 2026. Guessed: that one heading of the list holds the word "name" or
"debtor", and the words in the labels (debtor, secured, file date, lapse date, status); a page whose labels have no
debtor of the row's name is a changed page. Whether the status shows a termination is not known, so no lien is called
active. Only the first few liens are opened: each is an access that is counted. How a person's name is written is not
known.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lxml.html import HtmlElement

from scrapers.failures import Failure, PageChanged, PortalBlocked
from scrapers.normalize import addresses, names
from scrapers.parsing.fields import fold, listed, note_unread
from scrapers.parsing.html import missing_result, select, text_of, visible_text
from scrapers.parsing.pairs import Pair, joined, pairs
from scrapers.records import Query, UccFiling, UccParty
from scrapers.transport.page import Page
from scrapers.transport.session import PortalSession
from scrapers.ucc import parties

_HOST = "https://arc-sos.state.al.us"
URL = f"{_HOST}/CGI/UCCNAME.MBR/INPUT"
NOTHING = re.compile("no matches found", re.I)
EMPTY = frozenset({"not provided"})
_TOO_OFTEN = "exceeded the number accesses allowed"
_LINK = "a[href*='uccdetail.mbr']"
_NUMBER = re.compile(r"[?&]ucc=(\d{2}-\d{4,9})(?:&|$)")
_PAGES, _FULL, _OPENED = 2, 25, 4
_LABELS = (
    re.compile(r"\b(?:file|filing|filed)\b.*\bdate\b|\bdate\b.*\bfiled\b", re.I),
    re.compile(r"\b(?:lapse|lapses|expiration|expires)\b", re.I),
    re.compile(r"\bstatus\b", re.I),
    re.compile(r"\b(?:file|filing|document|ucc) type\b", re.I),
)
_PARTY = re.compile(r"\b(debtor|secured)\b", re.I)
_KNOWN = listed("UCC Number | File Number | Filing Number")
_NUMBERS = frozenset(fold(label) for label in _KNOWN)


def ask(session: PortalSession, query: Query) -> tuple[tuple[UccFiling, ...], bool]:
    """Liens on debtors whose name begins with the one asked for; the first few of the list with all their parties."""
    found: dict[str, UccFiling] = {}
    complete = True
    for text in parties.texts(query):
        page = session.post(f"{_HOST}/cgi/uccname.mbr/output", form=_form(text), headers={"Referer": URL})
        for number in range(1, _PAGES + 1):
            rows, following = _rows(page)
            if number > 1 and not rows:
                raise PageChanged(f"{page.url}: page {number} of the list has no row")
            for filing in rows:
                if parties.fits(filing.debtors[0], query):
                    found.setdefault(filing.file_number, filing)
            if following is None or number == _PAGES:
                break
            page = session.get(following, headers={"Referer": page.url})
        # A full page that ends without a way on may have lost it.
        complete = complete and following is None and len(rows) < _FULL
    liens = list(found.values())
    opened = [_opened(session, filing) for filing in liens[:_OPENED]]
    newest = parties.newest_first(opened + liens[_OPENED:], query)
    return newest, parties.is_whole(newest, complete, query, state="Alabama")


def _form(text: str) -> dict[str, str]:
    return {"search": text, "type": "ALL"}


def read(page: Page) -> HtmlElement:
    """The page; PortalBlocked where this host says, with 200, that it was asked too often."""
    tree = page.html()
    if _TOO_OFTEN in visible_text(tree).casefold():
        raise PortalBlocked(f"{page.url}: the portal's count of accesses is used up", reason=Failure.RATE_LIMITED)
    return tree


def details_of(tree: HtmlElement) -> list[Pair]:
    """Labels and the lines of their values, as this host writes all its pages of one record."""
    rows = tree.xpath("//tr[td[contains(@class, 'aiSosDetailDesc')]]")
    return pairs(rows, "td.aiSosDetailDesc", "td.aiSosDetailValue", empty=EMPTY)


def _rows(page: Page) -> tuple[list[UccFiling], str | None]:
    """One page of the list, and the address of the next."""
    tree = read(page)
    links = select(tree, f"tr {_LINK}")
    if not links:
        if NOTHING.search(visible_text(tree)):
            return [], None
        raise missing_result(page, "the list of liens, or the line that there are none")
    head, *lines = links[0].xpath("ancestor::table[1]//tr")
    heads = [text_of(cell).casefold() for cell in head]
    full = [line for line in lines if len(line) == len(heads) and text_of(line) != text_of(head)]
    if any(text_of(line) and not select(line, _LINK) for line in full):
        raise PageChanged(f"{page.url}: a lien without a link to its page")
    named = [at for at, head in enumerate(heads) if {"name", "debtor"} & set(head.split())]
    if len(named) != 1:
        raise PageChanged(f"{page.url}: one column of names expected among {heads}")
    found = [_row(link, len(heads), named[0], page) for link in links]
    forward = [a for a in select(tree, "a[href]") if ">>" in text_of(a) or text_of(a).casefold().startswith("next")]
    return found, page.link(forward[0].get("href") or "") if forward else None


def _row(link: HtmlElement, width: int, named: int, page: Page) -> UccFiling:
    url = page.link(link.get("href") or "")
    cells, number = link.xpath("ancestor::tr[1]/*"), _NUMBER.search(url)
    if number is None or len(cells) != width or not text_of(cells[named]):
        raise PageChanged(f"{page.url}: a lien of {len(cells)} cells, or without name or number: {url}")
    debtor = parties.listed_party(text_of(cells[named]))
    return UccFiling(file_number=number[1], filed=None, debtors=(debtor,), sos_url=url)


def _opened(session: PortalSession, listed_one: UccFiling) -> UccFiling:
    """The lien's own page: its parties, its days and its status as far as their labels are plain."""
    page = session.get(listed_one.sos_url or "")
    details = details_of(read(page))
    people: dict[str, list[UccParty]] = {"debtor": [], "secured": []}
    for label, lines in details:
        role = _PARTY.search(label)
        if role and lines:
            people[role[1].casefold()].append(parties.listed_party(lines[0], addresses.from_lines(lines[1:])))
    wanted = names.key(listed_one.debtors[0].name)
    if wanted not in [names.key(who.name) for who in people["debtor"]]:
        raise missing_result(page, f"the debtor of {listed_one.file_number}")
    if not people["secured"]:
        raise PageChanged(f"{page.url}: a lien without a secured party")
    rest = [(label, lines) for label, lines in details if not _PARTY.search(label)]
    numbers = [joined(lines) for label, lines in rest if fold(label) in _NUMBERS]
    if not all(_is_same(number, listed_one.file_number) for number in numbers if number):
        raise PageChanged(f"opened lien {listed_one.file_number}, the portal showed {numbers}")
    filed, lapse, status, kind = (_value(rest, pattern) for pattern in _LABELS)
    known = [*_LABELS, *(re.compile(re.escape(label), re.I) for label in _KNOWN)]
    note_unread((label for label, _ in rest if not any(one.search(label) for one in known)), session)
    return replace(
        listed_one,
        debtors=tuple(people["debtor"]),
        secured_parties=tuple(people["secured"]),
        filed=filed,
        lapse_date=lapse,
        status=status,
        filing_type=kind,
        status_omits="termination",
    )


def _is_same(shown: str, number: str) -> bool:
    """Whether two spellings of a lien's number are of one; its year may have two digits or four, or be left out."""
    short, long = sorted((re.sub(r"\D", "", shown), re.sub(r"\D", "", number)), key=len)
    return bool(short) and long.endswith(short)


def _value(details: list[Pair], label: re.Pattern[str]) -> str | None:
    """The value under the one label that fits; PageChanged where two do."""
    found = [lines for name, lines in details if label.search(name)]
    if len(found) > 1:
        raise PageChanged(f"{len(found)} labels read like {label.pattern!r}")
    return joined(found[0]) if found else None
