"""Puts a change into a module that is loaded: whoever holds its functions, classes and constants holds changed ones.

Nothing is written to a file, and nothing has to be loaded again: a function gets other code and stays the same object.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any


def install(name: str, text: str) -> None:
    """Give the loaded module `name` the code, the defaults and the constants of `text`."""
    live = sys.modules[name]
    fresh = ModuleType(name)
    fresh.__file__ = live.__file__
    exec(compile(text, str(live.__file__), "exec", dont_inherit=True), vars(fresh))
    for word, new in vars(fresh).items():
        old = vars(live).get(word)
        if isinstance(old, type) and old.__module__ == name:
            _change_class(old, new)
        elif not _change_function(live, word, old, new) and not callable(old) and _is_data(old, new):
            for module in [module for key, module in sys.modules.items() if key.partition(".")[0] in _rooms(name)]:
                if word in vars(module) and vars(module)[word] is old:
                    setattr(module, word, new)


def _rooms(name: str) -> set[str]:
    return {name.partition(".")[0], "billing", "lookups", "scrapers", "config", "tests"}


def _is_data(old: Any, new: Any) -> bool:
    plain = (str, int, float, tuple, list, dict, set, frozenset, type(None))
    return bool(old is not new and (isinstance(old, plain) or type(old).__module__ == "datetime") and old != new)


def _change_class(old: type, new: type) -> None:
    for word, value in list(vars(new).items()):
        before = vars(old).get(word)
        if not _change_function(old, word, before, value) and not word.startswith("__") and _is_data(before, value):
            setattr(old, word, value)
    for word in set(vars(old)) - set(vars(new)):
        delattr(old, word)


def _change_function(owner: Any, word: str, old: Any, new: Any) -> bool:
    """Change a function in its place; False when it is none."""
    if hasattr(old, "cache_clear"):
        old.cache_clear()
    before, after = _inner(old), _inner(new)
    if before is None or after is None or before.__module__ != after.__module__:
        return False
    before.__defaults__ = _defaults(before.__defaults__, after.__defaults__)
    if after.__kwdefaults__:
        values = _defaults(tuple(before.__kwdefaults__.values()), tuple(after.__kwdefaults__.values()))
        before.__kwdefaults__ = dict(zip(before.__kwdefaults__, values or (), strict=True))
    if len(before.__code__.co_freevars) == len(after.__code__.co_freevars):
        before.__code__ = after.__code__
    else:  # it names no outer name any more
        cells = dict(zip(before.__code__.co_freevars, before.__closure__ or (), strict=True))
        closure = tuple(cells[name] for name in after.__code__.co_freevars)
        made = FunctionType(after.__code__, before.__globals__, before.__name__, before.__defaults__, closure)
        made.__kwdefaults__ = before.__kwdefaults__
        setattr(owner, word, made)
    return True


def _inner(value: Any) -> FunctionType | None:
    """The plain function in a property, a cached or a class's function."""
    for word in ("fget", "__func__", "__wrapped__"):
        value = getattr(value, word, value)
    return value if isinstance(value, FunctionType) else None


def _defaults(old: tuple[Any, ...] | None, new: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """The new defaults, but for functions: those are the live ones, changed already."""
    if old is None or new is None:
        return new
    return tuple(was if callable(was) else is_now for was, is_now in zip(old, new, strict=True))
