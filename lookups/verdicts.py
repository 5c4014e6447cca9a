"""What came of a question, in one enum with all that follows from it: every way of telling it reads here.

Why a registry could not be asked is not repeated here: that is the failure beside it (`scrapers.failures`).
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapers.failures import Failure, WordWithFacts

HERE = "ended or broken here"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictFacts:
    """What follows from a verdict.

    `customer` says what it means. `answered`: the registry answered, so its job is complete. `billed`: it is what
    customers pay for. `error` and `code` are the wire's (empty: it is no error). `row` is the word of a bulk request's
    row, `operator` what operators read (empty: the failure beside it says it), `counted` what the queue's page counts
    it as, `label` what failed jobs are chosen by (empty: by nothing, or by the failure).
    """

    customer: str
    http_status: int
    row: str
    counted: str
    answered: bool = False
    billed: bool = False
    error: str = ""
    code: str = ""
    operator: str = ""
    label: str = ""


class Verdict(WordWithFacts):
    """How a lookup ended, by its word on the wire; the last three are those of name checks."""

    facts: VerdictFacts

    FOUND = (
        "found",
        VerdictFacts(
            customer="The registry has it.",
            http_status=200,
            row="found",
            counted="answered",
            answered=True,
            billed=True,
            operator="Answered.",
        ),
    )
    NOT_FOUND = (
        "not_found",
        VerdictFacts(
            customer="The registry answered in full and has no such record.",
            http_status=404,
            row="not_found",
            counted="not found",
            answered=True,
            error="Entity not found",
            code="entity_not_found",
            operator="The registry answered in full and has no such record. That is an answer, not a failure.",
        ),
    )
    AMBIGUOUS = (
        "ambiguous",
        VerdictFacts(
            customer="Several records fit the name equally well, and we do not guess: ask again with the id of one.",
            http_status=404,
            row="not_found",
            counted="ambiguous",
            answered=True,
            error="Entity not found",
            code="ambiguous_name",
            operator="Several records fit the name equally well; the customer got them all to choose from.",
        ),
    )
    REFUSED = (
        "refused",
        VerdictFacts(
            customer="The question cannot be asked like this; `details` says what has to change.",
            http_status=400,
            row="failed",
            counted="refused",
            error="Invalid request body",
            code="invalid_request",
            operator=Failure.REFUSED.facts.operator,
            label=Failure.REFUSED.label,
        ),
    )
    UNAVAILABLE = (
        "unavailable",
        VerdictFacts(
            customer="The registry could not be asked, so nothing is known; `reason` says why.",
            http_status=503,
            row="failed",
            counted="registry unavailable",
            error="State portal temporarily unavailable",
            code="source_unavailable",
        ),
    )
    FAILED = (
        "failed",
        VerdictFacts(
            customer="The failure was ours and not the registry's, so nothing is known.",
            http_status=500,
            row="failed",
            counted=HERE,
            error="Internal error",
            code="internal_error",
            operator="Something broke here, not at the registry: look for the lookup's or the request's id in the log.",
            label="broke down here",
        ),
    )
    CANCELLED = (
        "cancelled",
        VerdictFacts(
            customer="It was cancelled before its turn: its bulk request, or all that its key or account still had"
            " waiting.",
            http_status=410,
            row="cancelled",
            counted="cancelled",
            error="Cancelled",
            code="cancelled",
            operator="Cancelled before its turn: the customer cancelled the bulk request, or its key was revoked or its"
            " account closed.",
            label="cancelled",
        ),
    )
    FREE = (
        "free",
        VerdictFacts(
            customer="Of a name check: nothing stands in the way of the name.",
            http_status=200,
            row="found",
            counted="answered",
            answered=True,
            billed=True,
            operator="Answered: free.",
        ),
    )
    TAKEN = (
        "taken",
        VerdictFacts(
            customer="Of a name check: the name is taken, or the registry refuses it.",
            http_status=200,
            row="found",
            counted="answered",
            answered=True,
            billed=True,
            operator="Answered: taken.",
        ),
    )
    CANNOT_SAY = (
        "cannot_say",
        VerdictFacts(
            customer="Of a name check: whether the name is free cannot be known; the `warning` says why.",
            http_status=200,
            row="found",
            counted="answered",
            answered=True,
            billed=True,
            operator="Answered: what the registry shows does not say whether the name is free.",
        ),
    )


BILLED = tuple(verdict.value for verdict in Verdict if verdict.facts.billed)
ANSWERED = tuple(verdict.value for verdict in Verdict if verdict.facts.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownFacts:
    """What follows from a reason of `failed`; the names are those of `VerdictFacts`."""

    http_status: int
    error: str
    code: str
    counted: str
    operator: str
    label: str
    retryable: bool = True


class Breakdown(WordWithFacts):
    """Why a question ended here and not at the registry: the reason beside the verdict `failed`."""

    facts: BreakdownFacts

    BROKEN = (
        "internal_error",
        BreakdownFacts(
            http_status=500,
            error=Verdict.FAILED.facts.error,
            code=Verdict.FAILED.facts.code,
            counted=HERE,
            operator=Verdict.FAILED.facts.operator,
            label=Verdict.FAILED.facts.label,
        ),
    )
    ENDED = (
        "ended_by_operator",
        BreakdownFacts(
            http_status=500,
            error="Ended by the operator",
            code="internal_error",
            counted=HERE,
            operator="An operator ended it.",
            label="ended by an operator",
        ),
    )
    OUT_OF_FUNDS = (
        "insufficient_balance",
        BreakdownFacts(
            http_status=402,
            error="Insufficient balance",
            code="insufficient_balance",
            counted="out of funds",
            operator="The money that was held had gone back meanwhile"
            " and the balance did not cover the price any more.",
            label="out of funds",
            retryable=False,
        ),
    )


_BY_WORD = {verdict.value: verdict for verdict in Verdict}
_BREAKDOWNS = {breakdown.value: breakdown for breakdown in Breakdown}


def find_verdict(word: str | None) -> Verdict | None:
    """The verdict of this word; None while there is none."""
    return _BY_WORD.get(word or "")


def find_breakdown(word: str) -> Breakdown:
    """Why it ended here; what another version wrote down counts as broken."""
    return _BREAKDOWNS.get(word, Breakdown.BROKEN)
