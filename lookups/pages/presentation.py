"""A stored record as a page shows it: labelled facts in a sensible order, and the same facts for machines.

A page is read by strangers, so it shows less than a paid reply: no federal number, no street of a person (officers
and agents who are not known to be organizations), and the day it was read, not the minute.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from jurisdictions.codes import PLACES
from lookups.models import RecordVersion
from lookups.privacy import suppression

_STATUS_WORDS = {"active": "Active", "inactive": "Inactive", "neutral": "Neither active nor inactive"}
_WHY_EMPTY = {
    "not_published": "not published by this source",
    "empty": "blank in the registry",
    "paywalled": "only sold by the registry",
    "withheld": "left out at the request of a person it is about",
    "parse_failed": "shown by the registry in a form we could not split",
}
# What the federal government numbers people (3-2-4) and employers (2-7) by, wherever a registry has typed it.
_FEDERAL = re.compile(r"(?<![\w-])(?:\d{3}-\d{2}-\d{4}|\d{2}-\d{7})(?![\w-])")
_HIDDEN = "[number not shown]"


@dataclass(frozen=True)
class Fact:
    """One line of the page: a label and its text, or why there is none."""

    label: str
    value: str | None
    why_empty: str


class EntityPage:
    """What the template needs, and nothing it would have to work out."""

    def __init__(self, version: RecordVersion) -> None:
        self.version, self.place = version, PLACES[version.entity.state]
        record = suppression.withhold(version.data, version.normalized or {}, state=version.entity.state)
        self.data: dict[str, Any] = _without_numbers(record.data)
        self.reading: dict[str, Any] = record.normalized
        self.note = record.note

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
    def is_listed(self) -> bool:
        """Whether search engines may list the page."""
        return settings.ENTITY_PAGES == "public" and not self.version.entity.sandbox

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
            self._fact("Agent's address", "registeredAgentAddress", self._agent_address),
            self._fact("Principal address", "principalAddress", self._address("principal")),
            self._fact("Mailing address", "mailingAddress", self._address("mailing")),
        ]

    @property
    def officers(self) -> list[dict[str, Any]]:
        """Name and title of each."""
        return [{"name": one["name"], "title": one["title"]} for one in self.data.get("officers") or []]

    @property
    def why_no_officers(self) -> str:
        """What is said instead of a list."""
        withheld = (self.reading.get("fieldAvailability") or {}).get("officers") == suppression.WITHHELD
        return f"{_WHY_EMPTY[suppression.WITHHELD].capitalize()}." if withheld else "None in this source."

    @property
    def former_names(self) -> list[str]:
        """Names the entity had before."""
        return [_mask(name) for name in self.reading.get("formerNames") or []]

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
        shown = value or (None if field.endswith("Address") else self.data.get(field))
        why = (self.reading.get("fieldAvailability") or {}).get(field, "empty")
        return Fact(label, str(shown) if shown else None, _WHY_EMPTY.get(why, ""))

    @property
    def _agent_address(self) -> str | None:
        """In full only of an organization: a person who takes a company's papers is often at home there."""
        kind = (self.reading.get("registeredAgent") or {}).get("kind")
        if kind == "organization" or not self.data.get("registeredAgentAddress"):
            return self._address("registeredAgent")
        return self._address("registeredAgent", with_street=False) or "not shown on this page"

    def _address(self, prefix: str, *, with_street: bool = True) -> str | None:
        place = " ".join(part for part in (self.data.get(f"{prefix}State"), self.data.get(f"{prefix}Zip")) if part)
        street = self.data.get(f"{prefix}Address") if with_street else None
        parts = (street, self.data.get(f"{prefix}City"), place)
        return ", ".join(part for part in parts if part) or None


def _without_numbers(data: dict[str, Any]) -> dict[str, Any]:
    """The record without its federal number, and without any that stands in another text but the state's own id."""
    masked = {name: value if name in ("entityId", "sosUrl") else _mask(value) for name, value in data.items()}
    masked["officers"] = [{name: _mask(value) for name, value in one.items()} for one in data.get("officers") or []]
    return masked | {"feiEinNumber": None}


def _mask(value: Any) -> Any:
    return _FEDERAL.sub(_HIDDEN, value) if isinstance(value, str) else value
