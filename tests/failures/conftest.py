"""The service under storm, shared by all stories, and the audit that ends each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings

from tests.engines import programs
from tests.failures import audit, service, totals
from tests.failures.books import wait_until
from tests.failures.customers import Customer
from tests.failures.service import Service

Audit = Callable[..., audit.Findings]


@pytest.fixture(scope="package")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Everything started once; every story leaves all processes and servers running."""
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3") or not settings.REDIS_URL:
        pytest.skip("real processes on PostgreSQL and Redis: part of the second engine run")
    if programs.find_programs() is None:
        pytest.skip("starts a PostgreSQL and a Redis of its own, whose programs are not on this machine")
    with service.running(tmp_path_factory.mktemp("storm")) as started:
        yield started


@pytest.fixture
def storm(running_service: Service) -> Service:
    """The service, with every process running, quick registries and nothing left of the story before."""
    registries = running_service.registries
    registries.seconds, registries.long, registries.fault = 0.0, False, None
    registries.release_hanging()
    registries.open()
    wait_until(lambda: registries.waiting() == 0, what="nobody of the story before asks any more")
    registries.hanging = registries.silent = True
    running_service.mend()
    return running_service


@pytest.fixture
def customer(storm: Service) -> Customer:
    """Somebody whom no other story knows."""
    return storm.new_customer()


@pytest.fixture
def settled(storm: Service, record_property: Callable[[str, Any], None]) -> Audit:
    """Wait until all accepted jobs of the customers have ended, and have the accountant look at all of it."""
    kills, stops = storm.kills, storm.stops

    def look(*customers: Customer, most_asked: int = 1, seconds: float = 60.0) -> audit.Findings:
        storm.finish(*customers, seconds=seconds)
        found = audit.examine(storm, *customers, most_asked=most_asked)
        numbers = (1, found.lookups, found.jobs, storm.kills - kills, storm.stops - stops)
        told = (*numbers, len(found.lost), len(found.double))
        record_property(totals.PROPERTY, " ".join(map(str, told)))
        assert found.lost == []
        assert found.double == []
        assert found.wrong == []
        return found

    return look
