"""How large a copy of bulk data may be: rows a second, peak memory, and the time of a name search, on PostgreSQL.

    DATABASE_URL=postgres://… python -m tests.bench.copy_size --rows 5000000

Prints one line a measure. The rows are fictional; the copy is removed at the end.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

FIRST = ("Blue", "Red", "North", "Silver", "Amber", "Quiet", "Swift", "Cedar", "Granite", "Harbor", "Prairie", "Summit")
SECOND = ("Heron", "Falcon", "River", "Ridge", "Meadow", "Canyon", "Anchor", "Lantern", "Orchard", "Quarry", "Valley")
THIRD = ("Logistics", "Holdings", "Foods", "Design", "Energy", "Partners", "Capital", "Builders", "Dental", "Software")


def write(path: Path, count: int) -> None:
    """A CSV of `count` fictional companies."""
    pick = random.Random(314)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["NUMBER", "NAME", "STATE OF IT", "CITY"])
        for number in range(count):
            name = f"{pick.choice(FIRST)} {pick.choice(SECOND)} {pick.choice(THIRD)} {number % 90_000} LLC"
            out.writerow([number, name, "Good Standing", "Nome"])


def main() -> None:
    """Import, measure, search, measure, clean up."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=5_000_000)
    count = options.parse_args().rows
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    from scrapers.bulk_data import copies, refresh
    from scrapers.models import BulkCopy
    from tests.scrapers.test_loaded_copies import Northland

    BulkCopy.objects.filter(state="ZZ").delete()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "all.csv"
        write(file, count)
        started = time.monotonic()
        now = datetime.now(UTC)
        copy = refresh.load(portal=Northland(), file=file, as_of=now, now=now)
        took = time.monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"import: {copy.entities} rows in {took:.0f} s, {copy.entities / took:.0f} rows/s\n")
    sys.stdout.write(f"peak memory: {peak:.0f} MB\n")
    current, pick, times = copies.find_current("ZZ"), random.Random(271), []
    assert current is not None
    for _ in range(200):
        key = f"{pick.choice(FIRST)} {pick.choice(SECOND)} {pick.choice(THIRD)}".lower()
        started = time.monotonic()
        current.list_by_name(key, limit=200, wider=25)
        times.append((time.monotonic() - started) * 1000)
    times.sort()
    sys.stdout.write(
        f"name search: median {median(times):.1f} ms, 99th {times[197]:.1f} ms, worst {times[-1]:.1f} ms\n"
    )
    BulkCopy.objects.filter(pk=copy.pk).update(status="replaced")
    copies.prune()


if __name__ == "__main__":
    main()
