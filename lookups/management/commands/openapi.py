"""Keeps the committed OpenAPI document, and the collection of requests made from it, equal to the code."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from lookups.api.schema import document
from lookups.pages.docs.reference import collection


class Command(BaseCommand):
    """`manage.py openapi --write` writes both, `--check` fails when one differs, neither prints the document."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """The two modes."""
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--write", action="store_true", help="write the document and the collection")
        mode.add_argument("--check", action="store_true", help="fail when a committed one differs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Build, do as asked, and let nothing pass that is no valid document."""
        with GENERATOR_STATS.silence():
            built = document.build()
        if GENERATOR_STATS:
            GENERATOR_STATS.emit_summary()
            raise CommandError("The document has warnings.")
        text = document.to_yaml(built)
        files = ((document.COMMITTED, text), (collection.COMMITTED, collection.write()))
        if options["check"]:
            for path, written in files:
                self._check(path, written)
        validate_schema(built)  # seconds, which one that differs is not worth
        if options["write"]:
            for path, written in files:
                path.write_text(written, encoding="utf-8")
                self.stdout.write(f"Wrote {path}.")
        elif not options["check"]:
            self.stdout.write(text)

    def _check(self, path: Path, text: str) -> None:
        committed = path.read_text(encoding="utf-8") if path.exists() else ""
        if committed == text:
            return
        changes = difflib.unified_diff(committed.splitlines(), text.splitlines(), "committed", "code", lineterm="")
        self.stderr.write("\n".join(changes))
        raise CommandError(f"{path.name} differs from the code: run `make openapi` and read the difference.")
