"""A new installation makes its tables in one step, and has what an older one ends with that came the long way."""

from __future__ import annotations

import re

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

from tests.upgrades.conftest import (
    ALL_VERSIONS,
    CUT_OFF,
    kept_tables,
    live_through_all_versions,
    live_until_the_last_steps,
)
from tests.upgrades.long_way import APPS, list_stops
from tests.upgrades.schema import describe

AFTER_THE_STEP = re.compile(
    "lookups_usagesum|lookup_of_account_newest|is_awaited|lookup_repeating|lookup_of_filings|delivery_tells_of_one_thing"
)

pytestmark = pytest.mark.django_db(transaction=True)


def names() -> set[tuple[str, str]]:
    return set(MigrationRecorder.Migration.objects.values_list("app", "name"))


class TestANewInstallation:
    def test_has_what_the_long_way_ends_with(self) -> None:
        assert {app for app, _ in list_stops(-1)} == set(APPS)
        in_one_step, known = describe(), names()
        with kept_tables(ALL_VERSIONS, live_through_all_versions):
            assert sorted(describe() ^ in_one_step) == []
            assert names() == known

    def test_goes_back_to_where_the_step_ends(self) -> None:
        in_the_end = describe()
        last = dict(list_stops(-1))["lookups"]
        with kept_tables(f"{__name__} back", lambda: call_command("migrate", "lookups", last, verbosity=0)):
            gone = in_the_end - describe()
            assert gone
            assert [line for line in gone if not AFTER_THE_STEP.search(line)] == []
            call_command("migrate", verbosity=0)
            assert sorted(describe() ^ in_the_end) == []

    @pytest.mark.parametrize("app", APPS)
    def test_goes_back_by_its_backup(self, app: str) -> None:
        before = dict(list_stops(-2))[app]
        with pytest.raises(CommandError, match=f"{before} is one step with what came after it.*restore the backup"):
            call_command("migrate", app, before[:4], verbosity=0)


class TestAnInstallationThatCameTheLongWay:
    def test_goes_on_from_where_it_stopped(self) -> None:
        """Its upgrade was cut off before the last of the migrations for which one step stands."""
        in_the_end = describe()
        with kept_tables(CUT_OFF, live_until_the_last_steps):
            assert describe() != in_the_end
            for app, before in list_stops(-2):
                call_command("migrate", app, before[:4], verbosity=0)
            assert describe() != in_the_end
            call_command("migrate", verbosity=0)
            assert sorted(describe() ^ in_the_end) == []
