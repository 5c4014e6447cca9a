"""One question of a held-out set, with the answer that is right by the way it was made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Right = Literal["found", "nobody", "unclear"]


@dataclass(frozen=True, slots=True)
class Question:
    """A name that is asked for.

    `right`: the one company (`found`), nobody because it is not registered (`nobody`), or nobody because several are
    meant alike (`unclear`). `target`: its place among the companies. `hidden`: places of companies that are taken out
    of the registry for this question. `beside`: places that are in the list whatever it was listed for.
    """

    asked: str
    right: Right
    habit: str
    target: int | None = None
    hidden: frozenset[int] = frozenset()
    beside: tuple[int, ...] = field(default=())


def fingerprint(questions: Iterable[Question]) -> str:
    """Tells whether a set is still the one that was judged, without a name of it being kept."""
    digest = hashlib.sha256()
    for one in questions:
        text = "\t".join((one.asked, one.right, one.habit, str(one.target), repr(sorted(one.hidden)), repr(one.beside)))
        digest.update(f"{text}\n".encode())
    return digest.hexdigest()[:16]
