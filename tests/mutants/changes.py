"""Makes the small changes: each is one a person could slip into a module, and that some test should notice.

A comparison swapped, a constant off by one, a condition always true, a `return` that brings nothing; a keyword, a
statement, a query's filter, lock or order left out. Docstrings, annotations, decorators, asserts, sentences and what is
only logged are left alone.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SWAPPED_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
LEFT_OUT = {"filter", "exclude", "select_for_update", "order_by", "distinct"}  # a link of a query
LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params"}
A_WORD = re.compile(r"[\w.:/-]*")


@dataclass(frozen=True)
class Change:
    """One change: `old` became `new` in the function `place`; `lines` are those whose tests are run."""

    module: str
    line: int
    lines: tuple[int, int]
    place: str
    old: str
    new: str
    text: str  # the whole module, changed

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.place}: {self.old}  →  {self.new or '(left out)'}"

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others of its module, whatever line it moves to."""
        return (self.place, self.old, self.new)


def list_changes(module: str, source: str) -> list[Change]:
    """Every change of a module, in its order."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    raw, found = source.encode(), []
    seen: Counter[tuple[str, str, str]] = Counter()
    for at, place, node, new in _walk(ast.parse(source), "", None):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        if new == "" and (comma := re.match(rb"\s*,", raw[end:])):
            end += comma.end()
        changed = (raw[:begin] + new.encode() + raw[end:]).decode()
        old = " ".join(raw[begin:end].decode().split())
        seen[place, old, new] += 1
        if (number := seen[place, old, new]) > 1:
            old += f" (no. {number})"
        found.append(Change(module, node.lineno, at, place, old, new, changed))
    return sorted(found, key=lambda change: change.line)


Found = tuple[tuple[int, int], str, ast.expr | ast.stmt | ast.keyword, str]


def _walk(node: ast.AST, place: str, at: tuple[int, int] | None) -> Iterator[Found]:
    """Yield the changes at a node and below it; `at` are the lines of the statement it stands in."""
    if _is_left_alone(node):
        return
    if isinstance(node, ast.stmt):
        body = getattr(node, "body", None)
        at = (node.lineno, max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        place = f"{place}.{node.name}".lstrip(".")
    if at and isinstance(node, ast.expr | ast.stmt | ast.keyword):
        yield from ((at, place, spot, new) for spot, new in _change(node, place))
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in LEFT_ALONE:
                yield from _walk(child, place, at)


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="log" | "logger")))):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Subscript(value=ast.Name(id="Literal" | "Callable")):
            return True
        case ast.Call(func=ast.Attribute(attr="getLogger")):
            return True
    return False


def _change(node: ast.AST, place: str) -> Iterator[tuple[ast.expr | ast.stmt | ast.keyword, str]]:
    match node:
        case ast.Compare(ops=[op, *more], left=left, comparators=sides):
            yield node, ast.unparse(ast.Compare(left, [SWAPPED[type(op)](), *more], sides))  # type: ignore[list-item]
        case ast.BoolOp(op=op, values=values):
            yield node, "({})".format(f" {'or' if isinstance(op, ast.And) else 'and'} ".join(map(_in_brackets, values)))
            for left_out in values:
                rest = [_in_brackets(value) for value in values if value is not left_out]
                yield node, "({})".format(f" {'and' if isinstance(op, ast.And) else 'or'} ".join(rest))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, _in_brackets(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield node, ast.unparse(operand)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in SWAPPED:
            yield node, ast.unparse(ast.BinOp(left, SWAPPED[type(op)](), right))  # type: ignore[arg-type]
        case ast.Constant(value=value):
            yield from ((node, new) for new in _other(value))
        case ast.Call():
            yield from _change_call(node)
        case ast.keyword(arg=str()):
            yield node, ""
        case _:
            yield from _change_statement(node, place)


def _change_call(node: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    match node.func:
        case ast.Name(id=name) if name in SWAPPED_NAMES:
            yield node.func, SWAPPED_NAMES[name]
        case ast.Attribute(attr=name, value=query) if name in LEFT_OUT:
            yield node, ast.unparse(query)


def _change_statement(node: ast.AST, place: str) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    match node:
        case ast.AugAssign(op=op, target=target, value=value) if type(op) in SWAPPED:
            yield node, ast.unparse(ast.AugAssign(target, SWAPPED[type(op)](), value))  # type: ignore[arg-type]
            yield node, "pass"
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield node, "return None"
        case ast.If(test=test) | ast.IfExp(test=test):
            if any(isinstance(part, ast.NamedExpr) for part in ast.walk(test)):
                yield test, f"not ({ast.unparse(test)})"
            else:
                yield test, "True"
                yield test, "False"
        case ast.ListComp(generators=parts) | ast.GeneratorExp(generators=parts) | ast.DictComp(generators=parts):
            yield from ((test, "True") for part in parts for test in part.ifs)
        case ast.Raise() | ast.Continue() | ast.Delete() | ast.Expr(value=ast.Call()):
            yield node, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() | ast.Tuple(elts=[ast.Attribute(), *_])]):
            yield node, "pass"
        case ast.Assign(targets=[ast.Name()]) if place[:1].isupper() and "." not in place:
            yield node, "pass"  # a class's own fact; without it that of its parent counts


def _other(value: object) -> Iterator[str]:
    """Another value than a constant's."""
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int):
        yield str(value + 1)
    elif isinstance(value, float):
        yield str(round(value + (0.01 if abs(value) <= 1 else 1), 6))
    elif isinstance(value, str) and A_WORD.fullmatch(value):
        yield repr("changed")


def _in_brackets(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Call | ast.Attribute) else f"({text})"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
