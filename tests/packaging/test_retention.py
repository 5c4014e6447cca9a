"""The table of what is kept, beside the models, the periods and the clock of the code."""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from django.apps import apps
from django.core.management import get_commands

from config.celery import app

ROOT = Path(__file__).resolve().parents[2]
UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1)}
PERIOD = re.compile(r"(\d+) (hour|day)s?\b")


class Row(NamedTuple):
    """One line of the table."""

    tables: list[str]
    content: str
    period: str
    ended_by: str


def read_rows(text: str) -> list[Row]:
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return [Row(re.findall(r"`([\w.]+)`", tables), content, period, by) for tables, content, period, by in lines]


ROWS = read_rows((ROOT / "docs" / "retention.md").read_text())


def list_missing(rows: list[Row]) -> set[str]:
    """Tables of the database that the rows do not name, and names that are no table."""
    kept = {model._meta.label for model in apps.get_models() if not model._meta.proxy}
    named = [table for row in rows for table in row.tables]
    return kept.symmetric_difference(named) | {table for table in named if named.count(table) > 1}


def find_wrong_period(row: Row) -> str:
    """What is wrong about the period of a row: another one in the code, or none that it names."""
    constant, told = re.search(r"\(`([\w.]+)`\)", row.period), PERIOD.search(row.period)
    if constant is None:
        return "a period without a constant" if told else ""
    module, _, name = constant[1].rpartition(".")
    kept_for = getattr(import_module(module), name)
    if isinstance(kept_for, int):  # a variable of the environment
        kept_for = timedelta(days=kept_for)
    if told is None or int(told[1]) * UNITS[told[2]] != kept_for:
        return f"{row.period}: {kept_for}"
    return ""


class TestTheTableOfRetention:
    """docs/retention.md."""

    def test_names_every_table_of_the_database_once(self) -> None:
        assert list_missing(ROWS) == set()

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.tables[0])
    def test_tells_the_periods_of_the_code(self, row: Row) -> None:
        assert find_wrong_period(row) == ""

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.tables[0])
    def test_names_what_there_is_to_end_it(self, row: Row) -> None:
        scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
        for name in re.findall(r"`([^`]+)`", row.ended_by):
            assert name in scheduled or name.removeprefix("manage.py ") in get_commands()
        if PERIOD.search(row.period):
            assert "tasks." in row.ended_by

    def test_names_every_period_that_the_code_has(self) -> None:
        found = {
            f"{path.relative_to(ROOT).with_suffix('').as_posix().replace('/', '.')}.KEPT_FOR"
            for folder in ("billing", "config", "jurisdictions", "lookups", "scrapers")
            for path in (ROOT / folder).rglob("*.py")
            if re.search(r"^KEPT_FOR\b", path.read_text(), re.MULTILINE)
        }
        assert found == {name for row in ROWS for name in re.findall(r"`([\w.]+KEPT_FOR)`", row.period)}

    def test_would_not_pass_with_a_table_forgotten_or_a_period_changed(self) -> None:
        jobs = next(row for row in ROWS if row.tables == ["lookups.Job"])
        assert list_missing([row for row in ROWS if row is not jobs]) == {"lookups.Job"}
        assert find_wrong_period(jobs._replace(period=jobs.period.replace("7", "8")))
        assert find_wrong_period(jobs._replace(period="8 days"))
