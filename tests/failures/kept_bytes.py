"""`python -m tests.failures.kept_bytes ACCOUNT`: holds what was sold to it against the bytes, and prints what is wrong.

Run beside the service, on its database and its folder. It sweeps as the clock does in the night, and at the end lets a
year pass for all that is kept: so it is the last thing that a story does.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any


def main(account: int) -> None:
    """Look, and print it as JSON."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    from django.conf import settings
    from django.core.files.storage import storages
    from django.utils import timezone

    from lookups.models import Lookup
    from lookups.verdicts import BILLED
    from scrapers.evidence import bodies
    from scrapers.models import Body, Reading

    folder, now = Path(storages["evidence"].path("")), timezone.now()

    def list_files() -> set[str]:
        return {file.name for file in folder.rglob("*") if file.is_file()}

    def lacks_bytes(reading: Reading | None) -> bool:
        return reading is None or any(
            bodies.read(one["body"]["sha256"]) is None for one in reading.exchanges if one["status"] is not None
        )

    swept = bodies.sweep(now=now + timedelta(hours=2))
    sold = Lookup.objects.filter(account=account, verdict__in=BILLED).select_related("reading")
    rows = dict(Body.objects.values_list("pk", "keep_until"))
    cited = {one["body"]["sha256"] for reading in Reading.objects.all() for one in reading.exchanges}
    told: dict[str, Any] = {
        "files": len(list_files()),
        "in_rows": Body.objects.exclude(packed=None).count(),
        "sold": sold.count(),
        "without_bytes": [lookup.public_id for lookup in sold if lacks_bytes(lookup.reading)],
        "swept": swept,
        "files_of_nobody": sorted(list_files() - {f"{sha256}.z" for sha256 in rows}),
        "cited_by_nobody": len(rows.keys() - cited),
        "kept_for_ever": [
            sha256 for sha256, until in rows.items() if until > now + timedelta(days=settings.EVIDENCE_DAYS)
        ],
    }
    bodies.prune(now=now + timedelta(days=settings.EVIDENCE_DAYS + 1))
    told["left_after_a_year"] = [*list_files(), *Body.objects.values_list("pk", flat=True)]
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(int(sys.argv[1]))
