"""What lookups rest on is read again: shown beside what they said, and kept as a further version where asked to."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from lookups.evidence.replay import compare, read_anew
from lookups.models import Entity, Lookup, Manifest, RecordVersion, StoredAnswer, Suppression
from lookups.privacy import suppression
from scrapers.evidence import bodies
from scrapers.models import Reading, ScrapeAttempt
from scrapers.records import EntityRecord
from scrapers.sandbox.magic import MAGIC
from scrapers.sandbox.portal import SandboxPortal
from tests.lookups.conftest import Customer, anew

pytestmark = pytest.mark.django_db


def run(*words: str) -> str:
    out = StringIO()
    call_command("replay", *words, stdout=out)
    return out.getvalue()


def ask(tester: Customer, name: str = MAGIC["found"], **more: Any) -> Lookup:
    reply = tester.lookup(entity_name=name, headers=anew(), **more)
    assert reply.status_code in (200, 404, 503), reply.json()
    return Lookup.objects.order_by("-pk")[0]


@pytest.fixture
def mended(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A reader that reads a field otherwise from now on."""

    def mend(**fields: Any) -> None:
        detail = SandboxPortal.detail

        def better(portal: SandboxPortal, *asked: Any) -> EntityRecord:
            return replace(detail(portal, *asked), **fields)

        monkeypatch.setattr(SandboxPortal, "detail", better)

    return mend


class TestWhatALookupSaid:
    """Beside what the same bytes say today."""

    @pytest.mark.parametrize("outcome", ["found", "not_found", "ambiguous"])
    def test_is_the_same_with_the_same_reader(self, tester: Customer, outcome: str) -> None:
        lookup = ask(tester, MAGIC[outcome])
        assert compare(lookup).changes == []
        assert f"{lookup.public_id} NY" in run(lookup.public_id)
        assert run("--state", "ny").endswith("1 the same\n")
        assert ScrapeAttempt.objects.count() == Reading.objects.count() == 1

    def test_of_liens_and_of_names_is_the_same_too(self, tester: Customer) -> None:
        sent = {"entity_name": MAGIC["found"], "state": "NY"}
        assert tester.post("/v1/name-availability", sent).status_code == 200
        assert tester.lookup(entity_name=MAGIC["found"], search_type="ucc").status_code == 200
        assert {lookup.kind for lookup in Lookup.objects.all()} == {"name_check", "ucc"}
        assert run("--since", "2026-01-01").endswith("2 the same\n")

    def test_is_compared_once_for_those_who_say_the_same(self, tester: Customer) -> None:
        ask(tester)
        ask(tester, source="cache")
        assert Lookup.objects.count() == 2
        assert run("--state", "NY").endswith("1 the same\n")

    def test_shows_each_field_that_is_read_otherwise(self, tester: Customer, mended: Any) -> None:
        lookup = ask(tester)
        mended(entity_type="Something Else")
        before = lookup.version.data["entityType"]
        shown = run(lookup.public_id)
        assert f"  data.entityType: {before!r} -> 'Something Else'" in shown
        assert shown.endswith("1 different\n")
        assert RecordVersion.objects.count() == 1

    def test_shows_another_verdict(self, tester: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        lookup = ask(tester, MAGIC["not_found"])
        Lookup.objects.update(verdict="ambiguous")
        assert "  verdict: 'ambiguous' -> 'not_found'" in run(lookup.public_id)

    def test_that_cannot_be_read_again_says_why(self, tester: Customer) -> None:
        lookup = ask(tester)
        bodies.prune(now=timezone.now() + timedelta(days=400))
        assert "cannot be read again, its bytes are not kept any more" in run("--state", "NY")
        assert read_anew(lookup) is None

    def test_is_handed_to_who_compares_two_readings(self, tester: Customer, mended: Any) -> None:
        lookup = ask(tester)
        mended(entity_type="Something Else")
        facts = read_anew(lookup)
        assert facts is not None
        assert (facts["verdict"], facts["data"]["entityType"]) == ("found", "Something Else")
        assert facts["normalized"].keys() == lookup.version.normalized.keys()
        lookup.reading = None
        assert read_anew(lookup) is None

    def test_that_failed_is_read_by_the_reader_that_was_mended(
        self, tester: Customer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(SandboxPortal, "data_as_of", lambda *_: 1 / 0)
            lookup = ask(tester)
        assert lookup.verdict == "unavailable"
        assert "  verdict: 'unavailable' -> 'found'" in run(lookup.public_id)

    def test_is_read_without_what_people_asked_to_be_left_out(self, tester: Customer) -> None:
        lookup = ask(tester)
        entity = Entity.objects.get()
        suppression.add(
            Suppression(kind="company", state=entity.state, entity_id=entity.entity_id),
            operator=None,
            now=timezone.now(),
        )
        assert compare(lookup).changes == []

    @pytest.mark.parametrize("name", ["lk_nonsense", "lk_00000000000000000000000000000000"])
    def test_of_nobody_is_an_error(self, tester: Customer, name: str) -> None:
        with pytest.raises(CommandError, match="there is no such lookup"):
            run(name)
        with pytest.raises(CommandError, match="Name lookups"):
            run()
        with pytest.raises(CommandError, match="not both"):
            run(name, "--state", "NY")

    def test_of_a_state_or_day_that_there_is_not_is_an_error(self, tester: Customer) -> None:
        """Nothing kept of any: it would read as though nothing was to be mended there."""
        with pytest.raises(CommandError, match="'Atlantis' is no state"):
            run("--state", "Atlantis")
        assert run("--state", "Ohio") == "Nothing is kept of any.\n"
        with pytest.raises(CommandError, match="'today' is no day or moment such as"):
            run("--since", "today")
        with pytest.raises(CommandError, match="'' is no state"):  # all states, where a variable of the shell is empty
            run("--state", "", "--since", "2026-11-01")


def read_by(lookup: Lookup) -> list[str | None]:
    """Who has read it, by its manifest."""
    reader = json.loads(Manifest.objects.get(lookup=lookup).document or "")["reader"]
    return [reader[name] for name in ("version", "builtAt", "revision")]


class TestACorrection:
    """A further version, and nothing rewritten."""

    def test_is_a_version_that_says_why_it_is_there(self, tester: Customer, mended: Any) -> None:
        lookup = ask(tester)
        old = lookup.version
        for elsewhere in ({"state": "OH"}, {"sandbox": False}, {"entity_id": "7"}):  # other companies, all of them
            same = {"state": "NY", "entity_id": old.entity.entity_id, "sandbox": True, "last_read_at": timezone.now()}
            Entity.objects.create(name="OTHER CO", slug="other-co", **{**same, **elsewhere})
        mended(entity_type="Something Else")
        assert "corrected: version 2" in run(lookup.public_id, "--correct")
        first, second = RecordVersion.objects.order_by("number")
        assert first == old
        assert first.data == old.data
        assert (first.reason, second.reason) == ("read", "read_anew")
        assert second.data["entityType"] == "Something Else"
        assert (second.reading, second.last_read_at) == (first.reading, first.last_read_at)

    def test_leaves_what_the_lookup_said(self, tester: Customer, mended: Any) -> None:
        lookup = ask(tester)
        told = tester.get(f"/v1/lookups/{lookup.public_id}").json()
        mended(entity_type="Something Else")
        run("--state", "NY", "--correct")
        assert tester.get(f"/v1/lookups/{lookup.public_id}").json() == told

    def test_is_what_the_stored_record_says_from_then_on(self, tester: Customer, mended: Any) -> None:
        lookup = ask(tester)
        mended(entity_type="Something Else")
        run(lookup.public_id, "--correct")
        stored = ask(tester, source="cache")
        assert stored.version.number == 2
        by_id = tester.post(
            "/v1/lookup", {"entity_id": stored.version.entity.entity_id, "state": "NY", "source": "cache"}
        )
        assert by_id.json()["data"]["entityType"] == "Something Else"

    def test_is_signed_as_read_by_the_reader_that_made_it(
        self, tester: Customer, mended: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The old reader was signed to have read what it never read; of the new one no revision is kept."""
        first = ask(tester)
        sold_again = ask(tester, source="cache")
        mended(entity_type="Something Else")
        monkeypatch.setattr(SandboxPortal, "version", "9.9")
        monkeypatch.setattr(SandboxPortal, "built_at", "2026-12-24")
        run(first.public_id, "--correct")
        corrected = ask(tester, source="cache")
        asked_anew = ask(tester, source="live")
        assert first.reading == sold_again.reading == corrected.reading != asked_anew.reading
        assert corrected.version == asked_anew.version
        assert [read_by(one) for one in (first, sold_again, corrected, asked_anew)] == [
            [first.reader_version, first.reader_built_at, first.reading.reader_revision],
            [first.reader_version, first.reader_built_at, first.reading.reader_revision],
            ["9.9", "2026-12-24", None],
            ["9.9", "2026-12-24", asked_anew.reading.reader_revision],
        ]

    def test_is_written_once(self, tester: Customer, mended: Any) -> None:
        lookup = ask(tester)
        mended(entity_type="Something Else")
        run(lookup.public_id, "--correct")
        run(lookup.public_id, "--correct")
        assert RecordVersion.objects.count() == 2

    def test_is_not_made_of_what_says_the_same(self, tester: Customer) -> None:
        ask(tester)
        assert run("--state", "NY", "--correct").endswith("1 the same\n")
        assert RecordVersion.objects.count() == 1

    def test_never_takes_the_place_of_a_later_reading(
        self, tester: Customer, mended: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        old = ask(tester)
        with monkeypatch.context() as changed:
            detail = SandboxPortal.detail
            changed.setattr(SandboxPortal, "detail", lambda *asked: replace(detail(*asked), status="Dissolved"))
            later = ask(tester)
        assert (later.version.number, later.reading == old.reading) == (2, False)
        mended(entity_type="Something Else")
        assert "not corrected" in run(old.public_id, "--correct")
        assert RecordVersion.objects.count() == 2
        assert StoredAnswer.objects.filter(version=later.version).exists()

    def test_of_an_earlier_reading_joins_that_of_the_later(self, tester: Customer, mended: Any) -> None:
        """Two readings said the same: what rests on either is corrected to the same version."""
        one = ask(tester)
        tester.post("/v1/lookup", {"entity_id": one.version.entity.entity_id, "state": "NY"}, **anew())
        other = Lookup.objects.latest("pk")
        assert (one.version, one.reading == other.reading) == (other.version, False)
        mended(entity_type="Something Else")
        assert "corrected: version 2" in run(other.public_id, "--correct")
        assert StoredAnswer.objects.get(version__number=1).reading == one.reading
        assert "corrected: version 2" in run(one.public_id, "--correct")
        assert RecordVersion.objects.count() == 2
        assert {answer.version.number for answer in StoredAnswer.objects.all()} == {2}

    def test_is_not_made_for_another_company(self, tester: Customer, mended: Any) -> None:
        lookup = ask(tester)
        Entity.objects.update(entity_id="other")
        mended(entity_type="Something Else")
        assert "not corrected" in run(lookup.public_id, "--correct")
        assert RecordVersion.objects.count() == 1


class TestAGoldenCase:
    """Is proposed from what a customer's lookup rests on."""

    def test_of_a_lookup(self, customer: Customer, register: Any, tmp_path: Path) -> None:
        lookup = ask(customer, "Acme Corp")
        call_command("capture_golden", "--lookup", lookup.public_id, "--to", str(tmp_path), stdout=StringIO())
        proposed = json.loads((tmp_path / "NY" / "active-proposed" / "expected.json").read_text())
        assert proposed["record"]["entity_id"] == lookup.version.entity.entity_id

    def test_is_not_of_the_sandbox(self, tester: Customer, tmp_path: Path) -> None:
        lookup = ask(tester)
        with pytest.raises(CommandError, match="real registries"):
            call_command("capture_golden", "--lookup", lookup.public_id, "--to", str(tmp_path))
