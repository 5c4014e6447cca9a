"""The clock and the queues agree with the code."""

from __future__ import annotations

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


class TestAQueue:
    """Where a task waits."""

    def test_has_a_worker_that_listens(self) -> None:
        ours = [name for name in app.tasks if not name.startswith("celery.")]
        assert ours
        used = {app.amqp.router.route({}, name)["queue"].name for name in ours}
        assert used - {name for queues in commands.QUEUES.values() for name in queues.split(",")} == set()
