"""The tools for the day there is a network, tried against the simulator over a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from jurisdictions import selectors
from scrapers import discovery
from tests.portals.simulator import Simulator, running
from tests.scrapers.golden import list_cases

CASE = next(case for case in list_cases() if str(case) == "NY-active")


@pytest.fixture
def simulator(settings, switches: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    portal = discovery.find_portal("NY")
    monkeypatch.setattr(type(portal), "canary", CASE.content["question"]["name"])
    with running() as server:
        settings.PORTALS_URL = server.url
        yield server


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
class TestTheCanary:
    """`manage.py canary`."""

    def test_makes_a_state_that_answers_as_expected_live(self, simulator: Simulator) -> None:
        told = run("canary", "NY")
        assert "1 of 1 answered as expected" in told
        assert selectors.get_jurisdiction("NY").verified_live_at is not None

    def test_tells_a_wall_from_a_changed_page(self, simulator: Simulator) -> None:
        simulator.fault = "wall"
        told = run("canary", "NY")
        assert "blocked" in told
        simulator.fault = "layout"
        told = run("canary", "NY")
        assert "layout_changed" in told
        row = selectors.get_jurisdiction("NY")
        assert (row.status, row.verified_live_at) == ("degraded", None)

    def test_asks_a_state_that_was_named_even_if_it_is_off_and_leaves_it_off(self, simulator: Simulator) -> None:
        simulator.fault = "forbidden"
        run("canary", "KS")
        row = selectors.get_jurisdiction("KS")
        assert (row.enabled, row.status) == (False, "inactive")
        assert row.last_tested_at is not None

    def test_knows_no_state_of_that_name(self, simulator: Simulator) -> None:
        with pytest.raises(CommandError, match="QQ"):
            run("canary", "QQ")


@pytest.mark.django_db(transaction=True)
class TestCapture:
    """`manage.py capture_golden`."""

    def test_proposes_a_case_with_persons_replaced(self, simulator: Simulator, tmp_path: Path) -> None:
        name = CASE.content["question"]["name"]
        run("capture_golden", "NY", name, "--to", str(tmp_path), "--replace", "SAMPLE=DOE")
        folder = tmp_path / "NY" / "active-proposed"
        case = json.loads((folder / "case.json").read_text())
        assert case["steps"][0]["method"] == "GET"
        told = json.loads((folder / "expected.json").read_text())
        assert told["record"]["entity_id"] == CASE.expected["record"]["entity_id"]
        assert "SAMPLE" not in (folder / case["steps"][0]["body"]).read_text()

    def test_saves_nothing_when_nothing_was_reached(self, settings, switches: None, tmp_path: Path) -> None:
        settings.PORTALS_URL = "http://127.0.0.1:9"
        with pytest.raises(CommandError, match="Nothing was reached"):
            run("capture_golden", "NY", "Acme", "--to", str(tmp_path))
        assert list(tmp_path.iterdir()) == []
