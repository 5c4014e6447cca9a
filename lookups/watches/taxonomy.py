"""What can happen to a watched company, in one table: it is published, and every event has a code of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """What a watch can be made for."""

    STATUS = "status"
    NAME = "name"
    AGENT = "agent"
    OFFICER = "officer"
    ADDRESS = "address"
    FILING = "filing"
    LIEN = "lien"
    DISAPPEARED = "disappeared"
    REAPPEARED = "reappeared"


class Notice(StrEnum):
    """What a watch tells of itself: not a change, and nothing that one asks for among the categories."""

    UNCHANGED = "unchanged"
    UNCLEAR = "unclear"
    PAUSED = "paused"


class Severity(StrEnum):
    """How much it matters to who does business with the company."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Code:
    """One thing that can happen, for people: where it belongs, how much it matters and what it means."""

    category: Category | Notice
    severity: Severity
    meaning: str


_C, _S = Category, Severity
CODES: dict[str, Code] = {
    "status.inactive": Code(_C.STATUS, _S.HIGH, "The status now means that the company has ended or lost its rights."),
    "status.neutral": Code(_C.STATUS, _S.MEDIUM, "The status is now neither active nor inactive, or unknown."),
    "status.active": Code(_C.STATUS, _S.MEDIUM, "The status now means that the company is active."),
    "status.reason": Code(_C.STATUS, _S.MEDIUM, "The reason or the standing given with the status has changed."),
    "status.wording": Code(_C.STATUS, _S.LOW, "The registry uses another word for a status that means the same."),
    "name.changed": Code(_C.NAME, _S.HIGH, "The company has another name."),
    "name.other": Code(_C.NAME, _S.LOW, "Its former or assumed names have changed."),
    "name.particulars": Code(
        _C.NAME, _S.MEDIUM, "Its legal form, date of formation, home jurisdiction or federal number has changed."
    ),
    "agent.changed": Code(_C.AGENT, _S.MEDIUM, "It has another registered agent, or another recipient of process."),
    "agent.removed": Code(_C.AGENT, _S.HIGH, "It no longer has a registered agent."),
    "agent.address": Code(_C.AGENT, _S.LOW, "The registered agent has another address."),
    "officer.added": Code(_C.OFFICER, _S.MEDIUM, "A person is listed who was not listed before."),
    "officer.removed": Code(_C.OFFICER, _S.MEDIUM, "A person is no longer listed."),
    "officer.changed": Code(_C.OFFICER, _S.LOW, "A listed person has another title or address."),
    "address.principal": Code(_C.ADDRESS, _S.MEDIUM, "The address of the principal office has changed."),
    "address.mailing": Code(_C.ADDRESS, _S.LOW, "The mailing address has changed."),
    "filing.added": Code(_C.FILING, _S.MEDIUM, "There is a new document on its file."),
    "filing.removed": Code(_C.FILING, _S.LOW, "A document is no longer shown on its file."),
    "filing.changed": Code(_C.FILING, _S.LOW, "A document on its file is described differently."),
    "lien.added": Code(_C.LIEN, _S.HIGH, "There is a new lien on its name."),
    "lien.changed": Code(_C.LIEN, _S.MEDIUM, "A lien was continued, amended, terminated, or has lapsed."),
    "lien.removed": Code(_C.LIEN, _S.MEDIUM, "A lien is no longer shown."),
    "disappeared": Code(
        _C.DISAPPEARED,
        _S.HIGH,
        "Two complete readings, at least a day apart except in the sandbox, no longer found the company.",
    ),
    "reappeared": Code(_C.REAPPEARED, _S.MEDIUM, "The company is found again, after it had disappeared."),
    "unchanged": Code(
        Notice.UNCHANGED,
        _S.INFO,
        "Nothing that is watched and that its source has shown has changed (`tell_unchanged`). The check's "
        "`notChecked` names the rest.",
    ),
    "unclear": Code(
        Notice.UNCLEAR,
        _S.MEDIUM,
        "For a week no check found and read it: whether it changed is not known. Sent once, until it is read.",
    ),
    "paused": Code(Notice.PAUSED, _S.HIGH, "The watch is paused, and `reason` says why; no check is made until then."),
}

EVERY_CATEGORY = tuple(category.value for category in Category)
BY_DEFAULT = tuple(one for one in EVERY_CATEGORY if one != Category.LIEN)
"""Where a watch names none: liens are kept in another index, and cost a lookup of their own."""


def get(code: str) -> Code:
    """What a code stands for; KeyError for what is none."""
    return CODES[code]


def of_wire(code: str) -> str:
    """The type of message that tells of it."""
    category = CODES[code].category
    return f"watch.{category.value}" if isinstance(category, Notice) else "watch.changed"
