"""What was sent a moment too late, so that its person shows first who they are: done as meant, or not, in words."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html

from billing.models import Account, LedgerEntry, OutageRefund
from tests.sign_in.people import PASSWORD, Browser, make_user
from tests.sign_in.test_second_factor import GRANT, account, browser, dana, grant, let_pass

__all__ = ["account", "browser", "dana"]  # fixtures

LEFT = "What you had sent before you confirmed who you are was not accepted"
NOT_TAKEN = "What you just sent was not accepted"


def confirm(browser: Browser, asked: str) -> Any:
    """Type the password."""
    return browser.post(asked, {"password": PASSWORD}, follow=True)


class TestAFormOfMoney:
    def test_that_was_left_at_the_proof_is_not_done_by_opening_its_page_later(
        self, browser: Browser, account: Account
    ) -> None:
        """Somebody thinks better of a grant when the password is asked for, and comes back for another one."""
        let_pass(browser, 11)
        assert browser.post(grant(account), GRANT)["Location"].startswith("/admin/confirm/password/")
        browser.get("/admin/")
        asked = browser.get(grant(account))["Location"]
        page = confirm(browser, asked)
        assert page.request["PATH_INFO"] == grant(account)
        assert LEFT in page.content.decode()
        assert LedgerEntry.objects.filter(account=account).count() == 1

    def test_goes_on_step_by_step_after_the_proof(self, browser: Browser, account: Account) -> None:
        """The page that says what will happen stands at the address of the proof: its button leads to the grant."""
        let_pass(browser, 11)
        first = {name: value for name, value in GRANT.items() if name != "confirm"}
        asked = browser.post(grant(account), first)["Location"]
        page = confirm(browser, asked)
        assert "This is what will happen." in page.content.decode()
        (form,) = (one for one in html.fromstring(page.content).cssselect("form") if "token" in one.fields)
        sent = {name: value for name, value in form.form_values() if name != "change"} | {"confirm": "1"}
        assert browser.post(form.get("action", asked), sent).status_code == 302
        assert LedgerEntry.objects.filter(account=account).count() == 2

    def test_that_was_opened_for_chosen_lookups_goes_on_with_them(self, db: None, acme_charge: LedgerEntry) -> None:
        browser = Browser()
        browser.sign_in(make_user(is_superuser=True).username)
        lookup = acme_charge.reference
        address = f"/admin/lookups/lookup/refund-outage/?lookups={lookup}"
        page = browser.get(address)
        (form,) = (one for one in html.fromstring(page.content).cssselect("form") if "token" in one.fields)
        sent = dict(form.form_values()) | {"reason": "outage", "note": "Monday", "confirm": "1"}
        let_pass(browser, 11)
        confirm(browser, browser.post(address, sent)["Location"])
        assert [one.note for one in OutageRefund.objects.all()] == ["Monday"]

    def test_of_another_tab_is_not_done_instead(self, browser: Browser, account: Account) -> None:
        let_pass(browser, 11)
        first = browser.post(grant(account), GRANT)["Location"]
        browser.post(f"/admin/billing/account/{account.pk}/adjust/", GRANT | {"dollars": "5", "token": "def"})
        page = confirm(browser, first)
        assert page.request["PATH_INFO"] == grant(account)
        assert LEFT in page.content.decode()
        assert LedgerEntry.objects.filter(account=account).count() == 1


class TestAFormThatHoldsASecret:
    def test_says_that_it_was_not_taken(self, db: None) -> None:
        browser = Browser()
        browser.sign_in(make_user(is_superuser=True).username)
        let_pass(browser, 11)
        page = confirm(browser, browser.post("/admin/auth/user/add/", {"username": "kim"})["Location"])
        assert page.request["PATH_INFO"] == "/admin/auth/user/add/"
        assert NOT_TAKEN in page.content.decode()


class TestAFormWithoutTheSecondFactor:
    def test_says_that_it_was_not_taken(self, browser: Browser, account: Account, settings: Any) -> None:
        settings.ADMIN_SECOND_FACTOR = True
        page = browser.post(grant(account), GRANT, follow=True)
        assert NOT_TAKEN in page.content.decode()
        assert LedgerEntry.objects.filter(account=account).count() == 1


@pytest.fixture
def acme_charge(switches: None) -> LedgerEntry:
    """What a lookup cost, referred to by the lookup's number."""
    from billing import accounts, keys
    from tests.admin.conftest import ask
    from tests.billing.conftest import NOW

    made = accounts.open_account(name="Acme Brokers", now=NOW)
    keys.issue(account=made, name="server", now=NOW)
    lookup = ask(made, "Acme Corp", "found")
    charge = LedgerEntry.objects.get(account=made, kind="charge")
    charge.reference = str(lookup.pk)  # not saved
    return charge
