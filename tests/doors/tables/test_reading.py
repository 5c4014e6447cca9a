"""People read what they asked in the programs they have: pandas, and Excel by Power Query."""

from __future__ import annotations

import urllib.error
from typing import Any

import pytest
from django.utils import timezone

from lookups.api.views import paging
from lookups.bulk import queue
from tests.doors.tables import programs
from tests.lookups.conftest import Customer

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("Magic Found LLC", "Magic Not Found LLC", "=Magic Not Found LLC", 'Café "Ñandú", LLC')


@pytest.fixture
def asked(tester: Customer) -> list[str]:
    """Some lookups, the newest first."""
    found = [tester.lookup(name, "DE", ref=f"00{number}").json() for number, name in enumerate(NAMES)]
    return [one["lookupId"] for one in found][::-1]


class TestPandas:
    """Which sends its `storage_options` as headers."""

    def test_reads_all_lookups(self, live_server: Any, tester: Customer, asked: list[str]) -> None:
        lines = programs.read_as_pandas(f"{live_server.url}/v1/lookups?format=csv", tester.secret)
        assert [line["lookupId"] for line in lines] == asked
        assert [line["ref"] for line in lines] == ["003", "002", "001", "000"]
        assert [line["entity_name"] for line in lines] == [NAMES[3], f"'{NAMES[2]}", NAMES[1], NAMES[0]]
        assert {line["nextCursor"] for line in lines} == {""}

    def test_reads_the_rows_of_a_bulk_job(self, live_server: Any, tester: Customer) -> None:
        rows = [{"entity_name": name, "state": "DE"} for name in NAMES[:2]]
        job = tester.post("/v1/bulk-lookup", {"entities": rows}).json()["job_id"]
        queue.work(now=timezone.now())
        lines = programs.read_as_pandas(f"{live_server.url}/v1/bulk-lookup/{job}?format=csv", tester.secret)
        assert [(line["verdict"], line["entityName"]) for line in lines] == [
            ("found", "MAGIC FOUND LLC"),
            ("not_found", ""),
        ]

    def test_stops_where_there_is_no_table(self, live_server: Any, tester: Customer) -> None:
        for address, key, status in (
            ("/v1/lookups?format=csv", "osd_test_wrong", 401),
            ("/v1/lookups?format=csv&state=XX", tester.secret, 400),
            ("/v1/bulk-lookup/bulk_0?format=csv", tester.secret, 404),
        ):
            with pytest.raises(urllib.error.HTTPError) as refused:
                programs.read_as_pandas(live_server.url + address, key)
            assert (refused.value.code, refused.value.headers["Content-Type"]) == (status, "application/json")
            refused.value.close()

    def test_itself_runs_as_the_guide_shows(
        self, live_server: Any, tester: Customer, asked: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("pandas", reason="pandas is too large to be installed for one test")
        monkeypatch.setenv("NO_PROXY", "*")
        code = programs.find_code("python", "verdict=found", host=live_server.url, key=tester.secret)
        found = programs.run(code)
        assert list(found["ref"]) == ["000"]
        monkeypatch.setattr(paging, "LONGEST_TABLE", 2)
        code = programs.find_code("python", "nextCursor", host=live_server.url, key=tester.secret)
        assert list(programs.run(code)["lookupId"]) == asked


class TestExcel:
    """By the query of the guide."""

    def test_reads_what_was_found(self, live_server: Any, tester: Customer, asked: list[str]) -> None:
        status, kind, table = programs.read_as_excel(live_server.url, tester.secret)
        assert (status, kind) == (200, "text/csv; charset=utf-8")
        (line,) = programs.split(table)
        assert (line["lookupId"], line["state"], line["verdict"]) == (asked[-1], "DE", "found")

    def test_is_refused_with_its_key_in_the_address(self, live_server: Any, tester: Customer) -> None:
        address = f"{live_server.url}/v1/lookups?format=csv&x-api-key={tester.secret}"
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            programs.read_as_pandas(address, "")
        refused.value.close()
