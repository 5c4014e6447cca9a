"""A record for machines: schema.org's Organization with its name, number, address and days, and the way to its page.

Only what schema.org has a word for, in the form that it wants; what the registry left empty is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from scrapers.normalize.hidden import visible

if TYPE_CHECKING:
    from lookups.pages.dossier.page import Dossier

_MOST_NAMES = 6
_LONGEST = 500  # characters; a company's row keeps no longer name
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def write(nodes: Iterable[Mapping[str, Any]]) -> SafeString:
    """The block's content; `<`, `>` and `&` are escaped, so no text can end the block."""
    text = json.dumps({"@context": "https://schema.org", "@graph": list(nodes)}, ensure_ascii=True)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return mark_safe(text)  # noqa: S308 - JSON with every sign escaped that could leave the block


def trail(crumbs: Iterable[tuple[str, str]], *, here: str) -> dict[str, Any]:
    """The way from the top to this page, for machines; the last one's address is the page's own."""
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": place, "name": label, "item": f"{settings.PUBLIC_URL}{url or here}"}
            for place, (label, url) in enumerate(crumbs, start=1)
        ],
    }


def organization(page: Dossier) -> dict[str, Any]:
    """The company of a public page."""
    assert page.record is not None
    data, reading = page.record
    address = f"{settings.PUBLIC_URL}{page.page_url}"
    formed = str(reading.get("formationDate") or "")
    name = _whole(data["entityName"] or page.name)
    others = [*(reading.get("assumedNames") or []), *(reading.get("formerNames") or [])]
    content = {
        "@type": "Organization",
        "@id": f"{address}#company",
        "name": name,
        "legalName": name,
        "url": address,
        "alternateName": [other for one in others if (other := _whole(one))][:_MOST_NAMES],
        "identifier": {
            "@type": "PropertyValue",
            "name": "State identifier",
            "propertyID": page.proof.registry,
            "value": data["entityId"],
        },
        "foundingDate": formed if _DAY.fullmatch(formed) else None,
        "address": _address(data),
        "sameAs": page.proof.registry_link,
        "subjectOf": {"@type": "WebPage", "url": address, "dateModified": page.proof.iso},
    }
    return {name: value for name, value in content.items() if value}


def _whole(value: Any) -> str | None:
    """A text as the registry has it, however a page may shorten it; None where there is none, or a book of it."""
    text = visible(str(value or "")).strip()
    return text if 0 < len(text) <= _LONGEST else None


def _address(data: Mapping[str, Any]) -> dict[str, Any] | None:
    for prefix in ("principal", "mailing"):
        parts = {
            "streetAddress": _whole(data.get(f"{prefix}Address")),
            "addressLocality": _whole(data.get(f"{prefix}City")),
            "addressRegion": _whole(data.get(f"{prefix}State")),
            "postalCode": _whole(data.get(f"{prefix}Zip")),
        }
        if known := {name: value for name, value in parts.items() if value}:
            return {"@type": "PostalAddress", **known}
    return None
