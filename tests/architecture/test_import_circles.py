"""No module of the scrapers needs itself to be read, not even for a type."""

from __future__ import annotations

from collections.abc import Mapping, Set
from graphlib import CycleError, TopologicalSorter

import grimp


def find_circle(imports: Mapping[str, Set[str]]) -> list[str]:
    """Modules that import each other in a circle; empty when there are none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as circle:
        return list(circle.args[1])
    return []


class TestTheScrapers:
    """Every module of them, with what it imports for its types alone."""

    def test_import_each_other_in_no_circle(self) -> None:
        graph = grimp.build_graph("scrapers", cache_dir=None)
        assert find_circle({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}) == []


class TestTheRule:
    """A rule that cannot fail is none."""

    def test_notices_a_circle(self) -> None:
        assert find_circle({"portal": {"session"}, "session": {"copies"}, "copies": {"portal"}}) != []
