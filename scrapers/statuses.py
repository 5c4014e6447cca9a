"""What a registry's own status words mean: a closed table per state, written as the state writes its words."""

from __future__ import annotations

from dataclasses import dataclass

from scrapers.parsing.fields import listed
from scrapers.records import StatusClass


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """What a registry's own status word means; `reason` qualifies it ("not_in_good_standing")."""

    status_class: StatusClass
    reason: str | None = None


def meanings(
    *, active: str = "", warning: str = "", inactive: str = "", suspended: str = "", neutral: str = ""
) -> dict[str, StatusMeaning]:
    """Build a status table of words listed as "Good Standing | Active", which are compared without case and spacing.

    `warning`: the entity exists and is active, but not in good standing. `suspended`: inactive until it is revived.
    """
    return {
        folded(word): meaning
        for words, meaning in (
            (active, StatusMeaning("active")),
            (warning, StatusMeaning("active", "not_in_good_standing")),
            (inactive, StatusMeaning("inactive")),
            (suspended, StatusMeaning("inactive", "suspended")),
            (neutral, StatusMeaning("neutral")),
        )
        for word in listed(words)
    }


def folded(word: str) -> str:
    """The word as it is compared."""
    return " ".join(word.split()).casefold()
