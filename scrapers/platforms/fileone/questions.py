"""The bodies of a business search, as the page of each host sends them: every key must be there.

Source: what clients of these states send; of the three, one switch is what most hosts share.
"""

from __future__ import annotations

from typing import Any

_ANYTIME = {"start": None, "end": None}


def switch(term: str, *, starts_with: bool) -> dict[str, Any]:
    """One switch tells contains from starts-with."""
    return {"SEARCH_VALUE": term, "STARTS_WITH_YN": starts_with, "ACTIVE_ONLY_YN": False}


def numbered_kinds(term: str) -> dict[str, Any]:
    """Kinds of matching by number, of which one is known (Montana)."""
    return {
        "SEARCH_VALUE": term,
        "QUERY_TYPE_ID": 1010,
        "FILING_TYPE_ID": "0",
        "FILING_SUBTYPE_ID": "0",
        "STATUS_ID": "0",
        "STATE": "",
        "COUNTY": "",
        "CRA_SEARCH_YN": False,
        "FILING_DATE": _ANYTIME,
        "EXPIRATION_DATE": _ANYTIME,
    }


def disclosures(term: str) -> dict[str, Any]:
    """Filters by what a corporation disclosed of its board and courts, all left open (California)."""
    return {
        "SEARCH_VALUE": term,
        "SEARCH_FILTER_TYPE_ID": "0",
        "SEARCH_TYPE_ID": "1",
        "FILING_TYPE_ID": "",
        "STATUS_ID": "",
        "FILING_DATE": _ANYTIME,
        "CORPORATION_BANKRUPTCY_YN": False,
        "CORPORATION_LEGAL_PROCEEDINGS_YN": False,
        "OFFICER_OBJECT": {"FIRST_NAME": "", "MIDDLE_NAME": "", "LAST_NAME": ""},
        "NUMBER_OF_FEMALE_DIRECTORS": "99",
        "NUMBER_OF_UNDERREPRESENTED_DIRECTORS": "99",
        "COMPENSATION_FROM": "",
        "COMPENSATION_TO": "",
        "SHARES_YN": False,
        "OPTIONS_YN": False,
        "BANKRUPTCY_YN": False,
        "FRAUD_YN": False,
        "LOANS_YN": False,
        "AUDITOR_NAME": "",
    }
