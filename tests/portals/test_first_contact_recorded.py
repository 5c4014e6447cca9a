"""First contact with what real portals answered: recorded conversations and recorded walls, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scrapers import discovery
from scrapers.operations import canaries
from scrapers.portal import CanaryKind, ContactResult
from scrapers.transport.recording import Step
from tests.portals.world import World, opened
from tests.scrapers.conversation import answer

UT = "https://businessregistration.utah.gov/EntitySearch"
ID, CA = "https://sosbiz.idaho.gov", "https://bizfileonline.sos.ca.gov"


@dataclass(frozen=True)
class Recorded:
    """A conversation that was had, and how it reads: the answer in a line."""

    state: str
    kind: CanaryKind
    name: str
    steps: tuple[tuple[str, str, str], ...]  # method, address, file ("" for an empty page)
    reads: str

    def load(self, folder: Path) -> list[Step]:
        """Its steps."""
        return [
            answer(method, url, folder / self.state / file if file else "<html><body></body></html>")
            for method, url, file in self.steps
        ]


CONVERSATIONS = [
    Recorded(
        "UT",
        CanaryKind.ACTIVE,
        "365 Heating and Air, L.L.C.",
        (
            ("GET", f"{UT}/OnlineEntitySearch", "search-form.html"),
            ("POST", f"{UT}/OnlineBusinessAndMarkSearchResult", "search-list.html"),
            ("POST", f"{UT}/BusinessInformation", "detail.html"),
        ),
        "365 HEATING & AIR LLC (11672536-0160), Active: active",
    ),
    Recorded(
        "ID",
        CanaryKind.INACTIVE,
        "M Smith Ventures",
        (
            ("POST", f"{ID}/api/Records/businesssearch", "businesssearch.json"),
            ("GET", f"{ID}/api/FilingDetail/business/919070/false", "filing-detail.json"),
            ("GET", f"{ID}/api/History/business/0005577637", "../CA/ucc-history.json"),  # of the same platform
        ),
        "M Smith Ventures, LLC (0005577637), Inactive-Dissolved (Administrative): inactive",
    ),
    Recorded(
        "CA",
        CanaryKind.LIEN,
        "Inhibrx, Inc.",
        (
            ("GET", f"{CA}/search/ucc", ""),
            ("POST", f"{CA}/api/Records/uccsearch", "ucc-search.json"),
            ("GET", f"{CA}/api/FilingDetail/ucc/1752168/false", "ucc-filing-detail.json"),
            ("GET", f"{CA}/api/History/ucc/197728978614", "ucc-history.json"),
        ),
        "1 filing",
    ),
]


@pytest.fixture
def world(settings: Any, switches: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with opened(monkeypatch, settings) as found:
        yield found


@pytest.mark.django_db
class TestARecordedRegistry:
    """What a real portal answered."""

    @pytest.mark.parametrize("recorded", CONVERSATIONS, ids=lambda one: f"{one.state} {one.kind}")
    def test_is_read_as_it_was(self, recorded: Recorded, world: World, recordings: Path) -> None:
        portal = discovery.find_portal(recorded.state)
        assert portal is not None
        world.server.play(recorded.load(recordings))
        asked = canaries.try_canary(portal, recorded.kind, recorded.name)
        assert (asked.result, asked.answer) == (ContactResult.READ, recorded.reads), asked.findings

    @pytest.mark.parametrize(
        ("state", "file"),
        [
            ("NC", "NC-cloudflare-challenge.html"),
            ("PA", "PA-cloudflare-challenge.html"),
            ("OH", "OH-blocked-maintenance-page.html"),
        ],
    )
    def test_is_walled_where_it_was(self, state: str, file: str, world: World, recordings: Path) -> None:
        portal = discovery.find_portal(state)
        assert portal is not None
        page = (recordings / "WALLS" / file).read_bytes()
        world.server.plant = lambda url, step: Step("GET", url, 200, {"content-type": "text/html"}, page)
        asked = canaries.try_canary(portal, CanaryKind.ACTIVE, "Walmart Inc.")
        assert asked.result is ContactResult.WALLED, asked.findings
