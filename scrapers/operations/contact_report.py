"""What first contact leaves for a person: one page and the same as JSON, the kept pages, and proposed golden cases.

What portals sent is hostile: pages are kept as plain text, and the report's own policy lets no script run and loads
nothing, whatever stands in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone

from jurisdictions import selectors
from jurisdictions.codes import PLACES
from scrapers import gateway
from scrapers.failures import PortalError
from scrapers.operations import canaries, contact, golden_proposals
from scrapers.operations.canaries import Asked
from scrapers.operations.contact import Contact
from scrapers.portal import CanaryKind, ContactResult, Portal
from scrapers.transport.exchanges import MOST_READ, cut_out, hide_in_address, keepable

WEEKLY_SECONDS = 1800.0  # after which the clock's run begins with no further state; the next one begins with it
WEEKLY_PAUSE = 5.0  # times the portal's own distance between two questions, for customers to come in between
SITUATIONS = {
    CanaryKind.ACTIVE: "active",
    CanaryKind.INACTIVE: "inactive",
    CanaryKind.PERSON: "person-like-name",
    CanaryKind.ABSENT: "no-match",
    CanaryKind.LIEN: "lien",
}


class Report:
    """A folder that fills state by state; `finish` writes report.html and report.json."""

    def __init__(self, folder: Path, *, began: datetime) -> None:
        self.folder, self.began = folder, began
        self.states: list[dict[str, Any]] = []
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._secrets = [key for key in gateway.transport_settings().keys.values() if key]

    def add(self, contact: Contact) -> None:
        """Keep what came of one state; its pages are on the disk then, and may be forgotten."""
        portal = contact.portal
        switch = selectors.get_jurisdiction(portal.code)
        questions = [self._question(portal, one) for one in contact.asked]
        self.states.append(
            contact.summary()
            | {
                "state": portal.code,
                "name": PLACES[portal.code].name,
                "sources": portal.sources,
                "on": switch.enabled,
                "verification": "live" if switch.verified_live_at else portal.verification,
                "became_live": contact.is_live,
                "questions": questions,
            }
        )

    def finish(self, *, ended: datetime) -> Path:
        """Write the page and its JSON; returns the page."""
        content = {
            "began": self.began.isoformat(timespec="seconds"),
            "ended": ended.isoformat(timespec="seconds"),
            "results": {result.value: self._count(result) for result in ContactResult},
            "states": self.states,
        }
        text = json.dumps(content, indent=1, ensure_ascii=False)
        (self.folder / "report.json").write_text(text + "\n", encoding="utf-8")
        style = render_to_string("scrapers/first_contact.css")
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        page = render_to_string("scrapers/first_contact.html", content | {"style": style, "digest": digest})
        (self.folder / "report.html").write_text(page, encoding="utf-8")
        return self.folder / "report.html"

    def _count(self, result: ContactResult) -> int:
        return Counter(row["result"] for row in self.states)[result.value]

    def _question(self, portal: Portal, asked: Asked) -> dict[str, Any]:
        return {
            "kind": asked.kind.value,
            "question": asked.question,
            "result": asked.result.value,
            "outcome": asked.outcome,
            "answer": asked.answer,
            "findings": asked.findings,
            "unread_labels": asked.unread_labels,
            "blank": asked.blank,
            "reached": asked.reached,
            "seconds": asked.seconds,
            "pages": self._keep(portal, asked),
            "golden": self._propose(portal, asked),
        }

    def _keep(self, portal: Portal, asked: Asked) -> list[dict[str, Any]]:
        """The pages of one question as files of plain text, without our keys."""
        kept = []
        for number, heard in enumerate(asked.seen.trace.exchanges if asked.seen else (), start=1):
            file = Path("pages") / portal.code / f"{asked.kind.value}-{number}.txt"
            if heard.status is not None:
                (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / file).write_bytes(cut_out(bytes(heard.body[:MOST_READ]), self._secrets)[0])
            kept.append(
                {
                    "method": heard.method,
                    "url": keepable(hide_in_address(heard.url, self._secrets)),
                    "status": heard.status,
                    "content_type": keepable(heard.content_type),
                    "bytes": len(heard.body),
                    "file": file.as_posix() if heard.status is not None else None,
                }
            )
        return kept

    def _propose(self, portal: Portal, asked: Asked) -> dict[str, Any] | None:
        """A golden case of what was answered; None where nothing was, for that is no case to keep."""
        if asked.seen is None or (asked.seen.answer is None and not _is_refusal(asked)):
            return None
        place = Path("golden") / portal.code / f"{SITUATIONS[asked.kind]}-proposed"
        query = canaries.query_of(portal, asked.kind, asked.question)
        made = golden_proposals.propose(portal, query, asked.seen, folder=self.folder / place)
        if made.folder is None:
            return {"folder": None, "why_not": made.why_not}
        return {"folder": place.as_posix(), "pages": made.pages, "names_replaced": made.people}


def write_weekly(*, now: datetime) -> dict[str, str]:
    """Ask what is due by the clock, quietly; returns each state's result. The report takes the last one's place.

    Only when it is whole: of a run that was killed the last one stays.
    """
    portals = contact.list_due()
    if not portals:
        return {}
    folder = settings.VAR_DIR / "first-contact" / "weekly"
    unfinished = folder.with_name("weekly-unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    report = Report(unfinished, began=now)
    try:
        for one in contact.meet(portals, now=now, within=WEEKLY_SECONDS, pause=WEEKLY_PAUSE):
            report.add(one)
    finally:
        report.finish(ended=timezone.now())
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    return {row["state"]: row["result"] for row in report.states}


def _is_refusal(asked: Asked) -> bool:
    failure = asked.seen.failure if asked.seen else None
    return isinstance(failure, PortalError) and failure.reason.is_answer
