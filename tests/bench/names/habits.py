"""What people do to a company's name when they write it: each habit turns a registered name into what would be asked.

A habit answers None for a name that gives it no occasion. It never says more than a careful reader could take back: who
is meant stays plain wherever nobody else has nearly the same name.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from functools import lru_cache

from tests.bench.names.companies import Company, Registry
from tests.bench.names.vocabulary import (
    FIRST_NAMES,
    INVENTED,
    KEYS,
    NUMBERS,
    PLACES,
    ROMAN,
    SCANNED,
    SHORTENED,
    VOWELS,
)

Habit = Callable[[random.Random, Company, Registry], str | None]
_SPELLINGS = {
    "llc": ("LLC", ", LLC", "L.L.C.", ", L.L.C.", "llc", "Limited Liability Company", "Ltd. Liability Co."),
    "inc": ("Inc", "Inc.", ", Inc.", ", Inc", "Incorporated", "INC"),
    "corp": ("Corp", "Corp.", "Corporation", ", Corp."),
    "corporation": ("Corp", "Corp.", "Corporation"),
    "lp": ("LP", "L.P.", ", LP", "Limited Partnership"),
    "llp": ("LLP", "L.L.P.", ", LLP"),
    "pllc": ("PLLC", "P.L.L.C.", "Professional Limited Liability Company", "Professional Ltd. Liability Co."),
    "pc": ("PC", "P.C.", ", P.C.", "Professional Corporation"),
    "ltd": ("Ltd", "Ltd.", "Limited"),
    "company": ("Company", "Co.", "Co"),
    "co": ("Company", "Co.", "Co"),
}
_FORM = re.compile(
    r"[\s,]+(?P<form>l\.?l\.?c|p\.?l\.?l\.?c|inc|incorporated|corp|corporation|l\.?p|l\.?l\.?p|p\.?c|ltd|company|co)\.?$",
    flags=re.IGNORECASE,
)


@lru_cache(maxsize=400_000)
def parted(name: str) -> tuple[str, str]:
    """The name without its legal form, and the form in one word ("" where there is none)."""
    text = " ".join(name.split()).rstrip(" .,")
    found = _FORM.search(text)
    base = text[: found.start()].rstrip(" ,.") if found else text
    if not found or base.endswith("&") or base.lower().endswith(" and"):
        return text, ""
    form = found["form"].lower().replace(".", "")
    return base, "inc" if form == "incorporated" else form


def with_form(base: str, spelling: str) -> str:
    """The two put together."""
    return f"{base}{spelling}" if spelling.startswith(",") else f"{base} {spelling}".strip()


def cased(pick: random.Random, text: str) -> str:
    """As it stands, in small letters, or with capitals at the beginnings."""
    return pick.choice((text, text.lower(), string.capwords(text), string.capwords(text)))


def written(pick: random.Random, base: str, form: str) -> str:
    """The name as somebody writes it: the legal form in some spelling, or left out, one time in three."""
    spelling = pick.choice(_SPELLINGS[form]) if form and pick.random() < 0.67 else ""
    return with_form(cased(pick, base), spelling)


def _changed(pick: random.Random, company: Company, change: Callable[[str], str | None]) -> str | None:
    """The name with one of its words changed, of those that can be."""
    base, form = parted(company.name)
    words = base.split()
    places = list(range(len(words)))
    pick.shuffle(places)
    for at in places:
        word = words[at].strip(",.")
        new = change(word)
        if new is not None and new.lower() != word.lower():
            return written(pick, " ".join((*words[:at], new, *words[at + 1 :])), form)
    return None


def plainly(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    return written(pick, base, form)


def abbreviation(pick: random.Random, company: Company, registry: Registry) -> str | None:
    def shorten(word: str) -> str | None:
        short = pick.choice(SHORTENED.get(word.lower(), ("",)))
        return short.capitalize() + pick.choice(("", ".")) if short else None

    return _changed(pick, company, shorten)


def abbreviation_spelled_out(pick: random.Random, company: Company, registry: Registry) -> str | None:
    spelled = {
        "mgmt": "Management",
        "intl": "International",
        "bros": "Brothers",
        "svcs": "Services",
        "dev": "Development",
    }
    spelled |= {"assoc": "Associates", "mfg": "Manufacturing", "ctr": "Center", "props": "Properties", "ave": "Avenue"}
    spelled |= {"constr": "Construction", "natl": "National", "rd": "Road", "grp": "Group", "hldgs": "Holdings"}
    spelled |= {"enterp": "Enterprises", "apts": "Apartments", "tech": "Technology", "univ": "University"}
    return _changed(pick, company, lambda word: spelled.get(word.lower()))


def place_shortened(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    found = [place for place in PLACES if re.search(rf"\b{place}\b", base, flags=re.IGNORECASE)]
    if not found:
        return None
    place = pick.choice(found)
    return written(pick, re.sub(rf"(?i)\b{place}\b", pick.choice(PLACES[place]), base, count=1), form)


def _slip(pick: random.Random, word: str) -> str | None:
    at = pick.randrange(1, len(word) - 1)
    letter = word[at].lower()
    kinds = (
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + KEYS.get(letter, letter) + word[at + 1 :],
        word[:at] + VOWELS.get(letter, letter) + word[at + 1 :],
    )
    return pick.choice(kinds)


def slip_in_own_word(pick: random.Random, company: Company, registry: Registry) -> str | None:
    def slip(word: str) -> str | None:
        if len(word) < 6 or not word.isalpha() or registry.count(word.lower()) > 60:
            return None
        new = _slip(pick, word)
        return new if new and not registry.count(new.lower()) else None

    return _changed(pick, company, slip)


def slip_in_trade_word(pick: random.Random, company: Company, registry: Registry) -> str | None:
    def slip(word: str) -> str | None:
        if len(word) < 6 or not word.isalpha() or registry.count(word.lower()) < 300:
            return None
        new = _slip(pick, word)
        return new if new and not registry.count(new.lower()) else None

    return _changed(pick, company, slip)


def plural(pick: random.Random, company: Company, registry: Registry) -> str | None:
    def turn(word: str) -> str | None:
        low = word.lower()
        if len(low) < 4 or not low.isalpha() or registry.count(low) < 40 or low.rstrip("s") in FIRST_NAMES:
            return None
        forms = [
            low + "s",
            low[:-1] + "ies" if low.endswith("y") else "",
            low[:-3] + "y" if low.endswith("ies") else "",
        ]
        forms.append(low[:-1] if low.endswith("s") and not low.endswith("ss") else "")
        known = [one for one in forms if one and registry.count(one) >= 10]
        return pick.choice(known) if known else None

    return _changed(pick, company, turn)


def city_after_form(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    if not form or not company.city.replace(" ", "").isalpha() or company.foreign:
        return None
    place = pick.choice((", {} CT", ", {}, CT", " - {}", " ({})", ", {}", ", {}, Connecticut")).format(company.city)
    return with_form(cased(pick, base), pick.choice(_SPELLINGS[form])) + place


def scanned(pick: random.Random, company: Company, registry: Registry) -> str | None:
    def read(word: str) -> str | None:
        up = word.upper()
        possible = [(one, other) for one, other in SCANNED if one in up]
        if len(up) < 5 or not up.isalpha() or not possible:
            return None
        one, other = pick.choice(possible)
        new = up.replace(one, other, 1)
        return None if registry.count(new.lower()) else new

    found = _changed(pick, company, read)
    return found.upper() if found else None


def spacing(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    words = base.split()
    options = [
        " ".join((*words[:at], words[at] + words[at + 1].lower(), *words[at + 2 :]))
        for at in range(len(words) - 1)
        if words[at].isalpha() and words[at + 1].isalpha() and min(len(words[at]), len(words[at + 1])) >= 3
    ]
    for at, word in enumerate(words):
        for cut in range(3, len(word) - 2) if word.isalpha() else ():
            if min(registry.count(word[:cut].lower()), registry.count(word[cut:].lower())) >= 60:
                options += [" ".join((*words[:at], word[:cut] + sign + word[cut:], *words[at + 1 :])) for sign in " -"]
        if "-" in word.strip("-"):
            options += [base.replace("-", " "), base.replace("-", "")]
    return written(pick, pick.choice(options), form) if options else None


def and_company(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    found = re.search(r"\s+(?:&|and)\s+(?:company|co)\.?$", base, flags=re.IGNORECASE)
    if not found:
        return None
    bare = base[: found.start()].rstrip(" ,")
    return written(pick, bare + pick.choice((" & Co", " & Co.", " and Company", " & Company", " Company", "")), form)


def ampersand(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    found = list(re.finditer(r"\s*&\s*|\s+and\s+", base, flags=re.IGNORECASE))
    if not found:
        return None
    one = pick.choice(found)
    new = pick.choice((" and ", " & ", " + ", " &amp; ", " n ", " ", "&"))
    return written(pick, base[: one.start()] + new + base[one.end() :], form)


def article(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    if base.lower().startswith("the "):
        return written(pick, pick.choice((base[4:], f"{base[4:]}, The")), form)
    return written(pick, f"The {base}", form)


def legal_form(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    if form not in _SPELLINGS:
        return None
    mixed_up = {"llc": ("Inc", "Corp"), "inc": ("LLC", "Corp", "Co"), "corp": ("LLC", "Inc")}.get(form, ())
    return with_form(cased(pick, base), pick.choice((*_SPELLINGS[form], *mixed_up, "")))


def surname_first(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    words = base.split()
    if len(words) < 2 or words[0].lower() not in FIRST_NAMES or not words[1].isalpha():
        return None
    after = [registry.count(word.lower()) for word in words[2:]]  # a second surname would make another person of it
    if words[1].lower() in (*FIRST_NAMES, "and") or min(after, default=300) < 300:
        return None
    return written(pick, " ".join((f"{words[1]}, {words[0]}", *words[2:])), form)


def number_spelling(pick: random.Random, company: Company, registry: Registry) -> str | None:
    digits = {word.lower(): digit for digit, word in NUMBERS.items()}

    def spell(word: str) -> str | None:
        bare = word.lstrip("#")
        if bare in NUMBERS:
            return pick.choice((NUMBERS[bare], f"#{bare}" if bare.isdigit() else NUMBERS[bare]))
        return ROMAN.get(word) or digits.get(word.lower())

    return _changed(pick, company, spell)


def trading_name_after(pick: random.Random, company: Company, registry: Registry) -> str | None:
    trade = pick.choice(INVENTED).split()[1] + pick.choice((" Bakery", " Studio", " Garage", " Market", " Salon"))
    return f"{string.capwords(company.name)} {pick.choice(('dba', 'd/b/a', 'DBA', 'doing business as'))} {trade}"


def signs_left_out(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    if not re.search(r"['.,/!-]", base):
        return None
    kinds = (
        re.sub(r"['.,/!-]", "", base),
        re.sub(r"[.,/!-]", " ", base).replace("'", ""),
        base.replace("'", "\u2019"),
        base.replace("'S", "S").replace("'s", "s"),
    )
    new = " ".join(pick.choice(kinds).split())
    return written(pick, new, form) if new != base else None


def initials(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    dotted = re.search(r"(?<!\w)(?:[A-Z]\.\s?){2,3}(?!\w)", base)
    spaced = re.search(r"(?<!\S)[A-Z](?:\s[A-Z]){1,2}(?!\S)", base)
    run = re.search(r"(?<!\S)(?!ST|DR|MD|MT|RD|CT|JR|SR|MR|FT|LN)[B-DF-HJ-NP-TV-XZ]{2,3}(?!\S)", base)
    found = dotted or spaced or run
    if not found:
        return None
    only = re.sub(r"[^A-Z]", "", found.group())
    new = pick.choice(("".join(only), ".".join(only) + ".", " ".join(only), ". ".join(only) + "."))
    changed = " ".join(f"{base[: found.start()]}{new} {base[found.end() :]}".split())
    return written(pick, changed, form) if changed != base else None


def small_word_left_out(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    new = re.sub(r"(?i)(?<=\w)\s+(?:of the|of|for|at|the)\s+(?=\w)", " ", base, count=1)
    return written(pick, new, form) if new != base else None


def home_of_form(pick: random.Random, company: Company, registry: Registry) -> str | None:
    base, form = parted(company.name)
    long = {
        "llc": "limited liability company",
        "inc": "corporation",
        "corp": "corporation",
        "lp": "limited partnership",
    }
    if company.foreign or form not in long:
        return None
    text = with_form(cased(pick, base), pick.choice(_SPELLINGS[form][:4]))
    return text + pick.choice((f", a Connecticut {long[form]}", " (CT)", " (Connecticut)", " CT"))


HABITS: tuple[Habit, ...] = (
    plainly,
    abbreviation,
    abbreviation_spelled_out,
    place_shortened,
    slip_in_own_word,
    slip_in_trade_word,
    plural,
    city_after_form,
    scanned,
    spacing,
    and_company,
    ampersand,
    article,
    legal_form,
    surname_first,
    number_spelling,
    trading_name_after,
    signs_left_out,
    initials,
    small_word_left_out,
    home_of_form,
)
