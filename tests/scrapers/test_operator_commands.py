"""The tools for the day there is a network, tried against the simulator over a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.portals.simulator import Simulator, running
from tests.scrapers.golden import list_cases

CASE = next(case for case in list_cases() if str(case) == "NY-active")


@pytest.fixture
def simulator(settings, switches: None) -> Iterator[Simulator]:
    with running() as server:
        settings.PORTALS_URL = server.url
        yield server


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
class TestCapture:
    """`manage.py capture_golden`."""

    def test_proposes_a_case_with_persons_replaced(self, simulator: Simulator, tmp_path: Path) -> None:
        name = CASE.content["question"]["name"]
        run("capture_golden", "NY", name, "--to", str(tmp_path), "--replace", "ALBANY=UTICA")
        folder = tmp_path / "NY" / "active-proposed"
        case = json.loads((folder / "case.json").read_text())
        assert case["steps"][0]["method"] == "GET"
        told = json.loads((folder / "expected.json").read_text())
        assert told["record"]["entity_id"] == CASE.expected["record"]["entity_id"]
        page = (folder / case["steps"][0]["body"]).read_text()
        assert "SAMPLE, JORDAN" not in page
        assert "ALBANY" not in page
        assert told["record"]["mailing_address"]["city"] == "UTICA"

    def test_saves_nothing_when_nothing_was_reached(self, settings, switches: None, tmp_path: Path) -> None:
        settings.PORTALS_URL = "http://127.0.0.1:9"
        with pytest.raises(CommandError, match="nothing was reached"):
            run("capture_golden", "NY", "Acme", "--to", str(tmp_path))
        assert list(tmp_path.iterdir()) == []
