"""The sandbox registry's companies that change, for those who try watches: each check finds the next of their turns.

Nothing is remembered: a number followed by a turn (`SB-DE-920001.3`) is the company as it is at that turn, and a search
for liens takes the turn behind the name. Whoever watches one sends the turn along; every other number is left as it is.
"""

from __future__ import annotations

import re
from typing import Any

from scrapers.normalize import names

CHANGING: dict[str, str] = {
    "changes": "Magic Changes LLC",
    "changes_status": "Magic Changes Status LLC",
    "changes_name": "Magic Changes Name LLC",
    "changes_agent": "Magic Changes Agent LLC",
    "changes_officer": "Magic Changes Officer LLC",
    "changes_address": "Magic Changes Address LLC",
    "changes_filing": "Magic Changes Filing LLC",
    "changes_lien": "Magic Changes Lien LLC",
    "disappears": "Magic Disappears LLC",
    "reappears": "Magic Reappears LLC",
}
"""What changes -> the name; the first changes in every way that a record can."""
FIRST_NUMBER = 920001
_NUMBERS = {FIRST_NUMBER + place: outcome for place, outcome in enumerate(CHANGING)}
_BY_KEY = {names.key(name): outcome for outcome, name in CHANGING.items()}
_ID = re.compile(r"(?P<plain>SB-[A-Z]{2}-(?P<number>92\d{4}))(?:\.(?P<turn>\d{1,6}))?", re.IGNORECASE)
_NAME = re.compile(r"(?P<plain>.*?)(?: turn (?P<turn>\d{1,6}))?", re.IGNORECASE)
_STATUSES = ("Good Standing", "Not in Good Standing", "Dissolved")
_PEOPLE = ("MAUD QUILLFEATHER", "OTIS BRAMBLEDOWN", "IVY THISTLEWOOD", "HUGO MARLPIT", "NELL SANDERLING")


def at_turn(asked: str, turn: int) -> str:
    """A number or a name as it is asked for at this turn; what is no company of these stays as it is."""
    by_id = _ID.fullmatch(asked)
    if by_id is not None and int(by_id["number"]) in _NUMBERS:
        return f"{by_id['plain']}.{turn}"
    return f"{asked} turn {turn}" if names.key(asked) in _BY_KEY else asked


def split_number(asked: str) -> tuple[str, int]:
    """The number without its turn, and the turn."""
    found = _ID.fullmatch(asked)
    return (found["plain"], int(found["turn"] or 0)) if found else (asked, 0)


def split_name(asked: str) -> tuple[str, int]:
    """The name without its turn, and the turn."""
    found = _NAME.fullmatch(asked)
    if found is None or names.key(found["plain"]) not in _BY_KEY:
        return asked, 0
    return found["plain"], int(found["turn"] or 0)


def find_changing(term: str) -> str | None:
    """Which of them a search term asks for, with or without its legal form; None for every other name."""
    return _BY_KEY.get(names.key(split_name(term)[0]))


def find_number(outcome: str) -> int:
    """The number of one of them."""
    return next(number for number, known in _NUMBERS.items() if known == outcome)


def is_there(outcome: str, turn: int) -> bool:
    """Whether the registry has it at this turn."""
    if outcome == "disappears":
        return turn < 2
    return outcome != "reappears" or turn // 2 % 2 == 0


def facts(outcome: str, turn: int) -> dict[str, Any]:
    """What of the entry is otherwise at this turn than it was at the one before."""
    every = outcome == "changes"
    told: dict[str, Any] = {"name": CHANGING[outcome].upper()}
    if outcome == "changes_status" or every:
        told["status"] = _STATUSES[turn % len(_STATUSES)]
    if (outcome == "changes_name" or every) and turn:
        told["name"] = told["name"].removesuffix(" LLC") + f" {turn} LLC"
    if outcome == "changes_agent" or every:
        told["agent"] = {"name": f"HARBOR AGENTS {turn + 1} INC.", "address": ["12 QUAY STREET", "DOVER, DE 19901"]}
    if outcome == "changes_officer" or every:
        told["officers"] = [{"name": _PEOPLE[turn % len(_PEOPLE)], "title": "Manager", "address": None}]
    if outcome == "changes_address" or every:
        told["principal"] = [f"{turn + 1} QUAY STREET", "DOVER, DE 19901"]
    if outcome == "changes_filing" or every:
        told["filings"] = [["03/01/2025", f"Annual Report No. {number + 1}"] for number in range(turn + 1)]
    return told


def count_liens(outcome: str, turn: int) -> int:
    """How many liens are on its name."""
    return turn + 1 if outcome == "changes_lien" else 1
