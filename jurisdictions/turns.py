"""Several works of one task of the clock, none of which keeps the others from being done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import InterfaceError, OperationalError

log = logging.getLogger(__name__)


def do_each(*works: Callable[..., Any], now: datetime) -> list[Any]:
    """Do one after the other; returns what each came to.

    One that breaks is logged, and the first such error is raised once all are done: the task has failed then. Where
    the database is away, what follows would only wait for it as well, and is left to the next time.
    """
    found, broken = list[Any](), list[Exception]()
    for work in works:
        try:
            found.append(work(now=now))
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            log.exception("%s.%s broke; what is due beside it goes on.", work.__module__, work.__name__)
            broken.append(error)
    if broken:
        raise broken[0]
    return found
