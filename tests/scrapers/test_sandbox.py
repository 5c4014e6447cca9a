"""What a client's programmer meets behind a test key: every outcome, in every state, always the same."""

from __future__ import annotations

import re
import socket
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings

from jurisdictions.codes import PLACES
from scrapers import discovery, gateway
from scrapers.failures import PageChanged, PortalBlocked, PortalError, PortalUnavailable, find_failure
from scrapers.records import Answer, Found, FoundFilings, NotFound, Query
from scrapers.refusals import QueryRefused
from scrapers.sandbox import DEMO_QUESTION, MAGIC, book, server
from scrapers.sandbox.magic import PLAYED, find_outcome, find_played
from scrapers.search.pipeline import ask, ask_name
from scrapers.transport.session import Trace
from tests.scrapers.magic_table import Row, list_rows
from tests.scrapers.sandbox_book.__main__ import FOLDER, made

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def lookup(
    state: str, name: str | None = None, *, seconds: float = 20.0, trace: Trace | None = None, **asked: Any
) -> Answer:
    """Ask the sandbox registry as the pipeline does."""
    portal = discovery.get_sandbox(state)
    session = gateway.open_session(portal, deadline=time.monotonic() + seconds, trace=trace or Trace())
    try:
        query = Query(state, name=name, **asked)
        return ask(portal, session, query, now=NOW, threshold=settings.MATCH_THRESHOLD)
    finally:
        session.close()


ROWS = list_rows()
STATUS = {"found": "200", "not_found": "404", "ambiguous": "404", "refused": "400", "unavailable": "503"}
CODES = {
    "not_found": "entity_not_found",
    "ambiguous": "ambiguous_name",
    "refused": "invalid_request",
    "unavailable": "source_unavailable",
}
SERVICE = {"no_funds": ("402", "insufficient_balance"), "too_many_requests": ("429", "rate_limited")}


def verdict(play: Callable[[], Answer]) -> tuple[str, ...]:
    """The status, the verdict's word and the reason that an answer has on the wire."""
    try:
        answer = play()
    except QueryRefused as error:
        return STATUS["refused"], "refused", error.refusal.value
    except PortalError as error:
        return STATUS["unavailable"], "unavailable", error.reason.value
    word = "found" if not isinstance(answer, NotFound) else "ambiguous" if answer.ambiguous else "not_found"
    return STATUS[word], word


def check_name(state: str, name: str) -> tuple[str, ...]:
    """The verdict on a name, or its status and what it failed of."""
    portal = discovery.get_sandbox(state)
    session = gateway.open_session(portal, deadline=time.monotonic() + 20, trace=Trace())
    try:
        return (ask_name(portal, session, Query(state, name=name), now=NOW)[0].verdict,)
    except QueryRefused as error:
        return STATUS["refused"], "refused", error.refusal.value
    except PortalError as error:
        return STATUS["unavailable"], "unavailable", error.reason.value
    finally:
        session.close()


def found(state: str, name: str | None = None, **asked: Any) -> Found:
    answer = lookup(state, name, **asked)
    assert isinstance(answer, Found), answer
    return answer


def liens(state: str, name: str, **asked: Any) -> FoundFilings:
    answer = lookup(state, name, kind="ucc", **asked)
    assert isinstance(answer, FoundFilings), answer
    return answer


def missing(state: str, name: str, **asked: Any) -> NotFound:
    answer = lookup(state, name, **asked)
    assert isinstance(answer, NotFound), answer
    return answer


@pytest.fixture
def no_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every use of a socket is a failure."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the sandbox registry touched the network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_wire")
class TestAMagicName:
    """The table in docs/sandbox.md, line by line."""

    @pytest.mark.parametrize("state", PLACES)
    def test_finds_in_every_state(self, state: str) -> None:
        assert found(state, MAGIC["found"]).record.entity_id == f"SB-{state}-900001"

    @pytest.mark.parametrize("state", PLACES)
    def test_finds_nothing_in_every_state(self, state: str) -> None:
        assert missing(state, MAGIC["not_found"]) == missing(state, MAGIC["not_found"])
        assert missing(state, MAGIC["not_found"]).suggestions == ()

    def test_lists_several_and_answers_with_the_active_one(self) -> None:
        answer = found("NY", MAGIC["several"])
        assert (answer.record.entity_id, answer.record.status) == ("SB-NY-900011", "Good Standing")
        assert [row.name for row in answer.related] == [
            "MAGIC SEVERAL CORP",
            "MAGIC SEVERAL LLC",
            "MAGIC SEVERAL HOLDINGS INC",
        ]

    def test_does_not_guess_between_two_that_are_equal(self) -> None:
        answer = missing("NY", MAGIC["ambiguous"])
        assert answer.ambiguous
        assert {near.entity_id for near in answer.suggestions} == {"SB-NY-900021", "SB-NY-900022"}

    def test_is_slow_but_answers(self, naps: list[float]) -> None:
        assert found("NY", MAGIC["slow"]).record.entity_name == "MAGIC SLOW LLC"
        assert naps == [server.SLOW_SECONDS]

    def test_is_too_slow_for_somebody_in_a_hurry(self, naps: list[float]) -> None:
        with pytest.raises(PortalUnavailable) as failure:
            lookup("NY", MAGIC["slow"], seconds=0.3)
        assert failure.value.reason == "timeout"
        assert sum(naps) <= 0.3

    def test_has_too_many_neighbours_to_say_that_it_does_not_exist(self) -> None:
        with pytest.raises(QueryRefused, match="too many"):
            lookup("NY", MAGIC["too_many"])

    @pytest.mark.parametrize(
        ("outcome", "kind", "reason", "retry_after"),
        [
            ("fails", PortalUnavailable, "down", None),
            ("portal_down", PortalUnavailable, "down", 300),
            ("timeout", PortalUnavailable, "timeout", None),
            ("blocked", PortalBlocked, "blocked", None),
            ("rate_limited", PortalBlocked, "rate_limited", 60),
            ("page_changed", PageChanged, "layout_changed", None),
        ],
    )
    @pytest.mark.parametrize("asked", ["business_entity", "ucc"])
    def test_fails_as_promised_and_at_once(
        self,
        outcome: Any,
        kind: type[Exception],
        reason: str,
        retry_after: float | None,
        asked: Any,
        naps: list[float],
    ) -> None:
        with pytest.raises(kind) as failure:
            lookup("WY", MAGIC[outcome], kind=asked)
        assert (failure.value.reason, failure.value.retry_after) == (reason, retry_after)
        assert sum(naps) < 1  # a moment before the second try, where one is worth it

    @pytest.mark.parametrize("outcome", ["found", "several", "ambiguous"])
    def test_has_liens_where_it_has_companies(self, outcome: Any) -> None:
        assert liens("GU", MAGIC[outcome]).total == len(book.magic_entries("GU", outcome))

    def test_has_no_liens_where_it_has_no_companies(self) -> None:
        assert missing("GU", MAGIC["not_found"], kind="ucc").suggestions == ()

    def test_means_the_same_without_its_legal_form_and_in_small_letters(self) -> None:
        with pytest.raises(PortalBlocked):
            lookup("CA", "magic blocked")
        assert found("CA", "magic found").match.kind == "suffix_variant"

    def test_finds_the_company_by_its_number_too(self) -> None:
        assert found("NY", entity_id="SB-NY-900031").record.entity_name == "MAGIC SLOW LLC"


@pytest.mark.usefixtures("no_wire")
class TestTheTableOfMagicNames:
    """In docs/sandbox.md: what it promises is what is played."""

    @pytest.fixture(autouse=True)
    def _quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server, "SLOW_SECONDS", 0.01)

    def test_has_every_name_once(self) -> None:
        assert sorted(row.name for row in ROWS) == sorted((*MAGIC.values(), *PLAYED.values()))

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
    def test_promises_what_a_lookup_and_its_job_play(self, row: Row) -> None:
        played = find_played(row.name)
        if played:
            assert (row.lookup, row.job) == (SERVICE[played], ())
            return
        status, *words = verdict(lambda: lookup("DE", row.name))
        if discovery.get_sandbox("DE").answers_later(row.name):
            assert (row.lookup, row.job) == (("202",), tuple(words))
        else:
            code = CODES.get(words[0])
            assert (row.lookup, row.job) == ((status, words[0], *([code] if code else []), *words[1:]), ())

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
    def test_promises_what_a_bulk_row_plays(self, row: Row) -> None:
        if find_played(row.name):
            assert row.bulk_row == SERVICE[find_played(row.name) or ""][:1]
            return
        _, *words = verdict(lambda: lookup("DE", row.name))
        assert row.bulk_row == tuple(words)
        failure = find_failure(words[-1])
        assert row.again == (failure is not None and failure.facts.pause is not None)

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
    def test_promises_what_a_name_check_plays(self, row: Row) -> None:
        played = find_played(row.name)
        assert row.name_check == (SERVICE[played] if played else check_name("DE", row.name))

    @pytest.mark.parametrize("name", MAGIC.values())
    def test_promises_what_a_search_for_liens_plays(self, name: str) -> None:
        status, *words = verdict(lambda: lookup("DE", name, kind="ucc"))
        outcome = find_outcome(name) or ""
        if book.magic_entries("DE", outcome):
            assert words == ["found"]
        elif words[0] not in ("refused", "unavailable"):
            assert words == ["not_found"]
        else:
            assert [status, *words] == list(verdict(lambda: lookup("DE", name)))

    @pytest.mark.parametrize("outcome", ["not_found", "ambiguous", "too_many", "page_changed", "fails"])
    def test_has_the_same_ending_at_once_and_later(self, outcome: str) -> None:
        late = f"later_{outcome}"
        assert discovery.get_sandbox("DE").answers_later(MAGIC[late])
        assert verdict(lambda: lookup("DE", MAGIC[late])) == verdict(lambda: lookup("DE", MAGIC[outcome]))

    def test_is_read_as_it_is_written(self) -> None:
        cells = (
            "`Magic X LLC`",
            "status 503 with `Retry-After: 300`, x",
            "503 `unavailable` `down`",
            "-",
            "`unavailable` `down`, tried again",
            "`free`, with a `warning`",
        )
        line = f"| {' | '.join(cells)} |"
        assert list_rows(line) == [
            Row(
                name="Magic X LLC",
                lookup=("503", "unavailable", "down"),
                job=(),
                bulk_row=("unavailable", "down"),
                name_check=("free",),
                again=True,
                beside=frozenset({"warning"}),
                retry_after="300",
            )
        ]


class TestANameThatTheServicePlaysItself:
    def test_is_known_with_its_legal_form_or_without(self) -> None:
        assert find_played("magic no funds") == find_played("Magic No Funds, L.L.C.") == "no_funds"
        assert find_played("Magic Too Many Requests LLC") == "too_many_requests"

    def test_is_no_other(self) -> None:
        assert [name for name in MAGIC.values() if find_played(name)] == []
        assert [name for name in PLAYED.values() if find_outcome(name)] == []
        assert find_played("Magic No Funds Holdings LLC") is None


@pytest.mark.usefixtures("no_wire")
class TestTheDemonstration:
    """The question that the start prints for pasting."""

    def test_is_found_with_agent_and_officers(self) -> None:
        answer = found(DEMO_QUESTION["state"], DEMO_QUESTION["entity_name"])
        record = answer.record
        assert (record.entity_name, record.entity_id) == ("BLUE HERON LOGISTICS LLC", "SB-DE-000123")
        assert (record.agent_name, record.agent_address.zip) == ("HARBOR AGENTS INC.", "19901")
        assert [officer.name for officer in record.officers] == ["ADA MERRILL", "JONAS PEPPERCOTE"]
        assert answer.match.kind == "exact"
        assert [row.name for row in answer.related][:1] == ["BLUE HERON LOGISTICS, INC."]

    def test_shows_every_kind_of_lien(self) -> None:
        filings = liens("DE", "Blue Heron Logistics LLC").filings
        assert [lien.status for lien in filings] == ["Active", "Terminated", "Active", "Lapsed"]
        assert [change.filing_type for lien in filings for change in lien.amendments] == [
            "Assignment",
            "Collateral Change",
            "Termination",
            "Continuation",
        ]
        assert filings[3].debtors[1].name == "MERRILL, ADA"
        assert filings[0].secured_parties[0].address.city == "WILMINGTON"

    def test_can_be_narrowed_by_lender_and_by_date(self) -> None:
        by_lender = liens("DE", "First Puddlestone Bank", search_by="secured_party").filings
        assert {"SBU-DE-2024-000401", "SBU-DE-2019-000102"} <= {lien.file_number for lien in by_lender}
        of_2022 = liens("DE", "Blue Heron Logistics", date_after=date(2022, 1, 1), date_before=date(2022, 12, 31))
        assert [lien.file_number for lien in of_2022.filings] == ["SBU-DE-2022-000301"]


@pytest.mark.usefixtures("no_wire")
class TestTheSandboxRegistry:
    """The fictional registry as a whole."""

    def test_is_as_large_as_promised(self) -> None:
        assert len(book.list_entries()) >= 200
        assert len(book.list_liens()) >= 60

    def test_knows_three_companies_and_a_lien_in_every_jurisdiction(self) -> None:
        companies = Counter(entry.state for entry in book.list_entries())
        filings = Counter(lien.state for lien in book.list_liens())
        assert [code for code in PLACES if companies[code] < 3 or filings[code] < 1] == []

    def test_numbers_its_companies_so_that_they_never_collide(self) -> None:
        numbers = [entry.number for entry in book.list_entries()]
        assert len(set(numbers)) == len(numbers)
        assert all(re.fullmatch(rf"SB-{e.state}-0\d{{5}}", e.number) for e in book.list_entries())
        files = [lien.number for lien in book.list_liens()]
        assert len(set(files)) == len(files)

    def test_is_what_its_rules_and_stories_make(self) -> None:
        for name, text in made().items():
            told = f"{name}: run python -m tests.scrapers.sandbox_book --write"
            assert (FOLDER / name).read_text(encoding="utf-8") == text, told

    def test_has_every_kind_of_status_type_and_gap(self) -> None:
        entries = book.list_entries()
        portal = discovery.get_sandbox("DE")
        meanings = {(m.status_class, m.reason) for m in (portal.status_meaning(e.status) for e in entries)}
        assert meanings == {
            ("active", None),
            ("active", "not_in_good_standing"),
            ("inactive", "dissolved"),
            ("inactive", "merged"),
            ("inactive", "revoked"),
            ("inactive", "withdrawn"),
            ("neutral", "name_only"),
            ("neutral", "pending"),
            ("neutral", "unrecognised_status"),
        }
        assert len({entry.type for entry in entries}) >= 8
        for some in (
            lambda e: e.officers,
            lambda e: e.former,
            lambda e: e.assumed,
            lambda e: e.agent,
            lambda e: e.mailing,
        ):
            assert any(some(entry) for entry in entries)
            assert not all(some(entry) for entry in entries)
        assert {lien.status for lien in book.list_liens()} == {"Active", "Lapsed", "Terminated"}

    @pytest.mark.parametrize("state", PLACES)
    def test_opens_every_company_by_name_or_number(self, state: str) -> None:
        for entry in book.list_entries():
            if entry.state != state:
                continue
            record = found(state, entity_id=entry.number.lower()).record
            assert (record.entity_name, record.status) == (entry.name, entry.status)
            assert len(record.officers) == len(entry.officers)
            if not entry.reserved:
                answer = found(state, entry.name)
                assert answer.match.kind == "exact"
                assert answer.record.entity_name == entry.name

    def test_leaves_no_label_unread(self) -> None:
        for entry in book.list_entries()[::9]:
            trace = Trace()
            lookup(entry.state, entity_id=entry.number, trace=trace)
            assert [stage.detail for stage in trace.stages if stage.name == "unread_labels"] == []

    def test_says_the_same_every_time(self) -> None:
        for name in ("Blue Heron Logistics LLC", "Blue Heron Freight", "Nobody of This Name"):
            assert lookup("DE", name) == lookup("DE", name)

    def test_does_not_answer_for_another_state(self) -> None:
        assert isinstance(lookup("DE", entity_id="SB-NY-000101"), NotFound)
        assert missing("MD", "Grey Selkie Ferries LLC").suggestions == ()

    def test_refuses_what_cannot_be_a_number_of_it(self) -> None:
        with pytest.raises(QueryRefused):
            lookup("DE", entity_id="1234567")

    def test_answers_when_all_portals_are_reached_elsewhere(self, settings: Any) -> None:
        settings.PORTALS_URL = "http://127.0.0.1:9"
        assert found("DE", "Blue Heron Logistics LLC").record.sos_url == (
            "https://sandbox.registry.invalid/DE/entity/SB-DE-000123"
        )


class TestADifficultName:
    """The samples in docs/sandbox.md."""

    @pytest.mark.parametrize(
        ("state", "asked", "number", "kind"),
        [
            ("DE", "Blue Heron Logistics Inc", "SB-DE-000124", "exact"),
            ("DE", "Blue Heron Freight", "SB-DE-000123", "former_name"),
            ("DE", "Heron & Sons Haulage LLC", "SB-DE-000123", "former_name"),
            ("FL", "Blue Heron Logistics LLC", "SB-FL-000123", "exact"),
            ("NV", "Marrow and Thimble Holdings II", "SB-NV-000132", "suffix_variant"),
            ("NV", "MARROW & THIMBLE HOLDINGS III, L.L.C.", "SB-NV-000133", "exact"),
            ("MA", "Quayside Tea and Spice LLC", "SB-MA-000132", "exact"),
            ("MA", "Quayside Tea & Spice Co", "SB-MA-000131", "exact"),
            ("TX", "3 Foxes Delivery LLC", "SB-TX-000131", "exact"),
            ("TX", "Three Foxes Delivery LLC", "SB-TX-000132", "exact"),
            ("ME", "OQuillans Boat Yard Inc", "SB-ME-000131", "exact"),
            ("ME", "O\u2019Quillan\u2019s Boat Yard, Inc.", "SB-ME-000131", "exact"),
            ("PR", "cafe nandu del cantil llc", "SB-PR-000131", "exact"),
            ("WA", "Grey Selkie Ferries LLC", "SB-WA-000131", "exact"),
            ("NM", "ABQ Tinsmiths PC", "SB-NM-000131", "exact"),
            ("OR", "Paper Lantern Society", "SB-OR-000131", "exact"),
            ("TN", "Rook and Kettle <Printers> LLC", "SB-TN-000131", "exact"),
        ],
    )
    def test_is_the_company_meant(self, state: str, asked: str, number: str, kind: str) -> None:
        answer = found(state, asked)
        assert (answer.record.entity_id, answer.match.kind) == (number, kind)

    @pytest.mark.parametrize(
        ("state", "asked"),
        [
            ("NV", "Marrow & Thimble Holdings LLC"),  # a series: which of them?
            ("NV", "Marrow & Thimble Holdings IV LLC"),
            ("TX", "4 Foxes Delivery LLC"),
            ("NY", "Snowberry Omnibus Corp."),  # a name put aside is no company
            ("DE", "Red Heron Logistics LLC"),
            ("DE", "Blue Heron"),
        ],
    )
    def test_is_not_taken_for_another_company(self, state: str, asked: str) -> None:
        assert isinstance(lookup(state, asked), NotFound)

    def test_is_suggested_after_a_slip_of_the_pen(self) -> None:
        answer = lookup("DE", "Blue Herron Logistic LLC")
        near = answer.record.entity_name if isinstance(answer, Found) else answer.suggestions[0].name
        assert near == "BLUE HERON LOGISTICS LLC"


@pytest.mark.django_db(transaction=True)
class TestATestKeysLookup:
    """The pipeline with `sandbox=True`."""

    def test_is_answered_for_a_state_that_is_switched_off_and_noted_as_fictional(self) -> None:
        reply = gateway.fetch(Query("KS", MAGIC["found"]), now=NOW, budget_seconds=10, sandbox=True)
        assert isinstance(reply.answer, Found)
        assert reply.answer.evidence.retrieved_at == NOW
        assert reply.normalized is not None
        assert reply.normalized["fieldAvailability"]["feiEinNumber"] == "not_published"
        attempt = gateway.ScrapeAttempt.objects.get(pk=reply.reading.attempt_id)
        assert (attempt.sandbox, attempt.outcome, attempt.state) == (True, "found", "KS")

    def test_may_be_answered_from_a_copy_with_its_day(self) -> None:
        reply = gateway.fetch(Query("KS", MAGIC["copy"]), now=NOW, budget_seconds=10, sandbox=True)
        assert isinstance(reply.answer, Found)
        assert (reply.answer.record.entity_id, reply.answer.evidence.from_copy) == ("SB-KS-900051", True)
        assert reply.answer.as_of == datetime(2026, 11, 1, tzinfo=UTC)
        other = gateway.fetch(Query("KS", MAGIC["found"]), now=NOW, budget_seconds=10, sandbox=True).answer
        assert isinstance(other, Found)
        assert (other.evidence.from_copy, other.as_of) == (False, None)

    def test_is_noted_when_it_fails(self) -> None:
        with pytest.raises(PortalBlocked):
            gateway.fetch(Query("KS", MAGIC["blocked"]), now=NOW, budget_seconds=10, sandbox=True)
        assert gateway.ScrapeAttempt.objects.get().outcome == "blocked"

    @pytest.mark.parametrize(
        ("state", "name", "said"),
        [
            ("WA", "Grey Selkie Ferries LLC", {"statusClass": "active", "statusReason": "not_in_good_standing"}),
            ("UT", "Rustwhistle Cartography LLC", {"statusClass": "neutral", "statusReason": "unrecognised_status"}),
            ("OH", "Lampblack Ink Company", {"statusClass": "neutral", "statusReason": "pending"}),
            ("GA", "Tumbledown Observatory LLC", {"statusClass": "inactive"}),
            ("FL", "Blue Heron Logistics LLC", {"domestic": False, "entityTypeClass": "llc"}),
            ("DE", "Blue Heron Logistics LLC", {"domestic": True, "formationDate": "2011-03-14"}),
        ],
    )
    def test_is_read_as_a_real_one_would_be(self, state: str, name: str, said: dict[str, Any]) -> None:
        normalized = gateway.fetch(Query(state, name), now=NOW, budget_seconds=10, sandbox=True).normalized
        assert normalized is not None
        assert {word: normalized[word] for word in said} == said

    def test_tells_an_address_that_could_not_be_split_from_one_that_is_not_there(self) -> None:
        far = gateway.fetch(Query("AK", "Far Muskeg Outfitters LLC"), now=NOW, budget_seconds=10, sandbox=True)
        bare = gateway.fetch(
            Query("WY", "Empty Drawer LLC"), now=NOW + timedelta(seconds=1), budget_seconds=10, sandbox=True
        )
        assert far.normalized is not None
        assert bare.normalized is not None
        assert far.normalized["fieldAvailability"]["registeredAgentCity"] == "parse_failed"
        assert bare.normalized["fieldAvailability"]["registeredAgentCity"] == "empty"
