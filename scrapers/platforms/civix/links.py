"""What a row's link leads with: the arguments of a script call, or attributes that the page's script reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from scrapers.failures import PageChanged
from scrapers.transport.page import Page

_QUOTED = re.compile(r"['\"]([^'\"]*)['\"]")


def arguments(link: HtmlElement, function: str) -> list[str] | None:
    """The quoted arguments of a script call in a link's onclick; None when it calls something else."""
    script = link.get("onclick") or ""
    return _QUOTED.findall(script) if script.strip().startswith(function + "(") else None


def attributes(link: HtmlElement, page: Page, names: Iterable[str]) -> dict[str, str]:
    """The values of these attributes, which HTML writes in lower case; PageChanged when one has none."""
    found = {name: link.get(name.lower()) or "" for name in names}
    if not all(found.values()):
        raise PageChanged(f"{page.url}: a row's link lacks one of {sorted(found)}")
    return found
