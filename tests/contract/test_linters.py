"""The two linters that customers' tools are most likely to run find nothing in the document: redocly and spectral.

Each with all the rules that its makers recommend; none is switched off.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract import node

pytestmark = [pytest.mark.xdist_group("node"), pytest.mark.usefixtures("programs")]
Lint = Callable[[dict[str, Any], Path], list[str]]


def ask_redocly(document: dict[str, Any], folder: Path) -> list[str]:
    """The rules that are broken, as errors or as warnings."""
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    done = node.run("redocly", "lint", "openapi.json", "--extends", "recommended", "--format", "json", folder=folder)
    return [problem["ruleId"] for problem in json.loads(done.stdout)["problems"]]


def ask_spectral(document: dict[str, Any], folder: Path) -> list[str]:
    """The rules that are broken, whatever their severity."""
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "ruleset.json").write_text('{"extends": ["spectral:oas"]}', encoding="utf-8")
    how = ["--ruleset", "ruleset.json", "--format", "json", "--quiet"]
    done = node.run("spectral", "lint", "openapi.json", *how, folder=folder)
    return [problem["code"] for problem in json.loads(done.stdout)]


@pytest.mark.parametrize("lint", [ask_redocly, ask_spectral])
class TestALinter:
    """redocly with its recommended rules, and spectral with those for OpenAPI."""

    def test_finds_nothing(self, lint: Lint, document: dict[str, Any], tmp_path: Path) -> None:
        assert lint(document, tmp_path) == []

    def test_finds_what_is_broken(self, lint: Lint, document: dict[str, Any], tmp_path: Path) -> None:
        damaged = copy.deepcopy(document)
        damaged["paths"] = {"/v1/health": damaged["paths"]["/v1/health"]}
        del damaged["paths"]["/v1/health"]["get"]["operationId"]
        assert "operation-operationId" in lint(damaged, tmp_path)
