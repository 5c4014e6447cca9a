"""Each way a portal can fail has its word, and says whether another try makes sense: clients decide by the two."""

from __future__ import annotations

import pytest

from scrapers import failures
from scrapers.failures import Failure, Health


class TestAFailure:
    @pytest.mark.parametrize(
        ("kind", "reason", "retryable"),
        [
            (failures.PortalError, "down", True),
            (failures.PortalUnavailable, "down", True),
            (failures.PortalBlocked, "blocked", True),
            (failures.PageChanged, "layout_changed", False),
            (failures.PortalDisabled, "disabled", False),
        ],
    )
    def test_has_its_word_and_says_whether_to_try_again(
        self, kind: type[failures.PortalError], reason: str, retryable: bool
    ) -> None:
        failure = kind("seen on the page")
        assert failure.reason in Failure
        assert (failure.reason.value, failure.retryable) == (reason, retryable)
        assert (failure.detail, str(failure)) == ("seen on the page", "seen on the page")
        assert (failure.retry_after, failure.attempt_id) == (None, None)

    def test_may_be_named_more_closely_and_carry_the_portals_own_pause(self) -> None:
        failure = failures.PortalUnavailable("slow", reason=Failure.TIMEOUT, retry_after=7.5)
        assert (failure.reason, failure.retry_after, failure.retryable) == (Failure.TIMEOUT, 7.5, True)
        assert failures.PortalUnavailable("again").reason is Failure.DOWN

    def test_that_nobody_was_asked_counts_as_unavailable(self) -> None:
        assert issubclass(failures.PortalDisabled, failures.PortalUnavailable)


# What clients, operators and other parts of the service go by, as it is promised; a further failure needs no row.
# retry_after, pause, repeats, slows, alarm, label, sandbox, health
GOES_BY: dict[Failure, tuple[object, ...]] = {
    Failure.DOWN: (30, 5.0, True, False, "danger", "down", "portal_down", Health.ILL),
    Failure.BLOCKED: (900, 900.0, False, True, "danger", "blocked", "blocked", Health.ILL),
    Failure.LAYOUT_CHANGED: (
        *(None, None, False, False, "danger", "layout changed", "page_changed"),
        Health.ILL_BY_QUESTION,
    ),
    Failure.RATE_LIMITED: (
        *(60, 30.0, False, True, "warning", "rate limited", "rate_limited"),
        Health.ILL_IF_ITS_OWN,
    ),
    Failure.DISABLED: (None, None, False, False, "info", "switched off", None, Health.UNKNOWN),
    Failure.TIMEOUT: (30, 10.0, False, False, "warning", "timeout", "timeout", Health.ILL_IF_PATIENT),
    Failure.REFUSED: (None, None, False, False, "info", "refused by the registry", "too_many", Health.WELL),
}


class TestWhatFollowsFromAFailure:
    @pytest.mark.parametrize("failure", GOES_BY, ids=str)
    def test_is_what_is_promised(self, failure: Failure) -> None:
        facts = failure.facts
        assert GOES_BY[failure] == (
            *(facts.retry_after, facts.pause, facts.repeats, facts.slows, facts.alarm),
            *(failure.label, facts.sandbox, facts.health),
        )
        assert failure.is_answer is (failure is Failure.REFUSED)
        assert failures.find_failure(failure.value) is failure

    def test_is_known_by_these_words(self) -> None:
        words = ["down", "blocked", "layout_changed", "rate_limited", "disabled", "timeout", "refused"]
        assert [failure.value for failure in GOES_BY] == words
        assert Failure.LAYOUT_CHANGED.plain == "layout changed"
        assert failures.list_unanswered() == [Failure(word) for word in words[:-1]]


class TestAFailureOfItsOwnKind:
    def test_at_rest_ends_whatever_it_rests_for(self) -> None:
        rest = failures.PortalResting("left alone", reason=Failure.LAYOUT_CHANGED)
        assert (rest.reason, rest.retryable) == (Failure.LAYOUT_CHANGED, True)
