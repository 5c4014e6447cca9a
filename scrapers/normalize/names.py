"""One comparison form for company names: two names with the same form are the same name to a filing clerk.

Case, accents, punctuation, the leading article, `&`/`and`/`+`, the spelling of numbers and of the legal form, and the
note where a foreign company is from do not tell two companies apart; every other word and every number does.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from jurisdictions.codes import PLACES
from scrapers.normalize.hidden import visible
from scrapers.normalize.vocabulary import KIN, LEGAL_FORMS, NUMERALS, ROMAN, STATE_NAMES, TENS, TITLES, UNITS

_FORMS_AT_END = re.compile(r"^(?P<base>.+?)(?P<forms>(?: (?:" + "|".join(text for text, _ in LEGAL_FORMS) + r"))+)$")
_ONLY_FORMS = re.compile(r"(?:(?: |^)(?:" + "|".join(text for text, _ in LEGAL_FORMS) + r"))+")
_ONE_FORM = re.compile("|".join(rf"\b{text}\b" for text, _ in LEGAL_FORMS))
_MARK = dict(LEGAL_FORMS)
# "Acme Inc of Delaware", "Acme LLC (a Texas limited liability company)": where a foreign company is from.
_FROM = re.compile(
    r"(?P<name>.+ (?:" + "|".join(text for text, _ in LEGAL_FORMS) + r"))"
    r"(?: of| a| an)? (?P<origin>" + "|".join(sorted(STATE_NAMES, key=len, reverse=True)) + r")"
    r"(?: (?P<form>" + "|".join(text for text, _ in LEGAL_FORMS) + r"))?$"
)
# "Jones, A Professional Corporation": the article belongs to the form. Only after a comma or bracket: "Plan A LLC".
_ARTICLE_OF_FORM = re.compile(
    r"[,(]\s*an?\s+(?=(?:professional|limited|registered|public benefit|nonprofit)\s[a-z\s]+\W*$)", flags=re.IGNORECASE
)
FORM_WITHOUT_SIGNS = re.compile(r"[^\W_] +(?:pc|pa)\s*$", flags=re.IGNORECASE)  # it may be a word: "Gaming PC"
_OF_ANY_KIND = frozenset({"ltd", "co"})  # forms that corporations, LLCs and limited partnerships have in their names
_NATION = frozenset({"america", "usa", "united states", "united states of america"})  # no state's register notes it
# "Acme, Inc., a Delaware corporation": how contracts and registers say where a company is from.
_HOME_OF_FORM = re.compile(
    r"[,(]\s*an?\s+(?:" + "|".join(STATE_NAMES) + r")\s+(?:" + "|".join(text for text, _ in LEGAL_FORMS) + r")\W*$",
    flags=re.IGNORECASE,
)
# What California's professions write: "Jones, A Law Corporation".
_FORM_OF_A_PROFESSION = re.compile(
    r"[,(]\s*an?\s+(?:law|medical|dental|accountancy|optometric|chiropractic|veterinary|psychological|nursing)"
    r"\s+corp(?:oration|\.)?\W*$",
    flags=re.IGNORECASE,
)
# "Acme Inc. (DE)", "Acme, Inc. (FN)": a register's note on a foreign company.
_NOTE = re.compile(r"[(\[]\s*(?P<note>[a-z]{2}|foreign)\s*[)\]]\W*$", flags=re.IGNORECASE)
# A national bank: elsewhere these words and letters belong to a name ("Auto Dealers National Association", "Li Na").
_BANK = re.compile(r"(?P<base>.*\b(?:bank|banking|savings|trust)\b.*?) (?:na|n a|national association)$")
_STATE_WORDS = frozenset(name.split()[-1] for name in STATE_NAMES)  # without one of these there is nothing to look for
_PLUS = re.compile(r"(?<=\w)\+(?!\S)")
_APOSTROPHE = re.compile(r"['\u2018\u2019`\u00b4]")
# Letters that Unicode does not divide into a letter and an accent: o with a stroke, l with a stroke, ae, ...
_UNDIVIDED = str.maketrans(
    {"\u00f8": "o", "\u0111": "d", "\u00f0": "d", "\u0142": "l", "\u0127": "h", "\u00e6": "ae", "\u0153": "oe"}
)
_MARKS = dict.fromkeys(map(ord, "\u2122\u2120"))  # trade and service mark, which Unicode spells out in letters
_ESCAPED = re.compile(r"&[#\w]+;")  # with its semicolon: "B&GTrucking" is a name
_INITIALS = re.compile(r"(?<=\b\w)\.(?=\w\b)")
_NO_WORD = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")
_TRADING_AS = re.compile(
    r"(?:[\s,(](?:d\s?[/.]?\s?b\s?[/.]?\s?a\.?|doing business as|[af][/.]?k[/.]?a\.?|formerly known as|t/a|trading as"
    r"|which will do business in [a-z ]{4,20} as|used in [a-z]{2} by(?=:))|[,(]\s*formerly(?: known as)?)"
    r"[\s:]+",
    flags=re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ComparisonForm:
    """A name ready to be compared: its words without the legal form, and the marks of its legal form."""

    key: str
    legal_form: str
    base: str = ""  # the words without the legal form, numbers as they are written
    origin: str = ""  # "delaware" in "Acme Inc of Delaware": the home a foreign company tells itself apart by
    of_origin: bool = False  # whether the home may be part of the name: "Company of America", "Acme Corp USA"
    kind: str = ""  # "lp" of "Acme Ltd., a Texas limited partnership", whose own form does not say it

    @property
    def letters(self) -> str:
        """The words run together: "blueheron logistics" has the same."""
        return self.base.replace(" ", "")

    @property
    def full(self) -> str:
        """Words and legal form: equal for two spellings of the very same name."""
        return f"{self.key} {self.legal_form}".strip()


def plain(name: str) -> str:
    """Lower case, no accents, no punctuation, `&` and `+` spelled out, one blank between words."""
    name = visible(name)
    if name.isascii():
        text = name.lower()
    else:
        text = unicodedata.normalize("NFKD", name.translate(_MARKS))
        text = "".join(sign for sign in text if not unicodedata.combining(sign)).casefold().translate(_UNDIVIDED)
    if "+" in text:
        text = _PLUS.sub(" plus", text)  # "A+ Tutoring", but "Jones + Sons"
        text = text.replace("+", " and ")
    text = text.replace("&", " and ")
    text = _APOSTROPHE.sub("", text)  # O'Neil's -> oneils
    if "." in text:
        text = _INITIALS.sub("", text)  # A.B.C. -> abc.
    return " ".join(_NO_WORD.sub(" ", text).split())


def unescaped(name: str) -> str:
    """The name without the codes and marks of a web page: people paste "Smith &amp; Sons\u2122", some escaped twice."""
    for _ in range(2):
        name = _ESCAPED.sub(lambda found: html.unescape(found[0]), name)
    return name.translate(_MARKS)


def words(name: str) -> list[str]:
    """The words of a name as written: letters and digits only, accents and case kept; for search patterns."""
    return re.findall(r"[^\W_]+", name)


@lru_cache(maxsize=65_536)
def trading_names(name: str) -> tuple[str, ...]:
    """The names in "Acme LLC d/b/a Best Foods", the legal one first; one name where there is no such mark.

    A mark without a name before and behind it is a word: "The AKA Group LLC", "Team AKA LLC".
    """
    parts = [part.strip(" \t\n,(") for part in _TRADING_AS.split(name)]
    if len(parts) == 1:
        return (name,)
    parts = [part.rstrip(" )") if part.count(")") > part.count("(") else part for part in parts]
    found = tuple(part for part in parts if part)
    return found if found and all(map(_names_anybody, found)) else (name,)


def _names_anybody(part: str) -> bool:
    """Whether there is more in it than an article and legal forms."""
    words = plain(part)
    return words not in ("the", "a", "an") and not _ONLY_FORMS.fullmatch(words)


@lru_cache(maxsize=65_536)
def form(name: str) -> ComparisonForm:
    """The comparison form of a name (its legal part, where a trading name follows)."""
    text = plain(_noted(trading_names(name)[0]))
    text = (text.removeprefix("the ") or text).removesuffix(" the") or text
    noted = _FROM.match(text) if not _STATE_WORDS.isdisjoint(text.split()) else None
    origin = noted["origin"] if noted else ""
    of_origin = noted is not None and (origin in _NATION or f" of {origin}" in text[noted.end("name") :])
    noted_form = _MARK.get(noted["form"] or "", "") if noted else ""
    text = noted["name"] if noted else text
    bank = _BANK.match(text) if text.endswith((" na", " n a", " association")) else None
    if bank:
        return _formed(f"{bank['base']} na", "", origin, of_origin)
    found = _FORMS_AT_END.match(text)
    if not found:
        return _formed(text, "", origin, of_origin)
    marks = " ".join(_MARK[part.group()] for part in _ONE_FORM.finditer(found["forms"]))
    base = found["base"]
    if base == "and" or base.endswith(" and"):  # "Smith and Company": the first form belongs to the name
        first, _, rest = found["forms"].strip().partition(" ")
        return _formed(f"{base} {_MARK.get(first, first)}", _forms_only(rest), origin, of_origin)
    kind = noted_form if _OF_ANY_KIND.issuperset(marks.split()) else ""
    return replace(_formed(base, marks, origin, of_origin), kind=kind)


def without_bank_mark(formed: ComparisonForm) -> ComparisonForm:
    """The form with a national bank's N.A. as its legal form. Its key keeps it: searches for liens tell banks by it."""
    if not formed.key.endswith(" na") or not _BANK.match(formed.key):
        return formed
    return ComparisonForm(formed.key[:-3], "na", formed.base[:-3], formed.origin, formed.of_origin)


def _noted(name: str) -> str:
    """The name with the register's note in words ("Acme Inc (Delaware)"), or without it where it says no place."""
    if "," in name or "(" in name:
        name = _ARTICLE_OF_FORM.sub(" ", _FORM_OF_A_PROFESSION.sub(" professional corporation", name))
    found = _NOTE.search(name) if name.rstrip(" .").endswith((")", "]")) else None
    if not found or not _FORMS_AT_END.match(plain(name[: found.start()])):
        return name
    note = found["note"].upper()
    if note in ("FN", "FOREIGN"):
        return name[: found.start()]
    return f"{name[: found.start()]} ({PLACES[note].name})" if note in PLACES else name


def _formed(base: str, legal_form: str, origin: str, of_origin: bool) -> ComparisonForm:
    base = base.removesuffix(" the")  # "CORNER BOOKSHOP, THE, LLC"
    return ComparisonForm(numbered(base), legal_form, base, origin, of_origin)


def _forms_only(text: str) -> str:
    return " ".join(_MARK[part.group()] for part in _ONE_FORM.finditer(text))


def numbered(text: str) -> str:
    """Number words as digits, Roman numbers too where they end the name."""
    parts: list[str] = []
    before = ""
    for word in text.split():
        if before in TENS and word in UNITS:
            parts[-1] = parts[-1][0] + NUMERALS[word]  # "twenty first"
        else:
            parts.append(NUMERALS.get(word, word))
        before = word
    if len(parts) > 1 and parts[-1] in ROMAN:
        parts[-1] = ROMAN[parts[-1]]
    return " ".join(parts)


def turned(name: str) -> frozenset[str]:
    """The keys a name has when its comma puts a surname or a place first: "Maddox, John & Sons", "Marlow, City of".

    Empty where no comma does so. "Smith, Jones & Brown" is a list of partners and stays as it is.
    """
    parts, rest = _comma_parts(name)
    if len(parts) < 2:
        return frozenset()
    head, first, *more = parts
    if first.endswith(" of"):
        return frozenset({key(" ".join((first, head, *more, rest)))})
    if more and more[-1].endswith(" of"):
        return frozenset({key(" ".join((more[-1], first, head, *more[:-1], rest)))})
    if more or (" " in head and not head.startswith(("de ", "del ", "de la ", "la ", "van ", "von ", "mc ", "st "))):
        return frozenset()
    given, found = first.split(), set()
    for count in (1, 2):  # a first name, or two, or one and an initial
        after = given[count:]
        if len(given) < count or "and" in given[:count] or (after[:1] == ["and"] and not KIN.intersection(after[1:2])):
            continue
        found.add(key(" ".join((*given[:count], head, *after, rest))))
    return frozenset(found)


def turned_text(name: str) -> tuple[str, ...]:
    """The name as it is written without a comma that puts a surname first; for search terms, which compare text."""
    head, _, rest = (part.strip() for part in name.partition(","))
    given = rest.split()
    if not turned(name) or "," in rest or not given:
        return ()
    if rest.casefold().endswith(" of"):
        return (f"{rest} {head}",)
    return (" ".join((given[0], head, *given[1:])),)


def has_one_part(name: str) -> bool:
    """Whether no comma divides the name, but for its legal form and a person's titles."""
    return len(_comma_parts(name)[0]) == 1


def _comma_parts(name: str) -> tuple[list[str], str]:
    """The parts between the commas, and apart from them the legal form and titles that follow the last."""
    parts = [part for part in map(plain, trading_names(name)[0].split(",")) if part]
    after: list[str] = []
    while len(parts) > 1 and (parts[-1] in TITLES or _ONLY_FORMS.fullmatch(parts[-1])):
        after.insert(0, parts.pop())
    return parts, " ".join(after)


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
    text = _ARTICLE_OF_FORM.sub(" ", _HOME_OF_FORM.sub("", text) or text)
    for _ in range(2):  # "Acme Co., Inc."
        shorter = _RAW_FORM.sub("", text)
        if not shorter.strip(" ,.") or shorter.rstrip().casefold().endswith((" and", " &")):
            break
        text = shorter.rstrip(" ,")
    return text


_COMMON_FORMS = (
    "",
    " INC",
    ", INC",
    " INC.",
    ", INC.",
    " INCORPORATED",
    ", INCORPORATED",
    " CORP",
    " CORP.",
    ", CORP.",
    " CORPORATION",
    " CO",
    " CO.",
    " COMPANY",
    " LLC",
    ", LLC",
    " L.L.C.",
    ", L.L.C.",
    " LTD",
    " LTD.",
    ", LTD.",
    " LIMITED",
    " LIMITED LIABILITY COMPANY",
    " LP",
    ", LP",
    " L.P.",
    ", L.P.",
    " LIMITED PARTNERSHIP",
    " LLP",
    ", LLP",
    " L.L.P.",
    ", L.L.P.",
    " PLLC",
    ", PLLC",
    " P.C.",
    ", P.C.",
    " PC",
    ", PC",
)


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
    return tuple(found for found in dict.fromkeys((swapped, unsigned, unaccented)) if found.strip() and found != name)
