"""Whose names begin nearly like one that nobody has: what a loaded copy is asked for when it lacks the very name.

A copy is found by comparison keys, in the order of the alphabet. People shorten words, slip, leave small words out and
put surnames first; then the key is another, and the company stands a few lines away. Its neighbors prove nothing: that
nobody has the name rests on the key alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase, digits

from scrapers.normalize import names
from scrapers.normalize.vocabulary import ABBREVIATIONS, SHORT_FOR
from scrapers.search.widening import widen

MOST = 500  # entities of one beginning; where there are more, a longer beginning is asked for
_SHORTEST = 3  # letters of a beginning within a word
_WORDS = 3
_LONGEST = 40  # letters that may have a slip: each is some 70 other keys
_SIGNS = f"{ascii_lowercase}{digits} "


def spellings(name: str) -> tuple[str, ...]:
    """The keys the name may have on a register: as it is written, turned at its comma, its first words otherwise."""
    key, base = names.key(name), names.without_suffix(name)
    found = [key, *sorted(names.turned(name)), names.key(widen(base, "starts_with").term)]
    first, _, rest = key.partition(" ")
    others = {ABBREVIATIONS.get(first, ""), *SHORT_FOR.get(first, ())} - {""}
    found += [f"{other} {rest}".strip() for other in sorted(others)]
    return tuple(dict.fromkeys(filter(None, found)))


def one_letter_off(key: str) -> tuple[str, ...]:
    """The keys with one letter or blank left out, swapped, put in or changed; of a long key only its first part."""
    halves = [(key[:at], key[at:]) for at in range(min(len(key), _LONGEST) + 1)]
    left_out = [before + after[1:] for before, after in halves if after]
    swapped = [before + after[1] + after[0] + after[2:] for before, after in halves if len(after) > 1]
    changed = [before + sign + after[cut:] for before, after in halves for sign in _SIGNS for cut in (0, 1)]
    return tuple(dict.fromkeys(one for one in (*left_out, *swapped, *changed) if one.strip() == one != key))


def beginnings(key: str) -> Iterator[str]:
    """The beginnings of a key, the shortest first: half its first word, the whole word, with half the next, ..."""
    before = ""
    for word in key.split()[:_WORDS]:
        half = word[: max(_SHORTEST, (len(word) + 1) // 2)]
        yield from dict.fromkeys((before + half, before + word))
        before += f"{word} "
