"""How we know: where, when and by which reader a record was read, and the hash with which anybody checks it.

Of a lookup that is the hash of its signed manifest. The public page has that of the lookup for which the registry was
read: it changes with a reading, and with nothing else, so that it tells nobody who else has asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import segno
from django.conf import settings
from django.urls import reverse

from jurisdictions.codes import Place
from lookups.models import Lookup, Manifest, RecordVersion
from lookups.pages.dossier.record.words import clip, day, web_link


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What stands at the foot of a dossier. `sha256` is that of a manifest where `is_signed`, else of what was read."""

    registry: str
    source: str
    source_link: str | None
    registry_link: str | None
    day: str
    iso: str
    at: datetime | None
    as_of: str | None
    from_copy: bool
    reader: str
    sha256: str
    is_signed: bool
    left_out: str

    @property
    def shown_on(self) -> str:
        """The day of which the registry showed it: of a loaded copy the day of its files, and not of the reading."""
        return self.as_of if self.from_copy and self.as_of else self.day

    @property
    def origin(self) -> str:
        """When that was, in few words."""
        return f"data of {self.shown_on}" if self.shown_on != self.day else f"read on {self.day}"

    @property
    def verify_url(self) -> str:
        """Where anybody finds what was signed under this hash."""
        return reverse("verify-manifest", args=[self.sha256]) if self.is_signed else reverse("verify")

    @property
    def verify_address(self) -> str:
        """The same with the host, for paper."""
        return f"{settings.PUBLIC_URL}{self.verify_url}"

    @property
    def qr_code(self) -> str:
        """The address as a picture that a phone reads, as an address itself (`data:`)."""
        code = segno.make(self.verify_address, error="m", micro=False)
        return code.svg_data_uri(border=2, xmldecl=False, svgns=True, nl=False)


def find_manifest(version: RecordVersion) -> Manifest | None:
    """What was signed when the registry was read for this version; None where that was before anything was signed."""
    if version.reading_id is None:
        return None
    asked = Manifest.objects.filter(lookup__reading=version.reading_id, lookup__version=version, document__isnull=False)
    return asked.filter(lookup__source__in=(Lookup.Source.LIVE, Lookup.Source.COPY)).order_by("pk").first()


def of_reading(
    evidence: Mapping[str, Any],
    manifest: Manifest | None,
    place: Place,
    *,
    read_at: datetime,
    as_of: datetime | None,
    reader: str,
    page: Any,
    sandbox: bool,
    to_the_minute: bool,
) -> Proof:
    """How we know what was read then; `page` is the company's own address at the registry."""
    is_older = as_of is not None and as_of.date() != read_at.date()
    return Proof(
        registry="Sandbox registry (fictional)" if sandbox else place.registry,
        source=clip(evidence.get("sourceUrl"), 300) or "",
        source_link=web_link(evidence.get("sourceUrl"), sandbox=sandbox),
        registry_link=web_link(page, sandbox=sandbox),
        day=day(read_at) or "",
        iso=read_at.astimezone(UTC).date().isoformat(),
        at=read_at.astimezone(UTC) if to_the_minute else None,
        as_of=day(as_of) if is_older else None,
        from_copy=bool(evidence.get("fromRegister")),
        reader=reader,
        sha256=manifest.sha256 if manifest else str(evidence.get("sha256") or ""),
        is_signed=manifest is not None,
        left_out=", ".join(evidence.get("leftOut") or [])[:300],
    )
