"""A client that is generated from the document understands every reply: it compiles, and nothing makes it stumble."""

from __future__ import annotations

import compileall
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from scrapers.sandbox.magic import DEMO_QUESTION, MAGIC
from tests.contract import generated_client
from tests.contract.generated_client import Caller
from tests.lookups.conftest import Customer
from tests.lookups.messages import end_bulk, end_jobs, write_messages
from tests.lookups.test_settlement_rules import spend_all
from tests.lookups.test_top_up import cards_of_a_provider  # noqa: F401  (used by pytest)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("generated")]
ACME = {"entity_name": "Acme Corp", "state": "NY"}
Dial = Callable[[str | None], Caller]


@pytest.fixture(scope="module")
def folder(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the client was generated; it can be imported until the last test here is over."""
    made = generated_client.make(document, tmp_path_factory.mktemp("generated"))
    sys.path.insert(0, str(made.parent))
    yield made
    sys.path.remove(str(made.parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == generated_client.PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def dial(folder: Path, live_server: Any, monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Iterator[Dial]:
    """The client, connected to the running service with a key or without; the test plays the workers."""
    monkeypatch.setattr("scrapers.sandbox.server.SLOW_SECONDS", 0.01)
    with ExitStack() as calls:
        yield lambda secret: calls.enter_context(closing(Caller(live_server.url, secret)))


@pytest.fixture
def ask(dial: Dial, tester: Customer) -> Caller:
    """The client with a key of the sandbox."""
    return dial(tester.secret)


def kind_of(parsed: Any) -> str:
    """The name of its class."""
    return type(parsed).__name__


def named(outcome: str, **more: Any) -> dict[str, Any]:
    """A question that the sandbox answers so."""
    return {"entity_name": MAGIC[outcome], "state": "DE", **more}


class TestAGeneratedClient:
    """Before it calls anybody."""

    def test_compiles_and_can_be_imported(self, folder: Path, document: dict[str, Any]) -> None:
        assert compileall.compile_dir(folder, quiet=1)
        wanted = sum(len(methods) for methods in document["paths"].values())
        assert len(generated_client.list_operations()) == wanted

    def test_has_one_class_for_every_list_of_words(self, folder: Path, document: dict[str, Any]) -> None:
        lists = {name: schema for name, schema in document["components"]["schemas"].items() if "enum" in schema}
        made = generated_client.list_classes("models", Enum)
        assert set(made) == set(lists)
        assert all(generated_client.words(one) == set(lists[name]["enum"]) for name, one in made.items())
        assert generated_client.list_numbered(set(generated_client.list_classes("models"))) == set()

    def test_with_several_classes_for_one_list_is_noticed(self) -> None:
        assert generated_client.list_numbered({"Foo", "FooType1", "FooType2", "Bar"}) == {"FooType1", "FooType2"}

    def test_that_passes_over_a_name_is_noticed(self, folder: Path) -> None:
        officer = generated_client.list_classes("models")["Officer"].from_dict(  # type: ignore[attr-defined]
            {"name": "JORDAN SAMPLE", "title": None, "address": None, "mascot": "heron"}
        )
        assert list(generated_client.list_untyped([officer, {}])) == ["[].mascot", "[]"]


class TestALookup:
    """POST /v1/lookup."""

    @pytest.mark.parametrize(
        ("question", "status", "kind"),
        [
            (DEMO_QUESTION, 200, "EntityReply"),
            ({**DEMO_QUESTION, "searchType": "ucc"}, 200, "UccReply"),
            (named("later"), 202, "Accepted"),
            (named("found", dateAfter="2026-01-01"), 400, "InvalidRequest"),
            (named("too_many"), 400, "InvalidRequest"),
            (named("not_found"), 404, "EntityNotFound"),
            (named("ambiguous"), 404, "EntityNotFound"),
            (named("fails"), 503, "SourceUnavailable"),
        ],
        ids=lambda value: str(value) if isinstance(value, int) else None,
    )
    def test_is_understood_however_it_ends(self, ask: Caller, question: Any, status: int, kind: str) -> None:
        answered, parsed = ask("lookup", body=question)
        assert (answered, kind_of(parsed)) == (status, kind)

    def test_tells_what_does_not_fit(self, ask: Caller) -> None:
        _, parsed = ask("lookup", body={"state": "Delaware", "entity_name": "x"})
        assert set(parsed.details.additional_properties) == {"state", "entity_name"}
        assert parsed.code.value == "invalid_request"

    def test_from_what_is_stored_has_the_company_twice(self, ask: Caller) -> None:
        ask("lookup", body=DEMO_QUESTION)
        _, parsed = ask("lookup", body={**DEMO_QUESTION, "source": "cache"})
        assert (kind_of(parsed.data), kind_of(parsed.entity), parsed.cached) == ("Entity", "Entity", True)

    def test_under_a_key_that_belongs_to_another_request_is_a_conflict(self, ask: Caller) -> None:
        ask("lookup", body=DEMO_QUESTION, idempotency_key="order-17")
        status, parsed = ask("lookup", body=named("found"), idempotency_key="order-17")
        assert (status, kind_of(parsed), parsed.code.value) == (409, "Error", "idempotency_conflict")

    def test_with_a_key_that_opens_nothing_is_401(self, dial: Dial, switches: None) -> None:
        status, parsed = dial("osd_test_nothing")("lookup", body=DEMO_QUESTION)
        assert (status, kind_of(parsed), parsed.code.value) == (401, "Error", "unauthorized")

    def test_that_cannot_be_paid_says_why(self, dial: Dial, customer: Customer) -> None:
        ask = dial(customer.secret)
        ask("change_settings", body={"monthlyBudget": 0})
        for operation in ("lookup", "check_name"):
            status, parsed = ask(operation, body=ACME)
            assert (status, kind_of(parsed), parsed.code.value) == (402, "PaymentRequired", "budget_exceeded")
        ask("change_settings", body={"monthlyBudget": None})
        spend_all(customer)
        for operation, body in (("lookup", ACME), ("bulk_lookup", {"entities": [ACME]})):
            status, parsed = ask(operation, body=body)
            assert (status, kind_of(parsed), parsed.code.value) == (402, "PaymentRequired", "insufficient_balance")

    def test_of_too_many_in_a_minute_is_429(self, dial: Dial, tester: Customer) -> None:
        type(tester.key).objects.update(rate_limit_per_minute=0)
        status, parsed = dial(tester.secret)("lookup", body=DEMO_QUESTION)
        assert (status, kind_of(parsed), parsed.code.value, parsed.retryable) == (429, "Error", "rate_limited", True)

    def test_that_breaks_down_here_is_a_500(self, ask: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: Any, **__: Any) -> None:
            raise RuntimeError

        monkeypatch.setattr("lookups.api.views.lookup.perform", broken)
        status, parsed = ask("lookup", body=DEMO_QUESTION)
        assert (status, kind_of(parsed), parsed.code.value) == (500, "Error", "internal_error")

    def test_without_a_key_says_what_it_costs(self, dial: Dial, switches: None, settings: Any) -> None:
        settings.SANDBOX_PAYMENTS = True
        status, parsed = dial(None)("lookup", body=DEMO_QUESTION)
        assert (status, kind_of(parsed), bool(parsed.challenge_id)) == (402, "PaymentRequired", True)


class TestAJob:
    """GET /v1/lookup/status/{jobId}."""

    @pytest.mark.parametrize(
        ("outcome", "status", "kind", "state"),
        [
            ("later", 200, "EntityReply", "complete"),
            ("later_not_found", 200, "EntityNotFound", "complete"),
            ("later_page_changed", 500, "JobFailed", "failed"),
            ("later_too_many", 400, "JobFailed", "failed"),
        ],
    )
    def test_is_followed_to_its_end(self, ask: Caller, outcome: str, status: int, kind: str, state: str) -> None:
        _, accepted = ask("lookup", body=named(outcome))
        _, running = ask("get_job", accepted.job_id)
        assert (kind_of(running), running.status.value) == ("JobStatus", "pending")
        end_jobs()
        answered, parsed = ask("get_job", accepted.job_id)
        assert (answered, parsed.status.value) == (status, state)
        assert kind_of(parsed.result if status == 200 else parsed) == kind

    def test_that_is_not_there_is_404(self, ask: Caller) -> None:
        status, parsed = ask("get_job", f"job_{0:032x}")
        assert (status, kind_of(parsed), parsed.code.value) == (404, "Error", "job_not_found")


class TestABulkJob:
    """/v1/bulk-lookup."""

    def test_is_taken_on_paged_listed_and_cancelled(self, ask: Caller) -> None:
        rows = [named(outcome) for outcome in ("found", "not_found", "ambiguous", "too_many", "page_changed", "later")]
        rows.append({**DEMO_QUESTION, "searchType": "ucc", "ref": "liens"})
        rows.append({"entity_name": MAGIC["found"], "states": ["NY", "CA"]})
        status, taken = ask("bulk_lookup", body={"entities": rows})
        assert (status, kind_of(taken), taken.total) == (202, "BulkAccepted", 9)
        _, fresh = ask("get_bulk_job", taken.job_id)
        assert {row.status.value for row in fresh.results} == {"queued"}
        end_bulk()
        _, page = ask("get_bulk_job", taken.job_id)
        assert {row.status.value for row in page.results} == {"found", "not_found", "failed"}
        assert [kind_of(row.data) for row in page.results][:7:6] == ["Entity", "UccData"]
        assert kind_of(page.results[3].details) == "BulkRowDetailsType0"
        _, listed = ask("list_bulk_jobs")
        assert [one.job_id for one in listed.bulk_jobs] == [taken.job_id]

    def test_that_is_cancelled_tells_what_it_left_out(self, ask: Caller) -> None:
        _, taken = ask("bulk_lookup", body={"entities": [named("found")]})
        assert kind_of(ask("cancel_bulk_job", taken.job_id)[1]) == "BulkSummary"
        _, page = ask("get_bulk_job", taken.job_id)
        status, again = ask("get_lookup", page.results[0].lookup_id)
        assert (page.status.value, status, again.code.value) == ("cancelled", 200, "cancelled")

    def test_comes_as_a_table_too(self, ask: Caller) -> None:
        file = generated_client.list_classes("types")["File"]
        table = f"entity_name,state,ref\n{MAGIC['found']},DE,row 1\n".encode()
        status, taken = ask("bulk_lookup", body=file(io.BytesIO(table)), max_wait_seconds=60)
        assert (status, taken.total) == (202, 1)
        status, refused = ask("bulk_lookup", body=file(io.BytesIO(b"entity_name,state\nAcme Corp,ZZ\n")))
        assert (status, kind_of(refused), refused.details[0].line) == (400, "InvalidBulk", 2)

    def test_with_a_wrong_row_says_which(self, ask: Caller) -> None:
        status, parsed = ask("bulk_lookup", body={"entities": [DEMO_QUESTION, {"state": "DE"}]})
        assert (status, kind_of(parsed), [one.index for one in parsed.details]) == (400, "InvalidBulk", [1])


class TestANameCheck:
    """POST /v1/name-availability."""

    @pytest.mark.parametrize(
        ("outcome", "status", "kind"),
        [
            ("found", 200, "NameReply"),
            ("name_refused", 200, "NameReply"),
            ("cannot_say", 200, "NameReply"),
            ("too_many", 400, "InvalidRequest"),
            ("fails", 503, "SourceUnavailable"),
        ],
    )
    def test_is_understood_however_it_ends(self, ask: Caller, outcome: str, status: int, kind: str) -> None:
        answered, parsed = ask("check_name", body=named(outcome))
        assert (answered, kind_of(parsed)) == (status, kind)


class TestWhatWasAsked:
    """GET /v1/lookups."""

    def test_is_listed_and_given_again(self, ask: Caller) -> None:
        for outcome in ("found", "not_found", "ambiguous", "too_many", "fails", "later"):
            ask("lookup", body=named(outcome))
        ask("lookup", body={**DEMO_QUESTION, "searchType": "ucc"})
        ask("check_name", body=named("found"))
        wanted = generated_client.list_classes("models")["VerdictWanted"]
        _, listed = ask("list_lookups", limit=100)
        kinds = {kind_of(ask("get_lookup", one.lookup_id)[1]) for one in listed.lookups}
        replies = {"EntityReply", "UccReply", "NameReply"}
        assert kinds == replies | {"EntityNotFound", "InvalidRequest", "SourceUnavailable", "OpenLookup"}
        _, still_open = ask("list_lookups", verdict=wanted("open"))
        assert [one.entity_name for one in still_open.lookups] == [MAGIC["later"]]
        assert ask("get_lookup", f"lk_{0:032x}")[0] == 404


class TestKeys:
    """/v1/keys."""

    def test_are_made_listed_rotated_and_revoked(self, ask: Caller, tester: Customer) -> None:
        status, made = ask(
            "create_key", body={"name": "nightly import", "scopes": ["keys"], "allowedNetworks": ["::1"]}
        )
        assert (status, kind_of(made), made.secret[:9]) == (201, "NewKeyReply", "osd_test_")
        assert [scope.value for scope in made.key.scopes] == ["keys"]
        status, new = ask("rotate_key", made.key.id, body={"overlapSeconds": 0})
        assert (status, kind_of(new), new.key.replaces) == (201, "NewKeyReply", made.key.id)
        assert ask("get_key", made.key.id)[1].key.status.value == "revoked"
        assert [one.id for one in ask("list_keys", limit=2)[1].keys] == [new.key.id, made.key.id]
        assert ask("revoke_key", new.key.id)[1].key.status.value == "revoked"

    def test_that_are_not_to_be_had_say_why(self, ask: Caller, tester: Customer) -> None:
        refusals = [
            ask("create_key", body={"name": "k", "mode": "live"}),
            ask("create_key", body={"name": ""}),
            ask("get_key", f"key_{0:032x}"),
            ask("revoke_key", tester.key.public_id),
        ]
        assert [(status, parsed.code.value) for status, parsed in refusals] == [
            (403, "forbidden"),
            (400, "invalid_request"),
            (404, "key_not_found"),
            (409, "last_key"),
        ]


class TestTheAccount:
    """What concerns the account, and what needs no key."""

    def test_is_read_with_a_live_key(self, dial: Dial, customer: Customer) -> None:
        ask = dial(customer.secret)
        write_messages(customer, 1)
        assert ask("get_balance")[1].lookups_remaining == 10
        assert ask("list_usage")[1].entries[0].kind.value == "free_grant"
        assert ask("list_deliveries")[1].deliveries[0].status.value == "pending"
        assert ask("get_settings")[1].monthly_budget is None
        assert ask("change_settings", body={"monthlyBudget": 25})[1].monthly_budget == 25
        assert ask("change_settings", body={"monthlyBudget": -1})[0] == 400
        assert kind_of(ask("test_webhook")[1]) in ("WebhookTestReply", "InvalidRequest")
        assert ask("new_webhook_secret")[1].webhook_secret.startswith("whsec_")
        assert ask("list_usage", limit=0)[0] == 400

    def test_may_not_be_changed_with_a_test_key(self, ask: Caller) -> None:
        status, parsed = ask("change_settings", body={"monthlyBudget": 25})
        assert (status, kind_of(parsed)) == (403, "Error")
        assert ask("top_up", body={"amount": 5})[0] == 403

    def test_is_topped_up_or_says_why_not(self, dial: Dial, customer: Customer, cards: Any) -> None:
        ask = dial(customer.secret)
        for body, status, kind in (
            ({"amount": 3.14}, 200, "TopUpReply"),
            ({"amount": 0.1}, 400, "InvalidRequest"),
            ({"amount": 3.14, "payBy": "challenge"}, 402, "PaymentRequired"),
        ):
            answered, parsed = ask("top_up", body=body)
            assert (answered, kind_of(parsed)) == (status, kind)
        cards.mood = "down"
        status, parsed = ask("top_up", body={"amount": 3.14})
        assert (status, kind_of(parsed), parsed.code.value) == (503, "Error", "payment_unavailable")

    def test_is_not_needed_for_states_and_health(self, dial: Dial, switches: None) -> None:
        ask = dial(None)
        _, states = ask("list_states")
        assert {kind_of(state) for state in states} == {"State"}
        assert kind_of(ask("get_health")[1]) == "Health"
        assert ask("get_balance")[0] == 401
