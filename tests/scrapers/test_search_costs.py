"""What a lookup costs a registry: its searches are counted, and a search is one request or a few."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings

from scrapers import discovery
from scrapers.portal import Portal
from scrapers.transport.session import Trace
from tests.scrapers import golden

MOST_REQUESTS = 5  # of one search, in any state: what docs/search-terms.md says
CASES = {str(case): case for case in golden.list_cases()}
BY_NAME = [str(case) for case in CASES.values() if "name" in case.content["question"] and "ucc" not in case.situation]


def requests_of_searches(trace: Trace) -> Iterator[int]:
    """How many requests each search took, the narrow one included."""
    count = 0
    for stage in trace.stages:
        count += stage.name == "request"
        if stage.name in ("search", "narrow"):
            yield count
        if stage.name in ("search", "narrow", "detail"):
            count = 0


@pytest.mark.parametrize("case", BY_NAME)
def test_a_search_is_a_few_requests_and_the_attempt_tells_them_all(case: str) -> None:
    trace, portal = Trace(), discovery.find_portal(CASES[case].state)
    assert portal is not None
    golden.play(CASES[case], trace=trace)
    assert all(count <= MOST_REQUESTS for count in requests_of_searches(trace))
    for stage in trace.stages:
        if stage.name == "searches":
            told = re.fullmatch(r"(\d+) of at most (\d+); requests: (\d+)", stage.detail)
            assert told is not None
            before = trace.stages[: trace.stages.index(stage)]
            most = portal.most_for_a_check if CASES[case].content["question"].get("kind") else portal.most_searches
            ended = sum(one.name in ("search", "narrow") for one in before)  # one more may have ended in a wall
            assert ended <= int(told[1]) <= min(ended + 1, int(told[2]))
            assert int(told[2]) == most
            assert int(told[3]) == sum(one.name == "request" for one in before)


class TestNewYork:
    """The costliest: a list and the history of names beside it."""

    @pytest.mark.parametrize(
        ("situation", "requests"), [("active", 4), ("inactive", 7), ("assumed-name-of-somebody-else", 15)]
    )
    def test_costs_what_the_page_says(self, situation: str, requests: int) -> None:
        trace = Trace()
        golden.play(CASES[f"NY-{situation}"], trace=trace)
        assert sum(stage.name == "request" for stage in trace.stages) == requests

    def test_never_costs_more_than_its_searches_and_the_chosen_company(self) -> None:
        portal = discovery.find_portal("NY")
        assert isinstance(portal, Portal)
        text = (settings.BASE_DIR / "docs" / "search-terms.md").read_text(encoding="utf-8")
        assert portal.most_searches * MOST_REQUESTS + 3 == 33
        assert "should every search look into the history, thirty and three" in " ".join(text.split())
