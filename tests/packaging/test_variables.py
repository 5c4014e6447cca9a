"""What an operator can set, and what tells them about it."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
NOT_THE_OPERATORS = {  # in compose.yaml, and why
    "DEBUG": "refused in production",
    "SANDBOX_PAYMENTS": "refused in production",
    "WEBHOOKS_TO_LOOPBACK": "refused in production",
    "PORTALS_URL": "refused in production",
    "STRIPE_API_BASE": "refused in production",
    "VAR_DIR": "a folder of the image",
    "STATIC_ROOT": "a folder of the image",
    "PROMETHEUS_MULTIPROC_DIR": "chosen at the start",
    "SIGN_IN_LINKS_FD": "chosen at the start",
    "BACKUP_PASSPHRASE": "the command's, not that of what runs",
    "SOS_LOOKUP_KEY": "the command's, not that of what runs",
}
FIXED = {
    "DATABASE_URL",
    "REDIS_URL",
    "MIGRATION_DATABASE_URL",
    "LOG_FORMAT",
    "TRUSTED_PROXIES",
    "EVIDENCE_STORE",  # the volume that all of them share
}  # by what the file starts
COMPUTED = {"VAR_DIR", "STATIC_ROOT", "DATABASE_URL"}  # their defaults depend on where the checkout is; shown empty


def read_by_code() -> dict[str, str]:
    """Return variable -> default as text, from the calls `_env.<type>("NAME", default=...)` in config/env.py."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse((ROOT / "config" / "env.py").read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and getattr(node.func.value, "id", "") == "_env"
        ):
            name = ast.literal_eval(node.args[0])
            default = next(ast.literal_eval(word.value) for word in node.keywords if word.arg == "default")
            text = str(default).lower() if isinstance(default, bool) else str(default)
            found[name] = "" if default in ([], None) else text
    return found


def told_to_operators() -> dict[str, str]:
    """Return variable -> value of .env.example."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


class TestTheExampleOfVariables:
    """.env.example."""

    def test_names_every_variable_with_its_default(self) -> None:
        assert told_to_operators() == read_by_code()

    def test_explains_each_in_one_line_above_it(self) -> None:
        lines = (ROOT / ".env.example").read_text().splitlines()
        unexplained = [
            line
            for above, line in itertools.pairwise(lines)
            if re.match(r"[A-Z_]+=", line) and not re.match(r"# [^-]", above)
        ]
        assert unexplained == []

    def test_changes_nothing_when_copied_as_it_is(self) -> None:
        assert {name for name in COMPUTED if told_to_operators()[name]} == set()


class TestTheComposeFile:
    """compose.yaml, which starts every process with just the variables that stand in it."""

    @pytest.fixture
    def handed(self) -> dict[str, str]:
        services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
        given = {name: services[name]["environment"] for name in ("web", "web2", "worker", "bulk", "beat")}
        assert all(one == given["web"] for one in given.values())
        return {**given["web"], **services["migrate"]["environment"]}

    def test_hands_through_whatever_an_operator_may_set(self, handed: dict[str, str]) -> None:
        assert set(handed) == set(told_to_operators()) - set(NOT_THE_OPERATORS)

    def test_leaves_each_at_its_own_default(self, handed: dict[str, str]) -> None:
        defaults = told_to_operators()
        ways = {
            name: {f"${{{name}:-{defaults[name]}}}"} | ({value} if value.startswith(f"${{{name}:?") else set())
            for name, value in handed.items()
            if name not in FIXED
        }
        assert {name: handed[name] for name, way in ways.items() if handed[name] not in way} == {}


class TestTheEnvironment:
    """The process's environment."""

    def test_is_read_in_one_place(self) -> None:
        allowed = {
            ROOT / "config" / "env.py",
            ROOT / "config" / "settings" / "test.py",  # before config.env is read
            ROOT / "config" / "management" / "commands" / "up.py",  # hands it on to the processes it starts
        }
        readers = [
            path.relative_to(ROOT)
            for app in ("config", "jurisdictions", "scrapers", "billing", "lookups")
            for path in (ROOT / app).rglob("*.py")
            if path not in allowed
            and re.search(r"\bos\.(getenv|environ(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE\"))", path.read_text())
        ]
        assert readers == []
