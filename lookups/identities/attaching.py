"""Puts identifiers beside a lookup that asked for them, once it has ended: they never delay, change or fail it.

What was found for a company serves for a day, so that the sources are not asked for each of a customer's lookups.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction

from lookups.identities import finding
from lookups.identities.finding import Found
from lookups.lookup.questions import IDENTIFIERS
from lookups.models import Identifiers, Lookup
from lookups.operations import tracing
from lookups.verdicts import Verdict

log = logging.getLogger(__name__)
CACHED_FOR = timedelta(days=1)


def is_wanted(lookup: Lookup) -> bool:
    """Whether it asked for them and found a company to look for."""
    asked = IDENTIFIERS in lookup.question.get("include", ())
    return asked and lookup.outcome is Verdict.FOUND and lookup.version is not None


def attach(lookup: Lookup, *, now: datetime) -> None:
    """Find the identifiers of the company that this lookup found, where it asked for them and has none yet.

    Takes at most `asking.BUDGET_SECONDS`. Whatever goes wrong stays here: the lookup has ended, and is told as it is.
    """
    try:
        if is_wanted(lookup) and not Identifiers.objects.filter(lookup=lookup).exists():
            with tracing.span("identifiers", state=lookup.state):
                _attach(lookup, now=now)
    except Exception:
        log.exception("The identifiers of %s could not be found.", lookup.public_id)


def _attach(lookup: Lookup, *, now: datetime) -> None:
    version = lookup.version
    assert version is not None
    name = finding.name_of(version)
    same = Identifiers.objects.filter(entity=version.entity_id, name=name, is_answer=True)
    known = same.filter(asked_at__gt=now - CACHED_FOR, asked_at__lte=now).first()
    if known is not None:
        found, asked_at = Found(known.lei, known.cik, known.exchanges), known.asked_at
    else:
        found, asked_at = finding.find(version, now=now), now
    row = Identifiers(
        lookup=lookup,
        entity=version.entity,
        name=name,
        lei=found.lei,
        cik=found.cik,
        exchanges=found.exchanges,
        is_answer=found.is_answer,
        asked_at=asked_at,
    )
    with transaction.atomic():
        still = Lookup.objects.select_for_update(no_key=True).filter(pk=lookup.pk, version=version)
        if still.first() is not None:  # else its account was erased meanwhile
            Identifiers.objects.bulk_create([row], ignore_conflicts=True)  # who repeats the lookup may be faster
