"""A container engine of this machine's own: podman with runc, from Debian's packages, where root runs the tests.

No registry of images is asked: the image that the Dockerfile begins with is made from Debian's packages (the same
Debian, the same Python). What was built stays in the virtualenv's folder: the next run builds only what has changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engines import programs
from tests.journeys.checkout import copy_checkout
from tests.packaging.dockerfile import read_steps

PACKAGES = ("podman", "runc", "catatonit", "mmdebstrap")
STORE = Path(sys.prefix).resolve() / "engine"
STATE = (
    Path("/run") / f"sos-lookup-{hashlib.sha256(bytes(STORE)).hexdigest()[:8]}"
)  # gone when the machine is started anew
HOST = ("--rootfs", "/:O")  # this machine's files, read-only, as a container's root
IMAGE = "sos-lookup:tested"
PIP = {"PIP_CERT": "cert", "PIP_INDEX_URL": "index-url", "PIP_EXTRA_INDEX_URL": "extra-index-url"}


class Failed(Exception):
    """The engine refused; the message is what it said."""


def install() -> None:
    """Install the engine where it is missing; raises `programs.Missing` where that is not possible."""
    if not all(shutil.which(name) for name in ("podman", "runc", "mmdebstrap")):
        programs.install(PACKAGES)
    if os.geteuid() != 0:
        raise programs.Missing("only root has limits, a root file system of its own and users for containers here")
    try:
        podman("run", "--rm", "--network=host", *bounds(), *HOST, "true", seconds=300)
    except (Failed, subprocess.TimeoutExpired) as refused:
        raise programs.Missing(f"this machine starts no container: {refused}") from refused


def command(*words: str) -> list[str]:
    """Return podman's command line for our own store: nobody else's images and containers are seen there."""
    own = ["--root", str(STORE / "images"), "--runroot", str(STATE / "run"), "--tmpdir", str(STATE / "tmp")]
    return ["podman", *own, "--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file", *words]


def podman(*words: str, seconds: float = 300) -> str:
    """Run one podman command to its end and return what it printed."""
    return run(command(*words), seconds=seconds)


def run(line: list[str], *, seconds: float, told: bool = False) -> str:
    """Run it to its end and return what it printed, with its errors when they are `told`; Failed when it ends badly."""
    done = subprocess.run(line, capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        raise Failed(f"{shlex.join(line)}\n{done.stdout}{done.stderr}")
    return (done.stdout + done.stderr if told else done.stdout).strip()


def bounds() -> list[str]:
    """Return the options without which podman asks for more files and processes than every machine lets it have."""
    kinds = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}
    most = {name: min(8192, resource.getrlimit(kind)[1]) for name, kind in kinds.items()}
    return [f"--ulimit={name}={number}:{number}" for name, number in most.items()]


@contextmanager
def alone() -> Iterator[None]:
    """One build at a time: another run may use the same virtualenv."""
    STORE.mkdir(parents=True, exist_ok=True)
    with (STORE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(folder: Path) -> tuple[str, int]:
    """Build what this checkout would ship, by `make image`; return the image's id and how many bytes of it are ours."""
    context = copy_checkout(folder / "context")
    begins_with = read_begins_with(context / "Dockerfile")
    (folder / "pip.conf").write_text(
        "[global]\n" + "".join(f"{name} = {os.environ[key]}\n" for key, name in PIP.items() if key in os.environ)
    )
    mounts = [f"{folder / 'pip.conf'}:/etc/pip.conf:ro"]
    if certificates := os.environ.get("PIP_CERT"):
        mounts.append(f"{certificates}:{certificates}:ro")
    options = ["--pull=never", "--network=host", *bounds(), *(f"--volume={mount}" for mount in mounts)]
    with alone():
        if not exists(begins_with):
            make_beginning(begins_with, folder)
        make = ["make", "-C", str(context), "image", f"ENGINE={shlex.join(command())}"]
        for image, target in (
            (IMAGE, "run"),
            (f"{IMAGE}-packages", "build"),
        ):  # the second keeps its layers for next time
            run([*make, f"IMAGE={image}", f"IMAGE_ARGS=--target={target} {shlex.join(options)}"], seconds=1500)
        podman("image", "prune", "--force")
        sizes = [int(podman("image", "inspect", "--format", "{{.Size}}", one)) for one in (IMAGE, begins_with)]
        return podman("image", "inspect", "--format", "{{.Id}}", IMAGE), sizes[0] - sizes[1]


def exists(image: str) -> bool:
    """Return whether our store has it."""
    return subprocess.run(command("image", "exists", image)).returncode == 0


def read_begins_with(dockerfile: Path) -> str:
    """Return the full name of the image that the Dockerfile begins with."""
    (name,) = {step.value.split()[0] for step in read_steps(dockerfile.read_text()) if step.word == "FROM"}
    return f"docker.io/library/{name}"


def make_beginning(name: str, folder: Path) -> None:
    """Make a Debian with Python and pip, where the official image has them."""
    suite, tar = name.rpartition("-")[2], str(folder / "debian.tar")
    unread = [f"--dpkgopt=path-exclude=/usr/share/{part}/*" for part in ("doc", "man", "locale")]
    python = [
        "--include=python3,python3-pip,ca-certificates",
        '--customize-hook=ln -s /usr/bin/python3 "$1/usr/local/bin/python"',
    ]
    run(["mmdebstrap", "--quiet", "--variant=minbase", *unread, *python, suite, tar], seconds=1500)
    podman("import", "--change", 'CMD ["python3"]', tar, name, seconds=600)
