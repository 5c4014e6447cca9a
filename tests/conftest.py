"""What every test shares: where the recordings are, and the jurisdictions' switches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import settings

from tests.failures.totals import pytest_terminal_summary  # noqa: F401  (used by pytest)
from tests.ledger_flush import _empty_ledger_between_tests  # noqa: F401  (used by pytest)

RECORDINGS = Path(os.environ.get("SOS_RECORDINGS") or settings.BASE_DIR.parent / "shared" / "recordings")


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of real portals' recorded answers; tests that need it skip plainly where it is not."""
    if not RECORDINGS.is_dir():
        pytest.skip(f"no recorded answers at {RECORDINGS}")
    return RECORDINGS


@pytest.fixture
def switches(db: None) -> None:
    """Every jurisdiction's switch in its default position."""
    from django.core.management import call_command

    call_command("sync_jurisdictions", verbosity=0)


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
