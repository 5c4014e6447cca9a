"""A new installation makes its tables in one step, and has what an older one ends with that came the long way."""

from __future__ import annotations

import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tests.upgrades.conftest import kept_tables, stand_at
from tests.upgrades.long_way import APPS, migrate
from tests.upgrades.schema import describe

AFTER_THE_STEP = re.compile(
    "lookups_usagesum|lookup_of_account_newest|is_awaited|lookup_repeating|lookup_of_filings|delivery_tells_of_one_thing"
)

pytestmark = pytest.mark.django_db(transaction=True)


def names() -> set[tuple[str, str]]:
    return set(MigrationRecorder.Migration.objects.values_list("app", "name"))


def list_steps() -> dict[str, list[str]]:
    """The names of each app's migrations for which one step stands; the newest last."""
    steps = MigrationLoader(connection).replacements
    return {app: [name for _, name in one.replaces] for (app, _), one in steps.items()}


def come_the_long_way() -> None:
    """From no tables at all, by each migration that there has ever been."""
    steps = list_steps()
    assert set(steps) == set(APPS)
    stand_at([(app, None) for app in APPS])
    assert not [table for table in connection.introspection.table_names() if table.startswith(APPS)]
    migrate([(app, one[-1]) for app, one in steps.items()])
    call_command("migrate", verbosity=0)


class TestANewInstallation:
    def test_has_what_the_long_way_ends_with(self) -> None:
        in_one_step, known = describe(), names()
        with kept_tables(__name__, come_the_long_way):
            assert sorted(describe() ^ in_one_step) == []
            assert names() == known

    def test_goes_back_to_where_the_step_ends(self) -> None:
        in_the_end = describe()
        last = list_steps()["lookups"][-1]
        with kept_tables(f"{__name__} back", lambda: call_command("migrate", "lookups", last, verbosity=0)):
            gone = in_the_end - describe()
            assert gone
            assert [line for line in gone if not AFTER_THE_STEP.search(line)] == []
            call_command("migrate", verbosity=0)
            assert sorted(describe() ^ in_the_end) == []

    @pytest.mark.parametrize("app", APPS)
    def test_goes_back_by_its_backup(self, app: str) -> None:
        before = list_steps()[app][-2]
        with pytest.raises(CommandError, match=f"{before} is one step with what came after it.*restore the backup"):
            call_command("migrate", app, before[:4], verbosity=0)


class TestAnInstallationThatCameTheLongWay:
    def test_goes_on_from_where_it_stopped(self) -> None:
        """Its upgrade was cut off before the last of the migrations for which one step stands."""
        in_the_end = describe()
        stops = [(app, one[-2]) for app, one in list_steps().items()]
        with kept_tables(f"{__name__} {stops}", lambda: migrate(stops)):
            assert describe() != in_the_end
            for app, before in stops:
                call_command("migrate", app, before[:4], verbosity=0)
            assert describe() != in_the_end
            call_command("migrate", verbosity=0)
            assert sorted(describe() ^ in_the_end) == []
