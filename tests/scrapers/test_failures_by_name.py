"""Each way a portal can fail has its word, and says whether another try makes sense: clients decide by the two."""

from __future__ import annotations

import pytest

from scrapers import failures
from scrapers.failures import Failure


class TestAFailure:
    @pytest.mark.parametrize(
        ("kind", "reason", "retryable"),
        [
            (failures.PortalError, "down", True),
            (failures.PortalUnavailable, "down", True),
            (failures.PortalBlocked, "blocked", True),
            (failures.PageChanged, "layout_changed", False),
            (failures.QueryRefused, "refused", False),
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
