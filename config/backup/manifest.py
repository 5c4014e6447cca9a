"""What an archive says of itself: which product wrote it, of which engine, what is in it, and what is not."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.backup import Refused

FORM = 1


@dataclass(frozen=True)
class Snapshot:
    """The database at the moment of the backup: each table's rows, each app's last migration."""

    rows: dict[str, int]
    migrations: dict[str, str]


@dataclass(frozen=True)
class Manifest:
    """The last member of an archive."""

    product: str
    engine: str
    made_at: str
    rows: dict[str, int]
    migrations: dict[str, str]
    parts: dict[str, dict[str, int | str]]  # name -> bytes and sha256
    left_out: dict[str, str]  # what, and why
    form: int = field(default=FORM)

    def to_json(self) -> bytes:
        """As it is written."""
        return json.dumps(asdict(self), indent=1).encode()

    def require_fit(self) -> None:
        """Raise Refused when this installation cannot take it in: another engine, or an older product."""
        if self.engine != connection.vendor:
            raise Refused(
                f"The backup is of {self.engine}, and DATABASE_URL names {connection.vendor}:"
                " restore into the engine that it is of."
            )
        known = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
        unknown = [f"{app}.{name}" for app, name in sorted(self.migrations.items()) if (app, name) not in known]
        if unknown:
            raise Refused(
                f"The backup is of a newer product ({self.product}; this is {product()}, without"
                f" {', '.join(unknown)}): restore it with that one or a later one."
            )

    def describe(self) -> str:
        """What the operator reads of it."""
        lines = [f"Backup of {self.made_at} by version {self.product}, {self.engine}."]
        lines += [f"  {name}: {about['bytes']:,} bytes, sha256 {about['sha256']}" for name, about in self.parts.items()]
        lines.append(f"  {sum(self.rows.values()):,} rows in {len(self.rows)} tables")
        lines += [f"  NOT in it: {what} ({why})" for what, why in self.left_out.items()]
        return "\n".join(lines)


def product() -> str:
    """The version of this product."""
    return str(settings.SPECTACULAR_SETTINGS["VERSION"])


def make(
    snapshot: Snapshot, *, parts: dict[str, dict[str, int | str]], left_out: dict[str, str], now: datetime
) -> Manifest:
    """Describe an archive that was just filled."""
    return Manifest(
        product=product(),
        engine=connection.vendor,
        made_at=now.isoformat(timespec="seconds"),
        rows=snapshot.rows,
        migrations=snapshot.migrations,
        parts=parts,
        left_out=left_out,
    )


def read(text: bytes) -> Manifest:
    """Read what `to_json` wrote; Refused when it is of a form that this product does not know."""
    try:
        found = json.loads(text)
        if found.get("form") != FORM:
            raise Refused(f"The archive's form is {found.get('form')}; this product knows {FORM}.")
        return Manifest(**found)
    except (ValueError, TypeError, AttributeError):
        raise Refused("The archive's manifest cannot be read.") from None
