"""The real web server on the embedded default, before registries that a test can shut."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests import plain_http
from tests.failures import installed_once
from tests.failures.customers import Customer
from tests.failures.registries import Registries
from tests.failures.registries import running as registries_running
from tests.journeys.checkout import ROOT, clean_environment
from tests.ports import free_port

CUSTOMERS = 12
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.failures.settings",
    "CONTACT": "hostile@example.test",
    "RATE_LIMIT_PER_MINUTE": "100000",
    "KEYLESS_PER_MINUTE": "30",
    "TRUSTED_PROXIES": "1",
}


class Web:
    """Web servers of one installation: one to begin with, others beside it."""

    def __init__(self, folder: Path, registries: Registries) -> None:
        self.folder, self.registries = folder, registries
        self.environment = clean_environment(SETTINGS | {"VAR_DIR": str(folder), "PORTALS_URL": registries.url})
        (folder / "static").mkdir()
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._customers = installed_once.open_accounts(self.environment, CUSTOMERS)

    def start(self, port: int | None = None) -> int:
        """Start a web server, and wait until it answers; returns its port."""
        port = port or free_port()
        with (self.folder / f"web-{port}.log").open("ab") as output:
            self._processes[port] = subprocess.Popen(
                [sys.executable, "-m", "config.launch", "web", "--port", str(port)],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + 90
        while not answers(port):
            assert time.monotonic() < deadline, (self.folder / f"web-{port}.log").read_text()
            time.sleep(0.2)
        return port

    def stop(self, port: int) -> None:
        """Ask it to stop, and wait until it has."""
        self._processes[port].send_signal(signal.SIGTERM)
        self._processes[port].wait(60)

    def new_customer(self, port: int) -> Customer:
        """Somebody with credit, whose requests go to this port."""
        opened = self._customers.pop()
        mark = f"H{len(self._customers):02}"
        return Customer(opened["account"], opened["secret"], f"http://127.0.0.1:{port}", mark)

    def end(self) -> None:
        """Leave nothing behind."""
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def answers(port: int) -> bool:
    """Whether a server there does."""
    with contextlib.suppress(httpx.HTTPError):
        return plain_http.get(f"http://127.0.0.1:{port}/v1/health", timeout=5).status_code == 200
    return False


@contextmanager
def flood(send: Callable[[httpx.Client], None], *, port: int, clients: int) -> Iterator[None]:
    """So many clients do this again and again while the block runs."""
    over = Event()

    def go_on() -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, verify=False) as client:
            while not over.is_set():
                with contextlib.suppress(httpx.HTTPError):
                    send(client)

    with ThreadPoolExecutor(clients) as pool:
        sent = [pool.submit(go_on) for _ in range(clients)]
        try:
            yield
        finally:
            over.set()
        for one in sent:
            one.result()


@pytest.fixture(scope="package")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Servers can be started; ended whatever happens."""
    with registries_running() as registries:
        running = Web(tmp_path_factory.mktemp("hostile"), registries)
        try:
            yield running
        finally:
            running.end()


@pytest.fixture(scope="package")
def port(web: Web) -> int:
    """A running web server's."""
    return web.start()
