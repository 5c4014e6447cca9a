"""One comparison form for company names: two names with the same key are the same name to a filing clerk.

Case, accents, punctuation, the leading article, `&`/`and`/`+` and the spelling of the legal form do not tell two
companies apart; every other word and every number does.
"""

from __future__ import annotations

import re
import unicodedata

# Every spelling of a legal form, reduced to one mark. Longer spellings first where one begins another.
_FORMS: tuple[tuple[str, str], ...] = (
    ("professional limited liability company", "pllc"),
    ("limited liability limited partnership", "lllp"),
    ("limited liability partnership", "llp"),
    ("limited liability company", "llc"),
    ("limited liability co", "llc"),
    ("ltd liability company", "llc"),
    ("ltd liability co", "llc"),
    ("limited company", "lc"),
    ("ltd co", "lc"),
    ("limited partnership", "lp"),
    ("professional corporation", "pc"),
    ("professional association", "pa"),
    ("professional limited", "pl"),
    ("public benefit corporation", "pbc"),
    ("nonprofit corporation", "corp"),
    ("low profit limited liability company", "l3c"),
    ("l l l p", "lllp"),
    ("p l l c", "pllc"),
    ("l l c", "llc"),
    ("l l p", "llp"),
    ("l p", "lp"),
    ("l c", "lc"),
    ("p c", "pc"),
    ("p a", "pa"),
    ("incorporated", "inc"),
    ("corporation", "corp"),
    ("corporacion", "corp"),
    ("company", "co"),
    ("limited", "ltd"),
    ("inc", "inc"),
    ("corp", "corp"),
    ("pllc", "pllc"),
    ("lllp", "lllp"),
    ("l3c", "l3c"),
    ("llc", "llc"),
    ("llp", "llp"),
    ("ltd", "ltd"),
    ("pbc", "pbc"),
    ("co", "co"),
    ("lp", "lp"),
    ("lc", "lc"),
    ("pc", "pc"),
    ("plc", "plc"),
)
_FORM = re.compile(r"^(?P<base>.+?)(?P<forms>(?: (?:" + "|".join(text for text, _ in _FORMS) + r"))+)$")
_MARKS = dict(_FORMS)
_ONE_FORM = re.compile("|".join(rf"\b{text}\b" for text, _ in _FORMS))
_ROMAN = {
    "i": "1",
    "ii": "2",
    "iii": "3",
    "iv": "4",
    "v": "5",
    "vi": "6",
    "vii": "7",
    "viii": "8",
    "ix": "9",
    "x": "10",
}


def plain(name: str) -> str:
    """Lower case, no accents, no punctuation, `&` and `+` spelt out, one blank between words."""
    text = unicodedata.normalize("NFKD", name)
    text = "".join(sign for sign in text if not unicodedata.combining(sign)).casefold()
    text = text.replace("&", " and ").replace("+", " and ")
    text = re.sub(r"['\u2018\u2019`\u00b4]", "", text)  # O'Neil's -> oneils
    text = re.sub(r"(?<=\b\w)\.(?=\w\b)", "", text)  # A.B.C. -> abc.
    return " ".join(re.sub(r"[\W_]+", " ", text).split())


def words(name: str) -> list[str]:
    """The words of a name as written: letters and digits only, accents and case kept; for search patterns."""
    return re.findall(r"[^\W_]+", name)


def _without_article(text: str) -> str:
    rest = text.removeprefix("the ")
    return rest or text


def _parts(name: str) -> tuple[str, str]:
    """Return the comparison form of the name without its legal form, and the marks of its legal form."""
    text = _without_article(plain(name)).removesuffix(" the")
    found = _FORM.match(text)
    if not found:
        return text, ""
    marks = [_MARKS[form.group()] for form in _ONE_FORM.finditer(found["forms"])]
    base = found["base"]
    if base == "and" or base.endswith(" and"):  # "Smith and Company": the form belongs to the name
        return text, ""
    return base, " ".join(marks)


def key(name: str) -> str:
    """The name without its legal form, for comparison: `key("The Acme Co., Inc.") == key("ACME")`."""
    return _parts(name)[0]


def full_key(name: str) -> str:
    """The name with its legal form in one spelling: `full_key("Acme, L.L.C.") == "acme llc"`."""
    base, form = _parts(name)
    return f"{base} {form}".strip()


def legal_form(name: str) -> str:
    """The legal form in one spelling ("llc", "corp", "co inc"); empty when the name has none."""
    return _parts(name)[1]


def numbers(text: str) -> tuple[str, ...]:
    """The numbers of a comparison form, Roman ones at the end included: they tell companies of a series apart."""
    words = text.split()
    found = [word for word in words if any(sign.isdigit() for sign in word)]
    if len(words) > 1 and words[-1] in _ROMAN:
        found.append(_ROMAN[words[-1]])
    return tuple(found)


_RAW_SUFFIX = re.compile(
    r"[\s,]+(?:" + "|".join(r"[.\s]*".join(map(re.escape, text.split())) for text, _ in _FORMS) + r")\.?\s*$",
    flags=re.IGNORECASE,
)
_DOTTED = re.compile(
    r"[\s,]+(?:l\.\s?l\.\s?l\.\s?p|p\.\s?l\.\s?l\.\s?c|l\.\s?l\.\s?c|l\.\s?l\.\s?p|l\.\s?p|p\.\s?c|l\.\s?c)\.?\s*$",
    re.I,
)


def without_suffix(name: str) -> str:
    """The name as written, without its legal form; for search terms. Never empty for a name that is not."""
    text = " ".join(name.split())
    for _ in range(2):  # "Acme Co., Inc."
        shorter = _DOTTED.sub("", text)
        shorter = _RAW_SUFFIX.sub("", shorter) if shorter == text else shorter
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
