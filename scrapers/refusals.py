"""Every question that is not taken, in one list: the word that is kept, and the sentence that is made of it when read.

An outcome keeps the word and the values its sentence names, never the sentence: whoever tells of it, in whatever form,
tells the same. One more refusal is one more member.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scrapers.failures import Failure, PortalError, WordWithFacts

Field = Literal["name", "entity_id", "state", "kind", "source", "search_by", "date_after", "date_before"]
Value = str | int


@dataclass(frozen=True, slots=True)
class RefusalFacts:
    """What follows from a refusal.

    `field` of the question has to change. `sentence` is what the caller reads; values stand in it under their names.
    `unsupported`: no question of this sort can be asked of this state, whatever the words. `explained`: why that is
    so stands in the state's own file, from where it is added whenever it is told (`gateway.explain_off`).
    """

    field: Field
    sentence: str
    unsupported: bool = False
    explained: bool = False


class Refusal(WordWithFacts):
    """Why a question is not taken, by the word under which it is kept."""

    facts: RefusalFacts

    NO_LETTERS = ("no_letters", RefusalFacts("name", "The name needs letters or digits."))
    NAME_TOO_SHORT = (
        "name_too_short",
        RefusalFacts(
            "name",
            "This registry's search needs at least {shortest} characters of a name, besides signs and words it does "
            'not look at; give the legal form too (as in "3M Company"), or the entity_id.',
        ),
    )
    NO_WORD_SEARCHED = (
        "no_word_searched",
        RefusalFacts(
            "name",
            "This registry's search needs letters or digits of a name, besides signs and words it does not look at; "
            'give the legal form too (as in "3M Company"), or the entity_id.',
        ),
    )
    SHORT_NAME_ALONE = (
        "short_name_alone",
        RefusalFacts("name", "This registry cannot be searched for so short a name alone; give the entity_id."),
    )
    TOO_MANY_COMPANIES = (
        "too_many_companies",
        RefusalFacts("name", "There are too many companies of such a name; give more of it, or the entity_id."),
    )
    TOO_MANY_NAMES = (
        "too_many_names",
        RefusalFacts("name", "There are too many names like this one to say whether it is free; give more of it."),
    )
    TOO_MANY_FILINGS = (
        "too_many_filings",
        RefusalFacts("name", "There are too many filings that fit; give more of the name, or dates."),
    )
    TOO_MANY_NUMBERS = (
        "too_many_numbers",
        RefusalFacts("entity_id", "There are too many entities that fit this number; give the name."),
    )
    COMPANIES_ALONE = (
        "companies_alone",
        RefusalFacts(
            "name",
            "The debtors of {state} can be searched here as companies alone; give the legal form of the name.",
        ),
    )
    NOT_AN_IDENTIFIER = (
        "not_an_identifier",
        RefusalFacts("entity_id", "{entity_id!r} cannot be an identifier of this registry."),
    )
    NOT_BY_IDENTIFIER = (
        "not_by_identifier",
        RefusalFacts("entity_id", "This registry cannot be asked by identifier; give the name.", unsupported=True),
    )
    NO_READER = (
        "no_reader",
        RefusalFacts("state", "No program can ask the registry of {state}.", unsupported=True, explained=True),
    )
    NO_UCC = (
        "no_ucc",
        RefusalFacts("kind", "UCC filings of this state cannot be searched here.", unsupported=True),
    )
    LIENS_NEVER_WHOLE = (
        "liens_never_whole",
        RefusalFacts(
            "kind",
            "No list of this registry's liens is known to be whole, so a watch would miss some. Watch the rest alone.",
            unsupported=True,
        ),
    )
    NO_SECURED_PARTY = (
        "no_secured_party",
        RefusalFacts("search_by", "This state cannot be searched by secured party.", unsupported=True),
    )
    NO_DATE_AFTER = (
        "no_date_after",
        RefusalFacts("date_after", "This state cannot filter UCC filings by date.", unsupported=True),
    )
    NO_DATE_BEFORE = (
        "no_date_before",
        RefusalFacts("date_before", "This state cannot filter UCC filings by date.", unsupported=True),
    )
    NO_COPY = (
        "no_copy",
        RefusalFacts(
            "source",
            'No copy of this state\'s register is loaded here; leave "source" out, or send "live".',
            unsupported=True,
        ),
    )
    WALLED = (
        "walled",
        RefusalFacts(
            "source",
            "This registry's own search cannot be asked by a program, and name checks are live.",
            unsupported=True,
            explained=True,
        ),
    )

    def write(self, values: Mapping[str, Value]) -> str:
        """The sentence with its values."""
        return self.facts.sentence.format_map(values).strip()


_BY_WORD = {refusal.value: refusal for refusal in Refusal}


def find_refusal(word: str) -> Refusal | None:
    """The refusal of this word; None for one that another version wrote down."""
    return _BY_WORD.get(word)


def write_sentence(word: str, values: Mapping[str, Value]) -> str:
    """The sentence of a refusal as it was kept; a general one where another version kept it."""
    refusal = find_refusal(word)
    try:
        return refusal.write(values) if refusal else Failure.REFUSED.facts.customer
    except KeyError:  # kept before the sentence named this value
        return Failure.REFUSED.facts.customer


class QueryRefused(PortalError):
    """The question is not taken (too short, too many results): the caller must ask another one.

    `values` are those that the sentence names, JSON-ready; the two are enough to write the `sentence` again.
    """

    usual = Failure.REFUSED

    def __init__(self, refusal: Refusal, **values: Value) -> None:
        self.refusal, self.values = refusal, values
        self.sentence = refusal.write(values)
        super().__init__(self.sentence)
