"""Differences that may mean another company or a careless caller: taken only where one candidate stands alone.

A slip in a company's own word, letters that a scanner misread, "of" or "& Company" left out: each is told in the
features of a match, and only one of them is forgiven in a name. The lists are data; what is not in them is not doubted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from jurisdictions.codes import PLACES
from scrapers.name_rules.rules import RULES
from scrapers.name_rules.wording import singular
from scrapers.normalize.vocabulary import (
    CODES_THAT_ARE_WORDS,
    COMMON_WORDS,
    NEAR_COMMON_WORDS,
    PLACE_SPELLINGS,
    ROMAN,
    SHORT_FOR,
    STATE_NAMES,
    TRADE_WORDS,
)

SHORTEST_SLIP = 6  # letters of the longer word; in a shorter one a changed letter makes another word too easily
_SMALL = frozenset({"and", "of", "the", "for", "at"})
_COMPANY = (["and", "co"], ["and", "company"])
_LETTERS_FOR_DIGITS = str.maketrans("05186", "osibg")
_SCANNED = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("li", "u"), ("h", "n"), ("e", "f"), ("i", "l"))
_VOWELS = frozenset("aeiouy")


class Doubt(NamedTuple):
    """What two names differ in, and the asked word that nobody else may bear for it to be a slip ("" for none)."""

    feature: str
    word: str = ""


def find(asked: Sequence[str], shown: Sequence[str], *, state: str = "") -> Doubt | None:
    """The one difference in doubt between the words of two names; None where they differ in more, or otherwise."""
    one, other = list(asked), list(shown)
    if _without_company(one) == _without_company(other):
        return Doubt("and_company")
    if _lacks_small_words(*sorted((_with_and(one), _with_and(other)), key=len)):
        return Doubt("small_word")
    if _numbered(one) == _numbered(other):
        return Doubt("number_spelling")
    if _placed(one, state) == _placed(other, state):
        return Doubt("place_shortened")
    if len(one) != len(other):
        return None
    differing = [at for at in range(len(one)) if one[at] != other[at]]
    return _of_a_word(one, other, differing[0], state) if len(differing) == 1 else None


def _without_company(words: list[str]) -> list[str]:
    return words[:-2] if len(words) > 2 and words[-2:] in _COMPANY else words


def _with_and(words: list[str]) -> list[str]:
    """The words with an "n" between two of them as "and"; beside a letter it is an initial ("T & N Contracting")."""
    return [
        "and"
        if word == "n"
        and 0 < at < len(words) - 1
        and all(len(beside) > 1 and beside != "and" for beside in (words[at - 1], words[at + 1]))
        else word
        for at, word in enumerate(words)
    ]


def _lacks_small_words(short: list[str], long: list[str]) -> bool:
    """Whether nothing but small words inside the longer name is left out: "Power & Grace" is no "POWER OF GRACE"."""
    if len(long) < 2 or short[0] != long[0] or short[-1] != long[-1]:
        return False
    rest = iter(long)
    return all(word in rest for word in short) and (Counter(long) - Counter(short)).keys() <= _SMALL


def _numbered(words: list[str]) -> list[str]:
    """The words with Roman numbers of several letters as figures, wherever they stand ("Fund II Manager")."""
    return [ROMAN.get(word, word) if len(word) > 1 else word for word in words]


def _placed(words: list[str], state: str) -> list[str]:
    """The words with places in one spelling: those read so everywhere, and the code of the state that is asked."""
    spellings = dict(PLACE_SPELLINGS)
    code = state.casefold()
    if state in PLACES and code not in CODES_THAT_ARE_WORDS:
        spellings[code] = PLACES[state].name.casefold()
    return " ".join(spellings.get(word, word) for word in words).split()


def _of_a_word(one: list[str], other: list[str], at: int, state: str) -> Doubt | None:
    asked, shown = one[at], other[at]
    if _is_short_for(asked, shown, one, at) or _is_short_for(shown, asked, other, at):
        return Doubt("shortened_word")
    if singular(asked) == singular(shown):
        return Doubt("plural") if _plurals_are_the_same(state) else None
    if f"{asked}s" == shown or f"{shown}s" == asked:  # "Princes" and "PRINCESS": no slip either
        return None
    if _is_scanned(asked, shown):
        return Doubt("scanned", asked if asked.isalpha() else "")
    return Doubt("slip", asked) if _is_slip(asked, shown) else None


def _is_short_for(short: str, long: str, words: list[str], at: int) -> bool:
    """Whether a word stands for a longer one; letters at the beginning of a name may be somebody's initials."""
    first, last = at == 0, at == len(words) - 1
    if (len(short) == 1 and (first or last)) or (first and len(short) < 4 and (last or words[1] in TRADE_WORDS)):
        return False
    if long in SHORT_FOR.get(short, ()):
        return True
    bare = short.removesuffix("s")
    return (
        len(bare) > 2
        and long in COMMON_WORDS
        and short not in COMMON_WORDS
        and bare[0] == long[0]
        and _VOWELS.isdisjoint(bare)
        and (short == bare or long.endswith("s"))
        and _is_within(short, long)
    )


def _is_within(short: str, long: str) -> bool:
    """Whether the letters stand in the longer word in their order ("mgmt" in "management")."""
    letters = iter(long)
    return all(letter in letters for letter in short)


def _plurals_are_the_same(state: str) -> bool:
    """Whether the state's own rule, as it was read, registers no name beside its plural: then it is nobody else's."""
    rule = RULES.get(state)
    return rule is not None and rule.sure == "rule" and "plural" in rule.ignored


def _is_scanned(asked: str, shown: str) -> bool:
    """Letters that look alike to a scanner, once in a word: "5UNRISE", "MODERN" as "MODEM"."""
    if min(len(asked), len(shown)) < 4 or _is_known(asked):
        return False
    for one, other in ((asked, shown), (shown, asked)):
        if not one.isalpha() and other.isalpha() and _digits_read(one, other):
            return True
        if one.isalpha() and other.isalpha() and _once_for_another(one, other):
            return True
    return False


def _digits_read(scanned: str, word: str) -> bool:
    if len(scanned) != len(word) or sum(sign.isdigit() for sign in scanned) > 2:
        return False
    read = scanned.translate(_LETTERS_FOR_DIGITS)
    return all(a == b or (c == "1" and b == "l") for a, b, c in zip(read, word, scanned, strict=True))


def _once_for_another(one: str, other: str) -> bool:
    return any(
        one[:at] + new + one[at + len(old) :] == other
        for pair in _SCANNED
        for old, new in (pair, pair[::-1])
        for at in range(len(one))
        if one.startswith(old, at)
    )


def _is_slip(asked: str, shown: str) -> bool:
    """One letter left out, added, doubled, changed or swapped inside a long word that is nobody's word."""
    if max(len(asked), len(shown)) < SHORTEST_SLIP or not (asked + shown).isalpha() or _is_known(asked):
        return False
    if asked[0] != shown[0] or asked[-1] != shown[-1]:
        return _is_swapped(asked, shown)
    short, long = sorted((asked, shown), key=len)
    if len(long) == len(short) + 1:
        return any(long[:at] + long[at + 1 :] == short for at in range(1, len(long)))
    if len(long) != len(short):
        return False
    differing = sum(a != b for a, b in zip(asked, shown, strict=True))
    return differing == 1 or _is_swapped(asked, shown)


def _is_swapped(one: str, other: str) -> bool:
    return len(one) == len(other) and any(
        one[:at] + one[at + 1] + one[at] + one[at + 2 :] == other for at in range(len(one) - 1)
    )


def _is_known(word: str) -> bool:
    """Whether the asked word is one that people use, and so no slip."""
    return word in COMMON_WORDS or word in NEAR_COMMON_WORDS or word in STATE_NAMES
