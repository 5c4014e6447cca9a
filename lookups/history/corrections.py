"""Writes what today's reader makes of kept bytes as a company's next version: what was read before stays as it was.

A lookup goes on saying what it found. Who asks for the stored record from now on, or for the company's history, is
given the corrected one.
"""

from __future__ import annotations

from django.db import transaction

from lookups.lookup import storage
from lookups.models import Entity, RecordVersion, StoredAnswer
from scrapers.gateway import Reply
from scrapers.records import Found


def correct(*, state: str, reply: Reply, answer: Found, sandbox: bool) -> RecordVersion | None:
    """The version with these facts, written where there is none, with the stored answers that rest on this reading.

    None where the registry was read again since and said something else, which must not be made older; and of a company
    of which nothing is kept, for then it would be another one than the bytes were taken for.
    """
    with transaction.atomic():
        known = Entity.objects.select_for_update().filter(
            state=state, entity_id=answer.record.entity_id, sandbox=sandbox
        )
        entity = known.first()
        last = entity.versions.order_by("-number").first() if entity else None
        if last is None:
            return None
        if last.reading_id == reply.reading.pk:
            reason = RecordVersion.Reason.READ_ANEW
            version = storage.keep_record(state, reply, answer, sandbox=sandbox, reason=reason)
        elif last.facts == storage.digest(*storage.record_fields(state, reply, answer)):
            version = last  # corrected before, from a later reading
        else:
            return None
        resting = StoredAnswer.objects.filter(reading=reply.reading, version__entity=entity)
        resting.update(version=version, reader_version=reply.version, reader_built_at=reply.built_at)
    return version
