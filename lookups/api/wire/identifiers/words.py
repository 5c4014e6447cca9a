"""The closed lists of words about identifiers."""

from __future__ import annotations

from enum import StrEnum


class Included(StrEnum):
    """What a reply may have beside the registry's answer."""

    IDENTIFIERS = "identifiers"


class LeiStatus(StrEnum):
    """Whether an LEI is attached, or why none is.

    `attached`: a record has this state's number and this company's name. `not_found`: none has the number.
    `name_disagrees`: one has the number and another name, so one of them is wrong. `ambiguous`: several agree.
    `unavailable`: it could not be asked in time (`reason`). `unsupported`: GLEIF has no code for this registry that is
    known, or the company has no number of its registry's. `withheld`: left out at somebody's request.
    """

    ATTACHED = "attached"
    NOT_FOUND = "not_found"
    NAME_DISAGREES = "name_disagrees"
    AMBIGUOUS = "ambiguous"
    UNAVAILABLE = "unavailable"
    UNSUPPORTED = "unsupported"
    WITHHELD = "withheld"


class CikStatus(StrEnum):
    """Whether a CIK is suggested, or why none is.

    `suggested`: just one filer has this very name; nothing else speaks for it. `not_found`: none has. `ambiguous`:
    several have. `not_loaded`: this installation has not loaded EDGAR's list. `unavailable`: it was not looked for.
    `withheld`: left out at somebody's request.
    """

    SUGGESTED = "suggested"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    NOT_LOADED = "not_loaded"
    UNAVAILABLE = "unavailable"
    WITHHELD = "withheld"
