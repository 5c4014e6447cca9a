"""Write docs/search-terms.md from what the code declares of every search; `--check` says whether it is current."""

from __future__ import annotations

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.management.generated_page import PageCommand
from scrapers.portal import Portal
from scrapers.search.terms import Basis, Mode, NameSearch, NarrowMode

HEAD = """# What is sent to each registry's search by name

Generated from the code by `manage.py search_terms_page`; do not edit.

How a registry compares, what it takes and where its lists end is rarely published. Each fact has its basis:
**recorded** (seen in a real portal's answer), **documented** (the portal's own page, or public clients of it),
**public** (guides written for people say so; not verified here), **assumed** (ours, to be safe), **unknown** (nobody
says). Nothing unknown is guessed: an unknown way of comparing gets the terms that the least forgiving one needs, an
unknown minimum is two characters, and an unknown cap makes a list of a round number of rows (20, 25, 50, 100, ...)
count as cut.

A name without its legal form shorter than the minimum is asked for with the legal form ("3M Company"); if none was
given it is refused before anything is sent, and an empty list for such a term never reads as "not found". The signs
`% * ? _ < > \\` are never sent as text: the term ends before them, or is the longest piece between them. A list that
may lack rows is searched for the very name where the registry has such a search; if that does not find it either, the
answer is a refusal (400), never "not found".

Where all lists were whole and hold nobody, two wider searches ask for the company's own words: the name up to its first
own word, or another spelling of its beginning (names that start with the text, and where that is unknown); its longest
own word (names that hold the text); the beginnings of its words, then their ends (words in their order). The second is
closer where the first list was cut, and looser where it was whole. They prove nothing.

`searches` is the most a lookup makes for one name, these included (a name check makes one of these, and one more of
its own). A search is one request to five: a form before it, further pages, the active and the inactive apart, sets
that are read together. In New York it is two, and five where the history of names is looked into: an active company
under its own name costs four requests with its filings, an ended one seven, a name that nobody has and others resemble
fifteen in three searches; should every search look into the history, thirty and three. An attempt's stage `searches`
tells how many were made, of how many, and the requests that they took. Where a loaded copy of a state's bulk data
answers, none of this applies: the copy compares normalized names, former and assumed ones too. Where nobody has the
name, it is read for present names that begin nearly so, or differ in one letter: they are matched and suggested as
those of a wider search are.

| | jurisdiction | compares | shortest | longest | words not looked at | list ends | then | searches | evidence |
|---|---|---|---|---|---|---|---|---|---|
"""

MODES: dict[Mode, str] = {
    "starts_with": "names that start with the text",
    "contains": "names that hold the text",
    "all_words": "names that hold all words",
    "word_pattern": "names that hold the words in this order, signs left open",
    "neighborhood": "the alphabet from the text on",
    "unknown": "unknown",
}
NARROW: dict[NarrowMode, str] = {
    "starts_with": "names that start with just this one",
    "exact": "just this name",
    "spellings": "just this name, in every spelling of the legal form",
    "neighborhood": "the alphabet around the whole name",
    "": "",
}


def page() -> str:
    """The page as it should be."""
    rows = [_row(code, discovery.find_portal(code)) for code in sorted(PLACES, key=lambda code: PLACES[code].name)]
    return HEAD + "\n".join(rows) + "\n"


def _row(code: str, portal: Portal | None) -> str:
    if portal is None or not portal.capabilities.search:
        return f"| {code} | {PLACES[code].name} | no search a program may use | | | | | | | |"
    facts = portal.name_search
    cells = [
        code,
        PLACES[code].name,
        MODES[facts.mode] + _basis(facts.mode_basis, unless=facts.mode == "unknown"),
        f"{facts.shortest} ({facts.shortest_basis.replace('unknown', 'ours; its own is unknown')})",
        f"{facts.longest}{_basis(facts.longest_basis)}",
        ", ".join(sorted(facts.ignored)) + _basis(facts.ignored_basis) if facts.ignored else "unknown",
        _end(facts),
        _then(facts, portal),
        str(portal.most_searches),
        facts.evidence,
    ]
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _basis(basis: Basis, *, unless: bool = False) -> str:
    return "" if unless else f" ({basis})"


def _end(facts: NameSearch) -> str:
    ends = []
    if facts.cap is not None:
        ends.append(f"at {facts.cap} rows ({facts.cap_basis})")
    if facts.says_total:
        ends.append("the list says how many there are")
    if facts.page_rows or facts.pages > 1:
        size = f" of {facts.page_rows} rows" if facts.page_rows else ""
        ends.append(f"at most {facts.pages} pages{size} are read")
    return "; ".join(ends) or "unknown: a round number of rows counts as cut"


def _then(facts: NameSearch, portal: Portal) -> str:
    words = f"asked once for {NARROW[facts.narrow]}, then refused" if facts.narrow else "refused"
    return words + ("; not so from a loaded copy" if portal.bulk_data is not None else "")


class Command(PageCommand):
    """See the module."""

    help = "Write docs/search-terms.md from what the code declares of every search."
    file = "search-terms.md"

    def page(self) -> str:
        return page()
