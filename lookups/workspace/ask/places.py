"""The states that the form offers: those that can be asked now, and those that cannot, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from jurisdictions.codes import PLACES
from lookups import selectors


@dataclass(frozen=True, slots=True)
class Choice:
    """One state of the list, by name."""

    code: str
    name: str
    why_not: str = ""


def list_choices(*, livemode: bool, now: datetime) -> tuple[list[Choice], list[Choice]]:
    """The states that can be asked, and those that cannot, both by name; the sandbox answers for all."""
    if not livemode:
        return _by_name([Choice(code, place.name) for code, place in PLACES.items()]), []
    can, cannot = [], []
    for row in selectors.list_states(now=now):
        if row["available"]:
            can.append(Choice(row["state"], row["name"]))
        else:
            cannot.append(Choice(row["state"], row["name"], row["reason"] or "cannot be asked now"))
    return _by_name(can), _by_name(cannot)


def _by_name(choices: list[Choice]) -> list[Choice]:
    return sorted(choices, key=lambda one: one.name)
