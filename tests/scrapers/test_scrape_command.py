"""`manage.py scrape`: what an operator sees, and how a script tells the outcomes apart."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from scrapers import discovery
from scrapers.models import ScrapeAttempt
from scrapers.portal import Portal
from scrapers.sandbox import MAGIC
from tests.portals.simulator import Simulator, running
from tests.scrapers.golden import list_cases

NY = next(case for case in list_cases() if str(case) == "NY-active")


def scrape(*words: str) -> tuple[str, int]:
    """What it prints, and its exit code."""
    out = StringIO()
    try:
        call_command("scrape", *words, stdout=out, no_color=True)
    except SystemExit as end:
        return out.getvalue(), int(str(end.code))
    return out.getvalue(), 0


@pytest.fixture
def simulator(settings: Any) -> Iterator[Simulator]:
    with running() as server:
        settings.PORTALS_URL = server.url
        yield server


@pytest.mark.usefixtures("db")
class TestTheSandbox:
    """The same tool on the fictional registry."""

    def test_shows_every_stage(self) -> None:
        told, code = scrape("DE", "Blue Heron Logistics LLC", "--sandbox")
        assert code == 0
        for words in (
            "Delaware (DE)",
            "fictional sandbox registry",
            "always on",
            "GET https://sandbox.registry.invalid/DE/search: 200",
            " ms ",
            "bytes",
            "Rows (3 listed, the whole list",
            "-> 1.000 exact",
            "BLUE HERON LOGISTICS, INC.",
            "because the name is the same",
            "agent_address: 12 QUAY STREET, DOVER, DE 19901",
            "Our reading",
            "statusClass: active",
            "feiEinNumber: not_published",
            "sha256",
            "Outcome",
        ):
            assert words in told, words

    @pytest.mark.parametrize(
        ("outcome", "code", "words"),
        [
            ("found", 0, "Found: MAGIC FOUND LLC"),
            ("not_found", 3, "the registry answered in full and has no such record"),
            ("several", 0, "Found: MAGIC SEVERAL CORP"),
            ("ambiguous", 3, "several companies fit equally well"),
            ("too_many", 4, "a CUT list, which proves no absence"),
            ("fails", 5, "answered 500"),
            ("portal_down", 5, "answered 503"),
            ("timeout", 5, "no answer in time"),
            ("blocked", 6, "the wall is not climbed"),
            ("rate_limited", 6, "(rate_limited)"),
            ("page_changed", 7, "A person has to look at it"),
        ],
    )
    def test_ends_differently_for_every_outcome(self, outcome: Any, code: int, words: str) -> None:
        told, ended = scrape("VT", MAGIC[outcome], "--sandbox")
        assert ended == code
        assert words in told
        assert ("Nothing was learned about the company" in told) == (code in (5, 6, 7))

    def test_finds_by_number_and_by_lien(self) -> None:
        assert "Found: BLUE HERON LOGISTICS, INC. (entity_id" in scrape("DE", "--id", "SB-DE-000124", "--sandbox")[0]
        told, code = scrape("Delaware", "Blue Heron Logistics", "--ucc", "--sandbox")
        assert (code, "Found: 4 filings." in told, "Termination" in told) == (0, True, True)
        assert "ucc, by secured_party" in scrape("DE", "First Puddlestone Bank", "--secured-party", "--sandbox")[0]

    def test_tells_a_program_the_same(self) -> None:
        told, code = scrape("DE", "Blue Heron Logistics LLC", "--sandbox", "--json")
        content = json.loads(told)
        assert (code, content["exit"], content["outcome"]) == (0, 0, "found")
        assert content["record"]["entity_id"] == "SB-DE-000123"
        assert [row["chosen"] for row in content["lists"][0]["rows"]] == [True, False, False]
        assert [len(one) for one in content["evidence"]["sha256"]] == [64, 64]
        failed = json.loads(scrape("DE", MAGIC["blocked"], "--sandbox", "--json")[0])
        assert (failed["exit"], failed["outcome"], failed["reason"]) == (6, "PortalBlocked", "blocked")

    def test_leaves_no_trace(self) -> None:
        scrape("DE", "Blue Heron Logistics LLC", "--sandbox")
        assert ScrapeAttempt.objects.count() == 0


@pytest.mark.usefixtures("switches")
class TestARealState:
    """A registry behind a wire, played on loopback."""

    def test_is_asked_as_the_service_asks(self, simulator: Simulator) -> None:
        told, code = scrape("NY", NY.content["question"]["name"])
        assert code == 0
        assert "scrapers.states.new_york.NewYork" in told
        assert "recorded: reads a real answer" in told
        assert "automated reading allowed" in told
        assert NY.expected["record"]["entity_id"] in told
        assert "GET https://data.ny.gov/resource/n9v6-gdp6.json: 200" in told

    def test_is_asked_even_if_it_is_off_and_said_to_be_off(self, simulator: Simulator) -> None:
        simulator.fault = "forbidden"
        told, code = scrape("KS", "Acme")
        assert code == 6
        assert "OFF for customers" in told
        assert "asked here all the same" in told

    def test_that_cannot_be_resolved_is_no_network(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = socket.getaddrinfo

        def nowhere(host: str, *more: Any, **how: Any) -> Any:
            if host in ("127.0.0.1", "localhost"):
                return real(host, *more, **how)  # the pace is agreed on in Redis, which is still here
            raise socket.gaierror(-3, "Temporary failure in name resolution")

        monkeypatch.setattr(socket, "getaddrinfo", nowhere)
        told, code = scrape("NY", "Acme")
        assert code == 8
        assert (
            "No network: the name data.ny.gov could not be resolved from here. Nothing was learned about the company."
            in told
        )

    def test_that_cannot_be_reached_is_no_network(self, settings: Any) -> None:
        settings.PORTALS_URL = "http://127.0.0.1:9"
        told, code = scrape("NY", "Acme")
        assert code == 8
        assert "No network: the name data.ny.gov could not be reached from here." in told

    def test_without_a_search_is_not_asked(self, simulator: Simulator) -> None:
        silent = next(portal for portal in discovery.list_portals() if portal.verification == "unsupported")
        told, code = scrape(silent.code, "Acme")
        assert code == 9
        assert "Nobody was asked" in told
        assert "none: no request was sent" in told
        assert simulator.requests == []

    def test_whose_reader_breaks_says_that_it_is_our_fault(
        self, simulator: Simulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: Any, **__: Any) -> None:
            raise KeyError("dos_id")

        monkeypatch.setattr(Portal, "choose", broken)
        told, code = scrape("NY", NY.content["question"]["name"])
        assert code == 10
        assert "The reader itself failed" in told
        assert "KeyError: 'dos_id'" in told


@pytest.mark.usefixtures("db")
class TestAQuestionThatMakesNoSense:
    """Said before anybody is asked."""

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("ZZ", "Acme"), "no state"),
            (("NY",), "Give a name"),
            (("NY", "Acme", "--id", "1"), "Give a name"),
            (("NY", "--id", "1", "--ucc"), "Liens are found by a name"),
        ],
    )
    def test_is_told_in_one_line(self, words: tuple[str, ...], said: str) -> None:
        with pytest.raises(CommandError, match=said):
            scrape(*words)

    def test_is_asked_without_a_database_too(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.PORTALS_URL = "http://127.0.0.1:9"
        told, code = scrape("NY", "Acme")  # the switches were never written
        assert code == 8
        assert "manage.py sync_jurisdictions" in told
