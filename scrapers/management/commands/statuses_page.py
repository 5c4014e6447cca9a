"""Write docs/statuses.md from the vocabulary and the states' tables; `--check` says whether it is current."""

from __future__ import annotations

from jurisdictions.codes import PLACES
from scrapers import discovery
from scrapers.management.generated_page import PageCommand
from scrapers.portal import Portal
from scrapers.statuses import FACTS, StatusMeaning, find_meaning

HEAD = """# What a status word means

Generated from the code by `manage.py statuses_page`; do not edit.

`status` is the state's own word. `normalized.statusClass` and `normalized.statusReason` are our reading of it, from one
vocabulary: a word that several states use means the same in all of them. **active**: the company exists.
**inactive**: it has ended, or lost its powers. **neutral**: the registry's word does not say. A word that is not in the
table of its state is never guessed at: it is `neutral` with `unrecognised_status`.

A company that owes a report or a fee exists until the state ends it: whoever wants only those without a fault looks for
`active` with no reason. A word for a company that is merged, converted or moved away is `inactive`: the number that was
asked for has ended, whoever goes on under another one.

| class | reason | what it says | words |
|---|---|---|---|
"""
FROM_THE_SOURCE = """
## Reasons that come from no word

| class | reason | when |
|---|---|---|
| active | listed_in_active_register | the source holds active companies alone, and shows no status |
| active | listed_in_current_register | the source holds current registrations alone; that is not good standing |
| neutral | status_not_published | the source shows no status, or none of this company |
| neutral | unrecognised_status | the word is not in the table of the state |

A second word beside the status (`normalized.standing`) that says `not_in_good_standing` above gives an active company
this reason. "Inactive - Merged" is read as "Merged" in every state that writes so.
"""
OWN = """
## Words of one state alone

Where a word stands above too, the last column says why it means something else here. "…" stands for further words.

| | jurisdiction | word | class | reason | why it differs |
|---|---|---|---|---|---|
"""
SOURCES = """
## Where the words are from

**recorded**: the state's pages or rows were seen; **documented**: its own descriptions, or public readers of them. The
head of each file in `scrapers/states` says which words were guessed.

| | jurisdiction | words | how sure | source |
|---|---|---|---|---|
"""
# The words that one state uses for another fact than the vocabulary does, and why.
DIFFERENT = {
    ("CA", "forfeited"): "the suspension of a foreign company, which is revived like a domestic one",
    ("SC", "registered"): "a registered name, as its neighbors in the list",
}


def page() -> str:
    """The page as it should be."""
    portals = {code: discovery.find_portal(code) for code in sorted(PLACES, key=lambda code: PLACES[code].name)}
    known = {code: portal for code, portal in portals.items() if portal is not None and words_of(portal)}
    own = [row for code, portal in known.items() for row in _own(code, portal)]
    sources = [
        f"| {code} | {PLACES[code].name} | {len(words_of(portal))} | {portal.verification} | {portal.sources[0]} |"
        for code, portal in known.items()
    ]
    facts = [_row(fact.meaning, fact.why, fact.words.replace(" | ", " · ")) for fact in FACTS.values()]
    tables = (HEAD + "\n".join(facts), FROM_THE_SOURCE + OWN + "\n".join(own), SOURCES + "\n".join(sources), "")
    return "\n".join(tables)


def words_of(portal: Portal) -> dict[str, StatusMeaning]:
    """A state's words with their meaning; one that is known by its beginning ends in "…"."""
    return {**portal.statuses, **{f"{word} …": meaning for word, meaning in portal.status_prefixes}}


def _own(code: str, portal: Portal) -> list[str]:
    name = PLACES[code].name
    return [
        f"| {code} | {name} | {word} | {meaning.status_class} | {meaning.reason or ''} | "
        f"{DIFFERENT.get((code, word), '')} |"
        for word, meaning in words_of(portal).items()
        if find_meaning(word) != meaning
    ]


def _row(meaning: StatusMeaning, why: str, words: str) -> str:
    return f"| {meaning.status_class} | {meaning.reason or ''} | {why} | {words} |"


class Command(PageCommand):
    """See the module."""

    help = "Write docs/statuses.md from the vocabulary and the states' tables."
    file = "statuses.md"

    def page(self) -> str:
        return page()
