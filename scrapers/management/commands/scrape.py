"""Ask one registry one question and show every stage of it to a person: `manage.py scrape NY "Acme"`.

    manage.py scrape NY "Acme" --json          the same as data
    manage.py scrape CO --id 20011118190       by the state's identifier
    manage.py scrape DE "Acme" --ucc           liens instead of the company (--secured-party: by lender)
    manage.py scrape DE "Acme" --sandbox       the fictional registry, without any network

An operator's tool: nothing is stored or charged, and a state that is switched off is asked too (and said to be off).
Ends with 0 found, 3 not found, 4 question refused, 5 portal down or too slow, 6 blocked, 7 page changed, 8 no network,
9 nobody to ask, 10 a defect in the reader.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

import urllib3
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from jurisdictions import selectors
from jurisdictions.codes import PLACES, find_code
from jurisdictions.models import Jurisdiction
from scrapers import discovery
from scrapers.failures import (
    PageChanged,
    PortalBlocked,
    PortalDisabled,
    PortalError,
    PortalUnavailable,
)
from scrapers.normalize.addresses import one_line
from scrapers.operations import conversation
from scrapers.operations.conversation import Conversation
from scrapers.plain import filled, tell, tell_error
from scrapers.portal import Choice, Portal
from scrapers.records import Address, Found, NotFound, Query
from scrapers.refusals import QueryRefused

FOUND, NOT_FOUND, REFUSED, DOWN, BLOCKED, CHANGED, NO_NETWORK, NOBODY, DEFECT = 0, 3, 4, 5, 6, 7, 8, 9, 10
_CODES: tuple[tuple[type[PortalError], int], ...] = (
    (PortalDisabled, NOBODY),
    (PortalUnavailable, DOWN),
    (PortalBlocked, BLOCKED),
    (PageChanged, CHANGED),
    (QueryRefused, REFUSED),
)
_SENTENCES = {
    DOWN: "The portal did not give an answer. It may do so later.",
    BLOCKED: "The portal turned us away. It is not asked again for now, and the wall is not climbed.",
    CHANGED: "The page no longer fits what the reader knows. A person has to look at it.",
    REFUSED: "The question was refused: ask another one.",
    NOBODY: "Nobody was asked.",
}
_VERIFICATION = {
    "recorded": "recorded: reads a real answer of this registry that was saved",
    "documented": "documented: written from descriptions, never tried on a real answer",
    "unsupported": "unsupported: no search is known that a program may use",
}
_WHY = {
    "exact": "the name is the same but for case, punctuation and the spelling of its legal form",
    "suffix_variant": "the name is the same but for its legal form",
    "former_name": "the name is a former or assumed name of this company",
    "close": "the name is close enough, and no other company's is closer",
    "entity_id": "it has the identifier that was asked for",
    "name_mismatch": "it has the identifier that was asked for, but not the name",
}
_ROWS = 25
_ADDRESS = {"street", "city", "state", "zip", "country"}


class Command(BaseCommand):
    """See the module."""

    help = (
        "Ask one registry one question and show every stage of it. Nothing is stored or charged, and a state that is"
        " off is asked too. Ends with 0 found, 3 not found, 4 question refused, 5 portal down or too slow, 6 blocked, 7"
        " page changed, 8 no network, 9 nobody to ask, 10 a defect in the reader."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("state", help="two letters, or the state's name")
        parser.add_argument("name", nargs="?", help="the company, debtor or lender")
        parser.add_argument("--id", dest="entity_id", help="the state's identifier, instead of a name")
        parser.add_argument("--ucc", action="store_true", help="ask for liens")
        parser.add_argument("--secured-party", action="store_true", help="ask for liens by lender")
        parser.add_argument("--sandbox", action="store_true", help="ask the fictional registry")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print data for a program")
        parser.add_argument("--seconds", type=float, default=60.0, help="the time allowed in all")

    def handle(self, *args: Any, **options: Any) -> None:
        query = _question(options)
        portal = discovery.find_portal(query.state, sandbox=options["sandbox"])
        if portal is None:
            raise CommandError(
                f"Nobody was asked: there is no reader for {PLACES[query.state].name}.", returncode=NOBODY
            )
        facts = _facts(portal, query)
        if not options["as_json"]:
            self._show_facts(facts)
        seen = conversation.hold(portal, query, seconds=options["seconds"])
        code = _code(seen)
        if code == DEFECT and options["traceback"] and seen.failure:
            raise seen.failure
        if options["as_json"]:
            data = facts | _outcome(seen, portal, query)
            self.stdout.write(json.dumps(data, indent=1, ensure_ascii=False, default=str))
        else:
            self._show(seen, portal, query)
        if code:
            raise SystemExit(code)

    def _show_facts(self, facts: dict[str, Any]) -> None:
        self._title("Question")
        self._pairs(facts["question"])
        self._title("Portal")
        self._pairs(facts["portal"])

    def _show(self, seen: Conversation, portal: Portal, query: Query) -> None:
        self._title("Stages")
        for stage in seen.trace.stages:
            self.stdout.write(f"  {stage.ms:>6} ms  {stage.name:<14} {stage.detail}")
        if not seen.trace.stages:
            self.stdout.write("  none: no request was sent")
        self._show_rows(seen)
        if seen.failure is not None:
            self._title("Failed")
            self.stdout.write(f"  {_sentence(seen)}")
            self.stdout.write(f"  Detail: {_detail(seen.failure)}")
            return
        assert seen.answer is not None
        shown = _answer(seen, portal, query)
        for part in ("record", "normalized", "filings", "suggestions"):
            if part in shown:
                self._title({"normalized": "Our reading"}.get(part, part.capitalize()))
                self._tree(shown[part], depth=1)
        self._title("Evidence")
        self._pairs(shown["evidence"])
        self._title("Outcome")
        self.stdout.write(f"  {_conclusion(seen)}")

    def _show_rows(self, seen: Conversation) -> None:
        for results, choice in seen.lists:
            whole = "the whole list" if results.complete else "a CUT list, which proves no absence"
            self._title(f"Rows ({len(results.candidates)} listed, {whole}; best first)")
            for entry in choice.ranked[:_ROWS]:
                row = entry.candidate
                mark = "->" if row is choice.candidate else "  "
                kind = "" if row.name_kind == "legal" else f"  [{row.name_kind} name]"
                self.stdout.write(
                    f"  {mark} {entry.score:.3f} {entry.kind:<15} {entry.status_class:<9} {row.name} "
                    f"({row.entity_id or 'no identifier in the list'}, {row.status or 'no status'}){kind}"
                )
            if len(choice.ranked) > _ROWS:
                self.stdout.write(f"     ... and {len(choice.ranked) - _ROWS} more")
            self.stdout.write(f"  {_reason(choice)}")

    def _title(self, text: str) -> None:
        self.stdout.write(self.style.MIGRATE_HEADING(text))

    def _pairs(self, pairs: dict[str, Any]) -> None:
        for name, value in pairs.items():
            if value not in (None, "", []):
                self.stdout.write(f"  {name:<14} {value}")

    def _tree(self, value: Any, *, depth: int) -> None:
        """Nested data as indented lines."""
        margin = "  " * depth
        for name, item in value.items() if isinstance(value, dict) else enumerate(value, start=1):
            if isinstance(item, dict) and item.keys() <= _ADDRESS:
                self.stdout.write(f"{margin}{name}: {one_line(Address(**item))}")
            elif isinstance(item, (dict, list)):
                self.stdout.write(f"{margin}{name}:")
                self._tree(item, depth=depth + 1)
            else:
                self.stdout.write(f"{margin}{name}: {item}")


def _question(options: dict[str, Any]) -> Query:
    code = find_code(options["state"])
    if code is None:
        raise CommandError(f"{options['state']!r} is no state, district or territory of the United States.")
    name, entity_id = options["name"], options["entity_id"]
    if bool(name) == bool(entity_id):
        raise CommandError("Give a name, or --id and no name.")
    ucc = options["ucc"] or options["secured_party"]
    if ucc and not name:
        raise CommandError("Liens are found by a name.")
    return Query(
        state=code,
        name=name,
        entity_id=entity_id,
        kind="ucc" if ucc else "business_entity",
        search_by="secured_party" if options["secured_party"] else "debtor",
    )


def _facts(portal: Portal, query: Query) -> dict[str, Any]:
    """What is known before anybody is asked."""
    place, terms = PLACES[query.state], portal.terms
    return {
        "question": {
            "state": f"{place.name} ({place.code})",
            "asked": query.entity_id or query.name,
            "kind": query.kind if query.kind == "business_entity" else f"ucc, by {query.search_by}",
        },
        "portal": {
            "registry": "the fictional sandbox registry" if portal.sandbox else place.registry,
            "reader": f"{type(portal).__module__}.{type(portal).__name__} {portal.version}, built {portal.built_at}",
            "source": ", ".join(portal.sources),
            "verification": "none needed" if portal.sandbox else _VERIFICATION[portal.verification],
            "terms": f"automated reading {terms.automated}; robots.txt: {terms.robots}. {terms.note}".strip(),
            "pace": f"{portal.pace.seconds:g} s between requests, {portal.pace.concurrency} lookups at once",
            "switch": _switch(portal, query.state),
        },
    }


def _switch(portal: Portal, state: str) -> str:
    if portal.sandbox:
        return "always on"
    try:
        row = selectors.get_jurisdiction(state)
    except (DatabaseError, Jurisdiction.DoesNotExist):
        return "not known: the database is not set up (manage.py migrate, manage.py sync_jurisdictions)"
    if row.enabled:
        return "on"
    return f"OFF for customers: {row.reason or portal.off_reason or 'no reason given'} (asked here all the same)"


def _code(seen: Conversation) -> int:
    """How the command ends."""
    error = seen.failure
    if error is None:
        return NOT_FOUND if isinstance(seen.answer, NotFound) else FOUND
    if not isinstance(error, PortalError):
        return DEFECT
    return NO_NETWORK if _no_network(error) else next(code for kind, code in _CODES if isinstance(error, kind))


def _no_network(error: PortalError) -> str:
    """How the wire failed before the portal could say anything; empty when it was not the wire."""
    cause = error.__cause__
    reason = getattr(cause.args[0], "reason", None) if cause is not None and cause.args else None
    if isinstance(reason, urllib3.exceptions.NameResolutionError):
        return "could not be resolved"
    if isinstance(reason, (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError)):
        return "could not be reached"
    return ""


def _sentence(seen: Conversation) -> str:
    error = seen.failure
    if not isinstance(error, PortalError):
        return "The reader itself failed: a defect to be mended in it. Nothing was learned about the company."
    code = _code(seen)
    if code == NO_NETWORK:
        asked = [stage.detail.split()[1] for stage in seen.trace.stages if stage.name == "request"]
        host = urlsplit(asked[-1].rstrip(":")).hostname if asked else "of the portal"
        return f"No network: the name {host} {_no_network(error)} from here. Nothing was learned about the company."
    unknown = "" if code == REFUSED else " Nothing was learned about the company."
    return f"{type(error).__name__} ({error.reason}): {_SENTENCES[code]}{unknown}"


def _detail(error: Exception) -> str:
    return error.detail if isinstance(error, PortalError) else f"{type(error).__name__}: {error}"


def _reason(choice: Choice) -> str:
    if choice.candidate is not None:
        best = next(entry for entry in choice.ranked if entry.candidate is choice.candidate)
        return f"Chosen: {choice.candidate.name}, because {_WHY.get(best.kind, best.kind)}."
    if choice.ambiguous:
        return "Nobody chosen: several fit equally well, and we do not guess."
    return f"Nobody chosen: no name reaches {settings.MATCH_THRESHOLD:g}."


def _answer(seen: Conversation, portal: Portal, query: Query) -> dict[str, Any]:
    assert seen.answer is not None
    answer = tell(seen.answer, portal, state=query.state)
    proof = seen.answer.evidence
    answer["evidence"] = {
        "source": proof.source_url,
        "retrieved at": proof.retrieved_at.isoformat(),
        "sha256": [hashlib.sha256(one.body).hexdigest() for one in seen.trace.exchanges],
    }
    if seen.answer.as_of:
        answer["evidence"]["data as of"] = seen.answer.as_of.isoformat()
    return answer


def _conclusion(seen: Conversation) -> str:
    answer = seen.answer
    if isinstance(answer, Found):
        match = answer.match
        return f"Found: {answer.record.entity_name} ({match.kind}, {match.score:.3f}): {_WHY.get(match.kind, '')}."
    if isinstance(answer, NotFound):
        if answer.ambiguous:
            return "Ambiguous: several companies fit equally well."
        return "Not found: the registry answered in full and has no such record."
    assert answer is not None
    return f"Found: {answer.total} filing{'s' if answer.total != 1 else ''}."


def _outcome(seen: Conversation, portal: Portal, query: Query) -> dict[str, Any]:
    """Everything after the question, for a program."""
    if seen.failure is None:
        outcome = _answer(seen, portal, query)
    elif isinstance(seen.failure, PortalError):
        outcome = tell_error(seen.failure) | {"said": _sentence(seen), "detail": _detail(seen.failure)}
    else:
        outcome = {"outcome": "defect", "said": _sentence(seen), "detail": _detail(seen.failure)}
    return {
        "stages": [asdict(stage) for stage in seen.trace.stages],
        "lists": [
            {
                "complete": results.complete,
                "rows": [
                    {"name": e.candidate.name, "id": e.candidate.entity_id, "status": e.candidate.status}
                    | {"score": round(e.score, 3), "kind": e.kind, "chosen": e.candidate is choice.candidate}
                    for e in choice.ranked
                ],
                "reason": _reason(choice),
            }
            for results, choice in seen.lists
        ],
        "exit": _code(seen),
        **filled(outcome),
    }
