"""The first line of a tool's answer: what kind of answer it is, so that none is taken for another.

What a verdict means is said in the words of `lookups.verdicts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookups.api.wire.words import MatchKind
from lookups.mcp.calls import Answer
from lookups.verdicts import Verdict, find_verdict

INVENTED = "Test mode: all of it is invented."
OF_COMPANIES = frozenset({"versions", "events", "manifest"})
"""In what has no verdict and tells of a company: its history, what changed, its evidence."""
NEVER_READ = "no reading of this company is kept here, which says nothing of the registry. Look it up first."
ONCE = "Repeat it with the same idempotency_key: it is charged once at most."
FREE = "Nothing was charged."
NO_KEY = (
    "no API key that works was sent. Whoever set this server up has to send one as x-api-key with every message "
    "(over standard input: in SOS_LOOKUP_KEY)."
)
MOST_ROWS_NAMED = 5


def write(found: Answer) -> str:
    """The line; empty for what needs none, such as a list of states."""
    body = found.body if isinstance(found.body, dict) else {}
    line = _of_error(found, body) if found.is_error else _of_answer(found, body)
    tells = line or not OF_COMPANIES.isdisjoint(body)
    return f"{line} {INVENTED}".lstrip() if tells and body.get("livemode") is False else line


def _of_error(found: Answer, body: Mapping[str, Any]) -> str:
    verdict = find_verdict(body.get("verdict"))
    error = str(body.get("error", "the request was refused"))
    if verdict is not None:
        line = " ".join([f"{_say(verdict, body)}{_say_note(body)}", *_list_details(body)])
    elif body.get("code") == "entity_not_found":  # of a history: nobody asked the registry
        line = f"NOT ANSWERED: {NEVER_READ}"
    elif found.status == 401 or (found.status == 402 and "error" not in body):  # an offer to pay without a key
        line = f"NOT ANSWERED: {NO_KEY}"
    else:
        line = " ".join([f"NOT ANSWERED: {error}.", *_list_details(body)])
    later = f" Try again in {found.retry_after} seconds." if found.retry_after else ""
    return f"{line} {ONCE if _may_have_charged(found, body) else FREE}{later}"


def _may_have_charged(found: Answer, body: Mapping[str, Any]) -> bool:
    """Whether a call before this one, or this one until it broke, may have come to an answer."""
    runs = body.get("code") == "idempotency_conflict" and body.get("retryable") is True
    return runs or (found.status >= 500 and body.get("verdict") is None)


def _of_answer(found: Answer, body: Mapping[str, Any]) -> str:
    if found.status == 202:
        return "ACCEPTED: not answered yet. Ask get_result with the id below."
    if "completed" in body and "total" in body:
        return _count_rows(body)
    if "versions" in body:
        return f"KEPT: what was read here before; no registry was asked.{_say_note(body)}{_say_cost(found, body)}"
    verdict = find_verdict(body.get("verdict"))
    if verdict is None:
        return "NOT ANSWERED YET: ask get_result again." if "verdict" in body else ""
    if verdict is Verdict.NOT_FOUND:
        return f"{_say(verdict, body)}{_say_note(body)}{_say_near(body)} {FREE}"
    return f"{_say(verdict, body)}{_say_name(body)}{_say_note(body)}{_say_cost(found, body)}"


def _say_cost(found: Answer, body: Mapping[str, Any]) -> str:
    if body.get("cost") is None:
        return ""
    before = ", charged when it was first answered; now nothing" if found.is_replayed else ""
    return f" Cost: {body['cost']} USD{before}."


def _count_rows(bulk: Mapping[str, Any]) -> str:
    """Of a bulk job, whose numbers count an ambiguous row among those that were not found."""
    others = bulk["completed"] - bulk["found"] - bulk["not_found"] - bulk["failed"]
    cancelled = f", {others} cancelled" if others else ""
    rest = bulk.get("next_cursor")
    more = f" More rows follow: ask get_result again with cursor {rest}." if rest else ""
    return (
        f"{str(bulk.get('status')).upper()}: {bulk['completed']} of {bulk['total']} rows have ended: "
        f"{bulk['found']} found, {bulk['not_found']} not found or ambiguous (the row's `verdict` says which), "
        f"{bulk['failed']} that nobody could answer{cancelled}.{more}"
    )


def _say(verdict: Verdict, body: Mapping[str, Any]) -> str:
    """What it means; of a loaded copy's answer that it is one, for what was entered since is in no copy."""
    word, reply = verdict.value.replace("_", " ").upper(), _find_reply(body)
    evidence = reply.get("evidence") or (reply.get("data") or {}).get("evidence") or {}
    if not evidence.get("fromRegister"):
        return f"{word}: {verdict.facts.customer}"
    dated = f" of {evidence['dataAsOf'][:10]}" if evidence.get("dataAsOf") else ""
    copy = f"a loaded copy{dated} of its register"
    if verdict is Verdict.NOT_FOUND:
        return f"{word}: No such record is in {copy}; the registry itself was not asked."
    return f"{word}: {verdict.facts.customer} This is from {copy}; the registry itself was not asked."


def _say_name(body: Mapping[str, Any]) -> str:
    """That the company has another name than the one that was sent, which an agent might pass on as its own."""
    match = ((_find_reply(body).get("data") or {}).get("normalized") or {}).get("match") or {}
    if match.get("kind") == MatchKind.NAME_MISMATCH:
        return " Its name is not the one that was sent with the id: make sure that the id is right."
    same = match.get("kind") in (None, MatchKind.EXACT, MatchKind.ENTITY_ID)
    return "" if same else " Its name is not quite the one that was asked for: `normalized.match` says how it differs."


def _say_note(body: Mapping[str, Any]) -> str:
    """Where was not looked: what is not found among active entities may have ended, and a list may have been cut."""
    note = _find_reply(body).get("note")
    return f" {note}" if isinstance(note, str) and note else ""


def _find_reply(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The whole reply, which a job has in it."""
    return body["result"] if isinstance(body.get("result"), dict) else body


def _say_near(body: Mapping[str, Any]) -> str:
    """Names that look like the one asked for are no answer, and a person may have meant one of them."""
    near = _find_reply(body).get("suggestions")
    return " Near names stand in `suggestions`; none was taken for it." if near else ""


def _list_details(body: Mapping[str, Any]) -> list[str]:
    details = body.get("details")
    if isinstance(details, list):  # of rows
        named = [f"Row {one['index']}: {one['error']}" if one["index"] is not None else one["error"] for one in details]
        return [*named[:MOST_ROWS_NAMED], *(["And others."] if len(named) > MOST_ROWS_NAMED else [])]
    found = details.items() if isinstance(details, dict) else ()
    return [f"{name}: {text}" for name, texts in found if isinstance(texts, list) for text in texts]
