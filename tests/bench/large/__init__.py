"""What a service with a million companies behind it costs to read, beside the same service with nothing in it.

    python -m tests.bench.large [--entities 1000000] [--repeats 5] [--only PART] [--keep-running]

Starts a throw-away PostgreSQL with two databases, one filled by SQL and one that has only the accounts and the keys,
and asks both for every list and search of the admin, the workspace's pages and the hot calls of the API, in one process
through the whole stack of middleware and templates. Prints a table for docs/benchmarks.md. The names are those of the
register in ../shared/registers where that is there, and made-up ones elsewhere. A million companies take some 15 GB.
"""

from __future__ import annotations


def set_up() -> None:
    """Make Django ready, with the database that the environment names."""
    import django

    django.setup()


def make(entities: int) -> None:
    """Make its tables, and fill them."""
    set_up()
    from django.core.management import call_command
    from django.utils import timezone

    from billing import finance
    from lookups.operations import daily
    from tests.bench.large.filling import fill

    call_command("migrate", verbosity=0)
    call_command("sync_jurisdictions", verbosity=0)
    fill(entities)
    now = timezone.now()
    finance.keep_days(now=now)
    daily.keep_days(now=now)
