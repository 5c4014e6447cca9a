"""Which names are the same name in a state: what its filing clerk looks past, as the state's own rule has it."""

from __future__ import annotations

import re
import unicodedata

from scrapers.name_rules.forms import split
from scrapers.name_rules.numerals import in_figures, in_other_spelling
from scrapers.name_rules.rules import NamingRule
from scrapers.name_rules.wording import present, singular, spell_out
from scrapers.normalize import names
from scrapers.normalize.hidden import visible
from scrapers.normalize.vocabulary import ABBREVIATIONS

_ARTICLES = frozenset({"a", "an", "the"})
_CONJUNCTIONS = frozenset({"and", "or", "plus"})
_PREPOSITIONS = frozenset({"at", "by", "for", "in", "of", "to", "up", "with", "on", "from"})
_STOPS = re.compile(r"[.,_'\u2018\u2019`\u00b4]")
# "AJ's" is of AJ; "It's" is none, and "An's" without its ending would be an article.
_POSSESSIVE = re.compile(
    rf"\b(?!(?:it|he|{'|'.join(sorted(_ARTICLES | _CONJUNCTIONS | _PREPOSITIONS))})\b)(?P<owner>\w+)"
    r"['\u2018\u2019`\u00b4]s\b",
    flags=re.IGNORECASE,
)


def clerk_key(name: str, rule: NamingRule) -> str:
    """The name as the state's filing office compares it: equal keys are the same name."""
    ignored = rule.ignored
    if "stop" in ignored:
        return _with_its_signs(name)
    if "contraction" in ignored:
        name = spell_out(name)
    found = _words_of(name) if "designator" in ignored else names.plain(names.trading_names(name)[0])
    parts = found.split()
    if "article" in ignored:
        parts = [word for at, word in enumerate(parts) if word not in _ARTICLES or _is_initial(parts, at)] or parts
    for mark, small in (("conjunction", _CONJUNCTIONS), ("preposition", _PREPOSITIONS)):
        if mark in ignored:
            parts = [word for word in parts if word not in small] or parts
    if "numeral" in ignored:
        parts = in_figures(parts)
    if "abbreviation" in ignored:
        parts = [ABBREVIATIONS.get(word, word) for word in parts]
    if "plural" in ignored:
        parts = [singular(word) for word in parts]
    if "tense" in ignored:
        parts = [present(word) for word in parts]
    return ("" if "spacing" in ignored else " ").join(parts)


def clerk_keys(name: str, rule: NamingRule) -> frozenset[str]:
    """The keys a name is compared by: a possessive's is also that of its owner, which may have two letters ("AJ's")."""
    found = {clerk_key(name, rule)}
    owner = _POSSESSIVE.sub(r"\g<owner>", name) if "plural" in rule.ignored else name
    return frozenset(found if owner == name else found | {clerk_key(owner, rule)})


def _is_initial(parts: list[str], at: int) -> bool:
    """Whether an "a" is a letter beside others, "A B C" and "A & B", and no article."""
    beside = [word for word in (*parts[max(at - 2, 0) : at], *parts[at + 1 : at + 3]) if word not in _CONJUNCTIONS]
    return parts[at] == "a" and any(len(word) == 1 for word in beside)


def _with_its_signs(name: str) -> str:
    """The name without periods, commas, underscores and apostrophes; "&", hyphens, brackets and blanks are kept."""
    text = _STOPS.sub("", unicodedata.normalize("NFKD", visible(names.trading_names(name)[0])))
    return " ".join("".join(sign for sign in text if not unicodedata.combining(sign)).casefold().split())


def _words_of(name: str) -> str:
    """The name's words without its legal form, articles and numbers as they are written."""
    legal, _ = split(names.trading_names(name)[0])
    lead = "the " if names.plain(legal).startswith("the ") else ""
    return lead + names.form(legal).base


def same_names(name: str, rule: NamingRule) -> tuple[str, ...]:
    """The name in the other number, and with its numbers in the other spelling, where the rule calls that the same.

    For the registry's search: a list of "Blue Farms" does not show "BLUE FARM", which stands in its way.
    """
    text = names.without_suffix(split(name)[0])
    parts, found = text.split(), []
    if "numeral" in rule.ignored:
        found.append(in_other_spelling(text))
    if "plural" in rule.ignored:
        found.append(" ".join(_in_singular(part) for part in parts))
    return tuple(one for one in found if one and one != " ".join(parts))


def _in_singular(word: str) -> str:
    owner = _POSSESSIVE.sub(r"\g<owner>", word)
    if owner != word:
        return owner
    bare = word.rstrip(".,;'")
    single = singular(bare.casefold())
    return bare[: len(single)] if bare.casefold().startswith(single) else single
