"""What counts as a change between two readings of a company, and what only looks like one."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from lookups.history.changes import Change, list_changes, list_uncompared
from lookups.lookup.storage import entity_fields
from scrapers.records import Address, EntityRecord, Officer

Reading = dict[str, dict[str, Any]]
GOLDEN = sorted((settings.BASE_DIR / "tests" / "golden").glob("*/*/expected.json"))


def company() -> Reading:
    """A company as a registry shows it, in the names of the wire."""
    return {
        "data": {
            "entityName": "HARBOR LIGHT BAKERY, INC.",
            "entityType": "Domestic Business Corporation",
            "entityId": "4471203",
            "status": "Active",
            "formationDate": "01/03/2011",
            "registeredAgentName": "DOE, JORDAN",
            "registeredAgentAddress": "80 STATE STREET, SUITE 5",
            "registeredAgentCity": "ALBANY",
            "registeredAgentState": "NY",
            "registeredAgentZip": "12207",
            "principalAddress": None,
            "principalCity": None,
            "principalState": None,
            "principalZip": None,
            "mailingAddress": None,
            "mailingCity": None,
            "mailingState": None,
            "mailingZip": None,
            "officers": [
                {"name": "JORDAN DOE", "title": "CEO", "address": "80 State Street, Albany, NY 12207"},
                {"name": "CASEY ROE", "title": "Secretary", "address": None},
            ],
            "jurisdiction": "New York",
            "feiEinNumber": "12-3456789",
            "sosUrl": "https://registry.example/4471203?session=1",
        },
        "normalized": {
            "statusClass": "active",
            "statusReason": None,
            "standing": None,
            "formationDate": "2011-01-03",
            "entityTypeClass": "corporation",
            "domestic": True,
            "officers": [
                {"givenName": "Jordan", "familyName": "Doe", "kind": "person"},
                {"givenName": "Casey", "familyName": "Roe", "kind": "person"},
            ],
            "registeredAgent": {"kind": "person", "commercial": False, "zip": "12207"},
            "serviceOfProcess": None,
            "formerNames": ["HARBOR BAKERY INC."],
            "assumedNames": [],
            "identifiers": {"taxId": "9-88"},
            "filings": [{"date": "2024-02-01", "title": "Annual Report"}],
            "fieldAvailability": {
                "status": "provided",
                "registeredAgentName": "provided",
                "registeredAgentAddress": "provided",
                "registeredAgentCity": "provided",
                "registeredAgentState": "provided",
                "registeredAgentZip": "provided",
                "officers": "provided",
                "feiEinNumber": "provided",
                "jurisdiction": "provided",
            },
        },
    }


def later(**changed: Any) -> Reading:
    """The same company with other values: `status="Dissolved"` in `data`, `normalized__statusClass="inactive"`."""
    reading = copy.deepcopy(company())
    for name, value in changed.items():
        side, _, field = name.rpartition("__")
        reading[side or "data"][field] = value
    return reading


class TestAChange:
    """What a registry says otherwise than before."""

    def test_of_status_is_there_in_the_states_words_and_in_ours(self) -> None:
        gone = later(status="Dissolved", normalized__statusClass="inactive", normalized__statusReason="dissolved")
        assert list_changes(company(), gone) == [
            Change("data.status", "Active", "Dissolved"),
            Change("normalized.statusClass", "active", "inactive"),
            Change("normalized.statusReason", None, "dissolved"),
        ]

    def test_of_name_is_there_with_the_former_one(self) -> None:
        renamed = later(
            entityName="LIGHTHOUSE BREAD, INC.",
            normalized__formerNames=["Harbor Bakery, Inc.", "HARBOR LIGHT BAKERY, INC."],
        )
        assert list_changes(company(), renamed) == [
            Change("data.entityName", "HARBOR LIGHT BAKERY, INC.", "LIGHTHOUSE BREAD, INC."),
            Change("normalized.formerNames[HARBOR LIGHT BAKERY, INC.]", None, "HARBOR LIGHT BAKERY, INC."),
        ]

    def test_of_a_sign_in_the_name_is_one(self) -> None:
        assert list_changes(later(entityName="C# Labs LLC"), later(entityName="C Labs LLC")) != []

    def test_of_officers_names_who_came_who_went_and_who_is_something_else(self) -> None:
        officers = [
            {"name": "DOE, JORDAN", "title": "Chair", "address": "80 State St., Albany NY 12207"},
            {"name": "ALEX POE", "title": "Secretary", "address": None},
        ]
        assert list_changes(company(), later(officers=officers)) == [
            Change("data.officers[DOE, JORDAN].title", "CEO", "Chair"),
            Change("data.officers[CASEY ROE]", {"name": "CASEY ROE", "title": "Secretary", "address": None}, None),
            Change("data.officers[ALEX POE]", None, officers[1]),
        ]

    def test_of_one_office_of_somebody_with_two_leaves_the_other_alone(self) -> None:
        def offices(*titles: str) -> Reading:
            return later(officers=[{"name": "JORDAN DOE", "title": title, "address": None} for title in titles])

        assert list_changes(offices("CEO", "CFO"), offices("President", "CEO")) == [
            Change("data.officers[JORDAN DOE].title", "CFO", "President")
        ]

    def test_of_offices_is_none_where_they_only_stand_in_another_order_and_spelling(self) -> None:
        def offices(name: str, *titles: str) -> Reading:
            return later(officers=[{"name": name, "title": title, "address": None} for title in titles])

        assert list_changes(offices("JORDAN DOE", "CEO", "CFO"), offices("Doe, Jordan", "CFO", "CEO")) == []

    def test_of_a_list_is_by_its_things_where_there_was_no_list(self) -> None:
        silent = later(normalized__assumedNames=None)
        assert list_changes(silent, later(normalized__assumedNames=[])) == []
        named = later(normalized__assumedNames=["BREAD & SALT"])
        assert list_changes(silent, named) == [Change("normalized.assumedNames[BREAD & SALT]", None, "BREAD & SALT")]

    @pytest.mark.parametrize(
        ("field", "before", "after"),
        [
            ("entityName", "$5 Bakery LLC", "5 Bakery LLC"),
            ("entityName", "Bread @ Home LLC", "Bread Home LLC"),
            ("entityName", "Studio 5 4 LLC", "Studio 54 LLC"),
            ("entityName", "!!!", "???"),
            ("registeredAgentZip", "K1A 0B1", "M5V 2T6"),
            ("registeredAgentZip", "12207", "12208"),
            ("formationDate", "Before 1900", "Before 1950"),
        ],
    )
    def test_of_what_no_form_reads_is_one(self, field: str, before: str, after: str) -> None:
        found = list_changes(later(**{field: before}), later(**{field: after}))
        assert found == [Change(f"data.{field}", before, after)]

    def test_of_agent_is_no_reordered_company(self) -> None:
        """Two agents whose names have the same words are two."""
        older, newer = "Corporation Trust Company", "Trust Company Corporation"
        found = list_changes(later(registeredAgentName=older), later(registeredAgentName=newer))
        assert found == [Change("data.registeredAgentName", older, newer)]

    def test_of_address_says_which_part(self) -> None:
        moved = later(registeredAgentAddress="9 Pine St", registeredAgentCity="TROY", registeredAgentZip="12180")
        assert [change.path for change in list_changes(company(), moved)] == [
            "data.registeredAgentAddress",
            "data.registeredAgentCity",
            "data.registeredAgentZip",
        ]

    def test_of_the_street_is_none_of_the_parts_that_are_spelled_otherwise(self) -> None:
        state, zip_code = {"registeredAgentState": "New York"}, {"registeredAgentZip": "12207-1234"}
        moved = later(registeredAgentAddress="9 Pine St", registeredAgentCity="Albany", **state, **zip_code)
        assert [change.path for change in list_changes(company(), moved)] == ["data.registeredAgentAddress"]

    def test_of_the_room_is_a_change_of_address(self) -> None:
        moved = later(registeredAgentAddress="80 STATE STREET, SUITE 6")
        assert [change.path for change in list_changes(company(), moved)] == ["data.registeredAgentAddress"]

    def test_of_filings_is_each_new_one_even_two_of_a_day(self) -> None:
        report = {"date": "2026-02-01", "title": "Annual Report"}
        filings = [report, report, *company()["normalized"]["filings"]]
        assert (
            list_changes(company(), later(normalized__filings=filings))
            == [Change("normalized.filings[2026-02-01 Annual Report]", None, report)] * 2
        )

    @pytest.mark.parametrize(
        ("field", "other", "labels"),
        [
            (
                "filings",
                {"date": "2025-02-01", "title": "Annual Report"},
                ["2024-02-01 Annual Report", "2025-02-01 Annual Report"],
            ),
            (
                "filings",
                {"date": "2024-02-01", "title": "Amendment"},
                ["2024-02-01 Annual Report", "2024-02-01 Amendment"],
            ),
            ("formerNames", "DAWN BAKERY INC.", ["HARBOR BAKERY INC.", "DAWN BAKERY INC."]),
        ],
    )
    def test_of_another_document_or_name_in_the_place_of_one_is_two(
        self, field: str, other: Any, labels: list[str]
    ) -> None:
        """One went and one came: a list of the last ones only has no room for the older."""
        [known] = company()["normalized"][field]
        assert list_changes(company(), later(**{f"normalized__{field}": [other]})) == [
            Change(f"normalized.{field}[{labels[0]}]", known, None),
            Change(f"normalized.{field}[{labels[1]}]", None, other),
        ]

    def test_of_an_officer_in_our_words_is_by_the_whole_name(self) -> None:
        jordan, casey = company()["normalized"]["officers"]
        riley = {"givenName": "Riley", "familyName": "Roe", "kind": "person"}
        assert list_changes(company(), later(normalized__officers=[jordan, riley])) == [
            Change("normalized.officers[Casey Roe]", casey, None),
            Change("normalized.officers[Riley Roe]", None, riley),
        ]

    def test_of_further_numbers_is_one_by_kind(self) -> None:
        more = later(normalized__identifiers={"taxId": "988", "duns": "77"})
        assert list_changes(company(), more) == [Change("normalized.identifiers.duns", None, "77")]
        assert list_changes(more, company()) == [Change("normalized.identifiers.duns", "77", None)]

    def test_to_a_blank_field_that_the_registry_shows_is_one(self) -> None:
        """ "Shown, and empty" is what the registry says."""
        reading = later(registeredAgentName=None, normalized__registeredAgent=None)
        reading["normalized"]["fieldAvailability"]["registeredAgentName"] = "empty"
        assert [change.path for change in list_changes(company(), reading)] == [
            "data.registeredAgentName",
            "normalized.registeredAgent",
        ]

    def test_of_a_lien_is_found_by_its_number(self) -> None:
        def liens(*rows: dict[str, Any]) -> Reading:
            return {"data": {"filings": list(rows)}, "normalized": {}}

        party = {"name": "DOE, JORDAN", "kind": "person", "address": "1 Main Street", "city": "Troy", "state": "NY"}
        whole = party | {"address": "1 MAIN ST, TROY, NY", "city": None, "state": None}
        one = {"fileNumber": "2024-001", "status": "Active", "debtorName": "DOE, JORDAN; ROE INC", "debtors": [party]}
        two = {"fileNumber": "2024-002", "status": "Active", "debtorName": "ROE INC", "debtors": []}
        ended = one | {"status": "Terminated", "debtorName": "Roe, Inc.; Jordan Doe", "debtors": [whole]}
        assert list_changes(liens(one), liens(two, ended)) == [
            Change("data.filings[2024-001].status", "Active", "Terminated"),
            Change("data.filings[2024-002]", None, two),
        ]

    def test_of_a_lien_is_none_where_it_is_only_written_otherwise(self) -> None:
        older, newer = (
            {"data": {"filings": [row]}, "normalized": {}}
            for row in (
                {"fileNumber": "2024-001", "fileDate": "01/02/2024", "lapseDate": "01/02/2029"}
                | {"securedParty": "EXAMPLE BANK; ROE INC", "amendments": [{"date": "03/04/2025", "title": "UCC-3"}]}
                | {"debtors": [{"name": "DOE, JORDAN", "city": "Troy", "state": "NY"}]},
                {"fileNumber": "2024001", "fileDate": "2024-01-02", "lapseDate": "January 2, 2029"}
                | {"securedParty": "Roe, Inc.; Example Bank", "amendments": [{"date": "2025-03-04", "title": "UCC-3"}]}
                | {"debtors": [{"name": "JORDAN DOE", "city": "TROY", "state": "New York"}]},
            )
        )
        assert list_changes(older, newer) == []


# what only looks different: the field, and how a page writes it another day
SPELLINGS: list[tuple[str, Any]] = [
    ("entityName", "Harbor Light Bakery Inc"),
    ("entityName", "HARBOR  LIGHT BAKERY,INC"),
    ("entityType", "DOMESTIC BUSINESS CORPORATION"),
    ("status", "ACTIVE "),
    ("formationDate", "2011-01-03"),
    ("formationDate", "January 3, 2011"),
    ("registeredAgentName", "Jordan Doe"),
    ("registeredAgentAddress", "80 State St # 5"),
    ("registeredAgentState", "New York"),
    ("registeredAgentZip", "12207-1234"),
    ("jurisdiction", "NY"),
    ("feiEinNumber", "123456789"),
    ("principalAddress", ""),
    ("sosUrl", "https://registry.example/4471203?session=2"),
    ("normalized__formerNames", ["Harbor Bakery, Inc"]),
    ("normalized__identifiers", {"taxId": "988"}),
    ("normalized__registeredAgent", {"kind": "person", "commercial": False, "zip": "12207-1234"}),
]


class TestNoise:
    """Another spelling of the same."""

    @pytest.mark.parametrize(("field", "value"), SPELLINGS)
    def test_is_no_change(self, field: str, value: Any) -> None:
        assert list_changes(company(), later(**{field: value})) == []

    @pytest.mark.parametrize(("field", "value"), SPELLINGS)
    def test_is_there_for_who_asks_for_it(self, field: str, value: Any) -> None:
        assert list_changes(company(), later(**{field: value}), noise=True) != []

    def test_has_the_order_of_officers_in_it(self) -> None:
        turned = later(
            officers=company()["data"]["officers"][::-1],
            normalized__officers=company()["normalized"]["officers"][::-1],
        )
        assert list_changes(company(), turned) == []
        assert [change.path for change in list_changes(company(), turned, noise=True)] == [
            "data.officers",
            "normalized.officers",
        ]

    def test_has_no_order_in_it_where_somebody_came_or_went(self) -> None:
        jordan, casey = company()["data"]["officers"]
        riley = {"name": "RILEY ROE", "title": "Treasurer", "address": None}
        for officers in ([riley, jordan, casey], [jordan, casey, riley]):
            assert list_changes(company(), later(officers=officers), noise=True) == [
                Change("data.officers[RILEY ROE]", None, riley)
            ]

    def test_has_an_address_in_it_that_is_divided_otherwise(self) -> None:
        whole = later(
            registeredAgentAddress="80 State St, Ste 5, Albany, New York 12207",
            registeredAgentCity=None,
            registeredAgentState=None,
            registeredAgentZip=None,
        )
        for part in ("City", "State", "Zip"):
            whole["normalized"]["fieldAvailability"][f"registeredAgent{part}"] = "parse_failed"
        whole["normalized"]["registeredAgent"]["zip"] = "12207"
        assert list_changes(company(), whole) == []
        assert list_changes(whole, company()) == []

    @pytest.mark.parametrize(
        ("field", "before", "after"),
        [
            ("entityName", "A.B.C. BAKERY", "A B C Bakery"),
            ("entityName", "A B C BAKERY", "ABC Bakery"),
            ("registeredAgentAddress", "80 State St, Albany, NY 12207", "80 STATE STREET ALBANY NY 12207 USA"),
            ("registeredAgentAddress", "P.O. Box 9", "POST OFFICE BOX 9"),
            ("registeredAgentAddress", "One State Street", "1 STATE ST"),
            ("registeredAgentAddress", "12 North Fort Turnpike Plaza", "12 N FT TPKE PLZ"),
            ("normalized__standing", None, " "),
            ("officers", "President & CEO", "CEO, President"),
            ("officers", "President and CEO", "CEO/President"),
            ("officers", "CEO; President", "President and CEO"),
            ("officers", "President", "PRESIDENT,"),
        ],
    )
    def test_has_initials_titles_and_countries_in_it(self, field: str, before: str, after: str) -> None:
        older, newer = (
            later(**{field: [{"name": "JORDAN DOE", "title": one, "address": None}] if field == "officers" else one})
            for one in (before, after)
        )
        assert list_changes(older, newer) == []


class TestWhatIsNotShown:
    """A field that one reading does not show has neither stayed nor changed."""

    @pytest.mark.parametrize("why", ["not_published", "paywalled", "withheld", "parse_failed"])
    def test_is_compared_with_nothing_and_named(self, why: str) -> None:
        silent = later(officers=[], normalized__officers=[])
        silent["normalized"]["fieldAvailability"]["officers"] = why
        assert list_changes(company(), silent) == [Change("normalized.fieldAvailability.officers", "provided", why)]
        assert list_uncompared(company(), silent) == {"data.officers": why}
        assert list_uncompared(silent, company()) == {"data.officers": why}

    @pytest.mark.parametrize(
        ("field", "read_from_it"),
        [
            ("status", {"statusClass": "neutral", "statusReason": "status_not_published"}),
            ("formationDate", {"formationDate": None}),
            ("entityType", {"entityTypeClass": None}),
            ("jurisdiction", {"domestic": None}),
            ("registeredAgentName", {"registeredAgent": None}),
        ],
    )
    def test_takes_what_is_read_from_it_with_it(self, field: str, read_from_it: dict[str, Any]) -> None:
        silent = later(**{field: None})
        silent["normalized"] |= read_from_it
        silent["normalized"]["fieldAvailability"][field] = "parse_failed"
        for pair in ((company(), silent), (silent, company())):
            paths = [change.path for change in list_changes(*pair)]
            assert paths in ([], [f"normalized.fieldAvailability.{field}"])

    def test_is_named_with_the_later_reason_and_as_withheld_whatever_the_source(self) -> None:
        older, newer = later(officers=[]), {**later(officers=[]), "fromCopy": True}
        older["normalized"]["fieldAvailability"]["officers"] = "paywalled"
        newer["normalized"]["fieldAvailability"]["officers"] = "withheld"
        assert list_uncompared(older, newer)["data.officers"] == "withheld"
        assert list_uncompared(newer, company())["data.officers"] == "withheld"

    def test_is_no_change_where_the_older_reader_did_not_speak_of_it(self) -> None:
        readings = [later(feiEinNumber=None), later(feiEinNumber=None)]
        del readings[0]["normalized"]["fieldAvailability"]["feiEinNumber"]
        readings[1]["normalized"]["fieldAvailability"]["feiEinNumber"] = "not_published"
        assert list_changes(*readings) == []

    def test_does_not_hide_what_else_has_changed(self) -> None:
        silent = later(officers=[], normalized__officers=[], status="Dissolved")
        silent["normalized"]["fieldAvailability"]["officers"] = "not_published"
        assert "data.status" in [change.path for change in list_changes(company(), silent)]

    def test_with_one_officer_left_out_of_both_the_others_are_compared(self) -> None:
        readings = [later(officers=[]), later(officers=[{"name": "ALEX POE", "title": "CEO", "address": None}])]
        for reading in readings:
            reading["normalized"]["officers"] = []
            reading["normalized"]["fieldAvailability"]["officers"] = "withheld"
        assert [change.path for change in list_changes(*readings)] == ["data.officers[ALEX POE]"]

    def test_has_a_receiver_of_papers_in_it_who_asked_to_be_left_out(self) -> None:
        named = later(normalized__serviceOfProcess={"name": "ALEX POE", "kind": "person"})
        silent = later()
        silent["normalized"]["fieldAvailability"]["serviceOfProcess"] = "withheld"
        assert list_changes(named, silent) == [
            Change("normalized.fieldAvailability.serviceOfProcess", None, "withheld")
        ]
        assert list_uncompared(named, silent) == {"normalized.serviceOfProcess": "withheld"}

    def test_has_what_a_copy_does_not_hold_in_it(self) -> None:
        """A registry's published file without its filings has not taken them off its file."""
        copied = {**later(officers=[], status="Dissolved", normalized__filings=[]), "fromCopy": True}
        copied["normalized"]["fieldAvailability"]["officers"] = "empty"
        copied["normalized"] |= {"officers": [], "statusReason": "dissolved"}
        for pair in ((company(), copied), (copied, company())):
            assert [change.path for change in list_changes(*pair)] == ["data.status", "normalized.statusReason"]
            assert list_uncompared(*pair) == {
                "data.officers": "other_source",
                "normalized.officers": "other_source",
                "normalized.filings": "other_source",
            }
        both = list_changes({**company(), "fromCopy": True}, copied)
        assert {"data.officers[JORDAN DOE]", "data.status"} < {change.path for change in both}

    @pytest.mark.parametrize("why", ["withheld", "not_published", "empty"])
    def test_takes_the_zip_of_the_agent_with_the_agents_address(self, why: str) -> None:
        """Left out at somebody's request, or not in a published file: the agent has not lost it."""
        address = {f"registeredAgent{part}": None for part in ("Address", "City", "State", "Zip")}
        agent = {"kind": "person", "commercial": False, "zip": None}
        silent: dict[str, Any] = {**later(**address, normalized__registeredAgent=agent), "fromCopy": why == "empty"}
        silent["normalized"]["fieldAvailability"] |= dict.fromkeys(address, why)
        for pair in ((company(), silent), (silent, company())):
            assert [change.path for change in list_changes(*pair) if "Availability" not in change.path] == []
        moved = later(registeredAgentZip="12180", normalized__registeredAgent=agent | {"zip": "12180"})
        assert "normalized.registeredAgent.zip" in [change.path for change in list_changes(company(), moved)]

    def test_has_what_an_older_reader_did_not_know_in_it(self) -> None:
        older = company()
        del older["normalized"]["filings"]
        assert list_changes(older, company()) == []
        assert list_uncompared(older, company()) == {"normalized.filings": "not_read"}


def _readings() -> list[tuple[str, Reading]]:
    """Every company of the golden cases, as the wire has it."""
    found = []
    for path in GOLDEN:
        expected = json.loads(Path(path).read_text(encoding="utf-8"))
        if "record" in expected:
            data = entity_fields(_to_record(expected["record"]))
            found.append((f"{path.parts[-3]}/{path.parts[-2]}", {"data": data, "normalized": expected["normalized"]}))
    return found


def _to_record(kept: dict[str, Any]) -> EntityRecord:
    whole = {name: Address(**value) if name.endswith("address") else value for name, value in kept.items()}
    whole["officers"] = tuple(Officer(**one) for one in kept.get("officers", []))
    for name in ("former_names", "assumed_names", "filings"):
        whole[name] = tuple(kept.get(name, []))
    return EntityRecord(**whole)


class TestARealReading:
    """Every state's own way of writing, from the golden cases."""

    def test_is_no_change_of_itself_in_another_spelling_and_order(self) -> None:
        readings, chance = _readings(), random.Random(16)
        assert len(readings) > 150
        for case, reading in readings:
            availability = reading["normalized"].pop("fieldAvailability")
            respelled = _respelled(reading, chance)
            reading["normalized"]["fieldAvailability"] = availability
            respelled["normalized"]["fieldAvailability"] = availability
            assert list_changes(reading, copy.deepcopy(reading), noise=True) == [], case
            assert list_changes(reading, respelled) == [], case

    def test_of_one_company_is_never_that_of_another(self) -> None:
        """No two companies read the same: a form that equates them would miss a change."""
        readings = [reading for _, reading in _readings()]
        for older, newer in pairwise(readings):
            if older["data"]["entityName"] != newer["data"]["entityName"]:
                assert list_changes({"data": older["data"]}, {"data": newer["data"]}) != []

    def test_has_changed_back_where_it_had_changed(self) -> None:
        """Nothing is a change in one direction alone."""
        for (_, older), (_, newer) in pairwise(_readings()):
            there, back = list_changes(older, newer), list_changes(newer, older)
            assert Counter(repr((one.before, one.after)) for one in there) == Counter(
                repr((one.after, one.before)) for one in back
            )

    def test_with_another_value_in_any_field_is_a_change(self) -> None:
        """Nothing that a registry shows is passed over."""
        for case, reading in _readings():
            for field, value in reading["data"].items():
                if field == "sosUrl" or not value:
                    continue
                other = copy.deepcopy(reading)
                other["data"][field] = [] if field == "officers" else f"{value} 7"
                assert list_changes(reading, other) != [], (case, field)


def _respelled(value: Any, chance: random.Random) -> Any:
    """The same in small letters, with its lists in another order and blanks at the ends."""
    if isinstance(value, dict):
        return {name: _respelled(one, chance) for name, one in value.items()}
    if isinstance(value, list):
        return chance.sample([_respelled(one, chance) for one in value], len(value))
    return f" {value.lower()} " if isinstance(value, str) else value
