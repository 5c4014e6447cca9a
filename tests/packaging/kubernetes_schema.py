"""What Kubernetes takes, by its own description: each kind's fields and types, in which nothing else may stand.

`kubernetes_schema.json` holds the kinds that deploy/kubernetes uses, with all that they lead to, without the words. To
make it anew: `pip install kubernetes-validate` (it ships that description as JSON schemas; 72 MB, so no test depends on
it), then `python -m tests.packaging.kubernetes_schema 1.33`.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FILE = Path(__file__).with_name("kubernetes_schema.json")
KINDS = [
    "v1 Namespace",
    "v1 ConfigMap",
    "v1 Secret",
    "v1 Service",
    "v1 PersistentVolumeClaim",
    "apps/v1 Deployment",
    "batch/v1 Job",
    "autoscaling/v2 HorizontalPodAutoscaler",
    "policy/v1 PodDisruptionBudget",
    "networking.k8s.io/v1 NetworkPolicy",
    "networking.k8s.io/v1 Ingress",
]


@cache
def _schemas() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(FILE.read_text())
    return read


def list_faults(manifest: dict[str, Any]) -> list[str]:
    """What is wrong with the shape of a manifest, a line for each place."""
    kind = f"{manifest.get('apiVersion')} {manifest.get('kind')}"
    if kind not in _schemas()["kinds"]:
        return [f"{kind} is no kind that is known here"]
    schema = _schemas()["kinds"][kind] | {"$defs": _schemas()["$defs"]}
    return [f"{one.json_path}: {one.message}" for one in Draft202012Validator(schema).iter_errors(manifest)]


def main(version: str) -> None:
    """Take what is needed out of the package's schemas."""
    package = Path(importlib.import_module("kubernetes_validate").__path__[0])
    folder = package / "kubernetes-json-schema" / f"v{version}.0-local-strict"
    known = json.loads((folder / "_definitions.json").read_text())["$defs"]
    kinds = {kind: _without_words(json.loads((folder / _name(kind)).read_text())) for kind in KINDS}
    needed: dict[str, Any] = {}
    open_ = _names(kinds)
    while open_:
        name = open_.pop()
        needed[name] = _without_words(known[name])
        open_ |= _names(needed[name]) - set(needed)
    made = {"version": version, "kinds": kinds, "$defs": dict(sorted(needed.items()))}
    text = json.dumps(made, separators=(",", ":"))
    FILE.write_text(text.replace("/api/_definitions.json#", "#") + "\n")


def _name(kind: str) -> str:
    api, _, word = kind.rpartition(" ")
    group, _, version = api.rpartition("/")
    return "-".join(filter(None, (word.lower(), group.partition(".")[0], version))) + ".json"


def _names(schema: Any) -> set[str]:
    return set(re.findall(r'#/\$defs/([^"]+)"', json.dumps(schema)))


def _without_words(schema: Any) -> Any:
    """The same without descriptions and what only the server reads; a property may be called "description", too."""
    if isinstance(schema, list):
        return [_without_words(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: value
        for key, value in schema.items()
        if not (key == "description" and isinstance(value, str)) and not key.startswith("x-kubernetes")
    }
    return {key: _without_words(value) for key, value in kept.items()}


if __name__ == "__main__":
    main(sys.argv[1])
