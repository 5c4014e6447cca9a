"""A customer's question in one canonical form, so that equal questions share one fetch and one stored answer."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from scrapers import numbers
from scrapers.normalize import names
from scrapers.records import Kind, Party, Query
from scrapers.search.question import APOSTROPHES

# Signs that comparing names and asking for a person's liens read: "Smith, John" is no "Smith John".
_TELLING_SIGN = re.compile(r"[,()\[\]]|\s[-\u2013]\s")
IDENTIFIERS = "identifiers"  # what may be included: the numbers that other registers give the company


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of one registry. `name` is None only when `entity_id` is given; `state` is an upper-case code.

    `from_copy` has a name check read the loaded copy of the state's bulk data, because the caller asked for it.
    `include` is what the caller wants beside the answer, of other sources: the registry is asked the same.
    """

    state: str
    name: str | None = None
    entity_id: str | None = None
    kind: Kind | Literal["name_check"] = "business_entity"
    search_by: Party = "debtor"
    date_after: date | None = None
    date_before: date | None = None
    from_copy: bool = False
    include: tuple[str, ...] = ()

    @property
    def is_name_check(self) -> bool:
        """Whether a verdict is asked for instead of a record: is this name free?"""
        return self.kind == "name_check"

    @property
    def may_wait(self) -> bool:
        """Whether it may be answered later; whoever chooses a name waits for the verdict."""
        return not self.is_name_check

    @property
    def title(self) -> str:
        """The question in a statement of account."""
        return f"{self.state} name check {self.words}" if self.is_name_check else f"{self.state} {self.words}"

    @property
    def words(self) -> str:
        """The question as a person would read it in a list, at most 200 characters."""
        return (self.entity_id or self.name or "")[:200]

    @property
    def digest(self) -> str:
        """SHA-256 of what is asked, without its spelling: "Acme, L.L.C." and "ACME LLC" are one question.

        A name check keeps the spelling, of which the verdict speaks.
        """
        if self.is_name_check:
            parts = ["name_check", self.name or "", str(self.from_copy)]
        elif self.kind == "ucc":
            parts = ["ucc", self.search_by, _name_key(self.name or ""), str(self.date_after), str(self.date_before)]
        elif self.entity_id and not self.name:
            return id_digest(self.state, self.entity_id)
        elif self.entity_id:  # the answer says how the name agrees with the identifier
            parts = ["id", numbers.read(self.entity_id, state=self.state), _name_key(self.name or "")]
        else:
            parts = ["name", _name_key(self.name or "")]
        return _sha256(parts)

    @property
    def spelled(self) -> str:
        """SHA-256 of what is asked in its very words, however the legal form is written.

        Of two companies whose names are alike ("Foxes LLC", "The Foxes LLC") the very words choose.
        """
        return _sha256([self.digest, to_searched(self.name or "")])

    @property
    def sameness(self) -> tuple[str, str, str]:
        """Alike for two that are asked once when they come together."""
        return self.state, self.kind, self.spelled

    def to_query(self) -> Query:
        """The same question for the portals: letters and their accents in one, as registries write them."""
        return Query(
            state=self.state,
            name=unicodedata.normalize("NFC", self.name) if self.name is not None else None,
            entity_id=self.entity_id,
            kind="ucc" if self.kind == "ucc" else "business_entity",
            search_by=self.search_by,
            date_after=self.date_after,
            date_before=self.date_before,
        )

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a row."""
        return {
            "state": self.state,
            "name": self.name,
            "entity_id": self.entity_id,
            "kind": self.kind,
            "search_by": self.search_by,
            "date_after": self.date_after.isoformat() if self.date_after else None,
            "date_before": self.date_before.isoformat() if self.date_before else None,
            "from_copy": self.from_copy,
            **({"include": list(self.include)} if self.include else {}),
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Question:
        """The question as it was kept."""
        days = {name: date.fromisoformat(kept[name]) if kept[name] else None for name in ("date_after", "date_before")}
        return cls(**{**kept, **days, "include": tuple(kept.get("include", ()))})


def id_digest(state: str, entity_id: str) -> str:
    """The digest of a question for a state's own identifier, however it is written: with its zeros and without."""
    return _sha256(["id", numbers.read(entity_id, state=state)])


def to_searched(name: str) -> str:
    """The words that a registry is asked for. Signs and accents are theirs: "Cafe" need not list what begins "Café"."""
    asked = names.without_suffix(name.translate(APOSTROPHES))  # a curly one, as phones write it, is asked for plain
    return " ".join(unicodedata.normalize("NFC", asked).casefold().split())


def _name_key(name: str) -> str:
    """Everything that comparing looks at, of the name and of a trading name in it: equal names get equal answers."""
    forms = [names.form(part) for part in names.trading_names(name)]
    if not all(form.key for form in forms):
        return f"={name.strip().casefold()}"  # nothing but signs: as written it is at least no other name
    found = [f"{one.key}|{one.legal_form}|{one.letters}|{one.origin}" for one in forms]
    found += [f"of {one.origin}" for one in forms if one.of_origin] + [one.kind for one in forms if one.kind]
    written = " ".join(names.without_suffix(name).casefold().split())
    if _TELLING_SIGN.search(written) or names.FORM_WITHOUT_SIGNS.search(name):
        found.append(written)
    return "\x1e".join(found)


def _sha256(parts: list[str]) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
