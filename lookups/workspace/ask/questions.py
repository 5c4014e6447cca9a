"""What somebody writes into the form, read by the rules of the API: what is wrong is said beside its field."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lookups.api.errors import ApiError
from lookups.api.requests.serializers import LookupRequest, NameRequest, read
from lookups.api.views.bulk import read_rows
from lookups.api.views.lookup import to_question
from lookups.bulk.bulk_jobs import Wanted
from lookups.bulk.input import EVERYWHERE
from lookups.lookup.questions import IDENTIFIERS, Question

KINDS = {"company": "Company", "liens": "Liens (UCC)", "name": "Is this name free?"}
COLUMN_KINDS = {"company": "business_entity", "liens": "ucc", "name": "name_check"}
_API_WORDS = {kept: word for word, kept in COLUMN_KINDS.items()}  # in addresses of other pages
_WORD = re.compile(r"[0-9a-f]{32}")
_FIELDS = {"entity_name": "name", "searchType": "kind", "searchBy": "party"}  # where a form calls it otherwise
_LONGEST = 1000  # characters of a field; what the rules allow is far less, and they say so
TOO_LONG = f"This is too long: its first {_LONGEST:,} characters are left."


class MarkedName(NameRequest):
    """A name check with a reference, as a lookup may have one."""

    ref = LookupRequest._declared_fields["ref"]


class Wrong(Exception):
    """The question cannot be asked like this; `texts` says why, by the form's field; `asked`: what is left of it."""

    def __init__(self, texts: dict[str, list[str]], asked: Asked | None = None) -> None:
        super().__init__(str(texts))
        self.texts, self.asked = texts, asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The form as it was filled in. `word` is its own: sent twice, it is one question and paid for once."""

    name: str = ""
    state: str = ""
    kind: str = "company"
    entity_id: str = ""
    party: str = ""
    ref: str = ""
    from_copy: bool = False
    identifiers: bool = False
    word: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def is_everywhere(self) -> bool:
        """Whether all states are asked."""
        return self.state == EVERYWHERE

    @property
    def mark(self) -> str:
        """What makes two sendings one question: the form's word, and what stands in it."""
        rest = [self.name, self.state, self.kind, self.entity_id, self.party, self.ref, self.from_copy]
        rest += [IDENTIFIERS] if self.identifiers else []
        return f"page:{self.word}:{hashlib.sha256(json.dumps(rest).encode()).hexdigest()}"

    def to_question(self) -> Question:
        """What is asked of which registry; raises Wrong."""
        if not self.state:
            raise Wrong({"state": ["Choose a state, or anywhere."]})
        if self.kind == "name":
            return self._to_name_check()
        try:
            return to_question(read(LookupRequest, self._to_body()))
        except ApiError as refused:
            raise _wrong(refused.details) from None

    def list_everywhere(self, *, sandbox: bool) -> list[Wanted]:
        """The question to every state that can be asked; raises Wrong."""
        if self.kind == "name":
            raise Wrong({"state": ["A name is checked in one state: choose it."]})
        if self.entity_id:
            raise Wrong({"entity_id": ["An identifier belongs to one state: choose it."]})
        body = {name: value for name, value in self._to_body().items() if name != "state"}
        try:
            read(LookupRequest, {**body, "state": "DE"})  # the texts by their fields, before any state is looked at
            return read_rows({"entities": [{**body, "states": [EVERYWHERE]}]}, sandbox=sandbox)
        except ApiError as refused:
            if isinstance(refused.details, Mapping):
                raise _wrong(refused.details) from None
            raise Wrong({"state": [one["error"] for one in refused.details or []]}) from None

    def _to_name_check(self) -> Question:
        if self.entity_id:
            raise Wrong({"entity_id": ["A name check takes a name alone."]})
        try:
            asked = read(MarkedName, {"entity_name": self.name, "state": self.state, "ref": self.ref or None})
        except ApiError as refused:
            raise _wrong(refused.details) from None
        return Question(asked["state"], name=asked["entity_name"], kind="name_check", from_copy=self.from_copy)

    def _to_body(self) -> dict[str, Any]:
        liens = self.kind == "liens"
        said: dict[str, Any] = {
            "entity_name": self.name,
            "state": self.state,
            "entity_id": self.entity_id,
            "searchType": COLUMN_KINDS[self.kind],
            "searchBy": self.party if liens else "",
            "ref": self.ref,
            "include": [IDENTIFIERS] if self.identifiers and self.kind == "company" else [],
        }
        return {name: value for name, value in said.items() if value}


def read_form(sent: Mapping[str, Any]) -> Asked:
    """The form as it was sent, or an address that fills it in; raises Wrong for more than any field may hold.

    White space becomes single blanks, as in the API's texts: a reference is kept as it is looked for.
    """
    names = ("name", "state", "entity_id", "party", "ref")
    texts: dict[str, Any] = {name: " ".join(str(sent.get(name, "")).split()) for name in names}
    kind, word = str(sent.get("kind", "")), str(sent.get("word", ""))
    kind = _API_WORDS.get(kind, kind)
    own: dict[str, Any] = {"word": word} if _WORD.fullmatch(word) else {}
    own |= {"from_copy": sent.get("source") == "cache", "identifiers": sent.get(IDENTIFIERS) == "on"}
    own["kind"] = kind if kind in KINDS else "company"
    if too_long := [name for name, text in texts.items() if len(text) > _LONGEST]:
        kept = Asked(**{name: text[:_LONGEST] for name, text in texts.items()}, **own)
        raise Wrong({name: [TOO_LONG] for name in too_long}, kept)
    return Asked(**texts, **own)


def of_question(question: Mapping[str, Any], *, ref: str | None = None) -> dict[str, str]:
    """The fields of a form that would ask this again."""
    fields = {
        "name": question.get("name") or "",
        "state": question.get("state") or "",
        "entity_id": question.get("entity_id") or "",
        "kind": _API_WORDS.get(str(question.get("kind")), "company"),
        "party": question.get("search_by") or "" if question.get("kind") == "ucc" else "",
        "source": "cache" if question.get("from_copy") else "",
        IDENTIFIERS: "on" if IDENTIFIERS in question.get("include", ()) else "",
        "ref": ref or "",
    }
    return {name: value for name, value in fields.items() if value}


def _wrong(details: Any) -> Wrong:
    texts = {_FIELDS.get(name, name): [str(one) for one in several] for name, several in details.items()}
    return Wrong({("name" if name == "non_field_errors" else name): several for name, several in texts.items()})
