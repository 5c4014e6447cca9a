"""Every error code as the page of errors explains it: what it means, with which status it comes, and an example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from django.utils.safestring import SafeString

from lookups.api.schema.document import read
from lookups.api.wire.words import CODES, OUTCOME_REASONS, REASONS
from lookups.pages.docs import contents, markdown
from lookups.pages.docs.reference import operations, shapes
from lookups.pages.docs.reference.operations import Shown
from lookups.pages.docs.reference.shapes import Table


@dataclass(frozen=True, slots=True)
class Code:
    """One error code. `statuses` are those of the document's examples."""

    word: str
    about: SafeString
    statuses: tuple[tuple[int, str], ...]
    examples: tuple[Shown, ...]


@lru_cache(maxsize=1)
def list_codes() -> list[Code]:
    """Every code, as the table of the wire has them."""
    seen: dict[str, dict[int, dict[str, Any]]] = {}
    for status, body in _examples():
        seen.setdefault(body["code"], {}).setdefault(status, body)
    return [_describe(word, about, seen.get(word, {})) for word, about in CODES.items()]


def list_reasons() -> list[tuple[str, SafeString]]:
    """Why a registry could not be asked: (word, what it means)."""
    return [(word, markdown.render_inline(about)) for word, about in REASONS.items()]


def list_other_reasons() -> list[tuple[str, SafeString]]:
    """Why a question is not taken, or ended here."""
    return [(word, markdown.render_inline(about)) for word, about in OUTCOME_REASONS.items() if word not in REASONS]


@lru_cache(maxsize=1)
def list_bodies() -> list[Table]:
    """What errors hold."""
    named = [{"$ref": f"#/components/schemas/{name}"} for name in shapes.error_names()]
    return shapes.list_tables(named, page=contents.ERRORS.url)


def _describe(word: str, about: str, seen: dict[int, dict[str, Any]]) -> Code:
    return Code(
        word=word,
        about=markdown.render_inline(about),
        statuses=tuple((status, HTTPStatus(status).phrase) for status in sorted(seen)),
        examples=tuple(
            operations.show_json(body, name=f"body-{word}-{status}", title=f"{word}, {status}")
            for status, body in seen.items()
        ),
    )


def _examples() -> Iterator[tuple[int, dict[str, Any]]]:
    """Every example of an error in the document, with its status."""
    for listed in read()["paths"].values():
        for operation in listed.values():
            for status, reply in operation["responses"].items():
                for content in reply.get("content", {}).values():
                    for example in content.get("examples", {}).values():
                        if isinstance(example["value"], dict) and "code" in example["value"]:
                            yield int(status), example["value"]
