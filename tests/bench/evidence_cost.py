"""What evidence costs a live lookup: its share of the lookup's time, and the bytes that stay of it.

    python -m tests.bench.evidence_cost [--number 300]

Asks the sandbox registry in one process, in a database and a folder of its own that are thrown away (`DATABASE_URL`
names another one). Of each lookup two parts are timed apart: keeping what the registry answered (hashes, compressing,
two statements; its pages are too short for a file) and sealing it (manifest, signature, one statement). Five rounds, of
which the median counts.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from typing import Any

ROUNDS = 5


class Watch:
    """Adds up the time that a function takes, wherever it is called."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def over(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, timed."""

        def timed(*args: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return function(*args, **named)
            finally:
                self.seconds += time.perf_counter() - began

        return timed


def ask(key: Any, number: int) -> None:
    """One lookup after the other, in four states."""
    from django.utils import timezone

    from lookups.lookup import flow
    from lookups.lookup.asks import Ask
    from lookups.lookup.payers import KeyPayer
    from lookups.lookup.questions import Question

    for each in range(number):
        question = Question(state=("DE", "NY", "CA", "TX")[each % 4], name="Blue Heron Logistics LLC")
        flow.perform(ask=Ask(question=question, payer=KeyPayer(key), apart=True), now=timezone.now())


def measure(number: int) -> tuple[float, float, float]:
    """Milliseconds of a lookup, of keeping and of sealing."""
    from django.utils import timezone

    from billing import accounts, keys
    from lookups.evidence import manifests
    from scrapers.evidence import readings

    account = accounts.open_account(name="bench", now=timezone.now())
    key, _ = keys.issue(account=account, name="bench", mode="test", now=timezone.now())
    ask(key, 20)  # what a process reads once
    keeping, sealing = Watch(), Watch()
    usual = readings.keep, manifests.seal, manifests.keep
    kept = keeping.over(usual[0])

    def keep_as_new(attempt: Any, heard: Any, **more: Any) -> Any:
        for one in heard:
            one.body = bytes(one.body) + uuid.uuid4().bytes  # a page that is like no other, as registries' are
        return kept(attempt, heard, **more)

    readings.keep, manifests.seal = keep_as_new, sealing.over(usual[1])  # type: ignore[assignment]
    manifests.keep = sealing.over(usual[2])  # type: ignore[assignment]
    try:
        began = time.perf_counter()
        ask(key, number)
        whole = time.perf_counter() - began
    finally:
        readings.keep, manifests.seal, manifests.keep = usual  # type: ignore[assignment]
    return whole / number * 1e3, keeping.seconds / number * 1e3, sealing.seconds / number * 1e3


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--number", type=int, default=300)
    number = arguments.parse_args().number
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VAR_DIR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
        os.environ.setdefault("LOG_LEVEL", "ERROR")
        import django

        django.setup()
        from django.core.management import call_command
        from django.db.models import Avg, Sum

        from lookups.models import Manifest
        from scrapers.models import Body, Reading

        call_command("migrate", verbosity=0)
        rounds = [measure(number) for _ in range(ROUNDS)]
        whole, keeping, sealing = (statistics.median(column) for column in zip(*rounds, strict=True))
        spread = [(keep + seal) / took for took, keep, seal in rounds]
        readings, held = Reading.objects.count(), Body.objects.aggregate(sum=Sum("packed_size"), size=Avg("size"))
        lines = (
            f"a live lookup of the sandbox   {whole:7.2f} ms",
            f"  keeping what was answered    {keeping:7.2f} ms, {keeping / whole:.0%} of it",
            f"  sealing what was told        {sealing:7.2f} ms, {sealing / whole:.0%} of it",
            f"  both, from round to round    {min(spread):.0%} to {max(spread):.0%}",
            f"bytes kept, compressed         {held['sum'] / readings:7.0f} a lookup",
            f"bytes of a page, unpacked      {held['size']:7.0f}",
            f"manifests                      {Manifest.objects.count()} of {readings} lookups",
        )
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
