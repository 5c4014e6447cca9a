"""Every task of the review is at most three clicks from the first page, walked by the pages' own links and forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from billing import accounts, ledger
from billing.members import addresses
from billing.models import Account, ApiKey, LedgerEntry, Member, Payment
from jurisdictions import selectors
from lookups.lookup.questions import Question
from lookups.models import Job, Lookup, WatchEvent
from tests.admin.clicks import Person
from tests.admin.conftest import PRICE, ask, fail
from tests.sign_in import populated

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_workers")]
MOST = 3


@pytest.fixture
def person(owner: Client) -> Person:
    return Person(owner)


class TestAKey:
    def test_is_issued(self, acme: Account, person: Person) -> None:
        person.press("Issue a key", q="acme").press("Continue", name="laptop", mode="live")
        assert "Copy this key now" in person.text
        assert ApiKey.objects.filter(account=acme, name="laptop").exists()
        assert person.clicks <= MOST


class TestCredit:
    def test_is_granted(self, acme: Account, person: Person) -> None:
        person.press("Grant credit", q="ops@acme.test").press("Continue", dollars="5", reason="goodwill")
        assert "5.0000 USD" in person.text
        person.press("Confirm")
        assert LedgerEntry.objects.filter(account=acme, kind="deposit", amount=50_000).exists()
        assert person.clicks <= MOST


class TestAState:
    def test_that_fails_is_switched_off_from_the_first_page(self, failed_job: Job, owner: Client) -> None:
        person = Person(owner)
        person.follow("Switch off", within="New York").press("Switch off", sentence="New York moves its search.")
        assert not selectors.get_jurisdiction("NY").enabled
        assert person.clicks <= MOST

    def test_that_does_well_is_switched_off_as_well(self, person: Person) -> None:
        person.follow("monitor_heart Registries").follow("switch off Colorado")
        person.press("Switch off", sentence="Colorado asked us to stop.")
        assert not selectors.get_jurisdiction("CO").enabled
        assert person.clicks <= MOST


class TestAFailedLookup:
    def test_says_why_and_shows_the_page_that_refused(self, failed_job: Job, owner: Client) -> None:
        person = Person(owner)
        person.press("Open", q=failed_job.lookup.public_id)
        assert "turned us away" in person.text
        person.follow(f"#{failed_job.lookup.attempt_id}")
        assert "Incapsula incident" in person.text
        assert "Go away <script>alert(1)</script>" in person.text  # as text
        assert person.clicks <= MOST

    def test_is_found_without_its_id(self, failed_job: Job, owner: Client) -> None:
        person = Person(owner)
        figure = next(
            link for link in person.page.xpath("//ul//a") if "Unavailable 1" in " ".join(link.text_content().split())
        )
        person.follow(" ".join(figure.text_content().split()))
        row = next(link for link in person.page.xpath("//table//a[contains(@href, '/change/')]"))
        person.follow(" ".join(row.text_content().split()))
        assert "Bluebird Freight" in person.text
        assert person.clicks <= MOST - 1

    def test_leads_from_the_failing_state_to_its_last_kept_page(self, failed_job: Job, owner: Client) -> None:
        person = Person(owner)
        person.follow("Last kept page", within="New York")
        assert "Go away" in person.text
        assert person.clicks == 1


class TestAFailedJob:
    def test_is_asked_again_by_its_id(self, failed_job: Job, owner: Client) -> None:
        person = Person(owner)
        person.press("Open", q=failed_job.public_id).press("Ask again, paid for anew")
        assert "0.0314 USD" in person.text
        person.press("Confirm")
        assert Job.objects.get().status == "pending"
        assert person.clicks <= MOST

    def test_is_asked_again_with_all_of_its_outage(self, failed_job: Job, owner: Client) -> None:
        person = Person(owner)
        person.follow("Ask failed jobs again", within="New York").press("Continue").press("Confirm")
        assert "1 job is asked again" in person.text
        assert person.clicks <= MOST


class TestARefund:
    def test_of_a_lookup(self, acme: Account, owner: Client) -> None:
        lookup, person = ask(acme, "Bluebird Freight", "found"), Person(owner)
        person.press("Open", q=lookup.public_id).follow("Refund")
        assert "0.0314 USD" in person.text
        person.press("Confirm", reason="wrong_answer", note="other company")
        assert LedgerEntry.objects.get(kind="refund").amount == PRICE
        assert "of it given back 0.0314 USD" in person.text
        assert person.clicks <= MOST

    def test_stands_only_where_something_can_be_given_back(self, acme: Account, owner: Client) -> None:
        free, sold = ask(acme, "Nobody", "not_found"), ask(acme, "Bluebird Freight", "found")
        for lookup, stands in ((free, False), (sold, True)):
            person = Person(owner)
            person.press("Open", q=lookup.public_id)
            assert (" Refund " in person.text) is stands
        page = owner.get(f"/admin/lookups/lookup/{free.pk}/refund/", follow=True)
        assert "Nothing was charged for it." in page.content.decode()

    def test_of_a_hold_stands_nowhere(self, acme: Account, owner: Client) -> None:
        """Of a gift there is no receipt either; what was paid in has one, and goes back where it came from."""
        gift, now = LedgerEntry.objects.get(account=acme, kind="free_grant"), timezone.now()
        paid = ledger.deposit(account_id=acme.pk, amount=100, idempotency_key="p", source="card", now=now)
        for entry, has_receipt in ((gift, False), (paid, True)):
            page = owner.get(f"/admin/billing/ledgerentry/{entry.pk}/change/").content.decode()
            assert f"ledgerentry/{entry.pk}/refund" not in page
            assert (f"ledgerentry/{entry.pk}/receipt" in page) is has_receipt


class TestALookupsPage:
    def test_leads_to_what_it_rests_on_and_what_it_cost_within_ones_rights(
        self, acme: Account, as_role: Callable[[str], Client]
    ) -> None:
        attempt = fail("NY", "changed")
        lookup = ask(acme, "Bluebird Freight", "found", attempt_id=attempt.pk)
        charge = LedgerEntry.objects.get(kind="charge")
        links = {
            "charge": f"/billing/ledgerentry/{charge.pk}/",
            "attempt": f"/scrapeattempt/{attempt.pk}/change/#evidence",
        }
        for role, sees in (("support", {"charge", "attempt"}), ("operator", {"attempt"}), ("viewer", set())):
            page = as_role(role).get(f"/admin/lookups/lookup/{lookup.pk}/change/").content.decode()
            assert {name for name, address in links.items() if address in page} == sees, role

    def test_says_that_it_is_of_the_sandbox(self, acme: Account, owner: Client) -> None:
        """A record that is invented stood there as a found one that nobody had paid, with the price of a live one."""
        for is_sandbox in (True, False):
            person = Person(owner)
            person.press("Open", q=ask(acme, "Bluebird Freight", "found", sandbox=is_sandbox).public_id)
            said = "It is of the sandbox: all of it is invented, and nothing is charged."
            assert (said in person.text, "0.0314" in person.text) == (is_sandbox, not is_sandbox)

    def test_says_what_was_paid_with_the_request(self, acme: Account, owner: Client) -> None:
        now = timezone.now()
        payment = Payment.objects.create(
            challenge_id="c", proof_hash="p", method="tempo", purpose="lookup", amount=PRICE, state="paid",
            created_at=now, ended_at=now, delivered_at=now,
        )  # fmt: skip
        lookup = Lookup.objects.create(
            payment=payment, state="NY", kind="business_entity", asked="Bluebird Freight", verdict="found",
            price=PRICE, created_at=now, ended_at=now, question=Question("NY", name="Bluebird Freight").to_json(),
        )  # fmt: skip
        assert lookup.account is None
        for address in ("", f"{lookup.pk}/change/"):
            page = owner.get(f"/admin/lookups/lookup/{address}").content.decode()
            assert "0.0314" in page[page.index("Bluebird Freight") :]
            assert "Nothing was charged" not in page


class TestAnAccountsPage:
    def test_leads_to_everything_of_it_and_to_nothing_of_others(self, acme: Account, owner: Client) -> None:
        lookup, person = ask(acme, "Bluebird Freight", "found"), Person(owner)
        person.press("Open", q=f"#{acme.pk}")
        hub = {link.text_content(): link.get("href") for link in person.page.cssselect(".sos-hub a")}
        wanted = {"API keys", "Lookups", "Jobs", "Bulk jobs", "Ledger entries", "Top ups", "Receipts", "Deliverys"}
        wanted |= {"Watchs", "Members", "Holds", "Payments"}
        assert {name.rstrip("s") for name in hub} >= {name.rstrip("s") for name in wanted - {"Deliverys", "Watchs"}}
        for address in hub.values():
            assert owner.get(address, follow=True).status_code == 200, address
        listed = owner.get(hub["Lookups"]).content.decode()
        assert lookup.asked in listed

    def test_leads_to_a_webhook_address_where_there_is_one(self, acme: Account, owner: Client) -> None:
        def hub() -> list[str]:
            page = Person(owner).press("Open", q=f"#{acme.pk}").page
            return [
                link.get("href") for link in page.cssselect(".sos-hub a") if link.text_content() == "Webhook address"
            ]

        assert hub() == []
        Account.objects.filter(pk=acme.pk).update(test_webhook_url="https://acme.test/hook")
        [address] = hub()
        assert "https://acme.test/hook" in owner.get(address).content.decode()
        assert owner.get(f"/admin/billing/account/{'9' * 30}/change/").status_code == 302

    def test_shows_a_viewer_of_customers_no_money(self, acme: Account, as_role: Callable[[str], Client]) -> None:
        person = Person(as_role("operator"))
        person.press("Open", q="acme")
        names = {link.text_content() for link in person.page.cssselect(".sos-hub a")}
        assert "Lookups" in names
        assert not {"Ledger entries", "Payments", "Holds"} & names


class TestFinding:
    def test_of_what_cannot_be_looked_for_finds_nothing(self, owner: Client) -> None:
        for word in ("\0", "osd_\0", "lk_\0"):
            assert owner.get("/admin/find/", {"q": word}).status_code == 302

    def test_knows_an_account_by_the_mail_of_any_of_its_people(self, acme: Account, person: Person) -> None:
        jonas = addresses.get_or_make_user("jonas@acme.test")
        Member.objects.create(user=jonas, account=acme, role="member", joined_at=acme.created_at)
        person.press("Open", q="Jonas@acme.test ")
        assert "Acme Brokers" in person.text
        elsewhere = Person(person.client)
        elsewhere.press("Open", q="nobody@acme.test")
        assert "Nothing is found by that" in elsewhere.text

    def test_knows_an_event_of_a_watch_by_its_id(self, owner: Client) -> None:
        populated.populate()
        event = WatchEvent.objects.first()
        assert event is not None
        page = owner.get("/admin/find/", {"q": event.public_id})
        assert page["Location"].endswith(f"/admin/lookups/watchevent/{event.pk}/change/")

    def test_knows_a_lookup_by_the_id_of_its_request(self, acme: Account, person: Person) -> None:
        lookup = ask(acme, "Bluebird Freight", "not_found", request_id="d" * 32)
        person.press("Open", q="d" * 32)
        assert person.address == f"/admin/lookups/lookup/{lookup.pk}/change/"
        elsewhere = Person(person.client)
        elsewhere.press("Open", q="e" * 32)
        assert "the log has every request" in elsewhere.text

    def test_leads_to_the_list_where_several_are_meant_and_back_where_none_is(
        self, acme: Account, person: Person
    ) -> None:
        accounts.open_account(name="ACME Two", now=acme.created_at)
        person.press("Open", q="acme")
        assert "ACME Two" in person.text
        assert "Acme Brokers" in person.text
        elsewhere = Person(person.client)
        elsewhere.press("Open", q="nobody of that name")
        assert "Nothing is found by that" in elsewhere.text
