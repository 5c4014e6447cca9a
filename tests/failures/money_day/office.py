"""What staff does with money, by the functions behind the admin's buttons: a process that reads one act a line.

`Office` is its other end. An act that fails for want of the database is done again with the same token, until it is
done or refused: so does a person whose page did not load.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
import traceback
from typing import Any


class Refused(Exception):
    """The service does not do this."""


class Office:
    """Gives acts to the process, one at a time."""

    def __init__(self, environment: dict[str, str], root: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.failures.money_day.office"],
            cwd=root,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._lock = threading.Lock()

    def do(self, act: str, *, seconds: float = 90.0, **arguments: Any) -> Any:
        """Have it done and return what came of it; raise Refused."""
        until = time.monotonic() + seconds
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        while True:
            with self._lock:
                self._process.stdin.write(json.dumps([act, arguments]) + "\n")
                self._process.stdin.flush()
                said = json.loads(self._process.stdout.readline())
            if "refused" in said:
                raise Refused(said["refused"])
            if "done" in said:
                return said["done"]
            assert "away" in said, said.get("broken")
            assert time.monotonic() < until, said
            time.sleep(0.5)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def main() -> None:
    """Do what is asked, line by line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    import django

    django.setup()
    from django.core.exceptions import ObjectDoesNotExist
    from django.db import InterfaceError, OperationalError, connection

    from billing.keys import InvalidKey
    from billing.ledger_errors import LedgerError
    from tests.failures.money_day import acts

    for line in sys.stdin:
        name, arguments = json.loads(line)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                answer = {"done": getattr(acts, name)(**arguments)}
        except (InvalidKey, LedgerError, ObjectDoesNotExist, ValueError) as refusal:
            answer = {"refused": f"{type(refusal).__name__}: {refusal}"}
        except (OperationalError, InterfaceError) as error:
            connection.close()
            answer = {"away": f"{type(error).__name__}: {error}"}
        except Exception:
            answer = {"broken": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
