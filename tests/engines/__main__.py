"""`python -m tests.engines [pytest arguments]`: the whole suite on each engine, and one closing line on what ran.

Both run beside each other, for a good part of either is waiting for processes that its stories have started; the lines
of the second follow those of the first.

Without PostgreSQL and Redis on the machine, and without the right to install them, only the embedded default is
tested and the closing line says so; with CI=true that is a failure. TEST_DATABASE_URL and TEST_REDIS_URL (set both)
name servers that are already running. `--only embedded` and `--only servers` run one engine.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.engines import programs, servers

EMBEDDED = "SQLite + filesystem broker"
ROOT = Path(__file__).resolve().parents[2]
MOST_CORES = 4  # beyond, the longest story decides
SUITE_SECONDS = 70 * 60  # far beyond any good run: a suite that hangs ends all the same, and says so
_running: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Result:
    """What one engine's run came to."""

    engine: str
    exit_code: int
    counts: dict[str, int]

    def describe(self) -> str:
        """Return the engine with the counts that are not zero."""
        told = ", ".join(f"{count} {word}" for word, count in self.counts.items() if count) or "no test ran"
        return f"{self.engine}: {told}"


def main(arguments: list[str]) -> int:
    """Run what was asked for; return 0 only when every engine that had to run has passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines", description=__doc__, allow_abbrev=False)
    parser.add_argument("--only", choices=["embedded", "servers"])
    choice, pytest_arguments = parser.parse_known_args(arguments)
    signal.signal(signal.SIGTERM, _end)
    # A shell has what it starts in the background ignore Ctrl-C, and every process of the stories would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        results, trouble = run_chosen(choice.only, pytest_arguments)
    finally:
        _end_running()  # of the other engine, where this one was ended by hand
    say("Engines: " + "; ".join([*(result.describe() for result in results), *([trouble] if trouble else [])]))
    required = choice.only == "servers" or os.environ.get("CI") == "true"
    return int(any(result.exit_code for result in results) or bool(trouble and required) or not results)


def _end(*_: object) -> None:
    _end_running()  # before anything waits for them
    sys.exit(143)


def _end_running() -> None:
    for process in _running:
        process.terminate()


def run_chosen(only: str | None, arguments: list[str]) -> tuple[list[Result], str | None]:
    """Run the one that was asked for, or both; what came of each, and why the servers' was not run."""
    cores = min(os.cpu_count() or 1, MOST_CORES)
    alone = [*_in_parallel(arguments, processes=2 * cores), *arguments]
    if only == "embedded":
        return [run_suite(EMBEDDED, database_url="", redis_url="", arguments=alone)], None
    if only == "servers":
        return _on_servers_or_not(alone, None)
    # Side by side there is always something to do: of more processes each would read all the tests for nothing
    first_of_two, second_of_two = (
        [*_in_parallel(arguments, processes=each), *arguments] for each in (1 + cores, cores)
    )
    with tempfile.TemporaryFile("w+") as lines, ThreadPoolExecutor(1) as beside:
        second = beside.submit(_on_servers_or_not, second_of_two, lines)
        first = run_suite(EMBEDDED, database_url="", redis_url="", arguments=first_of_two)
        others, trouble = second.result()
        lines.seek(0)
        say(lines.read())
        return [first, *others], trouble


def _on_servers_or_not(arguments: list[str], out: IO[str] | None) -> tuple[list[Result], str | None]:
    try:
        return [run_on_servers(arguments, out=out)], None
    except (programs.Missing, servers.NotStarted) as problem:
        return [], f"PostgreSQL + Redis: NOT RUN ({problem})"


def run_on_servers(arguments: list[str], *, out: IO[str] | None = None) -> Result:
    """Run the suite on PostgreSQL and Redis: those that were named, or throw-away ones."""
    named = os.environ.get("TEST_DATABASE_URL"), os.environ.get("TEST_REDIS_URL")
    # The whole suite leaves out what the embedded default has shown for both
    chosen = [*arguments, *([] if any(_narrows(one) for one in arguments) else ["-m", "not once"])]
    if named[0] and named[1]:
        return run_suite(
            "PostgreSQL + Redis as named", database_url=named[0], redis_url=named[1], arguments=chosen, out=out
        )
    found = programs.get_programs()
    with servers.running(found) as addresses:
        urls = {"database_url": addresses.database_url, "redis_url": addresses.redis_url}
        return run_suite(found.describe(), **urls, arguments=chosen, out=out)


def run_suite(
    engine: str, *, database_url: str, redis_url: str, arguments: list[str], out: IO[str] | None = None
) -> Result:
    """Run pytest on one engine; the two variables decide which, also against a `.env` file. Its lines go to `out`."""
    say(f"\n=== The suite on {engine} ===", out)
    with tempfile.TemporaryDirectory(prefix="sos-lookup-suite-") as folder:
        report = Path(folder) / "report.xml"
        var = str(Path(folder) / "var")
        environment = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": redis_url}
        environment |= {"SOS_TEST_VAR": var, "VAR_DIR": var}
        # To compile the tests takes longer than to load them: each of the processes would, in both runs
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        # xunit1: the family of reports that takes a test's own notes, which one process alone would be refused.
        reporting = [f"--junitxml={report}", "--override-ini=junit_family=xunit1"]
        command = [sys.executable, "-m", "pytest", *reporting, *arguments]
        code = _run(command, environment, out)
        if code is None:
            say(f"The suite on {engine} took longer than {SUITE_SECONDS / 60:.0f} minutes and was ended.", out)
        return Result(engine, 1 if code is None else code, read_counts(report))


def _run(command: list[str], environment: dict[str, str], out: IO[str] | None) -> int | None:
    """Its exit code; None where it had to be ended."""
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out) as process:
        _running.append(process)
        try:
            return process.wait(SUITE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return None
        finally:
            _running.remove(process)


def read_counts(report: Path) -> dict[str, int]:
    """Return how many tests passed, failed, broke and were skipped, from pytest's own report."""
    if not report.exists():
        return {}
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in ET.parse(report).getroot().iter("testsuite"):
        for name in totals:
            totals[name] += int(suite.get(name, 0))
    passed = totals["tests"] - totals["failures"] - totals["errors"] - totals["skipped"]
    return {
        "passed": passed,
        "failed": totals["failures"],
        "errors": totals["errors"],
        "skipped": totals["skipped"],
    }


def _narrows(argument: str) -> bool:
    return argument.startswith(("-m", "-k")) or (ROOT / argument.partition("::")[0]).exists()


def _in_parallel(arguments: list[str], *, processes: int) -> list[str]:
    """Use so many processes unless the person said otherwise; tests of one group stay together.

    They are more than there are cores: half of the time a story waits for the processes it has started. A process that
    crashes is not replaced: the run would wait for its share of the tests for ever.
    """
    said = any(argument.startswith(("-n", "--numprocesses", "--pdb", "-s")) for argument in arguments)
    return [] if said else ["-n", str(processes), "--dist", "loadgroup", "--max-worker-restart", "0"]


def say(text: str, out: IO[str] | None = None) -> None:
    """Tell the person, before pytest's own lines that follow."""
    print(text, flush=True, file=out or sys.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
