"""Everything that is not an answer: one body for every error, and what some of them carry beside it."""

from __future__ import annotations

from typing import Annotated

from django.conf import settings
from msgspec import UNSET, UnsetType

from lookups.api.wire.entities import Evidence, Suggestion
from lookups.api.wire.shape import LIVEMODE, LOOKUP_ID, VERDICT, Shape, about
from lookups.api.wire.words import Code, OutcomeReason, Reason, Verdict


def doc_url(code: str) -> str:
    """Where a code is explained to people."""
    return f"{settings.PUBLIC_URL}/docs/errors/#{code}"


class Error(Shape):
    """Why there is no answer."""

    success: Annotated[bool, about("Always false.")]
    error: Annotated[str, about("For people.")]
    code: Annotated[Code, about("For programs.")]
    cost: Annotated[float, about("USD; always 0: errors are not charged.")]
    retryable: Annotated[bool, about("Whether the same request may succeed later; see Retry-After for when.")]
    requestId: Annotated[str, about("Names the request; quote it when you write to us.")]
    docUrl: Annotated[str, about("Where the code is explained.", format="uri")]
    lookupId: Annotated[str | UnsetType, LOOKUP_ID] = UNSET
    verdict: Annotated[Verdict | UnsetType, VERDICT] = UNSET
    livemode: Annotated[bool | UnsetType, LIVEMODE] = UNSET


class InvalidRequest(Error):
    """The request does not fit."""

    reason: Annotated[OutcomeReason | UnsetType, about("Why the registry does not take the question, as a word.")] = (
        UNSET
    )

    details: Annotated[dict[str, list[str]] | UnsetType, about("Each field that does not fit, with what is wrong.")] = (
        UNSET
    )


class EntityNotFound(Error, kw_only=True):
    """The registry answered in full, and there is not exactly one company that fits."""

    suggestions: Annotated[
        list[Suggestion], about("Near misses. Of an ambiguous name first all that fit equally well, at most 25.")
    ]
    ambiguous: Annotated[bool, about("Several companies fit equally well: ask again with the `entity_id` of one.")]
    note: Annotated[str | None, about("What one must know of this source.")]
    evidence: Annotated[Evidence | None, about("Where, when and what was read.")]


class SourceUnavailable(Error, kw_only=True):
    """The registry could not be asked."""

    reason: Annotated[Reason, about("Why it could not be asked.")]
    state: Annotated[str, about("The jurisdiction.")]
    note: Annotated[str | UnsetType, about("Another way to an answer, where there is one.")] = UNSET


class BulkProblem(Shape):
    """What is wrong with one row."""

    index: Annotated[int | None, about("Which row, from 0; null for the request as a whole.")]
    error: Annotated[str, about("What is wrong with it.")]
    line: Annotated[int | UnsetType, about("Of a table: its line, 1 for the header.")] = UNSET
    column: Annotated[str | UnsetType, about("Of a table: the header of the column that does not fit.")] = UNSET


class InvalidBulk(Error):
    """The request does not fit, or rows of it do not."""

    details: Annotated[
        list[BulkProblem] | dict[str, list[str]] | UnsetType, about("Each row that does not fit, or field to messages.")
    ] = UNSET


class PaymentRequired(Shape, kw_only=True):
    """Problem details (RFC 9457) of the Payment scheme: what to pay, or what was wrong with a payment.

    A challenge without a key has the five words of the scheme alone; everything else has those of an error as well.
    """

    success: Annotated[bool | UnsetType, about("Always false.")] = UNSET
    error: Annotated[str | UnsetType, about("For people.")] = UNSET
    code: Annotated[Code | UnsetType, about("For programs.")] = UNSET
    cost: Annotated[float | UnsetType, about("USD; always 0.")] = UNSET
    retryable: Annotated[bool | UnsetType, about("Whether the same request may succeed later.")] = UNSET
    requestId: Annotated[str | UnsetType, about("Names the request; quote it when you write to us.")] = UNSET
    docUrl: Annotated[str | UnsetType, about("Where the code is explained.", format="uri")] = UNSET
    livemode: Annotated[bool | UnsetType, LIVEMODE] = UNSET
    type: Annotated[str, about("A problem type of the Payment scheme, or of ours.", format="uri")]
    title: Annotated[str, about("The problem in short, for people.")]
    status: Annotated[int, about("The HTTP status.")]
    detail: Annotated[str, about("The problem in a sentence, for people.")]
    challengeId: Annotated[str | None, about("The first offer of `WWW-Authenticate`; null where there is none.")]
    balanceStored: Annotated[int | UnsetType, about("Available, in 1/10,000 USD.")] = UNSET
    pricePerLookup: Annotated[float | UnsetType, about("USD.")] = UNSET
    lookupsRemaining: Annotated[int | UnsetType, about("How many lookups can be paid for.")] = UNSET
    topUpUrl: Annotated[
        str | UnsetType | None, about("Where credit is bought; null where credit would not help.", format="uri")
    ] = UNSET
