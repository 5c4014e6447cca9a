"""House rules that a reader relies on, each with a case that breaks it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

ROOT: Path = settings.BASE_DIR
APPS = ("config", "lookups", "scrapers", "billing", "jurisdictions")
BANNED_NAMES = {"utils", "helpers", "common", "misc", "base", "lib", "core"}
TOP = {
    "manage.py",
    "pyproject.toml",
    "Dockerfile",
    "config",
    "jurisdictions",
    "scrapers",
    "billing",
    "lookups",
    "templates",
    "tests",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "docs",
    "compose.yaml",
}
MODULE_LINES, FUNCTION_LINES = 400, 40


def modules() -> list[Path]:
    """Every module of the apps but migrations."""
    return [
        path
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts and "__pycache__" not in path.parts
    ]


def long_functions(source: str) -> Iterator[tuple[str, int]]:
    """Functions longer than allowed, docstring not counted."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1:
                body = body[1:]
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1
            if length > FUNCTION_LINES:
                yield node.name, length


def names_a_banned_room(path: Path) -> bool:
    """Whether a file or folder is named by what it is not."""
    return any(part.removesuffix(".py") in BANNED_NAMES for part in path.parts)


ENTRY_WRITE = re.compile(r"LedgerEntry(\.objects)?\.?(create|bulk_create|\()|LedgerEntry\(")


def writes_entries(source: str) -> bool:
    """Whether a module creates ledger entries."""
    return bool(ENTRY_WRITE.search(source))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
class TestAModule:
    """One room of the house."""

    def test_is_liveable(self, path: Path) -> None:
        source = path.read_text(encoding="utf-8")
        assert source.count("\n") <= MODULE_LINES
        assert list(long_functions(source)) == []

    def test_is_named_by_what_is_in_it(self, path: Path) -> None:
        assert not names_a_banned_room(path.relative_to(ROOT))

    def test_says_why_it_exists(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if tree.body:
            assert ast.get_docstring(tree), "no docstring"


class TestTheHouse:
    """The rules as a whole."""

    def test_has_nothing_else_at_the_top(self) -> None:
        have = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
        assert have - TOP - {"var"} == set()

    def test_has_one_door_for_money(self) -> None:
        writers = [
            str(path.relative_to(ROOT))
            for path in modules()
            if writes_entries(path.read_text(encoding="utf-8")) and "models" not in path.parts
        ]
        assert writers == ["billing/ledger.py"]

    def test_keeps_environment_variables_on_one_screen(self) -> None:
        readers = [
            str(path.relative_to(ROOT))
            for path in modules()
            if re.search(r"os\.environ(\[|\.get)|getenv", path.read_text(encoding="utf-8"))
        ]
        allowed = {"config/settings/test.py"}
        assert {name for name in readers if not name.startswith("config/")} == set()
        assert "config/env.py" not in readers or allowed


class TestTheRulesThemselves:
    """A rule that cannot fail is none."""

    def test_notice_a_long_function(self) -> None:
        assert list(long_functions("def f():\n" + "    a = 1\n" * 41)) == [("f", 41)]

    def test_notice_a_nameless_room(self) -> None:
        assert names_a_banned_room(Path("billing/utils.py"))
        assert names_a_banned_room(Path("lookups/helpers/x.py"))

    def test_notice_a_second_writer_of_entries(self) -> None:
        assert writes_entries("LedgerEntry.objects.create(amount=1)")
        assert writes_entries("LedgerEntry(amount=1).save()")
