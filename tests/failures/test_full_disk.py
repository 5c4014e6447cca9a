"""The embedded default on a disk that is full, or open for reading alone: file, queue and counts lie on the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from django.conf import settings

from tests.failures import bounds
from tests.failures.books import wait_until
from tests.failures.disks import small_disk
from tests.failures.embedded import Embedded, running
from tests.failures.service import SYNC_BUDGET_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("full disk")]
PRICE = 314
DATABASE_SECONDS = 5.0  # for its turn to write
AT_ONCE = SYNC_BUDGET_SECONDS + DATABASE_SECONDS


@pytest.fixture(scope="module")
def running_embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """Everything started once."""
    if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        pytest.skip("the embedded default: part of the first engine run")
    folder = Path(mkdtemp(prefix="sos-lookup-disk-", dir="/tmp"))
    logs = tmp_path_factory.mktemp("logs")
    with (
        small_disk(folder, megabytes=24) as disk,
        running(folder, logs=logs, disk=disk, DATABASE_SECONDS=str(DATABASE_SECONDS)) as embedded,
    ):
        yield embedded
    os.rmdir(folder)


@pytest.fixture
def embedded(running_embedded: Embedded) -> Embedded:
    """The service, well again after the story before."""
    running_embedded.registries.open()
    wait_until(running_embedded.is_healthy, what="the service is well", seconds=60)
    return running_embedded


class TestADisk:
    """Of the machine that everything is on."""

    @pytest.mark.parametrize("fault", ["full", "read_only"])
    def test_that_takes_nothing_more_puts_off_every_caller_and_loses_nothing(
        self, fault: str, embedded: Embedded
    ) -> None:
        customer = embedded.customer
        embedded.registries.shut()
        before = customer.ask(customer.questions(4))
        assert {call.status for call in before} == {202}
        during = customer.questions(6)
        assert embedded.disk is not None
        embedded.empty_log()
        with getattr(embedded.disk, fault)():
            embedded.registries.open()  # the answers to those before come now
            wait_until(lambda: embedded.registries.waiting() == 0, what="the answers have come")
            bounds.assert_put_off(customer.ask(during), within=AT_ONCE)
            signs = bounds.read_signs(embedded.url)
            assert signs.ready == 503
            assert "broker" in signs.missing
            assert signs.health["status" if signs.health_status == 200 else "code"] in ("degraded", "internal_error")
            assert embedded.dead() == []
        customer.insist(during)
        embedded.finish()
        self.compare_books(embedded)
        wait_until(embedded.is_healthy, what="the service is well", seconds=60)
        assert embedded.dead() == []

    def compare_books(self, embedded: Embedded) -> None:
        """One answer, one charge; nothing is open or set aside."""
        customer, found = embedded.customer, 0
        for call in customer.calls:
            reply = call.body
            if call.status == 202:
                reply = customer.read(f"/v1/lookup/status/{call.body['jobId']}").json()
                assert reply["status"] == "complete", reply
            found += reply.get("success") is True
        assert found == sum("Petrel" in call.name for call in customer.calls)
        open_lookups = "SELECT id FROM lookups_lookup WHERE verdict IS NULL AND bulk_id IS NULL"
        wait_until(lambda: not embedded.read(open_lookups), what="no lookup is open", seconds=60)
        assert embedded.read("SELECT spent, held FROM billing_account") == [(found * PRICE, 0)]
        reconciled = embedded.manage("reconcile")
        assert reconciled.returncode == 0, reconciled.stdout


class TestTheTemporaryFolder:
    """Of the machine, on a disk of its own, which other programs have filled."""

    def test_that_is_full_keeps_nobody_from_a_large_bulk_request(self, tmp_path: Path) -> None:
        if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
            pytest.skip("the embedded default: part of the first engine run")
        folder, logs, elsewhere = (tmp_path / name for name in ("var", "logs", "elsewhere"))
        for path in (folder, logs, elsewhere):
            path.mkdir()
        two = ("web", "bulk")  # who takes the request, and who has to be there for it
        with (
            small_disk(elsewhere, megabytes=1) as disk,
            running(folder, logs=logs, names=two, TMPDIR=str(elsewhere)) as embedded,
        ):
            embedded.registries.shut()
            with disk.full():
                embedded.customer.ask_bulk(embedded.customer.questions(1000), seconds=120)
            embedded.registries.open()
