"""What every test shares: where the recordings are, and the jurisdictions' switches."""

from __future__ import annotations

import fcntl
import gc
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler
from typing import Any

import hypothesis
import pytest
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from xdist.scheduler import LoadGroupScheduling

from tests.browser.fixtures import browser  # noqa: F401  (a fixture)
from tests.failures.totals import pytest_terminal_summary  # noqa: F401  (used by pytest)
from tests.ledger_flush import _empty_ledger_between_tests  # noqa: F401  (used by pytest)
from tests.migrated_once import django_db_setup  # noqa: F401  (used by pytest)

# What no engine has a part in: rules of the source, pure functions, the wire's shapes and the clients made of them, a
# server's sockets, the admin's rights and pages, sums that are the same in whatever order, the scraping core (which
# knows no Django), files of evidence, words and cells of what is sent or shown
ENGINE_FREE = (
    "tests/admin/",
    "tests/architecture/",
    "tests/billing/test_admin.py",
    "tests/billing/test_challenge.py",
    "tests/billing/test_independent_client.py",
    "tests/billing/test_money.py",
    "tests/billing/test_orders_of_events.py",
    "tests/billing/test_topups_to_the_cent.py",
    "tests/browser/",
    "tests/config/test_backup_archive.py",
    "tests/config/test_beat.py",
    "tests/config/test_folder_queue.py",
    "tests/config/test_reporting.py",
    "tests/config/test_secrets.py",
    "tests/config/test_variables.py",
    "tests/config/test_web_server.py",
    "tests/contract/",
    "tests/doors/",
    "tests/engines/test_engines.py",
    "tests/evidence/test_canonical.py",
    "tests/evidence/test_file.py",
    "tests/evidence/test_hundred_lookups.py",
    "tests/evidence/test_left_out.py",
    "tests/evidence/test_page.py",
    "tests/evidence/test_recorded_lookups.py",
    "tests/evidence/test_timestamps.py",
    "tests/hostile/",
    "tests/journeys/",
    "tests/lookups/history/test_changes.py",
    "tests/lookups/test_allowed_networks.py",
    "tests/lookups/test_bulk_workbook.py",
    "tests/lookups/test_csv_cells.py",
    "tests/lookups/test_delivery_admin.py",
    "tests/lookups/test_errors.py",
    "tests/lookups/test_job_admin.py",
    "tests/lookups/test_left_out.py",
    "tests/lookups/test_log.py",
    "tests/lookups/test_modes.py",
    "tests/lookups/test_new_reason.py",
    "tests/lookups/test_older_spellings.py",
    "tests/lookups/test_own_deliveries.py",
    "tests/lookups/test_pages.py",
    "tests/lookups/test_sandbox.py",
    "tests/lookups/test_webhook_secrets.py",
    "tests/lookups/test_webhook_sender.py",
    "tests/lookups/test_webhook_signatures.py",
    "tests/lookups/test_webhook_test.py",
    "tests/lookups/watches/test_messages.py",
    "tests/lookups/watches/test_schedule.py",
    "tests/lookups/watches/test_year.py",
    "tests/matching/",
    "tests/mutants/",
    "tests/packaging/test_asvs.py",
    "tests/packaging/test_audit.py",
    "tests/packaging/test_documents.py",
    "tests/packaging/test_image.py",
    "tests/packaging/test_kubernetes.py",
    "tests/packaging/test_licenses.py",
    "tests/packaging/test_monitoring.py",
    "tests/packaging/test_requirements.py",
    "tests/packaging/test_retention.py",
    "tests/packaging/test_variables.py",
    "tests/pages/docs/",
    "tests/pages/dossier/test_headline.py",
    "tests/pages/dossier/test_in_the_browser.py",
    "tests/pages/dossier/test_linked_data.py",
    "tests/pages/dossier/test_picture.py",
    "tests/pages/home/test_box.py",
    "tests/pages/home/test_examples.py",
    "tests/pages/home/test_in_a_browser.py",
    "tests/pages/home/test_states.py",
    "tests/pages/home/test_words.py",
    "tests/portals/test_conformance.py",
    "tests/portals/test_faults.py",
    "tests/portals/test_first_contact.py",
    "tests/scrapers/normalize/",
    "tests/scrapers/recordings/",
    "tests/scrapers/states/",
    "tests/scrapers/test_asking.py",
    "tests/scrapers/test_availability.py",
    "tests/scrapers/test_damaged_pages.py",
    "tests/scrapers/test_deadline.py",
    "tests/scrapers/test_failures.py",
    "tests/scrapers/test_failures_by_name.py",
    "tests/scrapers/test_golden.py",
    "tests/scrapers/test_identities.py",
    "tests/scrapers/test_lines_of_html.py",
    "tests/scrapers/test_minnesota_register.py",
    "tests/scrapers/test_names_by_statute.py",
    "tests/scrapers/test_odd_names.py",
    "tests/scrapers/test_oversized_files.py",
    "tests/scrapers/test_people_with_liens.py",
    "tests/scrapers/test_published_files.py",
    "tests/scrapers/test_refusals.py",
    "tests/scrapers/test_respelled_names.py",
    "tests/scrapers/test_sandbox.py",
    "tests/scrapers/test_scrape_command.py",
    "tests/scrapers/test_search_costs.py",
    "tests/scrapers/test_search_terms.py",
    "tests/scrapers/test_shortlist.py",
    "tests/scrapers/test_states_page.py",
    "tests/scrapers/test_statuses.py",
    "tests/scrapers/test_transport.py",
    "tests/scrapers/test_virginia_register.py",
    "tests/scrapers/test_webforms.py",
    "tests/scrapers/test_whose_liens.py",
    "tests/scrapers/test_wider_searches.py",
    "tests/sign_in/test_policy.py",
    "tests/sign_in/test_reading.py",
    "tests/sign_in/test_roles.py",
    "tests/sign_in/test_second_factor.py",
    "tests/sign_in/test_users.py",
    "tests/sign_in/test_what_is_logged.py",
    # What becomes of each kind of old row; that all of them come along, test_released_versions shows on both
    "tests/upgrades/test_former_slugs.py",
    "tests/upgrades/test_kept_lookups.py",
    "tests/upgrades/test_modes.py",
    "tests/upgrades/test_reasons_of_versions.py",
    "tests/upgrades/test_reversals.py",
    "tests/upgrades/test_trade_words.py",
    "tests/variations/",
    # What two do at once is in tests/workspace/test_at_once.py
    "tests/workspace/balance/test_balance.py",
    "tests/workspace/balance/test_in_a_browser.py",
    "tests/workspace/bulk/test_tables.py",
    "tests/workspace/entrance/",
    "tests/workspace/keys/",
    "tests/workspace/preferences/",
    "tests/workspace/team/",
    "tests/workspace/test_access.py",
    "tests/workspace/test_in_a_browser.py",
    "tests/workspace/test_periods.py",
    "tests/workspace/test_times.py",
    "tests/workspace/webhooks/",
)
# Servers that tests play, and Django's for them, send an answer's head and body apart: the system would hold the
# second back until the first is acknowledged, 40 ms each time
StreamRequestHandler.disable_nagle_algorithm = True
# The mail server that tests play writes of a connection's end when its test, and who would read that, is over
logging.getLogger("mail.log").propagate = False
# A property is broken by what comes out, however long a busy machine takes for it
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")
RECORDINGS = Path(os.environ.get("SOS_RECORDINGS") or settings.BASE_DIR.parent / "shared" / "recordings")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read what a whole run leaves out on the servers."""
    left_out = config.option.markexpr == "not once"
    return True if left_out and _is_engine_free(str(collection_path.relative_to(settings.BASE_DIR))) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a whole run has to do on one engine only (`tests.engines` leaves it out on the servers); order."""
    for item in items:
        if _is_engine_free(item.nodeid.partition("::")[0]):
            item.add_marker("once")
    # What takes long would begin anywhere: the run would wait for the last of it alone
    long = {"xdist_group", "slow"}
    items.sort(key=lambda item: long.isdisjoint(mark.name for mark in item.iter_markers()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadGroupScheduling | None:
    """Hand the tests out as xdist does, and forget what has run."""
    return Forgetting(config, log) if config.getoption("dist") == "loadgroup" else None


class Forgetting(LoadGroupScheduling):
    """xdist's own counts what is left among all that ever ran, after each word of a test: 10 s of 15,000 tests."""

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Note that a test has run."""
        super().mark_test_complete(node, item_index, duration)
        group = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][group].values()):
            del self.assigned_work[node][group]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Look for no cycles among the tests: they stay, and each look at all of them takes half a second."""
    gc.disable()
    try:
        with _compiled_once():
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _compiled_once() -> Iterator[None]:
    """In a fresh checkout one process reads the tests before the others, which find them compiled.

    All of them would compile each file side by side, which takes longer than to read it.
    """
    here = Path(__file__).parent
    folder = os.open(here, os.O_RDONLY)
    try:
        if not (sys.dont_write_bytecode or _is_compiled(here)):
            fcntl.flock(folder, fcntl.LOCK_EX)
            if _is_compiled(here):
                fcntl.flock(folder, fcntl.LOCK_UN)
        yield
    finally:
        os.close(folder)


def _is_compiled(folder: Path) -> bool:
    return any((folder / "workspace" / "__pycache__").glob("test_*"))  # which are read last


def _is_engine_free(path: str) -> bool:
    return f"{path}/".startswith(ENGINE_FREE)


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
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls to workers go nowhere: the test plays the worker itself."""
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def switches(at_work: None) -> None:
    """Every jurisdiction's switch in its default position, in a service whose processes live."""
    from django.core.management import call_command

    call_command("sync_jurisdictions", verbosity=0)


@pytest.fixture
def at_work(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of each kind says that it lives, and is believed for an hour; what it does is done by the test."""
    from datetime import timedelta

    from django.db.models.functions import Now

    from lookups.models import Heartbeat
    from lookups.operations import heartbeats

    monkeypatch.setattr(heartbeats, "SILENT_AFTER", timedelta(hours=1))
    Heartbeat.objects.bulk_create(
        Heartbeat(role=role, host="here", pid=1, started_at=Now(), beat_at=Now()) for role in Heartbeat.Role
    )


@pytest.fixture
def on_postgres(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip where the claim can only be proven on PostgreSQL: SQLite has no row locks."""
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        pytest.skip("proven on PostgreSQL only: SQLite has no row locks")
    # Of thirty-two that wait for one row the last waits long on a busy machine
    monkeypatch.setattr(settings, "DATABASE_SECONDS", 120.0)


@pytest.fixture
def on_redis() -> str:
    """The Redis address; skips on the embedded default."""
    if not settings.REDIS_URL:
        pytest.skip("needs Redis: part of the second engine run")
    return str(settings.REDIS_URL)
