"""A stored record as a page shows it: labelled facts in a sensible order, and the same facts for machines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from jurisdictions.codes import Place
from lookups.models import RecordVersion

_STATUS_WORDS = {"active": "Active", "inactive": "Inactive", "neutral": "Neither active nor inactive"}
_WHY_EMPTY = {
    "not_published": "not published by this source",
    "empty": "blank in the registry",
    "paywalled": "only sold by the registry",
    "parse_failed": "shown by the registry in a form we could not split",
}


@dataclass(frozen=True)
class Fact:
    """One line of the page: a label and its text, or why there is none."""

    label: str
    value: str | None
    why_empty: str


class EntityPage:
    """What the template needs, and nothing it would have to work out."""

    def __init__(self, version: RecordVersion, place: Place) -> None:
        self.version, self.place = version, place
        self.data: dict[str, Any] = version.data
        self.reading: dict[str, Any] = version.normalized or {}

    @property
    def name(self) -> str:
        """The entity's name as the state writes it."""
        return str(self.data["entityName"])

    @property
    def status_class(self) -> str:
        """active, inactive or neutral."""
        return str(self.reading.get("statusClass", "neutral"))

    @property
    def status_text(self) -> str:
        """The state's own word; ours where it publishes none."""
        own = self.data.get("status")
        if own:
            return str(own)
        if self.reading.get("statusReason") == "listed_in_active_register":
            return "Listed in the register of active entities"
        return _STATUS_WORDS[self.status_class]

    @property
    def facts(self) -> list[Fact]:
        """The record's lines."""
        return [
            self._fact("State identifier", "entityId"),
            self._fact("Entity type", "entityType"),
            self._fact("Status", "status", self.status_text),
            self._fact("Formed", "formationDate", self.reading.get("formationDate") or self.data.get("formationDate")),
            self._fact("Jurisdiction of formation", "jurisdiction"),
            self._fact("Registered agent", "registeredAgentName"),
            self._fact("Agent's address", "registeredAgentAddress", self._address("registeredAgent")),
            self._fact("Principal address", "principalAddress", self._address("principal")),
            self._fact("Mailing address", "mailingAddress", self._address("mailing")),
            self._fact("Federal employer number", "feiEinNumber"),
        ]

    @property
    def officers(self) -> list[dict[str, Any]]:
        """Name, title and address of each."""
        return list(self.data.get("officers") or [])

    @property
    def former_names(self) -> list[str]:
        """Names the entity had before."""
        return list(self.reading.get("formerNames") or [])

    @property
    def registry_url(self) -> str | None:
        """The registry's own page of the entity; only a web address is ever a link."""
        url = str(self.data.get("sosUrl") or "")
        return url if url.startswith(("https://", "http://")) and not self.version.entity.sandbox else None

    @property
    def json_ld(self) -> SafeString:
        """schema.org Organization; `<`, `>` and `&` are escaped, so no text can end the block."""
        address = {
            "@type": "PostalAddress",
            "streetAddress": self.data.get("principalAddress") or self.data.get("mailingAddress"),
            "addressLocality": self.data.get("principalCity") or self.data.get("mailingCity"),
            "addressRegion": self.data.get("principalState") or self.data.get("mailingState"),
            "postalCode": self.data.get("principalZip") or self.data.get("mailingZip"),
        }
        content = {
            "@context": "https://schema.org",
            "@type": "Organization",
            "legalName": self.name,
            "identifier": {"@type": "PropertyValue", "propertyID": self.place.registry, "value": self.data["entityId"]},
            "foundingDate": self.reading.get("formationDate"),
            "address": {name: value for name, value in address.items() if value},
            "sameAs": self.registry_url,
        }
        text = json.dumps({name: value for name, value in content.items() if value}, ensure_ascii=True)
        for sign in "<>&":
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return mark_safe(text)  # noqa: S308 - JSON with every sign escaped that could leave the block

    def _fact(self, label: str, field: str, value: Any = None) -> Fact:
        shown = value or self.data.get(field)
        why = (self.reading.get("fieldAvailability") or {}).get(field, "empty")
        return Fact(label, str(shown) if shown else None, _WHY_EMPTY.get(why, ""))

    def _address(self, prefix: str) -> str | None:
        place = " ".join(part for part in (self.data.get(f"{prefix}State"), self.data.get(f"{prefix}Zip")) if part)
        parts = (self.data.get(f"{prefix}Address"), self.data.get(f"{prefix}City"), place)
        return ", ".join(part for part in parts if part) or None
