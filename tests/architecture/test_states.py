"""A state is one small file that reads like a fact sheet; each rule has a case that breaks it."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from jurisdictions.codes import PLACES, Place
from scrapers import discovery
from tests.architecture import rules

SCRAPERS: Path = settings.BASE_DIR / "scrapers"
STATES = sorted(path for path in (SCRAPERS / "states").glob("*.py") if path.name != "__init__.py")
PLATFORMS = sorted(path.parent.name for path in (SCRAPERS / "platforms").glob("*/__init__.py"))
ON_A_PLATFORM, ON_ITS_OWN = 60, 200
MAY_IMPORT = {
    "scrapers.bulk_data",
    "scrapers.failures",
    "scrapers.name_rules",
    "scrapers.normalize",
    "scrapers.parsing",
    "scrapers.platforms",
    "scrapers.portal",
    "scrapers.records",
    "scrapers.search",
    "scrapers.statuses",
    "scrapers.transport",
    "scrapers.ucc",
    "lxml",
}


def file_of(place: Place) -> str:
    """The file a jurisdiction's reader stands in."""
    return place.slug.replace("-", "_") + ".py"


def differs(files: Iterable[str]) -> set[str]:
    """Files that are no jurisdiction's, and jurisdictions without a file."""
    return set(files) ^ {file_of(place) for place in PLACES.values()}


def spare_lines(source: str, *, on_a_platform: bool) -> int:
    """How many lines a state may still grow by; every physical line counts. Below zero it is too long."""
    return (ON_A_PLATFORM if on_a_platform else ON_ITS_OWN) - len(source.splitlines())


def codes_in(source: str) -> Iterator[str]:
    """The jurisdictions a module reads: the `code` of each of its classes, alone or in a list of facts."""
    for node in (node for found in ast.parse(source).body if isinstance(found, ast.ClassDef) for node in found.body):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            pairs = zip(target.elts, value.elts, strict=False) if _are_lists(target, value) else [(target, value)]
            yield from (ast.literal_eval(fact) for name, fact in pairs if getattr(name, "id", "") == "code")


def _are_lists(target: ast.expr, value: ast.expr) -> bool:
    return isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)


def opens_with(source: str, place: Place) -> bool:
    """Whether a module's docstring opens with the jurisdiction, and then says something of it."""
    name, _, evidence = (ast.get_docstring(ast.parse(source)) or "").partition(":")
    return name.replace(".", "") == place.name and bool(evidence.strip())


def strange_imports(source: str) -> set[str]:
    """What a state imports beside the standard library and the rooms made for it: another state, for one."""
    return {
        name
        for name in rules.imported(source)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(f"{name}.".startswith(f"{room}.") for room in MAY_IMPORT)
    }


def lonely(platforms: Iterable[str], states: Iterable[str]) -> set[str]:
    """Platforms that fewer than two of these sources use: what one state needs is no platform."""
    used = Counter(platform for source in states for platform in _platforms_in(source))
    return {platform for platform in platforms if used[platform] < 2}


def _platforms_in(source: str) -> set[str]:
    return {name.split(".")[2] for name in rules.imported(source) if name.startswith("scrapers.platforms.")}


def is_on_a_platform(code: str) -> bool:
    """Whether a state's class inherits, at any distance, from one of a platform."""
    kinds = type(discovery.find_portal(code)).__mro__
    return any(kind.__module__.startswith("scrapers.platforms.") for kind in kinds)


@pytest.mark.parametrize("path", STATES, ids=lambda path: path.stem)
class TestAState:
    """One file of the listing."""

    def test_reads_one_jurisdiction_and_is_named_by_it(self, path: Path) -> None:
        (code,) = codes_in(path.read_text(encoding="utf-8"))
        assert path.name == file_of(PLACES[code])

    def test_opens_with_its_evidence(self, path: Path) -> None:
        source = path.read_text(encoding="utf-8")
        assert opens_with(source, PLACES[next(codes_in(source))])

    def test_is_small(self, path: Path) -> None:
        source = path.read_text(encoding="utf-8")
        assert spare_lines(source, on_a_platform=is_on_a_platform(next(codes_in(source)))) >= 0

    def test_imports_no_other_state_and_nothing_above_it(self, path: Path) -> None:
        assert strange_imports(path.read_text(encoding="utf-8")) == set()


class TestTheListing:
    """All states together."""

    def test_is_whole(self) -> None:
        assert differs(path.name for path in STATES) == set()

    def test_shares_every_platform(self) -> None:
        assert lonely(PLATFORMS, (path.read_text(encoding="utf-8") for path in STATES)) == set()


class TestTheRulesThemselves:
    """A rule that cannot fail is none."""

    def test_notice_a_state_that_grew(self) -> None:
        assert spare_lines("a = 1\n" * 61, on_a_platform=True) == -1
        assert spare_lines("\n" * 201, on_a_platform=False) == -1

    def test_know_who_is_on_a_platform(self) -> None:
        assert is_on_a_platform("UT")
        assert not is_on_a_platform("DE")

    def test_notice_a_second_jurisdiction_in_a_file(self) -> None:
        assert list(codes_in('class A:\n    code = "AL"\n\nclass B:\n    code, host = "AK", "x"\n')) == ["AL", "AK"]

    def test_notice_a_file_named_by_a_code(self) -> None:
        assert Path("scrapers/states/nh.py").name != file_of(PLACES["NH"]) == "new_hampshire.py"

    @pytest.mark.parametrize("source", ["x = 1\n", '"""Reads Utah."""\n', '"""Utah:"""\n', '"""Ohio: recorded."""\n'])
    def test_notice_a_file_without_evidence(self, source: str) -> None:
        assert not opens_with(source, PLACES["UT"])

    @pytest.mark.parametrize(
        "line",
        [
            "from scrapers.states.ohio import Ohio",
            "from scrapers.states import ohio",
            "from scrapers import models",
            "import scrapers.gateway",
            "from scrapers.portals_of_old import Portal",
            "from billing import ledger",
            "import requests",
        ],
    )
    def test_notice_a_strange_import(self, line: str) -> None:
        assert strange_imports(line)

    def test_let_the_usual_imports_pass(self) -> None:
        assert not strange_imports("import re\nfrom scrapers.parsing import html\nfrom scrapers.portal import Portal")

    def test_notice_a_jurisdiction_without_a_file_and_a_file_without_one(self) -> None:
        names = [path.name for path in STATES if path.name != "utah.py"]
        assert differs([*names, "puerto_rico_register.py"]) == {"utah.py", "puerto_rico_register.py"}

    def test_notice_a_platform_of_one_state(self) -> None:
        one, two = ("from scrapers.platforms.civix.portal import X", "from scrapers.platforms import civix, wyobiz")
        assert lonely(["civix", "wyobiz", "corpweb"], [one, two]) == {"wyobiz", "corpweb"}
