"""What a registry was asked and answered stays as long as an answer rests on it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from lookups.evidence import readings
from lookups.models import Lookup, RecordVersion, StoredAnswer
from scrapers import gateway
from scrapers.evidence import bodies
from scrapers.models import Body, Reading
from scrapers.records import Query
from scrapers.sandbox.magic import MAGIC
from tests.lookups.conftest import Customer

pytestmark = pytest.mark.django_db


class TestAReading:
    """Of a conversation with a registry."""

    @pytest.mark.parametrize("outcome", ["found", "not_found", "ambiguous", "blocked", "too_many"])
    def test_stands_behind_whatever_the_customer_heard(self, tester: Customer, outcome: str) -> None:
        tester.lookup(entity_name=MAGIC[outcome])
        lookup = Lookup.objects.get()
        assert lookup.reading is not None
        assert lookup.reading.attempt_id == lookup.attempt_id
        assert [bodies.read(one["body"]["sha256"]) is not None for one in lookup.reading.exchanges]

    def test_of_a_name_check_says_so(self, tester: Customer) -> None:
        assert tester.post("/v1/name-availability", {"entity_name": MAGIC["found"], "state": "NY"}).status_code == 200
        assert Reading.objects.get().kind == "name_check"

    def test_is_the_same_for_an_answer_that_is_sold_again(self, tester: Customer) -> None:
        tester.lookup(entity_name=MAGIC["found"])
        tester.lookup(entity_name=MAGIC["found"], source="cache")
        assert Reading.objects.count() == 1
        assert {one.reading_id for one in Lookup.objects.all()} == {Reading.objects.get().pk}

    @pytest.mark.parametrize("last", [Lookup, StoredAnswer, RecordVersion])
    def test_stays_as_long_as_one_thing_alone_rests_on_it(self, tester: Customer, last: type[Lookup]) -> None:
        tester.lookup(entity_name=MAGIC["found"])
        late = timezone.now() + timedelta(days=800)
        for one in (Lookup, StoredAnswer, RecordVersion):
            assert one.objects.filter(reading=Reading.objects.get()).exists()
            if one is not last:
                one.objects.update(reading=None)
        assert readings.prune(now=late) == 0
        last.objects.update(reading=None)
        assert readings.prune(now=late) == 1

    def test_goes_with_its_time_where_no_answer_rests_on_it(self, tester: Customer) -> None:
        tester.lookup(entity_name=MAGIC["found"])
        cited = Reading.objects.get()
        now = timezone.now()
        gateway.fetch(Query("NY", MAGIC["found"]), now=now, budget_seconds=10, sandbox=True, asked_by=uuid4())
        assert readings.prune(now=now + timedelta(days=6)) == 0
        assert readings.prune(now=now + timedelta(days=8)) == 1
        assert Reading.objects.get() == cited
        bodies.prune(now=now + timedelta(days=8))
        assert not Body.objects.exists()  # its bytes go, and what was told stays
        assert tester.get(f"/v1/lookups/{Lookup.objects.get().public_id}").status_code == 200
