"""A loaded copy is asked for the names that its companies had, and for those they bear beside their own."""

from __future__ import annotations

import csv
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scrapers.bulk_data import copies, refresh
from scrapers.bulk_data.published import BulkData, Row
from scrapers.models import BulkCopy, BulkName
from scrapers.name_rules.availability import judge
from scrapers.portal import Portal
from scrapers.records import Answer, EntityRecord, Found, NotFound, Query
from scrapers.search.pipeline import ask
from scrapers.search.sources import LoadedCopy
from scrapers.statuses import meanings
from scrapers.transport.session import PortalSession, TransportSettings

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
HEAD = ["NUMBER", "NAME", "STATUS", "BEFORE", "ALSO"]
LINES = [
    ["1", "Blue Heron Logistics, LLC", "Active", "Grey Heron Logistics, LLC", "Heron Express"],
    ["2", "Grey Heron Freight Inc.", "Active", "", "Heron's Nest"],
    ["3", "Zebra Crossing Ltd", "Dissolved", "Blue Heron Logistics, LLC", ""],
    ["4", "Quiet Pond LLC", "Active", "Loud Pond LLC", ""],
    ["5", "Still Pond LLC", "Active", "Loud Pond LLC", ""],
]


def _record(row: Row) -> EntityRecord:
    return EntityRecord(
        entity_name=row["NAME"],
        entity_id=row["NUMBER"],
        status=row["STATUS"],
        former_names=tuple(filter(None, [row["BEFORE"]])),
        assumed_names=tuple(filter(None, [row["ALSO"]])),
    )


class Southland(Portal):
    """A fictional state whose file has the names of before."""

    code = "ZZ"
    hosts = ("files.example.test",)
    bulk_data = BulkData("https://files.example.test/all.csv", "csv", least_rows=2, record=_record, walled=True)
    statuses = meanings(active="Active", inactive="Dissolved")
    id_pattern = r"\d{1,9}"


def session() -> PortalSession:
    settings = TransportSettings(user_agent="test")
    return PortalSession(portal="ZZ", hosts=Southland.hosts, settings=settings, deadline=time.monotonic() + 60)


def put(name: str, talk: PortalSession | None = None) -> Answer:
    copy = copies.find_current("ZZ")
    return ask(Southland(), talk or session(), Query("ZZ", name=name), now=NOW, threshold=0.92, copy=copy)


def load(folder: Path, lines: list[list[str]] = LINES) -> BulkCopy:
    file = folder / f"{len(list(folder.iterdir()))}.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([HEAD, *lines])
    return refresh.load(portal=Southland(), file=file, as_of=NOW, now=NOW)


@pytest.mark.django_db
class TestAFormerName:
    """Of a company of the copy."""

    def test_finds_the_company_under_its_present_one(self, tmp_path: Path) -> None:
        load(tmp_path)
        answer = put("GREY HERON LOGISTICS L.L.C.")
        assert isinstance(answer, Found)
        assert (answer.record.entity_id, answer.record.entity_name) == ("1", "Blue Heron Logistics, LLC")
        assert (answer.match.kind, answer.match.features) == ("former_name", ("former_name",))

    def test_gives_way_to_the_company_that_bears_it_now(self, tmp_path: Path) -> None:
        load(tmp_path)
        answer = put("Blue Heron Logistics LLC")
        assert isinstance(answer, Found)
        assert (answer.record.entity_id, answer.match.kind) == ("1", "exact")

    def test_of_two_companies_is_nobody_s(self, tmp_path: Path) -> None:
        load(tmp_path)
        answer = put("Loud Pond LLC")
        assert isinstance(answer, NotFound)
        assert answer.ambiguous
        assert {one.entity_id for one in answer.suggestions} == {"4", "5"}

    def test_is_of_the_one_that_had_it_where_two_have_a_number(self, tmp_path: Path) -> None:
        """A federal number may stand for the number of two companies, and only one of them was called so."""
        load(tmp_path, [*LINES, ["1", "Marsh Hen Freight, LLC", "Active", "", "Hen Express"]])
        answer = put("Grey Heron Logistics LLC")
        assert isinstance(answer, Found)
        assert answer.record.entity_name == "Blue Heron Logistics, LLC"
        other = put("Hen Express")
        assert isinstance(other, Found)
        assert other.record.entity_name == "Marsh Hen Freight, LLC"

    def test_is_part_of_the_evidence(self, tmp_path: Path) -> None:
        load(tmp_path)
        put("Grey Heron Logistics LLC", talk := session())
        read = [row for exchange in talk.trace.exchanges for row in json.loads(exchange.body)]
        assert ("1", ["Grey Heron Logistics, LLC"]) in [(row["entity_id"], row["former_names"]) for row in read]

    def test_keeps_nobody_from_taking_it(self, tmp_path: Path) -> None:
        load(tmp_path)
        assert check("Grey Heron Logistics Inc.") == "free"


@pytest.mark.django_db
class TestAnAssumedName:
    """That a company bears beside its own."""

    def test_finds_the_company(self, tmp_path: Path) -> None:
        load(tmp_path)
        answer = put("Herons Nest")
        assert isinstance(answer, Found)
        assert (answer.record.entity_id, answer.match.features) == ("2", ("assumed_name",))

    def test_stands_in_the_way_of_another(self, tmp_path: Path) -> None:
        load(tmp_path)
        assert check("Heron Express") == "taken"


def check(name: str) -> str:
    """What a name check of the copy says, by the rule of a state where assumed names count."""
    found = copies.find_current("ZZ")
    assert found is not None
    rows = LoadedCopy(Southland(), session(), Southland.bulk_data, found).names_taken(name)
    assert rows.complete
    return judge(name, rows, portal=Southland(), state="MN").verdict


@pytest.mark.django_db
class TestACopyThatIsReplaced:
    """By the next file."""

    def test_leaves_none_of_its_names(self, tmp_path: Path) -> None:
        load(tmp_path)
        copy = load(tmp_path, [["1", "Blue Heron Logistics, LLC", "Active", "", ""], *LINES[1:]])
        assert set(BulkName.objects.values_list("copy", flat=True)) == {copy.pk}
        assert isinstance(put("Grey Heron Logistics LLC"), NotFound)
