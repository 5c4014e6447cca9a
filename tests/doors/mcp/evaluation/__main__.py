"""Ask a model the questions, judge kept transcripts again, or write the page's list of questions anew.

    SOS_LOOKUP_KEY=osd_test_… MODEL_API_KEY=… python -m tests.doors.mcp.evaluation ask \\
        --service http://127.0.0.1:8000 --model-url http://127.0.0.1:11434/v1 --model NAME --out results
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from tests.doors.mcp.evaluation import model as models
from tests.doors.mcp.evaluation import questions, table
from tests.doors.mcp.evaluation.door import NetworkDoor
from tests.doors.mcp.evaluation.judge import judge
from tests.doors.mcp.evaluation.questions import Question
from tests.doors.mcp.evaluation.table import Result

PAGE = Path(__file__).parents[4] / "docs" / "evaluation.md"
LISTED = "## The questions\n\n"


def main(words: list[str] | None = None) -> int:
    """The exit status: 0 unless fewer are right than `--at-least`."""
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m tests.doors.mcp.evaluation", description=about)
    does = parser.add_subparsers(dest="does", required=True)
    asks = does.add_parser("ask", help="ask a model; the keys are read from SOS_LOOKUP_KEY and MODEL_API_KEY")
    asks.add_argument("--service", required=True, help="address of a running service")
    asks.add_argument("--model-url", required=True, help="address to which /chat/completions is added")
    asks.add_argument("--model", required=True, help="the model's name there")
    judges = does.add_parser("judge", help="judge what was kept, without asking anybody")
    for one in (asks, judges):
        one.add_argument("--out", type=Path, required=True, help="folder of the transcripts and of table.md")
        one.add_argument("--only", nargs="+", choices=[each.id for each in questions.load()], help="some of them")
        one.add_argument("--at-least", type=int, default=0, help="how many have to be right for exit status 0")
    does.add_parser("page", help="write the questions into docs/evaluation.md")
    chosen = parser.parse_args(words)
    if chosen.does == "page":
        prose = PAGE.read_text(encoding="utf-8").partition(LISTED)[0]
        PAGE.write_text(prose + LISTED + table.write_page(), encoding="utf-8")
        return 0
    wanted = [one for one in questions.load() if chosen.only is None or one.id in chosen.only]
    name, results = _ask(chosen, wanted) if chosen.does == "ask" else _judge_kept(chosen.out, wanted)
    written = table.write_results(name, results)
    (chosen.out / "table.md").write_text(written, encoding="utf-8")
    sys.stdout.write(written)
    return 0 if sum(one.is_right for one in results) >= chosen.at_least else 1


def _ask(chosen: argparse.Namespace, wanted: list[Question]) -> tuple[str, list[Result]]:
    key = os.environ.get("SOS_LOOKUP_KEY", "")
    if not key.startswith("osd_test_"):
        raise SystemExit("SOS_LOOKUP_KEY has to be a test key (osd_test_…): the questions are about the sandbox.")
    door = NetworkDoor(chosen.service, key)
    model = models.Model(chosen.model_url, chosen.model, os.environ.get("MODEL_API_KEY", ""))
    tools, instructions = door.list_tools(), door.read_instructions()
    chosen.out.mkdir(parents=True, exist_ok=True)
    results = []
    for question in wanted:
        messages, failure = models.ask(question, model, door, tools=tools, instructions=instructions)
        kept = {"question": question.id, "model": model.name, "failure": failure, "messages": messages}
        text = json.dumps(kept, ensure_ascii=False, indent=1)
        (chosen.out / f"{question.id}.json").write_text(text, encoding="utf-8")
        results.append(_judge(question, kept))
        sys.stderr.write(f"{question.id}: {'right' if results[-1].is_right else 'not right'}\n")
    return model.name, results


def _judge_kept(folder: Path, wanted: list[Question]) -> tuple[str, list[Result]]:
    paths = [(question, folder / f"{question.id}.json") for question in wanted]
    kept = [(question, json.loads(path.read_text(encoding="utf-8"))) for question, path in paths if path.is_file()]
    name = next((str(one["model"]) for _, one in kept), "nothing was kept")
    return name, [_judge(question, one) for question, one in kept]


def _judge(question: Question, kept: dict[str, object]) -> Result:
    if kept["failure"]:
        return Result(question, failure=str(kept["failure"]))
    return Result(question, tuple(judge(question, kept["messages"])))  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.exit(main())
