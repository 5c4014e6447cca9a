"""What an answer says, whatever its spelling: days, case, accents, markup; and whether it says "nothing there"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_AMERICAN = re.compile(rf"\b{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b")
_BRITISH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? (\d{{4}})\b")
_MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)t\d\d:\d\d[\d:.]*(?:z|[+-]\d\d:\d\d)?")
_SLASHED = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_SIGNS = str.maketrans("\u2019\u2018\u201c\u201d\u2011\u2013\u2014", "''\"\"---", "*`")

NOTHING = re.compile(
    r"\bno such\b|\bno (?:compan|entit|business|registration|filings?|liens?|match|records?)\w*\b"
    r"(?! (?:information|data|search|index|result))"
    r"(?: \w+){0,5}? (?:exists?|was|were|is|are|found|of|by|on|under|named|with|for)\b"
    r"|\b(?:does|do|did)(?:n't| not) exist\b|\bnonexistent\b|\bnever existed\b"
    r"|\b(?:is|was|were|are)(?:n't| not) (?:registered|found|on (?:the )?(?:register|registry|file))\b"
    r"|\bnot found\b|\b(?:could|can|did|does)(?:n't|not| not) (?:be )?(?:find|found|locate)\b"
    r"|\bthere (?:is|are|was|were) no (?:such|compan|entit|business|registration|lien|filing|record|match)"
    r"|\bhas no (?:record|registration|such|compan|lien|filing)"
)
UNSURE = re.compile(
    r"\b(?:not mean|n't mean|whether|unknown|unclear|rather than|instead of|not that|not because|says nothing)\b"
    r"|\b(?:nothing is|not|isn't) (?:known|clear)\b|\b(?:does not|doesn't) say\b|\bruled? out\b"
    r"|\b(?:cannot|can't|can not|could not|couldn't) "
    r"(?:say|tell|know|confirm|conclude|determine|verify|be (?:taken|read))\b"
    r"|\bnot the same\b|\bis not an? (?:answer|'|\")"
)
FOUND_OUT = re.compile(
    r"\bsbu?-[a-z]{2}-[\d-]*\d\b|\b(?:lk|nc|job|bulk|watch)_[0-9a-f]{32}\b|\b[0-9a-f]{64}\b|\b\d{4}-\d{2}-\d{2}\b"
)


def plain(text: str) -> str:
    """In small letters without accents and markup; every day as 2011-03-14."""
    text = unicodedata.normalize("NFKD", text.translate(_SIGNS))
    text = "".join(sign for sign in text if not unicodedata.combining(sign)).casefold()
    text = re.sub(r"\s+", " ", text).strip()
    text = _MOMENT.sub(r"\1", text)
    text = _AMERICAN.sub(lambda found: _day(found[3], found[1], found[2]), text)
    text = _BRITISH.sub(lambda found: _day(found[3], found[2], found[1]), text)
    return _SLASHED.sub(lambda found: f"{found[3]}-{int(found[1]):02}-{int(found[2]):02}", text)


def holds(text: str, fact: str) -> bool:
    """Whether a fact stands in a text, whatever the punctuation."""
    return f" {_words(fact)} " in f" {_words(text)} "


def claims_nothing(text: str) -> bool:
    """Whether a sentence says that something is not there, and not that this is unknown."""
    return any(NOTHING.search(one) for one in list_claims(text))


def list_claims(text: str) -> list[str]:
    """Its sentences, and their parts after "so" and "but", less those that say that something is not known."""
    sentences = (plain(one) for one in re.split(r"(?<=[.!?;])\s+|\n|, (?=(?:so|but|and|yet|though)\b)", text))
    return [one for one in sentences if one and not UNSURE.search(one)]


def list_found_out(text: str) -> Iterator[str]:
    """Numbers, ids, hashes and days in a text: nobody knows those by himself."""
    return (found[0] for found in FOUND_OUT.finditer(plain(text)))


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", plain(text)))


def _day(year: str, month: str, day: str) -> str:
    return f"{year}-{MONTHS.index(month[:3]) + 1:02}-{int(day):02}"
