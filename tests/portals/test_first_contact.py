"""First contact with every registry there is, played over a real socket; and whatever may be wrong there is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from jurisdictions import selectors
from scrapers import discovery
from scrapers.operations import canaries, contact
from scrapers.operations.contact import Contact
from scrapers.operations.contact_report import Report
from scrapers.portal import CanaryKind, ContactResult
from scrapers.transport.recording import Step
from tests.portals.simulator import Plant
from tests.portals.world import World, list_canaries, opened
from tests.scrapers.golden import Case

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(settings: Any, switches: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(canaries, "SECONDS", 20.0)
    with opened(monkeypatch, settings) as found:
        yield found


def meet(world: World, *states: str) -> list[Contact]:
    """First contact with these states, quietly."""
    portals = [portal for code in states if (portal := discovery.find_portal(code)) is not None]
    return list(contact.meet(portals, now=timezone.now(), progress=world.listen))


class TestTheWholeWorld:
    """Each state of the golden cases."""

    @pytest.mark.slow
    def test_is_met_read_and_reported_with_cases_proposed(self, world: World, tmp_path: Path) -> None:
        report, strange = Report(tmp_path, began=timezone.now()), {}
        portals = [portal for code in world.states if (portal := discovery.find_portal(code)) is not None]
        for one in contact.meet(portals, now=timezone.now(), progress=world.listen):
            report.add(one)
            for asked in one.asked:
                case = list_canaries()[one.portal.code, asked.kind]
                outcome = "ambiguous" if case.expected.get("ambiguous") else case.expected["outcome"]
                result = ContactResult.DIFFERS if case.content.get("unread_labels") else ContactResult.READ
                if (asked.result, asked.outcome) != (result, outcome):
                    strange[f"{one.portal.code} {asked.kind}"] = (asked.result, asked.outcome, asked.findings)
        report.finish(ended=timezone.now())
        assert strange == {}
        told = json.loads((tmp_path / "report.json").read_text())
        assert [row["state"] for row in told["states"]] == world.states
        with_labels = {of for (of, _), case in list_canaries().items() if case.content.get("unread_labels")}
        assert {row["state"] for row in told["states"] if row["result"] != "read"} == with_labels
        live = {row.code for row in selectors.list_jurisdictions() if row.verified_live_at}
        assert live == {state for state, kind in list_canaries() if kind is CanaryKind.ACTIVE}
        self._has_proposed(tmp_path, told)

    def _has_proposed(self, folder: Path, told: dict[str, Any]) -> None:
        """Nearly every answer is proposed as a case, and nobody of those that were read is in one."""
        golden = [one["golden"] for row in told["states"] for one in row["questions"]]
        written = [one["folder"] for one in golden if one["folder"]]
        rows = [(row["state"], one) for row in told["states"] for one in row["questions"]]
        refused = {(state, one["kind"]) for state, one in rows if not one["golden"]["folder"]}
        assert refused == set()
        assert len(written) > 150
        left = []
        for row in told["states"]:
            for one in row["questions"]:
                if not one["golden"]["folder"]:
                    continue
                case = list_canaries()[row["state"], CanaryKind(one["kind"])]
                files = (folder / one["golden"]["folder"]).iterdir()
                pages = b"".join(file.read_bytes() for file in files).decode()
                left += [f"{case}: {word}" for word in people_of(case) if re.search(rf"(?i)\b{word}\b", pages)]
        assert left == []


def people_of(case: Case) -> set[str]:
    """The words of those who stand in a case's record: all of them are called Jordan Sample, or nearly so."""
    record = case.expected.get("record", {})
    names = [record.get("agent_name", ""), *(officer["name"] for officer in record.get("officers", ()))]
    return {word for name in names for word in ("JORDAN", "SAMPLE") if word in name.upper()}


@dataclass(frozen=True)
class Change:
    """Something that is otherwise at a registry than its reader knows, and by which words it has to be named."""

    name: str
    state: str
    plant: Plant
    result: ContactResult
    words: str
    question: CanaryKind = CanaryKind.ACTIVE


def swap(old: str, new: str) -> Plant:
    """Another text on every page that has this one."""
    return lambda url, step: step and replace(step, body=step.body.replace(old.encode(), new.encode()))


def fault(name: str) -> Plant:
    """One of the simulator's faults, whatever is asked."""
    return lambda url, step: name


def answer(body: bytes, *, status: int = 200, **headers: str) -> Plant:
    """The same answer to all."""
    kinds = {"content-type": "text/html; charset=utf-8"} | headers
    return lambda url, step: Step("GET", url, status, kinds, body)


def swap_columns(url: str, step: Step | None) -> Step | None:
    """Name and status of a list change places, the heads above them do not."""
    row = rb"<tr><td>(<a [^>]*>[^<]*</a>)</td><td>([^<]*)</td><td>([^<]*)</td>"
    return step and replace(step, body=re.sub(row, rb"<tr><td>\3</td><td>\2</td><td>\1</td>", step.body))


def swap_keys(one: str, other: str) -> Plant:
    """Two columns of a data set change places."""
    old, new = f'"{one}"'.encode(), f'"{other}"'.encode()

    def plant(url: str, step: Step | None) -> Step | None:
        return step and replace(step, body=step.body.replace(old, b"(*)").replace(new, old).replace(b"(*)", new))

    return plant


DIFFERS, NOT_READ = ContactResult.DIFFERS, ContactResult.NOT_READ
WALLED, NO_ANSWER = ContactResult.WALLED, ContactResult.NO_ANSWER
LOGIN = b"<html><body><form><input name='user'><input type='password' name='p'></form></body></html>"
CHANGES = [
    Change("a label renamed", "KY", swap(">Status</div>", ">Condition</div>"), NOT_READ, "no label Status"),
    Change("a label added", "KY", swap(">Industry</div>", ">Trade</div>"), DIFFERS, "labels that nobody reads: Trade"),
    Change("columns swapped", "KY", swap_columns, NOT_READ, "'a' fits 0 elements"),
    Change("columns of data swapped", "CO", swap_keys("entitytype", "entitystatus"), DIFFERS, "'DLLC'"),
    Change("a column renamed", "CO", swap('"entityname"', '"entity_name"'), NOT_READ, "entityname"),
    Change("a wall", "KY", fault("wall"), WALLED, "Cloudflare challenge"),
    Change("a captcha with status 200", "KY", fault("captcha"), WALLED, "captcha"),
    Change("a 403", "CO", fault("forbidden"), WALLED, "answered 403"),
    Change("a 429", "CO", fault("too-many-requests"), WALLED, "rate limited"),
    Change("a 500", "CO", fault("error"), NO_ANSWER, "answered 500"),
    Change("a time-out", "KY", fault("hang"), NO_ANSWER, "timeout"),
    Change(
        "a login elsewhere", "KY", answer(b"", status=302, location="https://login.ky.example/"), NOT_READ,
        "led to https://login.ky.example",
    ),
    Change(
        "a redirect that leaves TLS", "CO", answer(b"", status=301, location="http://data.colorado.gov/"), NOT_READ,
        "led to http://data.colorado.gov",
    ),
    Change("a login in place of the page", "KY", answer(LOGIN), NOT_READ, "no the search form on the page"),
    Change("an empty list", "CO", answer(b"[]", **{"content-type": "application/json"}), DIFFERS, "0 rows were read"),
    Change("a maintenance page", "KY", fault("maintenance"), NO_ANSWER, "maintenance page"),
    Change("an unknown status", "CO", swap("Good Standing", "Suspended By Owls"), DIFFERS, "'Suspended By Owls'"),
    Change("a company that ended", "CO", swap("Good Standing", "Voluntarily Dissolved"), DIFFERS, "reads as inactive"),
    Change(
        "a column of liens renamed", "CO", swap('"organizationname"', '"orgname"'), NOT_READ, "orgname",
        CanaryKind.LIEN,
    ),
    Change("another form of date", "CO", swap("2015-04-02T00:00:00.000", "02.IV.2015"), DIFFERS, "'02.IV.2015'"),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
class TestAPlantedChange:
    """One thing that is otherwise at a registry."""

    def test_is_named(self, change: Change, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        if change.name == "a time-out":
            monkeypatch.setattr(canaries, "SECONDS", 1.0)
        world.server.plant = change.plant
        (met,) = meet(world, change.state)
        first = next(one for one in met.asked if one.kind is change.question)
        assert first.result is change.result, first.findings
        assert met.result is (change.result if change.question is CanaryKind.ACTIVE else ContactResult.DIFFERS)
        assert change.words in " | ".join(first.findings), first.findings
        assert first.findings
        kept = selectors.get_jurisdiction(change.state).contact
        assert kept is not None
        assert {"kind": change.question.value, "result": change.result.value} in kept["questions"]


class TestAWrongCompany:
    """Found under a name that nobody has: a search that does not look at what is asked."""

    def test_is_named_and_no_state_becomes_live_by_it(self, world: World) -> None:
        case = list_canaries()["CO", CanaryKind.ACTIVE]
        rows = (case.folder / "1-search.json").read_bytes()
        absent = contact.canaries.list_questions(discovery.find_portal("CO"))[CanaryKind.ABSENT]  # type: ignore[arg-type]
        body = rows.replace(b"Juniper Mesa Outfitters LLC", absent.encode())

        def plant(url: str, step: Step | None) -> Step | None:
            if "u7sb-g482" in url or "casm-dbbj" in url:  # beside the company: it has no trade names and no events
                return Step("GET", url, 200, {"content-type": "application/json"}, b"[]")
            return step and replace(step, body=body) if absent.split()[0].upper() in url.upper() else None

        world.server.plant = plant
        (met,) = meet(world, "CO")
        assert not met.is_live
        assert "where nobody has the name" in " ".join(f for one in met.asked for f in one.findings)
        assert selectors.get_jurisdiction("CO").status == "degraded"
