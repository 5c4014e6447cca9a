"""Whether a lien still holds: the registry's word first, its lapse date where there is none."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lookups.lookup.storage import filing_fields
from scrapers.failures import PageChanged
from scrapers.normalize.liens import status_class
from scrapers.records import FoundFilings, UccAmendment, UccFiling
from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("status", "lapse", "meaning"),
    [
        ("Active", "2029-05-02", "active"),
        ("Lapsed", "2020-01-01", "lapsed"),
        ("Terminated", "2029-05-02", "terminated"),
        ("Active - Terminated", "2029-05-02", "terminated"),
        ("ACTIVE_UNLAPSED", None, "active"),
        ("Unlapsed", "2020-01-01", "active"),
        ("Filed", None, "active"),
        (None, "05/02/2029", "active"),
        (None, "05/02/2021", "lapsed"),
        ("", None, "unknown"),
        ("Not Active", "2021-01-01", "lapsed"),
        ("Not Active", "2029-05-02", "unknown"),
        ("Non-Active", "2029-05-02", "unknown"),
        ("No longer active", "2029-05-02", "unknown"),
        ("Inactive", "2029-05-02", "unknown"),
        ("Canceled", "2029-05-02", "unknown"),
        ("Partially Released", "2029-05-02", "unknown"),
        ("Partial Termination", "2021-01-01", "lapsed"),
        ("Something new", "2029-05-02", "unknown"),
        ("Something new", None, "unknown"),
    ],
)
def test_a_lien_is_what_its_registry_says(status: str | None, lapse: str | None, meaning: str) -> None:
    assert status_class(UccFiling("1", "2024-05-02", status=status, lapse_date=lapse), today=TODAY) == meaning


@pytest.mark.parametrize("day", ["9999-12-31T00:00:00.000", "00/00/0000", "01/01/0001"])
def test_a_lien_shows_no_day_that_stands_for_none(day: str) -> None:
    lien = UccFiling("1", day, status="Active", lapse_date=day, amendments=(UccAmendment("2", day, "UCC Amendment"),))
    told = filing_fields(lien, today=TODAY)
    assert (told["fileDate"], told["lapseDate"], told["amendments"][0]["fileDate"]) == (None, None, None)


@pytest.mark.parametrize(
    ("status", "meaning"), [("Active", "unknown"), ("Lapsed", "lapsed"), ("Released", "terminated"), (None, "unknown")]
)
def test_a_lien_is_not_called_active_where_a_termination_leaves_no_word(status: str | None, meaning: str) -> None:
    lien = UccFiling("1", "2024-05-02", status=status, lapse_date="2029-05-02", status_omits="termination")
    assert status_class(lien, today=TODAY) == meaning


@pytest.mark.parametrize(
    ("later", "meaning"),
    [("UCC Termination", "terminated"), ("Partial Termination", "unknown"), ("UCC Continuation", "unknown")],
)
def test_a_lien_ends_by_a_document_that_its_registrys_word_does_not_show(later: str, meaning: str) -> None:
    lien = UccFiling("1", "2024-05-02", status="Active", status_omits="termination", lapse_date="2029-05-02")
    lien = replace(lien, amendments=(UccAmendment("2", "2025-05-02", later),))
    assert status_class(lien, today=TODAY) == meaning


@pytest.mark.parametrize(
    ("later", "meaning"),
    [
        ("Release of State Tax Lien", "unknown"),
        ("Satisfaction of Judgment", "unknown"),
        ("Partial Release", "active"),
        ("UCC Continuation", "active"),
        ("UCC Termination", "unknown"),  # which the reader tells as "Terminated", where that ends a lien
    ],
)
def test_a_lien_is_not_called_active_by_its_day_where_a_later_document_may_have_ended_it(
    later: str, meaning: str
) -> None:
    lien = UccFiling("1", "2024-05-02", lapse_date="2029-05-02", amendments=(UccAmendment("2", "2025-05-02", later),))
    assert status_class(lien, today=TODAY) == meaning


@pytest.mark.parametrize(
    ("state", "name", "meanings"),
    [
        ("KY", "Limestone Lantern Distilling LLC", ["unknown", "lapsed"]),
        ("NJ", "Blue Heron Logistics LLC", ["unknown", "unknown", "lapsed"]),
        ("SC", "Blue Heron Logistics LLC", ["unknown", "unknown"]),
    ],
)
def test_a_lien_is_not_called_active_where_nothing_shows_its_end(state: str, name: str, meanings: list[str]) -> None:
    told = Conversation(state, *load_steps(FOLDER / state / "ucc-debtor")).ask(kind="ucc", name=name)
    assert isinstance(told, FoundFilings)
    assert [status_class(lien, today=TODAY) for lien in told.filings] == meanings


@pytest.mark.parametrize(
    ("state", "name", "whole", "part"),
    [
        ("CO", "Juniper Mesa Outfitters LLC", '"UCC termination"', '"UCC partial termination"'),
        ("RI", "Lantern Cove Marina LLC", "UCC-3 TERMINATION", "UCC-3 PARTIAL TERMINATION"),
    ],
)
def test_a_lien_that_is_terminated_in_part_goes_on(state: str, name: str, whole: str, part: str) -> None:
    changes = ((whole, part), ('"terminationflag": true', '"terminationflag": false'))
    steps = load_steps(FOLDER / state / "ucc-debtor")
    for old, new in changes:
        steps = [replace(step, body=step.body.replace(old.encode(), new.encode())) for step in steps]
    told = Conversation(state, *steps).ask(kind="ucc", name=name)
    assert isinstance(told, FoundFilings)
    assert part.strip('"') in [later.filing_type for lien in told.filings for later in lien.amendments]
    assert "terminated" not in [status_class(lien, today=TODAY) for lien in told.filings]


@pytest.mark.parametrize(("lapse", "meaning"), [("2026-11-20", "lapsed"), ("2026-11-21", "active")])
def test_a_lien_of_connecticut_is_lapsed_once_its_day_is_over(lapse: str, meaning: str) -> None:
    steps = load_steps(FOLDER / "CT" / "ucc-debtor")
    days = ((b"2027-08-30", lapse.encode()), (b"2029-05-02", lapse.encode()))
    for old, new in days:
        steps = [replace(step, body=step.body.replace(old, new)) for step in steps]
    told = Conversation("CT", *steps).ask(kind="ucc", name="Stone Wall Orchard")
    assert isinstance(told, FoundFilings)
    active = [lien for lien in told.filings if lien.status == "Active"]
    assert active
    assert {status_class(lien, today=TODAY) for lien in active} == {meaning}


def test_a_word_in_oregon_where_a_day_of_termination_stands_is_none() -> None:
    steps = load_steps(FOLDER / "OR" / "ucc-debtor")
    steps = [replace(one, body=one.body.replace(b"<td></td><td>02/01", b"<td>No</td><td>02/01")) for one in steps]
    with pytest.raises(PageChanged, match="'No'"):
        Conversation("OR", *steps).ask(kind="ucc", name="Madrone Creek Cider LLC")


@given(some.none() | some.text(max_size=40), some.none() | some.text(max_size=20))
def test_a_lien_never_fails_to_be_read(status: str | None, lapse: str | None) -> None:
    status_class(UccFiling("1", None, status=status, lapse_date=lapse), today=TODAY)
