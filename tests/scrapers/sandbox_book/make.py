"""The rules: four companies and one lien for each jurisdiction, every choice a SHA-256 of what is chosen.

No random generator takes part, so the same words give the same registry on every Python. Company n of jurisdiction i
is of the kind `KINDS[(4 * i + n) % 11]`; since 4 and 11 share no factor, neighbours differ and every kind comes up
about twenty times. Active liens were filed in 2024 to 2026 and run for five years.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from jurisdictions.codes import PLACES
from tests.scrapers.sandbox_book import words

Entity = dict[str, Any]
CODES = tuple(PLACES)


def pick(things: Sequence[Any], *of: object) -> Any:
    """One of the things, always the same for the same words."""
    digest = hashlib.sha256("|".join(map(str, of)).encode()).digest()
    return things[int.from_bytes(digest[:8], "big") % len(things)]


def address(code: str, *of: object) -> list[str]:
    """Lines of a made-up street in a real city."""
    city, zip_code = pick(words.CITIES[code], code, "city", *of)
    number = pick(range(2, 990), code, "number", *of)
    return [f"{number} {pick(words.STREETS, code, 'street', *of)}", f"{city}, {code} {zip_code}"]


def person(*of: object) -> str:
    """A made-up person."""
    return f"{pick(words.GIVEN, 'given', *of)} {pick(words.FAMILY, 'family', *of)}"


def day(first_year: int, last_year: int, *of: object) -> str:
    """A day as registries write it."""
    year = pick(range(first_year, last_year + 1), "year", *of)
    return f"{pick(range(1, 13), 'month', *of):02}/{pick(range(1, 29), 'day', *of):02}/{year}"


def entity(code: str, number: int, name: str, **facts: Any) -> Entity:
    """One page of the registry; what is not told is empty."""
    return {
        "state": code,
        "number": f"SB-{code}-{number:06}",
        "name": name,
        "type": facts.pop("type", "Limited Liability Company"),
        "status": facts.pop("status", "Good Standing"),
        "formed": facts.pop("formed", None) or day(1978, 2024, code, number),
        "jurisdiction": facts.pop("jurisdiction", None) or PLACES[code].name,
        **facts,
    }


def common(code: str, n: int) -> dict[str, Any]:
    """An agent in the state, a principal office, and two documents."""
    agent = pick((*words.AGENTS, person(code, n, "agent")), code, n, "agent")
    formed = day(1978, 2018, code, n)
    return {
        "formed": formed,
        "agent": {"name": agent, "address": address(code, n, "agent")},
        "principal": address(code, n, "principal"),
        "filings": [[formed, "Initial Filing"], [day(2024, 2026, code, n, "report"), "Annual Report"]],
    }


def officers(code: str, n: int, *titles: str) -> list[dict[str, Any]]:
    """Made-up officers, every second one with an address."""
    return [
        {"name": person(code, n, title), "title": title, "address": address(code, n, title) if turn % 2 == 0 else None}
        for turn, title in enumerate(titles)
    ]


def _abroad(code: str) -> str:
    place = pick([other for other in CODES[:51] if other != code], code, "abroad")
    return PLACES[place].name


Kind = Callable[[str, int, str], dict[str, Any]]
KINDS: tuple[Kind, ...] = (
    lambda c, n, stem: {"name": f"{stem} LLC", "officers": officers(c, n, "Manager", "Member")},
    lambda c, n, stem: {
        "name": f"{stem}, Inc.",
        "type": "Business Corporation",
        "officers": officers(c, n, "President", "Secretary", "Treasurer"),
    },
    lambda c, n, stem: {
        "name": f"{stem} Corporation",
        "type": "Business Corporation",
        "status": "Not in Good Standing",
        "standing": "Annual report overdue",
    },
    lambda c, n, stem: {"name": f"{stem} L.L.C.", "status": "Dissolved", "mailing": address(c, n, "mailing")},
    lambda c, n, stem: {
        "name": f"The {stem} Society",
        "type": "Nonprofit Corporation",
        "status": "Active",
        "officers": officers(c, n, "Director", "Director and Chair"),
    },
    lambda c, n, stem: {
        "name": f"{stem}, L.P.",
        "type": "Limited Partnership",
        "officers": [{"name": f"{stem.upper()} GP LLC", "title": "General Partner", "address": address(c, n, "gp")}],
    },
    lambda c, n, stem: {
        "name": f"{stem} LLC",
        "type": "Foreign Limited Liability Company",
        "status": "Active",
        "jurisdiction": _abroad(c),
        "agent": {"name": words.AGENTS[0], "address": address(c, n, "agent")},
    },
    lambda c, n, stem: {
        "name": f"{stem} Company",
        "type": "Business Corporation",
        "officers": officers(c, n, "President"),
        "former": [f"Old {stem} Company"],
    },
    lambda c, n, stem: {
        "name": f"{stem} Ventures LLC",
        "assumed": [f"{stem} Shop"],
        "officers": officers(c, n, "Authorized Person"),
    },
    lambda c, n, stem: {
        "name": f"{stem}, Incorporated",
        "type": "Foreign Business Corporation",
        "status": "Withdrawn",
        "jurisdiction": _abroad(c),
        "agent": None,
    },
    lambda c, n, stem: {"name": f"{stem} Holdings II LLC", "status": "Revoked"},
)


def by_rule() -> list[Entity]:
    """Four companies for each jurisdiction."""
    made = []
    for index, code in enumerate(CODES):
        for n in range(4):
            turn = 4 * index + n
            first = words.FIRST_WORDS[turn % len(words.FIRST_WORDS)]
            stem = f"{first} {words.TRADES[turn % len(words.TRADES)]}"
            facts = common(code, n) | KINDS[turn % len(KINDS)](code, n, stem)
            made.append(entity(code, 101 + n, facts.pop("name"), **facts))
    return made


def lien(code: str, number: int, debtor: str, secured: str, **facts: Any) -> dict[str, Any]:
    """One financing statement, with the registry's fields; dates are ISO."""
    filed = facts.pop("filed")
    return {
        "state": code,
        "number": f"SBU-{code}-{filed[:4]}-{number:06}",
        "filed": filed,
        "lapses": facts.pop("lapses", None) or f"{int(filed[:4]) + 5}{filed[4:]}",
        "status": facts.pop("status", "Active"),
        "type": facts.pop("type", "Initial Financing Statement"),
        "debtors": [{"name": debtor, "address": address(code, debtor)}, *facts.pop("more_debtors", [])],
        "secured": [{"name": secured, "address": address(code, secured)}],
        "collateral": facts.pop("collateral", None) or pick(words.COLLATERAL, code, number),
        "amendments": facts.pop("amendments", []),
    }


def liens_by_rule(entities: list[Entity]) -> list[dict[str, Any]]:
    """One lien for each jurisdiction, on its first company; active, lapsed, terminated and amended ones in turn."""
    made = []
    for index, code in enumerate(CODES):
        debtor = next(one for one in entities if one["state"] == code)["name"]
        month, date = pick(range(1, 13), code, "m"), pick(range(1, 29), code, "d")
        year, status, kind = (
            (2025, "Active", None),
            (2018, "Lapsed", None),
            (2023, "Terminated", "Termination"),
            (2024, "Active", "Collateral Change"),
        )[index % 4]
        filed = f"{year}-{month:02}-{date:02}"
        later = [[f"SBU-{code}-{year + 1}-000901", f"{year + 1}-{month:02}-{date:02}", kind]] if kind else []
        made.append(lien(code, 11, debtor, pick(words.LENDERS, code), filed=filed, status=status, amendments=later))
    return made
