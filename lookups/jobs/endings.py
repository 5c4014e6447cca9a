"""Every way a job can end, in one enum: its status, its words for operators and for the rows of a bulk request.

Why a registry could not be asked is not repeated here: that is the reason beside it (`scrapers.failures`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from lookups.models import Job
from scrapers.failures import Failure, WordWithFacts

HERE = "ended or broken here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What follows from an ending.

    `status` is kept with the job, and `counted` what the queue's page counts it as. `operator` says why (empty: the
    reply does), `label` is what failed jobs are chosen by (empty: by nothing, or by the registry's failure), `row` the
    word of a bulk request's row. `reply` is what the customer gets of an ending that no outcome of a lookup is
    behind, and `reason` what the lookup's row says of it.
    """

    status: int
    counted: str
    operator: str = ""
    label: str = ""
    row: str = "failed"
    reply: dict[str, Any] = field(default_factory=dict)
    reason: str = ""


class Ending(WordWithFacts):
    """How a job ended, by the word that operators' filters use."""

    facts: Facts

    ANSWERED = "answered", Facts(status=200, counted="answered", operator="Answered.", row="found")
    NOT_FOUND = (
        "not_found",
        Facts(
            status=404,
            counted="not found",
            operator="The registry answered in full and has no such record. That is an answer, not a failure.",
            row="not_found",
        ),
    )
    UNAVAILABLE = "unavailable", Facts(status=503, counted="registry unavailable")
    REFUSED = (
        "refused",
        Facts(
            status=Failure.REFUSED.facts.http_status,
            counted="refused",
            operator=Failure.REFUSED.facts.operator,
            label=Failure.REFUSED.label,
        ),
    )
    OUT_OF_FUNDS = (
        "funds",
        Facts(
            status=402,
            counted="out of funds",
            operator="The money that was held had gone back meanwhile"
            " and the balance did not cover the price any more.",
            label="out of funds",
        ),
    )
    ENDED = (
        "ended",
        Facts(
            status=500,
            counted=HERE,
            operator="An operator ended it.",
            label="ended by an operator",
            reply={
                "success": False,
                "error": "Ended by the operator",
                "code": "internal_error",
                "cost": 0,
                "retryable": True,
            },
            reason="ended_by_operator",
        ),
    )
    BROKEN = (
        "broken",
        Facts(
            status=500,
            counted=HERE,
            operator="Something broke here, not at the registry: look for the job's or the request's id in the log.",
            label="broke down here",
            reply={"success": False, "error": "Internal error", "code": "internal_error", "cost": 0},
            reason="internal_error",
        ),
    )
    CANCELLED = (
        "cancelled",
        Facts(
            status=410,
            counted="cancelled",
            operator="The customer cancelled the bulk request before this question's turn.",
            label="cancelled",
            row="cancelled",
            reply={"success": False, "error": "Cancelled", "code": "cancelled", "cost": 0},
        ),
    )


BY_STATUS = {ending.facts.status: ending for ending in Ending if ending is not Ending.ENDED}
_BY_OPERATOR = Q(reply__error=Ending.ENDED.facts.reply["error"])


def find_ending(job: Job) -> Ending | None:
    """How this job ended; None while it has not."""
    if (job.reply or {}).get("error") == Ending.ENDED.facts.reply["error"]:
        return Ending.ENDED
    return BY_STATUS.get(job.reply_status or 0)


def to_condition(ending: Ending) -> Q:
    """What the jobs that ended so have in common."""
    same = Q(reply_status=ending.facts.status)
    if ending.facts.status != Ending.ENDED.facts.status:
        return same
    return same & (_BY_OPERATOR if ending is Ending.ENDED else ~_BY_OPERATOR)
