"""GLEIF's `/lei-records` in the documented form (JSON:API), and its golden copy in small."""

from __future__ import annotations

import csv
import io
import json
import threading
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

COLUMNS = [
    "LEI",
    "Entity.LegalName",
    "Entity.LegalName.xmllang",
    "Entity.RegistrationAuthority.RegistrationAuthorityID",
    "Entity.RegistrationAuthority.OtherRegistrationAuthorityID",
    "Entity.RegistrationAuthority.RegistrationAuthorityEntityID",
    "Entity.LegalJurisdiction",
    "Entity.EntityStatus",
    "Registration.LastUpdateDate",
    "Registration.RegistrationStatus",
    "Registration.NextRenewalDate",
]


def lei(number: int) -> str:
    """An LEI with good check digits, of nobody."""
    prefix = f"984500TESTED{number:06}"
    value = int("".join(str(int(sign, 36)) for sign in f"{prefix}00"))
    return f"{prefix}{98 - value % 97:02}"


def record(name: str, number: str = "100001", authority: str = "RA000628", **more: str) -> dict[str, Any]:
    """A record as the API has it."""
    mine = more.get("lei") or lei(int("".join(filter(str.isdigit, number)) or 1) % 1_000_000)
    return {
        "type": "lei-records",
        "id": mine,
        "attributes": {
            "lei": mine,
            "entity": {
                "legalName": {"name": name, "language": "en"},
                "otherNames": [],
                "registeredAt": {"id": authority, "other": None},
                "registeredAs": number,
                "jurisdiction": "US-NY",
                "category": "GENERAL",
                "status": more.get("entity", "ACTIVE"),
            },
            "registration": {
                "initialRegistrationDate": "2014-03-01T00:00:00Z",
                "lastUpdateDate": "2025-02-11T09:30:00Z",
                "status": more.get("registration", "ISSUED"),
                "nextRenewalDate": "2026-03-01T00:00:00Z",
                "corroborationLevel": "FULLY_CORROBORATED",
            },
        },
    }


@dataclass
class PlayedGleif:
    """What it holds and how it behaves; `asked` has the query of every request."""

    records: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    raw: bytes | None = None
    ignores_filter: bool = False
    may_go: threading.Event | None = None
    asked: list[dict[str, str]] = field(default_factory=list)

    def answer(self, path: str) -> tuple[int, bytes]:
        """One answer."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        self.asked.append(asked)
        if self.may_go is not None:
            self.may_go.wait(20)
        if self.raw is not None:
            return self.status, self.raw
        rows = [one for one in self.records if self.ignores_filter or self._fits(one, asked)]
        pages = {"currentPage": 1, "perPage": 10, "from": 1, "to": len(rows), "total": len(rows), "lastPage": 1}
        return self.status, json.dumps({"meta": {"pagination": pages}, "data": rows}).encode()

    @staticmethod
    def _fits(one: dict[str, Any], asked: dict[str, str]) -> bool:
        entity = one["attributes"]["entity"]
        wanted = asked["filter[entity.registeredAs]"], asked["filter[entity.registeredAt]"]
        return (entity["registeredAs"], entity["registeredAt"]["id"]) == wanted


def golden_copy(path: Path, records: list[dict[str, Any]], *, without: str = "") -> Path:
    """A file of these records as GLEIF publishes them: CSV in a zip archive."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    head = [column for column in COLUMNS if column != without]
    writer.writerow(head)
    for one in records:
        entity, registration = one["attributes"]["entity"], one["attributes"]["registration"]
        cells = {
            "LEI": one["id"],
            "Entity.LegalName": entity["legalName"]["name"],
            "Entity.RegistrationAuthority.RegistrationAuthorityID": entity["registeredAt"]["id"],
            "Entity.RegistrationAuthority.RegistrationAuthorityEntityID": entity["registeredAs"],
            "Entity.EntityStatus": entity["status"],
            "Registration.RegistrationStatus": registration["status"],
            "Registration.NextRenewalDate": registration["nextRenewalDate"],
        }
        writer.writerow([cells.get(column, "") for column in head])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("20261101-0000-gleif-goldencopy-lei2-golden-copy.csv", text.getvalue())
    return path
