"""Test keys see and change test things, live keys live ones: every endpoint, asked with a key of either kind.

Both keys are of one account, and every check looks at what the other mode has: what crosses over is found there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone
from standardwebhooks import Webhook

from billing import keys
from billing.models import Account, Hold, TopUp
from lookups import xlsx_export
from lookups.api.urls import urlpatterns
from lookups.jobs import lifecycle
from lookups.lookup import rows
from lookups.lookup.asks import Ask
from lookups.lookup.outcomes import Accepted
from lookups.lookup.payers import KeyPayer
from lookups.lookup.questions import Question
from lookups.models import BulkJob, Job, Watch
from lookups.notifications import webhook_secrets
from lookups.watches import ticking
from scrapers.sandbox.magic import MAGIC
from tests.lookups.conftest import PRICE, Customer, anew, open_customer
from tests.lookups.messages import listen_at, write_messages
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.webhook_receiver import Receiver, receiving, says

pytestmark = pytest.mark.django_db
SETTINGS = "/v1/account/settings"
KNOWN = {"live": "Acme Corp", "test": MAGIC["found"]}  # to the registry that the mode asks


@dataclass
class Side:
    """One mode of the account: its key, and what is there of it."""

    mode: str
    customer: Customer
    receiver: Receiver
    job_id: str
    bulk_id: str
    message_id: str

    @property
    def is_live(self) -> bool:
        return self.mode == "live"

    @property
    def address(self) -> str:
        """Where its webhooks go, as the account's row says now."""
        account = Account.objects.get(pk=self.customer.account.pk)
        return account.webhook_address(livemode=self.is_live)

    @property
    def secrets(self) -> list[str]:
        """What signs its webhooks now."""
        whose = {"account_id": self.customer.account.pk, "livemode": self.is_live}
        return webhook_secrets.list_secrets(**whose, now=timezone.now())

    def body(self, reply: Any, status: int = 200) -> dict[str, Any]:
        """The body of a reply of this mode, which says so."""
        assert reply.status_code == status, reply.content
        assert reply.json()["livemode"] is self.is_live
        return dict(reply.json())


def furnish(customer: Customer, receiver: Receiver) -> Side:
    """An address, a job, a bulk job and a message of the key's mode."""
    mode = str(customer.key.mode)
    listen_at(customer, receiver)
    ask = Ask(Question(state="NY", name=KNOWN[mode]), KeyPayer(customer.key))
    now = timezone.now()
    accepted = lifecycle.accept(ask, rows.draft(ask, now=now), estimated_seconds=60, now=now)
    assert isinstance(accepted, Accepted)
    bulk = customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": KNOWN[mode], "state": "NY"}]})
    (message,) = write_messages(customer, 1)
    return Side(mode, customer, receiver, accepted.job.public_id, bulk.json()["job_id"], message.message_id)


@pytest.fixture
def sides(switches: None, register: Register, settings: Any, no_workers: None) -> Iterator[list[Side]]:
    """The live and the test side of one account; nobody works, so what waits stays as it is."""
    settings.WEBHOOKS_TO_LOOPBACK = True
    live = open_customer()
    key, secret = keys.issue(account=live.account, name="trial", mode="test", now=timezone.now())
    with receiving(says(204)) as one, receiving(says(204)) as other:
        yield [furnish(live, one), furnish(Customer(live.account, key, secret), other)]


def look_up(mine: Side, other: Side) -> None:
    """Each asks its own registry, has its own stored answers and its own Idempotency-Keys, and the live one pays."""
    for side in (other, mine):
        before = side.customer.balance.available
        reply = side.customer.lookup(KNOWN[side.mode], headers={"idempotency_key": "once"})
        assert reply.status_code == 200
        assert "Idempotency-Replayed" not in reply
        assert side.customer.balance.available == before - (PRICE if side.is_live else 0)
    for source in ("live", "cache"):
        assert mine.customer.lookup(KNOWN[other.mode], source=source).status_code == 404


def check_a_name(mine: Side, other: Side) -> None:
    """As for lookups: what the other registry knows takes no name in this one."""
    before = mine.customer.balance.available
    reply = mine.customer.post("/v1/name-availability", {"entity_name": KNOWN[mine.mode], "state": "NY"})
    assert reply.json()["available"] is False
    assert mine.customer.balance.available == before - (PRICE if mine.is_live else 0)
    foreign = mine.customer.post("/v1/name-availability", {"entity_name": KNOWN[other.mode], "state": "NY"})
    assert foreign.json()["conflictingEntities"] == []


def read_a_job(mine: Side, other: Side) -> None:
    """Its own; the other's does not exist."""
    assert mine.customer.get(f"/v1/lookup/status/{mine.job_id}").json()["jobId"] == mine.job_id
    assert_error(mine.customer.get(f"/v1/lookup/status/{other.job_id}"), 404, "job_not_found")


def ask_in_bulk(mine: Side, other: Side) -> None:
    """The bulk job is of the mode, and only a live one holds money."""
    held = Hold.objects.count()
    body = {"entities": [{"entity_name": "Anybody", "state": "NY"}]}
    made = mine.customer.post("/v1/bulk-lookup", body).json()["job_id"]
    assert BulkJob.objects.get(pk=made.removeprefix("bulk_")).key.mode == mine.mode
    assert Hold.objects.count() - held == int(mine.is_live)


def read_a_bulk_job(mine: Side, other: Side) -> None:
    """Its own, in every form; the other's does not exist in any."""
    for accept in ("application/json", "text/csv", "application/x-ndjson", xlsx_export.MEDIA_TYPE):
        ours = mine.customer.get(f"/v1/bulk-lookup/{mine.bulk_id}", accept=accept)
        assert (ours.status_code, ours.getvalue() == b"") == (200, False)
        foreign = mine.customer.get(f"/v1/bulk-lookup/{other.bulk_id}", accept=accept)
        assert_error(foreign, 404, "job_not_found")


def list_bulk_jobs(mine: Side, other: Side) -> None:
    """Those of the mode alone."""
    body = mine.body(mine.customer.get("/v1/bulk-lookup"))
    assert [one["job_id"] for one in body["bulk_jobs"]] == [mine.bulk_id]


def list_lookups(mine: Side, other: Side) -> None:
    """Those of the mode alone: the job's and the row of the bulk job."""
    body = mine.body(mine.customer.get("/v1/lookups"))
    assert {one["livemode"] for one in body["lookups"]} == {mine.is_live}
    assert [one["bulk"] for one in body["lookups"]] == [mine.bulk_id, None]


def read_a_lookup(mine: Side, other: Side) -> None:
    """That of the other mode is not there."""
    (_, ours), (_, theirs) = (one.customer.get("/v1/lookups").json()["lookups"] for one in (mine, other))
    assert mine.body(mine.customer.get(ours["url"]))["lookupId"] == ours["lookupId"]
    assert mine.customer.get(theirs["url"]).status_code == 404


def read_evidence(what: str) -> Callable[[Side, Side], None]:
    """What proves a lookup is for its own mode."""

    def check(mine: Side, other: Side) -> None:
        ours, theirs = (
            one.customer.lookup(KNOWN[one.mode], headers=anew()).json()["lookupId"] for one in (mine, other)
        )
        assert mine.customer.get(f"/v1/lookups/{ours}/{what}").status_code == 200
        assert_error(mine.customer.get(f"/v1/lookups/{theirs}/{what}"), 404, "lookup_not_found")

    return check


def read_a_history(mine: Side, other: Side) -> None:
    """Of the companies that its own registry has; the other registry's are not there, though both were read."""
    ours, theirs = (
        f"/v1/entities/NY/{one.customer.lookup(KNOWN[one.mode], headers=anew()).json()['data']['entityId']}"
        for one in (mine, other)
    )
    assert mine.body(mine.customer.get(ours))["data"]["entityName"].startswith(KNOWN[mine.mode].split()[0].upper())
    assert mine.body(mine.customer.get(theirs), 404)["code"] == "entity_not_found"


def cancel_a_bulk_job(mine: Side, other: Side) -> None:
    """Its own; the other's goes on."""

    def cancel(bulk_id: str) -> Any:
        path, headers = f"/v1/bulk-lookup/{bulk_id}", {"x-api-key": mine.customer.secret}
        return Client(raise_request_exception=False).delete(path, headers=headers)

    assert_error(cancel(other.bulk_id), 404, "job_not_found")
    assert not BulkJob.objects.filter(cancelled_at__isnull=False).exists()
    assert Job.objects.open().of_bulk_jobs().count() == 2
    assert cancel(mine.bulk_id).json()["status"] == "cancelled"


def read_what_is_public(path: str) -> Callable[[Side, Side], None]:
    """The same for every key, and for none."""

    def check(mine: Side, other: Side) -> None:
        replies = [side.customer.get(path).json() for side in (mine, other)] + [Client().get(path).json()]
        for reply in replies:
            if isinstance(reply, dict):  # the moment and the request are each one's own
                reply.pop("timestamp", None)
                reply.pop("requestId", None)
                reply.pop("oldest_due_seconds", None)  # a second may have passed
                for component in reply.get("components", []):
                    component.pop("last_heartbeat_seconds")
        assert replies[0] == replies[1] == replies[2]

    return check


def read_the_balance(mine: Side, other: Side) -> None:
    """The live one is the live key's; test mode has none and costs nothing."""
    body = mine.body(mine.customer.get("/v1/account/balance"))
    numbers = [body[name] for name in ("balanceStored", "balanceDisplay", "lookupsRemaining", "pricePerLookup")]
    assert numbers == ([8 * PRICE, "$0.25", 8, 0.0314] if mine.is_live else [0, "$0.00", 0, 0])


def read_the_usage(mine: Side, other: Side) -> None:
    """Money moves in live mode only, and only its key sees how."""
    body = mine.body(mine.customer.get("/v1/account/usage"))
    assert [entry["kind"] for entry in body["entries"]] == (["hold", "hold", "free_grant"] if mine.is_live else [])
    table = b"".join(mine.customer.get("/v1/account/usage", accept="text/csv").streaming_content)
    assert len(table.splitlines()) == (4 if mine.is_live else 1)


def top_up(mine: Side, other: Side) -> None:
    """A test key moves no money."""
    reply = mine.customer.post("/v1/account/topup", {"amount": 3.14})
    assert_error(reply, *((503, "payment_unavailable") if mine.is_live else (403, "forbidden")))
    assert not TopUp.objects.exists()


def change_the_settings(mine: Side, other: Side) -> None:
    """The address is each mode's own; all else is the live key's, and a test key that sends it changes nothing."""
    elsewhere, kept = other.address, mine.address
    wanted = {"maxCacheAgeDays": 3, "cacheFirstDefault": True, "monthlyBudget": 5}
    for name, value in wanted.items():
        before = Account.objects.values().get(pk=mine.customer.account.pk)
        reply = mine.customer.patch(SETTINGS, {"webhookUrl": None, name: value})
        if mine.is_live:
            assert mine.body(reply)[name] == value
        else:
            assert name in assert_error(reply, 403, "forbidden")["error"]
            assert Account.objects.values().get(pk=mine.customer.account.pk) == before
            assert mine.address == kept
    new = "https://hooks.example.com/new"
    assert mine.body(mine.customer.patch(SETTINGS, {"webhookUrl": new}))["webhookUrl"] == mine.address == new
    assert other.address == elsewhere


def read_the_settings(mine: Side, other: Side) -> None:
    """With the address of this mode."""
    body = mine.body(mine.customer.get(SETTINGS))
    assert body["webhookUrl"] == mine.address != other.address


def list_the_deliveries(mine: Side, other: Side) -> None:
    """Its own; a cursor of the other mode leads to nothing of it either."""
    for query in ("", "?status=pending", f"?cursor={10**16}-{'f' * 32}"):
        body = mine.body(mine.customer.get(f"/v1/account/deliveries{query}"))
        assert [(row["id"], row["livemode"]) for row in body["deliveries"]] == [(mine.message_id, mine.is_live)]


def make_a_secret(mine: Side, other: Side) -> None:
    """A new one for this mode, as often as the day allows; the other's goes on as it was."""
    elsewhere = other.secrets
    made = mine.body(mine.customer.post("/v1/account/webhook-secret", {}))["webhookSecret"]
    assert mine.secrets == [made]
    for _ in range(4):
        mine.body(mine.customer.post("/v1/account/webhook-secret", {}))
    assert_error(mine.customer.post("/v1/account/webhook-secret", {}), 429, "rate_limited")
    assert other.secrets == elsewhere
    other.body(other.customer.post("/v1/account/webhook-secret", {}))


def try_the_webhook(mine: Side, other: Side) -> None:
    """At the address of this mode, signed with its secret and with no other."""
    mine.body(mine.customer.post("/v1/account/webhook-test", {}))
    assert other.receiver.requests == []
    (request,) = mine.receiver.requests
    event = Webhook(mine.secrets[0]).verify(request.body, request.headers)
    assert (event["type"], event["livemode"]) == ("webhook.test", mine.is_live)
    assert not set(mine.secrets) & set(other.secrets)


def list_keys(mine: Side, other: Side) -> None:
    """A test key its own mode's; a live key looks after both."""
    seen = [key["mode"] for key in mine.body(mine.customer.get("/v1/keys"))["keys"]]
    assert seen == (["test", "live"] if mine.is_live else ["test"])


def make_a_key(mine: Side, other: Side) -> None:
    """Of its own mode where nothing is said; a live one only with a live key."""
    assert mine.body(mine.customer.post("/v1/keys", {"name": "k"}), 201)["key"]["mode"] == mine.mode
    reply = mine.customer.post("/v1/keys", {"name": "k", "mode": other.mode})
    assert reply.status_code == (201 if mine.is_live else 403)


def delete(who: Customer, name: str) -> Any:
    """Revoke it."""
    return Client().delete(f"/v1/keys/{name}", headers={"x-api-key": who.secret})


def with_a_key(act: Callable[[Customer, str], Any], done: int) -> Callable[[Side, Side], None]:
    """What is done to one key: to the live one by itself, or by no test key."""

    def check(mine: Side, other: Side) -> None:
        keys.issue(account=mine.customer.account, name="spare", now=timezone.now())
        reply = act(mine.customer, other.customer.key.public_id)
        if mine.is_live:
            mine.body(reply, done)
        else:
            assert_error(reply, 404, "key_not_found")
            assert other.customer.get("/v1/account/balance").status_code == 200
        mine.body(act(mine.customer, mine.customer.key.public_id), done)

    return check


def make_a_watch(side: Side) -> str:
    """Of a company in the mode of its side."""
    reply = side.customer.post("/v1/watches", {"state": "NY", "entity_name": "Acme Corp"})
    name: str = side.body(reply, 201)["watch"]["id"]
    return name


def watch(mine: Side, other: Side) -> None:
    """Each mode its own, however alike they are."""
    assert make_a_watch(mine) != make_a_watch(other)


def watch_many(mine: Side, other: Side) -> None:
    """What the other mode watches just so is watched anew."""
    rows = {"watches": [{"state": "NY", "entity_name": "Acme Corp"}]}
    other.body(other.customer.post("/v1/watches/batch", rows), 201)
    assert mine.body(mine.customer.post("/v1/watches/batch", rows), 201)["created"] == 1


def list_watches(mine: Side, other: Side) -> None:
    """Those of the mode alone."""
    made = make_a_watch(mine)
    make_a_watch(other)
    assert [one["id"] for one in mine.body(mine.customer.get("/v1/watches"))["watches"]] == [made]


def list_events(mine: Side, other: Side) -> None:
    """What the watches of the mode have seen."""
    made, now = make_a_watch(mine), timezone.now()
    row = Watch.objects.get(pk=made.removeprefix("watch_"))
    ticking.pause(row.pk, account_id=row.account_id, because=Watch.PauseReason.KEY_ENDED, now=now)
    assert [one["watchId"] for one in mine.body(mine.customer.get("/v1/events"))["events"]] == [made]
    assert other.body(other.customer.get("/v1/events"))["events"] == []


def with_a_watch(act: Callable[[Customer, str], Any], done: int = 200) -> Callable[[Side, Side], None]:
    """What is done to one watch is done by its own mode alone."""

    def check(mine: Side, other: Side) -> None:
        made = make_a_watch(mine)
        assert_error(act(other.customer, made), 404, "watch_not_found")
        mine.body(act(mine.customer, made), done)

    return check


def end_a_watch(who: Customer, name: str) -> Any:
    """Delete it."""
    return Client().delete(f"/v1/watches/{name}", headers={"x-api-key": who.secret})


TABLE: dict[tuple[str, str], Callable[[Side, Side], None]] = {
    ("lookup", "post"): look_up,
    ("name-availability", "post"): check_a_name,
    ("job", "get"): read_a_job,
    ("bulk", "post"): ask_in_bulk,
    ("bulk-job", "get"): read_a_bulk_job,
    ("bulk-job", "delete"): cancel_a_bulk_job,
    ("api-states", "get"): read_what_is_public("/v1/states"),
    ("health", "get"): read_what_is_public("/v1/health"),
    ("balance", "get"): read_the_balance,
    ("usage", "get"): read_the_usage,
    ("bulk", "get"): list_bulk_jobs,
    ("lookups", "get"): list_lookups,
    ("one-lookup", "get"): read_a_lookup,
    ("evidence", "get"): read_evidence("evidence"),
    ("evidence-file", "get"): read_evidence("evidence.wacz"),
    ("entity-history", "get"): read_a_history,
    ("topup", "post"): top_up,
    ("settings", "patch"): change_the_settings,
    ("settings", "get"): read_the_settings,
    ("deliveries", "get"): list_the_deliveries,
    ("webhook-secret", "post"): make_a_secret,
    ("webhook-test", "post"): try_the_webhook,
    ("keys", "get"): list_keys,
    ("keys", "post"): make_a_key,
    ("one-key", "get"): with_a_key(lambda who, name: who.get(f"/v1/keys/{name}"), 200),
    ("one-key", "delete"): with_a_key(delete, 200),
    ("rotate-key", "post"): with_a_key(lambda who, name: who.post(f"/v1/keys/{name}/rotate", {}), 201),
    ("watches", "get"): list_watches,
    ("watches", "post"): watch,
    ("many-watches", "post"): watch_many,
    ("one-watch", "get"): with_a_watch(lambda who, name: who.get(f"/v1/watches/{name}")),
    ("one-watch", "patch"): with_a_watch(lambda who, name: who.patch(f"/v1/watches/{name}", {"every": "week"})),
    ("one-watch", "delete"): with_a_watch(end_a_watch),
    ("watch-checks", "get"): with_a_watch(lambda who, name: who.get(f"/v1/watches/{name}/checks")),
    ("watch-checks", "post"): with_a_watch(lambda who, name: who.post(f"/v1/watches/{name}/checks", {}), 202),
    ("events", "get"): list_events,
    ("taxonomy", "get"): read_what_is_public("/v1/events/taxonomy"),
    ("unknown", "get"): read_what_is_public("/v1/nothing"),
}


def methods_of(pattern: URLPattern) -> list[str]:
    """What an address may be asked by; where there is none, one word stands for all."""
    view = pattern.callback.view_class
    return ["get"] if pattern.name == "unknown" else [one for one in view.http_method_names if hasattr(view, one)]


class TestEveryEndpoint:
    """With a key of either mode."""

    @pytest.mark.parametrize("mode", ["live", "test"])
    @pytest.mark.parametrize(("name", "method"), TABLE)
    def test_keeps_the_modes_apart(self, sides: list[Side], name: str, method: str, mode: str) -> None:
        mine, other = sides if mode == "live" else reversed(sides)
        TABLE[name, method](mine, other)

    def test_is_in_the_table(self) -> None:
        ours = [pattern for pattern in urlpatterns if str(pattern.pattern).lstrip("^").startswith("v1/")]
        assert {(pattern.name, method) for pattern in ours for method in methods_of(pattern)} == set(TABLE)
