"""Two more searches for a name that its exact spelling did not find: by the words that are the company's own.

They list companies whose names differ from the asked one in a trade's word, a small word, a plural, an abbreviation or
a slip. What they do not list proves nothing: "not found" rests on the terms of the plan alone (`SearchPlan.terms`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jurisdictions.codes import PLACES
from scrapers.normalize import names
from scrapers.normalize.vocabulary import (
    ABBREVIATIONS,
    CODES_THAT_ARE_WORDS,
    DIRECTIONS,
    GENERIC_WORDS,
    NUMERALS,
    PLACE_SPELLINGS,
    READINGS,
    ROMAN,
    SHORT_FOR,
    STATE_NAMES,
    TITLES,
    TRADE_WORDS,
)

MOST = 2  # searches
_SIGNS = " .,;:()\"'&+#-"
_SMALL_WORDS = "a an and at by de for from in la los n of on or the to with"
_SMALL = frozenset(_SMALL_WORDS.split())
_PLACED = _SMALL.union(PLACE_SPELLINGS, *(name.split() for name in (*STATE_NAMES, "united states", "city town")))
_MANY_SPELLINGS = _PLACED.union(NUMERALS, NUMERALS.values(), ROMAN)
_NOT_OWN = (
    _MANY_SPELLINGS.union(ABBREVIATIONS, ABBREVIATIONS.values(), DIRECTIONS, READINGS, *READINGS.values())
    .union(SHORT_FOR, *SHORT_FOR.values())
    .union(TRADE_WORDS, GENERIC_WORDS, TITLES)
)
_JOINED = re.compile(r"\s*[&+/]\s*")
_FIGURES = str.maketrans("05186", "OSIBG")
_PAIR = re.compile(r"(?P<one>\w{1,2})(?:\s*[&+]\s*|\s+and\s+)(?P<other>\w+)", flags=re.IGNORECASE)
_OTHER_SPELLING = NUMERALS | {figures: word for word, figures in NUMERALS.items()}
_OTHER_SPELLING |= PLACE_SPELLINGS | {
    place.name.casefold(): code for code, place in PLACES.items() if code.casefold() not in CODES_THAT_ARE_WORDS
}
_OTHER_SPELLING |= {code.casefold(): name for name, code in _OTHER_SPELLING.items() if code in PLACES}


@dataclass(frozen=True, slots=True)
class Widening:
    """A wider term, and the one that follows it: `closer` where its list was cut, `looser` where it was whole.

    A term that need not be asked for is empty; nothing is asked for where all are.
    """

    term: str = ""
    closer: str = ""
    looser: str = ""

    @property
    def terms(self) -> tuple[str, str, str]:
        """All of them."""
        return self.term, self.closer, self.looser

    def next_term(self, number: int, *, whole: bool) -> str:
        """The term of search `number`, 0 or 1; `whole`: whether the list before it was."""
        return self.term if number == 0 else self.looser if whole else self.closer


NOTHING = Widening()


def widen(base: str, mode: str) -> Widening:
    """The wider terms for a name without its legal form and article; none where it has no word to go by."""
    from_the_start = mode not in ("contains", "word_pattern", "all_words")
    text = (
        " ".join(map(_read, base.split()))
        if from_the_start
        else _JOINED.sub(" & ", (*names.turned_text(base), base)[0])
    )
    tokens = [_read(token.strip(_SIGNS) or token) for token in text.split() if token not in ("+", "-")]
    own = [at for at, token in enumerate(tokens) if _is_own(token)]
    own = own or [at for at, token in enumerate(tokens) if len(token) > 2 and names.plain(token) not in _PLACED]
    usual = NOTHING
    if own and from_the_start:
        usual = _for_the_start(text, tokens[own[0]])
    elif own and mode == "contains":
        usual = _for_any_place(tokens, own)
    elif own:
        usual = _for_words(tokens, own) if mode == "word_pattern" else _for_whole_words(tokens, own)
    respelled = _respelled(base, tokens) if from_the_start else ""
    return Widening(respelled, usual.term, usual.term) if respelled else usual


def _read(token: str) -> str:
    """The word with the figures a scanner made of its letters as letters again ("SUNR1SE")."""
    letters = sum(sign.isalpha() for sign in token)
    return token.translate(_FIGURES) if letters >= 3 and letters >= len(token) - 2 else token


def _is_own(token: str) -> bool:
    """Whether a word says who the company is, and not what it does, where, or the how manieth."""
    return len(token) > 2 and not token.isdigit() and _NOT_OWN.isdisjoint(names.plain(token).split())


def _respelled(base: str, tokens: list[str]) -> str:
    """The beginning of the name as a registry may write it: turned at its comma, initials, a number, a place."""
    turned = names.turned_text(base)
    if turned:
        return turned[0]
    count = next((at for at, token in enumerate(tokens) if len(token) > 1), len(tokens))
    if count > 1:
        return " ".join(("".join(tokens[:count]), *tokens[count : count + 1]))
    pair = _PAIR.match(base)
    if pair:
        sign = " & " if pair[0].count(" ") < 2 else "&"
        return f"{pair['one']}{sign}{pair['other']}"
    for at, token in enumerate(tokens[:2]):
        other = _OTHER_SPELLING.get(names.plain(token))
        if other:
            return " ".join((*tokens[:at], other, *tokens[at + 1 : at + 2]))
    return ""


def _for_any_place(tokens: list[str], own: list[int]) -> Widening:
    first, *others = sorted(own, key=lambda at: (-len(tokens[at]), at))
    return Widening(
        tokens[first],
        closer=_with_a_piece(tokens, others[0] if others else first),
        looser=_beside_a_piece(tokens, first),
    )


def _with_a_piece(tokens: list[str], at: int) -> str:
    """The word with the beginning of the one after it, or the last letter of the one before."""
    if at + 1 < len(tokens) and names.plain(tokens[at + 1]) not in _MANY_SPELLINGS:
        return f"{tokens[at]} {tokens[at + 1][:2]}"
    return f"{tokens[at - 1][-1]} {tokens[at]}" if at else ""


def _beside_a_piece(tokens: list[str], at: int) -> str:
    """A word beside this one with a piece of this: where this one has a slip, nobody has it whole."""
    word, before, after = tokens[at], tokens[at - 1] if at else "&", tokens[at + 1] if at + 1 < len(tokens) else "&"
    if names.plain(before) not in _SMALL:
        return f"{before} {word[: 1 if _is_own(before) else 2]}"
    if names.plain(after) not in _SMALL:
        letters = 1 if _is_own(after) or word[-1] in "sS" else 2
        return f"{word[-letters:]} {after.rstrip('sS')}"
    if len(word) > 4 and word[-1] in "sS":
        return word[:-1]
    return word[: max(4, (len(word) + 1) // 2)]


def _for_whole_words(tokens: list[str], own: list[int]) -> Widening:
    """All words of its own, then the longest alone: whether a piece of a word would do, nobody says."""
    return Widening(" ".join(tokens[at] for at in own), looser=max((tokens[at] for at in own), key=len))


def _for_words(tokens: list[str], own: list[int]) -> Widening:
    """Pieces of the words in their order: their beginnings, then (a slip may be there) their ends."""
    kept = [at for at, token in enumerate(tokens) if names.plain(token) not in _MANY_SPELLINGS]
    begun = [_beginning(tokens[at], at in own) for at in kept]
    ended = [_end(tokens[at]) if at in own else tokens[at][:1] for at in kept]
    whole = [tokens[at] if at in own else tokens[at][:2] for at in kept]
    return Widening(" ".join(begun), closer=" ".join(whole), looser=" ".join(ended))


def _beginning(token: str, own: bool) -> str:
    return token[: max(3, min(5, len(token) // 2))] if own else token[:1]


def _end(token: str) -> str:
    return token.rstrip("sS")[-max(3, min(5, len(token) // 2)) :] or token


def _for_the_start(text: str, word: str) -> Widening:
    """The name up to this word of its own; then with a piece of the word after it, or without the end of this one."""
    head, _, after = text.partition(word)
    plural = len(word) > 4 and word[-1] in "sS"
    begun = word[:-1] if plural else word[: max(3, (len(word) + 1) // 2)]
    return Widening(
        f"{head}{word}", closer=f"{head}{word}{after[:3]}" if after.strip(_SIGNS) else "", looser=head + begun
    )
