"""The hashed lists that everything is installed from."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "config" / "requirements"
OURS = ("config", "lookups", "billing", "scrapers", "jurisdictions")
PARTS = {"kombu": "celery", "urllib3": "requests", "certifi": "requests", "botocore": "django-storages"}
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[a-z,]+\])?==(?P<version>[^ ;\\]+)", re.MULTILINE)


def wanted(*groups: str) -> list[Requirement]:
    """Return what pyproject.toml asks for: the run's dependencies and those of `groups`, optional ones among them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    known = project["dependency-groups"] | project["project"]["optional-dependencies"]
    lines = [
        *project["project"]["dependencies"],
        *(line for name in groups for line in known[name]),
    ]
    return [Requirement(line) for line in lines]


def pinned(name: str) -> list[tuple[str, str]]:
    """Return package and version of each entry of one list; a package may stand there once per Python version."""
    found = PINNED.finditer((LISTS / f"{name}.txt").read_text())
    return [(canonicalize_name(match["name"]), match["version"]) for match in found]


def needed(asked: list[Requirement]) -> set[str]:
    """Return the packages that `asked` needs on this Python, and those that they need, as the installed ones say."""
    found: set[tuple[str, str]] = set()
    waiting = [(canonicalize_name(one.name), extra) for one in asked for extra in ("", *one.extras)]
    while waiting:
        package, extra = waiting.pop()
        if (package, extra) in found:
            continue
        found.add((package, extra))
        for one in map(Requirement, requires(package) or ()):
            if one.marker is None or one.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(one.name), more) for more in ("", *one.extras)]
    return {package for package, _ in found}


@pytest.mark.parametrize(
    ("name", "groups"),
    [("run", ()), ("reporting", ("reporting",)), ("s3", ("s3",)), ("test", ("reporting", "s3", "test", "lint"))],
)
class TestALockedList:
    """config/requirements/run.txt, reporting.txt, s3.txt and test.txt."""

    def test_fits_the_ranges_of_pyproject(self, name: str, groups: tuple[str, ...]) -> None:
        for one in wanted(*groups):
            versions = [version for package, version in pinned(name) if package == canonicalize_name(one.name)]
            assert versions, one
            assert all(one.specifier.contains(version) for version in versions), one

    def test_carries_a_hash_for_every_package(self, name: str, groups: tuple[str, ...]) -> None:
        blocks = re.split(r"\n(?=[A-Za-z0-9])", (LISTS / f"{name}.txt").read_text().partition("make pin\n")[2])
        assert [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block] == []
        assert len(blocks) == len(pinned(name))

    def test_is_whole(self, name: str, groups: tuple[str, ...]) -> None:
        """It is installed without looking for more: pip would ask for the newest `coverage[toml]`, and refuse it."""
        assert needed(wanted(*groups)) - {package for package, _ in pinned(name)} == set()

    def test_names_no_host(self, name: str, groups: tuple[str, ...]) -> None:
        text = (LISTS / f"{name}.txt").read_text()
        assert re.findall(r"https?:|--(?:extra-)?index-url|--find-links|file:", text) == []


class TestALongerList:
    """The one with what reports, and the one for tests."""

    def test_holds_the_shorter_one_unchanged(self) -> None:
        assert set(pinned("run")) - set(pinned("reporting")) == set()
        assert set(pinned("run")) - set(pinned("s3")) == set()
        assert set(pinned("reporting") + pinned("s3")) - set(pinned("test")) == set()


class TestTheListBesideOurMatching:
    """config/requirements/names.txt, which `make bench-names` alone installs."""

    def test_fits_pyproject_and_the_list_below_it(self) -> None:
        known = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["names"]
        own = dict(pinned("names"))
        for one in map(Requirement, known):
            assert one.specifier.contains(own[canonicalize_name(one.name)]), one
        below = dict(pinned("test"))
        assert {name: below[name] for name in own.keys() & below} == {name: own[name] for name in own.keys() & below}

    def test_is_locked_like_the_others(self) -> None:
        TestALockedList().test_carries_a_hash_for_every_package("names", ())
        TestALockedList().test_names_no_host("names", ())

    def test_keeps_out_of_the_suite_what_wants_a_compiler(self) -> None:
        """A bare Debian has none, nor ICU's headers: `make test` stopped there before its first test."""
        assert {name for name, _ in pinned("test")} & {"pyicu", "rigour", "fingerprints"} == set()


def test_every_list_is_installed_as_it_stands() -> None:
    steps = [line for line in (ROOT / "Makefile").read_text().splitlines() if "--require-hashes" in line]
    installs = [line for line in steps if "$(INSTALL)" in line]
    assert len(installs) == 3
    assert [line for line in installs if "--no-deps" not in line] == []


def test_what_the_service_imports_is_asked_for_by_name() -> None:
    """What comes along with another package is gone when that one needs it no longer; PARTS are how theirs is used."""
    asked = {canonicalize_name(one.name) for one in wanted("reporting", "s3")}
    asked |= {part for part, whole in PARTS.items() if whole in asked}
    packages = packages_distributions()
    imported = {name for folder in OURS for path in (ROOT / folder).rglob("*.py") for name in imports_of(path)}
    foreign = imported - sys.stdlib_module_names - set(OURS) - {"_typeshed"}
    assert {name for name in foreign if not asked & set(map(canonicalize_name, packages[name]))} == set()


def imports_of(path: Path) -> set[str]:
    """The top names of what a module imports, in its functions too."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names}
