"""SoQL's hazards, and what open data sets do beside answering."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter

from scrapers.bulk_data.layouts.colorado import split_event
from scrapers.failures import PageChanged, PortalUnavailable
from scrapers.records import Address, EntityRecord, Found, NotFound
from scrapers.refusals import QueryRefused
from scrapers.transport import conditions
from scrapers.transport.page import Page
from scrapers.transport.recording import Step, answer, load_steps
from tests.scrapers.conversation import Conversation
from tests.scrapers.golden import FOLDER


class Listener(BaseAdapter):
    """Answers every request alike and keeps what was asked."""

    def __init__(self, *bodies: str, status: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__()
        self.bodies, self.status = list(bodies), status
        self.headers = {"content-type": "application/json; charset=utf-8"} | (headers or {})
        self.asked: list[PreparedRequest] = []

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        self.asked.append(request)
        body = self.bodies[min(len(self.asked), len(self.bodies)) - 1]
        return answer(request, status=self.status, headers=self.headers, body=body.encode())

    def close(self) -> None:
        """Nothing to close."""


def listening(state: str, listener: Listener, **keys: str) -> Conversation:
    """A conversation whose portal is the listener."""
    talk = Conversation(state, keys=keys)
    talk.session._http.mount("https://", listener)
    return talk


def ny(name: str, number: str) -> dict[str, str]:
    """A row of New York's register."""
    return {
        "current_entity_name": name,
        "dos_id": number,
        "entity_type": "DOMESTIC BUSINESS CORPORATION",
        "initial_dos_filing_date": "2012-06-28T00:00:00",
    }


class TestACondition:
    """What a caller's text becomes in a question."""

    def test_doubles_quotes(self) -> None:
        assert conditions.quoted("O'NEIL'S") == "'O''NEIL''S'"

    def test_lets_no_wildcard_of_the_caller_in(self) -> None:
        assert conditions.name_fits("n", "100% _real_ 'deal'") == "upper(n) like '%100%REAL%DEAL%'"

    def test_leaves_and_open(self) -> None:
        assert conditions.name_fits("n", "Smith & Sons") == conditions.name_fits("n", "Smith and Sons")
        assert conditions.name_fits("n", "And") == "upper(n) like '%AND%'"

    def test_looks_for_an_accent_both_ways(self) -> None:
        assert conditions.name_fits("n", "Café") == "upper(n) like '%CAFÉ%' or upper(n) like '%CAFE%'"

    @pytest.mark.parametrize("name", ["&&&", "%%%", "___", "'--", "' or 1=1"])
    def test_is_never_without_words(self, name: str) -> None:
        try:
            condition = conditions.name_fits("n", name)
        except QueryRefused:
            return
        assert condition == "upper(n) like '%OR%1%1%'"

    def test_keeps_an_address_short_enough(self) -> None:
        names = [f"{'LONG NAME ' * 20}{number}" for number in range(200)]
        condition = conditions.is_in("upper(n)", names)
        assert len(urlencode({"w": condition})) < 5000
        assert condition.count(",") > 3

    @pytest.mark.parametrize(
        ("given", "patterns"),
        [
            ("Oneils Tavern", {"O_NEIL_S%TAVERN"}),
            ("ABC Sons", {"A_B_C%SON_S", "A_B_C%SONS", "ABC%SON_S"}),
            ("50s Diner Group", {"50_S%DINER%GROUP"}),
            ("The Glass Of Oak Street", {"THE%GLASS%OF%O_A_K%STREET"}),
        ],
    )
    def test_leaves_room_for_a_sign_that_callers_leave_out(self, given: str, patterns: set[str]) -> None:
        parts = conditions.name_fits("n", conditions.loosened(given)).split(" or ")
        assert {part.removeprefix("upper(n) like '%").removesuffix("%'") for part in parts} == patterns


@given(st.text(max_size=200))
def test_no_text_of_a_caller_leaves_its_place_in_a_condition(name: str) -> None:
    for term in (name, conditions.loosened(name)):
        try:
            condition = conditions.name_fits("n", term)
        except QueryRefused:
            continue
        for part in condition.split(" or "):
            found = re.fullmatch(r"upper\(n\) like '%(.+)%'", part, flags=re.DOTALL)
            assert found
            assert not re.search(r"['\\\s]", found[1])
    literal = conditions.quoted(name)
    assert literal[1:-1].replace("''", "").count("'") == 0


class TestALongName:
    """Two hundred letters, the most a caller may give."""

    @pytest.mark.parametrize("state", ["NY", "CO", "CT", "OR", "PA"])
    @pytest.mark.parametrize("name", ["A" * 200, "É" * 200, "it's " * 40, "ab " * 66])
    def test_makes_an_address_a_server_takes(self, state: str, name: str) -> None:
        listener = Listener("[]")
        assert isinstance(listening(state, listener).ask(name=name), NotFound)
        assert all(len(asked.url or "") < 8000 for asked in listener.asked)

    def test_is_narrowed_within_an_address_too(self) -> None:
        listener = Listener("[]")
        talk = listening("CO", listener)
        talk.portal.narrow(talk.session, "é" * 200)
        assert len(listener.asked[0].url or "") < 8000


class TestAnAnswerThatIsNone:
    """Whatever the platform says instead of rows, it is no "not found"."""

    @pytest.mark.parametrize(
        ("status", "body", "error"),
        [
            (202, "", PortalUnavailable),
            (
                400,
                '{"code":"query.execution.queryTimeout","error":true,"message":"Query timed out"}',
                PortalUnavailable,
            ),
            (400, '{"message":"No such column: name","errorCode":"query.soql.no-such-column"}', PageChanged),
            (400, "<html>Bad request</html>", PageChanged),
            (404, '{"code":"dataset.missing","error":true,"message":"Not found"}', PageChanged),
            (200, '{"error":true,"message":"Internal"}', PageChanged),
            (200, "{}", PageChanged),
            (200, '["row"]', PageChanged),
            (200, "null", PageChanged),
            (200, "", PageChanged),
            (500, '{"error":true}', PortalUnavailable),
        ],
    )
    def test_is_told_as_what_it_is(self, status: int, body: str, error: type[Exception]) -> None:
        with pytest.raises(error):
            listening("NY", Listener(body, status=status)).ask(name="Acme")


class TestTheApplicationToken:
    """An operator may have one; it raises the platform's limits."""

    def test_is_sent_when_there_is_one(self) -> None:
        listener = Listener("[]")
        listening("NY", listener, socrata="token-1").ask(name="Acme")
        assert listener.asked[0].headers["X-App-Token"] == "token-1"

    def test_is_not_needed(self) -> None:
        listener = Listener("[]")
        listening("NY", listener).ask(name="Acme")
        assert "X-App-Token" not in listener.asked[0].headers


class TestTheDataSetsDay:
    """A register that is published daily, or monthly, is a copy, and says so."""

    def test_is_told_with_the_answer(self) -> None:
        headers = {"Last-Modified": "Sun, 01 Nov 2026 06:30:00 GMT"}
        outcome = listening("PA", Listener("[]", headers=headers)).ask(name="Acme")
        assert outcome.as_of == datetime(2026, 11, 1, 6, 30, tzinfo=UTC)

    def test_is_a_moment_even_where_its_zone_is_open(self) -> None:
        headers = {"X-SODA2-Truth-Last-Modified": "Sun, 01 Nov 2026 06:30:00 -0000"}
        outcome = listening("PA", Listener("[]", headers=headers)).ask(name="Acme")
        assert outcome.as_of == datetime(2026, 11, 1, 6, 30, tzinfo=UTC)

    def test_is_the_oldest_of_several_sets(self) -> None:
        days = ("Sun, 08 Nov 2026 06:30:00 GMT", "Sun, 01 Nov 2026 06:30:00 GMT", "")
        talk = listening("NY", Listener("[]"))
        talk.session.pages += [Page("https://data.ny.gov/", 200, {"last-modified": day}, b"[]") for day in days]
        assert talk.portal.data_as_of(talk.session) == datetime(2026, 11, 1, 6, 30, tzinfo=UTC)

    @pytest.mark.parametrize("raw", ["", "yesterday"])
    def test_is_open_when_nobody_says_it(self, raw: str) -> None:
        outcome = listening("PA", Listener("[]", headers={"Last-Modified": raw})).ask(name="Acme")
        assert outcome.as_of is None


class TestAPlaceholder:
    """What a data set says where there is nobody."""

    def test_is_no_agent_no_officer_and_no_street(self) -> None:
        row = ny("MILLRACE INSTRUMENTS CORP.", "9322706") | {
            "registered_agent_name": "NONE",
            "registered_agent_address_1": "N/A",
            "chairman_name": "VACANT VACANT",
            "dos_process_name": "THE CORPORATION",
            "dos_process_address_1": "400 EXAMPLE PLAZA",
            "dos_process_city": "NEW YORK",
        }
        told = listening("NY", Listener(json.dumps([row]), "[]")).ask(name="Millrace Instruments Corp.")
        assert isinstance(told, Found)
        record = told.record
        assert (record.agent_name, record.agent_address, record.officers) == (None, Address(), ())
        assert record.process_name is None
        assert record.mailing_address == Address("400 EXAMPLE PLAZA", "NEW YORK")


class TestACutList:
    """As many rows as were asked for: nobody knows what comes after."""

    def test_proves_no_absence(self) -> None:
        full = json.dumps([ny(f"NORTH {number} LLC", str(number)) for number in range(500)])
        with pytest.raises(QueryRefused, match="too many"):
            listening("NY", Listener(full, "[]")).ask(name="North")

    def test_is_cut_within_an_entity_of_several_rows_and_that_one_is_asked_for_again(self) -> None:
        row = {
            "registry_number": "1000001",
            "business_name": "TIDE 1 LLC",
            "registry_date": "2010-05-17T00:00:00.000",
            "entity_type": "DOMESTIC LIMITED LIABILITY COMPANY",
            "associated_name_type": "MAILING ADDRESS",
        }
        last = row | {"registry_number": "1000002", "business_name": "TIDE LLC"}
        agent = last | {"associated_name_type": "REGISTERED AGENT", "first_name": "RILEY", "last_name": "SAMPLE"}
        url = "https://data.oregon.gov/resource/tckn-sxa6.json?$limit=1500&$order=business_name,registry_number&$where="
        owned = url.partition("?")[0] + (
            "?$limit=1000&$order=business_name&$where="
            "entity_of_record_reg_number='1000002' and associated_name_type='REGISTRANT'"
        )
        talk = Conversation(
            "OR",
            _step(url + "upper(business_name) like '%25TIDE%25'", [row] * 1499 + [last]),
            _step(url + "registry_number='1000002'", [last, agent]),
            _step(owned, []),
        )
        outcome = talk.ask(name="Tide LLC")
        assert isinstance(outcome, Found)
        assert outcome.record.agent_name == "RILEY SAMPLE"


def _step(url: str, body: Any) -> Step:
    from tests.scrapers.conversation import answer as reply

    return reply("GET", url, body)


@pytest.mark.parametrize(
    ("shown", "name", "event"),
    [
        ("6301 Example LLC, Delinquent May 1, 2022", "6301 Example LLC", "Delinquent May 1, 2022"),
        ("Example, Inc., Dissolved June 30, 2019", "Example, Inc.", "Dissolved June 30, 2019"),
        (
            "EXAMPLE CO, Colorado Authority Terminated March 3, 2011",
            "EXAMPLE CO",
            "Colorado Authority Terminated March 3, 2011",
        ),
        (
            "Example LLC, Dissolved (Term Expired) August 9, 2004",
            "Example LLC",
            "Dissolved (Term Expired) August 9, 2004",
        ),
        ("Example, Sample & Co.", "Example, Sample & Co.", None),
        ("May 1, 2022 LLC", "May 1, 2022 LLC", None),
    ],
)
class TestANameInColorado:
    """The data writes what happened to an entity behind its name."""

    def test_is_separated_from_its_event(self, shown: str, name: str, event: str | None) -> None:
        assert split_event(shown) == (name, event)


@pytest.mark.parametrize(
    ("case", "page", "columns"),
    [
        ("CT/active", 1, ("name__c", "firstname", "lastname")),
        ("CT/active", 2, ("name__c", "firstname", "lastname")),
        ("CT/active", 4, ("filing_type",)),
        ("CT/active", 4, ("filing_date",)),
        ("CT/by-alei", 3, ("business_name_old",)),
        ("CO/active", 2, ("historydes",)),
        ("OR/active", 1, ("entity_type",)),
        ("NY/active", 3, ("name_type",)),
        ("NY/active", 2, ("documenttype",)),
        ("NY/inactive", 3, ("name_type",)),
        ("NY/inactive", 6, ("addr_type",)),
    ],
)
class TestASetBesideTheMaster:
    """With agents, officers, former names, trade names or filings of one company, each in a row that names it."""

    def test_names_nobody_in_silence_where_a_column_has_another_name(
        self, case: str, page: int, columns: tuple[str, ...]
    ) -> None:
        steps = load_steps(FOLDER / case)
        question = json.loads((FOLDER / case / "case.json").read_text())["question"]
        assert isinstance(Conversation(case[:2], *steps).ask(**question), Found)
        body = steps[page].body
        for column in columns:
            body = body.replace(f'"{column}"'.encode(), f'"new_{column}"'.encode())
        assert body != steps[page].body
        steps[page] = replace(steps[page], body=body)
        with pytest.raises(PageChanged, match="no row has"):
            Conversation(case[:2], *steps).ask(**question)


class TestAColumnThatIsEmptyInEveryRow:
    """Is in none of them; a header of the answer names it, where it is not too long."""

    def ask(self, state: str, *fields: str) -> Found:
        steps = load_steps(FOLDER / state / "active")
        at = next(n for n, step in enumerate(steps) if "/resource/" in step.url)
        header = {"x-soda2-fields": json.dumps([*fields, ":@computed_region_1"])} if fields else {}
        steps[at] = replace(steps[at], headers={**steps[at].headers, **header})
        told = Conversation(state, *steps).ask(
            **json.loads((FOLDER / state / "active/case.json").read_text())["question"]
        )
        assert isinstance(told, Found)
        return told

    @pytest.mark.parametrize("state", ["CO", "CT", "NY", "OR", "PA"])
    def test_is_empty_where_the_header_names_it_or_nothing_else(self, state: str) -> None:
        portal: Any = Conversation(state).portal
        fields = sorted(portal.columns_read())
        plain = self.ask(state)
        for some in (fields, [*fields, "brand_new"], fields[1:]):
            assert self.ask(state, *some).record == plain.record

    @pytest.mark.parametrize("state", ["CO", "CT", "NY", "OR", "PA"])
    def test_may_have_been_renamed_where_the_header_names_another(self, state: str) -> None:
        portal: Any = Conversation(state).portal
        fields = sorted(portal.columns_read())
        with pytest.raises(PageChanged, match="renamed"):
            self.ask(state, *fields[1:], f"new_{fields[0]}")

    @pytest.mark.parametrize("odd", ["", "{}", '["cut', "7"])
    def test_is_not_missed_for_a_header_that_says_nothing(self, odd: str) -> None:
        steps = load_steps(FOLDER / "PA" / "active")
        steps[0] = replace(steps[0], headers={**steps[0].headers, "x-soda2-fields": odd})
        question = json.loads((FOLDER / "PA/active/case.json").read_text())["question"]
        assert isinstance(Conversation("PA", *steps).ask(**question), Found)


class TestARowOfConnecticut:
    """The master writes some names with doubled blanks, and one status that begins like another."""

    def record(self, **columns: str) -> EntityRecord:
        row = {"name": "BLUE  HERON  LLC", "accountnumber": "1234567", "status": "Active", "business_type": "LLC"}
        portal: Any = Conversation("CT").portal
        return portal.record(row | columns)

    def test_has_single_blanks_in_its_name(self) -> None:
        assert self.record().entity_name == "BLUE HERON LLC"

    def test_is_active_by_the_whole_word_alone(self) -> None:
        portal = Conversation("CT").portal
        assert portal.record_meaning(self.record()).status_class == "active"
        odd = portal.record_meaning(self.record(status="Active - Pending Domestication"))
        assert (odd.status_class, odd.reason) == ("neutral", "unrecognised_status")

    def test_that_was_a_reservation_is_no_company(self) -> None:
        portal: Any = Conversation("CT").portal
        ended = self.record(status="Expired Reservation")
        assert portal.name_kind(ended) == "reserved"
        assert portal.record_meaning(ended).reason == "expired"

    def test_is_of_the_country_it_was_formed_in_where_no_place_is_named(self) -> None:
        abroad = self.record(citizenship="Foreign", country_formation="Canada")
        assert (abroad.jurisdiction, abroad.domestic) == ("Canada", False)
        at_home = self.record(state_or_territory_formation="Connecticut", country_formation="United States")
        assert at_home.jurisdiction == "Connecticut"
