"""Write docs/states.md from what the code declares of every jurisdiction; `--check` says whether it is current."""

from __future__ import annotations

import json

from django.conf import settings

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.management.generated_page import PageCommand
from scrapers.portal import Portal
from scrapers.ucc.closed_searches import CLOSED

HEAD = """# Every jurisdiction

Generated from the code by `manage.py states_page`; do not edit.

Verification: **recorded**: the reader parses a real portal's recorded answer. **documented**: written after a public
description of the portal, not yet tried on it. **unsupported**: no search is known that a program may use. No state is
**live** here: that mark is set in the running service when `manage.py first_contact` has read a real answer. What came
of asking last, and when, is in the last column, once somebody with a network has asked (`manage.py first_contact
--docs`); a running service has its own in `GET /v1/states` and on its page of states.

"On by default" is the switch's first position; an operator may turn each one. A state that is off because of a wall or
its terms answers 503 with the reason; a wall is never solved or disguised. Why liens are not answered stands where it
is known. What was looked for and found elsewhere, state by state: [off-states.md](off-states.md).

"""
COLUMNS = (
    *("", "jurisdiction", "platform", "answers", "UCC", "verification", "on by default", "terms, robots.txt"),
    *("reason when off", "what would change that", "last contact"),
)


MARKS = ("recorded", "documented", "unsupported")


def page() -> str:
    """The page as it should be."""
    met = _contacts()
    codes = sorted(PLACES, key=lambda code: PLACES[code].name)
    rows = [_row(code, discovery.find_portal(code), met.get(code, "none yet")) for code in codes]
    portals = discovery.list_portals()
    counts = {word: sum(1 for portal in portals if portal.verification == word) for word in MARKS}
    marks = ", ".join(f"{count} {word}" for word, count in counts.items())
    missing = len(PLACES) - len(portals)
    if missing:
        marks += f", {missing} without a reader"
    on = [portal.capabilities for portal in portals if portal.on_by_default]
    told = {
        "with officers": sum(can.officers for can in on),
        "with former names": sum(can.former_names for can in on),
        "with filings": sum(can.filings for can in on),
        "with liens": sum(can.ucc for can in on),
    }
    shown = ", ".join(f"{count} {word}" for word, count in told.items())
    head = f"|{' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|\n"
    foot = f"\n\n{len(PLACES)} jurisdictions: {marks}; {len(on)} on by default, {shown}.\n"
    return HEAD + head + "\n".join(rows) + foot


def _contacts() -> dict[str, str]:
    """What came of asking each state last, as far as it was noted for the documents."""
    path = settings.BASE_DIR / "docs" / "first-contact.json"
    noted = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {code: f"{row['result'].replace('_', ' ')}, {row['day']}" for code, row in noted.items()}


def _row(code: str, portal: Portal | None, contact: str) -> str:
    place = PLACES[code]
    if portal is None:
        nothing = "- | nothing | - | unsupported | no | - | no search is known | a reader"
        return f"| {code} | {place.name} | {nothing} | {contact} |"
    cells = [
        code,
        place.name,
        _platform(portal),
        _answers(portal),
        _ucc(portal),
        portal.verification,
        "yes" if portal.on_by_default else "no",
        f"{portal.terms.automated}; robots.txt: {portal.terms.robots}. {portal.terms.note}".strip(),
        "" if portal.on_by_default else portal.off_reason,
        "" if portal.on_by_default else portal.would_change,
        contact,
    ]
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _platform(portal: Portal) -> str:
    """What it shares with other states; "own" for a portal of its own."""
    modules = [kind.__module__.split(".") for kind in type(portal).__mro__]
    return next((parts[2] for parts in modules if parts[:2] == ["scrapers", "platforms"]), "own")


def _answers(portal: Portal) -> str:
    if portal.verification == "unsupported":
        return "nothing"
    can = portal.capabilities
    words = ["name"] if can.search else []
    named = {
        "identifier": can.by_id,
        "status": can.status,
        "agent": can.agent,
        "officers": can.officers,
        "addresses": can.addresses,
        "filings": can.filings,
        "former names": can.former_names,
        "assumed names": can.assumed_names,
    }
    words += [word for word, there in named.items() if there]
    if portal.coverage == "active_only":
        words.append("active entities only")
    if portal.bulk_data is not None:
        words.append("from its bulk data once loaded")
    return ", ".join(words)


def _ucc(portal: Portal) -> str:
    can = portal.capabilities
    if not can.ucc:
        return f"no: {CLOSED[portal.code]}" if portal.code in CLOSED else "no"
    words = ["debtor"] + ["secured party"] * can.ucc_secured_party + ["dates"] * can.ucc_date_filter
    return ", ".join(words)


class Command(PageCommand):
    """See the module."""

    help = "Write docs/states.md from what the code declares of every jurisdiction."
    file = "states.md"

    def page(self) -> str:
        return page()
