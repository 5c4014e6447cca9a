"""The Dockerfile and the compose file keep the house rules; each rule has a case that breaks it."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest
import yaml

from tests.packaging.dockerfile import list_faults, read_steps
from tests.packaging.test_variables import read_by_code

ROOT = Path(__file__).resolve().parents[2]
GOOD = """\
FROM python:3.11-slim
WORKDIR /srv
COPY manage.py ./
RUN pip install --no-deps --require-hashes -r run.txt
USER 10001
HEALTHCHECK CMD ["true"]
CMD ["python"]
"""
BROKEN = {
    "can be anything": ("python:3.11-slim", "python:latest"),
    "begin with /": ("WORKDIR /srv", "WORKDIR srv"),
    "whole folder": ("COPY manage.py ./", "COPY . ./"),
    "nobody has checked": ("--require-hashes ", ""),
    "more than the list names": ("--no-deps ", ""),
    "apt's lists": ("RUN pip", "RUN apt-get install -y gcc && pip"),
    "outside the package lists": ("RUN pip", "RUN curl example.test && pip"),
    "runs as root": ("USER 10001\n", ""),
    "known only by name": ("USER 10001", "USER app"),
    "secret would stay": ("USER 10001", "ENV SECRET_KEY=abc\nUSER 10001"),
    "fetches and unpacks": ("COPY manage.py", "ADD manage.py"),
    "exactly one HEALTHCHECK": ('HEALTHCHECK CMD ["true"]\n', ""),
    "exactly one CMD": ('CMD ["python"]\n', ""),
    "goes through a shell": ('CMD ["python"]\n', "CMD python\n"),
}


class TestTheDockerfile:
    """Dockerfile."""

    def test_keeps_the_house_rules(self) -> None:
        assert list_faults((ROOT / "Dockerfile").read_text()) == []

    def test_copies_only_what_is_there_and_not_ignored(self) -> None:
        ignored = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
        copies = [step.value.split() for step in read_steps((ROOT / "Dockerfile").read_text()) if step.word == "COPY"]
        sources = [source for copy in copies if not copy[0].startswith("--from") for source in copy[:-1]]
        assert len(sources) >= 8
        assert [source for source in sources if not (ROOT / source).exists()] == []
        assert [source for source in sources if any(fnmatch.fnmatch(source, pattern) for pattern in ignored)] == []

    def test_uses_a_python_the_project_supports(self) -> None:
        images = [step.value for step in read_steps((ROOT / "Dockerfile").read_text()) if step.word == "FROM"]
        assert all(re.match(r"python:3\.1[123]-slim", image) for image in images)


class TestAHouseRule:
    """One rule for Dockerfiles."""

    def test_lets_a_good_file_pass(self) -> None:
        assert list_faults(GOOD) == []

    @pytest.mark.parametrize("told", BROKEN)
    def test_names_what_breaks_it(self, told: str) -> None:
        good, bad = BROKEN[told]
        assert good in GOOD
        faults = list_faults(GOOD.replace(good, bad))
        assert len(faults) == 1
        assert told in faults[0]


class TestTheComposeFile:
    """compose.yaml."""

    @pytest.fixture
    def services(self) -> dict[str, dict]:
        return yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]

    def test_has_proxy_web_worker_beat_postgres_and_redis(self, services: dict[str, dict]) -> None:
        assert set(services) == {"postgres", "redis", "migrate", "web", "web2", "proxy", "worker", "bulk", "beat"}

    def test_gives_the_service_only_variables_it_reads(self, services: dict[str, dict]) -> None:
        given = {name for one in ("migrate", "web", "worker", "bulk", "beat") for name in services[one]["environment"]}
        assert given - set(read_by_code()) == set()
        assert given >= {"SECRET_KEY", "ALLOWED_HOSTS", "CONTACT", "DATABASE_URL", "REDIS_URL"}

    def test_holds_no_secret(self, services: dict[str, dict]) -> None:
        secret = [
            value
            for one in services.values()
            for name, value in one.get("environment", {}).items()
            if re.search("SECRET|PASSWORD|DATABASE_URL|REDIS", name)
        ]
        assert secret
        assert [value for value in secret if not re.search(r"\$\{[A-Z_]+:(\?[^}]+|-)\}", value)] == []

    def test_refuses_to_start_without_its_own_key_and_password(self, services: dict[str, dict]) -> None:
        assert services["web"]["environment"]["SECRET_KEY"].startswith("${SECRET_KEY:?")
        assert services["postgres"]["environment"]["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
        assert services["redis"]["environment"]["REDISCLI_AUTH"].startswith("${REDIS_PASSWORD:?")
        assert services["web"]["environment"]["REDIS_URL"].startswith("redis://:${REDIS_PASSWORD:?")

    def test_gives_nobody_more_than_they_need(self, services: dict[str, dict]) -> None:
        for name, service in services.items():
            assert service["read_only"] is True, name
            assert service["cap_drop"] == ["ALL"], name
            assert service["security_opt"] == ["no-new-privileges:true"], name
            assert {"mem_limit", "pids_limit", "cpus"} <= set(service), name
            assert "build" in service or re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"]), name
            assert all("size=" in one for one in service["tmpfs"]), name

    def test_lets_every_image_be_named_by_its_digest(self, services: dict[str, dict]) -> None:
        named = [service["image"] for service in services.values() if "build" not in service]
        named += [services["web"]["build"]["args"]["PYTHON_IMAGE"]]
        assert len(named) == 4
        assert [one for one in named if not re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[a-z]+:\d[\w.-]+\}", one)] == []
        first = next(step.value for step in read_steps((ROOT / "Dockerfile").read_text()) if step.word == "ARG")
        assert f"${{{first.replace('=', ':-', 1)}}}" == named[-1]

    def test_has_whoever_runs_watched(self, services: dict[str, dict]) -> None:
        """By the heartbeat of each; web has the check of the Dockerfile."""
        for name in ("worker", "bulk", "beat"):
            assert services[name]["healthcheck"]["test"] == ["CMD", "python", "-m", "config.probe", name]
        assert not any("healthcheck" in services[name] for name in ("web", "web2"))

    def test_waits_until_what_it_needs_is_healthy(self, services: dict[str, dict]) -> None:
        waited = {(one, other) for one, service in services.items() for other in service.get("depends_on", {})}
        assert waited >= {
            ("migrate", "postgres"),
            ("web", "migrate"),
            ("web", "redis"),
            ("worker", "redis"),
            ("proxy", "web2"),
        }
        healthy = {
            other
            for service in services.values()
            for other, how in service.get("depends_on", {}).items()
            if how["condition"] == "service_healthy"
        }
        # Those that are made from our own image have the check of its Dockerfile
        bare = [name for name in healthy if "test" not in services[name].get("healthcheck", {})]
        assert [name for name in bare if "build" not in services[name] or "healthcheck" in services[name]] == []

    def test_publishes_nothing_but_the_proxy_on_loopback_by_default(self, services: dict[str, dict]) -> None:
        published = {name: service["ports"] for name, service in services.items() if "ports" in service}
        assert published == {"proxy": ["${PUBLISH:-127.0.0.1}:${PORT:-8000}:${EDGE_PORT:-8080}"]}

    def test_has_the_proxy_s_own_files_and_both_web_servers_behind_its_name(self, services: dict[str, dict]) -> None:
        folder = ROOT / "deploy" / "nginx"
        mounted = [volume.split(":/etc/sos-lookup/")[0] for volume in services["proxy"]["volumes"]]
        included = {path for path in folder.glob("*.conf") if not path.name.startswith("edge-")}
        assert {ROOT / path for path in mounted if path.endswith(".conf") and "edge" not in path} == included
        assert "./deploy/nginx/edge-${EDGE:-behind-tls}.conf" in mounted
        assert {path.stem for path in folder.glob("edge-*.conf")} == {"edge-behind-tls", "edge-tls"}
        assert "default web-servers:8000;" in (folder / "upstream.conf").read_text()
        for name in ("web", "web2"):
            assert services[name]["networks"] == {"default": {"aliases": ["web-servers"]}}
            assert services[name]["command"] == services["web"]["command"]
            assert services[name]["environment"]["TRUSTED_PROXIES"] == "1"

    def test_keeps_data_in_volumes(self, services: dict[str, dict]) -> None:
        declared = yaml.safe_load((ROOT / "compose.yaml").read_text())["volumes"]
        kept = {
            name: {volume.split(":")[0] for volume in one["volumes"]}
            for name, one in services.items()
            if name != "proxy" and "volumes" in one
        }
        ours = {name: {"evidence"} for name in ("migrate", "web", "web2", "bulk", "beat")}
        assert kept == ours | {"postgres": {"postgres"}, "redis": {"redis"}, "worker": {"downloads", "evidence"}}
        assert set(declared) == set().union(*kept.values())

    def test_lets_all_that_ask_and_show_share_the_evidence(self, services: dict[str, dict]) -> None:
        folder = services["web"]["environment"]["EVIDENCE_STORE"].removesuffix("}").partition(":-")[2]
        for name in ("web", "web2", "worker", "bulk", "beat"):
            assert f"evidence:{folder}" in services[name]["volumes"]
        assert folder in (ROOT / "Dockerfile").read_text()
