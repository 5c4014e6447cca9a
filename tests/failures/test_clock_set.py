"""The machine's clock is set an hour on or back under the running processes; the database's is another machine's.

A small library before the system's own tells them the time of day, and nothing else: what is waited for by the second
goes on. (libfaketime 0.9.10 breaks `time.sleep` of Python, which sleeps until a moment of the other clock.)
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.failures import bounds
from tests.failures.books import wait_until
from tests.failures.conftest import Audit
from tests.failures.customers import Customer
from tests.failures.service import SYNC_BUDGET_SECONDS, Service

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis, pytest.mark.xdist_group("away")]
HOUR = 3600
LIBRARY = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long ahead(void) {
    char text[24] = {0};
    int note = open(getenv("CLOCK_AHEAD"), O_RDONLY | O_CLOEXEC);
    if (note < 0) return 0;
    long got = read(note, text, 23);
    close(note);
    return got > 0 ? atol(text) : 0;
}
int clock_gettime(clockid_t id, struct timespec *at) {
    long failed = syscall(SYS_clock_gettime, id, at);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += ahead();
    return failed;
}
int gettimeofday(struct timeval *at, void *zone) {
    long failed = syscall(SYS_gettimeofday, at, zone);
    if (!failed) at->tv_sec += ahead();
    return failed;
}
time_t time(time_t *into) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (into) *into = at.tv_sec;
    return at.tv_sec;
}
"""
Setting = Callable[[int], None]


@pytest.fixture
def set_clock(storm: Service, tmp_path: Path) -> Iterator[Setting]:
    """All processes on a clock that the story sets: by so many seconds from the true one.

    Afterwards it is right, and stays what they read: to start all of them anew takes ten seconds of a processor.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("sets the clock by a library that has to be compiled, and there is no C compiler on this machine")
    source, library = tmp_path / "clock.c", tmp_path / "clock.so"
    source.write_text(LIBRARY)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    note = tmp_path / "clock"

    def put(seconds: int) -> None:
        draft = tmp_path / "draft"
        draft.write_text(str(seconds))
        draft.replace(note)

    put(HOUR)
    variables = {"LD_PRELOAD": str(library), "CLOCK_AHEAD": str(note)}
    for process in storm.processes.values():
        process.end()
        process.start(**variables)
    storm.wait_for(*storm.processes)
    yield put
    put(0)
    assert_well(storm)
    for process in storm.processes.values():
        process.is_usual = True


def assert_well(storm: Service) -> None:
    """Every process is counted on, and could serve."""
    wait_until(lambda: bounds.read_signs(storm.url).health["status"] == "healthy", what="the service is well")
    assert bounds.read_signs(storm.url).ready == 200
    assert storm.dead() == []


class TestTheClock:
    """Of the web server, the workers and beat."""

    def test_an_hour_back_and_on_again_stops_nothing_and_nobody(
        self, storm: Service, customer: Customer, settled: Audit, set_clock: Setting
    ) -> None:
        asked = customer.ask(customer.questions(8))
        wait_until(lambda: "Sending due task sweep-jobs" in storm.processes["beat"].said(), what="the clock has swept")
        set_clock(0)
        assert_well(storm)
        calls = customer.ask(customer.questions(8))
        assert {call.status for call in calls} <= {200, 202, 404}
        assert max(call.seconds for call in calls) < SYNC_BUDGET_SECONDS + bounds.BUSY
        # Their calls are lost; none but the clock would have them taken up.
        with storm.without(storm.addresses.redis, signal.SIGKILL):
            customer.ask_bulk(customer.questions(8))
        storm.move_clock(30)  # so long nobody took a row
        wait_until(lambda: storm.open_jobs(customer) == 0, what="the clock had the rest done", seconds=60)

        storm.registries.shut()
        late = customer.ask(customer.questions(4))
        assert {call.status for call in late} == {202}
        set_clock(HOUR)  # past their deadlines: nobody answers them, and nobody pays
        wait_until(lambda: storm.open_jobs(customer) == 0, what="the clock ended what was late", seconds=60)
        storm.registries.open()
        storm.let_late_ones_come_home()
        assert_well(storm)
        assert {call.status for call in customer.ask(customer.questions(4))} <= {200, 202, 404}
        assert settled(customer, most_asked=2).found == 7 + 7 + 7 + 4
        assert asked[0].status in (200, 202)
