"""What is hashed and signed is written as RFC 8785 says, whoever writes it: the library, or Python's encoder for it."""

from __future__ import annotations

import enum
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from jurisdictions import canonical

ASCII = st.text(st.characters(max_codepoint=0x7F))
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | ASCII | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(ASCII | st.text(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


class Word(enum.StrEnum):
    """A word that is a text and more."""

    FOUND = "found"


@given(VALUES)
@example({"b": 1, "a": [True, None, {"": '\x00\x1f\x7f"\\/\b\f\n\r\t'}]})
@example({"\U0001f600": 1, "\uffee": 2})  # by characters they stand the other way round
@example([1e22, 1e16, 1e-4, 0.97, 1e-7, 9.5e-5, 1.0, -0.0, 2**53 - 1, 2.0**53])
@example(2.0**53)  # a whole number, and larger than an integer may be
@example({"verdict": Word.FOUND})
def test_every_value_has_the_form_of_the_standard(value: Any) -> None:
    """The library's own answer, be it a text or a refusal."""
    try:
        wanted = rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as refused:
        with pytest.raises(type(refused)):
            canonical.to_bytes(value)
    else:
        assert canonical.to_bytes(value) == wanted


@pytest.mark.parametrize("value", [{1: "x"}, {None: 1}, [float("nan")], [2**53], {"at": object()}, "\ud800"])
def test_what_has_no_form_is_refused(value: Any) -> None:
    """Nothing is signed that two readers of JSON would take for two things."""
    with pytest.raises(rfc8785.CanonicalizationError):
        canonical.to_bytes(value)
