"""A customer sees what was sent unasked: where to, whether it arrived, and when it is tried next."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import keys
from lookups.models import Delivery
from lookups.notifications import deliveries
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.messages import deliver, end_bulk, end_jobs, listen_at, write_messages
from tests.lookups.registry_server import Register
from tests.lookups.test_hostile_bodies import assert_error
from tests.lookups.webhook_receiver import receiving, says

pytestmark = pytest.mark.django_db
PATH = "/v1/account/deliveries"


@pytest.fixture(autouse=True)
def _played(no_workers: None, settings: Any) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = True


def listed(customer: Customer, query: str = "") -> list[dict[str, Any]]:
    reply = customer.get(f"{PATH}{query}")
    assert reply.status_code == 200
    return list(reply.json()["deliveries"])


class TestTheList:
    """GET /v1/account/deliveries."""

    def test_tells_how_far_each_message_is_and_what_it_tells_of(
        self, customer: Customer, register: Register, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from scrapers.states.new_york import NewYork

        monkeypatch.setattr(NewYork, "slow", True)
        with receiving(says(204)) as receiver:
            listen_at(customer, receiver)
            job_id = customer.lookup().json()["jobId"]
            end_jobs()
            deliver()
            address = f"http://127.0.0.1:{receiver.port}/hooks"
        bulk_id = customer.post("/v1/bulk-lookup", {"entities": [{"entity_name": "Nobody", "state": "NY"}]}).json()[
            "job_id"
        ]
        end_bulk()
        deliver()
        waits, arrived = listed(customer)
        row = Delivery.objects.get(status="delivered")
        assert arrived == {
            "id": row.message_id,
            "livemode": True,
            "type": "lookup.complete",
            "channel": "webhook",
            "address": address,
            "status": "delivered",
            "attempts": 1,
            "lastAnswer": "answered 204",
            "nextAt": None,
            "createdAt": arrived["createdAt"],
            "deliveredAt": arrived["deliveredAt"],
            "jobId": job_id,
            "bulkJobId": None,
        }
        assert arrived["createdAt"] < arrived["deliveredAt"] < waits["nextAt"]
        assert (waits["type"], waits["status"], waits["jobId"], waits["bulkJobId"]) == (
            "bulk.complete",
            "pending",
            None,
            bulk_id,
        )
        assert "no connection" in waits["lastAnswer"]
        assert waits["deliveredAt"] is None

    def test_comes_in_pages_that_miss_and_repeat_nothing_even_in_one_moment(self, customer: Customer) -> None:
        rows = write_messages(customer, 5)
        Delivery.objects.update(created_at=timezone.now())
        late = write_messages(customer, 1)
        seen: list[str] = []
        cursor = ""
        while True:
            body = customer.get(f"{PATH}?limit=2{cursor}").json()
            seen += [one["id"] for one in body["deliveries"]]
            write_messages(customer, 1)  # what comes meanwhile does not move the pages
            if body["nextCursor"] is None:
                break
            cursor = f"&cursor={body['nextCursor']}"
        assert seen[0] == late[0].message_id
        assert sorted(seen) == sorted(row.message_id for row in [*rows, *late])

    def test_can_be_limited_to_a_status(self, customer: Customer) -> None:
        one, two, three = write_messages(customer, 3)
        Delivery.objects.filter(pk=two.pk).update(status="given_up", next_at=None)
        Delivery.objects.filter(pk=three.pk).update(status="delivered", next_at=None, delivered_at=timezone.now())
        for status, row in (("pending", one), ("given_up", two), ("delivered", three)):
            assert [found["id"] for found in listed(customer, f"?status={status}")] == [row.message_id]

    def test_is_each_accounts_own(self, customer: Customer) -> None:
        write_messages(open_customer(name="Other"), 1)
        assert listed(customer) == []

    def test_is_each_modes_own(self, customer: Customer) -> None:
        key, secret = keys.issue(account=customer.account, name="tests", mode="test", now=timezone.now())
        tests = Customer(customer.account, key, secret)
        for one in (customer, tests):
            (row,) = write_messages(one, 1)
            assert [(found["id"], found["livemode"]) for found in listed(one)] == [(row.message_id, one.key.livemode)]

    def test_is_one_query_however_many_they_are(self, customer: Customer, django_assert_max_num_queries: Any) -> None:
        write_messages(customer, 20)
        listed(customer)
        with django_assert_max_num_queries(3):  # with those for the key and its limit
            assert len(listed(customer)) == 20

    def test_needs_the_right_to_the_account(self, customer: Customer) -> None:
        type(customer.key).objects.filter(pk=customer.key.pk).update(scopes=["lookup"])
        assert customer.get(PATH).status_code == 403

    @pytest.mark.parametrize(
        "query",
        [
            "cursor=x",
            "cursor=",
            "cursor=1-" + "F" * 32,
            "cursor=-1-" + "f" * 32,
            "cursor=" + "9" * 18 + "-" + "f" * 32,
            "cursor=\u0661-" + "f" * 32,
            "status=lost",
            "status=",
            "limit=0",
            "limit=501",
        ],
    )
    def test_refuses_what_it_cannot_read(self, customer: Customer, query: str) -> None:
        body = assert_error(customer.get(f"{PATH}?{query}"), 400, "invalid_request")
        assert list(body["details"]) == [query.split("=")[0]]

    def test_takes_every_cursor_of_the_right_form(self, customer: Customer) -> None:
        (row,) = write_messages(customer, 1)
        assert [one["id"] for one in listed(customer, f"?cursor={'9' * 17}-{'f' * 32}")] == [row.message_id]
        assert listed(customer, f"?cursor=0-{'0' * 32}") == []


class TestTheAddress:
    """As it is shown."""

    @pytest.mark.parametrize(
        ("whole", "shown"),
        [
            ("https://a.example.com/hook", "https://a.example.com/hook"),
            ("https://a.example.com:8443/x/y?token=secret&a=b", "https://a.example.com:8443/x/y"),
            ("https://a.example.com?token=secret", "https://a.example.com"),
            ("https://user:secret@a.example.com/x@y", "https://a.example.com/x@y"),
            ("https://a.example.com/x#secret?y", "https://a.example.com/x"),
            ("https://[2001:db8::1]:8443/x?secret", "https://[2001:db8::1]:8443/x"),
            ("http://[secret?", "http://[secret"),
            ("", ""),
        ],
    )
    def test_is_without_what_may_be_a_password(self, customer: Customer, whole: str, shown: str) -> None:
        write_messages(customer, 1)
        Delivery.objects.update(address=whole)
        assert listed(customer)[0]["address"] == shown

    def test_of_a_mail_is_whole(self, customer: Customer) -> None:
        write_messages(customer, 1)
        Delivery.objects.update(channel="email", address="ops@acme.test")
        assert listed(customer)[0]["address"] == "ops@acme.test"


def test_goes_with_what_it_tells_of(customer: Customer) -> None:
    write_messages(customer, 1)
    deliveries.prune(now=timezone.now() + timedelta(days=8))
    assert listed(customer) == []
