"""What a dossier begins with: the state's word, what it means, and how old the reading is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lookups.pages.dossier.record.headline import find_kind, read_age, read_status
from lookups.pages.dossier.record.words import clip, day, some

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


def age(as_of: datetime | None = None, *, to_the_minute: bool = True, **ago: float) -> Any:
    return read_age(read_at=NOW - timedelta(**ago), as_of=as_of, now=NOW, to_the_minute=to_the_minute)


class TestTheAge:
    """How long ago it was read."""

    @pytest.mark.parametrize(
        ("ago", "words", "level"),
        [
            ({"seconds": 20}, "read just now", "fresh"),
            ({"minutes": 1}, "read 1 minute ago", "fresh"),
            ({"hours": 2}, "read 2 hours ago", "fresh"),
            ({"hours": 23, "minutes": 59}, "read 23 hours ago", "fresh"),
            ({"days": 1}, "read 1 day ago", "recent"),
            ({"days": 9}, "read 9 days ago", "recent"),
            ({"days": 30}, "read 30 days ago", "recent"),
            ({"days": 31}, "read 31 days ago: may have changed", "old"),
            ({"days": 95}, "read 95 days ago: may have changed", "old"),
            ({"days": -1}, "read just now", "fresh"),  # a clock that goes wrong
        ],
    )
    def test_shows(self, ago: dict[str, float], words: str, level: str) -> None:
        assert (age(**ago).words, age(**ago).level) == (words, level)

    @pytest.mark.parametrize(
        ("ago", "words", "level"),
        [
            ({"hours": 2}, "read today", "fresh"),
            ({"hours": 13}, "read yesterday", "recent"),
            ({"days": 9}, "read 9 days ago", "recent"),
            ({"days": 95}, "read 95 days ago: may have changed", "old"),
        ],
    )
    def test_is_shown_to_strangers_by_the_day_alone(self, ago: dict[str, float], words: str, level: str) -> None:
        told = age(to_the_minute=False, **ago)
        assert (told.words, told.level, told.at) == (words, level, None)

    def test_is_that_of_the_data_where_the_source_says_that_it_is_older(self) -> None:
        told = age(NOW - timedelta(days=40), hours=1)
        assert told.words == "from the registry's data of 40 days ago: may have changed"
        assert told.level == "old"
        assert told.day == (NOW - timedelta(days=40)).date()

    def test_is_that_of_the_reading_where_the_source_is_as_new(self) -> None:
        assert age(NOW - timedelta(hours=2), hours=1).words == "read 1 hour ago"


class TestTheStatus:
    """The state's own word, in quotes, and what it means."""

    @pytest.mark.parametrize(
        ("word", "status_class", "reason", "shown"),
        [
            ("Good Standing", "active", None, ("“Good Standing”", "active", "good")),
            ("Active", "active", None, ("“Active”", "", "good")),
            ("Past Due", "active", "not_in_good_standing", ("“Past Due”", "active, not in good standing", "warn")),
            ("Dissolved", "inactive", "dissolved", ("“Dissolved”", "inactive", "bad")),
            ("Admin. Gone", "inactive", "revoked", ("“Admin. Gone”", "inactive, revoked", "bad")),
            ("Pending", "neutral", "pending", ("“Pending”", "neither active nor inactive", "neutral")),
            (
                "Zorbed",
                "neutral",
                "unrecognised_status",
                ("“Zorbed”", "neither active nor inactive, a word that we do not know", "neutral"),
            ),
            (
                None,
                "active",
                "listed_in_active_register",
                ("Listed in the register of active entities", "active", "good"),
            ),
            (None, "neutral", None, ("Neither active nor inactive", "", "neutral")),
        ],
    )
    def test_shows(self, word: str | None, status_class: str, reason: str | None, shown: tuple[str, ...]) -> None:
        found = read_status({"status": word}, {"statusClass": status_class, "statusReason": reason})
        assert (found.quoted, found.explained, found.kind) == shown


class TestWords:
    """Days, long texts, long lists."""

    def test_have_one_form_of_a_day(self) -> None:
        assert day("2011-03-14") == day(NOW.date().replace(2011, 3, 14)) == "14 March 2011"
        assert day("2011-03-14T00:30:00.000Z") == "14 March 2011"

    def test_leave_a_day_that_cannot_be_read_as_it_was_written(self) -> None:
        assert day("Spring 1901") == "Spring 1901"
        assert day("0000-00-00") == "0000-00-00"
        assert day("") is day(None) is None

    def test_say_how_much_was_cut_off(self) -> None:
        assert clip("x" * 10_000) == f"{'x' * 400} … (9,600 more characters)"

    def test_leave_out_what_cannot_be_seen(self) -> None:
        assert clip("ACME \u202eCTIXE LLC\u200f") == "ACME CTIXE LLC"

    def test_show_as_much_of_a_list_as_fits_and_count_the_rest(self) -> None:
        shown = some("abcdef", size=lambda one: 10, room=35)
        assert ("".join(shown.items), shown.more) == ("abc", 3)
        assert some("ab", size=lambda one: 100, room=10).items == ["a"]  # one at least
        assert not some("", size=len, room=10)


class TestTheLookOfAStatus:
    """The same on the dossier, in a bulk job and among all states."""

    @pytest.mark.parametrize(
        ("status_class", "reason", "kind"),
        [
            ("active", None, "good"),
            ("active", "not_in_good_standing", "warn"),
            ("active", "delinquent", "warn"),
            ("inactive", "dissolved", "bad"),
            ("neutral", None, "neutral"),
            (None, None, "neutral"),
        ],
    )
    def test_is_good_only_without_a_reservation(self, status_class: str | None, reason: str | None, kind: str) -> None:
        assert find_kind({"statusClass": status_class, "statusReason": reason}) == kind
