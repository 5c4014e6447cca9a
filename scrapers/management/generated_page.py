"""A page of docs/ that is written from the code by a command, which also says whether it is current."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser


class PageCommand(BaseCommand):
    """Writes `docs/<file>`."""

    file: str

    @abstractmethod
    def page(self) -> str:
        """The page as the code has it now."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; fail when the page is out of date")

    def handle(self, *args: Any, **options: Any) -> None:
        path, page = settings.BASE_DIR / "docs" / self.file, self.page()
        if not options["check"]:
            path.write_text(page, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != page:
            command = self.__module__.rpartition(".")[2]
            raise CommandError(f"docs/{self.file} is out of date: run manage.py {command}")
