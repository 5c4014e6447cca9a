"""`make mppx`: a payment client written by others in TypeScript validates the running service, and pays it.

Needs node 20 and npm, which fetches the client (about 95 MB) into var/mppx; nothing of it is ever committed. The
service runs on a free port with pretended payments, in a folder of its own that is removed afterwards.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.journeys.checkout import clean_environment
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "var" / "mppx"
# The client's own range lets npm choose a viem that wants a package not everybody can get; this one works.
PACKAGES = ("mppx@0.11.0", "viem@2.55.17")
QUESTION = '{"entity_name":"Blue Heron Logistics LLC","state":"DE"}'
START_SECONDS = 90


def install() -> None:
    """Fetch the client, once."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed: this job needs node 20 or newer, with npm.")
    if (FOLDER / "node_modules" / "mppx").is_dir():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "package.json").write_text('{"private": true, "type": "module"}\n')
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps", *PACKAGES]
    subprocess.run(command, cwd=FOLDER, check=True)


@contextmanager
def service() -> Iterator[str]:
    """Run the service with pretended payments; give its address."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "VAR_DIR": folder,
            "SANDBOX_PAYMENTS": "true",
            "PUBLIC_URL": f"http://127.0.0.1:{port}",
            "PAYMENT_REALM": "127.0.0.1",
            "LOG_LEVEL": "WARNING",
        }
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port), "--no-first-accounts"],
            cwd=ROOT,
            env=clean_environment(environment),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(60)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Return when the service answers; leave when it never does."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if requests.get(f"{url}/v1/health", timeout=5).status_code == 200:
                return
        except requests.RequestException:
            pass
        time.sleep(0.3)
    sys.exit("The service did not start.")


def node(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run node in the client's folder; what it prints on stderr is shown."""
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    return subprocess.run(
        ["node", *arguments], cwd=FOLDER, env=environment, stdout=subprocess.PIPE, text=True, timeout=300, check=False
    )


def validate(url: str, *more: str) -> bool:
    """Let the client's own `validate` look at the service; print each finding. It is never told to pay (`--yes`)."""
    done = node("node_modules/mppx/dist/bin.js", "validate", url, *more, "-H", "content-type:application/json", "-j")
    try:
        found = json.loads(done.stdout)
    except ValueError:
        say(done.stdout or "validate printed nothing")
        return False
    say(json.dumps(found["summary"]))
    for finding in _findings(found):
        if finding.get("severity") not in (None, "pass"):
            say(f"  {finding.get('severity')}: {finding.get('label')} {finding.get('detail', '')}")
    return done.returncode == 0


def pay(url: str) -> bool:
    """Let the client pay for a lookup, for nothing found, and with a payment that is declined."""
    script = FOLDER / "pays.mjs"
    shutil.copy(Path(__file__).with_name("mppx_pays.mjs"), script)
    done = node(str(script), f"{url}/v1/lookup")
    say(done.stdout.rstrip())
    return done.returncode == 0


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _findings(found: object) -> Iterator[dict[str, str]]:
    if isinstance(found, dict):
        if "label" in found:
            yield found
        for inner in found.values():
            yield from _findings(inner)
    elif isinstance(found, list):
        for inner in found:
            yield from _findings(inner)


def main() -> None:
    """Install, start, validate, pay."""
    install()
    with service() as url:
        say("mppx validate, what it discovers by itself:")
        passed = [validate(url, "--body", json.dumps({"/v1/lookup": json.loads(QUESTION)}))]
        say("mppx validate, POST /v1/lookup:")
        passed.append(validate(url, "--endpoint", "POST:/v1/lookup", "--body", QUESTION))
        say("mppx pays:")
        passed.append(pay(url))
    say("passed" if all(passed) else "FAILED")
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
