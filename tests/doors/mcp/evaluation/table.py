"""The results as Markdown: a row a kind, and what was wrong; and the questions for the page about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.doors.mcp.evaluation.judge import Finding
from tests.doors.mcp.evaluation.questions import Question, list_kinds, load


@dataclass(frozen=True, slots=True)
class Result:
    """Of one question; `failure`: why it could not be asked."""

    question: Question
    findings: tuple[Finding, ...] = ()
    failure: str = ""

    @property
    def is_right(self) -> bool:
        """Whether it was asked and nothing is wrong."""
        return not self.failure and not self.findings


def write_results(model: str, results: Iterable[Result]) -> str:
    """Right of asked, by kind; below it every question that is not right."""
    found = list(results)
    lines = [f"# {model}", "", "| kind | right | of |", "| --- | ---: | ---: |"]
    for kind in (*list_kinds(), ""):
        of_kind = [one for one in found if not one.failure and kind in ("", one.question.kind)]
        if of_kind:
            lines.append(f"| {kind or '**all**'} | {sum(one.is_right for one in of_kind)} | {len(of_kind)} |")
    missing = [one for one in found if not one.is_right]
    if missing:
        lines += ["", "| question | what is wrong |", "| --- | --- |", *map(_write_wrong, missing)]
    return "\n".join(lines) + "\n"


def write_page() -> str:
    """What was written by hand gets, which a test holds to be so; then every question and who asks it."""
    lines = ["| kind | questions | reference right | planted wrong | judged wrong |", f"| --- |{' ---: |' * 4}"]
    for kind in ("", *list_kinds()):
        of_kind = [one for one in load() if kind in ("", one.kind)]
        planted = sum(len(one.wrong) for one in of_kind)
        lines.append(f"| {kind or '**all**'} | {len(of_kind)} | {len(of_kind)} | {planted} | {planted} |")
    for kind in list_kinds():
        lines += ["", f"### {kind[0].upper()}{kind[1:]}", "", "| question | asked by |", "| --- | --- |"]
        lines += [f"| {_cell(one.asks)} | {one.who} |" for one in load() if one.kind == kind]
    return "\n".join(lines) + "\n"


def _write_wrong(one: Result) -> str:
    found = " ".join(f"{each.because}: {each.text}" for each in one.findings)
    why = f"not measured: {one.failure}" if one.failure else found
    return f"| `{one.question.id}` {_cell(one.question.asks)} | {_cell(why)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
