"""Every house rule holds in every module, and every rule has a case that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings

from tests.architecture import rules

ROOT: Path = settings.BASE_DIR
APPS = ("config", "lookups", "scrapers", "billing", "jurisdictions")
TOP = {
    "manage.py", "pyproject.toml", "Dockerfile", "config", "jurisdictions", "scrapers", "billing", "lookups",
    "templates", "tests", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Makefile", "docs", "deploy",
    "compose.yaml",
    "SECURITY.md",
}  # fmt: skip

Rule = Callable[[str, str], list[str]]
RULES: dict[str, Rule] = {
    "the environment is read in config/env.py": rules.reads_environment,
    "modules and functions are of a size that is read at once": rules.sizes,
    "names are words of the trade": rules.private_words,
    "a room is named by what is in it": rules.nameless,
    "a module says why it exists": rules.undocumented,
    "entries are written by the ledger": rules.writes_entries,
    "nothing is set for a session of the database": rules.keeps_to_sessions,
    "spelling is American": rules.british,
    "the formatter decides how code looks": rules.unformatted,
    **{rule.name: rule.breaks for rule in rules.IMPORT_RULES},
}
VIEW, OUTBOUND, MODEL, CAPABILITY, PLATFORM = (rule.name for rule in rules.IMPORT_RULES)

# rule, where, and what must not pass there
BREAKS = [
    ("the environment is read in config/env.py", "config/logging.py", "import os\nLEVEL = os.environ.get('LEVEL')\n"),
    ("the environment is read in config/env.py", "lookups/tasks.py", "import os\nLEVEL = os.environ['LEVEL']\n"),
    ("the environment is read in config/env.py", "lookups/tasks.py", "import os\nLEVEL = os.getenv('LEVEL')\n"),
    ("the environment is read in config/env.py", "billing/keys.py", "from os import environ\n"),
    ("the environment is read in config/env.py", "billing/keys.py", "from os import getenv as read\n"),
    ("the environment is read in config/env.py", "config/celery.py", "import os\nALL = dict(os.environ)\n"),
    ("the environment is read in config/env.py", "config/celery.py", "import environ\nenv = environ.Env()\n"),
    ("the environment is read in config/env.py", "config/wsgi.py",
     "import os\nos.environ.setdefault(\"DJANGO_SETTINGS_MODULE\", \"x\")\nX = os.environ[\"X\"]\n"),
    ("modules and functions are of a size that is read at once", "billing/keys.py", "A = 1\n" * 401),
    ("modules and functions are of a size that is read at once", "billing/keys.py", "def f():\n" + "    a = 1\n" * 41),
    ("names are words of the trade", "lookups/courier.py", ""),
    ("names are words of the trade", "lookups/lookup/flow.py", "class TheTill:\n    pass\n"),
    ("names are words of the trade", "scrapers/operations/standing.py", ""),
    ("names are words of the trade", "scrapers/bulk_data/source.py", "class RegisterPortal:\n    pass\n"),
    ("names are words of the trade", "lookups/lookup/flow.py", "def what_was_told():\n    pass\n"),
    ("a room is named by what is in it", "billing/utils.py", ""),
    ("a room is named by what is in it", "lookups/helpers/x.py", ""),
    ("a module says why it exists", "billing/keys.py", "A = 1\n"),
    ("entries are written by the ledger", "lookups/tasks.py", "LedgerEntry.objects.create(amount=1)"),
    ("entries are written by the ledger", "billing/finance.py", "LedgerEntry(amount=1).save()"),
    ("nothing is set for a session of the database", "billing/keys.py",
     "cursor.execute(\"SET lock_timeout = '1s'\")\n"),
    ("nothing is set for a session of the database", "billing/keys.py",
     "cursor.execute('SELECT pg_advisory_lock(%s)', [1])\n"),
    ("spelling is American", "billing/keys.py", "def normalise(): ...\n"),
    ("the formatter decides how code looks", "billing/keys.py", "A = (1,\n     2)  # fmt: skip\n"),
    (VIEW, "lookups/api/views/lookup.py", "from billing import ledger\n"),
    (VIEW, "lookups/api/views/lookup.py", "from billing.ledger import hold\n"),
    (VIEW, "lookups/api/views/lookup.py", "from scrapers import gateway\n"),
    (VIEW, "lookups/api/keys/views.py", "from billing import ledger\n"),
    (VIEW, "lookups/pages/views.py", "def page():\n    import requests\n"),
    (OUTBOUND, "lookups/lookup/flow.py", "import requests\n"),
    (OUTBOUND, "billing/keys.py", "from urllib.request import urlopen\n"),
    (OUTBOUND, "lookups/selectors.py", "import importlib\nimportlib.import_module('socket')\n"),
    (MODEL, "lookups/models/jobs.py", "from lookups.jobs import lifecycle\n"),
    (MODEL, "billing/models/entries.py", "from billing import ledger\n"),
    (CAPABILITY, "lookups/jobs/runner.py", "from lookups.api import replies\n"),
    (PLATFORM, "scrapers/platforms/civix/portal.py", "from scrapers.states.nevada import Nevada\n"),
]  # fmt: skip


def modules() -> list[str]:
    """Every module of the apps but migrations, from the root of the project."""
    return [
        path.relative_to(ROOT).as_posix()
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts and "__pycache__" not in path.parts
    ]


@pytest.mark.parametrize("path", modules())
class TestAModule:
    """One room of the house."""

    def test_keeps_every_rule(self, path: str) -> None:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert {name: found for name, rule in RULES.items() if (found := rule(path, source))} == {}


class TestTheTests:
    """Of the whole suite; what measures speed is kept apart and compares what was measured in one run."""

    def test_wait_for_a_state_and_never_for_luck(self) -> None:
        found = {}
        for path in sorted((ROOT / "tests").rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith("tests/bench/"):
                found[name] = rules.hurries(name, path.read_text(encoding="utf-8"))
        assert {name: lines for name, lines in found.items() if lines} == {}

    @pytest.mark.parametrize(
        "line",
        [
            "assert time.monotonic() - started < 0.3",
            "assert 0.9 <= time.perf_counter() - started < 5",
            "assert (reason, time.monotonic() - begun < 2.4) == ('timeout', True)",
        ],
    )
    def test_that_race_a_busy_machine_are_noticed(self, line: str) -> None:
        assert rules.hurries("tests/lookups/test_flow.py", f"{line}\n") != []

    def test_break_no_property_by_the_time_that_it_takes(self) -> None:
        of_all = hypothesis.settings.default
        assert (of_all.deadline, of_all.suppress_health_check) == (None, (hypothesis.HealthCheck.too_slow,))


class TestTheHouse:
    """The rules as a whole."""

    def test_has_nothing_else_at_the_top(self) -> None:
        have = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
        assert have - TOP - {"var"} == set()

    def test_has_no_drawer_of_more_than_a_dozen_files(self) -> None:
        assert rules.crowded(modules()) == []


class TestARule:
    """A rule that cannot fail is none."""

    @pytest.mark.parametrize(("rule", "path", "source"), BREAKS)
    def test_notices_what_breaks_it(self, rule: str, path: str, source: str) -> None:
        assert RULES[rule](path, source) != []

    def test_has_a_case_that_breaks_it(self) -> None:
        assert {rule for rule, _, _ in BREAKS} == set(RULES)

    def test_of_folders_notices_a_drawer(self) -> None:
        assert rules.crowded([f"lookups/services/{number}.py" for number in range(13)]) != []

    def test_lets_djangos_doors_name_their_settings(self) -> None:
        assert (
            rules.reads_environment("manage.py", 'import os\nos.environ.setdefault("DJANGO_SETTINGS_MODULE", "x")\n')
            == []
        )

    def test_knows_the_trades_own_word(self) -> None:
        assert rules.private_words("lookups/lookup/single_flight.py", "") == []
