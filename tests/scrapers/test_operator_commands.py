"""The tools for the day there is a network, tried against the simulator over a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from scrapers import gateway
from scrapers.evidence import bodies
from scrapers.records import Query
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

    def test_takes_the_pages_that_were_kept(self, simulator: Simulator, settings, tmp_path: Path) -> None:
        """The same case, whether the registry is asked or what it answered is read again."""
        name = CASE.content["question"]["name"]
        run("capture_golden", "NY", name, "--to", str(tmp_path / "live"))
        reply = gateway.fetch(Query("NY", name), now=timezone.now(), budget_seconds=30)
        settings.PORTALS_URL = "http://127.0.0.1:9"
        run("capture_golden", "--reading", str(reply.reading.pk), "--to", str(tmp_path / "kept"))
        cases = [sorted((tmp_path / one / "NY" / "active-proposed").iterdir()) for one in ("live", "kept")]
        assert [file.name for file in cases[0]] == [file.name for file in cases[1]] != []
        assert [file.read_bytes() for file in cases[0]] == [file.read_bytes() for file in cases[1]]

    def test_takes_no_pages_that_are_gone(self, simulator: Simulator, tmp_path: Path) -> None:
        name = CASE.content["question"]["name"]
        reply = gateway.fetch(Query("NY", name), now=timezone.now(), budget_seconds=30)
        bodies.prune(now=timezone.now() + timedelta(days=400))
        with pytest.raises(CommandError, match="its bytes are not kept any more"):
            run("capture_golden", "--reading", str(reply.reading.pk), "--to", str(tmp_path))
        for words in (("--lookup", "lk_nonsense"), ("--reading", "999999999")):
            with pytest.raises(CommandError, match="no such lookup or reading"):
                run("capture_golden", *words, "--to", str(tmp_path))
        with pytest.raises(CommandError, match="Say a state and a name"):
            run("capture_golden", "NY", name, "--reading", "1", "--to", str(tmp_path))

    def test_saves_nothing_when_nothing_was_reached(self, settings, switches: None, tmp_path: Path) -> None:
        settings.PORTALS_URL = "http://127.0.0.1:9"
        with pytest.raises(CommandError, match="nothing was reached"):
            run("capture_golden", "NY", "Acme", "--to", str(tmp_path))
        assert list(tmp_path.iterdir()) == []
