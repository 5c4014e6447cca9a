"""Where a field is found that stands in one shape alone. Run by test_new_field.py, with one that is pretended."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from lookups import xlsx_export
from lookups.api.schema import document
from lookups.models import Delivery
from scrapers.sandbox.magic import DEMO_QUESTION, MAGIC
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_bulk, end_jobs
from tests.lookups.workbooks import read_table

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_workers")]
NAME, VALUE = "mascot", "heron"


@pytest.fixture
def bulk(tester: Customer) -> str:
    """A bulk job that is complete."""
    address = tester.post("/v1/bulk-lookup", {"entities": [DEMO_QUESTION]}).json()["poll_url"]
    end_bulk()
    return str(address)


class TestTheField:
    """Is found wherever a company is shown."""

    def test_in_the_reply(self, tester: Customer) -> None:
        assert tester.lookup(**DEMO_QUESTION).json()["data"][NAME] == VALUE

    def test_in_the_reply_from_what_is_stored(self, tester: Customer) -> None:
        tester.lookup(**DEMO_QUESTION)
        body = tester.lookup(**DEMO_QUESTION, source="cache").json()
        assert (body["data"][NAME], body["entity"][NAME]) == (VALUE, VALUE)

    def test_in_a_row_of_a_bulk_job(self, tester: Customer, bulk: str) -> None:
        assert tester.get(bulk).json()["results"][0]["data"][NAME] == VALUE

    def test_in_a_line_of_ndjson(self, tester: Customer, bulk: str) -> None:
        lines = b"".join(tester.get(bulk, accept="application/x-ndjson").streaming_content)
        assert json.loads(lines)["data"][NAME] == VALUE

    def test_in_a_column_of_the_csv(self, tester: Customer, bulk: str) -> None:
        text = b"".join(tester.get(bulk, accept="text/csv").streaming_content).decode()
        assert next(csv.DictReader(io.StringIO(text)))[NAME] == VALUE

    def test_in_a_column_of_the_workbook(self, tester: Customer, bulk: str) -> None:
        raw = b"".join(tester.get(bulk, accept=xlsx_export.MEDIA_TYPE).streaming_content)
        assert read_table(raw)[0][NAME] == VALUE

    def test_in_a_jobs_status_and_in_its_webhook(self, tester: Customer) -> None:
        type(tester.account).objects.update(test_webhook_url="https://hooks.example.test/")
        address = tester.lookup(MAGIC["later"], "DE").json()["statusUrl"]
        end_jobs()
        body: dict[str, Any] = tester.get(address).json()
        assert (body["data"][NAME], body["result"]["data"][NAME]) == (VALUE, VALUE)
        assert json.loads(Delivery.objects.get().body)["data"]["result"]["data"][NAME] == VALUE

    def test_in_the_document(self) -> None:
        company = document.build()["components"]["schemas"]["Entity"]
        assert company["properties"][NAME]["type"] == "string"
        assert company["properties"][NAME]["description"]
        assert NAME in company["required"]
