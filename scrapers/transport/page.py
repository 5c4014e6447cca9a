"""One answer of a portal: its raw bytes, and strict readings of them."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree, html

from jurisdictions.nesting import refuse_deep
from scrapers.failures import PageChanged

_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_CODECS = ("utf-8", "utf-16", "iso8859", "cp125", "ascii", "koi8")  # beginnings; Python knows odder ones, pages do not
_OPENING = re.compile(r"<html[\s>]", re.IGNORECASE)
_CODE = re.compile(r"&(?:amp;)*(?:amp|quot|apos|lt|gt|nbsp|#\d{1,6}|#[xX][\da-fA-F]{1,5});")
_UNKEEPABLE = re.compile(r"\\u0000|\\u[dD][89a-fA-F]")  # what JSON may say and a database cannot keep
_PARSER = etree.HTMLParser(encoding="utf-8", no_network=True)
# All elements are of one class: to ask Python for each one's takes nearly half of what going through them does.
_PARSER.set_element_class_lookup(
    etree.ElementDefaultClassLookup(
        element=html.HtmlElement,
        comment=html.HtmlComment,
        pi=html.HtmlProcessingInstruction,
        entity=html.HtmlEntity,
    )
)


@dataclass(frozen=True, slots=True)
class Page:
    """An HTTP answer that passed the transport's checks. `headers` have lower-case names."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text: by the charset of its header, of its own head, else UTF-8; a bad byte never raises.

        A page that names none and has no sign of UTF-8 beside its bad bytes is in what browsers take it for.
        """
        declared = self.headers.get("content-type", "").lower().partition("charset=")[2].split(";")[0].strip(" \"'")
        own = _META.search(self.body[:2048])
        codec = _codec(declared) or _codec(own[1].decode("ascii", "replace") if own else "")
        text = self.body.decode(codec or "utf-8-sig", errors="replace")
        if codec is None and "\ufffd" in text and text.replace("\ufffd", "").isascii():
            return self.body.decode("cp1252", errors="replace")
        return text

    def json(self) -> Any:
        """The body as JSON; PageChanged when it is not, since a portal that turns to HTML has changed."""
        text = self.text
        try:
            refuse_deep(text)
            content = json.loads(text)
            content = _changed(content, _keepable) if _UNKEEPABLE.search(text) else content
            return _changed(content, _decoded) if _CODE.search(text) else content
        except (ValueError, RecursionError) as error:
            raise PageChanged(f"expected JSON from {self.url}, got {self.body[:60]!r}") from error

    def html(self) -> html.HtmlElement:
        """The body as an element tree; PageChanged when there is no element in it, or not the whole page.

        A document that was begun has to end: rows and labels that were cut off would read as none.
        """
        text = self.text.replace("\x00", "")
        if _OPENING.search(text[:4096]) and "</html" not in text.lower():
            raise PageChanged(f"{self.url}: the page ends before its end")
        try:
            tree = html.fromstring(text.encode("utf-8"), parser=_PARSER)
        except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
            raise PageChanged(f"expected HTML from {self.url}, got {self.body[:60]!r}") from error
        return tree

    def link(self, href: str) -> str:
        """`href` as an absolute address, read relative to this page."""
        return joined(self.url, href)


def joined(base: str, link: str) -> str:
    """A link of a page as an absolute address; a page may write anything there."""
    try:
        url = urljoin(base, link)
        urlsplit(url)
    except ValueError as error:
        raise PageChanged(f"{base} led to {link[:200]!r}, which is no address") from error
    return url


def _codec(charset: str) -> str | None:
    """Python's codec for a charset that a page declares; None for none, or one that no page is written in."""
    try:
        name = codecs.lookup(charset).name if charset else ""
    except (LookupError, ValueError):
        return None
    if not name.startswith(_CODECS):
        return None
    if name in ("iso8859-1", "ascii"):
        return "cp1252"  # what is declared so is written so, as every browser knows
    return "utf-8-sig" if name == "utf-8" else name


def _keepable(text: str) -> str:
    """The text without NUL, and with a mark in place of half a character."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _decoded(text: str) -> str:
    """The text without the codes of a web page, which mean nothing in JSON: "A &amp; B", some of them written twice.

    Not where the text is itself JSON or a page.
    """
    if text.lstrip()[:1] in ("{", "[", "<"):
        return text
    return _CODE.sub(lambda found: unescape(unescape(found[0])), text)


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """The same JSON with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(item, change) for item in value]
    if isinstance(value, dict):
        return {change(name): _changed(item, change) for name, item in value.items()}
    return value
