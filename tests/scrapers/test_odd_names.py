"""What a registry puts where a name should be: 20 kB of it, or characters that show it backwards."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from scrapers.failures import PageChanged
from scrapers.normalize import addresses, names
from scrapers.normalize.hidden import visible
from scrapers.records import (
    LONGEST_NAME,
    MOST_NAMES,
    Address,
    Candidate,
    EntityRecord,
    Found,
    FoundFilings,
    Officer,
    UccFiling,
    UccParty,
)
from scrapers.search import matching
from scrapers.transport.page import Page
from scrapers.transport.recording import load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER, list_cases
from tests.scrapers.test_asking import Registry, found, missing, put, row, rows
from tests.scrapers.test_damaged_pages import outcome

BACKWARDS = "\u202e"
ENDLESS = [unit * (20_000 // len(unit)) for unit in ("acme ", "inc ", "a", "acme, ", "acme dba ", " x", "a.", "(a ")]


class TestAnAddressOfCommas:
    """A registry's form whose fields were left empty, joined by whoever wrote the page; or somebody's bad intention."""

    def test_is_read_in_a_moment(self) -> None:
        began = time.process_time()
        found = addresses.from_text(f"12 QUAY STREET{',' * 1_500} DE 19901")
        assert time.process_time() - began < 1.0
        assert found.street == "12 QUAY STREET, DE 19901"
        assert addresses.from_text(f"12 QUAY STREET, DOVER{',' * 1_500} DE 19901").city == "DOVER"

    @pytest.mark.parametrize("sign", [".", ",", "1", "a", ". ,"])
    def test_without_end_is_left_as_it_is(self, sign: str) -> None:
        """A registry's page may have ten megabytes, and nothing ends a reader that goes on for days."""
        endless = f"12 QUAY STREET, DOVER, DE 19901{f' {sign}' * 50_000}x"
        began = time.process_time()
        assert addresses.from_text(endless) == Address(street=endless)
        assert time.process_time() - began < 1.0

    def test_of_the_longest_that_is_split_is_read_in_a_moment(self) -> None:
        longest = f"12 QUAY STREET, DOVER{' .' * 1_000}"[:1_990] + "x"
        began = time.process_time()
        for _ in range(20):  # a page has one for each of its people
            addresses.from_text(longest)
        assert time.process_time() - began < 2.0


class TestANameWithoutEnd:
    """Makes the page a changed one: no registry has it, and no answer rests on it."""

    @pytest.mark.parametrize("name", ENDLESS, ids=lambda name: repr(name[:9]))
    def test_is_never_compared_nor_taken_for_an_absence(self, name: str) -> None:
        class Endless(Registry):
            def search(self, session: Any, term: str) -> Any:
                return rows(*[row(name, str(number)) for number in range(100, 140)])

        began = time.process_time()
        with pytest.raises(PageChanged, match=r"a name of (20000|19\d+) characters"):
            put(Endless(), "Acme LLC")
        assert time.process_time() - began < 1.0

    @pytest.mark.parametrize("name", ENDLESS, ids=lambda name: repr(name[:9]))
    def test_of_the_longest_that_is_believed_takes_no_time_to_compare(self, name: str) -> None:
        listed = [row(name[: LONGEST_NAME - 3] + str(number), str(number)) for number in range(100, 140)]
        began = time.process_time()
        matching.rank("Acme Works, Inc.", listed, status_of=lambda one: Registry().status_meaning(one.status))
        assert time.process_time() - began < 2.0

    def test_is_not_taken_apart_into_two(self) -> None:
        """Some registries write a second name in brackets: "ACME, LLC (dba ZENITH)"."""
        steps = load_steps(FOLDER / "ID" / "active")
        listed = json.loads(steps[0].body)
        for one in listed["rows"].values():
            one["TITLE"][0] += " (dba a" * 10_000
        case = next(case for case in list_cases() if str(case) == "ID-active")
        began = time.process_time()
        found = outcome(case, [replace(steps[0], body=json.dumps(listed).encode()), *steps[1:]])
        assert isinstance(found, PageChanged)
        assert "a name of 70" in str(found)
        assert time.process_time() - began < 1.0

    @pytest.mark.parametrize(
        "make",
        [
            lambda name: EntityRecord(name, "101"),
            lambda name: EntityRecord("ACME", "101", agent_name=name),
            lambda name: EntityRecord("ACME", "101", former_names=("A", name)),
            lambda name: EntityRecord("ACME", "101", assumed_names=(name,)),
            lambda name: EntityRecord("ACME", "101", officers=(Officer(name),)),
            lambda name: UccParty(name),
            lambda name: Candidate(name, "101"),
        ],
        ids=["entity", "agent", "former name", "assumed name", "officer", "party of a lien", "row of a list"],
    )
    def test_is_none_wherever_it_stands(self, make: Any) -> None:
        make("x" * LONGEST_NAME)
        with pytest.raises(PageChanged, match="a name of 1001 characters"):
            make("x" * (LONGEST_NAME + 1))

    def test_is_not_to_be_had_in_many_names_either(self) -> None:
        with pytest.raises(PageChanged, match="names of one entity"):
            EntityRecord("ACME", "101", former_names=("OLD",) * MOST_NAMES)


class TestANameWithTheCodesOfAWebPage:
    """In an answer that is JSON, where they mean nothing."""

    @pytest.mark.parametrize("code", ["&amp;", "&amp;amp;", "&#38;"])
    def test_is_found_and_shown_without_them(self, code: str) -> None:
        steps = load_steps(FOLDER / "OH" / "active")
        shown = b"LANTERN & BUILD, LLC"
        assert all(shown in step.body for step in steps[1:])
        coded = [replace(step, body=step.body.replace(b"& B", f"{code} B".encode())) for step in steps]
        answer = Conversation("OH", *coded).ask(name="Lantern & Build, LLC")
        assert isinstance(answer, Found)
        assert answer.record.entity_name == shown.decode()

    def test_stays_where_a_text_is_json_or_a_page_itself(self) -> None:
        body = json.dumps({"d": json.dumps({"n": "A &quot;B&quot;"}), "h": "<p>A &lt; B</p>", "t": "AT&T; B&G"})
        page = Page("https://example.com", 200, {}, body.encode())
        assert page.json() == json.loads(body)


class TestANameWithWhatNobodySees:
    """Is the name that is seen; what was left out is told beside it."""

    def test_is_found_and_told_without_it(self) -> None:
        name = f"AC{BACKWARDS}ME \u200bANVILS\u00ad LLC\x07"
        record = EntityRecord(
            name, "101", status="Active", officers=(Officer(f"{BACKWARDS}JORDAN SAMPLE"),), former_names=("OLD\u2066",)
        )
        answer = found(Registry({"Acme Anvils": rows(row(name))}, {"101": record}), "Acme Anvils LLC")
        assert (answer.record.entity_name, answer.match.kind) == ("ACME ANVILS LLC", "exact")
        assert (answer.record.officers[0].name, answer.record.former_names) == ("JORDAN SAMPLE", ("OLD",))
        assert answer.evidence.left_out == ("U+0007", "U+00AD", "U+200B", "U+202E", "U+2066")

    def test_is_no_mark_of_an_answer_that_has_nothing_of_it(self) -> None:
        listed = rows(row("ACME ANVILS LLC"), row(f"ZEBRA {BACKWARDS}LLC", "102"))
        assert found(Registry({"Acme Anvils": listed}), "Acme Anvils LLC").evidence.left_out == ()

    def test_is_told_so_among_near_misses_and_other_matches(self) -> None:
        near = rows(row(f"ACME ANVIL WORKS{BACKWARDS} LLC", "102"))
        absent = missing(Registry({"Acme Anvils": near}), "Acme Anvils LLC")
        assert [one.name for one in absent.suggestions] == ["ACME ANVIL WORKS LLC"]
        assert absent.evidence.left_out == ("U+202E",)
        listed = rows(row("ACME ANVILS LLC"), *near.candidates)
        beside = found(Registry({"Acme Anvils": listed}), "Acme Anvils LLC")
        assert ([one.name for one in beside.related], beside.evidence.left_out) == (
            ["ACME ANVIL WORKS LLC"],
            ("U+202E",),
        )

    def test_is_told_so_of_liens(self) -> None:
        portal = Registry()
        portal.liens = ((UccFiling("1", "2020-01-01", debtors=(UccParty(f"AC{BACKWARDS}ME"),)),), True)
        answer = put(portal, "Acme", kind="ucc")
        assert isinstance(answer, FoundFilings)
        assert (answer.filings[0].debtors[0].name, answer.evidence.left_out) == ("ACME", ("U+202E",))

    def test_is_compared_as_it_is_seen(self) -> None:
        assert names.key(f"A{BACKWARDS}cme\u200b, In\u00adc.") == "acme"
        assert matching.compare("Acme Inc", f"{BACKWARDS}ACME\x07 INC").kind == "exact"

    def test_keeps_lines_and_letters_of_any_script(self) -> None:
        text = "Zoë \u00a0Søn\t\u5bb6\r\n\u05d0 \U0001f426 e\u0301"
        assert visible(text) == text
