"""House rules for the Dockerfile, checked on its parsed steps.

The known linter, hadolint, is GPL and so not part of the project; these are the rules of its kind that apply here.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from string import Template

from dockerfile_parse import DockerfileParser

PIP_INSTALLS = re.compile(r"\bpip\b[^&|;]*\binstall\b")
SECRET_WORDS = re.compile(r"(KEY|SECRET|PASSWORD|TOKEN)\s*=", re.IGNORECASE)


@dataclass(frozen=True)
class Step:
    """One instruction: its word in capitals and what follows, lines joined."""

    word: str
    value: str


def read_steps(text: str) -> list[Step]:
    """Return the instructions of a Dockerfile without its comments; an image that is an ARG is named by its default."""
    parser = DockerfileParser(fileobj=io.BytesIO(text.encode()))
    steps = [Step(one["instruction"], one["value"]) for one in parser.structure if one["instruction"] != "COMMENT"]
    first = next((number for number, step in enumerate(steps) if step.word == "FROM"), len(steps))
    defaults = dict(step.value.split("=", 1) for step in steps[:first] if "=" in step.value)
    return [Step(s.word, Template(s.value).safe_substitute(defaults)) if s.word == "FROM" else s for s in steps]


def list_faults(text: str) -> list[str]:
    """Return one line for every broken rule."""
    steps = read_steps(text)
    faults = [fault for step in steps for fault in _faults_of(step)]
    last = steps[max(number for number, step in enumerate(steps) if step.word == "FROM") :]
    users = [step.value for step in last if step.word == "USER"]
    if not users or not re.fullmatch(r"[1-9]\d*(:[1-9]\d*)?", users[-1]):
        faults.append("the image runs as root, or as a user known only by name: end with USER and a number")
    for word in ("HEALTHCHECK", "CMD"):
        if [step.word for step in last].count(word) != 1:
            faults.append(f"the image needs exactly one {word}")
    return faults


def _faults_of(step: Step) -> list[str]:
    rules = {"FROM": _from, "ENV": _variables, "ARG": _variables, "RUN": _run, "COPY": _copy, "WORKDIR": _workdir}
    if step.word == "ADD":
        return ["ADD fetches and unpacks unasked: COPY instead"]
    if step.word in {"CMD", "ENTRYPOINT"}:
        return (
            []
            if _is_list(step.value)
            else [f"{step.word} goes through a shell, which keeps signals to itself: use a list"]
        )
    rule = rules.get(step.word)
    return rule(step.value) if rule else []


def _from(value: str) -> list[str]:
    image = value.split()[0]
    tag = image.partition(":")[2]
    return (
        [f"{image} can be anything tomorrow: name a version"]
        if tag in {"", "latest"} or not re.match(r"\d", tag)
        else []
    )


def _variables(value: str) -> list[str]:
    return ["a secret would stay in the image: give it when it runs"] if SECRET_WORDS.search(value) else []


def _run(value: str) -> list[str]:
    faults = []
    if PIP_INSTALLS.search(value) and "--require-hashes" not in value:
        faults.append("pip installs what nobody has checked: --require-hashes")
    if PIP_INSTALLS.search(value) and "--no-deps" not in value:
        faults.append("pip looks for more than the list names: --no-deps")
    if "apt-get install" in value and "/var/lib/apt/lists" not in value:
        faults.append("apt's lists stay in the image: remove them in the same step")
    if re.search(r"\b(sudo|curl|wget)\b", value):
        faults.append("a step fetches from outside the package lists, or wants rights it already has")
    return faults


def _copy(value: str) -> list[str]:
    sources = [part for part in value.split() if not part.startswith("--")][:-1]
    return ["the whole folder is copied, with what nobody meant to ship"] if {".", "./"} & set(sources) else []


def _workdir(value: str) -> list[str]:
    return [] if value.startswith("/") else [f"WORKDIR {value} depends on the steps before it: begin with /"]


def _is_list(value: str) -> bool:
    try:
        return isinstance(json.loads(value), list)
    except ValueError:
        return False
