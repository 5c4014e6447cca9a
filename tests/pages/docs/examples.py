"""Examples as they stand in the guides: found by their fences, and run as a reader would run them."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import requests

from lookups.pages.docs import contents, guides
from lookups.pages.docs.contents import Guide

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Runs the examples that it is given one after the other, each a module of its own, and writes down what came of each
EACH = """
const asked = globalThis.fetch, log = console.log, all = [];
globalThis.fetch = async (...sent) => {
  const reply = await asked(...sent);
  all.at(-1)[0] = reply.status;
  return reply;
};
console.log = (...words) => { all.at(-1)[1] += words.join(" ") + "\\n"; };
for (const file of process.argv.slice(2)) {
  all.push([0, ""]);
  await import(file);
}
log(JSON.stringify(all));
"""


@dataclass(frozen=True)
class Fence:
    """One block of code of a guide, with the words behind its language."""

    guide: Guide
    language: str
    words: tuple[str, ...]
    code: str

    @property
    def status(self) -> int:
        """What it is to be answered with."""
        said = [word.removeprefix("status=") for word in self.words if word.startswith("status=")]
        return int(said[0]) if said else 200

    def runs(self) -> bool:
        """Whether it is run as it stands."""
        return "run" in self.words


def list_fences(guide: Guide) -> list[Fence]:
    """Every block of code of a guide, in order."""
    text = guide.path.read_text(encoding="utf-8")
    return [Fence(guide, language, tuple(words.split()), code) for language, words, code in FENCE.findall(text)]


def list_runs(language: str) -> list[tuple[Fence, Fence | None]]:
    """Every example of a language that is run, with the answer that stands below it."""
    found = []
    for guide in contents.GUIDES:
        fences = list_fences(guide)
        for at, fence in enumerate(fences):
            if fence.language == language and fence.runs():
                rest = fences[at + 1 :]
                after = next((one for one in rest if "run" not in one.words), None)
                found.append((fence, after if after and "answer" in after.words else None))
    return found


def run(fences: list[Fence], *, host: str, key: str, folder: Path) -> list[tuple[int, str]]:
    """Run examples of one language in their order; of each the status of its last reply, and what it printed.

    Fails where an example does.
    """
    codes = [fence.code.replace(guides.HOST, host).replace(guides.KEY, key) for fence in fences]
    match fences[0].language:
        case "python":
            return [_run_here(code) for code in codes]
        case "sh":
            (folder / ".curlrc").write_text('write-out = "%{stderr}%{http_code}"\n')
            ended = [_start(["bash", "-euo", "pipefail", "-c", code], folder) for code in codes]
            return [(int(one.stderr.split()[-1]), one.stdout) for one in ended]
    (folder / "each.mjs").write_text(EACH)
    files = [folder / f"example-{number}.mjs" for number in range(len(codes))]
    for file, code in zip(files, codes, strict=True):
        file.write_text(code)
    ended = [_start(["node", str(folder / "each.mjs"), *map(str, files)], folder)]
    return [(status, printed) for status, printed in json.loads(ended[0].stdout)]


def _start(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "CURL_HOME": str(folder), "NO_PROXY": "*"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done


def _run_here(code: str) -> tuple[int, str]:
    """Python in this process, for starting another takes half a second."""
    statuses: list[int] = []
    send = requests.Session.send

    def note(session: requests.Session, request: requests.PreparedRequest, **more: Any) -> requests.Response:
        reply = send(session, request, **more)
        statuses.append(reply.status_code)
        return reply

    printed = io.StringIO()
    with patch.object(requests.Session, "send", note), redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {})
    return statuses[-1], printed.getvalue()


def differ(shown: Any, found: Any, path: str = "") -> list[str]:
    """Where a shortened answer says something else than the real one; "…" stands for what is left out of a text."""
    if isinstance(shown, dict):
        if not isinstance(found, dict):
            return [f"{path}: {found!r} is no object"]
        missing = [f"{path}.{name} is not there" for name in shown if name not in found]
        inner = [differ(shown[name], found[name], f"{path}.{name}") for name in shown if name in found]
        return missing + [one for several in inner for one in several]
    if isinstance(shown, list):
        if not isinstance(found, list) or (not shown and found):
            return [f"{path}: {found!r} is not {shown!r}"]
        return [f"{path}: nothing like {one!r}" for one in shown if all(differ(one, other) for other in found)]
    if isinstance(shown, str) and "…" in shown:
        form = ".*".join(map(re.escape, shown.split("…")))
        return [] if isinstance(found, str) and re.fullmatch(form, found) else [f"{path}: {found!r} is not {shown!r}"]
    return [] if shown == found and isinstance(shown, bool) == isinstance(found, bool) else [f"{path}: {found!r}"]


def read_answer(fence: Fence) -> Any:
    """The answer that a guide shows."""
    return json.loads(fence.code)
