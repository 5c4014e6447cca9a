"""THE TABLE of `make mutants`: which modules are changed, which tests must notice, and what no test can notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A module and the tests it is tried by; `servers`: also on PostgreSQL and Redis, for what SQLite cannot show."""

    module: str
    tests: tuple[str, ...]
    servers: bool = False


BILLING = ("tests/billing",)
LOOKUPS = ("tests/lookups",)
MATCHING = (
    "tests/matching", "tests/scrapers/test_asking.py", "tests/scrapers/test_respelled_names.py",
    "tests/scrapers/test_shortlist.py", "tests/scrapers/test_transport.py", "tests/scrapers/test_breaker.py",
)  # fmt: skip

TARGETS = (
    Target("billing/ledger.py", BILLING, servers=True),
    Target("billing/posting.py", BILLING, servers=True),
    Target("billing/budgets.py", BILLING),
    Target("billing/keys.py", BILLING),
    Target("billing/topups.py", BILLING),
    Target("lookups/services/settling.py", LOOKUPS),
    Target("lookups/services/lookup.py", LOOKUPS),
    Target("lookups/services/jobs.py", LOOKUPS),
    Target("scrapers/matching.py", MATCHING),
    Target("scrapers/errors.py", MATCHING),
)

# (place, before, after): why the changed module does the same. What is printed of an unnoticed change, in three.
Explained = dict[tuple[str, str, str], str]
EXPLAINED: dict[str, Explained] = {}
