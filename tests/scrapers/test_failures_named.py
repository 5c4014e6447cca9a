"""Each way a portal can fail has its word, and says whether another try makes sense: clients decide by the two."""

from __future__ import annotations

import pytest

from scrapers import errors


class TestAFailure:
    @pytest.mark.parametrize(
        ("kind", "reason", "retryable"),
        [
            (errors.PortalError, "down", True),
            (errors.PortalUnavailable, "down", True),
            (errors.PortalBlocked, "blocked", True),
            (errors.PageChanged, "layout_changed", False),
            (errors.QueryRefused, "refused", False),
            (errors.PortalDisabled, "disabled", False),
        ],
    )
    def test_has_its_word_and_says_whether_to_try_again(
        self, kind: type[errors.PortalError], reason: str, retryable: bool
    ) -> None:
        failure = kind("seen on the page")
        assert (failure.reason, failure.retryable) == (reason, retryable)
        assert (failure.detail, str(failure)) == ("seen on the page", "seen on the page")
        assert (failure.retry_after, failure.attempt_id) == (None, None)

    def test_may_be_named_more_closely_and_carry_the_portals_own_pause(self) -> None:
        failure = errors.PortalUnavailable("slow", reason="timeout", retry_after=7.5)
        assert (failure.reason, failure.retry_after, failure.retryable) == ("timeout", 7.5, True)
        assert errors.PortalUnavailable("again").reason == "down"

    def test_that_nobody_was_asked_counts_as_unavailable(self) -> None:
        assert issubclass(errors.PortalDisabled, errors.PortalUnavailable)
