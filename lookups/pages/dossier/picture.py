"""The picture that stands for a record where its address is shared: mark, name, status, state, day. Drawn, never kept.

The font comes with the drawing library, and has the letters of English alone: others lose their accents.
A sign that it lacks becomes a neutral one: an empty box would look like a broken picture, and some turn a line around.
"""

from __future__ import annotations

import io
import unicodedata
from bisect import bisect_right
from functools import cache
from typing import Final, TypeAlias

from PIL import Image, ImageDraw, ImageFont

from lookups.pages.dossier.record.headline import Kind

SIZE: Final = (1200, 630)
_EDGE, _WIDTH = 72, 1200 - 2 * 72
_PAPER, _INK, _MUTED, _ACCENT, _LINE = "#fbfbf9", "#171a19", "#5a625f", "#0b5d4b", "#e3e4de"
_TAG: Final[dict[Kind, tuple[str, str]]] = {
    "good": ("#1b6e3c", "#e4f3e9"),
    "warn": ("#7a5200", "#fbf0d5"),
    "bad": ("#a3262b", "#fbe7e7"),
    "neutral": ("#4a5457", "#ecefef"),
}
Font: TypeAlias = ImageFont.FreeTypeFont | ImageFont.ImageFont
_NEUTRAL = "·"
_ABSENT = "\U000e0fff"  # no font has it: what is drawn for it is drawn for all that are missing
_MOST_SIGNS = 200  # of one text, before it is measured


def draw(*, name: str, status: str, kind: Kind, is_old: bool, place: str, read: str) -> bytes:
    """The picture as PNG."""
    image = Image.new("RGB", SIZE, _PAPER)
    pen = ImageDraw.Draw(image)
    _draw_mark(pen)
    pen.text((_EDGE + 76, 84), "SOS Lookup", font=_font(34), fill=_INK, anchor="lm")
    lines, size = _fit(legible(name))
    top = 170
    for line in lines:
        pen.text((_EDGE, top), line, font=_font(size), fill=_INK)
        top += round(size * 1.2)
    _draw_tag(pen, _cut(legible(status), _font(34), _WIDTH - 60), kind, is_old=is_old, top=max(top + 24, 400))
    pen.line((_EDGE, 510, SIZE[0] - _EDGE, 510), fill=_LINE, width=2)
    pen.text((_EDGE, 558), _cut(legible(place), _font(32), 560), font=_font(32), fill=_INK, anchor="lm")
    pen.text((SIZE[0] - _EDGE, 558), _cut(legible(read), _font(28), 480), font=_font(28), fill=_MUTED, anchor="rm")
    written = io.BytesIO()
    image.quantize(64).save(written, "PNG", optimize=True)
    return written.getvalue()


def legible(text: str) -> str:
    """The text in signs that can be drawn, on one line."""
    plain = unicodedata.normalize("NFC", " ".join(text.split()))[:_MOST_SIGNS]
    signs = [_sign(one) for one in plain if unicodedata.category(one) not in ("Cf", "Cc", "Cs", "Mn", "Me")]
    return "".join(signs).strip() or _NEUTRAL


@cache
def _font(size: int) -> Font:
    return ImageFont.load_default(size)


def _sign(sign: str) -> str:
    """The sign, or the letter without what the font cannot put on it, or the neutral one."""
    for drawn in (sign, unicodedata.normalize("NFKD", sign)[0]):
        if drawn == " " or _is_drawn(ord(drawn)):
            return drawn
    return _NEUTRAL


def _is_drawn(code: int) -> bool:
    return code < 0x2100 and _shape(chr(code)) != _shape(_ABSENT)  # a bound, so that few shapes are remembered


@cache
def _shape(sign: str) -> bytes:
    mask = _font(24).getmask(sign)
    return bytes(mask) + bytes(str(mask.size), "ascii")


def _fit(name: str) -> tuple[list[str], int]:
    """The name in at most three lines, as large as they allow; what is longer ends in three dots."""
    for size in (76, 60, 48):
        lines = _break(name, _font(size))
        if len(lines) <= (2 if size > 60 else 3):
            return lines, size
    font = _font(48)
    return [*lines[:2], _cut(" ".join(lines[2:]), font, _WIDTH)], 48


def _break(text: str, font: Font) -> list[str]:
    lines = [""]
    for word in text.split():
        pieces = [word]
        while font.getlength(pieces[-1]) > _WIDTH:
            whole = pieces.pop()
            fitting = _fitting(whole, font, _WIDTH)
            pieces += [whole[:fitting], whole[fitting:]]
        for piece in pieces:
            longer = f"{lines[-1]} {piece}".strip()
            lines = [*lines[:-1], longer] if font.getlength(longer) <= _WIDTH else [*lines, piece]
    return lines


def _cut(text: str, font: Font, width: int) -> str:
    if font.getlength(text) <= width:
        return text
    return f"{text[: _fitting(text, font, width - font.getlength('...'))].rstrip()}..."


def _fitting(text: str, font: Font, width: float) -> int:
    """How many of its signs fit into the width; at least one."""
    return max(1, bisect_right(range(1, len(text)), width, key=lambda end: font.getlength(text[:end])))


def _draw_mark(pen: ImageDraw.ImageDraw) -> None:
    """The ring, and the tick that is also an L, as in templates/parts/mark.html, 24 units to 60."""
    pen.ellipse((_EDGE, 54, _EDGE + 58, 112), outline=_ACCENT, width=6)
    pen.line(
        [(_EDGE + 21, 72), (_EDGE + 21, 95), (_EDGE + 41, 82)],
        fill=_ACCENT,
        width=6,
        joint="curve",
    )


def _draw_tag(pen: ImageDraw.ImageDraw, word: str, kind: Kind, *, is_old: bool, top: int) -> None:
    ink, fill = _TAG[kind]
    width = round(pen.textlength(word, font=_font(34))) + 56
    box = (_EDGE, top, _EDGE + width, top + 62)
    pen.rounded_rectangle(box, radius=31, fill=None if is_old else fill, outline=ink if is_old else None, width=3)
    pen.text((_EDGE + 28, top + 31), word, font=_font(34), fill=ink, anchor="lm")
