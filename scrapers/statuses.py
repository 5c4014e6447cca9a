"""What registries' status words mean: one vocabulary for all states, into which the closed table of each state points.

A word that several states use means the same in all of them. A state lists the words that it uses; only where its word
is its own, or means something else there, does it name the fact. docs/statuses.md is written from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scrapers.normalize.hidden import visible
from scrapers.parsing.fields import listed
from scrapers.records import StatusClass


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """What a registry's own status word means; `reason` qualifies it ("not_in_good_standing")."""

    status_class: StatusClass
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that registries say of a company: its meaning, the words for it, and why it means that."""

    meaning: StatusMeaning
    why: str
    words: str = ""


def _fact(status_class: StatusClass, reason: str | None, why: str, words: str = "") -> Fact:
    return Fact(StatusMeaning(status_class, reason), why, words)


FACTS: Final[dict[str, Fact]] = {
    "active": _fact(
        "active",
        None,
        "On the register, and nothing is said against it.",
        "Active | Good Standing | In Good Standing | Goodstanding | Active / In Good Standing | Exists | "
        "In Existence | Active - In Good Standing | Active-Good Standing | Active and in Good Standing | "
        "Active/Compliance | Current-Active | Current - Active | Incorporated | Incorporated/Qualified | "
        "Incorporated/Qualified/Registered | Organized | Registered | Revived | Reinstated | "
        "Restored to Good Standing | Fictitious Active",
    ),
    "not_in_good_standing": _fact(
        "active",
        "not_in_good_standing",
        "It owes a report, a fee or an agent, and exists until the state ends it in a step of its own, which has a "
        "word of its own: in Nevada a company in default loses its charter only at the first anniversary (NRS "
        "78.170, 78.175); Virginia tells 01 Fee Delinquent from 10 Terminated (automatically, no report or fees); "
        "Wisconsin goes from Delinquent by a notice to Administratively Dissolved.",
        "Delinquent | Fee Delinquent | Default | Noncompliant | Non-Compliant | Non Compliant | Past Due | "
        "Not Current | Active - Non Compliant | Active/Noncompliance | Active/Owes Current Year AR | "
        "Active/Failure to Pay Fee | Not in Good Standing | Not Good Standing | Not Good | "
        "Active - Not in Good Standing | Active / Not Good Standing | In Bad Standing | Bad | B - Bad | NGS | "
        "This business is not in good standing | Annual report past due | First report past due | "
        "Registered Agent Resigned | Agent Vacated | Unacceptable Payment | Notice of Administrative Dissolution | "
        "Pending Admin Dissolution | Intent to Dissolve: AR | Intent to Dissolve: Tax | "
        "Revocation Notice",
    ),
    "dissolving": _fact(
        "active",
        "dissolving",
        "It has said that it will end, and winds up; until then it exists (Illinois counts 02 Intent to dissolve of "
        "a corporation as good standing, data element 41006).",
        "Dissolving | Pending Dissolution | Intent to Dissolve",
    ),
    "inactive": _fact(
        "inactive",
        None,
        "It has ended; the registry does not say how.",
        "Inactive | Dead | Historical | Record Deleted | Fraudulent | Non-Qualified | Renunciated | Discontinued",
    ),
    "suspended": _fact(
        "inactive",
        "suspended",
        "It has lost its powers until it is revived.",
        "Suspended | Administratively Suspended | OTC Suspension",
    ),
    "forfeited": _fact(
        "inactive",
        "forfeited",
        "The state has taken its charter, or its right to do business, for a duty not met (Texas: words of the "
        "Comptroller's layout of the franchise tax files).",
        "Forfeited | Forfeited Existence | Forfeited Rights | Tax Forfeiture | Franchise Tax Involuntarily Ended",
    ),
    "revoked": _fact(
        "inactive",
        "revoked",
        "The state has revoked its charter or authority.",
        "Revoked | Revoked Final | Permanently Revoked | Certificate Revoked | Certificate of Authority Revoked | "
        "Revoked Entity | Revoked (Administrative) | Revoked (No Agent) | Revoked (Tax)",
    ),
    "involuntarily_dissolved": _fact(
        "inactive",
        "involuntarily_dissolved",
        "The state or a court has ended it.",
        "Administratively Dissolved | Admin Dissolved | Admin. Dissolved | Admin Dissolution | Auto Dissolve | "
        "Involuntarily Dissolved | Involuntary Dissolution | Involuntary | Judicially Dissolved | "
        "Statutorily Dissolved | Administratively Terminated | Administratively Dissolved/Suspended | "
        "Terminated by Court Order | Dissolved (Administrative) | Dissolved (No Agent) | "
        "Terminated (Administrative) | Administratively Dissolved (Tax) | Administratively Dissolved (No Agent) | "
        "Administratively Dissolved (Other)",
    ),
    "dissolved": _fact(
        "inactive",
        "dissolved",
        "It has ended itself, or the registry does not say who ended it.",
        "Dissolved | Voluntarily Dissolved | Voluntary Dissolution | Voluntary Dissolution/Terminated | Voluntary | "
        "Dissolved, Name Protected",
    ),
    "terminated": _fact(
        "inactive",
        "terminated",
        "It has ended, in the state's word for it.",
        "Terminated",
    ),
    "canceled": _fact(
        "inactive",
        "canceled",
        "Its certificate or registration is canceled, the way LLCs and partnerships end in many states.",
        "Cancelled | Canceled | Cancelled (Administrative) | Certificate of Cancellation",
    ),
    "withdrawn": _fact(
        "inactive",
        "withdrawn",
        "A foreign company has given up its authority here; it may live on at home.",
        "Withdrawn | Withdrawal | Voluntary Withdrawal | Surrender | Surrendered | Relinquished | "
        "Colorado Authority Relinquished | Colorado Authority Terminated",
    ),
    "expired": _fact(
        "inactive",
        "expired",
        "Its term is over, or it was not renewed.",
        "Expired | Term Expired | Dissolved (Term Expired) | Fictitious Expired | Expired Reservation | "
        "Expired Foreign Registered Name | "
        "Registered Name Expiration | Registered Name Cancellation | "
        "Terminated Foreign Registered Name",
    ),
    "merged": _fact(
        "inactive",
        "merged",
        "It has become a part of another one; the survivor goes on under its own number.",
        "Merged | Merged Out | Merge Dissolved | Withdrawn/Merged | Consolidated | Merged/Consolidated | "
        "Merged -- Non-Survivor | Merged - Non-Survivor | Consolidated -- Non-Survivor | Consolidated - Non-Survivor",
    ),
    "converted": _fact(
        "inactive",
        "converted",
        "It goes on in another legal form, as another entity.",
        "Converted | Converted Out",
    ),
    "domesticated": _fact(
        "inactive",
        "domesticated",
        "It has moved its home to another state.",
        "Domesticated | Domesticated Out | Redomesticated",
    ),
    "void": _fact(
        "inactive",
        "void",
        "Its registration never counted, or counts no more.",
        "Void | Rescinded",
    ),
    "rejected": _fact(
        "inactive",
        "rejected",
        "The filing that should have made it was refused.",
        "Rejected | Disapproved Filing",
    ),
    "pending": _fact(
        "neutral",
        "pending",
        "A filing is not decided, or not yet in force.",
        "Pending | Status pending | Active Pending | In Process | In Process, Not Yet Filed | Flawed/Deficient | "
        "Filed, Delayed Effective | Pending Inactive | Pending Cancellation",
    ),
    "name_only": _fact(
        "neutral",
        "name_only",
        "The row is a name that is reserved, registered, former or a reference to another row: no company.",
        "Reserved | Reserved Name | Name Reserved | Name Reservation | Registered Name | Active Name | "
        "Active Name/Reserved | Previous Name | Former | NAME HS | CROSS RF | Cross Reference | Fictitious | "
        "Name Reserved, Not Yet Filed | Name Reserved, Short-Term | Name Reserved, Long-Term | "
        "Name Registered, Long-Term",
    ),
    "neutral": _fact(
        "neutral",
        None,
        "The registry's word does not say whether the company exists.",
        "Hold | Legacy | Undefined | Multiple | Other | Not Registered | Not Established | LLP Status Only | "
        "Franchise Tax Not Established | Effectiveness Prevented | Non-Qualifying/Non-Filing | Bankruptcy | "
        "Special Act Corporation | Ag-Coop | Name Consent Required | Name Conflict",
    ),
}


def folded(word: str) -> str:
    """The word as it is compared."""
    return " ".join(visible(word).split()).casefold()


_SHARED: Final[dict[str, StatusMeaning]] = {
    folded(word): fact.meaning for fact in FACTS.values() for word in listed(fact.words)
}


def find_meaning(word: str) -> StatusMeaning | None:
    """What a word means in every state that uses it; "Inactive - Merged" means what "Merged" does. None if unknown."""
    shown = folded(word)
    before, dash, after = shown.partition("-")
    if shown not in _SHARED and dash and before.strip() == "inactive":
        found = _SHARED.get(after.strip())
        return found if found is not None and found.status_class == "inactive" else None
    return _SHARED.get(shown)


def meanings(words: str = "", **own: str) -> dict[str, StatusMeaning]:
    """Build a state's table of words listed as "Good Standing | Active", which are compared without case and spacing.

    `words` mean what they mean everywhere; `own` are those of this state alone, by fact: `suspended="Forfeited - FTB"`.
    """
    table: dict[str, StatusMeaning] = {}
    for word in listed(words):
        found = find_meaning(word)
        if found is None:
            raise ValueError(f"{word!r} is in no fact of the vocabulary")
        table[folded(word)] = found
    return table | {folded(word): FACTS[fact].meaning for fact, listing in own.items() for word in listed(listing)}


def prefixes(words: str = "", **own: str) -> tuple[tuple[str, StatusMeaning], ...]:
    """The same for words that stand before a state's further ones: "Inactive" decides what "Inactive - X" means."""
    return tuple(meanings(words, **own).items())
