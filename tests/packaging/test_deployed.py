"""The image is built, and the compose file's services run from it: read-only, bounded, without rights, under real work.

What differs from `docker compose up`, because no registry of images is asked: the Debian below our image is made from
packages; nginx and Redis are this machine's own programs, in containers with all that the compose file gives them;
PostgreSQL is a throw-away server without a container, which believes every password; all share the loopback, so names
and ports of servers differ; health checks are asked by the test, not by the clock.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
import redis

from tests.engines import programs
from tests.engines.own_database import engine_variables
from tests.failures.books import wait_until
from tests.packaging import engine, proxies
from tests.packaging.compose import Container, Deployment
from tests.ports import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.redis,
    pytest.mark.timeout(1800),  # the very first build; the next ones take seconds
    pytest.mark.xdist_group("deployed"),
]
MOST_OF_OURS = 150_000_000
OURS = ("web", "web2", "worker", "bulk", "beat")
GIVEN = {
    "SECRET_KEY": "deployed-0123456789-" * 3,
    "ALLOWED_HOSTS": "lookup.example.test",
    "PUBLIC_URL": "https://lookup.example.test",
    "CONTACT": "operator@example.test",
    "POSTGRES_PASSWORD": "the-owners",
    "SERVICE_DATABASE_PASSWORD": "the-services",
    "REDIS_PASSWORD": "the-queues",
}
NEW_KEY = """
from django.utils import timezone
from billing import accounts, keys
account = accounts.open_account(name="Acme", now=timezone.now())
print("key:", keys.issue(account=account, name="server", mode="test", now=timezone.now())[1])
"""
READ_SELF = r"""
import os, pathlib, re
status = pathlib.Path("/proc/self/status").read_text()
print(os.getuid(), re.search(r"CapEff:\s*(\w+)", status)[1], re.search(r"CapBnd:\s*(\w+)", status)[1],
      re.search(r"NoNewPrivs:\s*(\d)", status)[1])
"""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PLACES = "/ /srv/sos-lookup /opt/venv /srv/static /etc /run /home"
WRITE = f'for place in {PLACES}; do touch "$place/x" 2>/dev/null && echo "$place"; done; true'


class Running:
    """The whole deployment, and a customer before its proxy."""

    def __init__(self, deployment: Deployment, services: dict[str, Container], proxy_port: int) -> None:
        self.services = services
        self.deployment = deployment
        self.outside = httpx.Client(
            base_url=f"http://127.0.0.1:{proxy_port}",
            headers={"Host": GIVEN["ALLOWED_HOSTS"], "X-Forwarded-Proto": "https"},
            timeout=300,
        )

    def told(self) -> str:
        """Return the last lines of every log, for a test that fails."""
        return "\n".join(f"{name}: {one.log()[-2000:]}" for name, one in self.services.items())


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """Our image's id, and how many bytes of it are ours."""
    if not os.environ.get("REDIS_URL"):
        pytest.skip("needs PostgreSQL and Redis: part of the second engine run")
    try:
        engine.install()
    except programs.Missing as missing:
        pytest.skip(f"no container engine: {missing}")
    return engine.build(tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="module")
def running(image: tuple[str, int], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Every service of the compose file, started in its order."""
    if proxies.NGINX is None:
        pytest.skip("nginx is not on this machine (Debian: apt-get install nginx-light)")
    with engine_variables() as variables:
        database, redis_port = urlsplit(variables["DATABASE_URL"]), free_port()
        addresses = {
            "postgres://sos:": f"postgres://{database.username}:",
            "@postgres:5432/sos": f"@{database.hostname}:{database.port}{database.path}",
            "@redis:6379/": f"@127.0.0.1:{redis_port}/",
        }
        deployment = Deployment(image[0], GIVEN, addresses, f"deployed-{secrets.token_hex(4)}")
        try:
            running = start(deployment, redis_port, tmp_path_factory.mktemp("proxy"))
            with contextlib.closing(running.outside):
                yield running
        finally:
            deployment.end()
            forget_role(variables["DATABASE_URL"])


def start(deployment: Deployment, redis_port: int, folder: Path) -> Running:
    """Start all, each when what it depends on is healthy."""
    services = {"redis": deployment.start("redis", port=redis_port)}
    wait(services["redis"].is_healthy, services["redis"])
    migrate = deployment.start("migrate")
    wait(lambda: migrate.look("{{.State.Status}}") == "exited", migrate)  # as `service_completed_successfully` does
    assert migrate.look("{{.State.ExitCode}}") == "0", migrate.log()
    ports = {name: free_port() for name in ("web", "web2")}
    services |= {name: deployment.start(name, port=ports.get(name, 0)) for name in OURS}
    for name in OURS:
        wait(services[name].is_healthy, services[name])
    port, _ = proxies.write_files(
        folder / "deploy/nginx", servers=list(ports.values()), edge="behind-tls", limited=True
    )
    (folder / "deploy/nginx/edge.conf").replace(folder / "deploy/nginx/edge-behind-tls.conf")
    (folder / "deploy/nginx/tls").mkdir()
    services["proxy"] = deployment.start("proxy", mounted=folder)
    running = Running(deployment, services, port)
    wait(lambda: running.outside.get("/livez").status_code == 200, services["proxy"])
    return running


def wait(condition: Callable[[], bool], container: Container) -> None:
    """Wait until it holds; when it never does, the container's log says why."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        ended = container.look("{{.State.Status}}") == "exited"  # before the condition, which may be just that
        with contextlib.suppress(httpx.TransportError):
            if condition():
                return
        if ended:
            break
        time.sleep(2)  # to ask is two commands of the engine
    raise AssertionError(f"{container.name}: {container.look('{{.State.Status}}')}\n{container.log()}")


def forget_role(owner: str) -> None:
    """The database goes with its fixture; the service's role would stay."""
    with psycopg.connect(owner, autocommit=True) as connection:
        for (role,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolname = 'sos_service'").fetchall():
            connection.execute(f"DROP OWNED BY {role}")
            connection.execute(f"DROP ROLE {role}")


class TestTheImage:
    """Built by `make image` from what git knows."""

    def test_has_at_most_150_mb_of_ours(self, image: tuple[str, int]) -> None:
        print(f"{image[1] / 1e6:.0f} MB")  # noqa: T201
        assert 50_000_000 < image[1] <= MOST_OF_OURS

    def test_holds_nothing_that_it_does_not_run(self, running: Running) -> None:
        found = running.services["web"].run(
            "find", "/srv", "/opt/venv", "/var/lib/sos-lookup",
            "(", "-name", "tests", "-o", "-name", "*.po", "-o", "-name", "secret_key", "-o", "-name", ".env*",
            "-o", "-name", "pip", "-o", "-name", "*.sqlite3", ")",
        )  # fmt: skip
        assert found == ""


class TestAService:
    """web, web2, worker, bulk, beat."""

    @pytest.mark.parametrize("name", OURS)
    def test_runs_as_nobody_without_rights_and_writes_where_it_may(self, running: Running, name: str) -> None:
        service = running.services[name]
        assert service.run("python", "-c", READ_SELF).split() == ["10001", "0" * 16, "0" * 16, "1"]
        assert service.run("sh", "-c", WRITE) == ""
        assert " / overlay ro," in service.run("grep", " / ", "/proc/mounts")
        service.run("sh", "-c", "touch /tmp/x /var/lib/sos-lookup/x && rm /tmp/x /var/lib/sos-lookup/x")

    @pytest.mark.parametrize("name", [*OURS, "redis", "proxy"])
    def test_has_the_bounds_of_the_compose_file(self, running: Running, name: str) -> None:
        service = running.services[name]
        bounds = (
            "{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}} {{.HostConfig.NanoCpus}} {{.HostConfig.ReadonlyRootfs}}"
        )
        units = {"g": 1 << 30, "m": 1 << 20}
        number, unit = re.fullmatch(r"(\d+)([gm])", service.told["mem_limit"]).groups()  # type: ignore[union-attr]
        assert service.look(bounds) == f"{int(number) * units[unit]} 512 1000000000 true"


class TestTheDeployment:
    """All of them together, as customers meet it."""

    @pytest.fixture
    def key(self, running: Running) -> dict[str, str]:
        said = running.services["worker"].run("python", "manage.py", "shell", "-v", "0", "-c", NEW_KEY)
        return {"x-api-key": said.rpartition("key: ")[2]}

    def test_is_healthy_and_tells_so(self, running: Running) -> None:
        told = running.outside.get("/v1/health").json()
        assert told["status"] == "healthy", told
        assert {one["name"]: one["status"] for one in told["components"]} == dict.fromkeys(
            ("web", "worker", "bulk", "beat"), "ok"
        )

    def test_has_its_pages_with_what_they_look_like(self, running: Running) -> None:
        guides = ("/docs/guides/quick-start/", "/docs/guides/changelog/")
        for path in ("/docs/", *guides, "/docs/swagger/", "/admin/login/", "/pricing/"):
            page = running.outside.get(path, follow_redirects=False)
            assert page.status_code == 200, path
            parts = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text))
            assert [part for part in parts if running.outside.get(part).status_code != 200] == []

    def test_answers_a_lookup_at_once(self, running: Running, key: dict[str, str]) -> None:
        question = {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}
        reply = running.outside.post("/v1/lookup", json=question, headers=key)
        assert reply.status_code == 200, running.told()
        assert reply.json()["data"]["entityId"] == "SB-DE-000123"

    def test_answers_a_slow_one_by_a_job(self, running: Running, key: dict[str, str]) -> None:
        reply = running.outside.post("/v1/lookup", json={"entity_name": "Magic Later LLC", "state": "DE"}, headers=key)
        assert reply.status_code == 202, running.told()
        path = f"/v1/lookup/status/{reply.json()['jobId']}"
        wait_until(
            lambda: running.outside.get(path, headers=key).json().get("verdict") == "found", what="found", seconds=240
        )

    def test_answers_many_at_once_by_a_bulk_job(self, running: Running, key: dict[str, str]) -> None:
        rows = [{"entity_name": "Magic Found LLC", "state": state} for state in ("DE", "FL", "NV")]
        reply = running.outside.post("/v1/bulk-lookup", json={"entities": rows}, headers=key)
        assert reply.status_code == 202, reply.text
        path = f"/v1/bulk-lookup/{reply.json()['job_id']}"
        wait_until(
            lambda: running.outside.get(path, headers=key).json()["status"] == "complete", what="complete", seconds=240
        )
        workbook = running.outside.get(path, headers=key | {"accept": XLSX})  # which is a file in /tmp for a while
        assert (workbook.status_code, workbook.content[:2]) == (200, b"PK")

    def test_keeps_its_queue_from_who_has_no_password(self, running: Running) -> None:
        queue = urlsplit(running.deployment.fill("redis://@redis:6379/0"))
        with redis.Redis(host="127.0.0.1", port=queue.port or 0) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        assert "the-queues" not in running.services["redis"].look("{{.Config.Cmd}} {{.Args}}")


class TestAStop:
    """SIGTERM to a container's first process."""

    @pytest.mark.parametrize("name", ["worker", "bulk", "beat"])
    def test_ends_it_in_time_and_well(self, running: Running, name: str) -> None:
        service = running.services[name]
        assert service.stop() == 0, service.log()
        assert "Traceback" not in service.log()
        service.start()
        wait(service.is_healthy, service)

    def test_of_one_web_server_is_seen_by_nobody(self, running: Running) -> None:
        web = running.services["web"]
        with ThreadPoolExecutor() as others:
            stopping = others.submit(web.stop)
            while not stopping.done():
                assert running.outside.get("/v1/states").status_code == 200
                time.sleep(0.5)  # who asks without a key and without a pause is refused for that
            assert stopping.result() == 0, web.log()
        assert running.outside.get("/v1/states").status_code == 200
        web.start()
        wait(web.is_healthy, web)
