"""Puts a change into a module that is loaded: whoever holds its functions, classes and constants holds changed ones.

Nothing is written to a file, and nothing has to be loaded again: a function gets other code and stays the same object.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any


def install(name: str, text: str) -> None:
    """Give the loaded module `name` the code, the defaults and the constants of `text`."""
    live = sys.modules[name]
    fresh = ModuleType(name)
    fresh.__file__ = live.__file__
    exec(compile(_without_tables(text), str(live.__file__), "exec", dont_inherit=True), vars(fresh))
    for word, new in vars(fresh).items():
        old = vars(live).get(word)
        if isinstance(old, type) and old.__module__ == name:
            _change_class(old, new)
            if issubclass(old, Enum):
                _change_members(old, new, live)
        elif (
            not _change_function(live, word, old, new)
            and not callable(old)
            and _is_data(old, new := _to_live(new, live))
        ):
            for module in [module for key, module in sys.modules.items() if key.partition(".")[0] in _rooms(name)]:
                if word in vars(module) and vars(module)[word] is old:
                    setattr(module, word, new)


def _without_tables(text: str) -> ast.Module:
    """The module without its models: Django knows each of them once, so what is in them stays as it is."""
    tree = ast.parse(text)
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "models.Model" for base in node.bases))
    ]
    return tree


def _rooms(name: str) -> set[str]:
    return {name.partition(".")[0], "billing", "lookups", "scrapers", "config", "tests"}


def _is_data(old: Any, new: Any) -> bool:
    plain = (str, int, float, tuple, list, dict, set, frozenset, re.Pattern, type(None))
    known = is_dataclass(old) or type(old).__module__ in ("datetime", "jurisdictions.prepared")
    is_value = isinstance(old, plain) or (known and not isinstance(old, type))
    return bool(old is not new and is_value and old != new)


def _change_class(old: type, new: type) -> None:
    live = sys.modules[old.__module__]
    for word, value in list(vars(new).items()):
        before = vars(old).get(word)
        if issubclass(old, Enum) and not isinstance(_inner(before), FunctionType):
            continue
        if not _change_function(old, word, before, value) and not word.startswith("__") and _is_data(before, value):
            setattr(old, word, _to_live(value, live))
    for word in set(vars(old)) - set(vars(new)) - set(getattr(old, "__members__", ())):
        delattr(old, word)


def _change_members(old: Any, new: Any, live: ModuleType) -> None:
    """Give an enum's members the values and the facts of the new ones; one that is gone is gone here too."""
    for word, member in list(old._member_map_.items()):
        if word not in new.__members__:
            del old._member_map_[word], old._value2member_map_[member.value]
            old._member_names_.remove(word)
            type.__delattr__(old, word)
            continue
        fresh = new[word]
        if isinstance(member, str) and member != fresh.value:  # a text cannot change: another one in its place
            made = str.__new__(old, fresh.value)
            made.__dict__.update(vars(member))
            del old._value2member_map_[member.value]
            old._member_map_[word] = old._value2member_map_[fresh.value] = made
            type.__setattr__(old, word, made)
            member = made
        facts = {key: _to_live(value, live) for key, value in vars(fresh).items() if key != "__objclass__"}
        for key in set(vars(member)) - set(facts) - {"__objclass__"}:
            del member.__dict__[key]
        member.__dict__.update(facts)


def _to_live(value: Any, live: ModuleType) -> Any:
    """A fresh value in the live module's own classes, so that what is compared by identity stays the same."""
    kind: Any = vars(live).get(type(value).__name__)
    if isinstance(value, dict):
        return {key: _to_live(one, live) for key, one in value.items()}
    if isinstance(value, Enum) and isinstance(kind, type) and issubclass(kind, Enum):
        return kind.__members__.get(value.name, value)
    if is_dataclass(value) and not isinstance(value, type) and is_dataclass(kind):
        made = object.__new__(kind)  # type: ignore[arg-type]
        for field in fields(value):
            object.__setattr__(made, field.name, _to_live(getattr(value, field.name), live))
        return made
    return value


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
    """The plain function in a property, a class's function, and however many decorators."""
    for word in ("fget", "__func__"):
        value = getattr(value, word, value)
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, FunctionType) else None


def _defaults(old: tuple[Any, ...] | None, new: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """The new defaults, but for functions: those are the live ones, changed already."""
    if old is None or new is None:
        return new
    return tuple(was if callable(was) else is_now for was, is_now in zip(old, new, strict=True))
