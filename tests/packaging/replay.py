"""Carries out the Dockerfile's steps in a temporary folder, for machines without a container engine.

Real: which files are copied, every RUN line, variables, working folders, the image's command and health check.
Not real: the base image (this machine's Python stands in for it), the other user (steps run as whoever tests, and
`chown` does nothing), and pip's cache, which is allowed so that a test does not fetch everything anew.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import string
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.packaging.dockerfile import Step, read_steps

TEMPORARY = {"PIP_NO_CACHE_DIR": "0"}  # see above: the one variable whose value is not the Dockerfile's


class StepFailed(Exception):
    """A step did not end well; the message has the step and what it said."""


@dataclass
class Stage:
    """One FROM and what was built on it: `root` stands for `/`."""

    root: Path
    environment: dict[str, str]
    folder: Path
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    user: str = "0"

    def place(self, path: str) -> Path:
        """Return where an image's path is on this machine."""
        return self.root / path.lstrip("/") if path.startswith("/") else self.folder / path

    def run(self, command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command as it would run inside, with the variables `more`, to its end."""
        return subprocess.run(
            command, cwd=self.folder, env=self.environment | more, capture_output=True, text=True, timeout=600
        )


def replay(dockerfile: Path, *, context: Path, folder: Path) -> Stage:
    """Build the last stage of `dockerfile` below `folder` from the files in `context`."""
    stages: dict[str, Stage] = {}
    stage = Stage(folder, {}, folder)
    for step in read_steps(dockerfile.read_text()):
        if step.word == "FROM":
            name = step.value.split()[2] if len(step.value.split()) == 3 else str(len(stages))
            stage = stages[name] = _begin(folder / name)
        else:
            _carry_out(step, stage, stages=stages, context=context)
    for other in stages.values():
        if other is not stage:
            shutil.rmtree(other.root)  # an image has nothing of the stages before it but what was copied
    return stage


def _begin(root: Path) -> Stage:
    tools = root / "tools"
    tools.mkdir(parents=True)
    python = f'exec "{Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"}" "$@"'
    for name, line in {"python": python, "chown": "exit 0"}.items():
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "LANG", "SSL_"))}
    return Stage(root, kept | TEMPORARY | {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(root)}, root)


def _carry_out(step: Step, stage: Stage, *, stages: dict[str, Stage], context: Path) -> None:
    match step.word:
        case "ENV":
            _set_variables(step.value, stage)
        case "WORKDIR":
            stage.folder = stage.place(step.value)
            stage.folder.mkdir(parents=True, exist_ok=True)
        case "COPY":
            _copy(step.value, stage, stages=stages, context=context)
        case "RUN":
            done = stage.run(["sh", "-c", step.value])
            if done.returncode != 0:
                raise StepFailed(f"RUN {step.value}\n{done.stdout}{done.stderr}")
        case "CMD":
            stage.command = json.loads(step.value)
        case "HEALTHCHECK":
            stage.health = json.loads(step.value.partition("CMD ")[2])
        case "USER":
            stage.user = step.value
        case "EXPOSE":
            pass
        case other:
            raise StepFailed(f"{other} is not replayed: teach tests/packaging/replay.py what it does")


def _set_variables(value: str, stage: Stage) -> None:
    """Set NAME=value pairs; a value that is a path of the image becomes its place on this machine."""
    for pair in shlex.split(value):
        name, _, text = pair.partition("=")
        if name in TEMPORARY:
            continue
        parts = [str(stage.place(part)) if part.startswith("/") else part for part in text.split(":")]
        stage.environment[name] = string.Template(":".join(parts)).substitute(stage.environment)


def _copy(value: str, stage: Stage, *, stages: dict[str, Stage], context: Path) -> None:
    words = value.split()
    origin = stages[words.pop(0).partition("=")[2]].root if words[0].startswith("--from=") else context
    *sources, target = words
    place = stage.place(target)
    for source in sources:
        found = origin / source.lstrip("/")
        if not found.exists():
            raise StepFailed(f"COPY {source}: not in the build's files")
        if found.is_dir():
            shutil.copytree(found, place, symlinks=True, dirs_exist_ok=True)
        else:
            into = place / found.name if target.endswith("/") else place
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, into)
