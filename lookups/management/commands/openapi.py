"""Keeps the committed OpenAPI document equal to the code."""

from __future__ import annotations

import difflib
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from lookups.api.schema import document


class Command(BaseCommand):
    """`manage.py openapi --write` writes the document, `--check` fails when it differs, neither prints it."""

    help = __doc__
    requires_system_checks = []  # the document needs neither database nor admin

    def add_arguments(self, parser: CommandParser) -> None:
        """The two modes."""
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--write", action="store_true", help="write lookups/api/openapi.yaml")
        mode.add_argument("--check", action="store_true", help="fail when the committed document differs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Build, validate, then do as asked."""
        with GENERATOR_STATS.silence():
            built = document.build()
        if GENERATOR_STATS:
            GENERATOR_STATS.emit_summary()
            raise CommandError("The document has warnings.")
        validate_schema(built)
        text = document.to_yaml(built)
        if options["write"]:
            document.COMMITTED.write_text(text, encoding="utf-8")
            self.stdout.write(f"Wrote {document.COMMITTED}.")
        elif options["check"]:
            self._check(text)
        else:
            self.stdout.write(text)

    def _check(self, text: str) -> None:
        committed = document.COMMITTED.read_text(encoding="utf-8") if document.COMMITTED.exists() else ""
        if committed == text:
            return
        changes = difflib.unified_diff(committed.splitlines(), text.splitlines(), "committed", "code", lineterm="")
        self.stderr.write("\n".join(changes))
        raise CommandError("The committed document differs from the code: run `make openapi` and read the difference.")
