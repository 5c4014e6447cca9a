"""A name among a thousand like it: the row that was asked for is compared, whatever stands around it."""

from __future__ import annotations

import random

import pytest

from scrapers.records import Candidate
from scrapers.search import matching, shortlist
from scrapers.statuses import StatusMeaning
from tests.bench.matching import read, read_held_out

WORDS = ["cars", "care", "foods", "fuel", "farm", "fans", "gym", "guns", "hats", "jobs", "labs", "nets", "oils", "pets"]
EQUAL = {"exact", "suffix_variant"}


def crowd(base: str, *, seed: int = 5) -> list[str]:
    """999 other companies that begin with the same words."""
    pick = random.Random(seed)
    ends = ("LLC", "INC", "", "CORP.")
    return [f"{base} {pick.choice(WORDS)} {pick.choice(WORDS)} {pick.choice(ends)}".upper() for _ in range(999)]


def place(name: str, rows: list[str]) -> int:
    rows.insert(700, name)
    return 700


class TestAnEntityAmongAThousand:
    """That share its first words."""

    @pytest.mark.parametrize(
        ("asked", "base", "registered"),
        [
            ("Acme", "Acme", "THE ACME LIMITED LIABILITY COMPANY"),
            ("Acme", "Acme", "ACME PROFESSIONAL LIMITED LIABILITY COMPANY"),
            ("Acme Holdings", "Acme Holdings", "ACME HOLDINGS, LIMITED PARTNERSHIP"),
            ("Acme and Sons", "Acme and Sons", "ACME & SONS LIMITED LIABILITY COMPANY"),
            ("Café Olé", "Cafe Ole", "CAFE OLE LIMITED LIABILITY COMPANY"),
            ("ONeils", "ONeils", "O'NEIL'S LIMITED LIABILITY COMPANY"),
            ("Acme Intl", "Acme International", "ACME INTERNATIONAL LIMITED LIABILITY COMPANY"),
            ("Blue Bird", "Bluebird", "BLUEBIRD LIMITED LIABILITY COMPANY"),
            ("Acme 2", "Acme", "ACME TWO LIMITED LIABILITY COMPANY"),
            ("Best Foods", "Best Foods", "ELLSWORTH MOTORS LLC D/B/A BEST FOODS"),
            ("Acme", "Acme", "ACME LLC (FOREIGN)"),
            ("Delaware Corporation", "Delaware", "DELAWARE CORPORATION"),
            ("Acme", "Acme", "ACME\nLIMITED LIABILITY COMPANY"),
        ],
    )
    def test_is_found(self, asked: str, base: str, registered: str) -> None:
        rows = crowd(base)
        at = place(registered, rows)
        candidates = [Candidate(row, str(number)) for number, row in enumerate(rows)]
        ranked = matching.rank(asked, candidates, status_of=lambda _: StatusMeaning("active"))
        first, ambiguous = matching.best(ranked, threshold=0.92)
        assert not ambiguous
        assert first is not None
        assert first.candidate.entity_id == str(at)

    def test_is_compared_whichever_way_it_is_spelt(self) -> None:
        pick, lost = random.Random(7), []
        same = [pair for pair in (*read(), *read_held_out()) if pair["label"] == "same"]
        sure = [pair for pair in same if matching.compare(pair["asked"], pair["shown"]).kind in EQUAL]
        for pair in pick.sample(sure, 150):
            rows = crowd(" ".join(pair["shown"].split()[:2]))
            if place(pair["shown"], rows) not in shortlist.choose(pair["asked"], rows):
                lost.append((pair["asked"], pair["shown"]))
        assert lost == []

    def test_stands_beside_all_that_are_called_the_same(self) -> None:
        rows = crowd("Acme")
        twins = ["ACME LLC", "ACME, INC.", "THE ACME COMPANY"] * 20
        rows[300:300] = twins
        assert set(range(300, 360)) <= set(shortlist.choose("Acme", rows))


class TestAShortList:
    """Of forty rows or fewer."""

    def test_is_compared_whole(self) -> None:
        assert shortlist.choose("Acme", ["Zebra"] * 40) == list(range(40))
        assert shortlist.choose("Acme", []) == []
