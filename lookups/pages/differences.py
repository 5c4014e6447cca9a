"""What tells two names apart, word by word, for somebody who has to choose between them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from scrapers.normalize import names

MOST_WORDS = 60  # compared; what a registry calls a company has a tenth of it
FEATURES = {
    "legal_form": "another legal form",
    "legal_form_of_another_kind": "another kind of legal form",
    "words_missing": "words are missing in what was asked",
    "words_added": "words were asked for that it does not have",
    "word_order": "another order of words",
    "home_state": "formed elsewhere",
    "trading_name": "by a trading name",
    "former_name": "by a former name",
    "assumed_name": "by an assumed name",
    "place_left_out": "a place is left out",
}


class Piece(NamedTuple):
    """Some words of a name; `differs`: they are not in the name that was asked for."""

    text: str
    differs: bool


def mark(asked: str, shown: str) -> list[Piece]:
    """The shown name in pieces, those marked that the asked one has not got there."""
    words, own = shown.split(), [names.plain(word) for word in asked.split()]
    if len(words) > MOST_WORDS or len(own) > MOST_WORDS:
        return [Piece(shown, False)]
    matcher = SequenceMatcher(None, own, [names.plain(word) for word in words], autojunk=False)
    pieces = []
    for kind, _, _, start, end in matcher.get_opcodes():
        if start < end:
            pieces.append(Piece(" ".join(words[start:end]), kind != "equal"))
    return pieces


def write_features(features: Sequence[str]) -> str:
    """What else tells them apart, in words."""
    return "; ".join(FEATURES.get(one, one.replace("_", " ")) for one in features)
