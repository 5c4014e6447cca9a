"""The clock and the queues agree with the code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config import env
from config.celery import app
from config.launch import commands

app.loader.import_default_modules()


class TestTheClock:
    """The beat schedule."""

    def test_names_only_tasks_that_exist(self) -> None:
        named = {entry["task"] for entry in app.conf.beat_schedule.values()}
        assert named
        assert named - set(app.tasks) == set()

    def test_has_the_books_compared_every_hour_and_whole_every_night(self) -> None:
        due = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
        for task, hours in (("billing.tasks.reconcile", set(range(24))), ("billing.tasks.reconcile_whole", {3})):
            assert (due[task].hour, len(due[task].minute), len(due[task].day_of_week)) == (hours, 1, 7)


# What a worker has loaded once it knows its tasks
WORKER = """
from config.launch import queues
from config.celery import app
app.loader.import_default_modules()
"""
# What the web server has once it knows its addresses
WEB = """
import django
django.setup()
import config.urls
"""


def load(program: str, folder: Path, **settings: str) -> list[str]:
    """The modules that a process has loaded after `program`."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys{program}print(*sys.modules)"],
        cwd=env.BASE_DIR,
        env=os.environ | {"VAR_DIR": str(folder)} | settings,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.split()


class TestAProcess:
    """What it holds in memory."""

    @pytest.mark.parametrize("program", [WORKER, WEB], ids=["worker", "web"])
    def test_without_redis_loads_no_client_of_it(self, program: str, tmp_path: Path) -> None:
        loaded = load(program, tmp_path, REDIS_URL="", DATABASE_URL="")
        assert "lookups.models" in loaded
        assert [name for name in loaded if name in ("redis", "kombu.transport.redis")] == []

    def test_that_watches_over_the_others_loads_no_table_and_no_app(self, tmp_path: Path) -> None:
        loaded = load("\nfrom config.launch import watch\n", tmp_path)
        assert "config.launch.processes" in loaded
        assert [name for name in loaded if name in ("django.apps", "django.conf", "django.db", "celery")] == []

    def test_that_serves_has_loaded_its_pages_and_looks_for_no_cycles_among_them(self, tmp_path: Path) -> None:
        """Among all that the first request had loaded each look took a tenth of a second, in which nobody was heard."""
        found = "assert gc.get_freeze_count() > 5 * len(gc.get_objects())"
        assert "lookups.pages.dossier.views" in load(f"\nimport gc, config.wsgi\n{found}\n", tmp_path)

    @pytest.mark.parametrize("name", commands.NODES)
    def test_that_works_looks_for_no_cycles_among_what_it_has_loaded(self, name: str, tmp_path: Path) -> None:
        """Each look took 60 to 200 ms, in which none of the worker's threads went on."""
        found = "assert gc.get_freeze_count() > 5 * len(gc.get_objects())"
        assert "lookups.tasks" in load(
            f"\nimport gc\nfrom config.launch import queues\nqueues.prepare({name!r})\n{found}\n", tmp_path
        )

    def test_with_pages_loads_nothing_that_few_ask_for(self, tmp_path: Path) -> None:
        loaded = load(WEB, tmp_path)
        assert "lookups.pages.dossier.views" in loaded
        assert [name for name in loaded if name in ("PIL", "xlsxwriter")] == []


class TestAWorker:
    """What a process without pages holds in memory."""

    def test_loads_no_pages_no_shell_and_nothing_that_few_ask_for(self, tmp_path: Path) -> None:
        assert all("config.launch.queues" in line for line in (commands.worker("bulk"), commands.beat(folder=tmp_path)))
        loaded = load(WORKER, tmp_path)
        assert "lookups.tasks" in loaded
        spared = (
            "coincurve",
            "Crypto",
            "prompt_toolkit",
            "rfc3161_client",
            "config.urls",
            "config.admin",
            "billing.admin",
            "lookups.admin",
            "unfold.admin",
            "rest_framework.views",
        )
        assert [name for name in loaded if name in spared] == []


class TestAQueue:
    """Where a task waits."""

    def test_has_a_worker_that_listens(self) -> None:
        ours = [name for name in app.tasks if not name.startswith("celery.")]
        assert ours
        used = {app.amqp.router.route({}, name)["queue"].name for name in ours}
        assert used - {name for queues in commands.QUEUES.values() for name in queues.split(",")} == set()
