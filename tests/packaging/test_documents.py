"""What README and docs say about this tree is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = sorted((ROOT / "docs" / "adr").glob("*.md"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
class TestADocument:
    """One file of prose."""

    def test_links_to_what_is_there(self, document: Path) -> None:
        links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", document.read_text())
        assert [link for link in links if not (document.parent / link).exists()] == []

    def test_names_only_commands_that_exist(self, document: Path) -> None:
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = set(re.findall(r"(?:`|^    (?:[A-Z_]+=\S+ )*)make ([a-z]+)", document.read_text(), re.MULTILINE))
        assert named - targets == set()
        commands = {path.stem for path in ROOT.glob("*/management/commands/*.py")}
        named = set(re.findall(r"manage\.py ([a-z_]+)", document.read_text()))
        assert named - commands - {"migrate", "createsuperuser", "changepassword", "shell"} == set()


class TestTheReadme:
    """README.md."""

    def test_names_only_places_that_exist(self) -> None:
        table = re.findall(r"^\| .+ \| (.+) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
        named = [place for cell in table for place in re.findall(r"`([a-z_/.]+[/.][a-z_.]*)`", cell)]
        assert len(named) >= 6
        assert [place for place in named if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda path: path.stem)
class TestADecision:
    """docs/adr/NNNN-title.md."""

    def test_has_its_five_parts(self, decision: Path) -> None:
        text = decision.read_text()
        assert re.match(rf"# {int(decision.stem[:4])}\. ", text)
        assert "**Status:** " in text
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences", "Rejected"]


class TestTheDecisions:
    """docs/adr."""

    def test_are_numbered_without_a_gap(self) -> None:
        assert [int(path.stem[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))
