"""A plugin for pytest (`-p`) under which the enum of failures has one more member, and nothing else is changed."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

BEFORE = "    DOWN = (\n"
MEMBER = """    OFFICE_CLOSED = (
        "office_closed",
        Facts(
            customer="The registry's office is closed today.",
            operator="The registry says that its office is closed.",
            retry_after=77,
            pause=7.0,
            alarm="warning",
            label="closed office",
            sandbox="office_closed",
        ),
    )
"""


def _load() -> ModuleType:
    spec: ModuleSpec | None = importlib.util.find_spec("scrapers.failures")
    assert spec is not None
    assert spec.origin is not None
    with open(spec.origin, encoding="utf-8") as file:
        source = file.read()
    assert source.count(BEFORE) == 1
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    exec(compile(source.replace(BEFORE, MEMBER + BEFORE), spec.origin, "exec"), module.__dict__)
    return module


failures = _load()
