"""What the sandbox registry's server shows: HTML for companies, JSON for liens, and the pages of its bad days."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from jurisdictions.codes import PLACES
from scrapers.sandbox.book import Entry, Lien, Listing

MOST_ROWS = 40

WALL = """<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head>
<body><div class="main-wrapper"><h1>sandbox.registry.invalid</h1><p>Checking your browser.</p></div></body></html>"""
DOWN = "<!DOCTYPE html><html><head><title>503</title></head><body><h1>Service Unavailable</h1></body></html>"
BROKEN = "<!DOCTYPE html><html><head><title>500</title></head><body><h1>Server Error</h1></body></html>"
SLOW_DOWN = "<!DOCTYPE html><html><head><title>429</title></head><body><h1>Too Many Requests</h1></body></html>"
NEW_LAYOUT = """<!DOCTYPE html><html><head><title>Welcome to our new search</title></head>
<body><main><section class="cards"><article><h2>MAGIC PAGE CHANGED LLC</h2><p>Ref 900041</p></article></section></main>
</body></html>"""


def results(state: str, term: str, rows: list[Listing]) -> str:
    """The result list of a name search, cut after `MOST_ROWS` rows."""
    if not rows:
        return _page(state, "Search", f'<p id="no-match">No business entity matches “{escape(term)}”.</p>')
    shown = [
        f'<td><a href="/{row.entry.state}/entity/{row.entry.number}">{escape(row.name)}</a></td>'
        f"<td>{row.entry.number}</td>"
        f"<td>{escape(row.entry.type)}</td><td>{escape(row.entry.status)}</td><td>{row.kind}</td>"
        for row in rows[:MOST_ROWS]
    ]
    count = f'<p id="count">{len(shown)} of {len(rows)} matching names</p>'
    table = _table("results", ("Name", "Number", "Type", "Status", "Name kind"), shown)
    return _page(state, "Search", count + table)


def entity(entry: Entry) -> str:
    """The page of one company. A fact that the registry does not have is shown with an empty value."""
    agent = entry.agent or {}
    facts = (
        ("Entity number", escape(entry.number)),
        ("Status", escape(entry.status)),
        ("Standing", escape(entry.standing or "")),
        ("Entity type", escape(entry.type)),
        ("Formed", escape(entry.formed)),
        ("Jurisdiction of formation", escape(entry.jurisdiction)),
        ("Registered agent", escape(agent.get("name", ""))),
        ("Registered agent address", _lines(agent.get("address"))),
        ("Principal office", _lines(entry.principal)),
        ("Mailing address", _lines(entry.mailing)),
    )
    rows = "".join(f'<tr><th scope="row">{label}:</th><td>{value}</td></tr>' for label, value in facts)
    parts = [f'<h2 id="entity-name">{escape(entry.name)}</h2><table id="facts">{rows}</table>']
    people = [
        f"<td>{escape(one['name'])}</td><td>{escape(one['title'])}</td><td>{_lines(one['address'])}</td>"
        for one in entry.officers
    ]
    parts.append(_table("officers", ("Officer", "Title", "Address"), people))
    others = [f"<td>{escape(name)}</td><td>{kind}</td>" for name, kind in entry.names() if name != entry.name]
    parts.append(_table("names", ("Other name", "Kind"), others))
    papers = [f"<td>{escape(day)}</td><td>{escape(title)}</td>" for day, title in entry.filings]
    parts.append(_table("filings", ("Date", "Document"), papers))
    return _page(entry.state, "Business entity", "".join(parts))


def no_entity(state: str, number: str) -> str:
    """The page behind a number that nobody has."""
    return _page(state, "Business entity", f'<p id="no-match">No business entity has the number {escape(number)}.</p>')


def liens(found: list[Lien]) -> str:
    """The answer of the lien search."""
    rows = [
        {
            "fileNumber": one.number,
            "fileDate": one.filed,
            "lapseDate": one.lapses,
            "status": one.status,
            "filingType": one.type,
            "debtors": [_party(person) for person in one.debtors],
            "securedParties": [_party(person) for person in one.secured],
            "collateral": one.collateral,
            "amendments": [{"fileNumber": n, "fileDate": day, "filingType": kind} for n, day, kind in one.amendments],
        }
        for one in found
    ]
    return json.dumps({"total": len(found), "filings": rows}, ensure_ascii=False)


def new_lien_layout() -> str:
    """The lien search after somebody renamed everything."""
    return json.dumps({"data": {"items": [], "meta": {"v": 2}}})


def _party(person: dict[str, Any]) -> dict[str, Any]:
    return {"name": person["name"], "address": person["address"]}


def _lines(lines: Iterable[str] | None) -> str:
    return "<br>".join(escape(line) for line in lines or ())


def _table(name: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th>{text}</th>" for text in heads)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table id="{name}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _page(state: str, title: str, content: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>'
        f"<h1>Sandbox Registry of {escape(PLACES[state].name)} (fictional)</h1>{content}</body></html>"
    )
