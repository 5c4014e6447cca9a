"""What a lien's status means: the registry's own word where it has one, else what the lapse date says.

A word that is not known here is never guessed at: such a lien may be over, whatever day it would have lapsed.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

from scrapers.normalize import dates
from scrapers.records import UccFiling

LienClass = Literal["active", "lapsed", "terminated", "unknown"]
_WORDS: dict[str, LienClass] = {
    "active": "active",
    "filed": "active",
    "unlapsed": "active",
    "effective": "active",
    "lapsed": "lapsed",
    "expired": "lapsed",
    "lapse": "lapsed",
    "terminated": "terminated",
    "termination": "terminated",
    "released": "terminated",
    "satisfied": "terminated",
}
# "Not Active" and "Non-active" are not active, "Partially Released" is not released
_TURNED = frozenset({"no", "non", "not", "partial", "partially"})
_MAY_END = re.compile("terminat|releas|satisf|discharg|withdraw|cancel|revo[ck]|dismiss|expung")


def status_class(filing: UccFiling, *, today: date) -> LienClass:
    """Class of a filing. A termination ends a lien before it lapses, so that word goes first wherever it stands.

    Where a registry's word does not show one, a lien that it calls active may have ended: its later documents say so
    where they were read, else it is not known. Where it does not show that a lien has lapsed, the day does.
    """
    found = _shown_class(filing, today=today)
    if found == "active" and not filing.status and may_have_ended(filing):
        return "unknown"
    if found == "active" and filing.status_omits == "lapse":
        return "lapsed" if _by_lapse(filing, today=today) == "lapsed" else found
    if found != "active" or filing.status_omits != "termination":
        return found
    return "terminated" if is_terminated(filing) else "unknown"


def is_terminated(filing: UccFiling) -> bool:
    """Whether one of the later documents ends the lien."""
    return any(is_termination(later.filing_type) for later in filing.amendments)


def may_have_ended(filing: UccFiling) -> bool:
    """Whether one of the later documents may end the lien: a release may be of all of it, or of some collateral."""
    kinds = (later.filing_type.casefold() for later in filing.amendments)
    return any(_MAY_END.search(kind) and "partial" not in kind for kind in kinds)


def is_termination(document: str) -> bool:
    """Whether a document of this kind ends the lien; a partial one does not."""
    kind = document.casefold()
    return "terminat" in kind and "partial" not in kind


def _shown_class(filing: UccFiling, *, today: date) -> LienClass:
    words = re.findall(r"[a-z]+", (filing.status or "").casefold())
    by_day = _by_lapse(filing, today=today)
    if not words:
        return by_day
    found = [_WORDS[word] for word in words if word in _WORDS]
    if found and _TURNED.isdisjoint(words):
        return "terminated" if "terminated" in found else found[0]
    return "lapsed" if by_day == "lapsed" else "unknown"


def _by_lapse(filing: UccFiling, *, today: date) -> LienClass:
    lapse = dates.to_date(filing.lapse_date)
    if lapse is None:
        return "unknown"
    return "lapsed" if lapse < today else "active"
