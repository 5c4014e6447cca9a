"""What every test shares: where the recordings are, and the jurisdictions' switches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache

from tests.failures.totals import pytest_terminal_summary  # noqa: F401  (used by pytest)
from tests.ledger_flush import _empty_ledger_between_tests  # noqa: F401  (used by pytest)

# What no engine has a part in: rules of the source, pure functions, the wire's shapes and the clients made of them, a
# server's sockets, the admin's rights and pages, sums that are the same in whatever order
ENGINE_FREE = (
    "tests/architecture/",
    "tests/billing/test_orders_of_events.py",
    "tests/config/test_backup_archive.py",
    "tests/config/test_beat.py",
    "tests/config/test_reporting.py",
    "tests/config/test_secrets.py",
    "tests/config/test_web_server.py",
    "tests/contract/",
    "tests/hostile/",
    "tests/journeys/",
    "tests/lookups/test_new_reason.py",
    "tests/matching/",
    "tests/mutants/",
    "tests/packaging/test_audit.py",
    "tests/packaging/test_documents.py",
    "tests/packaging/test_image.py",
    "tests/packaging/test_licenses.py",
    "tests/packaging/test_monitoring.py",
    "tests/packaging/test_requirements.py",
    "tests/packaging/test_variables.py",
    "tests/scrapers/normalize/",
    "tests/scrapers/recordings/",
    "tests/scrapers/states/",
    "tests/scrapers/test_golden.py",
    "tests/sign_in/test_policy.py",
    "tests/sign_in/test_reading.py",
    "tests/sign_in/test_roles.py",
    "tests/sign_in/test_second_factor.py",
    "tests/sign_in/test_users.py",
    "tests/sign_in/test_what_is_logged.py",
    # What becomes of each kind of old row; that all of them come along, test_released_versions shows on both
    "tests/upgrades/test_kept_lookups.py",
    "tests/upgrades/test_modes.py",
    "tests/upgrades/test_reversals.py",
    "tests/upgrades/test_trade_words.py",
    "tests/variations/",
)
RECORDINGS = Path(os.environ.get("SOS_RECORDINGS") or settings.BASE_DIR.parent / "shared" / "recordings")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a whole run has to do on one engine only (`tests.engines` leaves it out on the servers)."""
    for item in items:
        if item.nodeid.startswith(ENGINE_FREE):
            item.add_marker("once")


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of real portals' recorded answers; tests that need it skip plainly where it is not."""
    if not RECORDINGS.is_dir():
        pytest.skip(f"no recorded answers at {RECORDINGS}")
    return RECORDINGS


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    """What a process remembers for a minute belongs to the test before."""
    cache.clear()


@pytest.fixture
def switches(at_work: None) -> None:
    """Every jurisdiction's switch in its default position, in a service whose processes live."""
    from django.core.management import call_command

    call_command("sync_jurisdictions", verbosity=0)


@pytest.fixture
def at_work(db: None) -> None:
    """A process of each kind has just said that it lives; what it does is done by the test."""
    from django.db.models.functions import Now

    from lookups.models import Heartbeat

    for role in Heartbeat.Role:
        Heartbeat.objects.create(role=role, host="here", pid=1, started_at=Now(), beat_at=Now())


@pytest.fixture
def on_postgres() -> None:
    """Skip where the claim can only be proven on PostgreSQL: SQLite has no row locks."""
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        pytest.skip("proven on PostgreSQL only: SQLite has no row locks")


@pytest.fixture
def on_redis() -> str:
    """The Redis address; skips on the embedded default."""
    if not settings.REDIS_URL:
        pytest.skip("needs Redis: part of the second engine run")
    return str(settings.REDIS_URL)
