"""Programs from npm that hold the document to its word; `make test` installs them beside the packages of Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "clients" / "node"
MODULES = Path(sys.prefix) / "node" / "node_modules"
# Nothing is reported to anybody, and nobody is asked for a newer version.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
PROGRAMS = {
    "openapi-typescript": "openapi-typescript/bin/cli.js",
    "redocly": "@redocly/cli/bin/cli.js",
    "spectral": "@stoplight/spectral-cli/dist/index.js",
    "tsc": "typescript/bin/tsc",
}


def find_missing() -> str | None:
    """What is not here of what these programs need, in words; None where everything is."""
    if shutil.which("node") is None:
        return "node is not installed"
    wanted = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    absent = [f"{name} {version}" for name, version in wanted.items() if _find_version(name) != version]
    return f"not installed by npm: {', '.join(absent)} (`make test` does that)" if absent else None


def run(program: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one of the programs, or a script of one's own, in a folder."""
    script = MODULES / PROGRAMS[program] if program in PROGRAMS else program
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"} | QUIET
    command = ["node", str(script), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def _find_version(package: str) -> str | None:
    try:
        about = json.loads((MODULES / package / "package.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(about["version"])
