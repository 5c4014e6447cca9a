"""Finds every portal by looking through `states/`: adding a state is adding a file, nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from scrapers import states
from scrapers.identities.edgar import EDGAR
from scrapers.identities.gleif import GLEIF
from scrapers.portal import Portal
from scrapers.sandbox.portal import SandboxPortal


class TwoClaims(RuntimeError):
    """Two portals claim one jurisdiction: which of them answers must never depend on the order of files."""


@lru_cache(maxsize=1)
def _found() -> dict[str, Portal]:
    by_code: dict[str, Portal] = {}
    for info in pkgutil.iter_modules(states.__path__, states.__name__ + "."):
        module = importlib.import_module(info.name)
        for thing in vars(module).values():
            if not (isinstance(thing, type) and issubclass(thing, Portal) and thing.__module__ == module.__name__):
                continue
            if thing.code:
                if thing.code in by_code:
                    raise TwoClaims(f"{thing} and {type(by_code[thing.code])} both claim {thing.code}")
                by_code[thing.code] = thing()
    return dict(sorted(by_code.items()))


def list_portals() -> list[Portal]:
    """Every real portal, by code."""
    return list(_found().values())


def find_portal(code: str, *, sandbox: bool = False) -> Portal | None:
    """The portal of a jurisdiction, the fictional one where `sandbox`; None where no program can read it."""
    return get_sandbox(code) if sandbox else _found().get(code)


def list_publishers() -> list[Portal]:
    """Whoever publishes files of which a copy may be loaded: registries, and other registers that know companies."""
    return [one for one in (*list_portals(), EDGAR, GLEIF) if one.bulk_data is not None]


@lru_cache(maxsize=64)
def get_sandbox(state: str) -> Portal:
    """The fictional registry behind test keys, as it answers for one jurisdiction."""
    return SandboxPortal.for_state(state)
