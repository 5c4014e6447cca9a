"""The first line of a tool's answer: what kind of answer it is, so that none is taken for another.

What a verdict means is said in the words of `lookups.verdicts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookups.mcp.calls import Answer
from lookups.verdicts import Verdict, find_verdict

INVENTED = "Test mode: all of it is invented."
NEVER_READ = "no reading of this company is kept here, which says nothing of the registry. Look it up first."
ONCE = "Repeat it with the same idempotency_key: it is charged once at most."
FREE = "Nothing was charged."


def write(found: Answer) -> str:
    """The line; empty for what needs none, such as a list."""
    body = found.body if isinstance(found.body, dict) else {}
    line = _of_error(found, body) if found.is_error else _of_answer(found, body)
    return f"{line} {INVENTED}" if line and body.get("livemode") is False else line


def _of_error(found: Answer, body: Mapping[str, Any]) -> str:
    verdict = find_verdict(body.get("verdict"))
    error = str(body.get("error", "the request was refused"))
    if verdict is not None:
        line = " ".join([_say(verdict), *_list_details(body)])
    elif body.get("code") == "entity_not_found":  # of a history: nobody asked the registry
        line = f"NOT ANSWERED: {NEVER_READ}"
    else:
        line = " ".join([f"NOT ANSWERED: {error}.", *_list_details(body)])
    later = f" Try again in {found.retry_after} seconds." if found.retry_after else ""
    return f"{line} {ONCE if _may_have_charged(found, body) else FREE}{later}"


def _may_have_charged(found: Answer, body: Mapping[str, Any]) -> bool:
    """Whether a call before this one, or this one until it broke, may have come to an answer."""
    runs = body.get("code") == "idempotency_conflict" and body.get("retryable") is True
    return runs or (found.status == 500 and body.get("verdict") is None)


def _of_answer(found: Answer, body: Mapping[str, Any]) -> str:
    if found.status == 202:
        return "ACCEPTED: not answered yet. Ask get_result with the id below."
    if "completed" in body and "total" in body:
        return _count_rows(body)
    verdict = find_verdict(body.get("verdict"))
    if verdict is None:
        return "NOT ANSWERED YET: ask get_result again." if "verdict" in body else ""
    if verdict in (Verdict.NOT_FOUND, Verdict.AMBIGUOUS):
        return f"{_say(verdict)}{_say_near(verdict, body)} {FREE}"
    cost = body.get("cost")
    return _say(verdict) if cost is None else f"{_say(verdict)} Cost: {cost} USD."


def _count_rows(bulk: Mapping[str, Any]) -> str:
    """Of a bulk job, whose numbers count an ambiguous row among those that were not found."""
    return (
        f"{str(bulk.get('status')).upper()}: {bulk['completed']} of {bulk['total']} rows have ended: "
        f"{bulk['found']} found, {bulk['not_found']} not found or ambiguous (the row's `verdict` says which), "
        f"{bulk['failed']} that nobody could answer."
    )


def _say(verdict: Verdict) -> str:
    return f"{verdict.value.replace('_', ' ').upper()}: {verdict.facts.customer}"


def _say_near(verdict: Verdict, body: Mapping[str, Any]) -> str:
    """Names that look like the one asked for are no answer, and a person may have meant one of them."""
    told = body["result"] if isinstance(body.get("result"), dict) else body  # a job has the whole reply in it
    near = verdict is Verdict.NOT_FOUND and told.get("suggestions")
    return " Near names stand in `suggestions`; none was taken for it." if near else ""


def _list_details(body: Mapping[str, Any]) -> list[str]:
    details = body.get("details")
    found = details.values() if isinstance(details, dict) else ()
    return [str(text) for texts in found if isinstance(texts, list) for text in texts]
