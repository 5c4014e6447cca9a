"""A new installation makes its tables in one step, and has what an older one ends with that came the long way."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tests.upgrades.conftest import kept_tables
from tests.upgrades.long_way import APPS, migrate
from tests.upgrades.schema import describe

pytestmark = pytest.mark.django_db(transaction=True)


def names() -> set[tuple[str, str]]:
    return set(MigrationRecorder.Migration.objects.values_list("app", "name"))


def last_two(app: str) -> list[str]:
    """The names of an app's newest migrations, without the one that stands for all of them."""
    return sorted(name for its_app, name in names() if its_app == app and "squashed" not in name)[-2:]


def come_the_long_way() -> None:
    """From no tables at all, by each migration that there has ever been."""
    leaves = [leaf for leaf in MigrationLoader(connection).graph.leaf_nodes() if leaf[0] in APPS]
    migrate([(app, None) for app in APPS])
    assert not [table for table in connection.introspection.table_names() if table.startswith(APPS)]
    migrate([MigrationLoader(connection).replacements[leaf].replaces[-1] for leaf in leaves])
    call_command("migrate", verbosity=0)


class TestANewInstallation:
    def test_has_what_the_long_way_ends_with(self) -> None:
        in_one_step, known = describe(), names()
        with kept_tables(__name__, come_the_long_way):
            assert sorted(describe() ^ in_one_step) == []
            assert names() == known

    @pytest.mark.parametrize("app", APPS)
    def test_goes_back_by_its_backup(self, app: str) -> None:
        before, _ = last_two(app)
        with pytest.raises(CommandError, match=f"{before} is one step with what came after it.*restore the backup"):
            call_command("migrate", app, before[:4], verbosity=0)


class TestAnInstallationThatCameTheLongWay:
    def test_goes_on_from_where_it_stopped(self) -> None:
        """Its upgrade was cut off before the last migration of each app."""
        in_the_end = describe()
        stops = [(app, last_two(app)[0]) for app in APPS]
        with kept_tables(f"{__name__} {stops}", lambda: migrate(stops)):
            assert describe() != in_the_end
            for app, before in stops:
                call_command("migrate", app, before[:4], verbosity=0)
            assert describe() != in_the_end
            call_command("migrate", verbosity=0)
            assert sorted(describe() ^ in_the_end) == []
