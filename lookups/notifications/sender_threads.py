"""The threads of a queue worker that send messages, beside those that work on its queues.

A receiver that hangs then takes no thread from a lookup; and neither a register's import nor a worker full of slow
lookups keeps a message waiting. One thread looks out for rows that are due, whether it is called or not; it starts the
others.
"""

from __future__ import annotations

import logging
import threading

from django.db import connection
from django.utils import timezone

from lookups.notifications import deliveries, sending

log = logging.getLogger(__name__)
THREADS = 16  # of one process; see `deliveries.AT_ONCE` for how many of them one account may take
LOOK_EVERY = 5.0  # seconds; also how late the second try of a message may be


class SenderThreads:
    """Starts when its worker has started, and sends until the process stops."""

    def __init__(self) -> None:
        self._called = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._at_work = self._look_again = 0
        self._lookout: threading.Thread | None = None

    @property
    def runs(self) -> bool:
        """Whether this process has one that works."""
        return self._lookout is not None and self._lookout.is_alive()

    def start(self) -> None:
        """Look out from now on."""
        self._lookout = threading.Thread(target=self._look_out, name="sender", daemon=True)
        self._lookout.start()

    def call(self) -> None:
        """Have it look at once."""
        self._called.set()

    def stop(self) -> None:
        """Begin nothing new. What is being sent ends, or is sent again by somebody else when its lease has run out."""
        self._stopping.set()
        self._called.set()

    def _look_out(self) -> None:
        while not self._stopping.is_set():
            try:
                self._start_threads(deliveries.count_due(now=timezone.now()))
            except Exception:  # the database may be away for a while
                log.exception("Could not look for messages to send.")
            finally:
                connection.close()
            self._called.wait(LOOK_EVERY)
            self._called.clear()

    def _start_threads(self, due: int) -> None:
        wanted = min(due, THREADS)
        with self._lock:
            more = wanted - self._at_work
            self._look_again = wanted
        for _ in range(more):
            self._start_thread()

    def _start_thread(self) -> None:
        """Counted before it runs; not where the machine had none left, or nobody would start another in its place."""
        with self._lock:
            self._at_work += 1
        try:
            threading.Thread(target=self._send, name="sender-send", daemon=True).start()
        except BaseException:
            with self._lock:
                self._at_work -= 1
            raise

    def _send(self) -> None:
        try:
            while self._goes_on():
                while not self._stopping.is_set() and sending.send_next(now=timezone.now()):
                    pass
        except Exception:
            log.exception("A thread that sends messages broke down; another one goes on.")
            with self._lock:
                self._at_work -= 1
        finally:
            connection.close()

    def _goes_on(self) -> bool:
        """Whether a thread that finds nothing more looks again: something may have come while it was leaving."""
        with self._lock:
            if self._look_again and not self._stopping.is_set():
                self._look_again -= 1
                return True
            self._at_work -= 1
            return False


sender = SenderThreads()
