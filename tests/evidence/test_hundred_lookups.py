"""A hundred lookups of every verdict: each file is good to two programs, and with a bit turned to neither."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from django.utils import timezone

from lookups.evidence import chain, heads, signing, verify
from lookups.models import Lookup
from scrapers.sandbox.magic import MAGIC
from tests.evidence.conftest import FOUND
from tests.evidence.forging import flip, pack, read_files
from tests.evidence.test_file import list_valid
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_jobs

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.timeout(900)]
STATES = ("DE", "NY", "CA", "TX", "FL")
UNLIKE_OTHERS = {"slow", "timeout", "pending"}  # they take seconds to say nothing


def ask_for_all(tester: Customer) -> None:
    """Companies, liens and name checks of every ending that the sandbox plays, in several states."""
    tester.key.rate_limit_per_minute = 10_000
    tester.key.save()
    for state in STATES:
        for name in sorted(MAGIC.keys() - UNLIKE_OTHERS):
            if state == STATES[0] or not name.startswith("later"):  # a job takes seconds
                tester.lookup(MAGIC[name], state)
        for name in ("found", "name_refused", "cannot_say", "portal_down"):
            tester.post("/v1/name-availability", {"entity_name": MAGIC[name], "state": state})
        tester.lookup(FOUND, state, searchType="ucc")
        tester.lookup(FOUND, state, source="cache")
    end_jobs()


class TestAHundredLookups:
    """Asked, ended, and handed out as files."""

    def test_are_all_proven_and_no_change_of_one_goes_unseen(self, tester: Customer, tmp_path: Path) -> None:
        ask_for_all(tester)
        assert heads.make(now=timezone.now())
        proven = Lookup.objects.filter(manifest__isnull=False)
        ended = Counter(proven.values_list("verdict", flat=True))
        assert proven.count() >= 100
        assert set(ended) == set(proven.filter(state=STATES[0]).values_list("verdict", flat=True))
        assert {"found", "not_found", "ambiguous", "unavailable", "refused", "taken", "cannot_say"} <= set(ended)
        assert not Lookup.objects.filter(verdict__in=ended.keys() - {"failed"}, manifest=None).exists()
        assert chain.find_difference() is None
        files = [self.read(tester, lookup) for lookup in proven]
        trusted = verify.Trusted(signing.list_published())
        for lookup, raw in zip(proven, files, strict=True):
            found = verify.judge(raw, trusted)
            assert verify.is_good(found), (lookup, found)
            assert {one.part for one in found if one.holds} >= {"signature", "key", "exchanges", "facts", "head"}
        turned = [self.turn_a_bit(raw, random.Random(number)) for number, raw in enumerate(files)]
        for name, raw in turned:
            assert not verify.is_good(verify.judge(raw, trusted)), name
        # The other program takes a tenth of a second for each, and knows neither states nor what a part says
        good = [raw for lookup, raw in zip(proven, files, strict=True) if lookup.state == STATES[0]]
        wrong = dict(turned)
        assert len(good) >= 20
        assert len(wrong) >= 10, "in each part"
        assert list_valid([*good, *wrong.values()], tmp_path) == [True] * len(good) + [False] * len(wrong)

    def read(self, tester: Customer, lookup: Lookup) -> bytes:
        told = tester.get(f"/v1/lookups/{lookup.public_id}/evidence.wacz")
        assert told.status_code == 200, (lookup, told.content)
        return bytes(told.content)

    def turn_a_bit(self, raw: bytes, chance: random.Random) -> tuple[str, bytes]:
        files = read_files(raw)
        name = chance.choice([one for one in files if files[one] and not one.startswith("datapackage-digest")])
        at, bit = chance.randrange(len(files[name])), 1 << chance.randrange(8)
        return name, pack({**files, name: flip(files[name], at, bit)})
