"""One comparison form for company names: two names with the same form are the same name to a filing clerk.

Case, accents, punctuation, the leading article, `&`/`and`/`+`, the spelling of numbers and of the legal form, and the
note where a foreign company is from do not tell two companies apart; every other word and every number does.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from scrapers.normalise.vocabulary import LEGAL_FORMS, NUMERALS, ROMAN, STATE_NAMES

_FORMS_AT_END = re.compile(r"^(?P<base>.+?)(?P<forms>(?: (?:" + "|".join(text for text, _ in LEGAL_FORMS) + r"))+)$")
_ONE_FORM = re.compile("|".join(rf"\b{text}\b" for text, _ in LEGAL_FORMS))
_MARK = dict(LEGAL_FORMS)
# "Acme Inc of Delaware", "Acme LLC (a Texas limited liability company)": where a foreign company is from.
_FROM = re.compile(
    r"(?P<name>.+ (?:" + "|".join(text for text, _ in LEGAL_FORMS) + r"))"
    r"(?: of| a| an)? (?P<origin>" + "|".join(sorted(STATE_NAMES, key=len, reverse=True)) + r")"
    r"(?: (?:" + "|".join(text for text, _ in LEGAL_FORMS) + r"))?$"
)
_STATE_WORDS = frozenset(name.split()[-1] for name in STATE_NAMES)  # without one of these there is nothing to look for
_PLUS = re.compile(r"(?<=\w)\+(?!\S)")
_APOSTROPHE = re.compile(r"['\u2018\u2019`\u00b4]")
_INITIALS = re.compile(r"(?<=\b\w)\.(?=\w\b)")
_NO_WORD = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")
_TRADING_AS = re.compile(
    r"[\s,(]+(?:d\s?[/.]?\s?b\s?[/.]?\s?a\.?|doing business as|a/k/a|aka|f/k/a|fka|formerly known as|t/a|trading as)"
    r"[\s:]+",
    flags=re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ComparisonForm:
    """A name ready to be compared: its words without the legal form, and the marks of its legal form."""

    key: str
    legal_form: str
    letters: str = ""  # the words run together, numbers as they are written: "blueheron logistics" has the same
    origin: str = ""  # "delaware" in "Acme Inc of Delaware": the home a foreign company tells itself apart by

    @property
    def full(self) -> str:
        """Words and legal form: equal for two spellings of the very same name."""
        return f"{self.key} {self.legal_form}".strip()


def plain(name: str) -> str:
    """Lower case, no accents, no punctuation, `&` and `+` spelt out, one blank between words."""
    if name.isascii():
        text = name.lower()
    else:
        text = unicodedata.normalize("NFKD", name)
        text = "".join(sign for sign in text if not unicodedata.combining(sign)).casefold()
    if "+" in text:
        text = _PLUS.sub(" plus", text)  # "A+ Tutoring", but "Jones + Sons"
        text = text.replace("+", " and ")
    text = text.replace("&", " and ")
    text = _APOSTROPHE.sub("", text)  # O'Neil's -> oneils
    if "." in text:
        text = _INITIALS.sub("", text)  # A.B.C. -> abc.
    return " ".join(_NO_WORD.sub(" ", text).split())


def words(name: str) -> list[str]:
    """The words of a name as written: letters and digits only, accents and case kept; for search patterns."""
    return re.findall(r"[^\W_]+", name)


@lru_cache(maxsize=65_536)
def trading_names(name: str) -> tuple[str, ...]:
    """The names in "Acme LLC d/b/a Best Foods", the legal one first; one name where there is no such mark."""
    parts = [part.strip(" ,()") for part in _TRADING_AS.split(name)]
    return tuple(part for part in parts if part) or (name,)


@lru_cache(maxsize=65_536)
def form(name: str) -> ComparisonForm:
    """The comparison form of a name (its legal part, where a trading name follows)."""
    text = plain(trading_names(name)[0])
    text = (text.removeprefix("the ") or text).removesuffix(" the") or text
    noted = _FROM.match(text) if not _STATE_WORDS.isdisjoint(text.split()) else None
    origin = noted["origin"] if noted else ""
    text = noted["name"] if noted else text
    found = _FORMS_AT_END.match(text)
    if not found:
        return _formed(text, "", origin)
    marks = " ".join(_MARK[part.group()] for part in _ONE_FORM.finditer(found["forms"]))
    base = found["base"]
    if base == "and" or base.endswith(" and"):  # "Smith and Company": the first form belongs to the name
        first, _, rest = found["forms"].strip().partition(" ")
        return _formed(f"{base} {_MARK.get(first, first)}", _forms_only(rest), origin)
    return _formed(base, marks, origin)


def _formed(base: str, legal_form: str, origin: str) -> ComparisonForm:
    return ComparisonForm(_numbered(base), legal_form, base.replace(" ", ""), origin)


def _forms_only(text: str) -> str:
    return " ".join(_MARK[part.group()] for part in _ONE_FORM.finditer(text))


def _numbered(text: str) -> str:
    """Number words as digits, Roman numbers too where they end the name."""
    parts = [NUMERALS.get(word, word) for word in text.split()]
    if len(parts) > 1 and parts[-1] in ROMAN:
        parts[-1] = ROMAN[parts[-1]]
    return " ".join(parts)


def key(name: str) -> str:
    """The name without its legal form, for comparison: `key("The Acme Co., Inc.") == key("ACME")`."""
    return form(name).key


def full_key(name: str) -> str:
    """The name with its legal form in one spelling: `full_key("Acme, L.L.C.") == "acme llc"`."""
    return form(name).full


def legal_form(name: str) -> str:
    """The legal form in one spelling ("llc", "corp", "co inc"); empty when the name has none."""
    return form(name).legal_form


def numbers(text: str) -> tuple[str, ...]:
    """The words of a comparison form that hold a digit: they tell the companies of a series apart."""
    return tuple(word for word in text.split() if _DIGIT.search(word)) if _DIGIT.search(text) else ()


_RAW_FORM = re.compile(
    r"[\s,]+(?:" + "|".join(r"[.\s]*".join(text.split()) for text, _ in LEGAL_FORMS) + r")\.?\s*$",
    flags=re.IGNORECASE,
)


def without_suffix(name: str) -> str:
    """The name as written, without its legal form; for search terms. Never empty for a name that is not."""
    text = " ".join(name.split())
    for _ in range(2):  # "Acme Co., Inc."
        shorter = _RAW_FORM.sub("", text)
        if not shorter.strip(" ,.") or shorter.rstrip().casefold().endswith((" and", " &")):
            break
        text = shorter.rstrip(" ,")
    return text


_COMMON_FORMS = (
    "", " INC", ", INC", " INC.", ", INC.", " INCORPORATED", ", INCORPORATED", " CORP", " CORP.", ", CORP.",
    " CORPORATION", " CO", " CO.", " COMPANY", " LLC", ", LLC", " L.L.C.", ", L.L.C.", " LTD", " LTD.", ", LTD.",
    " LIMITED", " LIMITED LIABILITY COMPANY", " LP", ", LP", " L.P.", ", L.P.", " LIMITED PARTNERSHIP", " LLP",
    ", LLP", " L.L.P.", ", L.L.P.", " PLLC", ", PLLC", " P.C.", ", P.C.", " PC", ", PC",
)  # fmt: skip


def spellings(name: str) -> tuple[str, ...]:
    """The name in capitals with every common spelling of a legal form, with and without "THE"; for exact searches."""
    base = without_suffix(name).upper()
    bare = base.removeprefix("THE ")
    found = [name.upper(), *(f"{base}{form}" for form in _COMMON_FORMS)]
    found += [f"THE {bare}{form}" for form in ("", " CORPORATION", ", INC.", " COMPANY", " LLC", ", LLC")]
    return tuple(dict.fromkeys(found))


def respelled(name: str) -> tuple[str, ...]:
    """Other ways a registry may write the same name: "&" for "and" or the reverse, without signs, without accents.

    For searches that compare text letter by letter; empty for a name without such signs. What a registry writes
    with signs and the caller without ("ONEILS" for "O'NEIL'S") cannot be found this way.
    """
    swapped = re.sub(r"\s*[&+]\s*", " and ", name) if re.search(r"[&+]", name) else re.sub(r"(?i)\band\b", "&", name)
    unsigned = " ".join(re.sub(r"[^\w\s&]", "", re.sub(r"[-/]", " ", name)).split())
    plain_letters = unicodedata.normalize("NFKD", name)
    unaccented = "".join(sign for sign in plain_letters if not unicodedata.combining(sign))
    return tuple(found for found in dict.fromkeys((swapped, unsigned, unaccented)) if found and found != name)
