"""Golden cases: saved pages of a portal and the answer they must give. See tests/golden/README.md."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from scrapers import discovery
from scrapers.failures import PortalError
from scrapers.plain import tell, tell_error, tell_verdict
from scrapers.records import Query
from scrapers.search.pipeline import ask, ask_name
from scrapers.transport.recording import Replay, Step, load_steps
from scrapers.transport.session import PortalSession, TransportSettings

FOLDER = Path(__file__).resolve().parent.parent / "golden"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
THRESHOLD = 0.92


@dataclass(frozen=True)
class Case:
    """One folder: the state, the situation, and what is in case.json."""

    state: str
    situation: str
    folder: Path

    @property
    def content(self) -> dict[str, Any]:
        """case.json."""
        return json.loads((self.folder / "case.json").read_text(encoding="utf-8"))

    @property
    def expected(self) -> dict[str, Any]:
        """expected.json."""
        return json.loads((self.folder / "expected.json").read_text(encoding="utf-8"))

    def __str__(self) -> str:
        return f"{self.state}-{self.situation}"


def list_cases() -> list[Case]:
    """Every case there is."""
    return [
        Case(folder.parent.name, folder.name, folder)
        for folder in sorted(FOLDER.glob("*/*/"))
        if (folder / "case.json").is_file()
    ]


def play(case: Case, steps: list[Step] | None = None) -> tuple[dict[str, Any], list[str]]:
    """Put the case's question to the state's portal, its pages played back; what came of it, and the requests left.

    `steps` are played in place of the case's own.
    """
    portal = discovery.find_portal(case.state)
    assert portal is not None, f"no portal claims {case.state}"
    replay = Replay(load_steps(case.folder) if steps is None else steps)
    session = PortalSession(
        portal=case.state,
        hosts=portal.hosts,
        settings=TransportSettings(user_agent="golden", keys=case.content.get("keys", {})),
        deadline=time.monotonic() + 30,
        adapter=replay,
    )
    asked = dated(case.content["question"])
    names_only = asked.get("kind") == "name_check"
    question = Query(state=case.state, **(asked if not names_only else {"name": asked["name"]}))
    try:
        if names_only:
            told = tell_verdict(ask_name(portal, session, question, now=NOW)[0])
        else:
            told = tell(ask(portal, session, question, now=NOW, threshold=THRESHOLD), portal, state=case.state)
    except PortalError as error:
        told = tell_error(error)
    told["unread_labels"] = [stage.detail for stage in session.trace.stages if stage.name == "unread_labels"]
    return told, [f"{step.method} {step.url}" for step in replay.left]


def dated(question: dict[str, Any]) -> dict[str, Any]:
    """The question with its days as dates: case.json can only write them as text."""
    days = {name: date.fromisoformat(question[name]) for name in ("date_after", "date_before") if name in question}
    return question | days
