"""What other registers call a company, each with its own source: nothing of it is the state registry's."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.entities import Evidence
from lookups.api.wire.identifiers.words import CikStatus, LeiStatus
from lookups.api.wire.shape import Day, Shape, about
from lookups.api.wire.words import Reason


class Lei(Shape):
    """A Legal Entity Identifier (GLEIF), by number and name."""

    status: Annotated[LeiStatus, about("Whether it has one.")]
    lei: Annotated[str | None, about("20 characters.")]
    legalName: Annotated[str | None, about("As GLEIF has it.")]
    entityStatus: Annotated[str | None, about("GLEIF's word for the company.")]
    registrationStatus: Annotated[str | None, about("Its word for the LEI.")]
    nextRenewal: Annotated[Day | None, about("Of the LEI.")]
    authority: Annotated[str | None, about("GLEIF's code of the registry.")]
    authorityConfirmed: Annotated[bool | None, about("False: inferred.")]
    reason: Annotated[Reason | None, about("Why it is unavailable.")]
    evidence: Annotated[Evidence | None, about("Of GLEIF.")]


class Cik(Shape):
    """A number of the SEC's that may be the company's, by name alone."""

    status: Annotated[CikStatus, about("Whether it has one.")]
    cik: Annotated[str | None, about("Ten digits.")]
    name: Annotated[str | None, about("As EDGAR has it.")]
    evidence: Annotated[Evidence | None, about("Of EDGAR's list.")]


class Identifiers(Shape):
    """What other registers call the company."""

    lei: Annotated[Lei, about("By number and name.")]
    cik: Annotated[Cik, about("Suggested at most.")]
