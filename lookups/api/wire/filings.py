"""Liens: UCC financing statements and what followed them."""

from __future__ import annotations

from typing import Annotated

from lookups.api.wire.entities import Evidence
from lookups.api.wire.shape import Shape, about
from lookups.api.wire.words import LienStatus, PartyKind


class Party(Shape):
    """A debtor or secured party."""

    name: Annotated[str, about("As the registry writes it.")]
    kind: Annotated[PartyKind | None, about("Whether it is a person; null where the registry does not say.")]
    address: Annotated[str | None, about("Street.")]
    city: Annotated[str | None, about("City.")]
    state: Annotated[str | None, about("State.")]
    zip: Annotated[str | None, about("ZIP code.")]


class Amendment(Shape):
    """A later document on the same lien."""

    fileNumber: Annotated[str, about("Its own number.")]
    fileDate: Annotated[str | None, about("ISO date.")]
    filingType: Annotated[str, about("The registry's word.")]


class UccFiling(Shape):
    """One financing statement with everything that followed it."""

    fileNumber: Annotated[str, about("The registry's number.")]
    fileDate: Annotated[str | None, about("ISO date; as the registry writes it where that cannot be read.")]
    debtorName: Annotated[str | None, about("All debtors, separated by semicolons.")]
    securedParty: Annotated[str | None, about("All secured parties, separated by semicolons.")]
    collateral: Annotated[str | None, about("What secures the debt, where the registry shows it.")]
    status: Annotated[str | None, about("The registry's own word.")]
    lapseDate: Annotated[str | None, about("ISO date; as the registry writes it where that cannot be read.")]
    statusClass: Annotated[
        LienStatus, about("What the registry's word means, or what the lapse date says where it has none.")
    ]
    filingType: Annotated[str | None, about("The registry's word.")]
    debtors: Annotated[list[Party], about("Who owes.")]
    securedParties: Annotated[list[Party], about("Who is owed.")]
    amendments: Annotated[list[Amendment], about("Continuations, terminations and the like.")]
    sosUrl: Annotated[str | None, about("Its page at the registry.")]


class UccData(Shape):
    """The filings of a party."""

    filings: Annotated[list[UccFiling], about("Newest first.")]
    totalResults: Annotated[int, about("How many there are.")]
    evidence: Annotated[Evidence, about("Where, when and what was read.")]
