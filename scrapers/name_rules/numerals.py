"""One number in another dress: figures, words and Roman numbers, where a rule looks past the way it is written.

Wider than the comparison form of a lookup: there a hundred, a "fourteenth" and a Roman number amid the name stay words.
"""

from __future__ import annotations

import re

from scrapers.normalize.vocabulary import NUMERALS, ROMAN
from scrapers.parsing.fields import coded

_VALUES = {word: int(figures) for word, figures in NUMERALS.items() if figures.isdigit()}
_SMALL = {word: value for word, value in _VALUES.items() if value < 20}
_TENS = {word: value for word, value in _VALUES.items() if value >= 20}
_ORDINAL_OF = coded(
    "one: first | two: second | three: third | five: fifth | eight: eighth | nine: ninth | twelve: twelfth"
) | {word: f"{word[:-1]}ieth" for word in _TENS}
_ORDINALS = {_ORDINAL_OF.get(word, f"{word}th"): number for word, number in _VALUES.items()}
_HUNDREDS = frozenset({"hundred", "hundredth"})
_ROMAN = ROMAN | coded("xvi: 16 | xvii: 17 | xviii: 18 | xix: 19 | xx: 20")
_WORDS = "|".join(sorted((*_SMALL, *_TENS, *_ORDINALS, *_HUNDREDS), key=len, reverse=True))
_WRITTEN = re.compile(
    rf"\b(?:(?P<words>(?:{_WORDS})(?:[\s-]+(?:and\s+)?(?:{_WORDS}))*)|(?P<figures>[1-9]\d{{0,2}})(?P<ending>st|nd|rd|th)?)\b",
    flags=re.IGNORECASE,
)


def in_figures(parts: list[str]) -> list[str]:
    """The words of a name with its numbers in figures: "one hundred two", "fourteenth", "ii" as 102, 14th and 2."""
    found: list[str] = []
    at = 0
    while at < len(parts):
        number, ending, after = _read(parts, at)
        word = parts[at]
        if after > at:
            found.append(f"{number}{ending}")
        elif word in _ROMAN and (len(word) > 1 or 0 < at == len(parts) - 1):
            found.append(_ROMAN[word])
        else:
            found.append(word)
        at = max(after, at + 1)
    return found


def in_other_spelling(name: str) -> str:
    """The name as it is written, with its figures in words and its number words in figures."""
    return _WRITTEN.sub(_respell, name)


def _respell(found: re.Match[str]) -> str:
    if found["words"]:
        return " ".join(in_figures(found["words"].casefold().replace("-", " ").split()))
    return _in_words(int(found["figures"]), ordinal=found["ending"] is not None)


def _in_words(number: int, *, ordinal: bool) -> str:
    """121 as "one hundred twenty one"."""
    hundreds, rest = divmod(number, 100)
    words = [_word(hundreds), "hundred"] if hundreds else []
    words += [_word(rest)] if rest < 20 or not rest % 10 else [_word(rest - rest % 10), _word(rest % 10)]
    words = [word for word in words if word]
    if ordinal:
        words[-1] = _ORDINAL_OF.get(words[-1], f"{words[-1]}th")
    return " ".join(words)


def _word(number: int) -> str:
    return next((word for word, value in _VALUES.items() if value == number), "")


def _read(parts: list[str], at: int) -> tuple[int, str, int]:
    """The number that begins at a word, its ending as an ordinal, and where it is over: at once where none begins."""
    number, start = 0, at
    if at + 1 < len(parts) and _SMALL.get(parts[at], 10) < 10 and parts[at + 1] in _HUNDREDS:
        number, at = _SMALL[parts[at]] * 100, at + 2
        if parts[at - 1] == "hundredth":
            return number, "th", at
        if parts[at : at + 1] == ["and"] and parts[at + 1 : at + 2] and parts[at + 1] in _VALUES | _ORDINALS:
            at += 1
    word = parts[at] if at < len(parts) else ""
    if word in _TENS:
        number, at = number + _TENS[word], at + 1
        word = parts[at] if at < len(parts) else ""
        if (_SMALL | _ORDINALS).get(word, 10) >= 10:
            return number, "", at
    if word in _SMALL:
        return number + _SMALL[word], "", at + 1
    if word in _ORDINALS:
        number += _ORDINALS[word]
        return number, _ending(number), at + 1
    return number, "", at if number else start


def _ending(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
