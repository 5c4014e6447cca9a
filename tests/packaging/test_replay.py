"""The image's steps and the compose file's commands, carried out without a container engine."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.engines.own_database import engine_variables
from tests.journeys.checkout import copy_checkout, free_port
from tests.packaging.replay import Stage, replay

pytestmark = [pytest.mark.slow, pytest.mark.redis, pytest.mark.xdist_group("processes")]

GIVEN = {
    "SECRET_KEY": "replayed-" + "x" * 50,
    "ALLOWED_HOSTS": "lookup.example.test",
    "PUBLIC_URL": "https://lookup.example.test",
    "CONTACT": "operator@example.test",
    "POSTGRES_PASSWORD": "replaced-below",
    "SERVICE_DATABASE_PASSWORD": "replaced-below",
}


def compose_service(name: str, more: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the command of one compose service, and its variables with `more` in place of the containers' names."""
    service = yaml.safe_load((Path(__file__).parents[2] / "compose.yaml").read_text())["services"][name]
    variables = {key: interpolate(str(value)) for key, value in service["environment"].items()}
    return service["command"], variables | more


def interpolate(value: str) -> str:
    """Fill in `${NAME:?why}` and `${NAME:-default}` as compose does."""
    return re.sub(
        r"\$\{([A-Z_]+):([?-])([^}]*)\}",
        lambda found: GIVEN[found[1]] if found[2] == "?" else GIVEN.get(found[1], found[3]),
        value,
    )


@contextmanager
def started(image: Stage, name: str, more: dict[str, str], *, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run one compose service's command in the replayed image; `port` in place of the container's own 8000."""
    command, variables = compose_service(name, more)
    command = [str(port) if part == "8000" else "127.0.0.1" if part == "0.0.0.0" else part for part in command]
    with (image.root / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=image.folder,
            env=image.environment | variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, 9)
                process.wait()


def ask(port: int, path: str) -> tuple[int, bytes]:
    """Ask as the TLS proxy before the web does."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Host": GIVEN["ALLOWED_HOSTS"], "X-Forwarded-Proto": "https"}
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


class TestTheImage:
    """Dockerfile and compose.yaml together."""

    def test_serves_in_production_shape(self, on_redis: str, tmp_path: Path) -> None:
        context = copy_checkout(tmp_path / "context")
        image = replay(context / "Dockerfile", context=context, folder=tmp_path / "image")

        assert image.user == "10001:10001"
        assert not list(image.root.rglob("secret_key"))  # no installation's key is part of the image
        assert not (image.folder / "tests").exists()
        with engine_variables() as engine:
            self._prepare(image, engine)
            port = free_port()
            with (
                started(image, "web", engine, port=port) as web,
                started(image, "worker", engine, port=port) as worker,
                started(image, "bulk", engine, port=port) as bulk,
                started(image, "beat", engine, port=port) as beat,
            ):
                self._wait_until_healthy(image, engine, port, web)
                for name, process in {"worker": worker, "bulk": bulk, "beat": beat}.items():
                    assert process.poll() is None, (image.root / f"{name}.log").read_text()
                self._check_answers(port)
                self._check_workers_answer(image, engine)

    def _prepare(self, image: Stage, engine: dict[str, str]) -> None:
        # The owner's own role is tried where there is a server to make it on (test_database_roles).
        command, variables = compose_service("migrate", engine | {"MIGRATION_DATABASE_URL": ""})
        done = image.run(command, **variables)
        assert done.returncode == 0, done.stdout + done.stderr

    def _wait_until_healthy(
        self, image: Stage, engine: dict[str, str], port: int, web: subprocess.Popen[bytes]
    ) -> None:
        variables = compose_service("web", engine)[1]
        deadline = time.monotonic() + 60
        while web.poll() is None and time.monotonic() < deadline:
            if image.run([*image.health, f"http://127.0.0.1:{port}"], **variables).returncode == 0:
                return
            time.sleep(0.5)
        raise AssertionError((image.root / "web.log").read_text())

    def _check_answers(self, port: int) -> None:
        status, body = ask(port, "/v1/health")
        checks = json.loads(body)["checks"]
        assert (status, checks["postgres"], checks["redis"]) == (200, "ok", "ok")
        status, body = ask(port, "/v1/states")
        assert status == 200
        assert len(json.loads(body)) >= 54
        status, body = ask(port, "/static/admin/css/base.css")
        assert status == 200
        assert b"{" in body

    def _check_workers_answer(self, image: Stage, engine: dict[str, str]) -> None:
        variables = compose_service("worker", engine)[1]
        inspect = ["python", "-m", "celery", "--app", "config.celery", "inspect", "ping", "--timeout", "10"]
        done = image.run(inspect, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "2 nodes online" in done.stdout
