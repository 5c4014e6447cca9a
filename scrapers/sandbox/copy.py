"""The loaded copy that the sandbox registry plays for one name: an answer from published files, with its day."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from scrapers.bulk_data.published import BulkData
from scrapers.normalize import names
from scrapers.records import Candidate, EntityRecord, Query
from scrapers.sandbox.book import magic_entries
from scrapers.sandbox.magic import find_outcome
from scrapers.sandbox.server import HOST

PUBLISHED = BulkData(f"https://{HOST}/bulk-data.csv", "csv", 1, record=lambda row: None)  # nothing is ever loaded


@dataclass(frozen=True, slots=True)
class SandboxCopy:
    """One company, as of one day."""

    as_of: ClassVar[datetime] = datetime(2026, 11, 1, tzinfo=UTC)
    sha256: ClassVar[str] = ""
    state: str

    def list_by_name(self, key: str, *, limit: int, wider: int) -> tuple[list[EntityRecord], list[EntityRecord]]:
        """The company, by its name."""
        return [one for one in self._records() if names.key(one.entity_name) == key], []

    def list_by_keys(self, keys: Collection[str], *, limit: int) -> list[EntityRecord]:
        """None, as below."""
        return []

    def list_beginning(self, start: str, *, most: int) -> list[EntityRecord] | None:
        """None: whoever asks for it knows its name."""
        return []

    def list_by_other_name(self, key: str, *, limit: int) -> list[Candidate]:
        """None: it has one name."""
        return []

    def list_by_id(self, entity_id: str) -> list[EntityRecord]:
        """The company, by its number."""
        return [one for one in self._records() if one.entity_id == entity_id]

    def _records(self) -> list[EntityRecord]:
        return [
            EntityRecord(
                entity_name=one.name,
                entity_id=one.number,
                status=one.status,
                entity_type=one.type,
                formation_date=one.formed,
                jurisdiction=one.jurisdiction,
            )
            for one in magic_entries(self.state, "copy")
        ]


def find_copy(query: Query) -> SandboxCopy | None:
    """The copy that answers this question; None where the fictional registry itself does."""
    return SandboxCopy(query.state) if query.name and find_outcome(query.name) == "copy" else None
