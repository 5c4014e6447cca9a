"""A real browser without a window, driven by its own protocol: what it says of a page that it has shown."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
# Every refusal of a policy, as the page itself is told of it.
LISTEN = """
window.refused = [];
document.addEventListener("securitypolicyviolation", event =>
  window.refused.push(`${event.effectiveDirective}: ${event.blockedURI || event.sample}`));
"""


class Page:
    """One tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection, self.number, self.told = connection, 0, list[dict[str, Any]]()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=LISTEN)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        self.connection.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self.connection.recv(timeout=60))
            if told.get("id") == self.number:
                assert "error" not in told, told
                return dict(told["result"])
            self.told.append(told)

    def run(self, script: str) -> Any:
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get(
            "value"
        )

    def show(self, address: str) -> list[str]:
        """Open an address; return what the browser refused or complained of once the page is there and idle."""
        self.told.clear()
        self.call("Page.navigate", url=address)
        end = time.monotonic() + 60
        while not any(told.get("method") == "Page.loadEventFired" for told in self.told):
            self.run("1")
            assert time.monotonic() < end, f"{address} does not load"
            time.sleep(0.02)
        self.run("new Promise(done => requestIdleCallback(done, {timeout: 500}))")
        return [*self.run("window.refused"), *self._complaints()]

    def _complaints(self) -> Iterator[str]:
        for told in self.told:
            if told.get("method") == "Runtime.exceptionThrown":
                details = told["params"]["exceptionDetails"]
                yield str(details.get("exception", {}).get("description", details["text"]))
            elif told.get("method") == "Log.entryAdded" and told["params"]["entry"]["level"] == "error":
                yield str(told["params"]["entry"]["text"])

    def picture(self, path: Path, *, width: int, dark: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        time.sleep(0.3)  # transitions end
        made = self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(made["data"]))


@contextmanager
def started(folder: Path) -> Iterator[Page]:
    """A browser with a profile of its own in `folder`."""
    assert PROGRAM
    command = [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "about:blank"]
    command += [f"--user-data-dir={folder}", "--no-first-run", "--disable-dev-shm-usage"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            port = next(found[1] for line in process.stderr if (found := re.search(r"127\.0\.0\.1:(\d+)/", line)))
            with connect(f"ws://127.0.0.1:{port}{_tab(int(port))}", max_size=2**26) as connection:
                yield Page(connection)
        finally:
            process.terminate()
            process.wait(20)


def _tab(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=20) as answer:
        tabs = json.load(answer)
    return str(next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")).partition(str(port))[2]
