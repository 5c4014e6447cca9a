"""What an earlier answer says when today's reader reads it: asked where two readings are by different readers.

A difference between two readers' words for the same page is no change at the registry.
"""

from __future__ import annotations

from lookups.evidence import replay
from lookups.models import Lookup
from lookups.verdicts import Verdict
from lookups.watches import readings
from lookups.watches.readings import Facts


def reread(lookup: int) -> Facts | None:
    """The facts of the lookup with this number as today's reader has them, as `readings.of_record` or `of_liens` does.

    None where its pages cannot be read again: then nothing can be compared, and a watch begins anew.
    """
    earlier = Lookup.objects.whole().select_related("reading").get(pk=lookup)
    anew = replay.read_anew(earlier)
    if anew is None or anew["verdict"] != Verdict.FOUND.value:
        return None
    if earlier.filing_set is not None:
        return readings.of_liens(anew["data"]["filings"])
    if earlier.version is None or anew["data"]["entityId"] != earlier.version.entity.entity_id:
        return None
    return readings.of_record(anew["data"], anew["normalized"], never=frozenset())[0]
