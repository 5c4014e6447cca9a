"""What slow clients do to a web server, alone and behind nginx or Caddy, in front of the real service on SQLite.

    python -m tests.bench.slow_clients [--servers ours,gunicorn] [--proxies none,nginx] [--hold 65]

One process of 16 threads, and clients that send or read a byte a second: five kinds by themselves, twice as many as
there are threads, then all kinds together, ten times as many, held for so long. Meanwhile somebody asks whether the
service lives. Prints a table in Markdown: the longest wait in seconds (x: no answer within five) and how many of the
slow clients were hung up on. What is not installed is left out; read requests a second as ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from config.launch import commands
from tests.failures.registries import Registries
from tests.failures.registries import running as registries_running
from tests.journeys.checkout import ROOT, clean_environment
from tests.packaging import proxies
from tests.ports import free_port

PROBE = "/livez"  # what has to answer whatever happens
THREADS = 16
PATIENCE = 5.0  # seconds of whoever asks the probe
BIG = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"  # 1.6 MB
HOST = b"Host: 127.0.0.1\r\n"
LOOKUP = b"POST /v1/lookup HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
KINDS: dict[str, tuple[bytes, bytes, bool]] = {  # what is sent at once, then a byte a second of this; whether it reads
    "headers": (b"GET / HTTP/1.1\r\n" + HOST + b"X-Slow: ", b"a", False),
    "bodies": (LOOKUP + b"Content-Length: 60000\r\n\r\n{", b" ", False),
    "readers": (f"GET {BIG} HTTP/1.1\r\n".encode() + HOST + b"\r\n", b"", True),
    "idle": (b"", b"", False),
    "pipelining": ((b"GET /robots.txt HTTP/1.1\r\n" + HOST + b"\r\n") * 100, b"", True),
}


class SlowClients:
    """So many connections, fed and read a byte a second by a thread until the block ends."""

    def __init__(self, port: int, kinds: list[str], number: int) -> None:
        self.port, self.kinds, self.number = port, kinds, number
        self.closed = 0
        self._over = threading.Event()
        self._open: list[tuple[socket.socket, str]] = []
        self._thread = threading.Thread(target=self._drip, daemon=True)

    def __enter__(self) -> SlowClients:
        for place in range(self.number):
            kind = self.kinds[place % len(self.kinds)]
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.settimeout(5)
            try:
                client.connect(("127.0.0.1", self.port))
                client.sendall(KINDS[kind][0])
            except OSError:
                self.closed += 1
                client.close()
                continue
            client.setblocking(False)
            self._open.append((client, kind))
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()
        for client, _ in self._open:
            client.close()

    def _drip(self) -> None:
        while not self._over.wait(1.0):
            for client, kind in list(self._open):
                if not self._is_kept(client, kind):
                    self.closed += 1
                    self._open.remove((client, kind))
                    client.close()

    def _is_kept(self, client: socket.socket, kind: str) -> bool:
        _, drop, reads = KINDS[kind]
        try:
            if client.recv(1 if reads else 65536) == b"":
                return False
        except BlockingIOError:
            pass
        except OSError:
            return False
        try:
            if drop:
                client.send(drop)
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


def ask(port: int, timeout: float = PATIENCE, path: str = PROBE) -> float | None:
    """Seconds until the probe answered; None when it did not in time."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        reply.read()
        return time.monotonic() - began if reply.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def probe_for(port: int, seconds: float) -> tuple[float, int, int]:
    """Ask again and again; the longest wait, and how many of how many questions had no answer."""
    waits: list[float | None] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        waits.append(ask(port))
        time.sleep(0.25)
    return max(PATIENCE if wait is None else wait for wait in waits), waits.count(None), len(waits)


def shown(measured: tuple[float, int, int]) -> str:
    """One cell of the table."""
    longest, unanswered, asked = measured
    return f"x ({unanswered}/{asked})" if unanswered else f"{longest:.2f}"


def rate(port: int, seconds: float = 5.0, clients: int = 16) -> float:
    """Requests a second of a page that asks no database, each client on a connection that is kept."""
    counts, end = [0] * clients, time.monotonic() + seconds

    def run(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        while time.monotonic() < end:
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection.request("GET", "/robots.txt")
                counts[number] += connection.getresponse().read() != b""
        connection.close()

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(run, range(clients)))
    return sum(counts) / seconds


def send_chunked(port: int, secret: str, size: int) -> str:
    """Status of a lookup whose body comes in chunks, and whether the reply is JSON."""
    body = json.dumps({"entity_name": "Petrel Chunk LLC", "state": "NY", "ref": "x"}).encode()
    filled = body[:-1] + b" " * size + b"}"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    pieces = (filled[at : at + 8192] for at in range(0, len(filled), 8192))
    headers = {"x-api-key": secret, "content-type": "application/json", "transfer-encoding": "chunked"}
    try:
        connection.request("POST", "/v1/lookup", body=pieces, headers=headers, encode_chunked=True)
        reply = connection.getresponse()
        said = reply.read()
        return f"{reply.status}{'' if said[:1] == b'{' else ' no JSON'}"
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__
    finally:
        connection.close()


def stop_with_lookups(port: int, server: subprocess.Popen[bytes], registries: Registries, secret: str) -> str:
    """Ask the server to stop while eight lookups wait for a registry that takes 7 s: answered, and seconds to stop."""
    registries.seconds = 7.0

    def look_up(number: int) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
        body = json.dumps({"entity_name": f"Petrel Stop {number} LLC", "state": ("NY", "CO", "PA", "OR")[number % 4]})
        try:
            connection.request("POST", "/v1/lookup", body, {"x-api-key": secret, "content-type": "application/json"})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(look_up, number) for number in range(8)]
        deadline = time.monotonic() + 20
        while registries.waiting() + _asked(registries) < 4 and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.0)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        answered = sum(one.result() in (200, 202, 404) for one in asked)
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(60)
    registries.seconds = 0.0
    return f"{answered}/8, {time.monotonic() - began:.0f} s"


def _asked(registries: Registries) -> int:
    return sum(registries.count("STOP").values())


def ours(port: int, processes: int) -> list[str]:
    """The service's own command: gunicorn's parent, waitress in each child."""
    command = commands.web(host="127.0.0.1", port=port, production=False)
    command[command.index("--workers") + 1] = str(processes)
    return command


def gunicorn(port: int, processes: int) -> list[str]:
    """gunicorn with its own threaded workers."""
    return [
        sys.executable, "-m", "gunicorn", "config.wsgi:application", "--bind", f"127.0.0.1:{port}", "--worker-class",
        "gthread", "--workers", str(processes), "--threads", str(THREADS), "--timeout", "120", "--graceful-timeout",
        "30", "--no-control-socket",
    ]  # fmt: skip


def waitress(port: int, processes: int) -> list[str]:
    """waitress by itself, which has one process; beside the number of connections its own defaults."""
    return [
        sys.executable, "-m", "waitress", f"--listen=127.0.0.1:{port}", f"--threads={THREADS}",
        "--connection-limit=1000", "--no-clear-untrusted-proxy-headers", "config.wsgi:application",
    ]  # fmt: skip


def granian(port: int, processes: int) -> list[str]:
    """granian with its WSGI interface."""
    return [
        sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port),
        "--workers", str(processes), "--blocking-threads", str(THREADS), "--backpressure", str(THREADS * 4),
        "--workers-kill-timeout", "30", "config.wsgi:application",
    ]  # fmt: skip


SERVERS: dict[str, Callable[[int, int], list[str]]] = {
    "gunicorn": gunicorn,
    "granian": granian,
    "waitress": waitress,
    "ours": ours,
}


@contextmanager
def caddy(folder: Path, server: int) -> Iterator[int]:
    """Caddy told to buffer and to hang up, as far as Debian's 2.6 can be told."""
    port, admin = free_port(), free_port()
    (folder / "Caddyfile").write_text(
        f"""{{
    admin 127.0.0.1:{admin}
    auto_https off
    servers {{
        timeouts {{
            read_header 10s
            read_body 10s
            write 60s
            idle 30s
        }}
    }}
}}
http://127.0.0.1:{port} {{
    reverse_proxy 127.0.0.1:{server} {{
        buffer_requests
        buffer_responses
        max_buffer_size 8MB
    }}
}}
"""
    )
    environment = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with (folder / "caddy.log").open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield port
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def before(proxy: str, folder: Path, server: int) -> Iterator[int]:
    """The port that clients use."""
    if proxy == "none":
        yield server
    elif proxy == "nginx":
        with proxies.nginx(folder / "nginx", servers=[server], limited=False) as running:
            yield running.port
    else:
        with caddy(folder, server) as port:
            yield port


def measure(name: str, proxy: str, folder: Path, environment: dict[str, str], wanted: argparse.Namespace) -> list[str]:
    """One row of the table."""
    with registries_running() as registries:
        environment = environment | {"PORTALS_URL": registries.url, "VAR_DIR": str(folder)}
        secret = _open_customer(environment)
        with started(name, proxy, folder, environment, processes=2) as (door, _):
            twice = "-" if name == "waitress" else f"{rate(door):.0f}"
        with started(name, proxy, folder, environment, processes=1) as (door, server):
            return [name, proxy, f"{rate(door):.0f}", twice, *_row(door, server, registries, secret, wanted)]


@contextmanager
def started(
    name: str, proxy: str, folder: Path, environment: dict[str, str], *, processes: int
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The server behind the proxy, and the port that clients use."""
    port = free_port()
    with (folder / "server.log").open("wb") as output:
        server = subprocess.Popen(
            SERVERS[name](port, processes), cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        with before(proxy, folder, port) as door:
            _wait_for(door, server, folder)
            yield door, server
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _row(
    door: int, server: subprocess.Popen[bytes], registries: Registries, secret: str, wanted: argparse.Namespace
) -> list[str]:
    cells = [send_chunked(door, secret, 0), send_chunked(door, secret, 100_000)]
    for kind in KINDS:
        with SlowClients(door, [kind], 2 * THREADS):
            time.sleep(1.0)
            cells.append(shown(probe_for(door, wanted.each)))
        _recover(door)
    with SlowClients(door, list(KINDS), 10 * THREADS) as slow:
        cells += [shown(probe_for(door, wanted.hold)), f"{slow.closed}/{slow.number}"]
    _recover(door)
    return [*cells, stop_with_lookups(door, server, registries, secret)]


def _recover(door: int) -> None:
    deadline = time.monotonic() + 40
    while ask(door) is None and time.monotonic() < deadline:
        time.sleep(0.5)


def _open_customer(environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "tests.failures.customers", "1"]
    opened = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return str(json.loads(opened.stdout)[0]["secret"])


def _wait_for(door: int, server: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + 90
    while ask(door) is None:
        if server.poll() is not None or time.monotonic() > deadline:
            sys.exit((folder / "server.log").read_text()[-2000:])
        time.sleep(0.3)


def available(name: str) -> bool:
    """Whether a server or proxy is on this machine."""
    if name in ("nginx", "caddy"):
        return shutil.which(name) is not None or (name == "nginx" and proxies.NGINX is not None)
    return name in ("none", "ours") or importlib.util.find_spec(name) is not None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default=",".join(SERVERS))
    parser.add_argument("--proxies", default="none,nginx,caddy")
    parser.add_argument("--hold", type=float, default=65)
    parser.add_argument("--each", type=float, default=6)
    wanted = parser.parse_args()
    environment = clean_environment(
        {
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "CONTACT": "bench@example.test",
            "RATE_LIMIT_PER_MINUTE": "1000000",
            "CONCURRENT_LOOKUPS": "1000",
        }
    )
    head = [
        "server",
        "behind",
        "requests/s",
        "two processes",
        "chunked",
        "too large",
        *KINDS,
        "all, 10 x",
        "hung up on",
        "stop",
    ]
    say(head)
    say(["---"] * len(head))
    for name in filter(available, wanted.servers.split(",")):
        for proxy in filter(available, wanted.proxies.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "static").mkdir()
                say(measure(name, proxy, Path(folder), environment, wanted))


def say(cells: list[str]) -> None:
    """Print one row."""
    sys.stdout.write("| " + " | ".join(cells) + " |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
