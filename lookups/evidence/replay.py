"""What a lookup said, beside what today's reader makes of the same bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lookups.history.changes import Change, list_changes, list_uncompared
from lookups.history.corrections import correct as write_correction
from lookups.lookup import storage
from lookups.lookup.questions import Question
from lookups.models import Lookup, RecordVersion
from lookups.names.check import verdict_fields
from lookups.privacy import suppression
from lookups.verdicts import Verdict
from scrapers.evidence import replay
from scrapers.evidence.replay import NotReplayed
from scrapers.gateway import NameReply, Reply
from scrapers.records import Found, FoundFilings, NotFound

Facts = dict[str, Any]
_OF_THE_MOMENT = ("evidence", "dataAsOf")  # of a name check: how it was read, and nothing of the name


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs, field by field, and the whole of what is read today."""

    reply: Reply | NameReply
    changes: list[Change]


def read_anew(lookup: Lookup) -> Facts | None:
    """What today's reader makes of the bytes that this lookup rests on; None where none can be read again.

    `verdict`, `data` and `normalized`, as `lookups.history.changes` compares them.
    """
    if lookup.reading is None:
        return None
    try:
        return _facts(lookup, _replay(lookup))
    except NotReplayed:
        return None


def compare(lookup: Lookup) -> Comparison:
    """What it said and what the same bytes say today: every spelling counts, and what only one of them shows.

    Raises NotReplayed.
    """
    reply = _replay(lookup)
    kept, anew = kept_facts(lookup), _facts(lookup, reply)
    verdicts = [Change("verdict", kept["verdict"], anew["verdict"])] if kept["verdict"] != anew["verdict"] else []
    shown = [
        Change(path, before, after)
        for path in list_uncompared(kept, anew)
        if (before := _at(kept, path)) != (after := _at(anew, path))
    ]
    return Comparison(reply, [*verdicts, *list_changes(kept, anew, noise=True), *shown])


def correct(lookup: Lookup, found: Comparison) -> RecordVersion | None:
    """Keep what was read anew as the company's next version; None where there is nothing to correct, or no right to.

    Only of the company that the lookup named: whether the bytes mean another one is for a person to say.
    """
    reply = found.reply
    if not isinstance(reply, Reply) or not isinstance(reply.answer, Found) or not found.changes:
        return None
    if lookup.version is None or reply.answer.record.entity_id != lookup.version.entity.entity_id:
        return None
    return write_correction(state=lookup.state, reply=reply, answer=reply.answer, sandbox=lookup.sandbox)


def kept_facts(lookup: Lookup) -> Facts:
    """What the lookup says of its registry, without what people asked to be left out."""
    if lookup.version is not None:
        data, normalized = suppression.withhold(lookup.version.data, lookup.version.normalized, state=lookup.state)
        return _as_facts(lookup.verdict, data, normalized)
    if lookup.filing_set is not None:
        filings, _ = suppression.withhold_parties(lookup.filing_set.filings, state=lookup.state)
        return _as_facts(lookup.verdict, {"filings": filings, "totalResults": lookup.total})
    if lookup.name_check is not None:
        return _as_facts(lookup.verdict, _of_name(lookup.name_check))
    return _as_facts(lookup.verdict, {"candidates": lookup.candidates})


def _replay(lookup: Lookup) -> Reply | NameReply:
    assert lookup.reading is not None, "nothing was kept of this lookup's conversation"
    return replay.read(lookup.reading)


def _facts(lookup: Lookup, reply: Reply | NameReply) -> Facts:
    if isinstance(reply, NameReply):
        check = verdict_fields(Question.from_json(lookup.question), reply, sandbox=lookup.sandbox)
        return _as_facts(check["verdict"], _of_name(check))
    answer = reply.answer
    if isinstance(answer, Found):
        return _as_facts(Verdict.FOUND.value, *storage.record_fields(lookup.state, reply, answer))
    if isinstance(answer, FoundFilings):
        today = answer.evidence.retrieved_at.date()
        read = [storage.filing_fields(filing, today=today) for filing in answer.filings]
        filings, _ = suppression.withhold_parties(read, state=lookup.state)
        return _as_facts(Verdict.FOUND.value, {"filings": filings, "totalResults": answer.total})
    assert isinstance(answer, NotFound)
    verdict = Verdict.AMBIGUOUS if answer.ambiguous else Verdict.NOT_FOUND
    return _as_facts(
        verdict.value, {"candidates": [storage.suggestion_fields(suggestion) for suggestion in answer.suggestions]}
    )


def _at(facts: Facts, path: str) -> Any:
    side, _, field = path.partition(".")
    return facts[side].get(field)


def _as_facts(verdict: str | None, data: Facts, normalized: Facts | None = None) -> Facts:
    return {"verdict": verdict, "data": data, "normalized": normalized or {}}


def _of_name(check: Facts) -> Facts:
    """A verdict on a name without what is only of its moment; which companies have pages here is that, too."""
    left = {name: value for name, value in check.items() if name not in _OF_THE_MOMENT}
    entities = [{**one, "entityPageUrl": None} for one in check["conflictingEntities"]]
    return {**left, "conflictingEntities": entities}
