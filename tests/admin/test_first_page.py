"""The first page tells today: what came in, what fails, what waits; each number leads to its rows, by right."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.templatetags.static import static
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing import grants, ledger
from billing.models import Account, Difference, Reversal
from lookups.models import Job, RemovalRequest
from tests.admin.clicks import Person
from tests.admin.conftest import ask, fail

pytestmark = pytest.mark.django_db


def figures(person: Person) -> dict[str, str]:
    found = {}
    for link in person.page.cssselect(".sos-figures a"):
        label, value, beside = (" ".join(part.split()) for part in link.xpath("./text()[1] | ./span/text()"))
        found[label] = f"{value}; {beside}"
    return found


class TestItsTab:
    def test_has_the_mark(self, owner: Client) -> None:
        assert [link.get("href") for link in Person(owner).page.cssselect("link[rel=icon]")] == [
            static("lookups/mark.svg")
        ]


class TestTheFigures:
    def test_are_of_today_with_yesterday_beside(self, acme: Account, owner: Client) -> None:
        now = timezone.now()
        for name in ("Bluebird", "Redbird"):
            ask(acme, name, "found")
        ask(acme, "Nobody", "not_found")
        ask(acme, "Bluebird", "unavailable", reason="timeout")
        ask(acme, "Old", "found", created_at=now.replace(hour=12) - timedelta(days=1))
        told = figures(Person(owner))
        assert told["Lookups"] == "4; yesterday 1"
        assert told["Found"] == "2; yesterday 1"
        assert told["Unavailable"] == "1; yesterday 0"
        assert told["Revenue"] == "0.09 USD; yesterday 0.00 USD"
        assert told["Jobs waiting"] == "0; this time yesterday 0"
        assert told["Differences"] == "0; this time yesterday 0"

    def test_count_nothing_of_the_sandbox_and_say_so(self, acme: Account, owner: Client) -> None:
        ask(acme, "Blue Heron", "found", sandbox=True)
        person = Person(owner)
        assert figures(person)["Lookups"] == "0; yesterday 0"
        person.follow("In the sandbox 1 lookup")
        assert "Blue Heron" in person.text
        assert "Blue Heron" not in owner.get("/admin/lookups/lookup/").content.decode()

    def test_are_drawn_with_what_the_busiest_day_has_had(self, acme: Account, owner: Client) -> None:
        assert "at most 0 a day" in Person(owner).text
        ask(acme, "Bluebird", "found")
        assert "at most 1 a day" in Person(owner).text

    def test_lead_to_their_rows(self, acme: Account, owner: Client) -> None:
        ask(acme, "Bluebird", "found")
        ask(acme, "Nobody", "not_found")
        Difference.objects.create(
            name="account_sums", subject="account 1", first_seen_at=timezone.now(), last_seen_at=timezone.now()
        )
        rows = {"Revenue": "NY Bluebird", "Lookups": "Nobody", "Found": "Bluebird", "Differences": "account 1"}
        for label, row in rows.items():
            person = Person(owner)
            link = next(one for one in person.page.cssselect(".sos-figures a") if one.text.strip() == label)
            page = owner.get(link.get("href")).content.decode()
            assert row in page, label
            assert label != "Found" or "Nobody" not in page

    def test_are_read_in_a_bounded_number_of_queries(self, acme: Account, owner: Client) -> None:
        owner.get("/admin/")
        with CaptureQueriesContext(
            connection,
        ) as few:
            owner.get("/admin/")
        for number in range(15):
            ask(
                acme, f"Company {number}", "found" if number < 5 else "unavailable", reason="" if number < 5 else "down"
            )
        with CaptureQueriesContext(connection) as many:
            owner.get("/admin/")
        assert len(many) <= len(few) + 1
        assert len(many) < 75
        assert not [
            one["sql"] for one in many if 'FROM "lookups_lookup"' in one["sql"] and "created_at" not in one["sql"]
        ]


class TestWhatFails:
    def test_stands_first_with_its_reason(self, failed_job: Job, owner: Client) -> None:
        person = Person(owner)
        row = person.page.cssselect("ul.sos-rows > li")[0]
        told = " ".join(row.text_content().split())
        assert told.startswith("New York blocked: Request unsuccessful. Incapsula incident never a good answer")
        assert person.text.index("Failing now") < person.text.index("Waits for a person")
        registries = owner.get("/admin/jurisdictions/jurisdiction/health/").content.decode()
        assert registries.index("New York") < registries.index("Alabama")

    def test_that_is_switched_off_is_left_out(self, owner: Client) -> None:
        fail("KS", "blocked")
        assert "No registry that is switched on failed when it was asked last" in Person(owner).text

    def test_is_not_said_of_registries_that_nobody_has_asked(self, owner: Client) -> None:
        assert "good answer" not in Person(owner).text

    def test_shows_hostile_details_as_text(self, owner: Client) -> None:
        fail("NY", "changed", detail='<script>alert("x")</script>' + "x" * 10_000)
        page = owner.get("/admin/").content.decode()
        assert "<script>alert(" not in page
        assert "x" * 200 not in page


class TestWhatWaits:
    def test_is_each_with_its_rows_the_late_first(self, acme: Account, owner: Client, settings: object) -> None:
        settings.GRANT_CEILING = "1"  # type: ignore[attr-defined]
        now = timezone.now()
        grants.give(
            account_id=acme.pk, kind="grant", amount=50_000, token="t", operator="x", reason="trial", note="", now=now
        )
        ledger.hold(
            account_id=acme.pk,
            amount=10,
            idempotency_key="h",
            reference="",
            now=now,
            expires_at=now + timedelta(minutes=5),
        )
        request = {"kind": "removal", "about": "Acme", "name": "J", "email": "j@x.test", "text": "x"}
        RemovalRequest.objects.create(**request, received_at=now, due_at=now - timedelta(days=1))
        person = Person(owner)
        told = [" ".join(link.text_content().split()) for link in person.page.cssselect(".sos-rows a")]
        assert told[0] == "1 request for removal overdue"
        assert "1 grant to confirm" in told
        assert "1 hold ends within ten minutes" in told
        for words in told:
            assert "Acme" in Person(owner).follow(words).text, words

    def test_of_the_last_days_leads_to_as_many_as_it_says(self, owner: Client) -> None:
        """What was lost long ago stood among the disputes that a number of two led to."""
        for days in (1, 29, 31, 400):
            heard = timezone.now() - timedelta(days=days)
            named = {"kind": "dispute", "name": f"dp_{days}", "payment_reference": f"pi_{days}", "amount": 100}
            Reversal.objects.create(**named, heard_at=heard)
        rows = Person(owner).follow("2 disputes of the last 30 days").text
        assert [f"dp_{days} " in rows for days in (1, 29, 31, 400)] == [True, True, False, False], rows

    def test_is_nothing_on_a_quiet_day(self, owner: Client) -> None:
        assert "Nothing that you may see." in Person(owner).text


class TestEachRole:
    @pytest.mark.parametrize(
        ("role", "sees", "not_"),
        [
            ("viewer", {"Lookups", "Jobs waiting"}, {"Revenue", "Differences"}),
            ("operator", {"Lookups", "Jobs waiting"}, {"Revenue", "Differences"}),
            ("support", {"Lookups", "Revenue"}, {"Differences"}),
            ("finance", {"Revenue", "Differences"}, {"Lookups", "Jobs waiting"}),
        ],
    )
    def test_sees_what_its_rights_show(
        self, failed_job: Job, as_role: Callable[[str], Client], role: str, sees: set[str], not_: set[str]
    ) -> None:
        person = Person(as_role(role))
        told = figures(person)
        assert sees <= set(told)
        assert not not_ & set(told)
        assert ("USD" in person.text) is ("Revenue" in sees)
        assert ("Switch off" in person.text) is (role == "operator")
        assert ("Last kept page" in person.text) is (role in ("operator", "support"))
        assert ("Grant credit" in person.text) is (role == "finance")
