"""Limits are exact, also when callers come at the same moment, on whichever engine counts."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from billing import counters, keys, limits
from billing.models import ApiKey, RateWindow
from tests.billing.conftest import NOW, in_parallel
from tests.lost_replies import cutting


@pytest.fixture(params=["database", "redis"])
def counted_in(request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Each test here runs on the database and, where there is one, on Redis.

    A count is exact while Redis answers: on a busy machine that may take longer than a request waits for it.
    """
    if request.param == "redis":
        monkeypatch.setattr(counters, "REDIS_TIMEOUT_SECONDS", 20)
        url = request.getfixturevalue("on_redis")
        settings.REDIS_URL = url
        counters._redis_at.cache_clear()
        client = counters._redis_at(url)._client
        client.flushdb()
        yield "redis"
        client.close()
        counters._redis_at.cache_clear()
    else:
        settings.REDIS_URL = ""
        yield "database"


@pytest.mark.usefixtures("counted_in")
class TestTheRateLimit:
    def test_lets_fifty_a_minute_through_and_counts_down(self, key: ApiKey) -> None:
        rates = [limits.count_request(key=key, now=NOW) for _ in range(51)]
        assert [rate.remaining for rate in rates] == [*range(49, -1, -1), 0]
        assert [rate.allowed for rate in rates] == [True] * 50 + [False]

    def test_says_when_to_come_back(self, key: ApiKey) -> None:
        key.rate_limit_per_minute = 1
        late = NOW + timedelta(seconds=47, milliseconds=500)
        limits.count_request(key=key, now=late)
        rate = limits.count_request(key=key, now=late)
        assert (rate.allowed, rate.reset_epoch, rate.retry_after) == (False, int(NOW.timestamp()) + 60, 13)

    def test_starts_anew_with_the_next_minute(self, key: ApiKey) -> None:
        key.rate_limit_per_minute = 1
        limits.count_request(key=key, now=NOW)
        assert limits.count_request(key=key, now=NOW + timedelta(seconds=60)).allowed

    def test_of_one_key_is_not_used_up_by_another(self, key: ApiKey) -> None:
        limits.count(subject="key:0", limit=1, now=NOW)
        assert limits.count_request(key=key, now=NOW).remaining == 49

    def test_of_an_account_is_that_of_four_keys_whichever_ask(self, key: ApiKey, settings: Any) -> None:
        settings.RATE_LIMIT_PER_MINUTE = 5
        others = [keys.issue(account=key.account, name=f"{n}", now=NOW)[0] for n in range(5)]
        allowed = [limits.count_request(key=one, now=NOW).allowed for one in others for _ in range(5)]
        assert allowed == [True] * 20 + [False] * 5
        assert limits.count_request(key=others[0], now=NOW + timedelta(seconds=60)).allowed

    def test_of_an_account_is_shown_where_it_ends_before_the_keys_own(self, key: ApiKey, settings: Any) -> None:
        settings.RATE_LIMIT_PER_MINUTE = 5
        others = [keys.issue(account=key.account, name=f"{n}", now=NOW)[0] for n in range(5)]
        left = [limits.count_request(key=one, now=NOW).remaining for one in others for _ in range(4)]
        assert (left[:4], left[-4:]) == ([4, 3, 2, 1], [3, 2, 1, 0])

    def test_of_an_account_is_not_used_up_by_a_key_that_was_refused(self, key: ApiKey, settings: Any) -> None:
        settings.RATE_LIMIT_PER_MINUTE = 5
        others = [keys.issue(account=key.account, name=f"{n}", now=NOW)[0] for n in range(5)]
        for _ in range(30):
            limits.count_request(key=key, now=NOW)
        allowed = [limits.count_request(key=one, now=NOW).allowed for one in others for _ in range(5)]
        assert allowed == [True] * 15 + [False] * 10

    def test_of_a_key_that_has_its_own_stands_outside_the_accounts(self, key: ApiKey, settings: Any) -> None:
        settings.RATE_LIMIT_PER_MINUTE = 1
        key.rate_limit_per_minute = 30
        others = [keys.issue(account=key.account, name=f"{n}", now=NOW)[0] for n in range(5)]
        assert [limits.count_request(key=key, now=NOW).allowed for _ in range(31)] == [True] * 30 + [False]
        assert [limits.count_request(key=one, now=NOW).allowed for one in others] == [True] * 4 + [False]

    def test_is_counted_anew_when_the_clock_was_set_back(self, key: ApiKey) -> None:
        """What was promised holds: after at most a minute there is a new window, whatever the old one was called."""
        key.rate_limit_per_minute = 1
        for back in (timedelta(0), timedelta(hours=1)):
            now = NOW - back
            assert limits.count_request(key=key, now=now).allowed
            refused = limits.count_request(key=key, now=now)
            assert not refused.allowed
            assert limits.count_request(key=key, now=now + timedelta(seconds=refused.retry_after)).allowed

    def test_is_not_begun_anew_by_a_clock_that_is_a_little_behind(self, key: ApiKey, counted_in: str) -> None:
        """Two processes read the clock on both sides of a full minute, and count one after the other."""
        if counted_in == "redis":
            pytest.skip("Redis keeps both windows")
        before, after = int(NOW.timestamp()), int(NOW.timestamp()) + 60
        assert [counters.DATABASE.count("key:9", window, 60) for window in (after, before, after)] == [1, 2, 3]

    def test_of_zero_lets_nothing_through(self, key: ApiKey) -> None:
        key.rate_limit_per_minute = 0
        assert not limits.count_request(key=key, now=NOW).allowed


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("counted_in")
class TestUnderParallelLoad:
    def test_every_number_of_remaining_requests_is_told_exactly_once(self) -> None:
        subject = f"key:{uuid.uuid4()}"
        rates = in_parallel(lambda _: limits.count(subject=subject, limit=50, now=NOW), 80, threads=16)
        assert Counter(rate.remaining for rate in rates if rate.allowed) == Counter(range(50))
        assert sum(not rate.allowed for rate in rates) == 30

    def test_never_more_than_ten_slots_are_taken_and_never_fewer(self, key: ApiKey) -> None:
        taken = in_parallel(lambda _: limits.acquire(key=key, now=NOW), 40, threads=16)
        assert sum(slot is not None for slot in taken) == 10

    def test_slots_that_are_freed_are_taken_again(self, key: ApiKey) -> None:
        def use(_: int) -> bool:
            slot = limits.acquire(key=key, now=NOW)
            if slot:
                limits.release(slot=slot)
            return slot is not None

        # Eight callers, ten slots: each of them must find one, every time, also while the slots are being made.
        for number in range(5):
            key.pk = number + 1000
            assert all(in_parallel(use, 60, threads=8))


@pytest.mark.usefixtures("counted_in")
class TestASlot:
    def test_is_free_again_when_its_lease_runs_out(self, key: ApiKey) -> None:
        key.concurrent_lookups = 1
        assert limits.acquire(key=key, now=NOW, lease=timedelta(seconds=30))
        assert limits.acquire(key=key, now=NOW + timedelta(seconds=29)) is None
        assert limits.acquire(key=key, now=NOW + timedelta(seconds=30))

    def test_freed_twice_does_not_free_the_next_owner(self, key: ApiKey) -> None:
        key.concurrent_lookups = 1
        first = limits.acquire(key=key, now=NOW)
        assert first is not None
        limits.release(slot=first)
        assert limits.acquire(key=key, now=NOW)
        limits.release(slot=first)
        assert limits.acquire(key=key, now=NOW) is None

    def test_is_free_again_when_the_clock_was_set_back(self, key: ApiKey) -> None:
        """Whoever took it was killed; else it would be taken for an hour and five minutes."""
        key.concurrent_lookups = 1
        assert limits.acquire(key=key, now=NOW)
        assert limits.acquire(key=key, now=NOW - timedelta(minutes=1)) is None
        assert limits.acquire(key=key, now=NOW - timedelta(hours=1))

    def test_limit_can_be_raised_and_lowered(self, key: ApiKey) -> None:
        key.concurrent_lookups = 1
        assert limits.acquire(key=key, now=NOW)
        key.concurrent_lookups = 2
        assert limits.acquire(key=key, now=NOW)
        key.concurrent_lookups = 1
        assert limits.acquire(key=key, now=NOW) is None


class TestWithoutAnAnsweringRedis:
    @pytest.fixture(autouse=True)
    def _nobody_listens(self, settings: Any) -> Iterator[None]:
        settings.REDIS_URL = "redis://127.0.0.1:1/0"
        yield
        counters._redis_at.cache_clear()

    def test_the_database_counts_instead(self, key: ApiKey) -> None:
        rates = [limits.count_request(key=key, now=NOW) for _ in range(51)]
        assert [rate.allowed for rate in rates] == [True] * 50 + [False]

    def test_slots_are_still_limited(self, key: ApiKey) -> None:
        slots = [limits.acquire(key=key, now=NOW) for _ in range(11)]
        assert [slot is not None for slot in slots] == [True] * 10 + [False]
        for slot in slots[:10]:
            assert slot
            limits.release(slot=slot)
        assert limits.acquire(key=key, now=NOW)


@pytest.mark.redis
class TestAConnectionToRedisThatBreaks:
    @pytest.mark.parametrize(
        ("command", "done"),
        [(b"ZREM", False), (b"ZREM", True), (b"sos:slots", True), (b"sos:rate", False)],
        ids=["as it is freed", "once it is freed", "once it is given", "while it is used"],
    )
    def test_keeps_no_slot_from_a_key_that_has_nothing_running(
        self, command: bytes, done: bool, key: ApiKey, on_redis: str, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(counters, "REDIS_TIMEOUT_SECONDS", 20)
        key.concurrent_lookups = 1
        with cutting(on_redis) as way:
            settings.REDIS_URL = way.url
            counter = counters._redis_at(way.url)
            counter._client.delete(f"sos:slots:key:{key.pk}")
            counter.release("nobody", "nothing")  # connected from here on
            way.cut(command, done=done)
            slot = limits.acquire(key=key, now=NOW)
            assert slot is not None
            limits.count_request(key=key, now=NOW)
            limits.release(slot=slot)
            assert way.cuts == 1
            counter._silent_until = 0.0  # some seconds later
            assert limits.acquire(key=key, now=NOW + timedelta(seconds=10))
            counter._client.close()


class TestOldWindows:
    def test_are_forgotten_after_a_day(self, key: ApiKey) -> None:
        counters.DATABASE.count("key:1", int(NOW.timestamp()), 60)
        assert limits.prune(now=NOW) == 0
        assert limits.prune(now=NOW + timedelta(days=2)) == 1
        assert not RateWindow.objects.exists()
