"""What README and docs say about this tree is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ROOMS = ("config", "lookups", "scrapers", "billing", "jurisdictions", "tests", "docs")
MODULES = ["/manage.py", *(f"/{path.relative_to(ROOT)}" for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
DECISIONS = sorted((ROOT / "docs" / "adr").glob("*.md"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
class TestADocument:
    """One file of prose."""

    def test_links_to_what_is_there(self, document: Path) -> None:
        links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", document.read_text())
        assert [link for link in links if not (document.parent / link).exists()] == []

    def test_calls_each_decision_by_its_number(self, document: Path) -> None:
        links = re.findall(r"\[ADR (\d+)\]\([^)]*?(\d{4})-[a-z]", document.read_text())
        assert [link for link in links if int(link[0]) != int(link[1])] == []

    def test_names_only_modules_that_exist(self, document: Path) -> None:
        named = re.findall(r"`([a-z_0-9/]+\.py)\b", document.read_text() if document.name != "CHANGELOG.md" else "")
        assert [name for name in named if not any(path.endswith(f"/{name}") for path in MODULES)] == []

    def test_names_only_commands_that_exist(self, document: Path) -> None:
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = set(re.findall(r"(?:`|^    (?:[A-Z_]+=\S+ )*)make ([a-z]+)", document.read_text(), re.MULTILINE))
        assert named - targets == set()
        commands = {path.stem for path in ROOT.glob("*/management/commands/*.py")}
        named = set(re.findall(r"manage\.py ([a-z_]+)", document.read_text()))
        assert named - commands - {"migrate", "collectstatic", "createsuperuser", "changepassword", "shell"} == set()


class TestTheReadme:
    """README.md."""

    def test_names_only_places_that_exist(self) -> None:
        table = re.findall(r"^\| .+ \| (.+) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
        named = [place for cell in table for place in re.findall(r"`([a-z_/.]+[/.][a-z_.]*)`", cell)]
        assert len(named) >= 6
        assert [place for place in named if not (ROOT / place).exists()] == []


class TestTheSecurityPage:
    """SECURITY.md."""

    def test_names_where_the_version_stands(self) -> None:
        [path] = re.findall(r"`info.version` of `(.+?)`", (ROOT / "SECURITY.md").read_text())
        assert Client().get(path).json()["info"]["version"]


class TestTheThreatModel:
    """docs/threat-model.md."""

    def test_names_only_places_that_exist_in_every_row(self) -> None:
        text = (ROOT / "docs" / "threat-model.md").read_text()
        rows = re.findall(r"^\| .+ \| .+ \| (.+) \|$", text.partition("## What is done")[2], re.MULTILINE)[2:]
        assert len(rows) >= 15
        named = [re.findall(r"`([A-Za-z_/.-]+)`", row) for row in rows]
        assert [row for row, places in zip(rows, named, strict=True) if not places] == []
        assert [place for places in named for place in places if not (ROOT / place).exists()] == []


class TestTheFaults:
    """docs/faults.md."""

    def test_names_a_story_that_exists_in_every_row(self) -> None:
        table = (ROOT / "docs" / "faults.md").read_text().partition("## The table")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| .+ \| (.+) \|$", table, re.MULTILINE)[2:]
        named = [re.findall(r"`(tests/[a-z_/.]+)`", row) for row in rows]
        assert len(rows) >= 20
        assert [row for row, places in zip(rows, named, strict=True) if not places] == []
        assert [place for places in named for place in places if not (ROOT / place).exists()] == []


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
