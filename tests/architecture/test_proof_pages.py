"""Pages that tell what is proven name tests that exist, for every point and for every line below it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

ROOT: Path = settings.BASE_DIR
PAGES = [*sorted((ROOT / "docs").glob("*-proof.md")), ROOT / "docs" / "truth.md"]
POINTS = {"contract-proof.md": 16, "doors-proof.md": 4, "money-proof.md": 19, "people-proof.md": 8, "truth.md": 36}


@cache
def list_tests(path: str) -> frozenset[str]:
    """The tests of a file, as `test`, `Class` or `Class::test`."""
    if not (ROOT / path).is_file():
        return frozenset()
    found = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{own.name}" for own in node.body if is_test(own)} | {node.name}
        found |= {node.name} if isinstance(node, ast.FunctionDef) and is_test(node) else set()
    return frozenset(name for name in found if name.startswith(("Test", "test_")))


def is_test(node: ast.stmt) -> bool:
    """Whether pytest runs it."""
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def list_points(page: str) -> dict[int, list[str]]:
    """The lines that begin with a dash below each numbered point."""
    points = re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |^## |\Z)", page, re.MULTILINE | re.DOTALL)
    return {int(number): re.split(r"^ +- ", text, flags=re.MULTILINE)[1:] for number, text in points}


def list_missing(text: str) -> list[str]:
    """What a line names that is no test here; the line itself when it names none."""
    named = re.findall(r"`(tests/[^`]*)`", text)
    return [one for one in named if not is_there(one)] or ([] if named else [text])


def is_there(name: str) -> bool:
    """Whether a test or a golden case has this name."""
    path, _, test = name.partition("::")
    return test in list_tests(path) or (name.startswith("tests/golden/") and (ROOT / name / "case.json").is_file())


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
class TestAPageOfProofs:
    """docs/*-proof.md and docs/truth.md."""

    def test_has_every_point(self, page: Path) -> None:
        points = list_points(page.read_text(encoding="utf-8"))
        assert list(points) == list(range(1, POINTS[page.name] + 1))
        assert [number for number, lines in points.items() if not lines] == []

    def test_names_tests_that_exist_in_every_line(self, page: Path) -> None:
        points = list_points(page.read_text(encoding="utf-8"))
        assert [one for lines in points.values() for line in lines for one in list_missing(line)] == []

    def test_is_led_to(self, page: Path) -> None:
        others = [one for one in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")) if one != page]
        assert any(f"{page.name})" in one.read_text(encoding="utf-8") for one in others)


class TestAPageThatIsWrong:
    """Is noticed."""

    @pytest.mark.parametrize(
        "name",
        [
            "tests/architecture/test_gone.py::TestAPageOfProofs",
            "tests/architecture/test_proof_pages.py::TestGone",
            "tests/architecture/test_proof_pages.py::TestAPageOfProofs::test_gone",
            "tests/architecture/test_proof_pages.py::list_tests",
            "tests/architecture/test_proof_pages.py",
            "tests/golden/WY/gone",
            "tests/golden/WY",
        ],
    )
    def test_by_a_test_that_is_not_there(self, name: str) -> None:
        right = "tests/architecture/test_proof_pages.py::TestAPageOfProofs::test_has_every_point"
        assert list_missing(f"a fault: `{right}`, `{name}`") == [name]
        assert list_missing(f"a fault: `{right}`, `tests/golden/WY/active`") == []

    def test_by_a_line_without_any(self) -> None:
        assert list_missing("a fault that nothing shows") == ["a fault that nothing shows"]

    def test_by_a_point_that_is_left_out(self) -> None:
        assert list(list_points("# Page\n\n1. One\n   - `a`\n3. Three\n   - `b`\n")) == [1, 3]
        assert list_points("1. One\n   - first,\n     and more\n   - second\n") == {
            1: ["first,\n     and more\n", "second\n"]
        }
