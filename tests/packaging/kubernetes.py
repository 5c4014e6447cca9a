"""The manifests of deploy/kubernetes as they stand in their files."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
ROLES = ("web", "worker", "bulk", "beat")
Manifest = dict[str, Any]


def list_files() -> list[Path]:
    """Every file that has manifests; kustomizations and what other programs read (at the top) are none."""
    return sorted(path for path in FOLDER.glob("*/*.yaml") if path.name != "kustomization.yaml")


@cache
def read(path: Path) -> list[Manifest]:
    """The manifests of a file; nobody changes them."""
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


def find(kind: str, name: str) -> Manifest:
    """The one manifest of a kind with this name."""
    (found,) = [one for one in list_all() if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def list_all() -> list[Manifest]:
    """All of them."""
    return [one for path in list_files() for one in read(path)]


def list_pods() -> dict[str, Manifest]:
    """What each role's pod is made of."""
    made = {one["metadata"]["name"]: one["spec"]["template"] for one in list_all() if "template" in one.get("spec", {})}
    assert set(made) == {*ROLES, "migrate"}
    return made


def read_variables(name: str) -> dict[str, str]:
    """The variables of a file of the example, with those that are commented out."""
    lines = [line.removeprefix("# ") for line in (FOLDER / "example" / name).read_text().splitlines()]
    return dict(line.split("=", 1) for line in lines if re.fullmatch(r"[A-Z_]+", line.partition("=")[0]))


def read_kustomization(folder: str) -> Manifest:
    """A folder's list of what belongs to it."""
    kustomization: Manifest = yaml.safe_load((FOLDER / folder / "kustomization.yaml").read_text())
    return kustomization
