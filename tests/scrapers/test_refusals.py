"""A question that is not taken is kept as a word and its values, from which everybody reads the same sentence."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from django.conf import settings

from lookups.bodies import WIRE_FIELDS
from scrapers.failures import Failure
from scrapers.refusals import QueryRefused, Refusal, find_refusal, write_sentence

ROOT: Path = settings.BASE_DIR


def named_in(refusal: Refusal) -> set[str]:
    """The values that its sentence names."""
    return {name for _, name, _, _ in Formatter().parse(refusal.facts.sentence) if name}


def raised(source: str) -> Iterator[tuple[set[str], set[str]]]:
    """Each `QueryRefused(…)` of a module: the refusals that its first argument names, and the names of its values."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QueryRefused":
            parts = [part for part in ast.walk(node.args[0]) if isinstance(part, ast.Attribute)]
            yield {part.attr for part in parts} & set(Refusal.__members__), {one.arg or "**" for one in node.keywords}


def is_of_the_list(refusals: set[str], values: set[str]) -> bool:
    """Whether a refusal is named, and each that is has just these values."""
    return bool(refusals) and all(named_in(Refusal[name]) == values for name in refusals)


@pytest.mark.parametrize("refusal", Refusal, ids=str)
class TestARefusal:
    def test_is_found_by_its_word(self, refusal: Refusal) -> None:
        assert find_refusal(refusal.value) is refusal
        assert refusal.value == refusal.name.lower()
        assert len(refusal.value) <= 32, "it is kept in a column"

    def test_is_about_a_field_that_callers_know(self, refusal: Refusal) -> None:
        assert refusal.facts.field in WIRE_FIELDS

    def test_is_told_in_a_sentence_that_its_word_and_values_make_again(self, refusal: Refusal) -> None:
        error = QueryRefused(refusal, **dict.fromkeys(named_in(refusal), "X"))
        kept = json.loads(json.dumps({"word": error.refusal, "values": error.values}))
        assert write_sentence(kept["word"], kept["values"]) == error.sentence == error.detail
        assert "{" not in error.sentence
        assert error.sentence[0].isupper() or error.sentence[0] == "'"
        assert error.sentence.endswith((".", "X"))

    def test_ends_an_attempt_as_refused(self, refusal: Refusal) -> None:
        error = QueryRefused(refusal, **dict.fromkeys(named_in(refusal), "X"))
        assert (error.reason, error.retryable, error.retry_after) == (Failure.REFUSED, False, None)


class TestASentence:
    def test_names_its_values(self) -> None:
        assert "at least 3 characters" in write_sentence("name_too_short", {"shortest": 3})
        assert write_sentence("not_an_identifier", {"entity_id": "{12}"}).startswith("'{12}' cannot be")

    def test_of_a_word_that_another_version_kept_is_a_general_one(self) -> None:
        general = Failure.REFUSED.facts.customer
        assert find_refusal("moon_is_full") is None
        assert write_sentence("moon_is_full", {}) == general
        assert write_sentence("name_too_short", {"least": 3}) == general

    def test_that_lacks_a_value_is_noticed_where_it_is_raised(self) -> None:
        with pytest.raises(KeyError):
            QueryRefused(Refusal.NAME_TOO_SHORT)


class TestWhoeverRefuses:
    """Says so by a word of the list, never in words of its own."""

    def test_names_one_with_its_values(self) -> None:
        found = [
            (f"{path.relative_to(ROOT)}", refusals, values)
            for path in sorted((ROOT / "scrapers").rglob("*.py"))
            for refusals, values in raised(path.read_text(encoding="utf-8"))
        ]
        assert len(found) >= 12
        assert [one for one in found if not is_of_the_list(*one[1:])] == []

    @pytest.mark.parametrize(
        "call",
        ['QueryRefused("too short")', "QueryRefused(Refusal.NAME_TOO_SHORT)", "QueryRefused(Refusal.NO_UCC, x=1)"],
    )
    def test_is_noticed_when_it_does_not(self, call: str) -> None:
        assert [is_of_the_list(*one) for one in raised(call)] == [False]
