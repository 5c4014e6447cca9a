"""A key that is bound to networks opens nothing from elsewhere, and whoever tries is told why."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import keys, networks
from billing.models import ApiKey
from tests.lookups.conftest import Customer
from tests.lookups.test_hostile_bodies import assert_error

FROM_HERE = "This API key may not be used from this address: its allowedNetworks are others"


def bound(customer: Customer, *allowed: str) -> Customer:
    """A key of the account for these networks."""
    key, secret = keys.issue(account=customer.account, name="bound", allowed_networks=allowed, now=timezone.now())
    return Customer(customer.account, key, secret)


def ask(who: Customer, address: str) -> Any:
    """Something with this key, as our proxy passes it on."""
    return who.get("/v1/account/balance", **{"x-forwarded-for": address})


@pytest.mark.django_db
class TestAKeyForNetworks:
    @pytest.fixture(autouse=True)
    def behind_a_proxy(self, settings: Any) -> None:
        settings.TRUSTED_PROXIES = 1

    @pytest.mark.parametrize(
        ("allowed", "address", "opens"),
        [
            (["192.0.2.0/24"], "192.0.2.255", True),
            (["192.0.2.0/24"], "192.0.3.0", False),
            (["192.0.2.7/32"], "192.0.2.7:5678", True),
            (["192.0.2.7/32"], "::ffff:192.0.2.7", True),
            (["198.51.100.0/24", "192.0.2.0/24"], "192.0.2.7", True),
            (["2001:db8::/32"], "2001:db8:ffff::1", True),
            (["2001:db8::1/128"], "[2001:db8::1]:80", True),
            (["2001:db8::1/128"], "2001:db8::2", False),  # of the same /64
            (["0.0.0.0/0"], "2001:db8::1", False),
            (["0.0.0.0/0", "::/0"], "unknown", False),
            (["192.0.2.0/24"], "", False),
            ([], "unknown", True),
        ],
    )
    def test_opens_from_them_alone(self, customer: Customer, allowed: list[str], address: str, opens: bool) -> None:
        reply = ask(bound(customer, *allowed), address)
        if opens:
            assert reply.status_code == 200
        else:
            assert_error(reply, 403, "forbidden", FROM_HERE)

    def test_believes_our_own_proxies_alone(self, customer: Customer, settings: Any) -> None:
        office = bound(customer, "192.0.2.0/24")
        assert ask(office, "192.0.2.7, 203.0.113.9").status_code == 403  # the left one was typed by the caller
        settings.TRUSTED_PROXIES = 0
        assert ask(office, "192.0.2.7").status_code == 403

    def test_is_refused_everywhere_that_takes_a_key(self, customer: Customer, settings: Any) -> None:
        office = bound(customer, "192.0.2.0/24")
        elsewhere = {"x-forwarded-for": "203.0.113.9"}
        sent = {"entity_name": "Acme Corp", "state": "NY"}
        replies = [
            office.post("/v1/lookup", sent, x_forwarded_for="203.0.113.9"),
            office.post("/v1/name-availability", sent, x_forwarded_for="203.0.113.9"),
            office.get("/v1/keys", **elsewhere),
            Client().get("/v1/keys", headers={"authorization": f"Bearer {office.secret}", **elsewhere}),
        ]
        for reply in replies:
            assert_error(reply, 403, "forbidden", FROM_HERE)

    def test_refused_counts_as_no_wrong_key_and_as_no_use(self, customer: Customer, settings: Any) -> None:
        settings.KEYLESS_PER_MINUTE = 2
        office = bound(customer, "192.0.2.0/24")
        assert {ask(office, "203.0.113.9").status_code for _ in range(8)} == {403}
        assert ApiKey.objects.get(pk=office.key.pk).last_used_at is None

    def test_is_judged_without_another_statement(self, customer: Customer) -> None:
        free, office = bound(customer), bound(customer, "192.0.2.0/24")
        numbers = []
        for who, address in ((free, "192.0.2.7"), (office, "192.0.2.7"), (office, "203.0.113.9")):
            ask(who, address)
            with CaptureQueriesContext(
                connection,
            ) as seen:
                ask(who, address)
            numbers.append(len(seen))
        assert numbers[0] == numbers[1]
        assert numbers[2] == 1  # the key itself

    def test_hands_them_on_to_its_successor(self, customer: Customer) -> None:
        new, _ = keys.rotate(key=bound(customer, "192.0.2.0/24").key, grace=timedelta(0), now=timezone.now())
        assert new.allowed_networks == ["192.0.2.0/24"]


class TestANetwork:
    @pytest.mark.parametrize(
        ("written", "kept"),
        [
            ("192.0.2.7", "192.0.2.7/32"),
            (" 192.0.2.0/24 ", "192.0.2.0/24"),
            ("2001:DB8:0::/32", "2001:db8::/32"),
            ("::1", "::1/128"),
            ("0.0.0.0/0", "0.0.0.0/0"),
        ],
    )
    def test_has_one_spelling(self, written: str, kept: str) -> None:
        assert networks.read(written) == kept

    @pytest.mark.parametrize(
        "written", ["", "10", "10.0.0.0/8/8", "10.0.0.0/08x", "\u0661\u0660.0.0.0/8", "10.0.0.1/8", "1.2.3.4\n5"]
    )
    def test_that_is_none_is_refused(self, written: str) -> None:
        with pytest.raises(ValueError, match=r"\."):
            networks.read(written)

    @pytest.mark.parametrize(
        ("inner", "outer", "within"),
        [
            ([], [], True),
            (["10.0.0.0/8"], [], True),
            ([], ["0.0.0.0/0"], False),
            (["10.1.0.0/16"], ["10.0.0.0/8"], True),
            (["10.0.0.0/8"], ["10.1.0.0/16"], False),
            (["10.1.0.0/16", "::1/128"], ["10.0.0.0/8"], False),
            (["10.1.0.0/16", "::1/128"], ["10.0.0.0/8", "::/0"], True),
        ],
    )
    def test_lies_in_another_or_not(self, inner: list[str], outer: list[str], within: bool) -> None:
        assert networks.are_within(inner, outer) is within
