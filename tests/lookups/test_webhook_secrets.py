"""A customer's signing secret: shown once, stored nowhere, changed without a webhook that cannot be verified."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from lookups.models import WebhookSecret
from lookups.notifications import webhook_secrets
from lookups.notifications.webhook_secrets import list_secrets, rotate
from tests.lookups.conftest import Customer, open_customer

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


class TestASecret:
    """What `rotate` hands out."""

    def test_has_the_form_the_specification_asks_for(self, customer: Customer) -> None:
        made = rotate(account_id=customer.account.pk, livemode=True, now=timezone.now()).secret
        assert made.startswith("whsec_")
        assert 24 <= len(base64.b64decode(made.removeprefix("whsec_"), validate=True)) <= 64

    def test_comes_of_its_key_and_salt_as_in_every_release(self, settings: Any) -> None:
        """Made in another way, what customers verify our webhooks with would fit none of them any more."""
        settings.WEBHOOK_SECRET, settings.SECRET_KEY, now = "a" * 40, "k" * 50, timezone.now()
        made = webhook_secrets._secret("a" * 40, 7, "5" * 32, livemode=True)
        assert made == "whsec_CvYaucUc8WQ3xUHzf2v0cvXee1DmX8gvb+zOEOtLfHk="
        never_shown = [list_secrets(account_id=7, livemode=livemode, now=now) for livemode in (True, False)]
        assert never_shown == [
            ["whsec_mhwynOlJ5GyJK+zWzycFr1swvWrFFIqKwzNd2xZ65ik="],
            ["whsec_l/xomWJ/1ld1Y9tFqZGlrlPNrHUsaBJJEAAfs+GVjWw="],
        ]
        assert webhook_secrets.derived_key() == "f0acf7e67639e420449eb61ae546e771720200c6bf35329a58d00c7f321a54dc"

    def test_signs_from_then_on(self, customer: Customer) -> None:
        now = timezone.now()
        made = rotate(account_id=customer.account.pk, livemode=True, now=now)
        assert made.previous_valid_until is None  # nobody knew the one before
        assert list_secrets(account_id=customer.account.pk, livemode=True, now=now) == [made.secret]

    def test_is_in_no_table(self, customer: Customer) -> None:
        made = rotate(account_id=customer.account.pk, livemode=True, now=timezone.now()).secret.removeprefix("whsec_")
        rows = [[str(value) for value in row] for row in WebhookSecret.objects.values_list()]
        assert rows
        raw = base64.b64decode(made)
        assert not [text for row in rows for text in row if made in text or raw.hex() in text]

    def test_is_another_for_every_account_even_with_the_same_salt(self, customer: Customer, switches: None) -> None:
        other = open_customer(name="Other")
        now = timezone.now()
        assert list_secrets(account_id=customer.account.pk, livemode=True, now=now) != list_secrets(
            account_id=other.account.pk, livemode=True, now=now
        )
        for one in (customer, other):
            rotate(account_id=one.account.pk, livemode=True, now=now)
        WebhookSecret.objects.update(salt="same")
        assert list_secrets(account_id=customer.account.pk, livemode=True, now=now) != list_secrets(
            account_id=other.account.pk, livemode=True, now=now
        )

    def test_exists_before_anybody_asked_for_one(self, customer: Customer) -> None:
        now = timezone.now()
        first = list_secrets(account_id=customer.account.pk, livemode=True, now=now)
        assert first == list_secrets(account_id=customer.account.pk, livemode=True, now=now)
        assert len(first) == 1
        assert first != [rotate(account_id=customer.account.pk, livemode=True, now=now).secret]


class TestTheChangeToANewOne:
    """Rotation by the customer."""

    def test_leaves_the_one_before_signing_for_a_day(self, customer: Customer) -> None:
        account, now = customer.account.pk, timezone.now()
        old = rotate(account_id=account, livemode=True, now=now - 3 * DAY)
        new = rotate(account_id=account, livemode=True, now=now)
        assert new.previous_valid_until == now + DAY
        assert list_secrets(account_id=account, livemode=True, now=now) == [new.secret, old.secret]
        assert list_secrets(account_id=account, livemode=True, now=now + DAY - timedelta(seconds=1)) == [
            new.secret,
            old.secret,
        ]
        assert list_secrets(account_id=account, livemode=True, now=now + DAY) == [new.secret]

    def test_twice_in_a_row_keeps_the_promise_of_the_first(self, customer: Customer) -> None:
        account, now = customer.account.pk, timezone.now()
        old = rotate(account_id=account, livemode=True, now=now - 3 * DAY).secret
        hasty = rotate(account_id=account, livemode=True, now=now).secret
        new = rotate(account_id=account, livemode=True, now=now + timedelta(hours=1)).secret
        assert list_secrets(account_id=account, livemode=True, now=now + timedelta(hours=2)) == [new, hasty, old]
        assert list_secrets(account_id=account, livemode=True, now=now + DAY) == [new, hasty]

    def test_is_of_one_account_and_one_mode(self, customer: Customer) -> None:
        other, now = open_customer(name="Other"), timezone.now()
        whose = [(customer.account.pk, True), (customer.account.pk, False), (other.account.pk, True)]
        made = [rotate(account_id=account, livemode=livemode, now=now) for account, livemode in whose]
        assert [one.previous_valid_until for one in made] == [None, None, None]
        for _ in range(webhook_secrets.MOST_A_DAY - 1):
            rotate(account_id=customer.account.pk, livemode=True, now=now)
        later = now + 2 * DAY  # whatever was replaced signs no more
        for (account, livemode), one in list(zip(whose, made, strict=True))[1:]:
            assert list_secrets(account_id=account, livemode=livemode, now=later) == [one.secret]
        assert rotate(account_id=other.account.pk, livemode=True, now=now).previous_valid_until == now + DAY

    def test_is_refused_after_five_in_a_day(self, customer: Customer) -> None:
        account, now = customer.account.pk, timezone.now()
        for hour in range(5):
            rotate(account_id=account, livemode=True, now=now + timedelta(hours=hour))
        with pytest.raises(webhook_secrets.TooManySecrets) as refused:
            rotate(account_id=account, livemode=True, now=now + timedelta(hours=5))
        assert refused.value.retry_after == 19 * 3600
        assert len(list_secrets(account_id=account, livemode=True, now=now + timedelta(hours=5))) == 5
        rotate(account_id=account, livemode=True, now=now + DAY)  # the first of the five was made a day ago
        rotate(account_id=account, livemode=True, now=now + 3 * DAY)
        assert WebhookSecret.objects.filter(account_id=account).count() == 2  # those that ended are gone


@pytest.mark.django_db(transaction=True)
class TestTwoChangesAtOnce:
    """Two people press the button."""

    def test_leave_every_secret_that_was_shown_signing(
        self, customer: Customer, at_once: Callable[..., list[Any]]
    ) -> None:
        account, now = customer.account.pk, timezone.now()
        before = rotate(account_id=account, livemode=True, now=now - 3 * DAY).secret
        made = at_once(*[lambda: rotate(account_id=account, livemode=True, now=now)] * 4)
        signing = list_secrets(account_id=account, livemode=True, now=now)
        assert set(signing) == {before, *(one.secret for one in made)}
        assert WebhookSecret.objects.filter(account_id=account, signs_until__isnull=True).count() == 1
        assert {one.previous_valid_until for one in made} == {now + DAY}


class TestTheOperatorsKey:
    """WEBHOOK_SECRET."""

    def test_makes_other_secrets_when_it_changes(self, customer: Customer, settings: Any) -> None:
        account, now = customer.account.pk, timezone.now()
        settings.WEBHOOK_SECRET = "one"
        old = rotate(account_id=account, livemode=True, now=now).secret
        settings.WEBHOOK_SECRET = "two"
        assert old not in list_secrets(account_id=account, livemode=True, now=now)

    def test_goes_on_signing_as_the_previous_one(self, customer: Customer, settings: Any) -> None:
        account, now = customer.account.pk, timezone.now()
        settings.WEBHOOK_SECRET = "one"
        old = rotate(account_id=account, livemode=True, now=now).secret
        settings.WEBHOOK_SECRET, settings.WEBHOOK_SECRET_PREVIOUS = "two", "one"
        assert old in list_secrets(account_id=account, livemode=True, now=now)
        new = rotate(account_id=account, livemode=True, now=now).secret
        assert list_secrets(account_id=account, livemode=True, now=now)[0] == new
        assert old in list_secrets(account_id=account, livemode=True, now=now)
        settings.WEBHOOK_SECRET_PREVIOUS = ""
        assert new in list_secrets(account_id=account, livemode=True, now=now + 2 * DAY)

    def test_is_derived_when_none_is_set_and_can_be_kept_when_one_is(self, customer: Customer, settings: Any) -> None:
        account, now = customer.account.pk, timezone.now()
        old = rotate(account_id=account, livemode=True, now=now).secret
        settings.WEBHOOK_SECRET, settings.WEBHOOK_SECRET_PREVIOUS = "own", webhook_secrets.derived_key()
        assert list_secrets(account_id=account, livemode=True, now=now)[1] == old
        settings.WEBHOOK_SECRET_PREVIOUS = ""
        settings.WEBHOOK_SECRET, settings.SECRET_KEY = "", "another-key-of-the-installation"
        assert old not in list_secrets(account_id=account, livemode=True, now=now)

    def test_signs_once_when_both_are_the_same(self, customer: Customer, settings: Any) -> None:
        settings.WEBHOOK_SECRET = settings.WEBHOOK_SECRET_PREVIOUS = "one"
        assert len(list_secrets(account_id=customer.account.pk, livemode=True, now=timezone.now())) == 1


class TestTheTable:
    """Its migration."""

    def test_fits_the_model(self) -> None:
        call_command("makemigrations", "lookups", check=True, dry_run=True, verbosity=0)
        assert "lookups_webhooksecret" in connection.introspection.table_names()
