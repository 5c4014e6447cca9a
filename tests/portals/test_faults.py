"""Every kind of portal meets every fault there is, and none of them ever reads as "not found"."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import pytest

from scrapers import discovery
from scrapers.failures import PageChanged, PortalBlocked, PortalError, PortalUnavailable
from scrapers.portal import Portal
from scrapers.records import Answer, Query
from scrapers.search.pipeline import ask
from scrapers.transport.session import PortalSession, TransportSettings
from tests.portals.faults import FAULTS
from tests.portals.simulator import Simulator, running
from tests.scrapers.golden import NOW, THRESHOLD, Case, list_cases

RIGHT: dict[str, tuple[type[PortalError], ...]] = {
    "error": (PortalUnavailable,),
    "reset": (PortalUnavailable,),
    "hang": (PortalUnavailable,),
    "drip": (PortalUnavailable,),
    "cut-off": (PortalUnavailable,),
    "maintenance": (PortalUnavailable,),
    "wall": (PortalBlocked,),
    "forbidden": (PortalBlocked,),
    "too-many-requests": (PortalBlocked,),
    # A captcha where the result should be is a wall to an HTML reader; to a JSON reader it is no JSON.
    "captcha": (PortalBlocked, PageChanged),
    "layout": (PageChanged,),
    "wrong-type": (PageChanged,),
    "empty": (PageChanged, PortalBlocked),  # some walls answer programs with nothing at all
    "bomb": (PageChanged,),
    "endless": (PageChanged,),
}
DEADLINE = {"hang": 1.0, "drip": 1.0}
NEXT_END = 15.0  # seconds: what would end it if the deadline did not, the shortest time-out of a single read
MEMORY = 64 * 1024 * 1024


def first_cases() -> dict[str, Case]:
    """The `active` case of every state."""
    return {case.state: case for case in list_cases() if case.situation == "active"}


def kinds_of_portal() -> dict[str, Case]:
    """One state of each platform, and every state whose portal is its own."""
    found: dict[str, Case] = {}
    for state, case in first_cases().items():
        modules = [kind.__module__.split(".") for kind in type(discovery.find_portal(state)).__mro__]
        found.setdefault(
            next((parts[2] for parts in modules if parts[:2] == ["scrapers", "platforms"]), modules[0][2]), case
        )
    return found


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with running() as server:
        yield server


def put(case: Case, simulator: Simulator, *, seconds: float) -> tuple[Answer, Portal]:
    """Ask the simulator what the case asks."""
    portal = discovery.find_portal(case.state)
    assert portal is not None
    session = PortalSession(
        portal=portal.code,
        hosts=portal.hosts,
        settings=TransportSettings(
            user_agent="test", portals_url=simulator.url, keys=case.content.get("keys", {}), max_bytes=4 * 1024 * 1024
        ),
        deadline=time.monotonic() + seconds,
    )
    try:
        question = Query(state=case.state, **case.content["question"])
        return ask(portal, session, question, now=NOW, threshold=THRESHOLD), portal
    finally:
        session.close()


class TestTheSimulator:
    """The portals of the tests."""

    @pytest.mark.parametrize("state", first_cases())
    def test_speaks_each_states_protocol_over_a_real_socket(self, state: str, simulator: Simulator) -> None:
        simulator.fault = None
        case = first_cases()[state]
        answer, _ = put(case, simulator, seconds=20)
        assert answer.record.entity_id == case.expected["record"]["entity_id"]  # type: ignore[union-attr]

    def test_knows_a_right_error_for_every_fault(self) -> None:
        assert set(RIGHT) == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", kinds_of_portal())
class TestAPortal:
    """A platform, or a state's own portal, met on a bad day."""

    def test_ends_in_the_right_error_in_time(self, kind: str, fault: str, simulator: Simulator) -> None:
        simulator.fault = fault
        seconds = DEADLINE.get(fault, 20.0)
        started = time.monotonic()
        try:
            with pytest.raises(PortalError) as caught:
                put(kinds_of_portal()[kind], simulator, seconds=seconds)
        finally:
            simulator.fault = None
        assert isinstance(caught.value, RIGHT[fault]), f"{caught.value!r}"
        assert time.monotonic() - started < (NEXT_END if fault in DEADLINE else seconds + 1.0)


class TestAHugeAnswer:
    """500 MB where a page should be."""

    @pytest.mark.parametrize("fault", ["bomb", "endless"])
    def test_is_cut_at_the_limit(self, fault: str, simulator: Simulator) -> None:
        case = next(iter(kinds_of_portal().values()))
        simulator.fault = fault
        tracemalloc.start()
        try:
            with pytest.raises(PageChanged, match="longer than"):
                put(case, simulator, seconds=20)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
            simulator.fault = None
        assert peak < MEMORY, f"{peak / 1e6:.0f} MB"
