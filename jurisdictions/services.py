"""The only writes to a jurisdiction's switch and health."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from jurisdictions.codes import PLACES
from jurisdictions.models import Jurisdiction, SwitchChange

NOT_READABLE = "No search of this registry is known that a program may use."


@dataclass(frozen=True, slots=True)
class Default:
    """How a jurisdiction starts: on or off, and why it is off."""

    enabled: bool
    reason: str = ""


@transaction.atomic
def seed(*, defaults: Mapping[str, Default]) -> int:
    """Create the rows that are missing and leave the others as operators set them; returns how many are new."""
    known = set(Jurisdiction.objects.values_list("code", flat=True))
    fresh = []
    for code in PLACES:
        if code not in known:
            default = defaults.get(code, Default(enabled=False, reason=NOT_READABLE))
            fresh.append(
                Jurisdiction(
                    code=code,
                    enabled=default.enabled,
                    status="active" if default.enabled else "inactive",
                    reason=default.reason,
                )
            )
    Jurisdiction.objects.bulk_create(fresh)
    return len(fresh)


def enable(*, code: str) -> None:
    """Switch a jurisdiction on; its health starts clean."""
    Jurisdiction.objects.filter(pk=code).update(enabled=True, status="active", reason="")


def disable(*, code: str, reason: str) -> None:
    """Switch a jurisdiction off, with the reason customers read."""
    Jurisdiction.objects.filter(pk=code).update(enabled=False, status="inactive", reason=reason)


@transaction.atomic
def turn_switch(
    *, code: str, enabled: bool, sentence: str, why: str, terms: str, operator: str, now: datetime
) -> SwitchChange | None:
    """Switch a jurisdiction as a person wants it, and keep who, when and why; None where it stands like that already.

    `sentence` is what customers read while it is off; of one that is switched on, what they had read is kept instead.
    """
    row = Jurisdiction.objects.select_for_update().get(pk=code)
    if row.enabled == enabled:
        return None
    change = SwitchChange(
        jurisdiction=row,
        enabled=enabled,
        sentence=row.reason if enabled else sentence,
        why=why,
        terms=terms[:1000],
        operator=operator,
        at=now,
    )
    change.save(force_insert=True)
    if enabled:
        enable(code=code)
    else:
        disable(code=code, reason=sentence)
    return change


def degrade(*, code: str, reason: str) -> None:
    """Health found trouble: still asked, but told so."""
    Jurisdiction.objects.filter(pk=code, enabled=True).update(status="degraded", reason=reason)


def restore(*, code: str, now: datetime) -> None:
    """Health found it well again."""
    Jurisdiction.objects.filter(pk=code, enabled=True).update(status="active", reason="", last_tested_at=now)


def note_contact(*, code: str, contact: Mapping[str, Any], is_live: bool, trouble: str, now: datetime) -> None:
    """Keep what came of asking for its canaries.

    `is_live`: a real answer was read as expected, so that from now on it is verified `live`. `trouble` is what only a
    person can mend: told to customers where the jurisdiction is on, until the next contact finds it well.
    """
    row = Jurisdiction.objects.filter(pk=code)
    row.update(contact=dict(contact), last_tested_at=now)
    if is_live:
        row.update(verified_live_at=now)
        restore(code=code, now=now)
    elif trouble:
        degrade(code=code, reason=trouble)
