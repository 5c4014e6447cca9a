"""A plugin for pytest (`-p`) under which a company has one more field, written into its shape and nowhere else."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

BEFORE = '    scrapedAt: Annotated[Moment, about("When it was read, UTC.")]\n'
FIELD = '    mascot: Annotated[str, about("The animal on the company\'s letterhead.")] = "heron"\n'


def _load() -> ModuleType:
    spec = importlib.util.find_spec("lookups.api.wire.entities")
    assert spec is not None
    assert spec.origin is not None
    with open(spec.origin, encoding="utf-8") as file:
        source = file.read()
    assert source.count(BEFORE) == 1
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    exec(compile(source.replace(BEFORE, FIELD + BEFORE), spec.origin, "exec"), module.__dict__)
    return module


entities = _load()
