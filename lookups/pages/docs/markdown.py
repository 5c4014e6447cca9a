"""Markdown into HTML of ours. What a document holds is never trusted with markup: HTML in it is shown as text.

Headings get the anchors that GitHub gives them, tables name their columns in every cell (on a phone they are cards),
blocks of the same example in several languages stand together, and links between documents lead to pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from lookups.pages.docs import highlighting

Resolve = Callable[[str], str | None]
"""Where a link of a document leads; None: to nothing that is shown, so its words stay without a link."""

_SIGNS = re.compile(r"[^\w\- ]")
_OUTSIDE = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text below it, up to the next one. `level` is 1 for the page itself."""

    level: int
    title: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A document without its title, which the page shows by itself."""

    title: str
    html: SafeString
    sections: tuple[Section, ...]


@dataclass(slots=True)
class _Open:
    level: int
    title: str
    anchor: str
    words: list[str] = field(default_factory=list)

    def close(self) -> Section:
        return Section(self.level, self.title, self.anchor, " ".join(self.words))


def render(text: str, *, resolve: Resolve = str) -> Rendered:
    """A whole document. Its first heading becomes the title."""
    tokens = _parser().parse(text)
    sections = _mark_headings(tokens)
    title = sections[0].title
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        del tokens[:3]
    _lead_links(tokens, resolve)
    _name_cells(tokens)
    html = _parser().renderer.render(_gather_samples(tokens), _parser().options, {})
    return Rendered(title, mark_safe(html), tuple(sections))  # noqa: S308  (the parser takes no HTML)


def render_inline(text: str) -> SafeString:
    """A sentence with `code` and links; nothing else."""
    return mark_safe(str(_parser().renderInline(" ".join(text.split()))))  # noqa: S308  (the parser takes no HTML)


def show_code(code: str, language: str, *, name: str, label: str) -> SafeString:
    """A block of code with its button."""
    content = {"code": highlighting.color(code, language), "id": name, "label": label}
    block: SafeString = render_to_string("parts/code.html", content)
    return block


def plain(text: str) -> str:
    """Markdown as words alone."""
    return _words(_parser().parseInline(text))


def anchor_of(title: str) -> str:
    """What GitHub calls a heading."""
    return _SIGNS.sub("", title.strip().lower()).replace(" ", "-")


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule(
        "table_open",
        lambda *_: '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="cards">\n',
    )
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    parser.add_render_rule("td_open", _cell_open)
    parser.add_render_rule("td_close", lambda *_: "</div></td>")
    parser.add_render_rule("heading_close", _heading_close)
    parser.add_render_rule("samples_open", lambda *_: '<div class="samples">')
    parser.add_render_rule("samples_close", lambda *_: "</div>\n")
    return parser


def _mark_headings(tokens: Sequence[Token]) -> list[Section]:
    """Give each heading its anchor, and collect what stands below it."""
    sections = [_Open(1, "", "")]
    used: dict[str, int] = {}
    heading: Token | None = None
    for token in tokens:
        if token.type == "heading_open":
            heading = token
        elif heading is not None:
            title = _words([token])
            anchor = anchor_of(title)
            used[anchor] = used.get(anchor, -1) + 1
            anchor += f"-{used[anchor]}" if used[anchor] else ""
            if heading.tag == "h1" and not sections[0].title:
                sections[0].title = title
            else:
                heading.attrSet("id", anchor)
                sections.append(_Open(int(heading.tag[1]), title, anchor))
            heading = None
        elif token.type == "inline":
            sections[-1].words.append(_words([token]))
    return [one.close() for one in sections]


def _words(tokens: Sequence[Token]) -> str:
    """The text of inline tokens, without their marks."""
    found = []
    for token in tokens:
        if token.children:
            found.append(_words(token.children))
        elif token.type in ("text", "code_inline"):
            found.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            found.append(" ")
    return "".join(found)


def _lead_links(tokens: Sequence[Token], resolve: Resolve) -> None:
    """Have every link lead to where its document is shown; what leads to nothing keeps its words."""
    for token in tokens:
        kept: list[Token] = []
        dropped = False
        for child in token.children or []:
            if child.type == "image":
                child = _show_picture(child, resolve)
            elif child.type == "link_open":
                href = str(child.attrGet("href") or "")
                target = resolve(href)
                dropped = target is None
                if target is not None:
                    child.attrSet("href", target)
                    if target.startswith(_OUTSIDE):
                        child.attrSet("rel", "nofollow noopener")
            if not (dropped and child.type in ("link_open", "link_close")):
                kept.append(child)
        if token.children:
            token.children = kept


def _show_picture(image: Token, resolve: Resolve) -> Token:
    """A picture of ours, fetched when it is scrolled to; any other is its words."""
    target = resolve(str(image.attrGet("src") or "")) or ""
    if not target.startswith("/") or target.startswith("//"):
        return Token("text", "", 0, content=image.content)
    image.attrs = {"src": target, "alt": "", "loading": "lazy"}
    return image


def _name_cells(tokens: list[Token]) -> None:
    """Every cell of a table names its column, for the form that tables have on a phone."""
    columns: list[str] = []
    at = 0
    for token, inner in zip(tokens, [*tokens[1:], Token("end", "", 0)], strict=True):
        if token.type == "table_open":
            columns = []
        elif token.type == "tr_open":
            at = 0
        elif token.type == "th_open":
            columns.append(_words([inner]))
            token.attrs = {"scope": "col"}
            if not columns[-1]:  # a corner, not a heading
                token.tag, token.attrs = "td", {}
        elif token.type == "th_close" and not columns[-1]:
            token.tag = "td"
        elif token.type == "td_open":
            token.attrs = {"data-label": columns[at]} if columns[at] else {}
            at += 1


def _gather_samples(tokens: list[Token]) -> list[Token]:
    """Put blocks that follow each other and are the same in several languages into one frame."""
    gathered: list[Token] = []
    for run in _runs(tokens):
        languages = [_language(token) for token in run]
        together = len(run) > 1 and len(set(languages)) == len(run)
        for number, token in enumerate(run):
            token.meta["choice"] = together
            token.meta["first"] = number == 0
        gathered += [Token("samples_open", "div", 1), *run, Token("samples_close", "div", -1)] if together else run
    return gathered


def _runs(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Neighboring blocks in languages that readers choose from together, everything else alone."""
    run: list[Token] = []
    for token in tokens:
        if token.type == "fence" and _language(token) in highlighting.NAMES:
            run.append(token)
            continue
        if run:
            yield run
            run = []
        yield [token]
    if run:
        yield run


def _language(token: Token) -> str:
    return (token.info.split() or [""])[0]


def _fence(renderer: object, tokens: Sequence[Token], at: int, options: object, env: dict[str, int]) -> str:
    token = tokens[at]
    language = _language(token)
    env["codes"] = env.get("codes", 0) + 1
    name = highlighting.NAMES.get(language, language.upper() if language == "json" else "")
    block = show_code(token.content, language, name=f"code-{env['codes']}", label=f"{name} example".strip())
    if not token.meta.get("choice"):
        return block
    return f'<div class="sample" data-language="{escape(language)}"><p class="language">{escape(name)}</p>{block}</div>'


def _cell_open(renderer: object, tokens: Sequence[Token], at: int, options: object, env: object) -> str:
    """A cell with its column's name; what is in it stays together beside that name on a phone."""
    label = tokens[at].attrGet("data-label")
    return f'<td data-label="{escape(str(label))}"><div>' if label else "<td><div>"


def _heading_close(renderer: object, tokens: Sequence[Token], at: int, options: object, env: object) -> str:
    start = next(token for token in reversed(tokens[:at]) if token.type == "heading_open")
    anchor = start.attrGet("id")
    if not anchor:
        return f"</{start.tag}>\n"
    about = escape(_words(tokens[at - 1 : at]))
    return f' <a class="anchor" href="#{anchor}" aria-label="Link to: {about}">#</a></{start.tag}>\n'
