"""Runs a service of compose.yaml as one container, with all that the file gives it.

A stand-in for `docker compose`, which has its images from the net. What it gives in another way stands in OTHERWISE; a
word of the file that it does not know stops it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.packaging import engine

ROOT = Path(__file__).resolve().parents[2]
OTHERWISE = {
    "build": "built before, by `make image`",
    "image": "our own, or this machine's programs where the file names another's (`engine.HOST`)",
    "depends_on": "the test starts them in their order",
    "networks": "the machine's own loopback: names and ports of the other servers are replaced, see `addresses`",
    "ports": "as networks",
    "restart": "never: what crashes is seen",
    "stop_grace_period": "the time that `Container.stop` gives",
}
OPTIONS = {
    "read_only": ["--read-only", "--read-only-tmpfs=false"],
    "init": ["--init"],
    "user": ["--user=VALUE"],
    "cap_drop": ["--cap-drop=VALUE"],
    "security_opt": ["--security-opt=VALUE"],
    "mem_limit": ["--memory=VALUE"],
    "pids_limit": ["--pids-limit=VALUE"],
    "cpus": ["--cpus=VALUE"],
    "tmpfs": ["--tmpfs=VALUE,notmpcopyup"],
}


@dataclass(frozen=True)
class Deployment:
    """One project: our image, what the operator has set, and where the servers really are."""

    image: str
    given: Mapping[str, str]
    addresses: Mapping[str, str]
    name: str
    containers: list[Container] = field(default_factory=list)
    volumes: set[str] = field(default_factory=set)

    def start(self, service: str, *, port: int = 0, mounted: Path = ROOT) -> Container:
        """Start one service; `port` in place of its own, `mounted` in place of the folder of the compose file."""
        told = read_services()[service]
        words = [self.fill(str(word)) for word in told["command"]]
        if port:
            words = [str(port) if word == "8000" else "127.0.0.1" if word == "0.0.0.0" else word for word in words]
            words = [
                f"{word} --bind 127.0.0.1 --port {port}" if "exec redis-server" in word else word for word in words
            ]
        place = [self.image] if "build" in told else list(engine.HOST)
        options = [*self._options(told, mounted), *self._health(told, port)]
        container = Container(f"{self.name}-{service}", told)
        self.containers.append(container)
        engine.podman("run", "--detach", "--name", container.name, *options, *place, *words)
        return container

    def fill(self, text: str) -> str:
        """Fill in `${NAME:?why}`, `${NAME:-default}` and `$$` as compose does, and put the servers' addresses in."""
        filled = re.sub(
            r"\$\{([A-Z_]+):([?-])([^}]*)\}",
            lambda found: self.given[found[1]] if found[2] == "?" else self.given.get(found[1], found[3]),
            text,
        ).replace("$$", "$")
        for theirs, ours in self.addresses.items():
            filled = filled.replace(theirs, ours)
        return filled

    def end(self) -> None:
        """Leave nothing behind, whatever the test came to."""
        for container in reversed(self.containers):
            engine.podman("rm", "--force", "--time", "0", "--ignore", container.name)
        for volume in self.volumes:
            engine.podman("volume", "rm", "--force", volume)

    def _options(self, told: dict[str, Any], mounted: Path) -> list[str]:
        """Translate every word of the service; the engine's own extras (a /tmp that can be written) are off."""
        options = [*engine.bounds(), "--network=host", f"--hostname={self.name}-{len(self.containers)}"]
        options += [f"--env={name}={self.fill(str(text))}" for name, text in told.get("environment", {}).items()]
        options += [f"--volume={self._volume(self.fill(one), mounted)}" for one in told.get("volumes", [])]
        for word, value in told.items():
            if word in OPTIONS:
                values = value if isinstance(value, list) else [value]
                options += [part.replace("VALUE", self.fill(str(one))) for one in values for part in OPTIONS[word]]
            elif word not in {"environment", "volumes", "command", "healthcheck", *OTHERWISE}:
                raise AssertionError(f"{word} is not translated: teach tests/packaging/compose.py what it does")
        return options

    def _volume(self, text: str, mounted: Path) -> str:
        source, _, target = text.partition(":")
        if source.startswith("./"):
            return f"{mounted / source}:{target}"
        self.volumes.add(f"{self.name}-{source}")
        return f"{self.name}-{source}:{target}"

    def _health(self, told: dict[str, Any], port: int) -> list[str]:
        """Return the service's check, or that of the image at our own port; nobody asks it by the clock."""
        check = told.get("healthcheck", {}).get("test")
        if check is None and "build" in told:
            own = engine.podman("image", "inspect", "--format", "{{json .Config.Healthcheck.Test}}", self.image)
            check = [*yaml.safe_load(own), f"http://127.0.0.1:{port}"]
        if not check or told.get("healthcheck", {}).get("disable"):
            return ["--no-healthcheck"]
        words = check[1] if check[0] == "CMD-SHELL" else shlex.join(check[1:])
        words = words.replace("redis-cli", f"redis-cli -p {port}")
        return [f"--health-cmd={words}", "--health-interval=disable"]


@dataclass(frozen=True)
class Container:
    """One running service."""

    name: str
    told: dict[str, Any]

    def run(self, *words: str) -> str:
        """Run a command inside and return what it printed."""
        return engine.podman("exec", self.name, *words, seconds=120)

    def is_healthy(self) -> bool:
        """Ask its health check once, as the engine would by the clock."""
        try:
            engine.podman("healthcheck", "run", self.name)
        except engine.Failed:
            return False
        return True

    def look(self, form: str) -> str:
        """Return what the engine knows of it."""
        return engine.podman("inspect", "--format", form, self.name)

    def log(self) -> str:
        """Return all that it wrote."""
        return engine.run(engine.command("logs", self.name), seconds=60, told=True)

    def start(self) -> None:
        """Start it again after a stop."""
        engine.podman("start", self.name)

    def stop(self) -> int:
        """Ask it to end, give it the file's time, and return its exit code."""
        seconds = str(self.told.get("stop_grace_period", "10s")).removesuffix("s")
        engine.podman("stop", "--time", seconds, self.name, seconds=90)
        return int(self.look("{{.State.ExitCode}}"))


def read_services() -> dict[str, dict[str, Any]]:
    """Return the services of the compose file by name."""
    services: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return services
