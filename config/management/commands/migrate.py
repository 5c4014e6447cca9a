"""`manage.py migrate`, by the role that owns the tables where there is one beside the service's own.

With MIGRATION_DATABASE_URL the tables are changed as that role, and the role of DATABASE_URL is then given what the
service needs and no more; it is made when there is none yet. Without it this is Django's own command.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection
from django.db.migrations.exceptions import AmbiguityError
from django.db.migrations.loader import MigrationLoader

from config import database_roles
from config.patience import patience


class Command(migrate.Command):
    """Django's command, as the owner."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, then give the service's role its rights on what there is now; an index may take minutes."""
        token = patience.set(None)
        try:
            options["migration_name"] = self._reach(options["app_label"], options["migration_name"])
            self._migrate(*args, **options)
        finally:
            patience.reset(token)

    def _reach(self, app: str | None, name: str | None) -> str | None:
        """How Django calls the migration to go to; refuses one within a step that replaces many.

        Django would lose its place among what it replaces. The last of them is where the step ends.
        """
        if not app or not name or name == "zero":
            return name
        loader = MigrationLoader(connection)
        try:
            found = (app, loader.get_migration_by_prefix(app, name).name)
        except (AmbiguityError, KeyError):
            return name  # said by Django's own command
        if found in loader.graph.nodes or found in loader.replacements:
            return name
        for (_, step), migration in loader.replacements.items():
            if migration.replaces[-1] == found:
                return step
        raise CommandError(
            f"{app} {found[1]} is one step with what came after it, which is done. To go back to the version before,"
            " restore the backup that was made with it."
        )

    def _migrate(self, *args: Any, **options: Any) -> None:
        if not settings.MIGRATION_DATABASE:
            super().handle(*args, **options)
            return
        service = dict(connection.settings_dict)
        with database_roles.connected(settings.MIGRATION_DATABASE):
            super().handle(*args, **options)
            if options["plan"] or options["check_unapplied"]:
                return
            try:
                database_roles.grant(connection, role=service["USER"], password=service["PASSWORD"])
            except database_roles.RoleTooStrong as problem:
                raise CommandError(str(problem)) from problem
