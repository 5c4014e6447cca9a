"""Queues and the clock of the service.

A message only wakes a worker: the truth about a job is its database row. That is why losing the whole broker
folder, or flushing Redis, loses nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from celery import Celery, Task
from celery.schedules import crontab
from celery.signals import beat_init, task_prerun, worker_ready, worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.launch import commands
from config.patience import patience

if TYPE_CHECKING:
    from lookups.operations.heartbeats import Pulse

ROLES = {node.partition("@")[0]: role for role, node in commands.NODES.items()}
WHOLE_TABLES = {
    "billing.tasks.reconcile",
    "billing.tasks.reconcile_whole",
    "billing.tasks.anchor_ledger",
    "lookups.tasks.prune",
    "scrapers.tasks.prune_attempts",
    "scrapers.tasks.prune_bodies",
    "scrapers.tasks.sweep_bodies",
    "scrapers.tasks.refresh_bulk_data",
}
WHOLE_TABLES_SECONDS = 600.0
app = Celery("sos-lookup")

if settings.REDIS_URL:
    # A message is only a call, and the sweep makes up for one that is lost: so Redis keeps none for a worker that
    # might die. Where it does, a worker that loses Redis acknowledges its messages, or gives them back, on the
    # connection that is gone, and kombu 5.7 ends the process over that ("'NoneType' object has no attribute 'client'"),
    # with every fetch in it.
    from kombu.transport.redis import Channel as RedisChannel  # here: without Redis its client is 6 MB for nothing

    RedisChannel.do_restore = False
    transport_options: dict[str, object] = {
        "ack_emulation": False,
        # Who calls a worker has a customer waiting. With the defaults a stopped broker held the reply for 6 s, and one
        # that took the connection and froze held it for ever.
        "socket_timeout": 2.0,
        "socket_connect_timeout": 2.0,
        "max_retries": 0,
        # A connection that goes silent (a firewall that forgets it) is no error to who waits for calls on it. At the
        # default of 25 s a worker heard nothing for up to 51 s; now it is 11.
        "health_check_interval": 5,
    }
else:
    folder = settings.VAR_DIR / "broker"
    try:
        for name in ("messages", "control"):
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ImproperlyConfigured(
            f"The folder {folder} cannot be made ({problem.strerror}): name another VAR_DIR, or be its owner."
        ) from problem
    transport_options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.05,  # 37 ms round trip; 858 ms at the default of 1 s
    }

app.conf.update(
    broker_transport=None if settings.REDIS_URL else "config.folder_queue:Transport",
    broker_url=settings.CELERY_BROKER_URL,
    broker_transport_options=transport_options,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # a hundred tries are three quarters of an hour; then the process would end
    broker_channel_error_retry=True,  # a Redis that refuses writes for a while, or a full disk, is no reason to end
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    task_default_queue="interactive",
    task_routes={
        "billing.tasks.*": {"queue": "upkeep"},
        "scrapers.tasks.*": {"queue": "upkeep"},
        "lookups.tasks.prune": {"queue": "upkeep"},
        "lookups.tasks.sweep_jobs": {"queue": "upkeep"},
        "lookups.tasks.tick_watches": {"queue": "upkeep"},
        "lookups.tasks.deliver": {"queue": "upkeep"},
        "lookups.tasks.mail_entrance": {"queue": "upkeep"},
        "lookups.tasks.chain_evidence": {"queue": "upkeep"},
        "lookups.tasks.head_evidence": {"queue": "upkeep"},
        "lookups.tasks.run_bulk": {"queue": "bulk"},
    },
    timezone="UTC",
    beat_scheduler="config.beat:Scheduler",
    beat_schedule={
        "expire-holds": {"task": "billing.tasks.expire_holds", "schedule": 60.0},
        "sweep-payments": {"task": "billing.tasks.sweep_payments", "schedule": 60.0},
        "anchor-ledger": {"task": "billing.tasks.anchor_ledger", "schedule": crontab(minute=5)},
        "reconcile": {"task": "billing.tasks.reconcile", "schedule": crontab(minute=40)},
        "reconcile-whole": {"task": "billing.tasks.reconcile_whole", "schedule": crontab(hour=3, minute=10)},
        "refresh-bulk-data": {"task": "scrapers.tasks.refresh_bulk_data", "schedule": crontab(hour=4, minute=20)},
        "meet-registries": {  # before people in America begin to work
            "task": "scrapers.tasks.meet_registries",
            "schedule": crontab(hour=9, minute=20, day_of_week="tue"),
        },
        "sweep-jobs": {"task": "lookups.tasks.sweep_jobs", "schedule": 15.0},
        "chain-evidence": {"task": "lookups.tasks.chain_evidence", "schedule": 60.0},
        "head-evidence": {  # makes one an hour; what the authority did not stamp is asked again
            "task": "lookups.tasks.head_evidence",
            "schedule": crontab(minute="7,17,27,37,47,57"),
        },
        "tick-watches": {"task": "lookups.tasks.tick_watches", "schedule": 60.0},
        "deliver": {"task": "lookups.tasks.deliver", "schedule": 15.0},
        "mail-entrance": {"task": "lookups.tasks.mail_entrance", "schedule": 60.0},
        "prune-lookups": {"task": "lookups.tasks.prune", "schedule": crontab(minute=25)},
        "prune-attempts": {"task": "scrapers.tasks.prune_attempts", "schedule": crontab(hour=3, minute=40)},
        "prune-bodies": {"task": "scrapers.tasks.prune_bodies", "schedule": crontab(minute=50)},
        "sweep-bodies": {"task": "scrapers.tasks.sweep_bodies", "schedule": crontab(hour=4, minute=10)},
    },
)
app.autodiscover_tasks()


_pulses: list[Pulse] = []  # of this process


@task_prerun.connect
def set_patience(task: Task[Any, Any], **_: object) -> None:
    """Let what reads whole tables take its time; nobody waits for it."""
    patience.set(WHOLE_TABLES_SECONDS if task.name in WHOLE_TABLES else settings.DATABASE_SECONDS)


@worker_ready.connect
def start_worker(sender: Any, **_: object) -> None:
    """Every queue worker also sends customers their messages, by threads of its own, and says that it lives."""
    from lookups.notifications.sender_threads import sender as messages

    messages.start()
    start_pulse(ROLES[sender.hostname.partition("@")[0]])


@beat_init.connect
def start_clock(**_: object) -> None:
    """So does the clock."""
    start_pulse("beat")


def start_pulse(role: str) -> None:
    """Say from now on that this process lives, and what it does."""
    from lookups.operations.heartbeats import Pulse

    pulse = Pulse(role)
    pulse.start()
    _pulses.append(pulse)


@worker_shutting_down.connect
def stop_worker(**_: object) -> None:
    """A worker that ends begins no message more, and is counted on no more."""
    from lookups.notifications.sender_threads import sender

    sender.stop()
    for pulse in _pulses:
        pulse.stop()
