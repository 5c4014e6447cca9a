"""What registries write where there is nobody, or no place: "NONE", "VACANT", "SEE FILE" are no names, no streets."""

from __future__ import annotations

import re
from dataclasses import replace

from scrapers.failures import PageChanged
from scrapers.normalize import dates
from scrapers.parsing.fields import listed
from scrapers.records import EntityRecord

_WORDS = frozenset(
    listed(
        "n a | na | null | nobody | unknown | vacant | tbd | to be determined | see file | see attached | "
        "not applicable | same | same as above | "
        # New York and others: the company itself, which the record is of
        "the corporation | the company | the llc | the partnership | the limited liability company | "
        "the limited partnership"
    )
)
# So "Not Provided", and as Minnesota has it "(Optional) Currently No Agent".
_DONE = (
    "available|found|given|listed|provided|required|stated|shown|named|appointed|designated|on file|on record|of record"
)
_NOBODY = re.compile(
    rf"not (?:{_DONE})|(?:optional )?(?:currently )?(?:none|no (?:registered |resident )?agent)(?: (?:{_DONE}))?"
    rf"|no (?:principal office |principal |mailing |street )?address(?: (?:{_DONE}))?"
)
# "Registered Agent Revoked" (New York), "*RESIGNED 01/02/03*" (Florida): somebody was, and nobody is.
_GONE = re.compile(
    r"(?:(?:registered |resident )?agent )?(?:revoked|resigned|retired|vacant|vacated|removed)(?: on)?(?: \d+)*"
)
_BEGINNINGS = frozenset(word.split()[0] for word in _WORDS) | set(
    listed("none | not | no | optional | currently | registered | resident | agent | revoked | resigned | retired")
    + listed("vacated | removed")
)
_TWICE = re.compile(r"(.+?)(?: \1)*")  # "VACANT VACANT": both parts of a name filled alike


def is_placeholder(text: str | None) -> bool:
    """Whether a text in the place of a name or a street stands for nothing; so does one without letters or digits."""
    words = re.sub(r"[\W_]+", " ", text or "").strip().casefold().removeprefix("c o ")  # "C/O THE LLC"
    if words and words.partition(" ")[0] not in _BEGINNINGS:  # nearly every one
        return False
    once = _TWICE.fullmatch(words)
    return not once or once[1] in _WORDS or any(form.fullmatch(once[1]) for form in (_NOBODY, _GONE))


def stated(text: str | None) -> str | None:
    """The text; None where it is a placeholder, or there is none."""
    return None if is_placeholder(text) else text


def without_placeholders(record: EntityRecord) -> EntityRecord:
    """The record with those alone whom the registry really names, and those days and numbers that it really tells.

    PageChanged for a word in the place of the day of formation.
    """
    formed = None if dates.is_placeholder(record.formation_date) else stated(record.formation_date)
    if formed and not any(sign.isdigit() for sign in formed):
        raise PageChanged(f"{formed!r} stands where the day of formation does")
    return replace(
        record,
        formation_date=formed,
        agent_name="; ".join(filter(None, map(stated, (record.agent_name or "").split("; ")))) or None,
        process_name=stated(record.process_name),
        jurisdiction=stated(record.jurisdiction),
        fei_ein_number=number if (number := record.fei_ein_number) and re.search("[1-9]", number) else None,
        filings=tuple(replace(one, date=None) if dates.is_placeholder(one.date) else one for one in record.filings),
        officers=tuple(
            replace(one, address=stated(one.address)) for one in record.officers if not is_placeholder(one.name)
        ),
    )
