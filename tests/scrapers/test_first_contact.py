"""An operator's first hour with a network: what is asked, how politely, and what is left for a person to read."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from billing.models import LedgerEntry
from jurisdictions import selectors, services
from lookups.models import Lookup
from scrapers import discovery, gateway, tasks
from scrapers.bulk_data import refresh
from scrapers.models import Breaker, Reading, ScrapeAttempt
from scrapers.operations import contact, contact_report
from scrapers.portal import Canaries, Capabilities
from scrapers.transport.pace import NoPacer, Pace
from scrapers.transport.recording import Step
from tests.browser import chromium
from tests.portals.simulator import Simulator, running
from tests.portals.world import name_of
from tests.scrapers import virginia_register
from tests.scrapers.golden import list_cases

pytestmark = pytest.mark.django_db(transaction=True)
CASES = {str(case): case for case in list_cases()}
HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def simulator(settings: Any, switches: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Simulator]:
    """New York and Colorado, each with two canaries, asked as fast as they answer."""
    for code in ("NY", "CO"):
        known = {"active": name_of(CASES[f"{code}-active"]), "absent": name_of(CASES[f"{code}-no-match"])}
        portal = type(discovery.find_portal(code))
        monkeypatch.setattr(portal, "canaries", Canaries(**{"inactive": "", "person": "", "lien": ""} | known))
    monkeypatch.setattr(gateway, "get_pacer", lambda portal: NoPacer())
    settings.VAR_DIR = tmp_path
    for row in selectors.list_jurisdictions():
        if row.code not in ("NY", "CO"):
            services.disable(code=row.code, reason="not in this story")
    with running() as server:
        settings.PORTALS_URL = server.url
        yield server


class Terminal(StringIO):
    """Where a person looks."""

    def isatty(self) -> bool:
        return True


def run(*words: str, errors: StringIO | None = None) -> tuple[str, int]:
    """What `manage.py first_contact` prints, and how it ends."""
    out = StringIO()
    try:
        call_command("first_contact", *words, stdout=out, stderr=errors or StringIO())
    except SystemExit as end:
        return out.getvalue(), int(str(end.code))
    return out.getvalue(), 0


def read_report(folder: Path) -> dict[str, Any]:
    """report.json of the one run there was."""
    (found,) = folder.glob("first-contact/*/report.json")
    content: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
    return content


class TestFirstContact:
    """`manage.py first_contact`."""

    def test_says_where_it_cannot_write_before_it_asks_anybody(self, simulator: Simulator, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(CommandError, match="cannot be made"):
            run("NY", "--to", str(tmp_path / "file" / "folder"))

    def test_asks_every_state_that_is_on_and_makes_it_live(self, simulator: Simulator, tmp_path: Path) -> None:
        told, code = run()
        assert code == 0
        assert "2 of 2 registries were asked" in told
        assert [line[:2] for line in told.splitlines()[:2]] == ["CO", "NY"]
        for state in ("CO", "NY"):
            row = selectors.get_jurisdiction(state)
            assert row.verified_live_at is not None
            assert row.contact is not None
            assert row.contact["result"] == "read"
        told_as_data = read_report(tmp_path)
        assert told_as_data["results"]["read"] == 2
        assert [one["kind"] for one in told_as_data["states"][0]["questions"]] == ["active", "absent"]

    def test_asks_those_that_are_named_also_where_they_are_off_and_leaves_them_off(self, simulator: Simulator) -> None:
        services.disable(code="CO", reason="x")
        assert run("CO")[1] == 0
        row = selectors.get_jurisdiction("CO")
        assert (row.enabled, row.status) == (False, "inactive")
        assert row.last_tested_at is not None
        assert not any("data.ny.gov" in asked for asked in simulator.requests)

    def test_tries_others_on_demand_but_none_whose_owner_forbids_programs(self, simulator: Simulator) -> None:
        codes = {portal.code for portal in contact.list_portals(others=True)}
        assert {"NY", "CO", "GA", "MA"} <= codes
        for portal in discovery.list_portals():
            if portal.verification == "unsupported" or portal.terms.automated == "forbidden":
                assert portal.code not in codes
        assert {"DE", "NC", "KS", "OK"}.isdisjoint(codes)

    def test_says_why_a_state_cannot_be_asked_at_all(self, simulator: Simulator, tmp_path: Path) -> None:
        why = "Every search asks for the answer to an image captcha"
        assert f"AZ not asked     0.0 s  {why}" in run("AZ")[0]
        [page] = tmp_path.glob("first-contact/*/report.html")
        assert why in page.read_text(encoding="utf-8")

    def test_knows_no_state_of_that_name(self, simulator: Simulator) -> None:
        with pytest.raises(CommandError, match="QQ"):
            run("QQ")

    def test_asks_one_question_a_state_where_that_is_wanted(self, simulator: Simulator) -> None:
        run("NY", "--only", "active")
        alone = len(simulator.requests)
        simulator.requests.clear()
        run("NY", "--only", "active", "--only", "absent")
        assert 0 < alone < len(simulator.requests)

    def test_shows_how_far_it_is_at_a_terminal_and_nothing_elsewhere(self, simulator: Simulator) -> None:
        screen, file = Terminal(), StringIO()
        run(errors=screen)
        assert re.findall(r"(\d)/4 (CO|NY) (active|absent)", screen.getvalue()) == [
            ("0", "CO", "active"), ("1", "CO", "absent"), ("2", "NY", "active"), ("3", "NY", "absent"),
        ]  # fmt: skip
        run(errors=file)
        assert file.getvalue() == ""

    def test_asks_nothing_more_of_a_registry_that_turns_it_away(self, simulator: Simulator, tmp_path: Path) -> None:
        simulator.fault = "wall"
        told, code = run("CO")
        assert code == 1
        assert "walled" in told
        assert len(simulator.requests) == 1
        (state,) = read_report(tmp_path)["states"]
        assert [one["result"] for one in state["questions"]] == ["walled", "not_asked"]
        row = selectors.get_jurisdiction("CO")
        assert (row.status, row.verified_live_at) == ("active", None)  # a wall is the breaker's to judge

    def test_degrades_a_state_whose_pages_have_changed_until_it_is_well_again(self, simulator: Simulator) -> None:
        simulator.fault = "layout"
        assert run("CO")[1] == 1
        assert selectors.get_jurisdiction("CO").status == "degraded"
        simulator.fault = None
        assert run("CO")[1] == 0
        assert selectors.get_jurisdiction("CO").status == "active"

    def test_degrades_for_a_company_that_went_missing_only_a_state_that_had_it(self, simulator: Simulator) -> None:
        simulator.plant = lambda url, step: Step("GET", url, 200, {"content-type": "application/json"}, b"[]")
        told, _ = run("CO")
        assert "the known name is not found" in told
        assert selectors.get_jurisdiction("CO").status == "active"  # perhaps it is the wrong canary
        simulator.plant, gone = None, simulator.plant
        run("CO")
        simulator.plant = gone
        run("CO")
        assert selectors.get_jurisdiction("CO").status == "degraded"

    def test_costs_nobody_anything_and_counts_nowhere(self, simulator: Simulator) -> None:
        run()
        simulator.fault = "error"
        run()
        for table in (Lookup, LedgerEntry, ScrapeAttempt, Reading, Breaker):
            assert not table.objects.exists(), table

    def test_leaves_a_portal_alone_that_rests(self, simulator: Simulator, tmp_path: Path) -> None:
        now = timezone.now()
        Breaker.objects.create(
            state="CO", reason="down", detail="answered 500", failures=5, changed_at=now,
            open_until=now + timedelta(minutes=5),
        )  # fmt: skip
        assert run("CO")[1] == 0
        assert simulator.requests == []
        assert "left alone" in read_report(tmp_path)["states"][0]["questions"][0]["findings"][0]
        assert selectors.get_jurisdiction("CO").contact is None

    def test_asks_nobody_while_nobody_may_be_asked(self, simulator: Simulator, settings: Any) -> None:
        settings.ASK_PORTALS = False
        assert run()[1] == 0
        assert simulator.requests == []
        assert selectors.get_jurisdiction("CO").contact is None

    def test_writes_what_it_has_where_it_is_broken_off(
        self, simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add = contact_report.Report.add

        def broken_off(report: Any, one: Any) -> None:
            if one.portal.code == "NY":
                raise KeyboardInterrupt
            add(report, one)

        monkeypatch.setattr(contact_report.Report, "add", broken_off)
        with pytest.raises(KeyboardInterrupt):
            run()
        assert [row["state"] for row in read_report(tmp_path)["states"]] == ["CO"]

    def test_notes_results_for_the_page_of_states(self, simulator: Simulator, settings: Any, tmp_path: Path) -> None:
        from scrapers.management.commands import states_page

        settings.BASE_DIR = tmp_path
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "first-contact.json").write_text('{"WY": {"day": "2026-12-01", "result": "no_answer"}}')
        run("--docs")
        page = states_page.page()
        assert re.search(rf"\| CO \|.*\| read, {timezone.now():%Y-%m-%d} \|\n", page)
        assert re.search(r"\| WY \|.*\| no answer, 2026-12-01 \|\n", page)
        assert re.search(r"\| TX \|.*\| none yet \|\n", page)


def assert_paced(times: list[float], *, seconds: float, since: float) -> None:
    """Nobody's turn came before those of all who went before him. On a busy machine each may be heard late, the first
    of them as well, so two that follow each other say nothing."""
    assert all(at - since > number * seconds - 0.01 for number, at in enumerate(times))


class TestManners:
    """How a registry is asked."""

    def test_are_its_own_pace_one_after_the_other_under_our_name(
        self, simulator: Simulator, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.undo()
        settings.CONTACT = "ops@example.com"
        for code in ("NY", "CO"):
            portal = type(discovery.find_portal(code))
            monkeypatch.setattr(portal, "pace", Pace(seconds=0.5))
            monkeypatch.setattr(portal, "canaries", Canaries("Blue Heron Logistics", "", "", "Nobody Has It LLC", ""))
            monkeypatch.setattr(portal, "capabilities", Capabilities())
        before = time.monotonic()
        run("NY", "CO")
        heard = simulator.heard
        hosts = [host for _, host, _ in heard]
        assert hosts == sorted(hosts, key=("data.ny.gov", "data.colorado.gov").index)
        for host in dict.fromkeys(hosts):
            times = [at for at, of, _ in heard if of == host]
            assert len(times) >= 2
            assert_paced(times, seconds=0.5, since=before)
            before = times[-1]
        assert {by for _, _, by in heard} == {f"SOS-Lookup/1.3 (+{settings.PUBLIC_URL}; ops@example.com)"}

    def test_are_slower_where_customers_ask_more_slowly(
        self, simulator: Simulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = Canaries("Juniper Mesa Outfitters", "", "", "Nobody Has It LLC", "")
        monkeypatch.undo()
        portal = type(discovery.find_portal("CO"))
        monkeypatch.setattr(portal, "pace", Pace(seconds=0.2))
        monkeypatch.setattr(portal, "canaries", known)
        Breaker.objects.create(state="CO", slowness=4, changed_at=timezone.now())
        before = time.monotonic()
        run("CO", "--only", "active", "--only", "absent")
        times = [at for at, _, _ in simulator.heard]
        assert len(times) >= 2
        assert_paced(times, seconds=0.8, since=before)

    def test_keep_what_a_portal_sent_from_an_operators_terminal(self, simulator: Simulator) -> None:
        label = json.dumps("\x1b[2J\x1b]0;owned\x07\u202egnp").encode()

        def plant(url: str, step: Step | None) -> Step | None:
            return step and replace(step, body=step.body.replace(b'"entitytype"', label + b': "x", "entitytype"'))

        simulator.plant = plant
        told, _ = run("CO")
        assert "owned" in told
        assert all(sign.isprintable() or sign == "\n" for sign in told)


class TestTheReport:
    """report.html and what lies beside it."""

    def test_lets_nothing_run_that_a_portal_sent(self, simulator: Simulator, tmp_path: Path) -> None:
        hostile = json.dumps(HOSTILE)[1:-1].encode()
        simulator.plant = lambda url, step: step and replace(step, body=step.body.replace(b"Good Standing", hostile))
        run("CO")
        (page,) = tmp_path.glob("first-contact/*/report.html")
        text = page.read_text(encoding="utf-8")
        assert "alert(1)" in text
        assert "<script" not in text
        assert "<img" not in text
        style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
        assert style is not None
        digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
        assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
        assert " style=" not in text

    @pytest.mark.slow
    def test_is_read_on_a_phone_and_a_screen_and_runs_nothing(
        self, simulator: Simulator, tmp_path: Path, browser: Any
    ) -> None:
        wide = json.dumps(HOSTILE + "W" * 120)[1:-1].encode()
        simulator.plant = lambda url, step: step and replace(step, body=step.body.replace(b"Good Standing", wide))
        run()
        (report,) = tmp_path.glob("first-contact/*/report.html")
        for width in (390, 1440):
            page = chromium.person(browser, width=width).new_page()
            complaints = chromium.listen(page)
            page.goto(report.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            assert complaints == chromium.list_overflow(page) == []
            assert page.evaluate("getComputedStyle(document.querySelector('article')).borderTopWidth") == "1px"
            chromium.try_script(page)

    def test_names_each_kept_page_which_is_plain_text_for_its_owner(self, simulator: Simulator, tmp_path: Path) -> None:
        simulator.fault = "wall"
        run("CO")
        (folder,) = tmp_path.glob("first-contact/*")
        assert folder.stat().st_mode & 0o077 == 0
        (kept,) = read_report(tmp_path)["states"][0]["questions"][0]["pages"]
        assert (kept["status"], kept["file"]) == (200, "pages/CO/active-1.txt")
        assert b"Just a moment" in (folder / kept["file"]).read_bytes()

    def test_holds_no_key_of_ours(self, simulator: Simulator, settings: Any, tmp_path: Path) -> None:
        settings.SOCRATA_APP_TOKEN = "token-that-nobody-sees"
        simulator.plant = lambda url, step: (
            step and replace(step, body=step.body.replace(b"Denver", b"token-that-nobody-sees"))
        )
        run("CO")
        for file in tmp_path.rglob("*.*"):
            assert not file.is_file() or b"token-that-nobody-sees" not in file.read_bytes(), file

    def test_proposes_a_case_that_reads_the_same_without_its_people(self, simulator: Simulator, tmp_path: Path) -> None:
        run("CO", "--only", "active")
        (folder,) = tmp_path.glob("first-contact/*/golden/CO/active-proposed")
        case = json.loads((folder / "case.json").read_text())
        told = json.loads((folder / "expected.json").read_text())
        assert case["question"] == {"name": name_of(CASES["CO-active"])}
        assert told["record"]["entity_name"] == "Juniper Mesa Outfitters LLC"
        assert "SAMPLE" not in told["record"]["agent_name"]
        assert told["record"]["agent_address"]["street"] == "100 FIRST ST"
        assert told["record"]["agent_name"].split()[0].encode() in (folder / "1.json").read_bytes()

    def test_proposes_none_where_a_name_is_a_word_of_the_page(self, simulator: Simulator, tmp_path: Path) -> None:
        def plant(url: str, step: Step | None) -> Step | None:
            return step and replace(step, body=step.body.replace(b'"SAMPLE"', b'"ENTITYNAME"'))

        simulator.plant = plant
        run("CO", "--only", "active")
        golden = read_report(tmp_path)["states"][0]["questions"][0]["golden"]
        assert golden["folder"] is None
        assert "does not read the same" in golden["why_not"]

    def test_goes_on_where_somebody_has_a_word_of_jsons_for_a_name(self, simulator: Simulator, tmp_path: Path) -> None:
        simulator.plant = lambda url, step: step and replace(step, body=step.body.replace(b'"SAMPLE"', b'"TRUE"'))
        run("CO", "NY", "--only", "active")
        colorado, new_york = read_report(tmp_path)["states"]
        assert colorado["questions"][0]["golden"]["folder"] == "golden/CO/active-proposed"
        assert new_york["result"] == "read"


class TestALoadedCopy:
    """Of a state whose own search nobody has asked."""

    def test_that_has_the_company_is_no_answer_of_its_registry(
        self, simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        portal = discovery.find_portal("VA")
        assert portal is not None
        known = Canaries(active="Blue Heron Logistics, LLC", inactive="", person="", absent="Quasar Umbrella", lien="")
        monkeypatch.setattr(type(portal), "canaries", known)
        monkeypatch.setattr(type(portal), "bulk_data", replace(refresh.get_bulk_data(portal), least_rows=1))
        now = timezone.now()
        refresh.load(portal=portal, file=virginia_register.archive(tmp_path / "be.zip"), as_of=now, now=now)
        said, _ = run("VA")
        assert simulator.requests == []
        assert said.startswith("VA read")
        assert "(live)" not in said
        assert selectors.get_jurisdiction("VA").verified_live_at is None
        (question, _) = read_report(tmp_path)["states"][0]["questions"]
        assert question["reached"] is False


class TestTheClock:
    """The same every week."""

    def test_asks_nobody_before_an_operator_has_brought_a_state_to_life(self, simulator: Simulator) -> None:
        assert tasks.meet_registries() == {}
        assert simulator.requests == []

    def test_asks_those_that_are_on_the_longest_untested_first(self, simulator: Simulator, tmp_path: Path) -> None:
        services.note_contact(code="CO", contact={}, is_live=True, trouble="", now=timezone.now())
        assert list(tasks.meet_registries()) == ["NY", "CO"]
        assert read_report(tmp_path)["results"]["read"] == 2
        assert (tmp_path / "first-contact" / "weekly" / "report.html").is_file()

    def test_keeps_no_page_of_the_week_before(self, simulator: Simulator, tmp_path: Path) -> None:
        services.note_contact(code="CO", contact={}, is_live=True, trouble="", now=timezone.now())
        left = tmp_path / "first-contact" / "weekly" / "pages" / "CO" / "from-the-week-before.txt"
        left.parent.mkdir(parents=True)
        left.write_text("x")
        tasks.meet_registries()
        assert not left.exists()

    def test_of_a_run_that_was_killed_leaves_the_report_of_the_week_before(
        self, simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services.note_contact(code="CO", contact={}, is_live=True, trouble="", now=timezone.now())
        tasks.meet_registries()
        report = tmp_path / "first-contact" / "weekly" / "report.json"
        before = report.read_bytes()

        def killed(*_: Any, **__: Any) -> None:
            raise SystemExit

        monkeypatch.setattr(contact_report.Report, "add", killed)
        monkeypatch.setattr(contact_report.Report, "finish", killed)
        with pytest.raises(SystemExit):
            tasks.meet_registries()
        assert report.read_bytes() == before

    def test_begins_with_no_state_once_its_time_is_over(
        self, simulator: Simulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        services.note_contact(code="CO", contact={}, is_live=True, trouble="", now=timezone.now())
        monkeypatch.setattr(contact_report, "WEEKLY_SECONDS", 0.0)
        assert tasks.meet_registries() == {}
        assert simulator.requests == []

    def test_lets_customers_come_in_between(self, simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
        services.note_contact(code="CO", contact={}, is_live=True, trouble="", now=timezone.now())
        waited: list[float] = []
        monkeypatch.setattr(contact.time, "sleep", waited.append)
        tasks.meet_registries()
        paces = [portal.pace.seconds for code in ("NY", "CO") if (portal := discovery.find_portal(code))]
        assert waited == [contact_report.WEEKLY_PAUSE * seconds for seconds in paces]
