"""The house rules that read source text: each takes a path and the text, and names what breaks it.

`ImportRule` is for what a place may not import itself (import-linter holds the layers, also through others);
the functions below are for everything else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

MODULE_LINES, FUNCTION_LINES, FOLDER_FILES = 400, 40, 12
BANNED_NAMES = frozenset({"utils", "helpers", "common", "misc", "base", "lib", "core"})
PRIVATE_WORDS = {
    *("flight", "pilot", "board", "land", "landed", "courier", "postman", "errand", "till", "desk", "sheets"),
    *("visitors", "told", "said", "deed", "ground", "welcome", "register"),
}
TRADE_TERMS = ("single_flight",)  # the trade's own word with one of ours in it
HTTP = ("requests", "urllib3", "http.client", "urllib.request", "socket", "stripe", "redis", "httpx", "aiohttp")
ENVIRONMENT = ("environ", "environb", "getenv", "getenvb")
BRITISH = re.compile(r"\b\w*(?:normalis|recognis|behaviour|colour|licence|authoris|organis)\w*")
ON_THE_WIRE = ("unrecognised_status", "licences")  # the latter in the note that /v1/states shows of American Samoa
ENTRY_WRITE = re.compile(r"LedgerEntry\.objects\.(create|bulk_create|update_or_create|get_or_create)|LedgerEntry\(")

CLOCK = re.compile(r"\b(monotonic|perf_counter|time|now)\(\) - ")
BUSY_SECONDS = 20


OF_A_SESSION = re.compile(
    r"\s*(SET (?!LOCAL |TRANSACTION |CONSTRAINTS )\w|LISTEN |PREPARE |CREATE TEMP)"
    r"|\s*SELECT (set_config|pg_(try_)?advisory_lock)"
)


@dataclass(frozen=True)
class ImportRule:
    """Files under `places` (but not `except_`) import none of `forbidden` by name."""

    name: str
    places: tuple[str, ...]
    forbidden: tuple[str, ...]
    except_: tuple[str, ...] = ()

    def breaks(self, path: str, source: str) -> list[str]:
        """What the file imports against the rule."""
        if not path.startswith(self.places) or path.startswith(self.except_):
            return []
        return [name for name in imported(source) if any(_is_in(name, one) for one in self.forbidden)]


IMPORT_RULES = (
    ImportRule(
        "A view asks the domain; it moves no money, opens no portal and speaks no HTTP of its own",
        places=(
            "lookups/api/views/",
            "lookups/api/keys/",
            "lookups/api/watches/",
            "lookups/pages/",
            "lookups/workspace/",
        ),
        forbidden=("billing.ledger", "scrapers.gateway", *HTTP),
    ),
    ImportRule(
        "Outbound connections are made where they are guarded",
        places=("billing/", "config/", "jurisdictions/", "lookups/", "scrapers/"),
        forbidden=HTTP,
        except_=(
            "scrapers/transport/", "scrapers/sandbox/", "scrapers/portal.py", "scrapers/gateway.py",
            "scrapers/management/", "lookups/notifications/webhook_sender.py", "lookups/jobs/broker.py",
            "lookups/evidence/timestamps.py",
            "billing/counters.py", "billing/topups.py", "billing/payments/", "config/probe.py", "config/launch/",
        ),
    ),
    ImportRule(
        "A model is a table, and asks no service",
        places=("billing/models/", "lookups/models/", "scrapers/models.py", "jurisdictions/models.py"),
        forbidden=(
            "billing.ledger", "billing.payments", "billing.keys", "lookups.lookup", "lookups.jobs", "lookups.bulk",
            "lookups.names", "lookups.notifications", "lookups.privacy", "lookups.api", "scrapers.gateway",
            "scrapers.operations", "rest_framework", "celery",
        ),
    ),
    ImportRule(
        "A capability of lookups does not know who asks for it",
        places=tuple(
            f"lookups/{name}/"
            for name in (
                *("lookup", "jobs", "bulk", "names", "notifications", "privacy", "evidence", "history", "watches"),
                *("demo", "identities"),
                "models",
            )
        ),
        forbidden=("lookups.api", "lookups.pages", "lookups.admin", "lookups.tasks", "rest_framework"),
        except_=("lookups/watches/bodies.py", "lookups/identities/bodies.py"),  # write shapes, as lookups/bodies.py
    ),
    ImportRule(
        "A platform or a reader knows no state",
        places=("scrapers/platforms/", "scrapers/ucc/", "scrapers/bulk_data/", "scrapers/parsing/", "scrapers/search/"),
        forbidden=("scrapers.states", "scrapers.discovery"),
        except_=("scrapers/bulk_data/refresh.py",),  # fetches what each state publishes, by the clock
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def _nodes(source: str) -> list[ast.AST]:
    """All nodes of a text, the whole of it first; one after the other each rule asks for the same."""
    return list(ast.walk(ast.parse(source)))


def imported(source: str) -> Iterator[str]:
    """Every module or name that the text imports, in full, wherever the import stands."""
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            yield from (str(word.value) for word in node.args if isinstance(word, ast.Constant))


def reads_environment(path: str, source: str) -> list[str]:
    """Every spelling by which a module reads the environment; only `config/env.py` may.

    Whoever starts Django may write which settings it is for, and the settings of tests prepare their folder before
    anything is read.
    """
    if path in ("config/env.py", "config/settings/test.py"):
        return []
    written = {id(node.func.value) for node in _nodes(source) if isinstance(node, ast.Call) and _names_settings(node)}
    found = []
    for node in _nodes(source):
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            found += [alias.name for alias in node.names if alias.name in ENVIRONMENT]
        elif isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT and id(node) not in written:
            found.append(node.attr)
        elif isinstance(node, ast.Call) and _called(node) in ("Env", "FileAwareEnv", "read_env"):
            found.append(_called(node))
    return found


def sizes(path: str, source: str) -> list[str]:
    """A module under 400 lines, its functions under 40, docstrings not counted."""
    found = [f"{source.count(chr(10))} lines"] if source.count("\n") > MODULE_LINES else []
    for node in _nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            length = (body[-1].end_lineno or 0) - body[0].lineno + 1
            if length > FUNCTION_LINES:
                found.append(f"{node.name}: {length} lines")
    return found


def private_words(path: str, source: str) -> list[str]:
    """Files, classes and functions named by words that the trade does not use for them."""
    names = [*PurePosixPath(path).parts[:-1], PurePosixPath(path).stem]
    for node in _nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
    found = [name for name in names if PRIVATE_WORDS & words_of(name)]
    # Standing is what a company has; how a portal does is its health.
    return found + [part for part in PurePosixPath(path).parts if "standing" in words_of(part.removesuffix(".py"))]


def words_of(name: str) -> set[str]:
    """The words of an identifier: snake_case and CamelCase alike."""
    for term in TRADE_TERMS:
        name = name.replace(term, "")
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def nameless(path: str, source: str) -> list[str]:
    """Files and folders named by what they are not; a database's engine is called so by Django."""
    if path in {"config/postgres/base.py", "config/sqlite3/base.py"}:
        return []
    return [part for part in PurePosixPath(path).parts if part.removesuffix(".py") in BANNED_NAMES]


def undocumented(path: str, source: str) -> list[str]:
    """A module says why it exists."""
    tree = _nodes(source)[0]
    assert isinstance(tree, ast.Module)
    return ["no docstring"] if tree.body and not ast.get_docstring(tree) else []


def writes_entries(path: str, source: str) -> list[str]:
    """Ledger entries are made in one module."""
    if path == "billing/ledger.py" or "/models/" in path:
        return []
    return [found[0] for found in ENTRY_WRITE.finditer(source)]


def keeps_to_sessions(path: str, source: str) -> list[str]:
    """What a session of PostgreSQL keeps would be the next one's, as a connection that is given back is handed on."""
    return [
        node.value
        for node in _nodes(source)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and OF_A_SESSION.match(node.value)
    ]


def british(path: str, source: str) -> list[str]:
    """The code is spelled as the wire is; a word that is on the wire already stays as it is there."""
    spelled = re.findall(BRITISH, source)
    return [word for word in spelled if word not in ON_THE_WIRE]


def unformatted(path: str, source: str) -> list[str]:
    """Code that the formatter is kept from; only the table of jurisdictions would lose its columns."""
    return [] if path == "jurisdictions/codes.py" else re.findall("fmt: (?:skip|off)", source)


def hurries(path: str, source: str) -> list[str]:
    """Times that went by and are held under a few seconds: a busy machine stands still for that long now and then."""
    found = []
    for node in _nodes(source):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for smaller, how, larger in zip(sides, node.ops, sides[1:], strict=False):
                is_under = isinstance(how, ast.Lt | ast.LtE) and isinstance(larger, ast.Constant)
                if is_under and CLOCK.search(ast.unparse(smaller)) and larger.value < BUSY_SECONDS:
                    found.append(ast.unparse(node))
    return found


def crowded(files: list[str]) -> list[str]:
    """Folders of lookups and scrapers with more than a dozen modules; the states are as many as there are."""
    folders: dict[str, int] = {}
    for path in files:
        folder, name = str(PurePosixPath(path).parent), PurePosixPath(path).name
        if folder.startswith(("lookups", "scrapers")) and folder != "scrapers/states" and name != "__init__.py":
            folders[folder] = folders.get(folder, 0) + 1
    return [f"{folder}: {number}" for folder, number in sorted(folders.items()) if number > FOLDER_FILES]


def _names_settings(node: ast.Call) -> bool:
    """Whether this is `os.environ.setdefault("DJANGO_SETTINGS_MODULE", …)`."""
    return _called(node) == "setdefault" and ast.unparse(node.args[0]) == "'DJANGO_SETTINGS_MODULE'"


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")
