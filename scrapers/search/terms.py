"""How a registry's search by name takes a term: the facts a state declares, and the terms that follow from them.

A company is found only when its row is in the list at all. Each registry compares in its own way, takes texts of its
own lengths and ends its lists where it likes; most do not say so, and what is not known stays "unknown" here instead
of being guessed: then the terms must fit the least forgiving search, and a list that looks cut counts as cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from scrapers.normalize import names
from scrapers.refusals import QueryRefused, Refusal
from scrapers.search.widening import NOTHING, Widening, widen

# starts_with, contains: the text as it is written; all_words: every word, anywhere; word_pattern: the words in their
# order, whatever stands between them; neighborhood: an alphabetical list from the term on.
Mode = Literal["starts_with", "contains", "all_words", "word_pattern", "neighborhood", "unknown"]
NarrowMode = Literal["starts_with", "exact", "spellings", "neighborhood", ""]
# recorded: seen in a real answer; documented: public clients of the portal or its own page say so; public: guides for
# people say so, not verified here; assumed: ours, to be safe.
Basis = Literal["recorded", "documented", "public", "assumed", "unknown"]

_ROUND = frozenset({20, 25, 50, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2000, 2500, 5000, 10000})
_ARTICLE = re.compile(r"^the\s+", flags=re.IGNORECASE)
_LAST_ARTICLE = re.compile(r",\s*the$", flags=re.IGNORECASE)
_COMPANY_IN_NAME = re.compile(r"(?P<joined>(?:\band|&)\s*Co)(?:mpany|\.)$", flags=re.IGNORECASE)
_FROM_THE_START: frozenset[Mode] = frozenset({"starts_with", "neighborhood", "unknown"})


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The terms to ask for, in order. `proves`: whether whole lists of them all hold the name however it is written.

    `wider`: what is asked when their lists were whole and did not hold it; it proves nothing. `is_cut`: whether there
    were more spellings than may be asked for.
    """

    terms: tuple[str, ...]
    proves: bool = True
    is_cut: bool = False
    wider: Widening = NOTHING


@dataclass(frozen=True, slots=True)
class NameSearch:
    """What is known of one registry's search by name, each fact with its basis.

    `shortest` and `longest` count characters of the text sent. `ignored`: words the search does not look at, folded.
    `unsent`: signs that are wildcards, or that a page may refuse. `cap`: rows after which a list may end silently;
    None where that is not known. `says_total`: the list says how many rows there are. `pages` of `page_rows` are read.
    """

    mode: Mode = "unknown"
    mode_basis: Basis = "unknown"
    narrow: NarrowMode = ""  # how the second, narrower search compares, where there is one
    shortest: int = 2
    shortest_basis: Basis = "unknown"
    longest: int = 100  # a shorter text only widens a list; no name is told apart by its hundredth letter
    longest_basis: Basis = "assumed"
    ignored: frozenset[str] = frozenset()
    ignored_basis: Basis = "unknown"
    ignores_signs: bool = False  # whether "&", "and" and punctuation do not matter to this search
    unsent: str = "%*?_<>\\"
    cap: int | None = None
    cap_basis: Basis = "unknown"
    says_total: bool = False
    page_rows: int | None = None
    pages: int = 1
    most_terms: int = 3  # searches for one name: each is a request, or more
    evidence: str = ""

    def whole(self, rows: int) -> bool:
        """Whether a list of so many rows, which does not say that it was cut, can be taken for whole.

        Where the cap is not known, a list that ends at a number such as 50 or 100 is taken for cut.
        """
        return rows < self.cap if self.cap is not None else rows not in _ROUND

    @property
    def finds_words(self) -> bool:
        """Whether a whole list for one word shows everybody whose name has it."""
        return self.mode in ("contains", "all_words", "word_pattern")

    def fitted(self, text: str) -> str:
        """The text as it may be sent: without ignored words and wildcards, no longer than is taken; may be empty."""
        found = self._without_wildcards(text)
        if self.ignored:
            found = " ".join(word for word in found.split() if word.strip(".,").casefold() not in self.ignored)
        found = " ".join(found.split())
        if len(found) > self.longest:
            head = found[: self.longest + 1]
            found = head.rpartition(" ")[0] or head[:-1]
        return found.strip(" ,")

    def is_sendable(self, text: str) -> bool:
        """Whether a fitted text is long enough, and more than signs."""
        return len(text) >= self.shortest and bool(names.words(text))

    def narrowed(self, name: str) -> str | None:
        """The name for the narrower search, or None where there is none or the name cannot be asked for so."""
        if not self.narrow:
            return None
        if self.narrow == "spellings":
            return name
        cut = any(sign in name for sign in self.unsent) or len(name) > self.longest
        if self.narrow == "exact" and cut:
            return None  # half a name, exactly, is another name
        text = self.fitted(name)
        return text if self.is_sendable(text) else None

    def _without_wildcards(self, text: str) -> str:
        pieces = [piece for piece in re.split(f"[{re.escape(self.unsent)}]", text) if piece.strip()]
        if (len(pieces) == 1 and pieces[0] == text) or not pieces:
            return text if pieces else ""
        if self.mode == "word_pattern":
            return text  # only its letters and digits get into the condition
        if self.mode == "all_words":
            kept = [word for word in text.split() if not any(sign in word for sign in self.unsent)]
            return " ".join(kept) or max(pieces, key=len)
        if self.mode == "contains":
            return max(pieces, key=len)
        return pieces[0] if not text.startswith(tuple(self.unsent)) else ""


def plan(name: str, facts: NameSearch) -> SearchPlan:
    """The terms to try for a name; QueryRefused, before anything is sent, when none of them may be.

    Registries compare text, and callers give the legal form, another one, or none: without it the right row is in the
    list for all three. The others are the ways a registry may write the name that text does not forgive: without the
    article or (where names must begin like it) with it, "&" for "and", without signs. A name too short without its
    legal form is asked for with it, as a person would; that finds it, but can not show that it is not there.
    """
    base = names.without_suffix(name)
    if facts.mode != "all_words":  # which may not find a piece of a word
        base = _COMPANY_IN_NAME.sub(r"\g<joined>", base)  # "Moss & Co" lists "MOSS & COMPANY" and "MOSS & CO." alike
    bare = _LAST_ARTICLE.sub("", _ARTICLE.sub("", base))
    asked = [base, bare]
    if not facts.ignores_signs:
        asked += names.respelled(bare)
    if facts.mode in _FROM_THE_START and facts.is_sendable(facts.fitted(bare)):  # "The X" begins other names as well
        asked.append(f"The {bare}")
    fitted = [facts.fitted(text) for text in asked]
    proves = all(facts.is_sendable(text) for text in fitted[:2])
    if not proves:
        fitted += _with_form(name, facts)
    terms = [text for text in fitted if facts.is_sendable(text)]
    if not terms or not names.words(base):
        raise _too_short(facts)
    distinct: dict[str, str] = {}
    for text in terms:
        distinct.setdefault(text.casefold(), text)  # the name as it was given first: what comes last may not be asked
    plan = SearchPlan(tuple(distinct.values())[: facts.most_terms], proves, len(distinct) > facts.most_terms)
    return replace(plan, wider=_wider(bare, plan.terms, facts)) if proves else plan


def _wider(bare: str, asked: tuple[str, ...], facts: NameSearch) -> Widening:
    """The wider terms as they may be sent, without what is asked for anyway."""
    known = {"", *(text.casefold() for text in asked)}
    fitted = [facts.fitted(text) for text in widen(bare, facts.mode).terms]
    return Widening(*("" if text.casefold() in known or not facts.is_sendable(text) else text for text in fitted))


def _with_form(name: str, facts: NameSearch) -> list[str]:
    """The whole name, and the same without its article; never only words the search does not look at."""
    whole = " ".join(name.split())
    if names.without_suffix(whole) == whole:
        return []
    every = [whole, _ARTICLE.sub("", whole)]
    own = [facts.fitted(names.without_suffix(text)) for text in every]
    return [facts.fitted(text) for text, left in zip(every, own, strict=True) if names.words(left)]


def _too_short(facts: NameSearch) -> QueryRefused:
    if facts.shortest > 1:
        return QueryRefused(Refusal.NAME_TOO_SHORT, shortest=facts.shortest)
    return QueryRefused(Refusal.NO_WORD_SEARCHED)
