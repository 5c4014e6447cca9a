"""Every registry of the golden cases as one world behind a real socket, in which each state knows its canaries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest

from scrapers import discovery, gateway
from scrapers.portal import Canaries, CanaryKind
from scrapers.transport.pace import NoPacer
from scrapers.transport.recording import load_steps
from tests.portals.simulator import Simulator, running
from tests.scrapers.golden import Case, list_cases

SITUATIONS = {
    CanaryKind.ACTIVE: "active",
    CanaryKind.INACTIVE: "inactive",
    CanaryKind.PERSON: "several-matches",
    CanaryKind.ABSENT: "no-match",
    CanaryKind.LIEN: "ucc-debtor",
}


@lru_cache(maxsize=1)
def list_canaries() -> dict[tuple[str, CanaryKind], Case]:
    """The case that answers each state's canary: one that is asked by a name and nothing else."""
    by_place = {(case.state, case.situation): case for case in list_cases()}
    found = {}
    for state in sorted({case.state for case in list_cases()}):
        for kind, situation in SITUATIONS.items():
            case = by_place.get((state, situation))
            if case is not None and case.content["question"].keys() <= {"name", "kind"}:
                found[state, kind] = case
    return found


def name_of(case: Case) -> str:
    """What the case asks for."""
    return str(json.loads((case.folder / "case.json").read_text(encoding="utf-8"))["question"]["name"])


class World:
    """The server, which is told of each question before it is put, since portals keep sessions."""

    def __init__(self, server: Simulator) -> None:
        self.server = server

    @property
    def states(self) -> list[str]:
        """Every state that has cases."""
        return sorted({state for state, _ in list_canaries()})

    def listen(self, state: str, kind: CanaryKind | None) -> None:
        """The next question is put: its case answers."""
        if kind is not None:
            self.server.play(load_steps(list_canaries()[state, kind].folder))


@contextmanager
def opened(monkeypatch: pytest.MonkeyPatch, settings: object) -> Iterator[World]:
    """The world, reached by every portal without its pace: nobody's server is asked."""
    for state in {state for state, _ in list_canaries()}:
        portal = discovery.find_portal(state)
        names = {kind.value: name_of(case) for (of, kind), case in list_canaries().items() if of == state}
        missing = dict.fromkeys((kind.value for kind in CanaryKind), "")
        monkeypatch.setattr(type(portal), "canaries", Canaries(**{**missing, **names}))
    monkeypatch.setattr(gateway, "get_pacer", lambda portal: NoPacer())
    with running() as server:
        settings.PORTALS_URL = server.url  # type: ignore[attr-defined]
        yield World(server)
