"""A customer's keys over the API: seen, made, exchanged and ended with one of them, and never above it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from billing import customer_keys, keys
from billing.models import Account, ApiKey, AuditEvent
from lookups.lookup.storage import wire_time
from tests.lookups.conftest import Customer, open_customer
from tests.lookups.test_hostile_bodies import assert_error

SCOPES = "Use one of: lookup, bulk, names, watches, account, keys, reconcile."
pytestmark = pytest.mark.django_db
EVERYTHING = None
PATH = "/v1/keys"


@pytest.fixture(autouse=True)
def unhurried(settings: Any) -> None:
    """These tests ask more in a minute than a key may."""
    settings.RATE_LIMIT_PER_MINUTE = 10_000


def delete(who: Customer, key_id: str) -> Any:
    return Client(raise_request_exception=False).delete(f"{PATH}/{key_id}", headers={"x-api-key": who.secret})


def create(who: Customer, **body: Any) -> Any:
    return who.post(PATH, {"name": "nightly import", **body})


def rotate(who: Customer, key_id: str, body: Any = None, **headers: str) -> Any:
    return who.post(f"{PATH}/{key_id}/rotate", {} if body is None else body, **headers)


def holder(who: Customer, reply: Any) -> Customer:
    """Whoever has the secret of this reply."""
    assert reply.status_code == 201, reply.content
    body = reply.json()
    key = ApiKey.objects.get(uuid=uuid.UUID(body["key"]["id"].removeprefix("key_")))
    return Customer(who.account, key, body["secret"])


def works(who: Customer) -> bool:
    return bool(who.get("/v1/account/balance").status_code != 401)


def another(who: Customer, **columns: Any) -> Customer:
    """One more key of the account, as staff would issue it."""
    budget = columns.pop("monthly_budget", None)
    key, secret = keys.issue(account=who.account, name="other", now=timezone.now(), **columns)
    if budget is not None:
        keys.set_budget(key=key, monthly_budget=budget, now=timezone.now())
    return Customer(who.account, key, secret)


class TestAList:
    def test_tells_all_of_a_key_but_its_secret(self, customer: Customer) -> None:
        body = customer.get(PATH).json()
        (key,) = body["keys"]
        assert (body["success"], body["livemode"], body["nextCursor"]) == (True, True, None)
        assert key.pop("createdAt") == wire_time(customer.key.created_at)
        assert key.pop("lastUsedAt").startswith(wire_time(timezone.now())[:10])
        assert key == {
            "id": customer.key.public_id,
            "name": "server",
            "mode": "live",
            "prefix": customer.key.prefix,
            "status": "active",
            "scopes": EVERYTHING,
            "allowedNetworks": [],
            "limits": {"requestsPerMinute": 10_000, "concurrentLookups": 10, "monthlyBudget": None},
            "expiresAt": None,
            "revokedAt": None,
            "replaces": None,
            "replacedBy": None,
        }

    def test_has_its_limits_and_what_has_become_of_it(self, customer: Customer) -> None:
        old = another(customer, scopes=["bulk"], monthly_budget=314, rate_limit_per_minute=7, concurrent_lookups=3)
        expired = another(customer, expires_at=timezone.now() - timedelta(hours=1))
        successor, _ = keys.rotate(key=old.key, grace=timedelta(0), now=timezone.now())
        newest, second, third, _ = customer.get(PATH).json()["keys"]
        assert [one["status"] for one in (newest, second, third)] == ["active", "expired", "revoked"]
        assert [one["id"] for one in (newest, second)] == [successor.public_id, expired.key.public_id]
        assert newest["limits"] == {"requestsPerMinute": 7, "concurrentLookups": 3, "monthlyBudget": 0.0314}
        assert (newest["replaces"], third["replacedBy"]) == (old.key.public_id, successor.public_id)
        assert (newest["scopes"], bool(third["revokedAt"]), bool(second["expiresAt"])) == (["bulk"], True, True)

    def test_goes_on_where_the_page_before_ended(self, customer: Customer) -> None:
        made = [another(customer).key.public_id for _ in range(4)]
        first = customer.get(f"{PATH}?limit=3").json()
        rest = customer.get(f"{PATH}?limit=3&cursor={first['nextCursor']}").json()
        seen = [key["id"] for key in first["keys"] + rest["keys"]]
        assert seen == [*reversed(made), customer.key.public_id]
        assert rest["nextCursor"] is None

    @pytest.mark.parametrize("query", ["limit=0", "limit=x", "cursor=0", "cursor=key_1"])
    def test_that_is_asked_wrongly_is_a_400(self, customer: Customer, query: str) -> None:
        body = assert_error(customer.get(f"{PATH}?{query}"), 400, "invalid_request")
        assert set(body["details"]) == {query.partition("=")[0]}

    def test_asks_the_database_once_for_all_its_keys(
        self, customer: Customer, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(5):
            rotated = another(customer)
            keys.rotate(key=rotated.key, grace=timedelta(hours=1), now=timezone.now())
        customer.get(PATH)
        with django_assert_max_num_queries(6):  # the key, its count, and the page
            assert len(customer.get(PATH).json()["keys"]) == 11


class TestAKeyWithoutTheScope:
    @pytest.mark.parametrize("scopes", [["account"], ["lookup", "bulk", "names", "account"]])
    def test_sees_and_changes_no_keys(self, customer: Customer, scopes: list[str]) -> None:
        narrow, target = another(customer, scopes=scopes), customer.key.public_id
        replies = [narrow.get(PATH), narrow.get(f"{PATH}/{target}"), create(narrow), rotate(narrow, target)]
        for reply in [*replies, delete(narrow, target)]:
            assert_error(
                reply, 403, "forbidden", 'This API key may not be used for this endpoint: it lacks the scope "keys"'
            )
        assert ApiKey.objects.count() == 2
        assert ApiKey.objects.filter(revoked_at__isnull=True).count() == 2

    def test_is_any_that_is_none(self, db: None) -> None:
        assert Client().get(PATH).status_code == 401


class TestAKeyThatIsMade:
    def test_works_and_has_what_was_asked(self, customer: Customer) -> None:
        ends = timezone.now() + timedelta(days=30)
        asked = {"scopes": ["lookup", "account", "lookup"], "allowedNetworks": ["127.0.0.1", "2001:DB8::/32"]}
        reply = create(customer, mode="test", expiresAt=ends.isoformat(), **asked)
        body, made = reply.json(), holder(customer, reply)
        assert reply["Cache-Control"] == "no-store"
        assert reply["Location"] == f"/v1/keys/{body['key']['id']}"
        assert (made.secret[:9], body["previousValidUntil"]) == ("osd_test_", None)
        assert (made.key.name, made.key.mode, made.key.scopes) == ("nightly import", "test", ["account", "lookup"])
        assert (made.key.expires_at, made.key.allowed_networks) == (ends, ["127.0.0.1/32", "2001:db8::/32"])
        assert body["key"] == {**customer.get(f"{PATH}/{made.key.public_id}").json()["key"]}
        assert made.get("/v1/account/balance").json()["livemode"] is False

    def test_is_like_the_one_that_made_it_where_nothing_is_said(self, customer: Customer) -> None:
        ends = timezone.now() + timedelta(days=3)
        narrow = another(customer, scopes=["keys", "names"], expires_at=ends, allowed_networks=["127.0.0.0/8"])
        made = holder(customer, create(narrow, scopes=None, mode=None, expiresAt=None, allowedNetworks=None)).key
        assert (made.scopes, made.expires_at, made.allowed_networks) == (["keys", "names"], ends, ["127.0.0.0/8"])
        assert (holder(customer, create(customer)).key.scopes, made.mode) == ([], "live")

    @pytest.mark.parametrize(
        ("own", "wanted", "named"),
        [
            ({"scopes": ["keys", "lookup"]}, {"scopes": ["keys", "bulk"]}, "scopes"),
            ({"scopes": list(keys.SCOPES)}, {"mode": "live", "expiresAt": "2198-01-01T00:00:00Z"}, None),
            ({"mode": "test"}, {"mode": "live"}, "mode"),
            ({"expires_at": timezone.now() + timedelta(days=1)}, {"expiresAt": "2198-01-01T00:00:00Z"}, "expiresAt"),
            ({"allowed_networks": ["127.0.0.0/8"]}, {"allowedNetworks": []}, "allowedNetworks"),
            ({"allowed_networks": ["127.0.0.0/8"]}, {"allowedNetworks": ["127.0.0.1", "10.0.0.1"]}, "allowedNetworks"),
            ({"allowed_networks": ["127.0.0.0/8"]}, {"allowedNetworks": ["::1"]}, "allowedNetworks"),
            ({"allowed_networks": ["127.0.0.0/8"]}, {"allowedNetworks": ["126.0.0.0/7"]}, "allowedNetworks"),
            ({"allowed_networks": ["127.0.0.0/8"]}, {"allowedNetworks": ["127.1.0.0/16"]}, None),
            ({"monthly_budget": 314}, {}, "A key with a monthly budget"),
            ({"monthly_budget": 314}, {"mode": "test"}, None),
        ],
    )
    def test_is_never_above_the_one_that_makes_it(
        self, customer: Customer, own: dict[str, Any], wanted: dict[str, Any], named: str | None
    ) -> None:
        narrow = another(customer, **own)
        reply = create(narrow, **wanted)
        if named is None:
            assert reply.status_code == 201
            return
        assert assert_error(reply, 403, "forbidden")["error"].startswith(named)
        assert ApiKey.objects.count() == 2

    def test_with_all_scopes_by_name_is_not_above_one_that_has_those_alone(self, customer: Customer) -> None:
        """What is added to the API later goes to keys without scopes, so such a key is more."""
        listed = another(customer, scopes=list(keys.SCOPES))
        assert holder(customer, create(listed)).key.scopes == sorted(keys.SCOPES)
        assert_error(rotate(listed, customer.key.public_id), 403, "forbidden")

    def test_has_the_lower_limits_of_its_maker_and_not_the_higher(self, customer: Customer) -> None:
        slow = another(customer, rate_limit_per_minute=100, concurrent_lookups=2)
        made = holder(customer, create(slow)).key
        assert (made.rate_limit_per_minute, made.concurrent_lookups) == (100, 2)
        fast = another(customer, rate_limit_per_minute=10**6, concurrent_lookups=100)
        made = holder(customer, create(fast)).key
        assert (made.rate_limit_per_minute, made.concurrent_lookups) == (None, None)

    def test_is_one_of_a_bounded_number_of_its_mode(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(customer_keys, "MOST_KEYS", 3)
        assert [create(customer).status_code for _ in range(3)] == [201, 201, 409]
        body = assert_error(create(customer), 409, "too_many_keys")
        assert body["error"] == "At most 3 keys of a mode work at a time: revoke some"
        assert create(customer, mode="test").status_code == 201
        made = customer.get(PATH).json()["keys"][1]["id"]
        assert delete(customer, made).status_code == 200
        assert create(customer).status_code == 201

    def test_of_another_account_is_not_counted(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(customer_keys, "MOST_KEYS", 2)
        holder(customer, create(customer))
        assert create(open_customer(name="Zebra")).status_code == 201


class TestWhatDoesNotFit:
    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("name", "", "This field may not be blank."),
            ("name", None, "This field may not be null."),
            ("name", 7, "Send text."),
            ("name", "x" * 101, "Ensure this field has no more than 100 characters."),
            ("name", "im\x07port", "Characters that cannot be seen are not allowed: U+0007."),
            ("name", "im\u202eport", "Characters that cannot be seen are not allowed: U+202E."),
            ("name", "im\u200bport", "Characters that cannot be seen are not allowed: U+200B."),
            ("mode", "sandbox", "Use one of: live, test."),
            ("scopes", ["everything"], f"Number 1: {SCOPES}"),
            (
                "scopes",
                ["lookup", ["bulk"]],
                f"Number 2: {SCOPES}",
            ),
            ("scopes", ["lookup", "reconcile"], keys.ALONE),
            ("scopes", [], "Ensure this field has at least 1 elements."),
            ("scopes", "lookup", 'Expected a list of items but got type "str".'),
            ("expiresAt", "2020-01-01T00:00:00Z", "Lies in the past."),
            ("expiresAt", "2200-01-01T00:00:00Z", "Lies beyond 2199."),
            ("expiresAt", "2099-01-01", "Send a moment as 2027-01-31T00:00:00Z."),
            ("expiresAt", "2099-01-01T00:00:00", "Send a moment as 2027-01-31T00:00:00Z."),
            ("expiresAt", "9999-12-31T23:59:59-12:00", "Send a moment as 2027-01-31T00:00:00Z."),
            ("expiresAt", 4070908800, "Send a moment as 2027-01-31T00:00:00Z."),
            ("allowedNetworks", ["10.0.0.0/33"], "Number 1: Send networks such as 192.0.2.0/24 or 2001:db8::/32."),
            ("allowedNetworks", ["office.example"], "Number 1: Send networks such as 192.0.2.0/24 or 2001:db8::/32."),
            ("allowedNetworks", ["10.0.0.0/255.0.0.0"], "Number 1: Send networks such as"),
            ("allowedNetworks", ["fe80::1%eth0"], "Number 1: Send networks such as"),
            ("allowedNetworks", [10], "Number 1: Send networks such as 192.0.2.0/24 or 2001:db8::/32."),
            ("allowedNetworks", ["::ffff:10.0.0.0/104"], "Number 1: ::ffff:10.0.0.0/104 is a network of IPv4"),
            (
                "allowedNetworks",
                ["::1", "10.0.0.7/8"],
                "Number 2: 10.0.0.7/8 is an address within a network: send 10.0.0.0/8 or 10.0.0.7.",
            ),
            ("allowedNetworks", ["::1"] * 21, "Ensure this field has no more than 20 elements."),
        ],
    )
    def test_is_a_400_that_says_what(self, customer: Customer, field: str, value: Any, message: str) -> None:
        body = assert_error(customer.post(PATH, {"name": "nightly import", field: value}), 400, "invalid_request")
        assert set(body["details"]) == {field}
        assert body["details"][field][0].startswith(message)
        assert ApiKey.objects.count() == 1

    @pytest.mark.parametrize("overlap", [-1, 604_801, "60", 1.5, True])
    def test_of_a_rotation_is_too(self, customer: Customer, overlap: Any) -> None:
        reply = rotate(customer, customer.key.public_id, {"overlapSeconds": overlap})
        assert set(assert_error(reply, 400, "invalid_request")["details"]) == {"overlapSeconds"}

    @pytest.mark.parametrize("body", [b"[]", b"{broken", b'"x"', b"null"])
    def test_at_all_is_one_of_the_errors(self, customer: Customer, body: bytes) -> None:
        for path in (PATH, f"{PATH}/{customer.key.public_id}/rotate"):
            assert_error(customer.post(path, body), 400, "invalid_request")


class TestTestMode:
    def test_sees_and_changes_its_own_alone(self, customer: Customer) -> None:
        tester, live = another(customer, mode="test"), customer.key.public_id
        assert [key["mode"] for key in tester.get(PATH).json()["keys"]] == ["test"]
        for reply in (tester.get(f"{PATH}/{live}"), rotate(tester, live), delete(tester, live)):
            assert_error(reply, 404, "key_not_found", "Key not found")
        assert holder(customer, create(tester)).key.mode == "test"
        assert works(customer)

    def test_is_looked_after_by_a_live_key_too(self, customer: Customer) -> None:
        tester = another(customer, mode="test")
        assert [key["mode"] for key in customer.get(PATH).json()["keys"]] == ["test", "live"]
        assert delete(customer, tester.key.public_id).json()["key"]["status"] == "revoked"
        assert not works(tester)


class TestAKeyOfSomebodyElse:
    @pytest.mark.parametrize("which", ["theirs", "unknown", "number", "nonsense"])
    def test_is_not_found_like_one_that_never_was(self, customer: Customer, which: str) -> None:
        other = open_customer(name="Zebra")
        name = {"theirs": other.key.public_id, "unknown": f"key_{0:032x}", "number": str(other.key.pk)}.get(which, "é")
        bodies = [customer.get(f"{PATH}/{name}"), rotate(customer, name), delete(customer, name)]
        for reply in bodies:
            assert_error(reply, 404, "key_not_found", "Key not found")
        assert other.key.public_id not in customer.get(PATH).content.decode()
        assert works(other)


class TestARotation:
    def test_gives_a_successor_while_the_old_key_works_on(self, customer: Customer) -> None:
        old = another(customer, scopes=["account"], allowed_networks=["127.0.0.0/8"])
        reply = rotate(customer, old.key.public_id, {"overlapSeconds": 3600})
        new = holder(customer, reply)
        assert reply["Cache-Control"] == "no-store"
        assert (works(old), works(new)) == (True, True)
        assert (new.key.scopes, new.key.allowed_networks, new.key.name) == (["account"], ["127.0.0.0/8"], "other")
        until = reply.json()["previousValidUntil"]
        seen = customer.get(f"{PATH}/{old.key.public_id}").json()["key"]
        assert (seen["revokedAt"], seen["status"], seen["replacedBy"]) == (until, "active", new.key.public_id)
        ApiKey.objects.filter(pk=old.key.pk).update(revoked_at=timezone.now())
        assert (works(old), works(new)) == (False, True)

    def test_says_that_the_old_key_works_no_longer_than_until_it_expires(self, customer: Customer) -> None:
        ends = timezone.now() + timedelta(hours=1)
        old = another(customer, expires_at=ends)
        assert rotate(customer, old.key.public_id).json()["previousValidUntil"] == wire_time(ends)
        seen = customer.get(f"{PATH}/{old.key.public_id}").json()["key"]
        assert (seen["revokedAt"], seen["expiresAt"]) == (wire_time(ends), wire_time(ends))

    @pytest.mark.parametrize("body", [{}, {"overlapSeconds": None}, b""])
    def test_overlaps_for_a_day_where_nothing_is_said(self, customer: Customer, body: Any) -> None:
        before = timezone.now()
        assert rotate(customer, customer.key.public_id, body).status_code == 201
        customer.key.refresh_from_db()
        assert customer.key.revoked_at is not None
        assert timedelta(hours=24) <= customer.key.revoked_at - before < timedelta(hours=24, minutes=1)

    def test_without_an_overlap_ends_the_old_key_at_once(self, customer: Customer) -> None:
        old = another(customer)
        new = holder(customer, rotate(customer, old.key.public_id, {"overlapSeconds": 0}))
        assert (works(old), works(new)) == (False, True)

    def test_of_the_key_that_asks_never_locks_it_out(self, customer: Customer) -> None:
        short = assert_error(rotate(customer, customer.key.public_id, {"overlapSeconds": 59}), 400, "invalid_request")
        assert "at least 60 seconds" in short["details"]["overlapSeconds"][0]
        new = holder(customer, rotate(customer, customer.key.public_id, {"overlapSeconds": 60}))
        assert (works(customer), works(new)) == (True, True)
        assert delete(new, customer.key.public_id).status_code == 200
        assert not works(customer)

    def test_is_done_once(self, customer: Customer) -> None:
        old, dead = another(customer), another(customer)
        assert rotate(customer, old.key.public_id).status_code == 201
        keys.revoke(key=dead.key, now=timezone.now())
        for one in (old, dead):
            assert_error(rotate(customer, one.key.public_id), 409, "key_ended")
        assert ApiKey.objects.count() == 4

    def test_hands_over_no_more_than_the_key_that_asks_has(self, customer: Customer) -> None:
        ends = timezone.now() + timedelta(days=1)
        wide = another(customer, scopes=["keys", "lookup"])
        for own in (
            {"scopes": ["keys"]},
            {"expires_at": ends},
            {"allowed_networks": ["127.0.0.1/32"]},
            {"monthly_budget": 1},
        ):
            narrow = another(customer, **own)  # type: ignore[arg-type]
            assert_error(rotate(narrow, wide.key.public_id), 403, "forbidden")
            assert rotate(narrow, narrow.key.public_id).status_code == 201  # itself it may
        assert rotate(customer, wide.key.public_id).status_code == 201

    def test_again_and_again_ends_at_a_bound(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(customer_keys, "MOST_KEYS", 2)
        newest = another(customer)
        for _ in range(2):
            newest = holder(customer, rotate(customer, newest.key.public_id))
        assert_error(rotate(customer, newest.key.public_id), 409, "too_many_keys")

    def test_whose_reply_was_lost_is_made_up_for_with_the_old_key(self, customer: Customer) -> None:
        old = customer
        keys.set_budget(key=old.key, monthly_budget=3140, now=timezone.now())
        lost = rotate(old, old.key.public_id).json()["key"]["id"]
        assert_error(rotate(old, old.key.public_id), 409, "key_ended")
        assert old.get(f"{PATH}/{old.key.public_id}").json()["key"]["replacedBy"] == lost
        again = holder(old, rotate(old, lost, {"overlapSeconds": 0}))
        assert works(again)

    def test_leaves_the_old_key_no_power_over_others(self, customer: Customer) -> None:
        other = another(customer)
        successor = holder(customer, rotate(customer, customer.key.public_id))
        assert works(successor)  # it has arrived
        for reply in (create(customer), *(rotate(customer, one.key.public_id) for one in (other, successor))):
            assert "This key was rotated" in assert_error(reply, 403, "forbidden")["error"]


class TestRevoking:
    def test_stops_a_key_at_once_and_says_so(self, customer: Customer) -> None:
        other = another(customer)
        assert works(other)
        body = delete(customer, other.key.public_id).json()
        assert (body["key"]["status"], body["success"]) == ("revoked", True)
        assert not works(other)
        assert delete(customer, other.key.public_id).json()["key"] == body["key"]

    def test_itself_is_a_keys_right_while_another_can_make_keys(self, customer: Customer) -> None:
        another(customer)
        assert delete(customer, customer.key.public_id).json()["key"]["status"] == "revoked"
        assert not works(customer)

    def test_leaves_one_key_that_can_make_others(self, customer: Customer) -> None:
        now = timezone.now()
        another(customer, scopes=["lookup"])
        another(customer, mode="test")
        another(customer, expires_at=now - timedelta(hours=1))
        keys.revoke(key=another(customer).key, now=now)
        for _ in range(2):
            body = assert_error(delete(customer, customer.key.public_id), 409, "last_key")
            assert "rotate this one" in body["error"]
        assert works(customer)

    def test_does_not_count_on_a_key_that_was_rotated(self, customer: Customer) -> None:
        successor = holder(customer, rotate(customer, customer.key.public_id))
        for who in (customer, successor):
            assert_error(delete(who, successor.key.public_id), 409, "last_key")
        assert delete(successor, customer.key.public_id).status_code == 200

    def test_ends_a_key_that_was_rotated_whatever_became_of_its_successor(self, customer: Customer) -> None:
        """It can make no keys any more, so nothing is lost with it."""
        successor = holder(customer, rotate(customer, customer.key.public_id))
        keys.revoke(key=successor.key, now=timezone.now())  # by staff
        assert delete(customer, customer.key.public_id).status_code == 200

    def test_does_not_count_on_the_keys_of_another_account(self, customer: Customer) -> None:
        open_customer(name="Bolt")
        assert_error(delete(customer, customer.key.public_id), 409, "last_key")
        assert works(customer)

    def test_ends_the_last_key_of_test_mode_while_a_live_one_can_make_another(self, customer: Customer) -> None:
        tester = another(customer, mode="test")
        assert delete(tester, tester.key.public_id).status_code == 200

    def test_leaves_the_last_key_of_an_account_that_has_test_keys_alone(self, tester: Customer) -> None:
        assert_error(delete(tester, tester.key.public_id), 409, "last_key")

    def test_ends_no_key_that_may_do_more(self, customer: Customer) -> None:
        narrow = another(customer, scopes=["keys", "lookup"])
        assert_error(delete(narrow, customer.key.public_id), 403, "forbidden")
        assert works(customer)

    def test_is_hindered_by_no_network_expiry_or_budget(self, customer: Customer) -> None:
        """A key that leaked is ended from the office, whatever it was bound to."""
        ends = timezone.now() + timedelta(days=1)
        office = another(customer, allowed_networks=["127.0.0.1/32"], expires_at=ends, monthly_budget=1)
        leaked = another(customer)
        assert delete(office, leaked.key.public_id).status_code == 200
        assert not works(leaked)


class TestARepetition:
    """With the same Idempotency-Key: nothing is made twice, and no secret is told twice."""

    def test_of_making_a_key_names_it_without_its_secret(self, customer: Customer) -> None:
        first, again = (customer.post(PATH, {"name": "k"}, idempotency_key="order-1") for _ in range(2))
        made = holder(customer, first)
        assert (again.status_code, again["Idempotency-Replayed"]) == (201, "true")
        assert again.json() == {**first.json(), "secret": None}
        assert ApiKey.objects.count() == 2
        assert works(holder(customer, rotate(customer, made.key.public_id)))  # how a lost secret is made up for

    def test_of_rotating_names_the_successor_without_its_secret(self, customer: Customer) -> None:
        old = another(customer)
        first, again = (rotate(customer, old.key.public_id, idempotency_key="order-2") for _ in range(2))
        assert (first.status_code, again["Idempotency-Replayed"]) == (201, "true")
        assert again.json() == {**first.json(), "secret": None}
        assert ApiKey.objects.count() == 3

    def test_under_the_same_word_for_something_else_is_a_conflict(self, customer: Customer) -> None:
        customer.post(PATH, {"name": "k"}, idempotency_key="order-3")
        reply = customer.post(PATH, {"name": "other"}, idempotency_key="order-3")
        assert_error(reply, 409, "idempotency_conflict")

    def test_after_a_breakdown_finds_what_was_made(self, customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
        def break_down(*_: Any, **__: Any) -> None:
            raise OSError("the reply could not be written")

        with monkeypatch.context() as broken:
            broken.setattr("lookups.api.keys.views.key_fields", break_down)
            assert customer.post(PATH, {"name": "k"}, idempotency_key="order-4").status_code == 500
        again = customer.post(PATH, {"name": "k"}, idempotency_key="order-4")
        assert (again.status_code, again.json()["secret"]) == (201, None)
        assert ApiKey.objects.count() == 2

    def test_of_what_was_refused_is_judged_anew(self, customer: Customer) -> None:
        narrow = another(customer, scopes=["keys"])
        for _ in range(2):
            assert_error(narrow.post(PATH, {"name": "k", "scopes": ["bulk"]}, idempotency_key="w"), 403, "forbidden")
        assert narrow.post(PATH, {"name": "k"}, idempotency_key="w").status_code == 201


class TestTheAuditLog:
    def test_says_which_key_did_it_from_where_in_which_request(self, customer: Customer, settings: Any) -> None:
        settings.TRUSTED_PROXIES = 1
        told = {"x-forwarded-for": "192.0.2.7", "x-request-id": "req-1"}
        made = customer.post(PATH, {"name": "k"}, **told)
        key_id = holder(customer, made).key.public_id
        new = customer.post(f"{PATH}/{key_id}/rotate", {}, **told).json()["key"]["id"]
        headers = {"x-api-key": customer.secret, **told}
        assert Client().delete(f"{PATH}/{new}", headers=headers).status_code == 200
        events = AuditEvent.objects.order_by("-pk")[:3]
        assert [event.kind for event in events] == ["key_revoked", "key_rotated", "key_issued"]
        who = f"key {customer.key.prefix}… of account {customer.account.pk}"
        assert {(event.actor, event.address, event.request_id) for event in events} == {(who, "192.0.2.7", "req-1")}

    def test_says_nothing_of_what_was_refused(self, customer: Customer) -> None:
        before = AuditEvent.objects.count()
        create(another(customer, scopes=["keys"]), scopes=["bulk"])
        delete(customer, f"key_{0:032x}")
        assert AuditEvent.objects.count() == before + 1  # the key that the test issued


class TestASecret:
    def test_is_in_one_reply_and_in_no_table(self, customer: Customer, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level("DEBUG")
        made = holder(customer, customer.post(PATH, {"name": "k"}, idempotency_key="s"))
        new = holder(customer, rotate(customer, made.key.public_id, idempotency_key="t"))
        later = [customer.get(PATH), customer.get(f"{PATH}/{new.key.public_id}"), delete(customer, new.key.public_id)]
        later += [customer.post(PATH, {"name": "k"}, idempotency_key="s")]
        kept = [str(list(model._default_manager.values())) for model in apps.get_models()]
        for secret in (made.secret, new.secret):
            assert secret not in "".join(kept) + caplog.text + "".join(reply.content.decode() for reply in later)


class TestAKeyThatEndsMeanwhile:
    """It was good when the request came, and is not when its turn has come."""

    @pytest.mark.parametrize("end", ["revoked", "expired", "closed"])
    def test_makes_and_ends_nothing_any_more(self, customer: Customer, end: str) -> None:
        now = timezone.now()
        asked_before = ApiKey.objects.get(pk=customer.key.pk)
        other = another(customer)
        match end:
            case "revoked":
                keys.revoke(key=customer.key, now=now)
            case "expired":
                ApiKey.objects.filter(pk=customer.key.pk).update(expires_at=now)
            case "closed":
                Account.objects.filter(pk=customer.account.pk).update(is_active=False)
        for act in (
            lambda: customer_keys.create(by=asked_before, name="k", now=now),
            lambda: customer_keys.rotate(by=asked_before, key=other.key, overlap=timedelta(0), now=now),
            lambda: customer_keys.revoke(by=asked_before, key=other.key, now=now),
        ):
            with pytest.raises(keys.InvalidKey):
                act()  # type: ignore[no-untyped-call]
        other.key.refresh_from_db()
        assert (ApiKey.objects.count(), other.key.revoked_at) == (2, None)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("on_postgres")
class TestTwoRequestsToRotateOneKey:
    def test_are_answered_201_and_409(self, customer: Customer, at_once: Callable[..., list[Any]]) -> None:
        old = another(customer)
        replies = at_once(*[lambda: rotate(customer, old.key.public_id, {"overlapSeconds": 60})] * 2)
        assert sorted(reply.status_code for reply in replies) == [201, 409]
        refused = next(reply for reply in replies if reply.status_code == 409)
        assert_error(refused, 409, "key_ended", "The key was rotated or revoked, or has expired")
        assert ApiKey.objects.filter(replaces=old.key).count() == 1
