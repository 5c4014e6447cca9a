"""`/metrics`, as Prometheus reads it: what this web server's processes have counted, and what the database knows.

Requests are counted where they are answered; several processes of one server count into files that are read together.
All else is read from the rows when it is asked for, so that it is the same from whichever server, whoever did the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from lookups.operations import measures
from lookups.operations.traffic import REGISTRY

PREFIX = "sos_lookup_"


class _Measured(Collector):
    """What the rows say at one moment."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def collect(self) -> Iterator[Metric]:
        """Every gauge with its words; one without a value yet is named all the same."""
        for gauge in measures.read(now=self._now):
            family = GaugeMetricFamily(PREFIX + gauge.name, gauge.about, labels=gauge.labels)
            for labels, value in gauge.values.items():
                family.add_metric(labels, value)
            yield family


def render(*, now: datetime) -> bytes:
    """The whole page."""
    registry = CollectorRegistry()
    registry.register(_Measured(now))
    return generate_latest(registry) + generate_latest(_counted())


def _counted() -> CollectorRegistry:
    if not settings.PROMETHEUS_MULTIPROC_DIR:
        return REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together, path=settings.PROMETHEUS_MULTIPROC_DIR)
    return together
