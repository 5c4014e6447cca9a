"""Golden cases: saved pages of a portal and the answer they must give. See tests/golden/README.md."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from scrapers import discovery
from scrapers.evidence import readings, replay
from scrapers.failures import PortalError
from scrapers.models import Reading
from scrapers.plain import filled, tell, tell_error
from scrapers.records import NameVerdict, Query
from scrapers.transport.exchanges import Exchange, to_kept
from scrapers.transport.recording import Step, load_steps
from scrapers.transport.session import Trace

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


def play(
    case: Case, steps: list[Step] | None = None, *, trace: Trace | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Put the case's question to the state's portal, and read its pages as kept evidence is; what came of it, and the
    requests left.

    `steps` are played in place of the case's own; `trace` collects the stages. Raises what the reader trips over, and
    NotReplayed where it asks for something else.
    """
    portal = discovery.find_portal(case.state)
    assert portal is not None, f"no portal claims {case.state}"
    reading, kept = to_reading(case, load_steps(case.folder) if steps is None else steps)
    played = replay.play(reading, portal=portal, find_body=kept.get)
    if trace is not None:
        trace.stages += played.trace.stages
    if isinstance(played.failure, PortalError):
        told = tell_error(played.failure)
    elif played.failure is not None:
        raise played.failure
    elif played.verdict is not None:
        told = tell_verdict(played.verdict[0])
    else:
        assert played.answer is not None
        told = tell(played.answer, portal, state=case.state)
    told["unread_labels"] = [stage.detail for stage in played.trace.stages if stage.name == "unread_labels"]
    return told, [f"{step.method} {step.url}" for step in played.left]


def tell_verdict(verdict: NameVerdict) -> dict[str, Any]:
    """JSON-ready: whether the name is free, who stands in the way, and what the caller is told beside it."""
    told: dict[str, Any] = {
        "conflicts": [
            {"name": one.candidate.name, "entity_id": one.candidate.entity_id, "status_class": one.status_class}
            for one in verdict.conflicts
        ],
        "normalized_name": verdict.normalized_name,
        "variation_note": verdict.variation_note,
        "warning": verdict.warning,
        "status_note": verdict.status_note,
        "check": asdict(verdict.check) if verdict.check else None,
    }
    return {"outcome": "judged", "available": verdict.available, "verdict": verdict.verdict, **filled(told)}


def to_reading(case: Case, steps: Iterable[Step]) -> tuple[Reading, dict[str, bytes]]:
    """The conversation as the service would have kept it, and its bytes by their hashes."""
    content = case.content
    asked, keys = dated(content["question"]), content.get("keys", {}).values()
    kind = asked.pop("kind", "business_entity")
    query = Query(state=case.state, kind="ucc" if kind == "ucc" else "business_entity", **asked)
    heard = [Exchange(one.method, one.url, 0.0, one.status, one.headers, one.body, one.sent) for one in steps]
    kept = [to_kept(one, keys, at="2026-11-21T12:00:00.000Z") for one in heard]
    reading = Reading(
        state=case.state,
        kind=kind,
        question=readings.to_plain(query),
        read_at=NOW,
        exchanges=[one.record for one in kept],
    )
    return reading, {one.sha256: one.body for one in kept}


def dated(question: dict[str, Any]) -> dict[str, Any]:
    """The question with its days as dates: case.json can only write them as text."""
    days = {name: date.fromisoformat(question[name]) for name in ("date_after", "date_before") if name in question}
    return question | days
