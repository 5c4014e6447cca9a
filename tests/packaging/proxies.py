"""Debian's nginx as a process, with the very files that the compose file mounts; only ports and servers differ."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests import plain_http
from tests.journeys.checkout import ROOT
from tests.ports import free_port

FILES = ROOT / "deploy" / "nginx"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
AS_ROOT = [] if os.geteuid() else ["-g", "user root;"]  # else its children may not enter a test's own folder


@dataclass(frozen=True)
class Proxy:
    """A running nginx: `port` is its plain door, `tls_port` the other one where the edge has it."""

    port: int
    tls_port: int
    log: Path


def write_files(folder: Path, *, servers: Sequence[int], edge: str, limited: bool) -> tuple[int, int]:
    """Copy the shipped files and put our ports in; whether requests of loopback are limited is the edge's own line."""
    shutil.copytree(FILES, folder, dirs_exist_ok=True)
    lines = "".join(f"    server 127.0.0.1:{port} max_fails=0;\n" for port in servers)
    (folder / "upstream.conf").write_text(
        f"upstream web-servers {{\n{lines}}}\nmap $host $web {{\n    default web-servers;\n}}\n"
    )
    port, tls_port = free_port(), free_port()
    text = (folder / f"edge-{edge}.conf").read_text()
    changed = text.replace("listen 8080", f"listen 127.0.0.1:{port}").replace(
        "listen 8443", f"listen 127.0.0.1:{tls_port}"
    )
    assert changed != text
    if not limited:
        changed = changed.replace("    default 1;", "    default 1;\n    127.0.0.0/8 0;")
    (folder / "edge.conf").write_text(changed)
    return port, tls_port


@contextmanager
def nginx(folder: Path, *, servers: Sequence[int], edge: str = "behind-tls", limited: bool = True) -> Iterator[Proxy]:
    """Run it in front of the servers at these ports until the block ends. Skip where `NGINX` is None."""
    assert NGINX is not None, "nginx is not on this machine"
    port, tls_port = write_files(folder, servers=servers, edge=edge, limited=limited)
    log = folder / "nginx.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), *AS_ROOT],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and not _answers(port) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert process.poll() is None, log.read_text()
        yield Proxy(port, tls_port, log)
    finally:
        process.terminate()
        process.wait(20)


def _answers(port: int) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return bool(plain_http.get(f"http://127.0.0.1:{port}/", timeout=2).status_code)
    return False
