"""Code with a few classes for its colors. Pygments reads the language; which of its kinds of words we color is ours.

Its own formatter would wrap every bracket and blank, and make a page three times as large.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Number, String, _TokenType

LANGUAGES = {"sh": "bash", "python": "python", "js": "javascript", "json": "json"}
NAMES = {"sh": "curl", "python": "Python", "js": "JavaScript"}
"""What readers call the languages that they choose from, by the first word behind a fence."""

_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "hc"),
    (Keyword, "hk"),
    (String, "hs"),
    (Number, "hn"),
)


def color(code: str, language: str) -> SafeString:
    """The code as HTML: escaped, with spans around what has a color. A language that is not ours stays plain."""
    code = code.rstrip("\n")
    if language not in LANGUAGES:
        return mark_safe(escape(code))  # noqa: S308  (escaped here)
    return mark_safe("".join(_spans(code, LANGUAGES[language])))  # noqa: S308  (each text is escaped)


def _spans(code: str, lexer: str) -> Iterator[str]:
    tokens = get_lexer_by_name(lexer, stripnl=False, ensurenl=False).get_tokens(code)
    for name, run in groupby(((_class_of(kind), text) for kind, text in tokens), key=lambda one: one[0]):
        text = escape("".join(part for _, part in run))
        yield f'<span class="{name}">{text}</span>' if name else text


def _class_of(kind: _TokenType) -> str:
    return next((name for known, name in _CLASSES if kind in known), "")
