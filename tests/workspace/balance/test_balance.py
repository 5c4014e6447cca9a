"""An owner sees what there is to spend, what became of it, tops it up, and gets receipts."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import accounts, keys, ledger, reversals
from billing.accounting import chart, receipts
from billing.models import AuditEvent, LedgerEntry, Receipt, Reversal, TopUp
from lookups.workspace.balance import views
from tests.billing import stubs
from tests.billing.test_admin import staff, url
from tests.lookups.test_top_up import SECRET, notified
from tests.workspace.conftest import Browser, join, open_office
from tests.workspace.people import read_form
from tests.workspace.preferences.test_preferences import FORM

pytestmark = pytest.mark.django_db
PAGE, STATEMENT, RECEIPTS = "/app/balance/", "/app/balance/statement/", "/app/balance/receipts/"


@pytest.fixture
def cards(settings: Any) -> Iterator[stubs.CardProvider]:
    """A card provider on a loopback socket."""
    provider = stubs.CardProvider()
    with stubs.serve(provider.answer) as url:
        settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = "sk_test_pretended", url
        settings.STRIPE_WEBHOOK_SECRET = SECRET
        yield provider


def text_of(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status
    return html.unescape(answer.content.decode())


def figure(page: str, label: str) -> str:
    found = re.search(rf"<span>{label}</span><strong>([^<]+)</strong>", page)
    assert found, label
    return found[1]


def charge(
    browser: Browser, number: int = 1, *, now: datetime | None = None, reference: str = "NY Acme Corp"
) -> LedgerEntry:
    entry = None
    for one in range(number):
        entry = ledger.charge(
            account_id=browser.account.pk,
            amount=314,
            idempotency_key=f"charge {one} {reference} {now}",
            reference=reference,
            now=now or timezone.now(),
        )
    assert entry
    return entry


class TestTheBalance:
    def test_says_what_is_available_held_and_spent(self, office: Browser) -> None:
        charge(office, 3)
        ledger.hold(
            account_id=office.account.pk,
            amount=3140,
            idempotency_key="bulk",
            reference="bulk of 10",
            expires_at=timezone.now() + timedelta(hours=1),
            now=timezone.now(),
        )
        page = text_of(office.get(PAGE))
        found = [figure(page, f"{name}, USD") for name in ("Available", "Held", "Spent")]
        assert found == ["99.9058", "0.3140", "0.0942"]
        assert "0.4082 USD spent or held in" in page
        assert "bulk of 10" in page

    def test_says_why_what_counts_against_the_budget_is_more_than_what_was_spent(self, office: Browser) -> None:
        ledger.refund(entry_id=charge(office, 3).pk, idempotency_key="r", reason="outage", now=timezone.now())
        page = text_of(office.get(PAGE))
        assert figure(page, "Spent, USD") == "0.0628"
        assert re.search(r"0\.0942 USD spent or held in \w+ \d{4}\. Refunds are not taken off here\.", page)

    def test_counts_the_free_lookups_first(self, office: Browser) -> None:
        assert figure(text_of(office.get(PAGE)), "Free lookups left") == "10"
        charge(office, 4)
        assert figure(text_of(office.get(PAGE)), "Free lookups left") == "6"
        charge(office, 20, reference="DE Acme")
        assert figure(text_of(office.get(PAGE)), "Free lookups left") == "0"

    def test_says_what_is_owed(self, office: Browser) -> None:
        office.account.__class__.objects.filter(pk=office.account.pk).update(available=-314, deposited=-314)
        page = text_of(office.get(PAGE))
        assert "0.0314 USD are owed" in page
        assert figure(page, "Available, USD") == "0.0000"

    def test_is_for_owners_and_admins(self, clerk: Browser, viewer: Browser) -> None:
        paths = (PAGE, STATEMENT, f"{STATEMENT}statement.csv", RECEIPTS, f"{RECEIPTS}1/", f"{PAGE}topup/done/")
        assert [clerk.get(path).status_code for path in paths] == [403] * len(paths)
        assert [viewer.post(f"{PAGE}{path}").status_code for path in ("budget/", "topup/")] == [403, 403]
        assert Client().get(PAGE).status_code == 302

    def test_is_offered_to_nobody_who_may_not_open_it(self, office: Browser, clerk: Browser) -> None:
        link = f'href="{PAGE}"'
        assert link in text_of(office.get("/app/usage/"))
        assert link not in text_of(clerk.get("/app/usage/"))

    def test_shows_hostile_references_as_text(self, office: Browser) -> None:
        charge(office, reference="NY <script>alert(1)</script>\u202egpj")
        for path in (PAGE, STATEMENT):
            content = office.get(path).content.decode()
            assert "<script>alert" not in content
            assert "<bdi>NY &lt;script&gt;" in content


class TestTheBudget:
    def test_is_set_and_taken_away(self, office: Browser) -> None:
        assert office.post(f"{PAGE}budget/", {"monthly_budget": "12.5"}).status_code == 302
        office.account.refresh_from_db()
        assert office.account.monthly_budget == 125_000
        assert "of 12.5000 USD" in text_of(office.get(PAGE))
        office.post(f"{PAGE}budget/", {"monthly_budget": ""})
        office.account.refresh_from_db()
        assert office.account.monthly_budget is None

    def test_may_be_as_large_as_settings_take_it(self, office: Browser) -> None:
        for page, form in (("/app/settings/", FORM), (f"{PAGE}budget/", {})):
            office.post(page, form | {"monthly_budget": ""})
            assert office.post(page, form | {"monthly_budget": "1000000"}).status_code == 302
            office.account.refresh_from_db()
            assert office.account.monthly_budget == 1_000_000 * 10_000, page

    def test_stands_in_the_audit_log_with_who_set_it(self, office: Browser) -> None:
        office.post(f"{PAGE}budget/", {"monthly_budget": "12.5"})
        event = AuditEvent.objects.get(kind="settings_changed")
        assert event.detail == "In the workspace: monthly_budget."
        assert event.actor == str(office.account.members.get())

    @pytest.mark.parametrize("typed", ["-1", "a lot", "0.00001", "1e300", "99999999999999", "NaN"])
    def test_that_is_no_sum_changes_nothing(self, office: Browser, typed: str) -> None:
        assert 'class="wrong"' in text_of(office.post(f"{PAGE}budget/", {"monthly_budget": typed}), 400)
        office.account.refresh_from_db()
        assert office.account.monthly_budget is None


class TestTheStatement:
    def test_has_the_periods_entries_between_its_sums(self, office: Browser) -> None:
        charge(office, 2)
        page = text_of(office.get(STATEMENT))
        assert re.search(r"Opening</th><td class=\"num\">0.0000", page)
        assert re.search(
            r"Closing</th><td class=\"num\">100.2512</td><td class=\"num\">0.0000</td><td class=\"num\">0.0628", page
        )
        assert re.search(r"Charge</th><td class=\"num\">2</td><td class=\"num\">-0.0628", page)
        assert "Nothing happened in this period" in text_of(office.get(f"{STATEMENT}?month=2020-01"))

    def test_goes_on_where_the_page_ends(self, office: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        assert views.PAGE == 200
        monkeypatch.setattr(views, "PAGE", 5)
        charge(office, 1, reference="NY the first one")
        charge(office, 5, reference="DE others")
        page = text_of(office.get(STATEMENT))
        assert "the first one" not in page
        older = re.search(r'href="(\?[^"]*before=\d+)"', page)
        assert older
        assert "the first one" in text_of(office.get(f"{STATEMENT}{older[1]}"))

    def test_as_a_table_has_all_and_no_name_of_staff(self, office: Browser) -> None:
        charge(office, 3, reference="=1+1")
        answer: Any = office.get(f"{STATEMENT}statement.csv")
        rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
        assert [row["kind"] for row in rows] == ["free_grant", "deposit", "charge", "charge", "charge"]
        assert "operator" not in rows[0]
        assert rows[-1]["reference"] == "'=1+1"
        assert rows[-1]["available_usd"] == "100.2198"
        assert office.get(f"{STATEMENT}statement.csv?month=nonsense").status_code == 400

    def test_is_the_accounts_own(self, office: Browser) -> None:
        charge(open_office(name="Another", email="eve@else.test"), reference="NY Their Company")
        assert "Their Company" not in text_of(office.get(STATEMENT)) + text_of(office.get(PAGE))


class TestATopUp:
    def test_leads_to_the_card_page_and_is_credited_when_it_is_paid(
        self, office: Browser, cards: stubs.CardProvider
    ) -> None:
        answer = office.post(f"{PAGE}topup/", {"amount": "31.40"})
        assert answer.status_code == 303
        assert answer["Location"].startswith("https://pay.example.test/")
        form = cards.forms[0]
        assert form["line_items[0][price_data][unit_amount]"] == "3140"
        back = f"/app/balance/topup/done/?topup={TopUp.objects.get().pk}"
        assert form["success_url"].endswith(back)
        assert form["cancel_url"].endswith(f"/app/balance/topup/cancelled/?topup={TopUp.objects.get().pk}")
        waiting = office.get(back)
        assert "31.4000 USD is on its way" in text_of(waiting)
        again = '<noscript><meta http-equiv="refresh" content="5; url='
        assert f"{again}{back}&look=1" in text_of(waiting)
        assert again not in text_of(office.get(f"{PAGE}topup/done/?look=12"))
        assert notified("evt_1", str(TopUp.objects.get().session_id), cents=3140).json() == {"outcome": "credited"}
        done = office.get(f"{PAGE}topup/done/")
        assert "31.4000 USD have been added" in text_of(done)
        assert again not in text_of(done)
        assert figure(text_of(done), "Available, USD") == "131.7140"
        # and it has a receipt, by its number, once
        [entry, _] = receipts.list_paid(office.account.pk)
        assert office.post(f"{RECEIPTS}{entry.pk}/").status_code == 302
        office.post(f"{RECEIPTS}{entry.pk}/")
        receipt = Receipt.objects.get()
        page = text_of(office.get(f"{RECEIPTS}{entry.pk}/"))
        assert f"Receipt {receipt}" in page
        assert "31.4000 USD" in page
        assert f"{receipt}" in text_of(office.get(RECEIPTS))

    def test_that_was_paid_is_shown_though_a_later_one_was_begun(
        self, office: Browser, cards: stubs.CardProvider
    ) -> None:
        for amount in ("31.40", "500"):  # back from the card page, another amount; then paid in the first tab
            office.post(f"{PAGE}topup/", {"amount": amount})
        first = TopUp.objects.earliest("pk")
        back = cards.forms[0]["success_url"].partition("/app/")[2]
        assert "31.4000 USD is on its way" in text_of(office.get(f"/app/{back}"))
        notified("evt_1", str(first.session_id), cents=3140)
        assert "31.4000 USD have been added" in text_of(office.get(f"/app/{back}"))

    @pytest.mark.parametrize("number", ["0", "x", "", "9" * 30, "theirs"])
    def test_of_another_account_is_shown_nowhere_else(
        self, office: Browser, cards: stubs.CardProvider, number: str
    ) -> None:
        office.post(f"{PAGE}topup/", {"amount": "31.40"})
        open_office(name="Another", email="eve@else.test").post(f"{PAGE}topup/", {"amount": "500"})
        page = office.get(f"{PAGE}topup/done/?topup={TopUp.objects.latest('pk').pk if number == 'theirs' else number}")
        assert "USD is on its way" not in text_of(page)
        assert "refresh" not in text_of(page)

    def test_may_lead_away_by_the_policy_of_its_page_alone(self, office: Browser, cards: stubs.CardProvider) -> None:
        assert "form-action 'self' https:" in office.get(PAGE)["Content-Security-Policy"]
        assert "form-action 'self';" in office.get(STATEMENT)["Content-Security-Policy"]

    def test_that_was_left_off_changes_nothing(self, office: Browser, cards: stubs.CardProvider) -> None:
        office.post(f"{PAGE}topup/", {"amount": "250"})
        page = text_of(office.get(f"{PAGE}topup/cancelled/"))
        assert "Nothing was paid" in page
        assert figure(page, "Available, USD") == "100.3140"

    def test_that_was_left_off_offers_its_sum_again(self, office: Browser, cards: stubs.CardProvider) -> None:
        office.post(f"{PAGE}topup/", {"amount": "250"})
        back = cards.forms[0]["cancel_url"].partition("//")[2].partition("/")[2]
        page = office.get(f"/{back}")
        assert "Nothing was paid" in text_of(page)
        assert read_form(page)["amount"] == "250.00"
        assert office.post(f"{PAGE}topup/", {"amount": read_form(page)["amount"]}).status_code == 303
        eve = open_office(name="Another", email="eve@else.test")
        assert read_form(eve.get(f"/{back}"))["amount"] == "31.40"
        assert read_form(office.get(f"{PAGE}topup/cancelled/?topup=9999999999999999999"))["amount"] == "31.40"

    def test_that_was_paid_in_another_tab_is_not_called_unpaid(
        self, office: Browser, cards: stubs.CardProvider
    ) -> None:
        office.post(f"{PAGE}topup/", {"amount": "31.40"})
        back = cards.forms[0]["cancel_url"].partition("//")[2].partition("/")[2]
        notified("evt_1", str(TopUp.objects.get().session_id), cents=3140)
        page = text_of(office.get(f"/{back}"))
        assert "Nothing was paid" not in page
        assert "31.4000 USD have been added" in page

    @pytest.mark.parametrize("typed", ["0.49", "10000.01", "3.141", "a lot", "", "-5"])
    def test_of_an_amount_that_is_not_sold_goes_nowhere(
        self, office: Browser, cards: stubs.CardProvider, typed: str
    ) -> None:
        assert 'class="wrong"' in text_of(office.post(f"{PAGE}topup/", {"amount": typed}), 400)
        assert not cards.forms

    def test_while_the_provider_is_away_says_so(self, office: Browser, cards: stubs.CardProvider) -> None:
        cards.mood = "down"
        page = text_of(office.post(f"{PAGE}topup/", {"amount": "31.40"}), 503)
        assert "does not answer; nothing was charged" in page


class TestWithoutCards:
    def test_the_page_says_whom_to_write_to(self, office: Browser, settings: Any) -> None:
        settings.CONTACT = "help@sos.test"
        page = text_of(office.get(PAGE))
        assert "Cards are not configured" in page
        assert "write to <bdi>help@sos.test</bdi>" in page
        assert "Pay by card" not in page
        assert office.post(f"{PAGE}topup/", {"amount": "31.40"}).status_code == 503


class TestReceipts:
    def test_are_for_what_was_paid_and_not_for_what_was_given(self, office: Browser) -> None:
        def deposit(source: str, reason: str = "") -> LedgerEntry:
            return ledger.deposit(
                account_id=office.account.pk,
                amount=10_000,
                idempotency_key=f"{source}{reason}",
                source=source,
                reason=reason,
                operator="staff" if source == chart.STAFF else "",
                now=timezone.now(),
            )

        paid = [deposit("card"), deposit("tempo"), deposit(chart.STAFF, chart.INVOICE)]
        gift = deposit(chart.STAFF, "goodwill")
        listed = {entry.pk for entry in receipts.list_paid(office.account.pk)}
        assert {entry.pk for entry in paid} <= listed
        # what the list has is what can have a receipt, and nothing else
        for entry in LedgerEntry.objects.filter(account=office.account):
            assert (office.get(f"{RECEIPTS}{entry.pk}/").status_code == 200) == (entry.pk in listed)
        assert office.post(f"{RECEIPTS}{gift.pk}/").status_code == 404
        assert not Receipt.objects.exists()

    def test_take_no_number_before_they_are_wanted(self, office: Browser) -> None:
        [entry] = receipts.list_paid(office.account.pk)
        assert "It is not made yet" in text_of(office.get(f"{RECEIPTS}{entry.pk}/"))
        assert not Receipt.objects.exists()

    def test_say_what_was_given_back_since(self, office: Browser, cards: stubs.CardProvider) -> None:
        office.post(f"{PAGE}topup/", {"amount": "31.40"})
        notified("evt_1", str(TopUp.objects.get().session_id), cents=3140)
        [entry, _] = receipts.list_paid(office.account.pk)
        office.post(f"{RECEIPTS}{entry.pk}/")
        assert "iven back" not in text_of(office.get(f"{RECEIPTS}{entry.pk}/")) + text_of(office.get(RECEIPTS))
        refund = reversals.Heard("pi_1", Reversal.Kind.REFUND, "pi_1", 100_000)
        reversals.hear(refund, now=timezone.now())
        assert "10.0000 USD, by a refund or a dispute" in text_of(office.get(f"{RECEIPTS}{entry.pk}/"))
        assert "10.0000 given back" in text_of(office.get(RECEIPTS))
        printed = text_of(staff("dana", "view_ledgerentry").get(url("ledgerentry_receipt", entry.pk)))
        assert "10.0000 USD, by a refund or a dispute" in printed, "staff print the same receipt"
        assert "(card refund)" in text_of(office.get(STATEMENT))

    def test_say_who_paid_what_when_how_and_to_whom(self, office: Browser, settings: Any) -> None:
        settings.SELLER = "Harbor Records Inc."
        paid = timezone.now() + timedelta(days=2)  # not the day on which the receipt is made

        def deposit(amount: int, source: str, **named: str) -> LedgerEntry:
            return ledger.deposit(
                account_id=office.account.pk, amount=amount, idempotency_key=source, source=source, now=paid, **named
            )

        card = deposit(314_000, "card", reference="pi_77")
        invoice = deposit(500_000, chart.STAFF, reason=chart.INVOICE, operator="dana", note="PO 78")
        parties = [f"{paid:%Y-%m-%d}", "Quay Street Compliance", "ada@quay.test", "Harbor Records Inc."]
        dana = staff("dana", "view_ledgerentry")
        for entry, amount, words in (
            (card, "31.4000 USD", ["Receipt R-000001", "card", "pi_77"]),
            (invoice, "50.0000 USD", ["Invoice I-000001", "invoice", "PO 78"]),
        ):
            office.post(f"{RECEIPTS}{entry.pk}/")
            for page in (office.get(f"{RECEIPTS}{entry.pk}/"), dana.get(url("ledgerentry_receipt", entry.pk))):
                facts = re.sub(r"<[^>]+>", "\n", text_of(page)).split("\n")
                assert {*words, *parties} <= set(facts)
                assert [one for one in facts if one.endswith(" USD")][-1] == amount  # the first is the balance

    def test_are_each_payments_own(self, office: Browser) -> None:
        other = open_office(name="Another", email="eve@else.test")
        entries = [receipts.list_paid(one.account.pk)[0] for one in (other, office)]
        assert other.post(f"{RECEIPTS}{entries[0].pk}/").status_code == 302
        theirs = Receipt.objects.get()
        assert f"{theirs}" not in text_of(office.get(f"{RECEIPTS}{entries[1].pk}/"))
        office.post(f"{RECEIPTS}{entries[1].pk}/")
        own = Receipt.objects.get(entry=entries[1])
        assert f"{own}" != f"{theirs}"
        for browser, entry, receipt in ((office, entries[1], own), (other, entries[0], theirs)):
            assert f"{receipt}" in text_of(browser.get(f"{RECEIPTS}{entry.pk}/"))

    def test_of_others_are_not_there(self, office: Browser) -> None:
        other = open_office(name="Another", email="eve@else.test")
        [entry] = receipts.list_paid(other.account.pk)
        assert office.get(f"{RECEIPTS}{entry.pk}/").status_code == 404
        assert office.post(f"{RECEIPTS}{entry.pk}/").status_code == 404
        assert not Receipt.objects.exists()

    def test_of_a_number_that_no_entry_can_have_is_not_there(self, office: Browser) -> None:
        assert office.get(f"{RECEIPTS}{10**30}/").status_code == 404

    def test_of_an_account_that_paid_nothing_name_the_next_step(self, office: Browser) -> None:
        fresh = accounts.open_account(name="New", email="new@new.test", now=timezone.now())
        page = text_of(Browser(join(fresh, "owner", "new@new.test")).get(RECEIPTS))
        assert "Nothing has been paid yet" in page


def test_every_amount_has_its_unit(office: Browser) -> None:
    charge(office, 2)
    keys.issue(account=office.account, name="server", now=timezone.now())
    for path in (PAGE, STATEMENT, RECEIPTS, "/app/keys/"):
        page = text_of(office.get(path))
        main = page[page.index("<main") :]
        assert "USD" in main
        assert "$" not in main
