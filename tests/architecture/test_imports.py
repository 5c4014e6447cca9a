"""The import direction holds, and each rule of it notices when it is broken."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

ROOT = settings.BASE_DIR
APPS = ("config", "lookups", "scrapers", "billing", "jurisdictions")

BREAKS = {
    "jurisdictions reaching up": ("jurisdictions/rule_breaker.py", "from lookups import outcomes\n"),
    "billing knowing scrapers": ("billing/rule_breaker.py", "from scrapers import records\n"),
    "scrapers knowing billing": ("scrapers/rule_breaker.py", "from billing import money\n"),
    "lookups importing config": ("lookups/rule_breaker.py", "from config import env\n"),
    "the scraping core knowing Django": ("scrapers/parsing/rule_breaker.py", "import django\n"),
    "a state knowing the queue": ("scrapers/states/rule_breaker.py", "import celery\n"),
    "a state importing another state": (
        "scrapers/states/rule_breaker.py",
        "from scrapers.states import puerto_rico\n",
    ),
    "a service knowing the HTTP framework": ("lookups/lookup/rule_breaker.py", "import rest_framework\n"),
}


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    linter = Path(sys.executable).parent / "lint-imports"
    return subprocess.run(
        [str(linter), "--no-cache"], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of the project in a folder where rules may be broken."""
    folder = tmp_path_factory.mktemp("house")
    for app in APPS:
        shutil.copytree(ROOT / app, folder / app, ignore=shutil.ignore_patterns("__pycache__", "*.json", "*.html"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


class TestTheImportDirection:
    """config, then lookups, then scrapers or billing, then jurisdictions."""

    def test_holds(self) -> None:
        done = _lint(ROOT)
        assert done.returncode == 0, done.stdout + done.stderr

    @pytest.mark.parametrize("what", BREAKS, ids=str)
    def test_is_noticed_when_broken_by(self, what: str, copy: Path) -> None:
        name, line = BREAKS[what]
        breaker = copy / name
        breaker.write_text(line)
        try:
            assert _lint(copy).returncode == 1, f"{what} went unnoticed"
        finally:
            breaker.unlink()
