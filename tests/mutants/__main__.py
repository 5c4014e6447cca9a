"""`python -m tests.mutants`: try small changes in the modules of tests/mutants/targets.py, one after the other.

Each change lives in the memory of a process of its own; no file is touched. Ends with 1 when less than 95 % of a
module's changes are noticed. Changes that do the same as before are explained in targets.py and not counted.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.mutants.changes import Change, list_changes
from tests.mutants.targets import EXPLAINED, TARGETS, Target

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = 0.95
Unnoticed = list[tuple[Change, str]]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--module", action="append", default=[], help="only modules whose path has this in it")
    parser.add_argument("--sample", type=int, help="only so many changes of each module, picked at random")
    parser.add_argument("--seed", type=int, default=0, help="which random sample")
    parser.add_argument("--list", action="store_true", help="print the changes and try none")
    parser.add_argument("--only", action="append", default=[], help="only changes whose printed line has this in it")
    parser.add_argument("--tests", nargs="+", help="tried by these tests, in place of the table's")
    parser.add_argument("--engine", choices=["embedded", "servers"], help="only SQLite, or only PostgreSQL and Redis")
    choice = parser.parse_args(arguments)
    chosen = [target for target in TARGETS if not choice.module or any(part in target.module for part in choice.module)]
    if choice.tests:
        chosen = [replace(target, tests=tuple(choice.tests)) for target in chosen]
    changes = {target: _pick(target, choice) for target in chosen}
    if choice.list:
        for change in [change for found in changes.values() for change in found]:
            say(f"{change}{' (explained)' if change.key in EXPLAINED.get(change.module, {}) else ''}")
        return 0
    unnoticed = {target: [(change, "not tried") for change in found] for target, found in changes.items()}
    if choice.engine != "servers":
        unnoticed = _try(changes, {"DATABASE_URL": "", "REDIS_URL": ""})
    if choice.engine != "embedded":
        unnoticed = _try_on_servers(unnoticed)
    return max([_report(target, changes[target], unnoticed[target]) for target in chosen], default=0)


def _pick(target: Target, choice: argparse.Namespace) -> list[Change]:
    found = list_changes(target.module, (ROOT / target.module).read_text(encoding="utf-8"))
    found = [change for change in found if change.place.startswith(target.places)]
    explained = EXPLAINED.get(target.module, {})
    for key in set(explained) - {change.key for change in found}:
        say(f"{target.module}: explained in targets.py, but not there any more: {key}")
    if not choice.list:
        found = [change for change in found if change.key not in explained]
    found = [change for change in found if not choice.only or any(part in str(change) for part in choice.only)]
    if choice.sample is not None and choice.sample < len(found):
        found = random.Random(choice.seed).sample(found, choice.sample)
    return found


def _try_on_servers(unnoticed: dict[Target, Unnoticed]) -> dict[Target, Unnoticed]:
    """Try again what SQLite did not show, where that may be its fault."""
    from tests.engines import programs, servers

    again = {target: [change for change, _ in found] for target, found in unnoticed.items() if target.servers and found}
    if not again:
        return unnoticed
    try:
        with servers.running(programs.get_programs()) as running:
            addresses = {"DATABASE_URL": running.database_url, "REDIS_URL": running.redis_url}
            return unnoticed | _try(again, addresses)
    except (programs.Missing, servers.NotStarted) as problem:
        say(f"Not tried on PostgreSQL: {problem}")
        return unnoticed


def _try(changes: dict[Target, list[Change]], engine: dict[str, str]) -> dict[Target, Unnoticed]:
    """Try changes, all those of the same tests in one pytest; return what went unnoticed."""
    unnoticed: dict[Target, Unnoticed] = {target: [] for target in changes}
    for tests in dict.fromkeys(target.tests for target in changes):
        targets = [target for target in changes if target.tests == tests and changes[target]]
        group = [change for target in targets for change in changes[target]]
        say(f"{len(group)} changes of {', '.join(target.module for target in targets)} on {' '.join(tests)}")
        for change, why in _try_in_pytest(group, tests, engine) if group else []:
            unnoticed[next(target for target in targets if target.module == change.module)].append((change, why))
    return unnoticed


def _try_in_pytest(changes: Sequence[Change], tests: Sequence[str], engine: dict[str, str]) -> Unnoticed:
    folder = Path(tempfile.mkdtemp(prefix="sos-lookup-mutants-"))
    try:
        (folder / "changes").write_bytes(pickle.dumps(list(changes)))
        environment = os.environ | engine | {"SOS_TEST_VAR": str(folder / "var"), "VAR_DIR": str(folder / "var")}
        command = [sys.executable, "-m", "tests.mutants.run", str(folder), *tests]
        code = subprocess.run(command, cwd=ROOT, env=environment).returncode
        if code or not (folder / "unnoticed").exists():
            sys.exit(f"The tests could not be run; see {(folder / 'log').read_text(errors='replace')[-3000:]}")
        found: Unnoticed = pickle.loads((folder / "unnoticed").read_bytes())
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _report(target: Target, tried: list[Change], unnoticed: Unnoticed) -> int:
    if not tried:
        return 0
    share = 1 - len(unnoticed) / len(tried)
    explained = len(EXPLAINED.get(target.module, {}))
    say(
        f"\n{target.module}: noticed {len(tried) - len(unnoticed)} of {len(tried)} ({share:.1%}); {explained} explained"
    )
    for change, why in unnoticed:
        say(f"  {change} ({why})")
    return int(share < ENOUGH)


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
