"""`python -m tests.engines [pytest arguments]`: the whole suite on each engine, and one closing line on what ran.

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
from dataclasses import dataclass
from pathlib import Path

from tests.engines import programs, servers

EMBEDDED = "SQLite + filesystem broker"
ROOT = Path(__file__).resolve().parents[2]
MOST_CORES = 4  # beyond, the longest story decides
SUITE_SECONDS = 30 * 60  # far beyond any good run: a suite that hangs ends all the same, and says so


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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    results: list[Result] = []
    trouble = None
    if choice.only != "servers":
        results.append(run_suite(EMBEDDED, database_url="", redis_url="", arguments=pytest_arguments))
    if choice.only != "embedded":
        try:
            results.append(run_on_servers(pytest_arguments))
        except (programs.Missing, servers.NotStarted) as problem:
            trouble = f"PostgreSQL + Redis: NOT RUN ({problem})"
    say("Engines: " + "; ".join([*(result.describe() for result in results), *([trouble] if trouble else [])]))
    required = choice.only == "servers" or os.environ.get("CI") == "true"
    return int(any(result.exit_code for result in results) or bool(trouble and required) or not results)


def run_on_servers(arguments: list[str]) -> Result:
    """Run the suite on PostgreSQL and Redis: those that were named, or throw-away ones."""
    named = os.environ.get("TEST_DATABASE_URL"), os.environ.get("TEST_REDIS_URL")
    # The whole suite leaves out what the embedded default has shown for both
    chosen = [*arguments, *([] if any(_narrows(one) for one in arguments) else ["-m", "not once"])]
    if named[0] and named[1]:
        return run_suite("PostgreSQL + Redis as named", database_url=named[0], redis_url=named[1], arguments=chosen)
    found = programs.get_programs()
    with servers.running(found) as addresses:
        return run_suite(
            found.describe(), database_url=addresses.database_url, redis_url=addresses.redis_url, arguments=chosen
        )


def run_suite(engine: str, *, database_url: str, redis_url: str, arguments: list[str]) -> Result:
    """Run pytest on one engine; the two variables decide which, also against a `.env` file."""
    say(f"\n=== The suite on {engine} ===")
    with tempfile.TemporaryDirectory(prefix="sos-lookup-suite-") as folder:
        report = Path(folder) / "report.xml"
        var = str(Path(folder) / "var")
        environment = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": redis_url}
        environment |= {"SOS_TEST_VAR": var, "VAR_DIR": var}
        # xunit1: the family of reports that takes a test's own notes, which one process alone would be refused.
        reporting = [f"--junitxml={report}", "--override-ini=junit_family=xunit1"]
        command = [sys.executable, "-m", "pytest", *_in_parallel(arguments), *reporting, *arguments]
        try:
            code = subprocess.run(command, cwd=ROOT, env=environment, timeout=SUITE_SECONDS).returncode
        except subprocess.TimeoutExpired:
            say(f"The suite on {engine} took longer than {SUITE_SECONDS / 60:.0f} minutes and was ended.")
            code = 1
        return Result(engine, code, read_counts(report))


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


def _in_parallel(arguments: list[str]) -> list[str]:
    """Use twice as many processes as cores unless the person said otherwise; tests of one group stay together.

    Half of the time a story waits for the processes it has started. A process that crashes is not replaced: the run
    would wait for its share of the tests for ever.
    """
    said = any(argument.startswith(("-n", "--numprocesses", "--pdb", "-s")) for argument in arguments)
    number = 2 * min(os.cpu_count() or 1, MOST_CORES)
    return [] if said else ["-n", str(number), "--dist", "loadgroup", "--max-worker-restart", "0"]


def say(text: str) -> None:
    """Tell the person, before pytest's own lines that follow."""
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
