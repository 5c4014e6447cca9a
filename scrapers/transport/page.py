"""One answer of a portal: its raw bytes, and strict readings of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from lxml import etree, html

from scrapers.errors import PageChanged


@dataclass(frozen=True, slots=True)
class Page:
    """An HTTP answer that passed the transport's checks. `headers` have lower-case names."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text: by its declared charset, else UTF-8, never raising on a bad byte."""
        declared = self.headers.get("content-type", "").lower().partition("charset=")[2].split(";")[0].strip(" \"'")
        try:
            return self.body.decode(declared or "utf-8-sig", errors="replace")
        except LookupError:
            return self.body.decode("utf-8-sig", errors="replace")

    @property
    def sha256(self) -> str:
        """Hex digest of the raw body."""
        return hashlib.sha256(self.body).hexdigest()

    def json(self) -> Any:
        """The body as JSON; PageChanged when it is not, since a portal that turns to HTML has changed."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise PageChanged(f"expected JSON from {self.url}, got {self.body[:60]!r}") from error

    def html(self) -> html.HtmlElement:
        """The body as an element tree; PageChanged when there is no element in it."""
        text = self.text.replace("\x00", "")
        try:
            tree = html.fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8", no_network=True))
        except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
            raise PageChanged(f"expected HTML from {self.url}, got {self.body[:60]!r}") from error
        return tree

    def link(self, href: str) -> str:
        """`href` as an absolute address, read relative to this page."""
        return urljoin(self.url, href)
