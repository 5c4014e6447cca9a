"""Legal forms as the statutes of all states have them, for comparing names as a filing office does.

`normalize.vocabulary` has the forms by which a company is recognized. A filing office looks past more: those stand
here, each under the usual form that it is a spelling or a kin of. They are read at the very end of a name alone: "GP"
goes from "Blue Heron GP" and stays in "Blue Heron GP, LLC", which is another company than "Blue Heron LP".
"""

from __future__ import annotations

import re
from typing import Literal

from scrapers.normalize import names
from scrapers.parsing.fields import listed

# The three kinds of entities whose names a state may compare apart; a general partnership has no name on a register.
CorporateKind = Literal["corporation", "llc", "limited_partnership"]

FURTHER: dict[str, str] = {
    "llc": "dao llc | dao limited liability company | dao | lao | "  # Wyoming Statutes 17-31-104
    "compania de responsabilidad limitada | crl",  # Puerto Rico
    "l3c": "low profit limited liability co | low profit ltd liability company | low profit ltd liability co | "
    "low profit llc",
    "pllc": "professional ltd liability company | professional ltd liability co | professional limited company | "
    "professional ltd company | professional limited co | professional ltd co | prof llc | "
    "pl",  # Florida Statutes 621.12, as it was until 2013
    "pc": "professional service | ps | professional services corporation | professional service corp | "
    "professional corp | prof corporation | prof corp | psc | apc | "
    "sc | "  # Minnesota Statutes 319B.05: service corporation
    "professional law corp | professional medical corp | professional dental corp | aplc | apmc | "  # CA, LA
    "corporacion de servicios profesionales | csp",  # Puerto Rico
    "pa": "professional assn | professional assoc | prof association | prof assn",
    "chartered": "chartd | chtrd",
    "pbc": "benefit corporation | benefit corp | public benefit corporation | public benefit corp | "
    "general benefit corporation | gbc | "
    "specific benefit corporation | sbc",
    "spc": "social purpose corporation | social purpose corp | spc",
    "nfp": "non profit corporation | nonprofit corp | non profit corp | not for profit corporation | "
    "not for profit corp | not for profit | nfp",  # 805 Illinois Compiled Statutes 105/104.05(a)(2)
    "llp": "registered llp | rllp | ltd liability partnership | professional limited liability partnership | "
    "registered professional limited liability partnership | professional llp | pllp",
    "lllp": "registered limited liability limited partnership | rlllp | ltd liability limited partnership | "
    "limited liability ltd partnership",
    "gp": "general partnership | gp",
    # Uniform Limited Cooperative Association Act 111(b) and the older acts
    "coop": "limited cooperative association | ltd cooperative association | limited cooperative assn | "
    "limited cooperative | ltd cooperative | limited co op | ltd co op | limited coop | ltd coop | lca | "
    "cooperative association | cooperative assn | cooperative corporation | cooperative corp | cooperative company | "
    "cooperative | co op | coop",
}
SPELLINGS: tuple[str, ...] = tuple(sorted({text for texts in FURTHER.values() for text in listed(texts)}))
_USUAL = {text.replace(" ", ""): usual for usual, texts in FURTHER.items() for text in listed(texts)}
_INITIALS = frozenset(
    listed(
        "aplc | apmc | apc | crl | csp | dao | gbc | gp | lao | lca | nfp | pl | pllp | ps | psc | rlllp | rllp | "
        "sbc | sc | spc"
    )
)
_ACCENTS = str.maketrans({"o": "[o\u00f3]", "n": "[n\u00f1]"})  # corporaci\u00f3n, compa\u00f1ia

_KINDS: dict[str, CorporateKind] = {
    **dict.fromkeys(listed("inc | corp | co | ltd | pc | pa | pbc | chartered | spc | nfp | coop"), "corporation"),
    **dict.fromkeys(listed("llc | lc | l3c | pllc"), "llc"),
    **dict.fromkeys(listed("lp | lllp"), "limited_partnership"),
}


def _pattern(text: str) -> str:
    """A spelling with any signs between its words, and with points after initials or without."""
    if text in _INITIALS:
        return r"[\s.]*".join(text)
    spelled = text.translate(_ACCENTS) if text.endswith(("profesionales", "limitada")) else text
    return r"[\s.,-]*".join(spelled.split())


_AT_END = re.compile(
    r"(?<=[\w.])[\s,(][\s.,(]*+(?P<form>"
    + "|".join(_pattern(text) for text in sorted(SPELLINGS, key=len, reverse=True))
    + r")[\s.,)]*$",
    flags=re.IGNORECASE,
)
_NO_NAME = frozenset({"", "a", "an", "the"})


def split(name: str) -> tuple[str, str]:
    """A name without the further legal form at its end, and the usual form that it counts as; "" where it has none."""
    found = _AT_END.search(name)
    if found is None:
        return name, ""
    rest = name[: found.start()].rstrip()
    words = names.plain(rest)
    if words in _NO_NAME or words.split()[-1] == "and":  # "The Cooperative", "Moss & Coop"
        return name, ""
    return rest, _USUAL[names.plain(found["form"]).replace(" ", "")]


def legal_form(name: str) -> str:
    """The legal form of a name in one spelling, further ones too: "pc" of "Blue Heron, P.S."; "" where it has none."""
    rest, further = split(names.trading_names(name)[0])
    return further or names.form(rest).legal_form


def kind_in(name: str) -> CorporateKind | None:
    """The kind of entity that a name's legal form stands for; None where it has none, or one of no such kind."""
    marks = legal_form(name).split()
    return _KINDS.get(marks[-1]) if marks else None


def spelled_out(name: str) -> tuple[str, ...]:
    """The name with each of the further legal forms, as a register may have it that is searched for whole names."""
    base = names.without_suffix(split(name)[0])
    return tuple(f"{base} {text}" for text in SPELLINGS)
