"""What a caller's words ask for, before they are compared or sent: the company's name apart from what stands around it.

People paste names from contracts ("Maria Lopez LLC dba Sunrise Cleaning") and address books ("Acme LLC, Charlotte NC").
What is taken away here is never lost on the answer: a match says what it was found without.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from jurisdictions.codes import PLACES
from scrapers.normalize import names
from scrapers.normalize.vocabulary import COMMON_WORDS, LEGAL_FORMS, NO_PLACES, STATE_NAMES

_FORMS = "|".join(r"[.\s]*".join(text.split()) for text, _ in LEGAL_FORMS)
_FORM_WORDS = frozenset(word for text, _ in LEGAL_FORMS for word in text.split())
_CODES = "|".join(code for code in PLACES if code.casefold() not in _FORM_WORDS)
_STATES = "|".join(sorted(map(re.escape, STATE_NAMES), key=len, reverse=True))
_CITY = r"[^\W\d_][^\W\d_.' -]*(?:[ .'-]+[^\W\d_]+){0,3}?"
# What stands after the form as a place, behind a comma, a dash or in brackets: "Acme LLC, Charlotte NC".
_CITY_AFTER_FORM = re.compile(
    rf"(?P<name>.*\S[\s,]+(?:{_FORMS})\.?)(?:\s*[,(]|\s+[\u2013-])\s*(?P<city>{_CITY})"
    rf"(?:,?\s+(?P<state>{_CODES}|PA|CO|{_STATES})\.?)?\s*\)?\s*$",
    flags=re.IGNORECASE,
)
# "Acme LLC CT": a code that follows the legal form as a note of where the company is from. "Marine Co VI" is the sixth.
_CODE_AFTER_FORM = re.compile(
    rf"(?P<name>.*\S[\s,]+(?:{_FORMS})\.?),?\s+(?P<code>(?!VI\b)(?:{_CODES}))\W*$", flags=re.IGNORECASE
)
# "Acme LLC (CT)", "Acme Inc, Delaware": a note on the form, which is compared and not searched for.
_NOTED_HOME = re.compile(
    rf"(?P<name>.*\S[\s,]+(?:{_FORMS})\.?)\s*(?:[(\[]\s*(?:{_CODES}|{_STATES}|foreign|fn)\s*[)\]]|,\s*(?:{_STATES}))\W*$",
    flags=re.IGNORECASE,
)
APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019`\u00b4", "'"))  # as registries write them
_INITIALS = re.compile(r"\b\w\.\w")
_NO_CITY = NO_PLACES | COMMON_WORDS | _FORM_WORDS | STATE_NAMES | {"and", "the", "of", "a", "an", "for", "dba"}


@dataclass(frozen=True, slots=True)
class Question:
    """A caller's words in parts.

    `written`: the words, with plain apostrophes, and with a state's code behind the legal form as a note;
    `literal`: with that code as it stood, for it may be a word of the name; else empty. `name`: the legal entity, which
    is looked for; `trading`: the names it is said to trade under. `city`: what stood after the legal form as a place,
    and is not part of `name`; `city_is_sure` where a state stood beside it.
    """

    written: str
    name: str
    trading: tuple[str, ...] = ()
    city: str = ""
    city_is_sure: bool = False
    literal: str = ""

    @property
    def without_city(self) -> str:
        """The words without the place."""
        return _with_trading(self.name, self.trading)


@lru_cache(maxsize=4_096)
def read(written: str, state: str = "") -> Question:
    """The parts of what a caller wrote, asking in `state`."""
    text = written.translate(APOSTROPHES)
    legal, *others = names.trading_names(text)
    trading = tuple(others)
    noted, literal = _CODE_AFTER_FORM.match(legal), ""
    if noted and (noted["code"].upper() == state or noted["code"].isupper()):
        literal = _with_trading(legal, trading)
        legal = f"{noted['name']} ({noted['code'].upper()})"
    found = _CITY_AFTER_FORM.match(legal)
    if found is None or not _may_be_a_city(found["city"]):
        home = _NOTED_HOME.match(legal)
        return Question(_with_trading(legal, trading), home["name"] if home else legal, trading, literal=literal)
    name = found["name"].rstrip(" ,")
    return Question(_with_trading(legal, trading), name, trading, found["city"], bool(found["state"]), literal)


def _with_trading(legal: str, trading: tuple[str, ...]) -> str:
    return " dba ".join((legal, *trading))


def _may_be_a_city(text: str) -> bool:
    """Whether the words after a legal form can be a place: no word of a trade, and no note on the form itself."""
    words = (*names.plain(text).split(), names.plain(text))
    return len(text) > 2 and not _INITIALS.search(text) and _NO_CITY.isdisjoint(words)
